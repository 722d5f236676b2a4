"""Several data sets as one, without what is evaluated."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from venire.data.fingerprint import fingerprint, prompt_cluster
from venire.data.joined import Joined, OnOverlap
from venire.data.llmbar import LLMBar
from venire.data.mt_bench import MTBench, Part
from venire.data.overlap import overlap
from venire.data.protocol import Loaded
from venire.errors import ConfigError, DataError
from venire.records import Instance, PreferenceGold, Response, Winner

PAIR = (Winner.FIRST, Winner.SECOND)


@dataclass(frozen=True)
class Fixed:
    """A data set of given instances: one a prompt, its id the prefix and the prompt."""

    prefix: str
    prompts: str
    subset: str = "s"
    labels: tuple[Winner, ...] = PAIR
    responses: tuple[str, str] = ("yes", "no")

    @property
    def name(self) -> str:
        return self.prefix

    def load(self) -> Loaded:
        instances = tuple(
            Instance(
                f"{self.prefix}{prompt}",
                prompt,
                tuple(Response(text) for text in self.responses),
                PreferenceGold(Winner.FIRST),
                self.subset,
                cluster=prompt_cluster(prompt),
            )
            for prompt in self.prompts
        )
        return Loaded(instances, fingerprint(instances), self.prefix, labels=self.labels, warnings=("odd",))


def ids(joined: Joined) -> list[str]:
    return [instance.id for instance in joined.load().instances]


def test_parts_come_one_after_the_other_with_their_labels_sources_and_warnings() -> None:
    joined = Joined({"one": Fixed("a", "pq"), "two": Fixed("b", "r", labels=(*PAIR, Winner.TIE))})
    loaded = joined.load()
    assert [instance.id for instance in loaded.instances] == ["ap", "aq", "br"]
    assert loaded.labels == (*PAIR, Winner.TIE)
    assert loaded.source == "a + b"
    assert loaded.warnings == ("one: odd", "two: odd")
    assert joined.name == "one+two"
    assert loaded.fingerprint == fingerprint(loaded.instances)


def test_what_is_evaluated_is_left_out_and_counted_or_refused() -> None:
    parts = {"one": Fixed("a", "pqr"), "two": Fixed("b", "st")}
    evaluated = {"test": Fixed("c", "qS")}  # another id, the same prompts but for case
    joined = Joined(parts, evaluated)
    assert ids(joined) == ["ap", "ar", "bt"]
    (sentence,) = [w for w in joined.load().warnings if w.startswith("one") and "evaluates" in w]
    assert sentence == "one: 1 instances left out because test evaluates them (0 by id, 1 by prompt: aq)"
    with pytest.raises(DataError, match=r"^dataset\.parts\.one: expected no instance that test evaluates"):
        Joined(parts, evaluated, OnOverlap.REFUSE).load()
    assert ids(Joined(parts, {"test": Fixed("c", "xyz")}, OnOverlap.REFUSE)) == ["ap", "aq", "ar", "bs", "bt"]
    with pytest.raises(DataError, match="expected at least one instance that is not evaluated"):
        Joined({"one": Fixed("a", "p")}, {"test": Fixed("c", "p")}).load()


def test_of_a_pair_that_two_parts_have_the_earlier_ones_is_kept() -> None:
    twice = Joined({"one": Fixed("a", "pq"), "two": Fixed("b", "qr", responses=("No", "yes "))})
    assert ids(twice) == ["ap", "aq", "br"]
    assert "two: 1 instances left out because an earlier part has them" in twice.load().warnings
    # the same prompt with another response is another pair
    other = Joined({"one": Fixed("a", "pq"), "two": Fixed("b", "q", responses=("yes", "maybe"))})
    assert ids(other) == ["ap", "aq", "bq"]


def test_a_sample_is_stratified_by_part_and_subset_and_named_by_its_seed() -> None:
    # 20 of "a", 10 of "b/s", 10 of "b2/t": a sample of 8 takes 4, 2 and 2.
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
    parts = {
        "one": Fixed("1", "".join(chr(0x4E00 + i) for i in range(20))),
        "two": Fixed("2", "".join(chr(0x5E00 + i) for i in range(10))),
        "three": Fixed("3", letters[:10], subset="t"),
    }
    first, again, other = (ids(Joined(parts, sample=8, sample_seed=seed)) for seed in (0, 0, 1))
    assert Counter(id[0] for id in first) == {"1": 4, "2": 2, "3": 2}
    assert first == again
    assert first != other
    assert ids(Joined(parts, sample=8, limit=3)) == first[:3]
    with pytest.raises(DataError, match="expected at most 40"):
        Joined(parts, sample=41).load()


def test_parts_that_cannot_be_one_data_set_are_refused() -> None:
    with pytest.raises(DataError, match="got 'ap', which one has, too"):
        Joined({"one": Fixed("a", "p"), "two": Fixed("a", "p")}).load()
    with pytest.raises(DataError, match="got both"):
        Joined({"one": Fixed("a", "p"), "two": Fixed("b", "q", labels=())}).load()
    with pytest.raises(ConfigError, match="parts: expected at least one"):
        Joined({})
    with pytest.raises(ConfigError, match="on_overlap: expected drop or refuse"):
        Joined({"one": Fixed("a", "p")}, on_overlap="keep")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="sample"):
        Joined({"one": Fixed("a", "p")}, sample=0)


def test_the_development_data_share_nothing_with_what_is_evaluated(data_root: Path) -> None:
    root = str(data_root)
    evaluated = {"mt_bench": MTBench(root), "llmbar": LLMBar(root)}
    parts = {"mt_bench": MTBench(root, part=Part.REST), "llmbar": LLMBar(root, ("MT-Bench",))}
    loaded = Joined(parts, evaluated).load()
    tested = [instance for part in evaluated.values() for instance in part.load().instances]
    assert len(tested) == 300 + 419
    assert overlap(loaded.instances, tested).ids == frozenset()
    # Counted from the files: 254 MT-Bench pairs are over, 8 of them on a prompt that LLMBar has; of LLMBar's
    # 200 MT-Bench pairs 114 are on evaluated prompts, and most of the other 86 are pairs of the first part.
    kept = Counter("llmbar" if instance.subset == "MT-Bench" else "mt_bench" for instance in loaded.instances)
    assert kept["mt_bench"] == 254 - 8
    assert 0 < kept["llmbar"] < 86
