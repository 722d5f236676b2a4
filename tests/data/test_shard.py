"""Shards part a data set by position: each instance in one, in sizes that differ by one at most."""

from itertools import chain

import pytest

from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.data.shard import Shard
from venire.data.streamed import Streamed
from venire.errors import ConfigError
from venire.records import Instance, Response

WHOLE = tuple(Instance(f"i{number}", "p", (Response("a"), Response("b"))) for number in range(11))


def whole(*, streams):
    instances = Streamed(lambda: iter(WHOLE), len(WHOLE)) if streams else WHOLE
    return Loaded(instances, fingerprint(WHOLE), "here", warnings=("odd",))


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("count", [1, 3, 11])
def test_every_instance_is_in_one_shard(count, streams):
    parts = [Shard(index, count).of(whole(streams=streams)) for index in range(1, count + 1)]
    sizes = [len(part.instances) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert [len(tuple(part.instances)) for part in parts] == sizes
    assert sorted(chain(*(part.instances for part in parts)), key=WHOLE.index) == list(WHOLE)
    assert all(part.warnings == ("odd",) for part in parts)


@pytest.mark.parametrize("streams", [False, True])
def test_the_second_of_three_is_every_third_instance_from_the_second_on(streams):
    part = Shard.read("2/3").of(whole(streams=streams))
    assert [each.id for each in part.instances] == ["i1", "i4", "i7", "i10"]
    assert part.fingerprint == fingerprint(WHOLE[1::3])


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "a/b", "1/0", "1/3/5", "-1/3"])
def test_what_names_no_shard_is_refused(text):
    with pytest.raises(ConfigError, match="shard: expected i/n with i from 1 to n"):
        Shard.read(text)


def test_more_shards_than_instances_are_refused():
    with pytest.raises(ConfigError, match="here has 11 instances, too few for 12 shards"):
        Shard(1, 12).of(whole(streams=False))
