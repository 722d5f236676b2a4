"""`method=audit`: what is asked, what is read, and what of it cannot be asked of whom."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.judging.recordings import PAIR as RECORDED
from tests.judging.recordings import PlainLLM, both, said, written
from tests.judging.scripted import ScriptedLLM
from tests.methods.reading_judges import judge_by, longer, marked, shown

from venire.errors import ConfigError, DataError
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.panel import Panel
from venire.judging.perturbing.perturbation import Injection, Padding
from venire.judging.perturbing.rewriting import Rewrite
from venire.judging.probe import Bias, Reading
from venire.llm.recorded import RecordedBackend
from venire.methods.audit import Audit, Drift, Mitigations, Probes, Target
from venire.methods.pairwise import Pairwise
from venire.records import (
    FinishReason,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Request,
    Response,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=0)
NO_PROBES = Probes(None, None, None, None)
PLAIN = Mitigations(None, None, None, None, None)


def pair(winner: Winner = Winner.FIRST, generators: Sequence[str | None] = (None, None)) -> Instance:
    texts = ("A good answer.", "Another answer.")
    responses = tuple(Response(text, generator=name) for text, name in zip(texts, generators, strict=True))
    return Instance("set/1", "Name a prime.", responses, PreferenceGold(winner))


def judged(
    audit: Audit, script: Callable[[Request], object], instance: Instance | None = None
) -> tuple[Outcome, ScriptedLLM]:
    llm = ScriptedLLM(script)
    return asyncio.run(audit.judge(instance or pair(), None, llm)), llm


def readings(outcome: Outcome) -> list[Reading]:
    """As they come back from the outcomes file."""
    detail = json.loads(json.dumps(outcome.detail))
    return [Reading.from_json(each) for each in detail["audit"]["readings"]]


def test_the_plain_verdicts_are_those_of_a_pairwise_run_call_for_call() -> None:
    outcome, llm = judged(Audit(judged_by=JUDGE, drift=None), judge_by(longer))
    plain = Pairwise(JUDGE, prompt="pairwise_vanilla")
    alone = ScriptedLLM(judge_by(longer))
    other = asyncio.run(plain.judge(pair(), None, alone))
    assert (outcome.prediction, outcome.by_order) == (other.prediction, other.by_order)
    assert [vote.prediction for vote in outcome.votes] == [vote.prediction for vote in other.votes]
    assert {request.messages for request in alone.requests} <= {request.messages for request in llm.requests}
    for fact in ("orders", "position_consistent"):
        assert outcome.detail[fact] == other.detail[fact]


def test_every_probe_and_mitigation_is_asked_in_both_orders_and_every_call_is_kept() -> None:
    outcome, llm = judged(Audit(judged_by=JUDGE, drift=None), judge_by(marked))
    asked = Counter((reading.arm, reading.probe) for reading in readings(outcome))
    assert asked == dict.fromkeys(
        [
            ("plain", "as_is"),
            ("plain", "padding"),
            ("plain", "confident_tone"),
            ("plain", "false_citation"),
            ("plain", "injection"),
            ("ignore_length", "as_is"),
            ("ignore_length", "padding"),
            ("penalise_padding", "as_is"),
            ("penalise_padding", "padding"),
            ("scores", "as_is"),
            ("scores", "padding"),
            ("length_normalised", "as_is"),
            ("length_normalised", "padding"),
            ("evidence", "as_is"),
            ("evidence", "confident_tone"),
            ("evidence", "false_citation"),
        ],
        2,
    )
    # Scores serve two arms with one call; evidence is preceded by a check of either response.
    assert Counter(request.stage for request in llm.requests) == {
        "judge": 2,
        "padding": 2,
        "confident_tone": 2,
        "false_citation": 2,
        "injection": 2,
        "ignore_length": 4,
        "penalise_padding": 4,
        "length_normalised": 4,
        "evidence": 6,
        "fact_check": 12,
    }
    assert len(outcome.calls) == len(llm.requests)


def test_a_probe_changes_the_worse_response_and_leaves_the_other_as_it_is() -> None:
    audit = Audit(judged_by=JUDGE, probes=Probes(Padding(), None, None, None), mitigations=PLAIN, drift=None)
    for winner, target, kept in ((Winner.FIRST, 1, "A good answer."), (Winner.SECOND, 0, "Another answer.")):
        outcome, llm = judged(audit, judge_by(marked), pair(winner))
        padded = [request for request in llm.requests if request.stage == "padding"]
        assert all(kept in shown(request).values() for request in padded)
        assert {reading.target for reading in readings(outcome) if reading.probe == "padding"} == {target}


def test_targets_are_the_worse_both_or_one_by_seed_and_never_by_verdict() -> None:
    assert Target.WORSE.of(pair(Winner.FIRST), 0) == (1,)
    assert Target.BOTH.of(pair(Winner.FIRST), 0) == (0, 1)
    tied = [
        Target.WORSE.of(Instance(f"i{n}", "p", pair().responses, PreferenceGold(Winner.TIE)), 0)
        for n in range(40)
    ]
    assert tied == [Target.SEEDED.of(Instance(f"i{n}", "p", pair().responses), 0) for n in range(40)]
    assert {target for (target,) in tied} == {0, 1}
    assert tied != [Target.SEEDED.of(Instance(f"i{n}", "p", pair().responses), 1) for n in range(40)]


def test_a_payload_names_the_slot_in_which_its_response_is_shown() -> None:
    audit = Audit(
        judged_by=JUDGE,
        probes=Probes(None, None, None, Injection(("fake_verdict",))),
        mitigations=PLAIN,
        drift=None,
    )
    outcome, llm = judged(audit, judge_by(marked))
    attacks = [shown(request) for request in llm.requests if request.stage == "injection"]
    for texts in attacks:
        (slot,) = [slot for slot, text in texts.items() if "winner" in text]
        assert f'"winner": "{slot}"' in texts[slot]
        assert texts[slot].startswith("Another answer.")
    assert {reading.variant for reading in readings(outcome) if reading.probe == "injection"} == {
        "fake_verdict"
    }


def test_a_rewrite_costs_one_call_and_serves_both_orders_and_every_arm() -> None:
    rewrites = Probes(None, None, None, None, verbose_rewrite=Rewrite("rewrite_verbose", Bias.VERBOSITY))
    outcome, llm = judged(Audit(judged_by=JUDGE, probes=rewrites, drift=None), judge_by(longer))
    assert Counter(request.stage for request in llm.requests)["rewrite"] == 1
    probed = {reading.arm for reading in readings(outcome) if reading.probe == "verbose_rewrite"}
    assert probed == {"plain", "ignore_length", "penalise_padding", "scores", "length_normalised"}
    told = [shown(request) for request in llm.requests if request.stage == "verbose_rewrite"]
    assert all("Another answer. and so on, and so on, and so on" in texts.values() for texts in told)


def test_a_failed_rewrite_is_a_reading_without_a_verdict() -> None:
    rewrites = Probes(None, None, None, None, verbose_rewrite=Rewrite("rewrite_verbose", Bias.VERBOSITY))
    script = judge_by(longer)
    outcome, _ = judged(
        Audit(judged_by=JUDGE, probes=rewrites, mitigations=PLAIN, drift=None),
        lambda request: ("", FinishReason.REFUSED) if request.stage == "rewrite" else script(request),
    )
    probed = [reading for reading in readings(outcome) if reading.probe == "verbose_rewrite"]
    assert [reading.prediction for reading in probed] == [Unscored(Reason.REFUSED)] * 2


def test_another_rewriter_is_one_of_the_judges_only_where_something_is_rewritten() -> None:
    writer = PromptedJudge("writer", "some/model", "other")
    rewrites = Probes(None, None, None, None, confident_rewrite=Rewrite("rewrite_confident", Bias.AUTHORITY))
    assert Audit(judged_by=JUDGE, rewriter=writer).judges == (JUDGE,)
    assert Audit(judged_by=JUDGE, rewriter=writer, probes=rewrites).judges == (JUDGE, writer)
    with pytest.raises(ConfigError, match=r"^rewriter: expected a judge that reads prompts"):
        Audit(judged_by=JUDGE, rewriter=RecordedJudge("GPT-4", "CoT"), probes=rewrites)


def test_an_anchor_is_one_by_its_id_alone_and_its_replicates_are_calls_of_their_own() -> None:
    drift = Drift(share=1.0, replicates=2, epochs=2)
    outcome, llm = judged(
        Audit(judged_by=JUDGE, probes=NO_PROBES, mitigations=PLAIN, drift=drift), judge_by(marked)
    )
    again = [request.replicate for request in llm.requests if request.stage == "drift"]
    assert sorted(again) == [1, 1, 2, 2, 3, 3, 4, 4]
    found = [reading for reading in readings(outcome) if reading.probe == "drift"]
    assert sorted((reading.replicate, reading.order) for reading in found) == [
        (number, order) for number in (1, 2, 3, 4) for order in (Order.AS_GIVEN, Order.SWAPPED)
    ]
    few = Drift(share=0.1)
    anchors = [few.is_anchor(f"i{n}") for n in range(2000)]
    assert 150 < sum(anchors) < 250
    assert [Drift(share=0.1, epochs=3).is_anchor(f"i{n}") for n in range(2000)] == anchors
    assert all(Drift(share=0.2).is_anchor(f"i{n}") for n, anchor in enumerate(anchors) if anchor)


def test_no_anchor_is_asked_nothing_twice() -> None:
    _, llm = judged(
        Audit(judged_by=JUDGE, probes=NO_PROBES, mitigations=PLAIN, drift=Drift(share=1e-9)), judge_by(marked)
    )
    assert [request.stage for request in llm.requests] == ["judge", "judge"]


class TestOtherFamilies:
    PANEL = Panel(
        (JUDGE, PromptedJudge("claude", "a/claude", "anthropic"), PromptedJudge("l", "m/l", "meta")), "l"
    )

    def audited(self, *generators: str | None) -> tuple[list[Reading], ScriptedLLM]:
        audit = Audit(
            judged_by=JUDGE, probes=NO_PROBES, mitigations=PLAIN, drift=None, substitutes=self.PANEL
        )
        outcome, llm = judged(audit, judge_by(marked), pair(generators=generators))
        return [each for each in readings(outcome) if each.arm == "other_families"], llm

    def test_a_judge_of_neither_family_stays(self) -> None:
        found, llm = self.audited("claude-v1", "llama-13b")
        assert [reading.variant for reading in found] == ["gpt", "gpt"]
        assert len(llm.requests) == 2

    def test_a_judge_of_a_generators_family_is_replaced_by_the_first_of_another_one(self) -> None:
        found, llm = self.audited("gpt-4", "claude-v1")
        assert [reading.variant for reading in found] == ["l", "l"]
        assert [reading.prediction for reading in found] == [Preference(Winner.FIRST, 0.9)] * 2
        assert Counter(request.role for request in llm.requests) == {"gpt": 2, "l": 2}

    def test_nobody_judges_where_a_generator_is_unknown_or_nobody_is_left(self) -> None:
        for generators, why in (
            (("gpt-4", None), "a generator's family is not known"),
            (("gpt-4", "some-model"), "a generator's family is not known"),
        ):
            found, llm = self.audited(*generators)
            assert [reading.prediction for reading in found] == [Unscored(Reason.UNDEFINED, why)] * 2
            assert len(llm.requests) == 2
        small = Panel((PromptedJudge("claude", "a/claude", "anthropic"),), "claude")
        audit = Audit(judged_by=JUDGE, probes=NO_PROBES, mitigations=PLAIN, drift=None, substitutes=small)
        outcome, _ = judged(audit, judge_by(marked), pair(generators=("gpt-4", "claude-v1")))
        (nobody,) = {each.prediction for each in readings(outcome) if each.arm == "other_families"}
        assert nobody == Unscored(Reason.UNDEFINED, "no judge is of another family than the generators'")

    def test_two_judges_of_one_name_are_refused(self) -> None:
        twin = PromptedJudge("gpt", "openai/gpt-5", "openai")
        with pytest.raises(ConfigError, match=r"^substitutes: two different judges are called 'gpt'"):
            Audit(judged_by=JUDGE, substitutes=Panel((twin,), "gpt"))


class TestRecordedJudges:
    def audited(self, root: Path, strategy: str, rows: list[dict[str, object]]) -> Outcome:
        judge = RecordedJudge("GPT-4", strategy, root=str(written(root, rows)))
        llm = PlainLLM(RecordedBackend(root))
        return asyncio.run(Audit(judged_by=judge).judge(RECORDED, None, llm))

    def test_only_verdicts_are_read_and_the_rest_is_said_not_to_apply(self, tmp_path: Path) -> None:
        rows = both("Vanilla", said("Output (a)"), said("Output (a)"))
        outcome = self.audited(tmp_path, "Vanilla", rows)
        assert {(each.arm, each.probe) for each in readings(outcome)} == {("plain", "as_is")}
        assert [each.prediction for each in readings(outcome)] == [
            Preference(Winner.FIRST),
            Preference(Winner.SECOND),
        ]
        told = outcome.detail["audit"]["not_applicable"]
        recorded = "a recorded judge has its published verdicts and no others"
        scores = "this recorded judge compared the outputs and scored none"
        named = ["padding", "confident_tone", "false_citation", "injection", "drift"]
        named += ["ignore_length", "penalise_padding", "evidence"]
        assert told == dict.fromkeys(named, recorded) | {"length_normalised": scores}
        assert len(outcome.calls) == 2

    def test_ratings_can_be_normalised(self, tmp_path: Path) -> None:
        rated = {
            f"score_{n}_{what}": value
            for n in (1, 2)
            for what, value in (("raw", "7"), ("finish_reason", "stop"))
        }
        outcome = self.audited(tmp_path, "Rating", both("Rating", rated, rated))
        assert {each.arm for each in readings(outcome)} == {"plain", "scores", "length_normalised"}
        assert "length_normalised" not in outcome.detail["audit"]["not_applicable"]

    def test_a_recorded_judge_renders_no_prompt(self) -> None:
        assert Audit(judged_by=RecordedJudge("GPT-4", "CoT")).prompts == ()
        assert {"pairwise_vanilla", "pairwise_evidence", "fact_check", "pair_scores", "reask"} <= set(
            Audit(judged_by=JUDGE).prompts
        )


def test_what_is_no_pair_is_refused_before_any_call() -> None:
    with pytest.raises(DataError, match="expected two responses to compare, got 1"):
        Audit(judged_by=JUDGE).check([Instance("i", "p", (Response("only"),))])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Drift(share=0.0), "share: expected above 0"),
        (lambda: Drift(replicates=1), "replicates: expected at least 2"),
        (lambda: Drift(epochs=0), "epochs: expected 1 or more"),
        (lambda: Drift(replicates=10, epochs=10), "epochs: expected 1 or more, and fewer than 100"),
        (lambda: Audit(judged_by=JUDGE, plain_prompt="no_such"), "prompt: expected one of"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}"):
        make()
