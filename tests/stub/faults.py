"""What can go wrong at a provider, and which request it happens to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tests.stub.replies import draw


class Fault(StrEnum):
    """One way to answer badly; OK is none."""

    OK = "ok"
    RATE_LIMIT = "rate_limit"  # 429 without Retry-After
    RATE_LIMIT_WAIT = "rate_limit_wait"  # 429 with Retry-After in seconds
    RATE_LIMIT_DATE = "rate_limit_date"  # 429 with Retry-After as an HTTP date
    QUOTA = "quota"  # 429 insufficient_quota: final
    SERVER_ERROR = "server_error"
    UNAVAILABLE = "unavailable"  # 503 with Retry-After
    HANG = "hang"
    RESET = "reset"
    MALFORMED_BODY = "malformed_body"
    EMPTY_BODY = "empty_body"
    NO_CHOICES = "no_choices"
    ERROR_IN_200 = "error_in_200"
    UNAUTHORIZED = "unauthorized"  # quotes the key, as careless providers do
    FORBIDDEN = "forbidden"
    UNKNOWN_MODEL = "unknown_model"
    REDIRECT = "redirect"
    CONTEXT_LENGTH = "context_length"
    BAD_REQUEST = "bad_request"
    FILTERED_PROMPT = "filtered_prompt"  # 400 content_filter
    FILTERED_REPLY = "filtered_reply"  # finish_reason content_filter
    REFUSAL = "refusal"  # message.refusal
    TRUNCATED = "truncated"  # cut JSON, finish_reason length
    FENCED = "fenced"
    PREFIXED = "prefixed"
    NESTED_BRACES = "nested_braces"
    TRAILING_COMMA = "trailing_comma"
    BROKEN_JSON = "broken_json"  # prose, no JSON, finish_reason stop
    WRONG_LABEL = "wrong_label"
    EMPTY_TEXT = "empty_text"
    NULL_TEXT = "null_text"
    MISSING_USAGE = "missing_usage"


STILL_A_VERDICT = frozenset(
    {Fault.OK, Fault.FENCED, Fault.PREFIXED, Fault.NESTED_BRACES, Fault.TRAILING_COMMA, Fault.MISSING_USAGE}
)


@dataclass(frozen=True)
class FaultPlan:
    """Which fault the k-th request with one body meets (k from 0): the script's k-th, else by chance.

    Only the seed, the body and k decide, never the order in which requests arrive.

    Args:
        script: faults of the first requests with each body; then `probability` decides.
        probability: chance of each fault; the rest is OK.
        seed: of that chance.
        matching: only bodies that contain this text are faulty.
    """

    script: tuple[Fault, ...] = ()
    probability: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0
    matching: str = ""

    def fault(self, body_digest: str, attempt: int, body_text: str = "") -> Fault:
        """The fault of that request."""
        if self.matching not in body_text:
            return Fault.OK
        if attempt < len(self.script):
            return self.script[attempt]
        u = draw(self.seed, body_digest, attempt)
        for fault, chance in sorted(self.probability.items()):
            if u < chance:
                return fault
            u -= chance
        return Fault.OK


def distort(verdict: Mapping[str, object], fault: Fault) -> str:
    """The reply's text under a fault of form."""
    text = json.dumps(verdict)
    match fault:
        case Fault.TRUNCATED:
            return text[: len(text) // 2]
        case Fault.FENCED:
            return f"```json\n{text}\n```"
        case Fault.PREFIXED:
            return f"Here is my verdict:\n{text}\nI hope this helps."
        case Fault.NESTED_BRACES:
            return json.dumps({"reasoning": 'In f(x) = {x: {y}} the "}" matters.', **_rest(verdict)})
        case Fault.TRAILING_COMMA:
            return text[:-1] + ",}"
        case Fault.BROKEN_JSON:
            return "Both answers have merits, and I would rather not choose."
        case Fault.WRONG_LABEL:
            return json.dumps({**verdict, "winner": "C"})
        case Fault.EMPTY_TEXT:
            return ""
        case _:
            return text


def _rest(verdict: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in verdict.items() if name != "reasoning"}
