"""Small audits of judges that follow one rule, measured: what the tests of findings look at."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tests.judging.scripted import ScriptedLLM

from venire.judging.judge import PromptedJudge
from venire.methods.audit import Audit
from venire.metrics.audit.finding import Finding, findings_in
from venire.metrics.measure import MetricSettings, measure
from venire.records import Instance, Outcome, PreferenceGold, Request, Response, Winner

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=0)
WORD = "word "


def instances(n: int = 40, generators: Sequence[tuple[str | None, str | None]] = ()) -> list[Instance]:
    """`n` pairs whose better response holds the word `good`: every second one is the first response.

    Lengths differ by up to seven words, either way, and say nothing of what is better.
    """
    made = []
    for index in range(n):
        winner = Winner.FIRST if index % 2 == 0 else Winner.SECOND
        texts = [f"good answer {index}", f"poor answer {index}"]
        if winner is Winner.SECOND:
            texts.reverse()
        texts = [text + " " + WORD * (index * step % 7 + 1) for text, step in zip(texts, (3, 5), strict=True)]
        names = generators[index % len(generators)] if generators else (None, None)
        responses = tuple(Response(text, generator=name) for text, name in zip(texts, names, strict=True))
        made.append(Instance(f"i{index:03d}", f"question {index}?", responses, PreferenceGold(winner)))
    return made


def audited(
    audit: Audit, script: Callable[[Request], object], pairs: Sequence[Instance], draws: int = 200
) -> dict[tuple[str, str], Finding]:
    """The findings by arm and name, as they come back from a run's metrics."""
    return measured(pairs, outcomes_of(audit, script, pairs), draws)


def outcomes_of(
    audit: Audit, script: Callable[[Request], object], pairs: Sequence[Instance]
) -> list[Outcome]:
    """As they come back from a run's folder: details through JSON."""

    async def judge() -> list[Outcome]:
        return [await audit.judge(instance, None, ScriptedLLM(script)) for instance in pairs]

    outcomes = asyncio.run(judge())
    return [replace(outcome, detail=json.loads(json.dumps(outcome.detail))) for outcome in outcomes]


def measured(
    pairs: Sequence[Instance], outcomes: Sequence[Outcome], draws: int = 200
) -> dict[tuple[str, str], Finding]:
    """The findings of outcomes, by arm and name."""
    settings = MetricSettings(draws=draws)
    made = measure(pairs, outcomes, labels=(Winner.FIRST, Winner.SECOND), seed=0, settings=settings)
    found = findings_in(_plain(made.metrics), made.notes)
    return {(finding.arm, finding.name): finding for finding in found}


def _plain(metrics: Mapping[str, float]) -> dict[str, float]:
    return dict(metrics)
