"""Records as rows of the store's tables, and back."""

from sqlalchemy import RowMapping

from venire.llm.budget import Scope, Spending
from venire.llm.store.codec import dump_reply
from venire.llm.store.entries import Intent, StoredReply
from venire.records import Attempt, AttemptStatus, BackendKind

_SECONDS_A_DAY = 86_400


def reply_row(intent: Intent, reply: StoredReply, request: str, now: float) -> dict[str, object]:
    """A row of `replies`."""
    return {
        "key": intent.key,
        "kind": reply.kind.value,
        "model": reply.model,
        "finish": reply.finish.value,
        "created_at": now,
        "run_id": intent.scope.run_id,
        "request": request,
        "reply": dump_reply(reply),
    }


def intent_row(intent: Intent, owner: str) -> dict[str, object]:
    """A row of `intents`."""
    return {
        "key": intent.key,
        "owner": owner,
        "expires_at": intent.expires_at,
        "run_id": intent.scope.run_id,
        "sweep_id": intent.scope.sweep_id or "",
        "stage": intent.stage,
        "role": intent.role,
        "model": intent.model,
        "kind": intent.kind.value,
        "started_at": intent.started_at,
        "worst_usd": intent.worst.usd,
        "worst_tokens": intent.worst.tokens,
    }


def attempt_row(intent: Intent, attempt: Attempt, ends_call: bool) -> dict[str, object]:
    """A row of `attempts`."""
    usage = attempt.usage
    return {
        "key": intent.key,
        "run_id": intent.scope.run_id,
        "sweep_id": intent.scope.sweep_id or "",
        "stage": intent.stage,
        "role": intent.role,
        "model": intent.model,
        "kind": intent.kind.value,
        "status": attempt.status.value,
        "ends_call": int(ends_call),
        "day": int(attempt.started_at // _SECONDS_A_DAY),
        "started_at": attempt.started_at,
        "latency_s": attempt.latency_s,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": attempt.cost_usd,
        "worst_usd": intent.worst.usd,
        "worst_tokens": intent.worst.tokens,
        "detail": attempt.detail,
    }


def intent_of(row: RowMapping) -> Intent:
    """The intent that a row of `intents` keeps."""
    return Intent(
        key=row["key"],
        scope=Scope(row["run_id"], row["sweep_id"] or None),
        stage=row["stage"],
        role=row["role"],
        model=row["model"],
        kind=BackendKind(row["kind"]),
        started_at=row["started_at"],
        expires_at=row["expires_at"],
        worst=Spending(row["worst_usd"], 1, row["worst_tokens"]),
    )


def abandoned(row: RowMapping) -> Attempt:
    """The attempt that was in flight when the owner of a row of `intents` died or broke it off."""
    detail = "in flight when its process died or was stopped"
    return Attempt(AttemptStatus.UNCERTAIN, row["started_at"], 0.0, detail=detail)
