"""What a plan notes of the requests that a run would make."""

from dataclasses import dataclass, field

from venire.llm.budget import input_tokens_bound
from venire.metrics.spent import group_of
from venire.records import Price, Request, Usage

_CHARACTERS_A_TOKEN = 4
_TOKENS_A_MESSAGE = 4


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One distinct completion request.

    Args:
        key: its content address; jobs of a sweep that share it pay once.
        stage, model: as asked.
        stored: whether the store answers it.
        input_at_most: tokens, bounded by bytes.
        output_at_most: the request's `max_tokens`; None for no bound.
        expected: tokens as far as they can be told beforehand; of a stored one what it took.
        exact: whether `expected` is what the call will take.
        price: None where unknown.
        instance_id: whom it is about; empty for a call that all instances share.
        group: the stakeholder group whose agent or coordinator is asked; empty for none.
    """

    key: str
    stage: str
    model: str
    stored: bool
    input_at_most: int
    output_at_most: int | None
    expected: Usage
    exact: bool
    price: Price | None
    instance_id: str = ""
    group: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it is made once, however many instances there are."""
        return not self.instance_id


@dataclass(frozen=True, slots=True)
class PlannedText:
    """One distinct text whose vector is asked for; `billed` is False where this machine computes it."""

    key: str
    model: str
    stored: bool
    billed: bool
    input_at_most: int
    input_expected: int
    price: Price | None


@dataclass(slots=True)
class Recording:
    """What was asked so far, each request once.

    `stuck` are the instances that went no further than their unknown replies allow, `skipped` those
    that were not looked at because the memory before them depends on unknown replies.
    """

    calls: dict[str, PlannedCall] = field(default_factory=dict)
    texts: dict[str, PlannedText] = field(default_factory=dict)
    stuck: set[str] = field(default_factory=set)
    skipped: set[str] = field(default_factory=set)

    def note_call(self, call: PlannedCall) -> None:
        """Keep `call`, unless it is known."""
        self.calls.setdefault(call.key, call)

    def note_text(self, text: PlannedText) -> None:
        """Keep `text`, unless it is known."""
        self.texts.setdefault(text.key, text)


def planned_call(
    key: str, request: Request, price: Price | None, *, took: Usage | None, reply: Usage | None, exact: bool
) -> PlannedCall:
    """The note of `request`.

    Args:
        key: its key.
        request: as the run would send it.
        price: of its model.
        took: what the stored reply took, where there is one.
        reply: tokens of a computed reply, where there is one.
        exact: whether `reply` is the reply that the run will get.
    """
    computed = reply if exact and reply is not None else _estimated(request, reply)
    return PlannedCall(
        key=key,
        stage=request.stage,
        model=request.model,
        stored=took is not None,
        input_at_most=input_tokens_bound(request),
        output_at_most=request.max_tokens,
        expected=computed if took is None else took,
        exact=took is None and exact,
        price=price,
        instance_id=request.subject.instance_id if request.subject else "",
        group=group_of(request.role),
    )


def _estimated(request: Request, reply: Usage | None) -> Usage:
    """Input by characters, the reply schema included; output as long as the computed reply."""
    messages = sum(text_tokens(message.content) + _TOKENS_A_MESSAGE for message in request.messages)
    schema = text_tokens(request.schema or "")
    return Usage(messages + schema, None if reply is None else reply.output_tokens)


def text_tokens(text: str) -> int:
    """A token for every four characters, rounded up; 0 for the empty text."""
    return -(-len(text) // _CHARACTERS_A_TOKEN)
