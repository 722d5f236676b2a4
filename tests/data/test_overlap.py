"""What counts as the same prompt, and what two data sets share."""

import pytest

from venire.data.overlap import normalised, overlap
from venire.records import Instance, Response


def instance(id: str, prompt: str) -> Instance:
    return Instance(id, prompt, (Response("a"), Response("b")))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Why is the sky blue?", "  why is\nthe SKY blue ", True),
        ("Write “Hello”.", 'Write "Hello"', True),
        ("ﬁne", "FINE", True),  # NFKC takes the ligature apart
        ("Straße", "STRASSE", True),
        ("Why is the sky blue?", "Why is the sky red?", False),
        ("?!", "?!", True),
        ("?!", "!?", False),  # no word at all: the text itself
        ("你好，世界", "你好 世界", True),
    ],
)
def test_prompts_are_the_same_whatever_their_case_layout_and_punctuation(
    one: str, other: str, same: bool
) -> None:
    assert (normalised(one) == normalised(other)) is same


def test_overlap_is_by_id_and_by_prompt_and_of_the_first_set() -> None:
    first = [instance("1", "A."), instance("2", "B"), instance("3", "C"), instance("4", "D")]
    second = [instance("x", "a"), instance("2", "other"), instance("3", "c!")]
    found = overlap(first, second)
    assert (found.by_id, found.by_prompt) == (("2", "3"), ("1", "3"))
    assert found.ids == {"1", "2", "3"}
    assert overlap(first, []).ids == overlap([], second).ids == frozenset()
