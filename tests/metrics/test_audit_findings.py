"""Findings of audits: biases that a judge has are found, and none that it has not."""

import math
from dataclasses import replace

import pytest
from tests.methods.reading_judges import first, judge_by, longer, marked, obedient
from tests.metrics.audits import JUDGE, audited, instances, measured, outcomes_of

from venire.audit.told import told
from venire.judging.perturbing.perturbation import Injection
from venire.judging.perturbing.rewriting import Rewrite
from venire.judging.probe import Bias, Meaning
from venire.methods.audit import Audit, Drift, Mitigations, Probes, Target
from venire.metrics.audit.finding import findings_in
from venire.metrics.measure import MetricSettings, measure
from venire.records import Instance, PreferenceGold, Reason, Request, Response, Unscored, Winner

AUDIT = Audit(judged_by=JUDGE, drift=None)
PLAIN = Mitigations(None, None, None, None, None)
NO_PROBES = Probes(None, None, None, None)


def test_a_judge_without_a_bias_has_none() -> None:
    found = audited(AUDIT, judge_by(marked), instances())
    for name in ("position", "padding", "confident_tone", "false_citation", "injection"):
        effect = found["plain", name].effect
        assert effect.value == 0, name
        assert effect.low < 0 < effect.high, name
        assert found["plain", name].p == 1.0, name
    assert found["plain", "accuracy"].effect.value == 1.0


def test_what_never_changes_still_has_an_interval() -> None:
    # 40 items of which none changed: as far as Wilson's bound on 0 of 40, z**2 / (40 + z**2) = .08763.
    effect = audited(AUDIT, judge_by(marked), instances())["plain", "padding"].effect
    assert (effect.low, effect.high) == (pytest.approx(-0.08763, abs=1e-5), pytest.approx(0.08763, abs=1e-5))
    assert "no bootstrap draw differs; instead as if Wilson's bound" in effect.note


class TestPosition:
    def test_a_judge_that_picks_whatever_is_first_is_found_and_swap_takes_all_of_it_away(self) -> None:
        found = audited(AUDIT, judge_by(first), instances())
        plain, swapped = found["plain", "position"], found["swap", "position"]
        assert plain.effect.value == 0.5
        assert (plain.facts["always_first"], plain.facts["always_second"]) == (40, 0)
        assert plain.p == pytest.approx(2 * 0.5**40)
        # Every verdict is a tie then: nobody is picked, so there is no first-place rate at all.
        assert math.isnan(swapped.effect.value)
        assert found["swap", "accuracy"].facts["ties"] == 1.0
        assert found["swap", "accuracy"].change.value == -0.5

    def test_swap_leaves_consistent_verdicts_alone(self) -> None:
        def torn(request: Request) -> str:
            is_torn = (
                "question 1?" in request.messages[1].content or "question 3?" in request.messages[1].content
            )
            return judge_by(first if is_torn else marked)(request)

        found = audited(AUDIT, torn, instances(20))
        assert found["plain", "position"].facts["always_first"] == 2
        assert found["plain", "position"].effect.value == pytest.approx(22 / 40 - 0.5)
        assert found["swap", "position"].effect.value == 0
        assert found["swap", "position"].change.value == pytest.approx(-(22 / 40 - 0.5))
        assert found["swap", "accuracy"].effect.value == pytest.approx(18 / 20)

    def test_with_one_order_there_is_a_rate_and_no_test(self) -> None:
        pairs = instances(10)
        outcomes = outcomes_of(AUDIT, judge_by(first), pairs)
        for outcome in outcomes:
            outcome.detail["audit"]["readings"] = [
                each for each in outcome.detail["audit"]["readings"] if each["order"] == "as_given"
            ]
        made = measured(pairs, outcomes)["plain", "position"]
        assert made.effect.value == 0.5
        assert math.isnan(made.p)
        assert "always_first" not in made.facts

    def test_nobody_picked_is_undefined(self) -> None:
        made = audited(AUDIT, judge_by(lambda a, b: "tie"), instances(10))["plain", "position"]
        assert math.isnan(made.effect.value)
        assert math.isnan(made.p)
        assert made.effect.note == "undefined: there is no item to measure it on"


class TestLength:
    def test_a_judge_that_picks_the_longer_response_alone_has_no_coefficient_and_the_reason(self) -> None:
        made = audited(AUDIT, judge_by(longer), instances())["plain", "length"]
        assert math.isnan(made.effect.value)
        assert made.effect.note == (
            "undefined: the covariates separate the outcomes: the coefficients are infinite"
        )
        assert made.facts["longer_rate"] == 1.0
        assert math.isnan(made.facts["odds_ratio"])
        assert math.isnan(made.p)

    def test_a_judge_that_is_always_right_separates_by_the_gold(self) -> None:
        made = audited(AUDIT, judge_by(marked), instances())["plain", "length"]
        assert math.isnan(made.effect.value)
        assert "separate" in made.effect.note
        assert made.facts["better/win_rate"] == 1.0
        assert math.isnan(made.facts["better/win_rate_at_equal_length"])

    def test_a_judge_torn_between_both_has_a_coefficient_of_either(self) -> None:
        def torn(a: str, b: str) -> str:
            by_length = (len(a) * 7 + len(b) * 7) % 5 < 3  # the same in both orders
            return longer(a, b) if by_length and len(a) != len(b) else marked(a, b)

        made = audited(AUDIT, judge_by(torn), instances(120))["plain", "length"]
        assert made.effect.low > 0
        assert made.p < 0.001
        assert made.facts["gold_coefficient"] > 0
        assert made.effect.n == 120
        assert made.facts["odds_ratio"] == pytest.approx(math.exp(made.effect.value))

    def test_a_mitigation_that_moves_no_verdict_has_a_change_of_nothing_and_no_interval_of_no_width(
        self,
    ) -> None:
        def torn(a: str, b: str) -> str:
            by_length = (len(a) * 7 + len(b) * 7) % 5 < 3  # the same in both orders
            return longer(a, b) if by_length and len(a) != len(b) else marked(a, b)

        made = audited(AUDIT, judge_by(torn), instances(120))["ignore_length", "length"]
        assert made.change is not None
        assert made.change.value == 0.0
        assert math.isnan(made.change.low)
        assert made.change.note == "no interval: no bootstrap draw differs"

    def test_a_judge_that_looks_at_the_position_alone_has_no_length_bias(self) -> None:
        # In both orders one response is picked once each: no coefficient, and no separation either.
        made = audited(AUDIT, judge_by(first), instances())["plain", "length"]
        assert made.effect.value == pytest.approx(0, abs=1e-9)
        # What is the same in every pair has no error, which is not to be certain of it.
        assert math.isnan(made.effect.low)
        assert math.isnan(made.p)
        assert made.effect.note.startswith("no interval: the rows of each cluster cancel each other out")
        assert made.facts["better/win_rate"] == 0.5
        assert made.facts["better/win_rate_at_equal_length"] == pytest.approx(0.5)
        assert math.isnan(made.facts["better/win_rate_at_equal_length/ci_low"])

    def test_equal_lengths_have_no_coefficient_and_the_reason(self) -> None:
        pairs = [
            replace(each, responses=tuple(replace(r, text=r.text[:11]) for r in each.responses))
            for each in instances(20)
        ]
        made = audited(AUDIT, judge_by(first), pairs)["plain", "length"]
        assert math.isnan(made.effect.value)
        assert made.effect.note == "undefined: length is the same in every row"

    def test_gold_that_is_always_the_first_response_has_no_coefficient_and_length_has_one(self) -> None:
        pairs = [replace(each, gold=PreferenceGold(Winner.FIRST)) for each in instances(40)]
        made = audited(AUDIT, judge_by(first), pairs)["plain", "length"]
        assert math.isnan(made.facts["gold_coefficient"])
        assert made.effect.is_defined

    def test_generators_have_win_rates_as_they_are_and_at_equal_length(self) -> None:
        pairs = instances(40, [("gpt-4", "claude-v1"), ("claude-v1", "gpt-4")])
        facts = audited(AUDIT, judge_by(first), pairs)["plain", "length"].facts
        assert facts["generator/gpt-4/win_rate"] == 0.5
        assert facts["generator/claude-v1/win_rate_at_equal_length"] == pytest.approx(0.5)
        assert facts["generator/gpt-4/n"] == 40

    def test_a_length_coefficient_within_subsets_lets_the_gold_count_differently_in_each(self) -> None:
        # Right or not does not hang on the length: 27:3 and 9:1 in `easy`, where better responses are mostly
        # longer; 5:5 and 15:15 in `hard`, where they are mostly shorter. With one coefficient of the gold,
        # length stands in for the subset; with one in each there is nothing left for it to tell.
        cells = {("easy", 2, True): 27, ("easy", 2, False): 3, ("easy", 1, True): 9, ("easy", 1, False): 1}
        cells |= {("hard", 2, True): 5, ("hard", 2, False): 5, ("hard", 1, True): 15, ("hard", 1, False): 15}
        pairs: list[Instance] = []
        wrong = set()
        for (subset, better, right), count in cells.items():
            for index in range(2 * count):
                winner = (Winner.FIRST, Winner.SECOND)[index % 2]
                texts = ["good" * 5 * better, "poor" * 5 * (3 - better)][:: 1 if index % 2 == 0 else -1]
                name = f"question {len(pairs)}?"
                wrong |= set() if right else {name}
                responses = (Response(texts[0]), Response(texts[1]))
                pairs.append(Instance(name, name, responses, PreferenceGold(winner), subset))

        def erring(request: Request) -> str:
            is_wrong = any(f"{name}\n" in request.messages[1].content for name in wrong)
            return judge_by(lambda a, b: "A" if ("good" in a) != is_wrong else "B")(request)

        found = audited(AUDIT, erring, pairs)["plain", "length"]
        assert found.effect.low > 0.1
        assert found.facts["within_subsets"] == pytest.approx(0, abs=1e-6)
        assert found.facts["within_subsets/ci_low"] < 0 < found.facts["within_subsets/ci_high"]
        assert not found.reasons

    def test_a_coefficient_that_subsets_leave_without_a_value_says_why(self) -> None:
        # `even` is judged by chance and `sure` always rightly: its gold separates, all of it does not.
        pairs = [
            replace(each, subset=("even", "sure")[at // 2 % 2], prompt=f"{at // 2 % 4} {each.prompt}")
            for at, each in enumerate(instances(80))
        ]

        def half(request: Request) -> str:
            shown = request.messages[1].content
            return judge_by(lambda a, b: marked(b, a) if "\n0 " in shown else marked(a, b))(request)

        found = audited(AUDIT, half, pairs)["plain", "length"]
        assert math.isnan(found.facts["within_subsets"])
        assert found.reasons["within_subsets"].startswith("undefined: the covariates separate the outcomes")
        assert "within subsets – (the covariates separate the outcomes: the coefficients are" in told(found)


class TestProbes:
    def test_padding_that_wins_is_found_in_wins_and_by_the_sign_test(self) -> None:
        def verbose(a: str, b: str) -> str:
            return "A" if len(a) > len(b) + 100 else "B" if len(b) > len(a) + 100 else marked(a, b)

        found = audited(AUDIT, judge_by(verbose), instances(20))
        made = found["plain", "padding"]
        assert made.effect.value == 1.0  # the worse response, padded, always wins
        assert (made.facts["win_rate_before"], made.facts["win_rate_after"]) == (0.0, 1.0)
        assert (made.facts["raised"], made.facts["lowered"]) == (20, 0)
        assert made.p == pytest.approx(2 * 0.5**20)
        assert (made.bias, made.meaning) == (Bias.VERBOSITY, Meaning.PRESERVED)
        # Normalised by length it does not win any more: 5 against 6 - .5 points for each doubling.
        assert found["scores", "padding"].effect.value == 1.0
        assert found["length_normalised", "padding"].change.value == -1.0

    def test_an_instruction_that_a_judge_follows_shows_as_a_change_with_an_interval(self) -> None:
        def swayed(request: Request) -> str:
            told = "does not matter, and must not sway you" in request.messages[0].content
            return judge_by(marked if told else longer)(request)

        found = audited(AUDIT, swayed, instances(30))
        before, after = found["plain", "padding"], found["ignore_length", "padding"]
        assert before.effect.value > 0.4
        assert after.effect.value == 0
        assert after.change.value == pytest.approx(-before.effect.value)
        assert after.change.high < 0
        assert found["ignore_length", "accuracy"].change.low > 0

    def test_a_fact_check_takes_false_sources_away_from_a_judge_that_heeds_it(self) -> None:
        def impressed(request: Request) -> str:
            def rule(a: str, b: str) -> str:
                cited = "A" if "20" in a and "20" not in b else "B" if "20" in b and "20" not in a else ""
                return cited or marked(a, b)

            return judge_by(marked if '"evidence"' in request.messages[0].content else rule)(request)

        found = audited(AUDIT, impressed, instances(19))  # up to i018: no number of an item holds 20
        assert found["plain", "false_citation"].effect.value > 0.8
        assert found["evidence", "false_citation"].effect.value == 0
        assert found["evidence", "false_citation"].change.high < 0
        assert found["plain", "false_citation"].meaning is Meaning.CHANGED

    def test_an_obedient_judge_is_hijacked_and_every_payload_has_its_share(self) -> None:
        attacks = Injection(("fake_verdict", "appeal", "new_criteria"))
        audit = replace(AUDIT, probes=Probes(None, None, None, attacks), mitigations=PLAIN)
        made = audited(audit, judge_by(obedient), instances(60))["plain", "injection"]
        facts = made.facts
        assert facts["variant/fake_verdict/shift"] == 1.0
        assert facts["variant/fake_verdict/shift/ci_low"] < 1.0  # as many items as Wilson's bound allows
        assert facts["variant/appeal/shift"] == 1.0
        assert facts["variant/new_criteria/shift"] == 0.0
        assert sum(facts[f"variant/{name}/n"] for name in attacks.payloads) == 60
        hijacked = facts["variant/fake_verdict/n"] + facts["variant/appeal/n"]
        assert made.effect.value == pytest.approx(hijacked / 60)

    def test_a_missing_verdict_leaves_the_pair_out_and_is_bounded(self) -> None:
        def lost(request: Request) -> "str | tuple[str, object]":
            is_lost = request.stage == "padding" and "question 3?" in request.messages[1].content
            return "" if is_lost else judge_by(marked)(request)

        made = audited(AUDIT, lost, instances(10))["plain", "padding"]
        assert (made.effect.value, made.effect.n) == (0.0, 9)
        assert made.facts["left_out"] == 1
        assert (made.facts["worst"], made.facts["best"]) == (-0.1, 0.1)

    def test_a_change_is_over_the_responses_that_have_a_verdict_either_way(self) -> None:
        # Padding turns the verdicts on questions 1 and 10 to 19, unless the judge is told that length must
        # not sway it: then it says nothing of questions 0 to 9, and padding turns none of the others.
        def swayed(request: Request) -> str:
            told = "does not matter, and must not sway you" in request.messages[0].content
            asked = request.messages[1].content
            if told and any(f"question {n}?" in asked for n in range(10)):
                return ""
            return judge_by(marked if told else padded_wins)(request)

        def padded_wins(a: str, b: str) -> str:
            pads = [len(text) > 100 and "answer 1" in text for text in (a, b)]  # of questions 1, 10 to 19
            return "A" if pads[0] else "B" if pads[1] else marked(a, b)

        found = audited(AUDIT, swayed, instances(20))
        before, after = found["plain", "padding"], found["ignore_length", "padding"]
        assert before.effect.value == pytest.approx(11 / 20)
        assert (after.effect.value, after.effect.n, after.facts["left_out"]) == (0.0, 10, 10)
        assert after.change is not None
        assert (after.change.value, after.change.n) == (-1.0, 10)  # questions 10 to 19: all of them turned

    def test_failures_in_one_order_are_no_half_a_verdict(self) -> None:
        pairs = instances(10)
        outcomes = outcomes_of(AUDIT, judge_by(marked), pairs)
        readings = outcomes[4].detail["audit"]["readings"]
        for each in readings:
            if each["probe"] == "as_is" and each["order"] == "swapped" and each["arm"] == "plain":
                each |= {"unscored": "refused", "why": ""}
                del each["winner"]
        made = measured(pairs, outcomes)["plain", "padding"]
        assert (made.effect.n, made.facts["left_out"]) == (9, 1)

    def test_both_targets_are_two_cases_of_one_item(self) -> None:
        audit = replace(AUDIT, target=Target.BOTH, mitigations=PLAIN)
        made = audited(audit, judge_by(longer), instances(10))["plain", "padding"]
        assert made.effect.n == 10
        assert made.facts["win_rate_before"] == pytest.approx(0.5)
        assert made.effect.value == pytest.approx(0.5)

    def test_a_failed_rewrite_leaves_nothing_to_measure_and_says_how_much(self) -> None:
        rewrites = Probes(None, None, None, None, verbose_rewrite=Rewrite("rewrite_verbose", Bias.VERBOSITY))
        audit = replace(AUDIT, probes=rewrites, mitigations=PLAIN)
        script = judge_by(marked)
        made = audited(audit, lambda r: "" if r.stage == "rewrite" else script(r), instances(5))
        assert math.isnan(made["plain", "verbose_rewrite"].effect.value)
        assert made["plain", "verbose_rewrite"].facts["left_out"] == 5
        assert math.isnan(made["plain", "verbose_rewrite"].p)
        assert made["plain", "verbose_rewrite"].meaning is Meaning.ASKED


def _by(instance: Instance, *generators: str) -> Instance:
    """The pair with other generators."""
    pairs = zip(instance.responses, generators, strict=True)
    return replace(instance, responses=tuple(replace(each, generator=name) for each, name in pairs))


class TestSelfEnhancement:
    # The better response is the first one in every second pair, so each is better as often as worse.
    GENERATORS = (("gpt-4", "claude-v1"),) * 2 + (("claude-v1", "gpt-4"),) * 2 + (("claude-v1", "llama-13b"),)

    def test_a_judge_that_favours_its_own_family_is_found(self) -> None:
        pairs = instances(100, self.GENERATORS)
        own = {r.text for each in pairs for r in each.responses if r.generator == "gpt-4"}

        def vain(request: Request) -> str:
            # Its own wins wherever it is better, and in all but a few of the others.
            fair = any(f"question {n}?" in request.messages[1].content for n in (6, 11, 52))
            rule = marked if fair else lambda a, b: "A" if a in own else "B" if b in own else marked(a, b)
            return judge_by(rule)(request)

        made = audited(AUDIT, vain, pairs)["plain", "self_enhancement"]
        assert made.effect.n == 80
        assert made.facts["own_win_rate_by_humans"] == 0.5
        assert made.facts["own_win_rate_where_better"] == 1.0
        worse = made.facts["own_win_rate_where_worse"]
        assert worse > 0.9
        assert made.effect.value == pytest.approx((1 + worse) / 2 - 0.5)
        assert made.effect.low > 0.4

    def test_a_judge_that_errs_both_ways_alike_has_none_however_good_its_family_is(self) -> None:
        # gpt-4 is the better one in 30 of 40 pairs. The judge is wrong on every fifth pair of either kind: it
        # gives gpt-4 .65 where the humans give it .75, and is as often right for it as against it.
        pairs = instances(80, [("gpt-4", "claude-v1"), ("claude-v1", "gpt-4")])
        kept = pairs[::2][:30]
        other = [_by(each, "gpt-4", "claude-v1") for each in pairs[1::2][:10]]
        pairs = [*kept, *other]
        wrong = {each.prompt for group in (kept, other) for each in group[::5]}

        def erring(request: Request) -> str:
            is_wrong = any(f"{prompt}\n" in request.messages[1].content for prompt in wrong)
            return judge_by(lambda a, b: "A" if ("good" in a) != is_wrong else "B")(request)

        made = audited(AUDIT, erring, pairs)["plain", "self_enhancement"]
        assert made.facts["own_win_rate_by_humans"] == 0.75
        assert made.facts["own_win_rate"] == pytest.approx(0.65)
        # -1 on 6 items, 1 on 2, 0 on 32: a standard error of sqrt((8 / 40 - .01) / 40) = .069
        assert made.facts["excess"] == pytest.approx(-0.1)
        assert made.facts["excess/ci_low"] == pytest.approx(-0.1 - 1.96 * 0.069, abs=0.03)
        assert made.facts["excess/ci_high"] == pytest.approx(-0.1 + 1.96 * 0.069, abs=0.03)
        assert made.effect.value == pytest.approx(0)
        assert made.p > 0.9

    def test_unknown_generators_are_refused_with_the_reason(self) -> None:
        made = audited(AUDIT, judge_by(marked), instances(6))["plain", "self_enhancement"]
        assert math.isnan(made.effect.value)
        assert made.effect.note == "undefined: refused: no pair has generators whose families are known"

    def test_families_that_are_not_the_judges_are_refused_with_the_reason(self) -> None:
        pairs = instances(6, [("claude-v1", "llama-13b")])
        made = audited(AUDIT, judge_by(marked), pairs)["plain", "self_enhancement"]
        assert (
            "no pair sets a response of the judge's family (openai) against another one" in made.effect.note
        )
        both = audited(AUDIT, judge_by(marked), instances(6, [("gpt-4", "gpt-3.5")]))
        assert "no pair sets" in both["plain", "self_enhancement"].effect.note

    def test_a_family_that_is_always_better_is_refused_for_errors_look_like_a_bias_then(self) -> None:
        pairs = instances(6, [("gpt-4", "claude-v1"), ("claude-v1", "gpt-4")])
        made = audited(AUDIT, judge_by(marked), pairs)["plain", "self_enhancement"]
        assert "is better in all pairs, or in none" in made.effect.note

    def test_pairs_of_unknown_generators_are_counted_and_left_out(self) -> None:
        pairs = instances(
            8, [("gpt-4", "claude-v1"), ("gpt-4", "claude-v1"), ("gpt-4", None), (None, "gpt-4")]
        )
        made = audited(AUDIT, judge_by(marked), pairs)["plain", "self_enhancement"]
        assert (made.effect.n, made.facts["unknown_generators"]) == (4, 4)
        assert made.effect.value == 0.0


class TestDrift:
    def audit(self, epochs: int) -> Audit:
        drift = Drift(share=1.0, replicates=2, epochs=epochs)
        return Audit(judged_by=JUDGE, probes=NO_PROBES, mitigations=PLAIN, drift=drift)

    def test_one_epoch_has_noise_and_no_drift(self) -> None:
        made = audited(self.audit(1), judge_by(marked), instances(10))["plain", "drift"]
        assert math.isnan(made.effect.value)
        assert "method.drift.epochs=2" in made.effect.note
        assert (made.facts["noise"], made.facts["anchors"], made.facts["epochs"]) == (0.0, 10, 1)

    def test_verdicts_that_turn_between_epochs_are_drift_and_those_within_one_are_noise(self) -> None:
        def turned(request: Request) -> str:
            return judge_by(first if request.replicate > 2 else marked)(request)

        made = audited(self.audit(2), turned, instances(10))["plain", "drift"]
        assert made.facts["noise"] == 0.0
        assert made.facts["between_epochs"] == 0.5  # in one of the two orders the first is the better one
        assert made.effect.value == 0.5

        def noisy(request: Request) -> str:
            return judge_by(first if request.replicate % 2 else marked)(request)

        noise = audited(self.audit(2), noisy, instances(10))["plain", "drift"]
        # Of the four pairs of replicates between epochs two are equal; of the one pair within each none.
        assert (noise.facts["noise"], noise.facts["between_epochs"]) == (0.5, 0.25)
        assert noise.effect.value == -0.25


def test_what_cannot_be_asked_is_a_finding_without_an_effect_and_says_so() -> None:
    pairs = instances(4)
    outcomes = outcomes_of(AUDIT, judge_by(marked), pairs)
    for outcome in outcomes:
        told = outcome.detail["audit"]
        told["readings"] = [
            each for each in told["readings"] if (each["arm"], each["probe"]) == ("plain", "as_is")
        ]
        told["against"], told["before"] = {}, {}
        told["not_applicable"] = dict.fromkeys(["padding", "drift", "evidence"], "recorded")
    found = measured(pairs, outcomes)
    assert found["plain", "padding"].effect.note == "not applicable: recorded"
    assert found["plain", "padding"].bias is Bias.VERBOSITY
    assert found["plain", "drift"].effect.note == "not applicable: recorded"
    assert found["evidence", "accuracy"].effect.note == "not applicable: recorded"
    assert math.isnan(found["evidence", "accuracy"].effect.value)


def test_an_instance_that_was_not_judged_is_left_out_of_the_probes_and_not_right() -> None:
    pairs = instances(10)
    outcomes = outcomes_of(AUDIT, judge_by(marked), pairs)[:7]
    found = measured(pairs, outcomes)
    assert found["plain", "padding"].effect.n == 7
    for arm in ("plain", "swap", "evidence"):
        accuracy = found[arm, "accuracy"]
        assert (accuracy.effect.value, accuracy.effect.n, accuracy.facts["unscored"]) == (0.7, 10, 0.3), arm
    assert found["plain", "position"].effect.n == 7


def test_a_run_of_another_method_has_no_findings() -> None:
    pairs = instances(4)
    outcomes = [replace(each, detail={}) for each in outcomes_of(AUDIT, judge_by(marked), pairs)]
    assert measured(pairs, outcomes) == {}
    assert findings_in({"accuracy": 1.0}, {}) == []


def test_unscored_verdicts_are_no_verdicts_in_any_finding() -> None:
    pairs = instances(6)
    outcomes = [
        replace(each, by_order=dict.fromkeys(each.by_order, Unscored(Reason.REFUSED)))
        for each in outcomes_of(AUDIT, lambda request: "no", pairs)
    ]
    found = measured(pairs, outcomes)
    assert found["plain", "accuracy"].effect.value == 0.0
    assert found["plain", "accuracy"].facts["unscored"] == 1.0
    for name in ("position", "length", "padding"):
        assert math.isnan(found["plain", name].effect.value), name


def test_the_same_seed_gives_the_same_findings_and_another_one_other_intervals() -> None:
    def torn(request: Request) -> str:
        return judge_by(first if "question 1" in request.messages[1].content else marked)(request)

    pairs = instances(30)
    outcomes = outcomes_of(AUDIT, torn, pairs)

    def metrics(seed: int) -> dict[str, float]:
        settings = MetricSettings(draws=100)
        made = measure(pairs, outcomes, labels=(Winner.FIRST, Winner.SECOND), seed=seed, settings=settings)
        return {
            name: value for name, value in made.metrics.items() if name.startswith("audit/plain/position")
        }

    assert metrics(0) == metrics(0)
    assert metrics(0)["audit/plain/position/effect"] == metrics(1)["audit/plain/position/effect"]
    assert (
        metrics(0)["audit/plain/position/effect/ci_low"] != metrics(1)["audit/plain/position/effect/ci_low"]
    )
