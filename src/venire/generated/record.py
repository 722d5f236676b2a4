"""What was generated as a file: its text, who answered and what it cost."""

import re
from collections.abc import Mapping, Sequence

import yaml

from venire.generated.calling import Calling
from venire.records import Call

_WIDTH = 120
_REFERENCE = re.compile(r"(\\*)\$\{")


def yaml_of(content: Mapping[str, object], header: Sequence[str]) -> str:
    """The file's text: comment lines, then `content` with interpolations of hydra taken as plain text."""
    body = yaml.safe_dump(
        escaped(content), sort_keys=False, allow_unicode=True, width=_WIDTH, default_flow_style=False
    )
    return "".join(f"# {line}\n" for line in header) + body


def escaped(node: object) -> object:
    r"""`node` as omegaconf reads it back.

    `${` would be a reference: it is written `\${`, backslashes before it doubled. A lone `???` would be a
    value that is missing.
    """
    if isinstance(node, Mapping):
        return {key: escaped(value) for key, value in node.items()}
    if isinstance(node, list):
        return [escaped(item) for item in node]
    if not isinstance(node, str):
        return node
    return "(???)" if node == "???" else _REFERENCE.sub(r"\1\1\\${", node)


def who_answered(calls: Sequence[Call]) -> list[str]:
    """The models that providers say have answered."""
    return sorted({call.model_returned for call in calls})


def written_with(model: str, *, simulated: bool) -> str:
    """What wrote it, as the file's first line says it."""
    return "SIMULATED replies (no model has read anything; for trying things out)" if simulated else model


def judge_node(calling: Calling, calls: Sequence[Call]) -> dict[str, object]:
    """Who was asked and who answered, for the provenance."""
    return {
        "name": calling.judge.name,
        "model": calling.judge.model,
        "answered": who_answered(calls),
        "temperature": calling.judge.temperature,
    }


def sums(calls: Sequence[Call]) -> dict[str, object]:
    """Calls, tokens and dollars; None where some are unknown. Replayed ones count as when they were paid."""
    tokens = [(call.usage.input_tokens, call.usage.output_tokens) for call in calls]
    counted = all(call.usage_complete for call in calls)
    priced = all(call.cost_complete for call in calls)
    return {
        "calls": len(calls),
        "input_tokens": sum(into or 0 for into, _ in tokens) if counted else None,
        "output_tokens": sum(out or 0 for _, out in tokens) if counted else None,
        "cost_usd": round(sum(call.cost_usd or 0.0 for call in calls), 6) if priced else None,
    }
