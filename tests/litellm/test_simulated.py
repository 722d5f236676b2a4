"""The simulated backend behind litellm's custom-provider interface: the same judgments through it."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from venire.llm.litellm_client import LiteLLMBackend, load_litellm
from venire.llm.route import Client, Route
from venire.llm.simulated import ReplyStyle, SimulatedBackend, Simulation
from venire.records import (
    FinishReason,
    Instance,
    Message,
    Order,
    PreferenceGold,
    Request,
    Response,
    Subject,
    Winner,
)

MODEL = "simulated/acme"
INSTANCES = [
    Instance(f"q/{k}", f"Question {k}?", (Response("yes"), Response("no")), PreferenceGold(Winner.FIRST))
    for k in range(8)
]
SIMULATION = Simulation(style=ReplyStyle(fenced=0.3, prefixed=0.3, refused=0))


def question(instance: Instance, order: Order) -> Request:
    shown = instance.responses if order is Order.AS_GIVEN else instance.responses[::-1]
    text = json.dumps([instance.prompt, *(response.text for response in shown)])
    return Request(MODEL, (Message("user", text),), temperature=0.0, subject=Subject(instance.id, order))


REQUESTS = [question(instance, order) for instance in INSTANCES for order in Order]


@pytest.fixture
def simulator() -> Iterator[SimulatedBackend]:
    """A simulated backend that litellm reaches as provider `simulated`.

    litellm never sees the subject: the provider finds the request by its messages.
    """
    load_litellm()
    import litellm

    backend = SimulatedBackend(SIMULATION, INSTANCES, {MODEL: "acme"})
    by_text = {request.messages[-1].content: request for request in REQUESTS}

    class Provider(litellm.CustomLLM):
        async def acompletion(self, *args: object, **kwargs: object) -> object:
            messages = kwargs["messages"]
            assert isinstance(messages, list)
            reply = await backend.send(by_text[messages[-1]["content"]])
            choice = {"message": {"content": reply.text}, "finish_reason": reply.finish.value}
            tokens = litellm.Usage(
                prompt_tokens=reply.usage.input_tokens, completion_tokens=reply.usage.output_tokens
            )
            return litellm.ModelResponse(model=reply.model, choices=[choice], usage=tokens)

    before = litellm.custom_provider_map
    litellm.custom_provider_map = [{"provider": "simulated", "custom_handler": Provider()}]
    yield backend
    litellm.custom_provider_map = before


def test_judgments_and_tokens_are_the_same_through_litellm(simulator: SimulatedBackend) -> None:
    async def both() -> None:
        through = LiteLLMBackend([Route(MODEL, "", Client.LITELLM, "simulated")], {})
        try:
            for request in REQUESTS:
                near, far = await simulator.send(request), await through.send(request)
                assert (far.text, far.finish, far.usage) == (near.text, near.finish, near.usage)
                assert far.finish is FinishReason.STOP
                assert "[simulated]" in far.text
        finally:
            await through.aclose()

    asyncio.run(both())
