"""NO MORE COMMENTS: what ends a speaker's part, and what only mentions it; and who says the same again."""

import pytest

from venire.judging.closing import repeated, says_no_more


@pytest.mark.parametrize(
    "message",
    [
        "NO MORE COMMENTS",
        "I keep my ratings. NO MORE COMMENTS",
        "I keep my ratings, NO MORE COMMENTS.",
        "NO MORE COMMENTS: my ratings are below.",
        "NO MORE COMMENTS from me.",
        "The dose is wrong.\nNO MORE\nCOMMENTS\n",
        "**NO MORE COMMENTS**",
        "_NO MORE COMMENTS_",
        'I agree with the nurse. "NO MORE COMMENTS"',
        "It is not fluent. NO MORE COMMENTS!",  # the negation is another sentence's
        "(NO MORE COMMENTS)",
    ],
)
def test_the_phrase_as_a_word_of_its_own_ends_the_part(message: str) -> None:
    assert says_no_more(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "I have comments.",
        "I have no more comments on grammar, but one on the dose.",  # capital letters only
        "No More Comments",
        "XNO MORE COMMENTS",
        "NO MORE COMMENTSX",
        "NO MORE COMMENTS2",
        "PIANO MORE COMMENTS",
        "TECHNO-NO MORE COMMENTS-LIST",
        "NOMORECOMMENTS",
        "NO MORE. COMMENTS",
        'I will not say "NO MORE COMMENTS" before the dose is settled.',
        "I can't say NO MORE COMMENTS yet.",
        "I would never write NO MORE COMMENTS here.",
        'Whoever writes "NO MORE COMMENTS" now gives up too early.',
        "Who writes “NO MORE COMMENTS” gives up too early.",
        "NO MORE COMMENTS? I have plenty.",
        "NO\n\nMORE. COMMENTS",
    ],
)
def test_a_mention_a_part_of_a_word_a_negation_or_a_question_does_not(message: str) -> None:
    assert not says_no_more(message)


def test_a_message_that_mentions_and_then_says_it_ends_the_part() -> None:
    assert says_no_more('I would not say "NO MORE COMMENTS" lightly. But it is all said. NO MORE COMMENTS.')


SAID = [(1, "The effect is reversed, see the second study."), (4, "The dose is missing.")]


def test_the_same_words_are_a_repetition_whatever_case_and_punctuation() -> None:
    assert repeated("the DOSE is missing!!", SAID, 0.9) == 4
    assert repeated("The dose is missing. NO MORE COMMENTS", SAID, 0.9) == 4


def test_a_message_that_adds_something_is_none() -> None:
    assert repeated("The dose is missing, and so is the population.", SAID, 0.9) is None
    assert repeated("I agree.", SAID, 0.9) is None
    assert repeated("I agree.", [], 0.9) is None


def test_the_threshold_is_a_share_of_three_word_sequences() -> None:
    # 5 words have 3 sequences, 6 words 4; the first 3 are common: 3 / 4
    earlier = [(1, "one two three four five")]
    assert repeated("one two three four five six", earlier, 0.75) == 1
    assert repeated("one two three four five six", earlier, 0.76) is None


def test_messages_of_fewer_than_three_words_are_compared_whole() -> None:
    assert repeated("I agree.", [(2, "i agree")], 1.0) == 2
    assert repeated("I disagree.", [(2, "i agree")], 0.5) is None
