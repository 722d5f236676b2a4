import pytest

from venire.commands.people import _is_override


@pytest.mark.parametrize(
    ("text", "is_override"),
    [
        ("dataset=mslr", True),
        ("+dataset.limit=4", True),
        ("dataset@development.dataset=x", True),
        ("20261130-180755-547-cascade-thresholds=given-f4c47612", False),  # the id of a run
        ("/home/runs/20261130-a=b", False),
        ("20261130", False),
        (None, False),
    ],
)
def test_a_run_is_told_from_an_override(text, is_override):
    assert _is_override(text) is is_override
