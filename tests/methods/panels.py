"""A pair, a panel of five, and scripted replies by judge and order."""

import asyncio
import json
from collections.abc import Mapping

from tests.judging.scripted import Script, ScriptedLLM

from venire.judging.judge import PromptedJudge
from venire.judging.panel import Panel
from venire.methods.protocol import Method
from venire.records import FinishReason, Instance, Order, Outcome, Request, Response

JUDGES = tuple(PromptedJudge(f"j{i}", f"m{i}", f"f{i}", max_reasks=0) for i in range(5))
PANEL = Panel(JUDGES, "j2")
PAIR = Instance("set/1", "Name a prime.", (Response("Seven"), Response("Nine or so")))


def says(winner: str, confidence: float = 0.8) -> str:
    return json.dumps({"reasoning": "r", "winner": winner, "confidence": confidence})


def always(winner: str) -> Script:
    """Every judge names this slot in every order: the position decides."""
    return lambda request: says(winner)


def panel_says(said: Mapping[Order, str]) -> Script:
    """`{AS_GIVEN: "AAB-T"}`: j0 names A, ... j3 gives no reply, j4 a tie."""

    def script(request: Request) -> str | tuple[str, FinishReason]:
        assert request.subject is not None
        assert request.subject.order is not None
        slot = said[request.subject.order][int(request.role.removeprefix("j"))]
        return ("", FinishReason.ERROR) if slot == "-" else says("tie" if slot == "T" else slot)

    return script


def run(method: Method, script: Script, instance: Instance = PAIR) -> tuple[Outcome, ScriptedLLM]:
    llm = ScriptedLLM(script)
    return asyncio.run(method.judge(instance, method.initial_memory(), llm)), llm
