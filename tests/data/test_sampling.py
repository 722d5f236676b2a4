import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.data.sampling import proportional_shares, stratified_sample, untouched_clusters
from venire.records import Instance, Response


def instance(id: str, subset: str, cluster: str) -> Instance:
    return Instance(id, "p", (Response("x"),), subset=subset, cluster=cluster)


# 2 subsets of 5 clusters of 3: 30 instances.
THIRTY = [
    instance(f"{subset}{cluster}{member}", subset, f"{subset}{cluster}")
    for subset in "ab"
    for cluster in range(5)
    for member in range(3)
]


def test_each_subset_gets_its_share_of_whole_clusters() -> None:
    chosen = stratified_sample(THIRTY, 12, seed=0)
    for subset in "ab":
        taken = [id for id in chosen if id.startswith(subset)]
        assert len(taken) == 6
        assert len({id[:2] for id in taken}) == 2  # two clusters of three, none cut


def test_the_rest_shares_no_cluster_with_the_sample() -> None:
    chosen = stratified_sample(THIRTY, 14, seed=0)  # 7 each: two clusters and one of a third
    rest = untouched_clusters(THIRTY, chosen)
    assert len(rest) == 12  # two clusters of three in each subset
    assert not {id[:2] for id in rest} & {id[:2] for id in chosen}


def test_the_same_seed_gives_the_same_sample_in_any_order_of_the_data() -> None:
    assert stratified_sample(THIRTY, 12, seed=3) == stratified_sample(THIRTY[::-1], 12, seed=3)


def test_another_seed_gives_another_sample() -> None:
    assert stratified_sample(THIRTY, 12, seed=0) != stratified_sample(THIRTY, 12, seed=1)


def test_all_and_nothing_are_samples_and_more_than_all_is_not() -> None:
    assert len(stratified_sample(THIRTY, 30, seed=0)) == 30
    assert stratified_sample(THIRTY, 0, seed=0) == frozenset()
    assert untouched_clusters(THIRTY, frozenset()) == {i.id for i in THIRTY}
    with pytest.raises(ValueError, match="size: expected 0 to 30, got 31"):
        stratified_sample(THIRTY, 31, seed=0)


def test_the_largest_remainders_round_up() -> None:
    # Quotas of 4 from 5, 3, 2: 2.0, 1.2, 0.8.
    assert proportional_shares({"a": 5, "b": 3, "c": 2}, 4) == {"a": 2, "b": 1, "c": 1}


def test_equal_remainders_go_by_name() -> None:
    assert proportional_shares({"b": 1, "a": 1}, 1) == {"b": 0, "a": 1}


def test_nothing_divides_into_nothing() -> None:
    assert proportional_shares({}, 0) == {}
    assert proportional_shares({"a": 0}, 0) == {"a": 0}


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 50), min_size=1), st.data())
def test_shares_add_up_and_are_within_one_of_the_quota(sizes: dict[str, int], data: st.DataObject) -> None:
    whole = sum(sizes.values())
    total = data.draw(st.integers(0, whole))
    shares = proportional_shares(sizes, total)
    assert sum(shares.values()) == total
    for name, size in sizes.items():
        assert 0 <= shares[name] <= size
        assert whole == 0 or abs(shares[name] * whole - size * total) < whole
