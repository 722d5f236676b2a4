"""Documents in parts."""

from hypothesis import given
from hypothesis import strategies as st

from venire.personas.blocks import Document, Paragraph
from venire.personas.parts import estimated_tokens, parts_of


def document(*texts: str) -> Document:
    paragraphs = tuple(Paragraph(number, text) for number, text in enumerate(texts, 1))
    return Document("a.txt", "0" * 64, "text", paragraphs)


def test_tokens_are_a_quarter_of_ascii_and_every_other_character() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("abcde") == 2
    assert estimated_tokens("말말 a") == 3


def test_a_document_that_fits_is_one_part() -> None:
    (part,) = parts_of(document("a b c", "d e f"), 200)
    assert [paragraph.number for paragraph in part] == [1, 2]


def test_paragraphs_stay_whole_where_they_fit() -> None:
    # 40 characters are 10 tokens, with 4 for the number 14: two of them in 28.
    parts = parts_of(document(*["x" * 40] * 5), 28)
    assert [[paragraph.number for paragraph in part] for part in parts] == [[1, 2], [3, 4], [5]]


def test_a_paragraph_too_long_for_a_part_is_cut_at_sentences_and_keeps_its_number() -> None:
    sentence = "Nurses want short sentences."
    parts = parts_of(document(" ".join([sentence] * 4)), 20)
    assert [[(p.number, p.text) for p in part] for part in parts] == [[(1, f"{sentence} {sentence}")]] * 2


def test_without_sentences_it_is_cut_at_blanks_and_without_blanks_anywhere() -> None:
    assert [part[0].text for part in parts_of(document("ab " * 40), 14)] == [("ab " * 13).strip()] * 3 + [
        "ab"
    ]
    pieces = [part[0].text for part in parts_of(document("말" * 25), 14)]
    assert pieces == ["말" * 10, "말" * 10, "말" * 5]


@given(st.lists(st.text("ab .말", min_size=1, max_size=200), min_size=1, max_size=8), st.integers(12, 60))
def test_every_part_fits_and_nothing_is_lost_but_blanks(texts: list[str], most: int) -> None:
    read = document(*texts)
    parts = parts_of(read, most)
    assert all(sum(estimated_tokens(p.text) + 4 for p in part) <= most for part in parts)
    shown = "".join("".join(p.text.split()) for part in parts for p in part)
    assert shown == "".join("".join(text.split()) for text in texts)
