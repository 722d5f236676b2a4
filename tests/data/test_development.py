"""The development split of a run."""

from dataclasses import dataclass

import pytest

from venire.data.development import Apart, Share, Shared
from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.errors import ConfigError, DataError
from venire.records import Instance, PreferenceGold, Response, Winner


def instance(name: str, cluster: str = "", prompt: str = "") -> Instance:
    pair = (Response("one"), Response("two"))
    return Instance(name, prompt or f"prompt of {name}", pair, PreferenceGold(Winner.FIRST), cluster=cluster)


def loaded(*instances: Instance) -> Loaded:
    return Loaded(instances, fingerprint(instances), "here", labels=(Winner.FIRST,), warnings=("odd",))


HUNDRED = loaded(*(instance(f"i{k}") for k in range(100)))


@dataclass(frozen=True)
class Other:
    instances: tuple[Instance, ...]

    @property
    def name(self) -> str:
        return "other"

    def load(self) -> Loaded:
        return loaded(*self.instances)


def ids(part: Loaded) -> list[str]:
    return [each.id for each in part.instances]


def test_the_two_parts_have_every_instance_once_in_its_order() -> None:
    parted = Share(0.3).of(HUNDRED)
    assert (len(parted.development.instances), len(parted.evaluated.instances)) == (30, 70)
    both = {*ids(parted.development), *ids(parted.evaluated)}
    assert both == set(ids(HUNDRED))
    for part in (parted.development, parted.evaluated):
        assert [int(name[1:]) for name in ids(part)] == sorted(int(name[1:]) for name in ids(part))
        assert part.fingerprint == fingerprint(part.instances)
        assert part.labels == HUNDRED.labels


def test_the_same_seed_names_the_same_part_in_whatever_order_and_another_one_another() -> None:
    first = ids(Share(0.5, 1).of(HUNDRED).development)
    turned = loaded(*reversed(HUNDRED.instances))
    assert set(ids(Share(0.5, 1).of(turned).development)) == set(first)
    assert set(ids(Share(0.5, 2).of(HUNDRED).development)) != set(first)


def test_a_repeated_prompt_stays_on_one_side() -> None:
    clustered = loaded(*(instance(f"i{k}", cluster=f"c{k // 4}") for k in range(40)))
    parted = Share(0.5).of(clustered)
    sides = [{each.cluster for each in part.instances} for part in (parted.development, parted.evaluated)]
    assert not sides[0] & sides[1]
    assert len(parted.development.instances) == 20


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ConfigError, match=r"^share: expected between 0 and 1"):
        Share(share)


def test_an_empty_part_is_refused() -> None:
    with pytest.raises(DataError, match="got 0 to develop on and 1 to evaluate"):
        Share(0.4).of(loaded(instance("only")))
    with pytest.raises(DataError, match="got 1 to develop on and 0 to evaluate"):
        Share(0.6).of(loaded(instance("only")))


def test_another_data_set_is_developed_on_without_what_is_evaluated() -> None:
    evaluated = loaded(instance("a"), instance("b", prompt="Which one?"))
    other = Apart(Other((instance("a", prompt="new"), instance("x", prompt="which one"), instance("y"))))
    parted = other.of(evaluated)
    assert parted.evaluated is evaluated
    assert ids(parted.development) == ["y"]
    assert parted.development.warnings[-1] == "development: 2 instances left out, they are evaluated"


def test_a_data_set_that_is_evaluated_wholly_leaves_nothing_to_develop_on() -> None:
    with pytest.raises(DataError, match=r"not evaluated, got none; with development\.shared=development"):
        Apart(Other((instance("a"),))).of(loaded(instance("a")))


def test_what_is_labelled_of_a_data_set_is_developed_on_and_the_rest_evaluated() -> None:
    everything = loaded(instance("a"), instance("b"), instance("c", prompt="Prompt of B!"), instance("d"))
    parted = Apart(Other((instance("b"), instance("x"))), Shared.DEVELOPMENT).of(everything)
    assert ids(parted.development) == ["b", "x"]
    assert ids(parted.evaluated) == ["a", "d"]  # c repeats the prompt of b
    assert parted.evaluated.fingerprint == fingerprint(parted.evaluated.instances)
    assert parted.evaluated.warnings == (
        "odd",
        "development: 2 instances are not evaluated, they are developed on",
    )
    assert parted.development.warnings == ("odd",)


def test_labels_of_everything_leave_nothing_to_evaluate() -> None:
    with pytest.raises(DataError, match=r"expected instances that are not in development\.dataset, got none"):
        Apart(Other((instance("a"), instance("b"))), Shared.DEVELOPMENT).of(loaded(instance("a")))


def test_apart_data_sets_stay_as_they_are_whichever_part_would_keep() -> None:
    for shared in Shared:
        parted = Apart(Other((instance("x"),)), shared).of(HUNDRED)
        assert parted.evaluated is HUNDRED
        assert ids(parted.development) == ["x"]
