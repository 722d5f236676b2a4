"""What the calls of one opening came to, for the runner's summary and warnings."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.llm.budget import Spending
from venire.records import BackendKind, Call, Completion, FinishReason, Request

_ANSWERED = (FinishReason.STOP, FinishReason.LENGTH)


@dataclass(frozen=True, slots=True)
class Summary:
    """What one opening of the call path did.

    Args:
        paid, replayed: replies handed out, by who answered.
        failed: completions handed out without a reply.
        uncertain: of both, those whose request was already in flight when an earlier process died.
        spent: what this opening's attempts are known to have taken (dollars: live ones only).
        spent_complete: false where usage or price of some attempt is unknown: then `spent` is a
            lower bound.
        lost: calls with attempts that ended without a completion: by a refused key, the budget, a stop.
        warnings: a sentence each.
    """

    paid: int
    replayed: int
    failed: int
    uncertain: int
    spent: Spending
    spent_complete: bool
    lost: tuple[Call, ...]
    warnings: tuple[str, ...]


class Totals:
    """Counts completions as they are handed out."""

    def __init__(self) -> None:
        self._paid = 0
        self._replayed = 0
        self._failed = 0
        self._lost: list[Call] = []
        self._uncertain = 0
        self._spent = Spending()
        self._complete = True
        self._returned: dict[str, set[tuple[str, str]]] = {}

    def count(self, request: Request, completion: Completion) -> Completion:
        """`completion`, counted."""
        if completion.replayed:
            self._replayed += 1
        else:
            self._failed += completion.finish is FinishReason.ERROR
            self._paid += completion.finish is not FinishReason.ERROR
            self._uncertain += completion.uncertain
            self._spend(completion)
        if completion.finish in _ANSWERED:  # elsewhere the model is only the one that was asked
            returned = self._returned.setdefault(request.model, set())
            returned.add((completion.model, completion.fingerprint or ""))
        return completion

    def lose(self, request: Request, completion: Completion) -> None:
        """Count what nobody is handed."""
        self._lost.append(completion.as_call(request))
        self._spend(completion)

    def summary(self, more_lost: Sequence[Call] = ()) -> Summary:
        """The totals so far; `more_lost` are calls that were not lost here."""
        return Summary(
            paid=self._paid,
            replayed=self._replayed,
            failed=self._failed,
            uncertain=self._uncertain,
            spent=self._spent,
            spent_complete=self._complete,
            lost=(*self._lost, *more_lost),
            warnings=tuple(self._warnings()),
        )

    def _spend(self, completion: Completion) -> None:
        is_live = completion.kind is BackendKind.LIVE
        self._spent += Spending(calls=1)
        for attempt in completion.attempts:
            usage = attempt.usage
            known = usage.input_tokens is not None and usage.output_tokens is not None
            self._complete &= known and not (is_live and attempt.cost_usd is None)
            tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
            self._spent += Spending((attempt.cost_usd or 0.0) if is_live else 0.0, 0, tokens)

    def _warnings(self) -> list[str]:
        return [
            f"{asked} was answered by {len(returned)} versions: "
            + ", ".join(
                f"{model} ({fingerprint})" if fingerprint else model
                for model, fingerprint in sorted(returned)
            )
            for asked, returned in sorted(self._returned.items())
            if len(returned) > 1
        ]
