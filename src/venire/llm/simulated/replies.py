"""From what a judge would say to the text of a reply, its ending and its tokens."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from venire.llm.simulated.simulation import ReplyStyle
from venire.records import FinishReason, Message, Usage

MARK = "[simulated]"
_FILLER = "No model read these texts; these words stand where a judge would reason, so that tokens count. "
_FILLER_WORDS = tuple((_FILLER * 8).split())
_CHARACTERS_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 4


class Form(Enum):
    """How one reply is written."""

    PLAIN = "plain"
    FENCED = "fenced"
    PREFIXED = "prefixed"
    MALFORMED = "malformed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Written:
    """A reply's text and how it ended."""

    text: str
    finish: FinishReason


def reasoning(finding: str, mean_words: int, draw: float) -> str:
    """`[simulated] <finding>`, filled up to the number of words that `draw` in [0, 1) decides."""
    words = round(mean_words * (0.5 + draw))
    head = f"{MARK} {finding}"
    missing = max(0, words - len(head.split()))
    repeats = -(-missing // len(_FILLER_WORDS))
    return " ".join([head, *(_FILLER_WORDS * repeats)[:missing]])


def form(style: ReplyStyle, draw: float) -> Form:
    """The form that `draw` in [0, 1) decides, in the proportions of `style`."""
    edge = 0.0
    for candidate, share in (
        (Form.REFUSED, style.refused),
        (Form.MALFORMED, style.malformed),
        (Form.FENCED, style.fenced),
        (Form.PREFIXED, style.prefixed),
    ):
        edge += share
        if draw < edge:
            return candidate
    return Form.PLAIN


def write(answer: Mapping[str, object], how: Form, max_tokens: int | None) -> Written:
    """`answer` as JSON text in the given form; cut where it is longer than `max_tokens`."""
    body = json.dumps(answer, ensure_ascii=False)
    match how:
        case Form.REFUSED:
            return Written(f"{MARK} I cannot compare these responses.", FinishReason.REFUSED)
        case Form.MALFORMED:
            text = body[: len(body) // 3]
        case Form.FENCED:
            text = f"```json\n{body}\n```"
        case Form.PREFIXED:
            text = f"Here is my verdict:\n\n{body}"
        case Form.PLAIN:
            text = body
    if max_tokens is not None and text_tokens(text) > max_tokens:
        return Written(text[: max_tokens * _CHARACTERS_PER_TOKEN], FinishReason.LENGTH)
    return Written(text, FinishReason.STOP)


def usage(messages: tuple[Message, ...], text: str) -> Usage:
    """An estimate: a token for every four characters, rounded up, and four more a message of the input."""
    asked = sum(text_tokens(message.content) + _TOKENS_PER_MESSAGE for message in messages)
    return Usage(input_tokens=asked, output_tokens=text_tokens(text))


def text_tokens(text: str) -> int:
    """A token for every four characters, rounded up; 0 for the empty text."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def logistic(x: float) -> float:
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * (1 + math.tanh(x / 2))


def logit(draw: float) -> float:
    """A standard logistic number from a uniform one in [0, 1)."""
    inside = min(max(draw, 1e-12), 1 - 1e-12)
    return math.log(inside / (1 - inside))
