"""What a text's vector took: its share of its request, and the records made of shares.

A provider counts the tokens of a request; a request's texts are whatever was missing from the
store at that moment. Shares make the sums of a run the same whoever paid, and when.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from venire.hashing import digest
from venire.llm.budget import Spending
from venire.llm.embedding import Embedded, EmbeddingModel
from venire.llm.route import Route
from venire.llm.store.vectors import StoredVector
from venire.records import EMBEDDING_STAGE, Attempt, BackendKind, Call, FinishReason, Usage

# Dollars of a share are multiples of 2^-40 (about 1e-12): sums of them are exact up to 8,192 dollars,
# so that they do not depend on how the texts were grouped.
_GRAIN = 2.0**40
_TEXT_TOKENS = 16  # that a provider may add to a text (markers at its ends)


def worst_of(text: str, route: Route) -> Spending:
    """The most that `text` can take in one attempt: no byte-level tokenizer makes more tokens than bytes."""
    tokens = len(text.encode("utf-8", "surrogatepass")) + _TEXT_TOKENS
    rate = 0.0 if route.price is None else route.price.input_per_mtok
    return Spending(tokens * rate / 1e6, 1, tokens)


def shares(
    texts: Mapping[str, str], embedded: Embedded, attempts: Sequence[Attempt]
) -> dict[str, StoredVector]:
    """The vectors of `texts` (by key), each with its share of what `attempts` took.

    Shares are in proportion to UTF-8 bytes; tokens are whole and add up exactly.
    """
    sizes = [len(text.encode("utf-8", "surrogatepass")) for text in texts.values()]
    counts = [a.usage.input_tokens for a in attempts if a.usage.input_tokens is not None]
    costs = [a.cost_usd for a in attempts if a.cost_usd is not None]
    tokens = apportion(sum(counts), sizes)
    total = sum(sizes)
    return {
        key: StoredVector(
            vector=row,
            model=embedded.model,
            kind=BackendKind.LIVE,
            input_tokens=share if counts else None,
            cost_usd=round(sum(costs) * size / total * _GRAIN) / _GRAIN if costs else None,
            usage_complete=len(counts) == len(attempts),
            cost_complete=len(costs) == len(attempts),
        )
        for key, row, share, size in zip(texts, embedded.vectors, tokens, sizes, strict=True)
    }


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """`total` in whole shares in proportion to `weights`, by largest remainder; ties to the first.

    Empty without weights. Equal shares where all weights are 0.
    """
    if not weights:
        return []
    heavy = np.asarray(weights if any(weights) else [1] * len(weights), dtype=np.int64)
    exact = total * heavy
    floors = exact // heavy.sum()
    left = total - int(floors.sum())
    first = np.argsort(-(exact % heavy.sum()), kind="stable")[:left]
    floors[first] += 1
    return [int(share) for share in floors]


def embedding_call(
    model: EmbeddingModel, by_key: Mapping[str, StoredVector], attempts: Sequence[Attempt] = ()
) -> Call:
    """The record of vectors that `attempts` made, or that (without any) the store had."""
    vectors = list(by_key.values())
    tokens = [each.input_tokens for each in vectors if each.input_tokens is not None]
    costs = [each.cost_usd for each in vectors if each.cost_usd is not None]
    return Call(
        key=batch_key(list(by_key)),
        stage=EMBEDDING_STAGE,
        role=model.name,
        model_asked=model.model,
        model_returned=vectors[0].model,
        fingerprint=None,
        kind=vectors[0].kind,
        usage=Usage(input_tokens=sum(tokens), output_tokens=0) if tokens else Usage(),
        usage_complete=all(each.usage_complete and each.input_tokens is not None for each in vectors),
        cost_usd=sum(costs) if costs else None,
        cost_complete=all(each.cost_complete and each.cost_usd is not None for each in vectors),
        latency_s=attempts[-1].latency_s if attempts else 0.0,
        attempts=len(attempts),
        replayed=not attempts,
        finish=FinishReason.STOP,
        texts=len(vectors),
    )


def failed_call(model: EmbeddingModel, keys: Sequence[str], attempts: Sequence[Attempt]) -> Call:
    """The record of a request, tried as `attempts`, that brought no vector."""
    tokens = [a.usage.input_tokens for a in attempts if a.usage.input_tokens is not None]
    costs = [a.cost_usd for a in attempts if a.cost_usd is not None]
    return Call(
        key=batch_key(keys),
        stage=EMBEDDING_STAGE,
        role=model.name,
        model_asked=model.model,
        model_returned=model.model,
        fingerprint=None,
        kind=model.kind,
        usage=Usage(input_tokens=sum(tokens), output_tokens=0) if tokens else Usage(),
        usage_complete=len(tokens) == len(attempts),
        cost_usd=sum(costs) if costs else None,
        cost_complete=len(costs) == len(attempts),
        latency_s=attempts[-1].latency_s,
        attempts=len(attempts),
        replayed=False,
        finish=FinishReason.ERROR,
    )


def batch_key(keys: Sequence[str]) -> str:
    """The name of a request for the vectors under `keys`."""
    return digest(list(keys))
