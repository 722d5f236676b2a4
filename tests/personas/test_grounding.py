"""Whether a quote stands in a document."""

import pytest

from venire.personas.blocks import Paragraph
from venire.personas.grounding import LEAST_WORDS, THRESHOLD, Match, Source

SOURCE = Source(
    [
        Paragraph(
            3, "The nurses said: “Don’t tell me it works, tell me for **whom** it works.” They were firm."
        ),
        Paragraph(7, "Patients wanted plain words. Nothing else would do for them, they said."),
    ]
)


def find(quote: str) -> Match:
    return SOURCE.find(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "Don’t tell me it works, tell me for **whom** it works",
        '"don\'t tell me it works -- tell me for whom it works"',
        "DON'T TELL ME IT WORKS,\n TELL ME FOR WHOM IT WORKS.",
    ],
)
def test_case_punctuation_markup_and_white_space_do_not_count(quote: str) -> None:
    match = find(quote)
    assert match.ratio == 1.0
    assert (match.paragraph, match.text) == (3, "Don’t tell me it works, tell me for **whom** it works.")


def test_a_slip_passes_and_the_passage_is_the_document_s_own_words() -> None:
    match = find("Patients wanted plane words. Nothing else would do for them")
    assert match.is_grounded
    assert match.ratio < 1.0
    assert match.text == "Patients wanted plain words. Nothing else would do for them"


def test_the_ratio_is_that_of_difflib_over_the_words() -> None:
    # Against `works they were firm`: 20 letters and blanks each, one of them differs, 2 * 19 / (20 + 20).
    assert find("works they were form").ratio == pytest.approx(0.95, abs=1e-12)


@pytest.mark.parametrize(
    "quote",
    [
        "Physicians asked for more figures in every table",
        "Nurses want it to be clear for whom a treatment works and for whom it does not",
        "Patients wanted plain words, and they wanted them early on in the text",
    ],
)
def test_other_words_are_not_grounded(quote: str) -> None:
    assert find(quote).ratio < THRESHOLD


@pytest.mark.parametrize("quote", ["", "...", "plain words", "Patients wanted plain"])
def test_a_quote_of_too_few_words_stands_nowhere(quote: str) -> None:
    assert LEAST_WORDS == 4
    assert find(quote) == Match(0.0, 0, "")


def test_a_quote_without_a_word_of_the_document_has_no_passage() -> None:
    assert find("xylophones quack beneath zeppelins") == Match(0.0, 0, "")


def test_a_quote_over_the_end_of_a_paragraph_counts_where_it_begins() -> None:
    match = find("They were firm. Patients wanted plain words.")
    assert (match.ratio, match.paragraph) == (1.0, 3)
    assert match.text == "They were firm. Patients wanted plain words."


def test_what_is_said_twice_is_found_where_it_is_said_first() -> None:
    twice = Source([Paragraph(1, "Say who was treated."), Paragraph(2, "Say who was treated.")])
    assert twice.find("say who was treated").paragraph == 1


def test_texts_without_blanks_are_compared_by_characters() -> None:
    source = Source([Paragraph(1, "患者想要简单的话。护士想要短句。")])
    assert source.find("护士想要短句").text == "护士想要短句"
    assert source.find("医生想要长句子吗").ratio < THRESHOLD


def test_korean_quotes_are_found_by_their_words() -> None:
    source = Source([Paragraph(5, "환자들은 집에서 다시 말할 수 있는 쉬운 말을 원했다.")])
    match = source.find("집에서 다시 말할 수 있는 쉬운 말을 원했다")
    assert (match.ratio, match.paragraph) == (1.0, 5)
