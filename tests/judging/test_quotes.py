"""Whether a quote stands in a text."""

import pytest

from venire.judging.quotes import stands_in

TEXT = "The “axial tilt” of\n  Earth’s axis causes seasons – not its distance."


@pytest.mark.parametrize(
    "quote",
    [
        "axial tilt",
        'The "axial tilt" of Earth\'s axis',
        "“CAUSES   seasons - not”",
        "the axial tilt ... not its distance",
        "the “axial tilt” … its distance.",
    ],
)
def test_white_space_case_marks_and_ellipses_are_set_aside(quote: str) -> None:
    text = TEXT if '"' in quote or "“axial" in quote else TEXT.replace("“", "").replace("”", "")
    assert stands_in(quote, text)


@pytest.mark.parametrize(
    "quote", ["axial lean", "its distance ... the axial tilt", "", "  ", "...", '"', "season s"]
)
def test_other_words_another_order_and_nothing_stand_nowhere(quote: str) -> None:
    assert not stands_in(quote, TEXT)


def test_a_quote_that_is_too_short_stands_nowhere_unless_the_text_is_as_short() -> None:
    assert not stands_in("its", TEXT, least=4)
    assert stands_in("axis", TEXT, least=4)
    assert stands_in("7", "7", least=4)
    assert not stands_in("7", "17 and 70", least=4)
    assert not stands_in("", "", least=4)
