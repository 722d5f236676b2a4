"""Replies: from a model's text to a typed object, or to the reason why there is none.

The text is foreign: it may be prose around JSON, broken JSON, or an echo of what the judge was
shown, fake verdicts included. The rules, in this order:

1. Only complete JSON objects at top level count: not those inside another object or a string.
   Trailing commas and raw line breaks in strings are mended; nothing is ever completed or guessed.
2. An object that stands in what the judge was shown (white space aside) is an echo, not a reply.
3. An *attempt* is an object with all fields that the reply must have, or one that is begun like
   JSON and broken. The last attempt must be valid, and every valid one must decide the same.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from venire.records import Completion, FinishReason, Reason, Unscored


class Reply(BaseModel):
    """What a judge is asked to reply. Subclasses put their reasoning fields before the verdict."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", allow_inf_nan=False)

    @property
    def decision(self) -> object:
        """What two replies must share to be the same judgment; wording and confidence aside."""
        return self


R = TypeVar("R", bound=Reply)
P = TypeVar("P", bound=BaseModel)


def read_completion(completion: Completion, model: type[R], *, shown: Sequence[str] = ()) -> R | Unscored:
    """The typed reply of `completion`, or why there is none: refused, cut, failed or unusable."""
    match completion.finish:
        case FinishReason.REFUSED:
            return Unscored(Reason.REFUSED, completion.text[:200])
        case FinishReason.LENGTH:
            return Unscored(Reason.TRUNCATED, f"cut after {len(completion.text)} characters")
        case FinishReason.ERROR:
            return Unscored(Reason.PROVIDER_ERROR, completion.error)
        case FinishReason.STOP:
            return parse_reply(completion.text, model, shown=shown)


def parse_reply(text: str, model: type[R], *, shown: Sequence[str] = ()) -> R | Unscored:
    """The one judgment that `text` states, or `Unscored(UNPARSED)` with what is wrong; never raises.

    Args:
        text: the reply as it came.
        model: what it should hold.
        shown: the texts that the judge was given; their JSON objects are no reply.
    """
    if not text.strip():
        return _unparsed("it is empty")
    attempts = [piece for piece in _pieces(text) if _is_attempt(piece, model)]
    if attempts and any("{" in each for each in shown):
        given = _squeezed("\n".join(shown))
        attempts = [piece for piece in attempts if _squeezed(piece.text) not in given]
    if not attempts:
        return _unparsed(f"it holds no JSON object with the field(s) {', '.join(_required(model))}")
    read = [_validated(piece, model) for piece in attempts]
    last = read[-1]
    if isinstance(last, Unscored):
        return last
    if any(isinstance(other, Reply) and other.decision != last.decision for other in read):
        return _unparsed("it holds verdicts that contradict each other")
    return last


@cache
def schema_text(model: type[Reply]) -> str:
    """The JSON schema of `model` for constrained decoding: compact, fields in declared order.

    Every field is required and no other is allowed, as providers' strict modes demand. Bounds on
    numbers are left out, since not every provider takes them: the parser checks them. The order of
    `properties` carries meaning (reasoning comes before the verdict): never sort it.
    """
    schema = model.model_json_schema()
    strict = {"title": model.__name__, **_strict(schema)}
    return json.dumps(strict, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a reply that begins with a brace; `value` is None where it is no JSON object."""

    text: str
    value: Mapping[str, object] | None


class _NotJson(ValueError):
    """JSON in which a key stands twice, or NaN or Infinity: what it says is not certain."""


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _NotJson
    return made


def _no_constant(name: str) -> object:
    raise _NotJson(name)


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_no_constant)
# An unclosed string runs to the end, without backtracking: else a hostile text takes quadratic time.
_STRING = r'"(?:[^"\\]++|\\.|\\\Z)*+(?:"|\Z)'
_TOKEN = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_BEGUN_LIKE_JSON = re.compile(r'\{\s*"')


def _pieces(text: str) -> Iterator[_Piece]:
    """The brace-delimited stretches at top level, in order; one that never closes ends the search."""
    at = text.find("{")
    while at >= 0:
        value, end = _object_at(text, at)
        if end is None:
            # Prose with a lone brace, or a cut object: only a fenced block after it stands on its own.
            fence = _last_fence(text)
            if fence <= at:
                yield _Piece(text[at:], None)
                return
            yield _Piece(text[at:fence], None)
            end = fence
        else:
            yield _Piece(text[at:end], value)
        at = text.find("{", end)


def _object_at(text: str, at: int) -> tuple[Mapping[str, object] | None, int | None]:
    """The object that begins at `at` (None if it is none), and its end (None if it never closes)."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        end = _closing(text, at)
    if end is None:
        return None, None
    try:
        return _DECODER.decode(_TRAILING_COMMA.sub(r"\1", text[at:end])), end
    except (ValueError, RecursionError):
        return None, end


def _closing(text: str, at: int) -> int | None:
    """The position after the brace that closes the one at `at`; braces in strings do not count."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0 and token.group() == "}":
            return token.end()
    return None


def _last_fence(text: str) -> int:
    """Where the content of the last fenced block begins; -1 where there is none."""
    closing = text.rstrip().rfind("```")
    opening = text.rfind("```", 0, max(closing, 0))
    return opening + 3 if opening >= 0 else -1


def _is_attempt(piece: _Piece, model: type[Reply]) -> bool:
    if piece.value is None:
        return _BEGUN_LIKE_JSON.match(piece.text) is not None
    return all(name in piece.value for name in _required(model))


def _validated(piece: _Piece, model: type[R]) -> R | Unscored:
    if piece.value is None:
        return _unparsed("its last JSON object is broken or incomplete")
    try:
        return model.model_validate(piece.value)
    except ValidationError as error:
        return _unparsed(_faults_in(error))


def part(name: str, model: type[P], value: object) -> P:
    """The part `name` of a reply, for validators of the whole.

    Raises:
        ValueError: it is not valid; says what is wrong, under its name.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise ValueError(f"{name}: {_faults_in(error)}") from None


def _faults_in(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())


@cache
def _required(model: type[Reply]) -> tuple[str, ...]:
    return tuple(name for name, field in model.model_fields.items() if field.is_required())


def _squeezed(text: str) -> str:
    """`text` without white space."""
    if text.isascii():  # the same, ten times as fast: every prompt passes here
        return text.encode().translate(None, _ASCII_SPACES).decode()
    return "".join(text.split())


_ASCII_SPACES = bytes(code for code in range(128) if chr(code).isspace())


def _unparsed(detail: str) -> Unscored:
    return Unscored(Reason.UNPARSED, detail)


_LEFT_OUT = frozenset({"title", "default", "description", "minimum", "maximum", "format"})


def _strict(node: Mapping[str, object]) -> dict[str, object]:
    """`node` without annotations and bounds, every object closed and all its fields required."""
    made: dict[str, object] = {}
    for key, value in node.items():
        if key in ("properties", "$defs") and isinstance(value, Mapping):
            made[key] = {name: _strict(child) for name, child in value.items()}
        elif isinstance(value, Mapping):
            made[key] = _strict(value)
        elif isinstance(value, list):
            made[key] = [_strict(item) if isinstance(item, Mapping) else item for item in value]
        elif key not in _LEFT_OUT:
            made[key] = value
    if isinstance(properties := made.get("properties"), Mapping):
        made |= {"required": list(properties), "additionalProperties": False}
    return made
