"""Rated items for the tests of methods, and a method run on one of them."""

import asyncio

from tests.judging.scripted import Script, ScriptedLLM

from venire.judging.judge import PromptedJudge
from venire.methods.protocol import Method
from venire.records import Dimension, Instance, Outcome, RatingsGold, Response

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", top_logprobs=20)
FLUENCY = Dimension("fluency", "Is the text well written?", 0, 2)
STRENGTH = Dimension("strength", "Does the strength of the evidence agree?", 0, 3)
AVERAGE = Dimension("average", "The mean of all.", 0, 1, None, asked=False)
ITEM = Instance(
    id="set/7",
    prompt="Summarise the trials.",
    responses=(Response("Five trials found no effect.", generator="system-secret"),),
    gold=RatingsGold({"fluency": 2.0, "strength": 1.0, "average": 0.5}),
    reference="No effect was found.",
    cluster="cluster-secret",
    dimensions=(FLUENCY, STRENGTH, AVERAGE),
)


def run(method: Method, script: Script, instance: Instance = ITEM) -> tuple[Outcome, ScriptedLLM]:
    """The outcome of one instance after the method's own check."""
    llm = ScriptedLLM(script)
    method.check([instance])
    return asyncio.run(method.judge(instance, method.initial_memory(), llm)), llm
