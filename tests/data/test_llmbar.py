import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from venire.data.llmbar import LLMBAR_SUBSETS, LLMBar
from venire.errors import ConfigError, DataError
from venire.records import Instance, PreferenceGold, Winner

Writer = Callable[[str, Sequence[Mapping[str, object]]], Path]


def record(prompt: str = "Say {x}.", label: object = 1, **other: object) -> dict[str, object]:
    return {"input": prompt, "output_1": "one", "output_2": "two", "label": label, **other}


def refusal(dataset: LLMBar) -> str:
    with pytest.raises(DataError) as caught:
        dataset.load()
    return str(caught.value)


def winner(instance: Instance) -> Winner:
    assert isinstance(instance.gold, PreferenceGold)
    return instance.gold.winner


def test_an_instance_has_the_short_subset_and_its_index(tmp_path: Path, write_llmbar: Writer) -> None:
    write_llmbar("CaseStudy/Normal", [record(), record(" Prompt\n", 2)])
    loaded = LLMBar(str(tmp_path), ("CaseStudy/Normal",)).load()
    second = loaded.instances[1]
    assert second.id == "CaseStudy/Normal/1"
    assert second.subset == "CaseStudy/Normal"
    assert second.metadata == {"index": "1"}
    assert second.prompt == " Prompt\n"
    assert [response.text for response in second.responses] == ["one", "two"]
    assert [winner(instance) for instance in loaded.instances] == [Winner.FIRST, Winner.SECOND]
    assert loaded.source == "llmbar/Dataset"
    assert loaded.revision is None
    assert loaded.labels == (Winner.FIRST, Winner.SECOND)


@pytest.mark.parametrize("layout", ["llmbar/Dataset", "Dataset", "LLMBar/Dataset"])
def test_each_layout_is_found(tmp_path: Path, layout: str) -> None:
    folder = tmp_path / layout / "CaseStudy" / "Normal"
    folder.mkdir(parents=True)
    (folder / "dataset.json").write_text(json.dumps([record()]))
    loaded = LLMBar(str(tmp_path), ("CaseStudy/Normal",)).load()
    assert [instance.id for instance in loaded.instances] == ["CaseStudy/Normal/0"]
    assert loaded.source == layout


@pytest.mark.parametrize("subset", ["Mine", "Processed/Mine", "Mine/"])
def test_a_prefix_may_be_left_out(tmp_path: Path, write_llmbar: Writer, subset: str) -> None:
    write_llmbar("Processed/Mine", [record()])
    assert LLMBar(str(tmp_path), (subset,)).load().instances[0].id == "Mine/0"


def test_subsets_come_in_the_order_asked_and_the_limit_is_over_all(
    tmp_path: Path, write_llmbar: Writer
) -> None:
    write_llmbar("LLMBar/A", [record("a0"), record("a1")])
    write_llmbar("LLMBar/B", [record("b0"), record("b1")])
    loaded = LLMBar(str(tmp_path), ("B", "A"), limit=3).load()
    assert [instance.id for instance in loaded.instances] == ["B/0", "B/1", "A/0"]


def test_equal_prompts_share_a_cluster_across_subsets(tmp_path: Path, write_llmbar: Writer) -> None:
    write_llmbar("LLMBar/A", [record("same"), record("other")])
    write_llmbar("LLMBar/B", [record("same")])
    clusters = [instance.cluster for instance in LLMBar(str(tmp_path), ("A", "B")).load().instances]
    assert clusters[0] == clusters[2] != clusters[1]


def test_a_pair_that_is_there_twice_swapped_stays_twice(tmp_path: Path, write_llmbar: Writer) -> None:
    swapped = {"input": "p", "output_1": "two", "output_2": "one", "label": 2}
    write_llmbar("Processed/Mine", [record("p"), swapped])
    loaded = LLMBar(str(tmp_path), ("Mine",)).load()
    assert [instance.id for instance in loaded.instances] == ["Mine/0", "Mine/1"]


def test_an_empty_output_is_data(tmp_path: Path, write_llmbar: Writer) -> None:
    write_llmbar("LLMBar/A", [record(output_1="")])
    assert LLMBar(str(tmp_path), ("A",)).load().warnings == ("empty responses, kept as they are: 1 (in A/0)",)


def test_an_unknown_subset_is_refused_with_those_that_are_there(tmp_path: Path, write_llmbar: Writer) -> None:
    write_llmbar("LLMBar/Natural", [record()])
    write_llmbar("Processed/MT-Bench", [record()])
    message = refusal(LLMBar(str(tmp_path), ("Natrual",)))
    assert message.startswith("dataset.subsets: 'Natrual' is unknown; expected a folder below ")
    assert "there are: Natural, MT-Bench; correct the name" in message


def test_a_name_that_is_there_under_both_prefixes_is_refused(tmp_path: Path, write_llmbar: Writer) -> None:
    write_llmbar("LLMBar/A", [record()])
    write_llmbar("Processed/A", [record()])
    assert "'A' is ambiguous" in refusal(LLMBar(str(tmp_path), ("A",)))
    assert len(LLMBar(str(tmp_path), ("Processed/A",)).load().instances) == 1


@pytest.mark.parametrize("root", ["", "nowhere"])
def test_missing_data_says_how_to_get_the_repository(tmp_path: Path, root: str) -> None:
    message = refusal(LLMBar(str(tmp_path / root)))
    assert message.startswith(
        f"{tmp_path / root}: expected the LLMBar repository's folder Dataset "
        "(as llmbar/Dataset, Dataset, LLMBar/Dataset), got no"
    )
    assert (
        "the Hub copy (princeton-nlp/LLMBar) is a loading script, which `datasets` no longer runs" in message
    )
    assert 'git clone https://github.com/princeton-nlp/LLMBar "$VENIRE_DATA/llmbar"' in message


def test_a_known_subset_must_have_its_published_count(tmp_path: Path, write_llmbar: Writer) -> None:
    path = write_llmbar("LLMBar/Natural", [record()] * 99)
    assert refusal(LLMBar(str(tmp_path), ("Natural",))) == (
        f"{path}: expected 100 instances (the published count), got 99; "
        "fetch the file again, or set dataset.check_counts=false if it is meant to differ"
    )
    assert len(LLMBar(str(tmp_path), ("Natural",), check_counts=False).load().instances) == 99


def without(field: str) -> dict[str, object]:
    return {key: value for key, value in record().items() if key != field}


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            record(label=3),
            "row 2, field 'label': expected 1 or 2, got 3; correct the record: LLMBar has no ties",
        ),
        (record(label=0), "row 2, field 'label': expected 1 or 2, got 0; "),
        (record(label="1"), "row 2, field 'label': expected an integer, got '1'; "),
        (record(label=True), "row 2, field 'label': expected an integer, got True; "),
        (record(" "), "row 2, field 'input': expected a prompt, got an empty text; "),
        (record(output_2=None), "row 2, field 'output_2': expected a text, got null; "),
        (
            record(output_1="\udc00"),
            "row 2, field 'output_1': expected Unicode text, got half a surrogate pair",
        ),
        (
            without("output_2"),
            "row 2, field 'output_2': expected this column, got a record of input, output_1, label; ",
        ),
    ],
)
def test_a_broken_record_is_refused_with_file_row_and_field(
    tmp_path: Path, write_llmbar: Writer, broken: Mapping[str, object], message: str
) -> None:
    path = write_llmbar("LLMBar/A", [record(), broken])
    # Also where the limit would not reach it.
    assert f"{path}, {message}" in refusal(LLMBar(str(tmp_path), ("A",), limit=1))


@pytest.mark.parametrize("subsets", [(), ("A", "A"), ("A", "LLMBar/A"), "Natural"])
def test_subsets_are_different_names(subsets: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"^subsets: expected "):
        LLMBar("data", subsets)


def test_a_limit_is_at_least_one() -> None:
    with pytest.raises(ConfigError, match=r"^limit: expected an integer of at least 1"):
        LLMBar("data", limit=0)


# The README of the shared llmbar/ folder: n, labels 1 and 2, percentage whose longer output is better.
PUBLISHED = [
    ("Natural", 100, 42, 58, 57),
    ("Adversarial/Neighbor", 134, 75, 59, 12),
    ("Adversarial/GPTInst", 92, 45, 47, 13),
    ("Adversarial/GPTOut", 47, 22, 25, 45),
    ("Adversarial/Manual", 46, 22, 24, 18),
    ("MT-Bench", 200, 101, 99, 70),
]


@pytest.mark.parametrize(("subset", "n", "first", "second", "longer"), PUBLISHED)
def test_published_counts_are_met(
    data_root: Path, subset: str, n: int, first: int, second: int, longer: int
) -> None:
    loaded = LLMBar(str(data_root), (subset,)).load()
    assert len(loaded.instances) == n
    assert Counter(map(winner, loaded.instances)) == {Winner.FIRST: first, Winner.SECOND: second}
    lengths = [tuple(len(response.text) for response in i.responses) for i in loaded.instances]
    unequal = [
        (a > b) == (winner(i) is Winner.FIRST)
        for i, (a, b) in zip(loaded.instances, lengths, strict=True)
        if a != b
    ]
    # The README's shares are of the pairs whose outputs differ in length (1 pair of Natural, 1 of
    # Manual and 5 of MT-Bench do not).
    assert round(100 * sum(unequal) / len(unequal)) == longer
    assert loaded.warnings == ()


def test_the_default_is_the_419(data_root: Path) -> None:
    loaded = LLMBar(str(data_root)).load()
    assert len(loaded.instances) == 419
    assert tuple(dict.fromkeys(instance.subset for instance in loaded.instances)) == LLMBAR_SUBSETS
    # One instruction is in both GPTInst and Neighbor; no other repeats.
    assert len({instance.cluster for instance in loaded.instances}) == 418


def test_mt_bench_repeats_75_prompts_and_has_5_pairs_twice(data_root: Path) -> None:
    instances = LLMBar(str(data_root), ("MT-Bench",)).load().instances
    assert len({instance.cluster for instance in instances}) == 75
    pairs = Counter(
        (instance.prompt, frozenset(response.text for response in instance.responses))
        for instance in instances
    )
    assert sum(count == 2 for count in pairs.values()) == 5
    assert instances[7].id == "MT-Bench/7"
