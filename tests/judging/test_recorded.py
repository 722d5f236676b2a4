"""A recorded judge's step: which replies it asks for, what it makes of them, and what it refuses."""

import asyncio
import gzip
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson
import pytest

from venire.data.llmbar import LLMBAR_SUBSETS, LLMBar
from venire.errors import DataError, MissingRecording
from venire.judging.ballot import Ballot
from venire.judging.judge import PromptedJudge, RecordedJudge, RecordedParser
from venire.judging.panel import recorded_panel
from venire.judging.recorded import check_recordings, compare_recorded
from venire.judging.recorded_parser import parser_difference
from venire.judging.votes import TieRule
from venire.llm.protocol import Backend
from venire.llm.recorded import RecordedBackend
from venire.llm.recordings import FILE
from venire.methods.majority import Majority
from venire.methods.pairwise import Pairwise
from venire.methods.protocol import Method
from venire.metrics.measure import MetricSettings, measure
from venire.records import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Completion,
    Embeddings,
    FinishReason,
    Instance,
    Order,
    Outcome,
    Preference,
    Reason,
    Request,
    Response,
    Unscored,
    Winner,
)

FIRST, SECOND = Preference(Winner.FIRST), Preference(Winner.SECOND)
PAIR = Instance("Toy/3", "Name a colour.", (Response("Red."), Response("Seven.")), subset="Toy")


@dataclass
class PlainLLM:
    """Asks the backend and keeps every request; no store, so that each request is a call."""

    backend: Backend
    asked: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        reply = await self.backend.send(request)
        attempts = (Attempt(AttemptStatus.OK, 0.0, 0.0, reply.usage),)
        key = repr((request.model, request.endpoint, request.messages))
        return Completion(reply.text, reply.finish, key, reply.model, attempts, False, self.backend.kind)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise AssertionError("a recorded judge embeds nothing")


class SilentLLM(PlainLLM):
    """Every call fails for good after all retries."""

    async def complete(self, request: Request) -> Completion:
        return Completion("", FinishReason.ERROR, "k", request.model, (), False, BackendKind.RECORDED)


def row(strategy: str, order: Order, **fields: object) -> dict[str, object]:
    """A row about `PAIR`; its winner is not looked at by what is tested here."""
    place = {"subset": "Toy", "index": 3, "model": "GPT-4", "winner": None, "finish_reason": "stop"}
    return place | {"strategy": strategy, "swap": order is Order.SWAPPED} | fields


def written(root: Path, rows: list[dict[str, object]]) -> Path:
    (root / FILE).parent.mkdir(exist_ok=True)
    (root / FILE).write_bytes(gzip.compress(b"\n".join(map(orjson.dumps, rows)), mtime=0))
    return root


def both(strategy: str, as_given: dict[str, object], swapped: dict[str, object]) -> list[dict[str, object]]:
    return [row(strategy, Order.AS_GIVEN, **as_given), row(strategy, Order.SWAPPED, **swapped)]


def said(text: str) -> dict[str, object]:
    return {"completion": text}


def twice(first: str, second: str) -> dict[str, object]:
    stage1 = {"stage1_completion": first, "stage1_finish_reason": "stop"}
    return {"completion": second, "n_stages": 2} | stage1


def scored(one: str, two: str) -> dict[str, object]:
    reasons = {"score_1_finish_reason": "stop", "score_2_finish_reason": "stop"}
    return {"score_1_raw": one, "score_2_raw": two} | reasons


def compared(root: Path, judge: RecordedJudge, order: Order) -> tuple[Ballot, PlainLLM]:
    llm = PlainLLM(RecordedBackend(root))
    return asyncio.run(compare_recorded(judge, PAIR, order, llm)), llm


def judge_of(
    root: Path, strategy: str, parser: RecordedParser = RecordedParser.AS_PUBLISHED
) -> RecordedJudge:
    return RecordedJudge("GPT-4", strategy, parser, str(root))


def test_a_comparison_is_one_call_whose_text_is_the_vote(tmp_path: Path) -> None:
    text = "Output (a) is better."
    judge = judge_of(written(tmp_path, both("CoT", said(text), said(text))), "CoT")
    ballot, llm = compared(tmp_path, judge, Order.SWAPPED)
    assert ballot.vote.prediction == SECOND  # (a) is the data set's second output there
    assert (ballot.vote.judge, ballot.vote.order, ballot.vote.raw) == ("GPT-4", Order.SWAPPED, text)
    (request,) = llm.asked
    assert (request.model, request.endpoint, request.role) == ("GPT-4", judge.endpoint, "GPT-4")
    assert (request.temperature, request.schema, request.stage) == (None, None, "judge")
    assert request.messages[0].content.endswith("subset=Toy index=3 strategy=CoT swap=true part=verdict")
    (call,) = ballot.calls
    assert (call.kind, call.instance_id, call.replayed) == (BackendKind.RECORDED, "Toy/3", False)
    assert (call.cost_usd, call.cost_complete, call.usage.input_tokens) == (None, False, None)


def test_the_parser_of_the_judge_reads_the_text(tmp_path: Path) -> None:
    two = said("Output (b) is better. No: Output (a) is better.")
    root = written(tmp_path, both("CoT", two, two))
    published, _ = compared(root, judge_of(root, "CoT"), Order.AS_GIVEN)
    strict, _ = compared(root, judge_of(root, "CoT", RecordedParser.STRICT), Order.AS_GIVEN)
    assert published.vote.prediction == FIRST
    assert isinstance(strict.vote.prediction, Unscored)
    assert strict.vote.prediction.reason is Reason.UNPARSED


def test_ratings_are_one_call_an_output_and_the_same_two_in_both_orders(tmp_path: Path) -> None:
    root = written(tmp_path, both("Rating", scored("6", "9"), scored("6", "9")))
    asked = []
    for order in Order:
        ballot, llm = compared(root, judge_of(root, "Rating"), order)
        assert ballot.vote.prediction == SECOND
        assert ballot.vote.raw == '["6","9"]'
        assert len(ballot.calls) == 2
        asked.append([request.messages for request in llm.asked])
    assert asked[0] == asked[1]


def test_two_stages_that_agree_at_once_are_two_calls(tmp_path: Path) -> None:
    # As given (a) is the first output, swapped (b) is: the first stage agrees on the first output.
    rows = both("Swap", said("Output (a) is better."), said("Output (b) is better."))
    root = written(tmp_path, [one | {"n_stages": 1} for one in rows])
    ballot, _ = compared(root, judge_of(root, "Swap"), Order.AS_GIVEN)
    assert ballot.vote.prediction == FIRST
    assert [call.stage for call in ballot.calls] == ["judge", "judge"]
    assert ballot.vote.rationale == ""


def test_two_stages_that_contradict_are_settled_by_a_third_call(tmp_path: Path) -> None:
    # (a) both times: first output as given, second output swapped.
    first = "Output (a) is better."
    root = written(tmp_path, both("Swap", twice(first, "Output (b)"), twice(first, "Output (a)")))
    ballot, llm = compared(root, judge_of(root, "Swap"), Order.AS_GIVEN)
    assert ballot.vote.prediction == SECOND
    assert (ballot.vote.rationale, ballot.vote.raw) == (first, "Output (b)")
    assert [call.stage for call in ballot.calls] == ["judge", "judge", "synthesis"]
    ends = ["swap=false part=verdict", "swap=true part=verdict", "swap=false part=synthesis"]
    assert [r.messages[0].content.split("strategy=Swap ")[1] for r in llm.asked] == ends


def test_strict_asks_the_second_stage_that_the_source_asked(tmp_path: Path) -> None:
    # To `strict` the first text names both, yet as published it contradicts the other order's.
    both_named = "Output (b) is better. No: Output (a) is better."
    first = twice(both_named, "Output (b) is better.")
    root = written(tmp_path, both("Swap_CoT", first, twice("Output (a) is better.", "Output (a) is better.")))
    ballot, _ = compared(root, judge_of(root, "Swap_CoT", RecordedParser.STRICT), Order.AS_GIVEN)
    assert ballot.vote.prediction == SECOND
    assert len(ballot.calls) == 3


def test_a_first_stage_without_verdict_contradicts_nothing(tmp_path: Path) -> None:
    root = written(tmp_path, both("Swap", said("Both are."), said("Output (b) is better.")))
    as_given, _ = compared(root, judge_of(root, "Swap"), Order.AS_GIVEN)
    swapped, _ = compared(root, judge_of(root, "Swap"), Order.SWAPPED)
    assert isinstance(as_given.vote.prediction, Unscored)
    assert swapped.vote.prediction == FIRST
    assert len(as_given.calls) == len(swapped.calls) == 2


@pytest.mark.parametrize("strategy", ["CoT", "Rating", "Swap"])
@pytest.mark.parametrize("parser", list(RecordedParser))
def test_a_lost_reply_is_no_answer(tmp_path: Path, strategy: str, parser: RecordedParser) -> None:
    judge = judge_of(written(tmp_path, []), strategy, parser)
    llm = SilentLLM(RecordedBackend(tmp_path))
    ballot = asyncio.run(compare_recorded(judge, PAIR, Order.AS_GIVEN, llm))
    assert isinstance(ballot.vote.prediction, Unscored)
    assert ballot.vote.prediction.reason is Reason.PROVIDER_ERROR


class TestCheck:
    """What is refused before any call."""

    ROWS = both("CoT", said("Output (a)"), said("Output (a)"))

    def test_a_recorded_instance_passes(self, tmp_path: Path) -> None:
        check_recordings([judge_of(written(tmp_path, self.ROWS), "CoT")], [PAIR])

    def test_no_instance_passes(self, tmp_path: Path) -> None:
        check_recordings([judge_of(written(tmp_path, self.ROWS), "CoT")], [])

    def test_prompted_judges_need_no_recordings(self) -> None:
        check_recordings([PromptedJudge("gpt", "gpt", "openai")], [PAIR])

    def test_an_index_that_is_not_recorded_is_refused(self, tmp_path: Path) -> None:
        judge = judge_of(written(tmp_path, self.ROWS), "CoT")
        message = r"GPT-4 CoT lacks Toy \(1\)\n  recorded for all judges: Toy \(1\)"
        with pytest.raises(MissingRecording, match=message):
            check_recordings([judge], [replace(PAIR, id="Toy/4")])

    @pytest.mark.parametrize(
        ("judge", "message"),
        [
            (RecordedJudge("GPT4", "CoT"), "model: 'GPT4' was not recorded; recorded are GPT-4"),
            (RecordedJudge("GPT-4", "cot"), "strategy: 'cot' was not recorded; recorded are CoT"),
        ],
    )
    def test_unknown_names_are_refused_with_the_known_ones(
        self, tmp_path: Path, judge: RecordedJudge, message: str
    ) -> None:
        root = written(tmp_path, self.ROWS)
        with pytest.raises(MissingRecording, match=message):
            check_recordings([replace(judge, root=str(root))], [PAIR])

    @pytest.mark.parametrize(
        "change",
        [
            {"id": "mt_bench/81"},
            {"id": "81:a:b", "subset": ""},
            {"id": "Natural/03", "subset": "Natural"},
            {"responses": (Response("Red."),)},
        ],
    )
    def test_other_data_sets_are_refused(self, tmp_path: Path, change: dict[str, object]) -> None:
        judge = judge_of(written(tmp_path, self.ROWS), "CoT")
        with pytest.raises(MissingRecording, match="use dataset=llmbar"):
            check_recordings([judge], [replace(PAIR, **change)])

    def test_other_texts_under_an_id_of_llmbars_are_refused(self, tmp_path: Path) -> None:
        rows = [one | {"subset": "Natural"} for one in self.ROWS]
        judge = judge_of(written(tmp_path, rows), "CoT")
        with pytest.raises(MissingRecording, match=r"Natural/3: its texts are not those .* official"):
            check_recordings([judge], [replace(PAIR, id="Natural/3", subset="Natural")])

    def test_no_file_is_an_error_that_says_where_it_should_be(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="Set VENIRE_DATA"):
            check_recordings([judge_of(tmp_path, "CoT")], [PAIR])


@pytest.fixture(scope="module")
def llmbar(data_root: Path) -> tuple[Instance, ...]:
    return LLMBar(str(data_root)).load().instances


@pytest.fixture(scope="module")
def mt_bench(data_root: Path) -> tuple[Instance, ...]:
    return LLMBar(str(data_root), ("MT-Bench",)).load().instances


def test_a_panel_that_lacks_a_subset_is_told_which_it_all_has(
    data_root: Path, llmbar: tuple[Instance, ...]
) -> None:
    panel = recorded_panel(("GPT-4", "PaLM2", "Falcon"), "Vanilla", root=str(data_root))
    with pytest.raises(MissingRecording) as caught:
        check_recordings(panel.judges, llmbar)
    assert str(caught.value) == (
        "no recorded verdicts for some of 419 instances; nothing was called\n"
        "  PaLM2 Vanilla lacks Adversarial/Manual (46)\n"
        "  recorded for all judges: Natural (100), Adversarial/Neighbor (134), Adversarial/GPTInst (92), "
        "Adversarial/GPTOut (47); use 'dataset.subsets=[Natural,Adversarial/Neighbor,"
        "Adversarial/GPTInst,Adversarial/GPTOut]'"
    )


def test_all_official_texts_are_those_that_were_judged(
    data_root: Path, llmbar: tuple[Instance, ...], mt_bench: tuple[Instance, ...]
) -> None:
    check_recordings([RecordedJudge("GPT-4", "Vanilla_NoRules", root=str(data_root))], [*llmbar, *mt_bench])


def test_swapped_outputs_under_an_official_id_are_refused(
    data_root: Path, llmbar: tuple[Instance, ...]
) -> None:
    other = replace(llmbar[0], responses=llmbar[0].responses[::-1])
    with pytest.raises(MissingRecording, match="Natural/0: its texts are not those"):
        check_recordings([RecordedJudge("GPT-4", "CoT", root=str(data_root))], [other])


async def judged(method: Method, instances: Sequence[Instance], llm: PlainLLM) -> list[Outcome]:
    method.check(instances)
    return [await method.judge(instance, None, llm) for instance in instances]


@pytest.fixture(scope="module")
def backend(data_root: Path) -> RecordedBackend:
    return RecordedBackend(data_root)


def run(
    method: Method, instances: Sequence[Instance], backend: RecordedBackend
) -> tuple[list[Outcome], PlainLLM]:
    llm = PlainLLM(backend)
    return asyncio.run(judged(method, instances, llm)), llm


def metrics_of(instances: Sequence[Instance], outcomes: Sequence[Outcome]) -> dict[str, float]:
    labels = (Winner.FIRST, Winner.SECOND)
    measurement = measure(instances, outcomes, labels=labels, seed=0, settings=MetricSettings(draws=0))
    return dict(measurement.metrics)


def reference(root: Path, subset: str, model: str, strategy: str) -> dict[str, float]:
    table = orjson.loads((root / "llmbar_recorded" / "reference.json").read_bytes())
    (found,) = [r for r in table if (r["subset"], r["model"], r["strategy"]) == (subset, model, strategy)]
    return dict(found)


@pytest.mark.parametrize(
    ("model", "strategy", "subset", "calls"),
    [
        ("GPT-4", "CoT", "LLMBar (pooled)", 2 * 419),
        ("ChatGPT", "Rating", "LLMBar (pooled)", 4 * 419),  # two scores, asked for in either order
        # Two first stages in either order; 342 rows of two stages (171 instances) ask once more.
        ("LLaMA2", "Swap_CoT", "LLMBar (pooled)", 4 * 419 + 342),
        ("PaLM2", "Vanilla_NoRules", "MT-Bench", 2 * 200),
    ],
)
def test_whole_runs_through_the_backend_have_the_reference_figures(
    data_root: Path,
    backend: RecordedBackend,
    llmbar: tuple[Instance, ...],
    mt_bench: tuple[Instance, ...],
    model: str,
    strategy: str,
    subset: str,
    calls: int,
) -> None:
    instances = mt_bench if subset == "MT-Bench" else llmbar
    judge = RecordedJudge(model, strategy, root=str(data_root))
    outcomes, llm = run(Pairwise(judged_by=judge), instances, backend)
    metrics, expected = metrics_of(instances, outcomes), reference(data_root, subset, model, strategy)
    assert metrics["accuracy/as_given"] == expected["correct_swap_false"] / expected["n"]
    assert metrics["accuracy/swapped"] == expected["correct_swap_true"] / expected["n"]
    assert metrics["kappa_null_category"] == pytest.approx(expected["kappa_average"], abs=1e-9)
    assert metrics["position_consistency"] == expected["position_consistency_rate"]
    assert len(llm.asked) == metrics["calls/total"] == calls


def test_pairs_that_mt_bench_holds_twice_are_never_asked_for_in_the_same_words(
    data_root: Path, backend: RecordedBackend, mt_bench: tuple[Instance, ...]
) -> None:
    judge = RecordedJudge("GPT-4", "Vanilla_NoRules", root=str(data_root))
    _, llm = run(Pairwise(judged_by=judge), mt_bench, backend)
    assert len({request.messages for request in llm.asked}) == 400


def test_the_majority_of_five_falls_below_its_best_judge(
    data_root: Path, backend: RecordedBackend, llmbar: tuple[Instance, ...]
) -> None:
    models = ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon")
    panel = recorded_panel(models, "Vanilla", root=str(data_root))
    instances = [instance for instance in llmbar if instance.subset in LLMBAR_SUBSETS[:4]]
    method = Majority(panel=panel, tie_rule=TieRule.UNSCORED)
    outcomes, _ = run(method, instances, backend)
    metrics = metrics_of(instances, outcomes)
    # 223 and 222 of 373; see test_recorded_reference.py for the same by plain counting.
    assert metrics["accuracy/as_given"] == 223 / 373
    assert metrics["accuracy/swapped"] == 222 / 373
    assert round(metrics["panel/best_judge_accuracy/as_given"], 3) == 0.836
    assert round(metrics["panel/best_judge_accuracy/swapped"], 3) == 0.863
    weak = {"ChatGPT": (152, 151), "LLaMA2": (168, 168), "Falcon": (211, 215)}  # right, of 373
    for model, (as_given, swapped) in weak.items():
        assert metrics[f"judge/{model}/accuracy/as_given"] == as_given / 373
        assert metrics[f"judge/{model}/accuracy/swapped"] == swapped / 373
    assert round(metrics["panel/effective_votes/as_given"], 3) == 2.211
    assert round(metrics["panel/effective_votes/swapped"], 3) == 2.275


@pytest.mark.parametrize(
    ("model", "strategy", "expected"),
    [
        # README of llmbar_recorded: 213 rating ties, in both orders; no unreadable score.
        ("ChatGPT", "Rating", {"votes": 838, "differs": 426, "instances_differing": 213, "rating_ties": 426}),
        # README: 2 answers of GPT-4's Rating are empty and 67 instances tie.
        (
            "GPT-4",
            "Rating",
            {"differs": 138, "instances_differing": 69, "rating_ties": 134, "unparsable_ratings": 4},
        ),
        ("ChatGPT", "Swap_CoT", {"votes": 838, "differs": 61, "both_patterns": 61}),
        ("GPT-4", "CoT", {"votes": 838, "differs": 0, "both_patterns": 0, "rating_ties": 0}),
    ],
)
def test_the_difference_of_the_parsers_is_counted_from_a_runs_votes(
    data_root: Path,
    backend: RecordedBackend,
    llmbar: tuple[Instance, ...],
    model: str,
    strategy: str,
    expected: dict[str, float],
) -> None:
    found = []
    for parser in RecordedParser:
        method = Pairwise(judged_by=RecordedJudge(model, strategy, parser, str(data_root)))
        outcomes, _ = run(method, llmbar, backend)
        difference = parser_difference(method.judges, outcomes)
        assert difference is not None
        found.append(difference.as_metrics())
    assert found[0] == found[1]  # whichever of the two was used
    assert {name: found[0][f"parser/{name}"] for name in expected} == expected
