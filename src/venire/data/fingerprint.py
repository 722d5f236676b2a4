"""Content addresses: of a whole data set, of a prompt's cluster, of a row without an id."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from venire.records import Dimension, Gold, Instance, PreferenceGold


def fingerprint(instances: Iterable[Instance]) -> str:
    """SHA-256 (64 hex digits) over ids, texts and gold, in order.

    Texts are prompt, context, reference, the responses' texts, and what they are rated on, with its
    scale. Subset, cluster, generators and metadata are left out: they change tables, never what is judged
    or what is right. Each instance is one line of canonical JSON, so no two different sequences give the
    same bytes.
    """
    digest = hashlib.sha256()
    for instance in instances:
        digest.update(canonical_json(_content(instance)).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no spaces, no NaN, and non-ASCII as it is: equal values, equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def prompt_cluster(prompt: str) -> str:
    """The cluster of everything that has this prompt, in whatever subset or data set (`prompt-<12 hex>`)."""
    return f"prompt-{hashlib.sha256(prompt.encode()).hexdigest()[:12]}"


def content_id(prompt: str, context: str | None, responses: Sequence[str]) -> str:
    """The id of an instance whose file has no ids (16 hex): same texts, same id, in whatever row."""
    text = canonical_json([prompt, context, list(responses)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _content(instance: Instance) -> list[object]:
    content: list[object] = [
        instance.id,
        instance.prompt,
        instance.context,
        instance.reference,
        [response.text for response in instance.responses],
        _gold(instance.gold),
    ]
    # Only where there are some: the fingerprints of pairs stay what they were.
    return [*content, [_dimension(each) for each in instance.dimensions]] if instance.dimensions else content


def _dimension(dimension: Dimension) -> list[object]:
    step = None if dimension.step is None else float(dimension.step)
    ends = [float(dimension.low), float(dimension.high)]
    return [dimension.name, dimension.description, *ends, step, dimension.asked]


def _gold(gold: Gold | None) -> Mapping[str, object] | None:
    if gold is None:
        return None
    if isinstance(gold, PreferenceGold):
        votes = {winner.value: count for winner, count in gold.votes.items()}
        return {"winner": gold.winner.value, "votes": votes}
    by_annotator = {name: _floats(ratings) for name, ratings in gold.by_annotator.items()}
    return {"mean": _floats(gold.mean), "by_annotator": by_annotator}


def _floats(ratings: Mapping[str, float]) -> dict[str, float]:
    # 4 and 4.0 are the same rating but not the same JSON.
    return {dimension: float(rating) for dimension, rating in ratings.items()}
