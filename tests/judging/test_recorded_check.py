"""What recorded judges refuse before any call."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.judging.recordings import PAIR, both, judge_of, said, written

from venire.errors import DataError, MissingRecording
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.panel import recorded_panel
from venire.judging.recorded import check_recordings
from venire.records import Instance, Response

ROWS = both("CoT", said("Output (a)"), said("Output (a)"))


def test_a_recorded_instance_passes(tmp_path: Path) -> None:
    check_recordings([judge_of(written(tmp_path, ROWS), "CoT")], [PAIR])


def test_no_instance_passes(tmp_path: Path) -> None:
    check_recordings([judge_of(written(tmp_path, ROWS), "CoT")], [])


def test_prompted_judges_need_no_recordings() -> None:
    check_recordings([PromptedJudge("gpt", "gpt", "openai")], [PAIR])


def test_an_index_that_is_not_recorded_is_refused(tmp_path: Path) -> None:
    judge = judge_of(written(tmp_path, ROWS), "CoT")
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
    tmp_path: Path, judge: RecordedJudge, message: str
) -> None:
    root = written(tmp_path, ROWS)
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
def test_other_data_sets_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    judge = judge_of(written(tmp_path, ROWS), "CoT")
    with pytest.raises(MissingRecording, match="use dataset=llmbar"):
        check_recordings([judge], [replace(PAIR, **change)])


def test_other_texts_under_an_id_of_llmbars_are_refused(tmp_path: Path) -> None:
    rows = [one | {"subset": "Natural"} for one in ROWS]
    judge = judge_of(written(tmp_path, rows), "CoT")
    with pytest.raises(MissingRecording, match=r"Natural/3: its texts are not those .* official"):
        check_recordings([judge], [replace(PAIR, id="Natural/3", subset="Natural")])


def test_no_file_is_an_error_that_says_where_it_should_be(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Set VENIRE_DATA"):
        check_recordings([judge_of(tmp_path, "CoT")], [PAIR])


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
