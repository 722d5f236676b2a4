"""What a run or a sweep may spend, and the worst that one attempt can cost.

The account itself is the ledger: the transaction that grants an attempt its intent adds up what
the scope's attempts have spent and what its open intents may still spend (`store/writing.py`).
So a budget holds over crashes, over resumes and over all processes of a sweep.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.errors import ConfigError
from venire.llm.route import Route
from venire.records import BackendKind, Request

# Tokens that a provider's chat template may add: once a request (a default system prompt, BOS),
# once a message (role markers), and once for a reply schema (a tool-use preamble).
_TEMPLATE_TOKENS = 64
_MESSAGE_TOKENS = 16
_SCHEMA_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Spending:
    """US dollars billed by live providers, calls, and tokens in and out."""

    usd: float = 0.0
    calls: int = 0
    tokens: int = 0

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(self.usd + other.usd, self.calls + other.calls, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class Scope:
    """On whose account: a run's, or that of the whole sweep which it belongs to."""

    run_id: str
    sweep_id: str | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Upper bounds on what a sweep (or a run outside of one) spends; None for no bound.

    Args:
        usd: US dollars billed by live providers; recorded, local and simulated calls bill 0.
        calls: calls answered or given up, of any kind; retries belong to their call. Requests for
            vectors are none: they count with their dollars and tokens.
        tokens: input and output tokens, of any kind.
    """

    usd: float | None = None
    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("usd", "calls", "tokens"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ConfigError(f"budget.{name}: expected at least 0 or null, got {value}")

    @property
    def is_bounded(self) -> bool:
        """Whether there is any bound."""
        return self.usd is not None or self.calls is not None or self.tokens is not None

    def holds(self, spending: Spending) -> bool:
        """Whether `spending` is within every bound."""
        # The dollars are a sum of floats: a budget of exactly ten calls must admit ten.
        return (
            (self.usd is None or spending.usd <= self.usd * (1 + 1e-9))
            and (self.calls is None or spending.calls <= self.calls)
            and (self.tokens is None or spending.tokens <= self.tokens)
        )


def check_budget(budget: Budget, routes: Sequence[Route]) -> None:
    """Refuse a budget in dollars for a live route whose price is unknown.

    Raises:
        ConfigError: names the models.
    """
    if budget.usd is None:
        return
    unpriced = sorted({r.model for r in routes if r.client.kind is BackendKind.LIVE and r.price is None})
    if unpriced:
        raise ConfigError(
            f"budget.usd: expected a price for every live judge, got none for {', '.join(unpriced)}; "
            "set the judge's price, or bound budget.calls or budget.tokens instead"
        )


def how_to_go_on(budget: Budget, scope: Scope, worst: Spending) -> str:
    """What to do where `worst` does not fit into what is left: a run's budget is new with every start."""
    if not budget.holds(worst):
        return "not even this one fits into the budget: raise it"
    if scope.sweep_id:
        again = "raise the budget, which is the whole sweep's, and run the same command again"
    else:
        again = "run the same command again for as much once more, or raise the budget"
    return f"{again}: what is stored is not paid again"


def worst_case(request: Request, route: Route, budget: Budget) -> Spending:
    """The most that one attempt at `request` can take.

    Input tokens are bounded by UTF-8 bytes (a byte-level tokenizer never makes more tokens than
    bytes) and a constant for templates; output tokens by `max_tokens`, reasoning included.

    Raises:
        ConfigError: `budget` bounds dollars or tokens, and the request's output is unbounded.
    """
    if request.max_tokens is None and (budget.usd is not None or budget.tokens is not None):
        raise ConfigError(
            f"max_tokens: expected a number under budget.usd or budget.tokens, got null "
            f"(model {request.model}, stage {request.stage})"
        )
    output_tokens = request.max_tokens or 0
    input_tokens = input_tokens_bound(request)
    return Spending(_worst_usd(route, input_tokens, output_tokens), 1, input_tokens + output_tokens)


def input_tokens_bound(request: Request) -> int:
    """At least as many tokens as any provider counts for the request's input."""
    size = sum(_size(message.content) + _MESSAGE_TOKENS for message in request.messages)
    if request.schema is not None:
        size += 2 * _size(request.schema) + _SCHEMA_TOKENS  # doubled: it may be sent re-indented
    return size + _TEMPLATE_TOKENS


def _worst_usd(route: Route, input_tokens: int, output_tokens: int) -> float:
    price = route.price
    if price is None or route.client.kind is not BackendKind.LIVE:
        return 0.0
    input_rate = max(price.input_per_mtok, price.cached_per_mtok or 0.0)
    return (input_tokens * input_rate + output_tokens * price.output_per_mtok) / 1e6


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
