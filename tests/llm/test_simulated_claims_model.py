"""What moves a simulated judge of claims: blind spots, second looks, evidence, rubric, precedents."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.llm.claims_asked import (
    BASE,
    FAMILIES,
    TAGS,
    backend,
    claims_in,
    fact,
    inducing,
    judging,
    own_patterns,
    pairs,
    read,
    reviewing,
    right,
    sentence,
    stating,
)

from venire.llm.simulated import (
    ClaimBlindSpots,
    Claims,
    Guidance,
    Material,
    Review,
    SimulatedBackend,
    Simulation,
    Transfer,
)
from venire.llm.simulated.claim_latent import cause_of, content_words
from venire.records import Instance, Request


def judged(
    simulation: Simulation,
    instances: Sequence[Instance],
    model: str = "acme/large",
    rubric: Callable[[SimulatedBackend, Instance, int], Sequence[str]] = lambda judges, i, index: (),
) -> np.ndarray:
    """Whether each verdict on each claim of each response is right."""
    judges = backend(instances, simulation)
    found = []
    for instance in instances:
        for index in (0, 1):
            claims = claims_in(instance, index)
            request = judging(instance, claims, index, model, rubric(judges, instance, index))
            said = read(judges, request)["judgments"]
            assert isinstance(said, list)
            found += [
                each["verdict"] == right(fact(judges, instance, index, claim).sign)
                for each, claim in zip(said, claims, strict=True)
            ]
    return np.array(found)


def reviewed(
    simulation: Simulation,
    instances: Sequence[Instance],
    ask: Callable[[SimulatedBackend, Instance, int, str], Request | None],
) -> np.ndarray:
    """Whether each review of each claim is right, for those claims that are asked about."""
    judges = backend(instances, simulation)
    found = []
    for instance in instances:
        for index in (0, 1):
            for claim in claims_in(instance, index):
                request = ask(judges, instance, index, claim)
                if request is not None:
                    verdict = read(judges, request)["verdict"]
                    found.append(verdict == right(fact(judges, instance, index, claim).sign))
    return np.array(found)


QUIET = replace(
    BASE, judge_sd=0, persona_sd=0, claims=Claims(noise=0.0, blind_spots=None, uncertain_width=0.0)
)


def test_a_judge_that_sees_plainly_is_always_right_and_one_of_skill_0_is_not() -> None:
    assert judged(replace(QUIET, skill={"default": 1.0}), pairs(10)).all()
    noisy = replace(QUIET, skill={"default": 0.0}, claims=replace(QUIET.claims, noise=1.0))
    assert judged(noisy, pairs(100)).mean() == pytest.approx(0.5, abs=0.048)  # 3 s.e. of 1,000


def test_uncertain_is_said_within_the_band_and_nowhere_else() -> None:
    instances = pairs(20)
    for width, share in ((0.0, 0.0), (50.0, 1.0)):
        judges = backend(instances, replace(BASE, claims=Claims(uncertain_width=width)))
        said = [read(judges, judging(i, claims_in(i)))["judgments"] for i in instances]
        verdicts = [each["verdict"] for one in said if isinstance(one, list) for each in one]
        assert np.mean([verdict == "uncertain" for verdict in verdicts]) == share


def test_judges_of_one_family_share_errors_that_judges_of_two_families_do_not() -> None:
    spots = ClaimBlindSpots(rate=0.3, size=10.0, common=0.0)
    alone = replace(QUIET, judge_sd=0.1, claims=replace(QUIET.claims, blind_spots=spots))
    large, small, bolt = (judged(alone, pairs(120), model) for model in FAMILIES)
    assert large.mean() == pytest.approx(0.7, abs=0.15)  # whole patterns at once: few independent draws
    assert np.corrcoef(large, small)[0, 1] > 0.9
    assert abs(np.corrcoef(large, bolt)[0, 1]) < 0.35


def test_a_blind_family_is_blind_on_related_claims_of_a_response_together() -> None:
    """With all variance on response and cause, claims of one cause in one response fail as one."""
    spots = ClaimBlindSpots(rate=0.3, size=10.0, common=0.0, pattern=0.0, response=1.0)
    simulation = replace(QUIET, claims=replace(QUIET.claims, blind_spots=spots))
    instances = pairs(40)
    judges = backend(instances, simulation)
    found = iter(judged(simulation, instances))
    fates: dict[tuple[str, int, int], set[bool]] = {}
    for instance in instances:
        for index in (0, 1):
            for claim in claims_in(instance, index):
                cause = fact(judges, instance, index, claim).cause
                fates.setdefault((instance.id, index, cause), set()).add(bool(next(found)))
    assert all(len(fate) == 1 for fate in fates.values())
    assert {True, False} == set().union(*fates.values())


def test_similar_texts_have_the_same_cause_more_often_than_others() -> None:
    base = [f"alpha{n} bravo{n} delta{n}" for n in range(600)]
    changed = [f"alpha{n} bravo{n} gamma{n}" for n in range(600)]
    unlike = [f"sigma{n} omega{n} kappa{n}" for n in range(600)]
    causes = [[cause_of(0, 6, text) for text in texts] for texts in (base, changed, unlike)]
    same = [np.mean([a == b for a, b in zip(causes[0], other, strict=True)]) for other in causes[1:]]
    assert same[0] > 0.4
    assert same[1] == pytest.approx(1 / 6, abs=0.046)  # three standard errors of a share of 600


def test_content_words_are_the_long_ones_and_never_none() -> None:
    assert content_words("The cat chased the mouse, the MOUSE ran") == ("chased", "mouse")
    assert content_words("It is so") == ("it", "is", "so")
    assert content_words("?!") == ("",)


def test_the_first_tag_is_that_of_the_cause_as_often_as_it_should() -> None:
    """accuracy + (1 - accuracy) / 6 of six tags: .833 at .8; a second one, where any differs: .2 * 5 / 6."""
    instances = pairs(100)
    judges = backend(instances)
    names = list(TAGS)
    hits, seconds = [], []
    for instance in instances:
        said = read(judges, judging(instance, claims_in(instance)))["judgments"]
        assert isinstance(said, list)
        for each, claim in zip(said, claims_in(instance), strict=True):
            hits.append(names[fact(judges, instance, 0, claim).cause] in each["tags"])
            seconds.append(len(each["tags"]) == 2)
    # a missed first tag is hit by the second in .2 / 6 of the cases: .833 + .167 * .033 = .839
    assert np.mean(hits) == pytest.approx(0.839, abs=0.05)
    assert np.mean(seconds) == pytest.approx(0.167, abs=0.05)


BLIND = ClaimBlindSpots(rate=1.0, size=2.5)
ALL_BLIND = replace(QUIET, claims=replace(QUIET.claims, blind_spots=BLIND))


def test_looking_again_lifts_a_blind_spot_only_by_its_share() -> None:
    """Evidence t * (clarity - 2.5 * (1 - lift)): all wrong at clarity 1 and lift 0; all right at lift 1."""
    plain = Material(clarity_sd=0.0, lightness=0.0)
    for lift, share in ((0.0, 0.0), (0.5, 0.0), (0.7, 1.0), (1.0, 1.0)):
        simulation = replace(
            ALL_BLIND, claims=replace(ALL_BLIND.claims, material=plain, review=Review(lift=lift))
        )
        found = reviewed(simulation, pairs(10), lambda j, i, x, claim: reviewing(i, claim, index=x))
        assert found.mean() == share


@pytest.mark.parametrize(("logits", "convinced"), [(0.9, False), (1.0, True), (3.0, True)])
def test_a_good_reason_against_lifts_a_blind_spot_and_a_weak_one_does_not(
    logits: float, convinced: bool
) -> None:
    """A conviction of 1.0 is needed; heed 0, so that only the blind spot moves: -1.5 * 1 or -1.5 * 0."""
    rules = Review(lift=0.0, conflict_lift=1.0, heed=0.0)
    plain = Material(clarity_sd=0.0, lightness=0.0)
    simulation = replace(ALL_BLIND, claims=replace(ALL_BLIND.claims, material=plain, review=rules))

    def ask(judges: SimulatedBackend, instance: Instance, index: int, claim: str) -> Request:
        sign = fact(judges, instance, index, claim).sign
        return reviewing(instance, claim, [stating(sign, logits), stating(-sign, 2.0)], index)

    assert reviewed(simulation, pairs(10), ask).mean() == convinced


def test_a_rationale_without_a_figure_counts_one_logit_by_its_verdict() -> None:
    """A real judge's or an echo's rationale: heed 1 of three times one logit's mean outweighs -1."""
    rules = Review(lift=0.0, conviction=50.0, heed=1.0)
    plain = Material(clarity_sd=0.0, lightness=0.0)
    spots = ClaimBlindSpots(rate=1.0, size=1.9)  # evidence t * (1 - 1.9) = -.9 t
    simulation = replace(QUIET, claims=replace(QUIET.claims, material=plain, review=rules, blind_spots=spots))

    def ask(judges: SimulatedBackend, instance: Instance, index: int, claim: str) -> Request:
        told = (right(fact(judges, instance, index, claim).sign), "because it is")
        return reviewing(instance, claim, [told] * 3, index)

    assert reviewed(simulation, pairs(10), ask).all()
    assert not reviewed(simulation, pairs(10), lambda j, i, x, claim: reviewing(i, claim, index=x)).any()


def test_reading_one_claim_alone_lowers_the_noise() -> None:
    noisy = replace(QUIET, claims=replace(QUIET.claims, noise=1.5))
    instances = pairs(100)
    alone = reviewed(noisy, instances, lambda j, i, x, claim: reviewing(i, claim, index=x))
    assert alone.mean() - judged(noisy, instances).mean() > 0.08


@pytest.mark.parametrize(
    ("related", "verdict_right", "accuracy"), [(True, True, 1.0), (True, False, 0.0), (False, True, 0.0)]
)
def test_evidence_lifts_a_blind_spot_where_the_claims_are_related_and_it_is_right(
    related: bool, verdict_right: bool, accuracy: float
) -> None:
    """Evidence t * (1 - 2.5 * (1 -+ .8)): .5 where related and right, -3.5 where wrong, -1.5 unrelated."""
    rules = replace(
        ALL_BLIND.claims,
        material=Material(clarity_sd=0.0, lightness=0.0),
        review=Review(lift=0.0, heed=0.0),
        transfer=Transfer(lift=0.8, distraction=0.0),
    )

    def ask(judges: SimulatedBackend, instance: Instance, index: int, claim: str) -> Request | None:
        this = fact(judges, instance, index, claim)
        others = [(fact(judges, instance, index, c), c) for c in claims_in(instance, index) if c != claim]
        fitting = [(f, c) for f, c in others if (f.cause == this.cause) == related]
        if not fitting:
            return None
        other, text = fitting[0]
        verdict = right(other.sign if verdict_right else -other.sign)
        return reviewing(instance, claim, index=index, evidence=(text, verdict))

    found = reviewed(replace(ALL_BLIND, claims=rules), pairs(20), ask)
    assert len(found) > 50
    assert found.mean() == accuracy


def test_unrelated_evidence_misleads_either_way() -> None:
    """Without blind spots all is right; a lean of spread 4 turns many claims of evidence about 1."""
    distracted = replace(QUIET, claims=replace(QUIET.claims, transfer=Transfer(distraction=4.0)))

    def ask(related: bool) -> Callable[[SimulatedBackend, Instance, int, str], Request | None]:
        def request(judges: SimulatedBackend, instance: Instance, index: int, claim: str) -> Request | None:
            cause = fact(judges, instance, index, claim).cause
            for other in claims_in(instance, index):
                if other != claim and (fact(judges, instance, index, other).cause == cause) == related:
                    return reviewing(instance, claim, index=index, evidence=(other, "accept"))
            return None

        return request

    assert reviewed(distracted, pairs(20), ask(related=True)).all()
    # P(N(0, 4) > 1) = .60 at clarity 1 and skill 1
    assert reviewed(distracted, pairs(60), ask(related=False)).mean() == pytest.approx(0.6, abs=0.1)


def test_unrelated_evidence_draws_attention_from_the_assessments() -> None:
    """Three rationales of 5 logits each turn a blind reviewer where the evidence is related, and else not."""
    rules = replace(
        ALL_BLIND.claims,
        material=Material(clarity_sd=0.0, lightness=0.0),
        review=Review(lift=0.0),
        transfer=Transfer(lift=0.0, distraction=0.0),
    )
    instances = pairs(20)
    for related in (True, False):

        def ask(
            judges: SimulatedBackend, instance: Instance, index: int, claim: str, related: bool = related
        ) -> Request | None:
            this = fact(judges, instance, index, claim)
            for other in claims_in(instance, index):
                if other != claim and (fact(judges, instance, index, other).cause == this.cause) == related:
                    told = [stating(this.sign, 5.0)] * 3
                    return reviewing(instance, claim, told, index=index, evidence=(other, "uncertain"))
            return None

        found = reviewed(replace(ALL_BLIND, claims=rules), instances, ask)
        assert len(found) > 50
        assert found.all() == related
        assert found.any() == related


def test_an_entry_of_the_claims_own_pattern_lifts_blind_spots_and_another_does_not() -> None:
    plain = Material(clarity_sd=0.0, lightness=0.0)
    simulation = replace(
        ALL_BLIND, claims=replace(ALL_BLIND.claims, material=plain, rubric=Guidance(lift=0.8, clutter=0.0))
    )
    instances = pairs(10)
    assert judged(simulation, instances, rubric=own_patterns).all()  # 1 - 2.5 * .2 = .5
    assert not judged(
        simulation, instances, rubric=lambda judges, i, index: ["about it (pattern 000000)"]
    ).any()


def test_entries_of_other_patterns_add_noise() -> None:
    noisy = replace(QUIET, claims=replace(QUIET.claims, noise=0.5, rubric=Guidance(clutter=0.2)))
    instances = pairs(100)
    cluttered = judged(
        noisy, instances, rubric=lambda j, i, x: [f"other (pattern 00000{n})" for n in range(10)]
    )
    assert judged(noisy, instances).mean() - cluttered.mean() > 0.05


def test_a_precedent_of_the_same_cause_lifts_blind_spots_and_another_does_not() -> None:
    rules = replace(
        ALL_BLIND.claims,
        material=Material(clarity_sd=0.0, lightness=0.0),
        review=Review(lift=0.0, heed=0.0),
        transfer=Transfer(lift=0.0, distraction=0.0),
        precedents=Guidance(lift=0.8, clutter=0.0),
    )

    def ask(alike: bool) -> Callable[[SimulatedBackend, Instance, int, str], Request]:
        def request(judges: SimulatedBackend, instance: Instance, index: int, claim: str) -> Request:
            cause = fact(judges, instance, index, claim).cause
            unlike = next(t for t in map(sentence, range(50)) if cause_of(0, 6, t) != cause)
            shown = [claim if alike else unlike]
            return reviewing(instance, claim, index=index, evidence=("x", "accept"), precedents=shown)

        return request

    assert reviewed(replace(ALL_BLIND, claims=rules), pairs(10), ask(alike=True)).all()
    assert not reviewed(replace(ALL_BLIND, claims=rules), pairs(10), ask(alike=False)).any()


def test_a_right_and_reasoned_correction_names_the_claims_pattern_and_others_a_pattern_of_none() -> None:
    instances = pairs(10)
    judges = backend(instances)
    patterns = {f.pattern for i in instances for f in (fact(judges, i, 0, c) for c in claims_in(i))}
    for instance in instances:
        for claim in claims_in(instance):
            this = fact(judges, instance, 0, claim)
            verdict = right(this.sign)
            reasoned, hollow, wrong = (
                str(read(judges, inducing(instance, claim, after, why))["criterion"])
                for after, why in (
                    (verdict, stating(this.sign, 1.5)[1]),
                    (verdict, stating(this.sign, 0.5)[1]),
                    (right(-this.sign), stating(-this.sign, 1.5)[1]),
                )
            )
            assert f"(pattern {this.pattern})" in reasoned
            assert hollow == wrong
            assert not any(f"pattern {pattern}" in wrong for pattern in patterns)


def test_an_entry_names_the_dimension_that_the_prompt_shows() -> None:
    instance = pairs(1)[0]
    said = read(backend([instance]), inducing(instance, claims_in(instance)[0], "accept"))
    assert said["dimension"] == "dimension_c"
    assert str(said["criterion"]).startswith("[simulated] dimension_c: ")
    assert said["positive_example"] == f"[simulated] accept: {claims_in(instance)[0]}"
    assert said["negative_example"] == f"[simulated] reject: {claims_in(instance)[0]}"


def test_with_and_without_a_rubric_judges_are_compared_on_the_same_noise() -> None:
    """Entries that neither lift nor clutter change no verdict."""
    inert = replace(BASE, claims=Claims(rubric=Guidance(lift=0.0, clutter=0.0)))
    without = judged(inert, pairs(20))
    assert (judged(inert, pairs(20), rubric=own_patterns) == without).all()
