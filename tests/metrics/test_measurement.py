import math
import posixpath
import re

import pytest

from venire.errors import DataError
from venire.metrics.measurement import Collector, distinct_names, metric_name
from venire.stats.estimate import Estimate


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("accuracy", "subset", "Adversarial/Neighbor"), "accuracy/subset/Adversarial/Neighbor"),
        (("judge", "gpt^4o", "kappa"), "judge/gpt_4o/kappa"),
        (("judge", "meta-llama/Llama-3.1", "kappa"), "judge/meta-llama/Llama-3.1/kappa"),
        (("accuracy", "subset", "Überblick 한글"), "accuracy/subset/_berblick __"),
        (("a", "", "..", "/b//c/"), "a/_/b/c"),
    ],
)
def test_names_are_what_mlflow_takes(parts, name):
    assert metric_name(*parts) == name
    # MLflow 3.17: these characters on every platform, and a name that is a normal path.
    assert re.fullmatch(r"[A-Za-z0-9_\-. :/]+", name)
    assert posixpath.normpath(name) == name


def test_values_that_would_share_a_name_are_told_apart():
    assert distinct_names(["a^b", "a*b", "c", "a*b"]) == {"a*b": "a_b", "a^b": "a_b_2", "c": "c"}
    assert distinct_names([""]) == {"": "_"}
    assert distinct_names([]) == {}


def test_a_name_is_given_once():
    out = Collector()
    out.put("calls/total", 1)
    with pytest.raises(DataError, match="'calls/total'"):
        out.put("calls/total", 2)


def test_an_estimate_brings_its_bounds_and_its_note():
    out = Collector()
    out.estimate("kappa", Estimate(0.5, 0.4, 0.6, 10, "how"))
    result = out.result()
    assert result.metrics == {"kappa": 0.5, "kappa/ci_low": 0.4, "kappa/ci_high": 0.6}
    assert result.notes == {"kappa": "how"}


def test_missing_names_are_nan_with_the_reason():
    out = Collector()
    out.missing(["a", "b"], "why")
    assert all(math.isnan(value) for value in out.result().metrics.values())
    assert out.result().notes == {"a": "undefined: why", "b": "undefined: why"}
