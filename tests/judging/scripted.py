"""An `LLM` whose replies are a function of the request: the model of these tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from venire.records import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Completion,
    Embeddings,
    FinishReason,
    Request,
    Usage,
)

Script = Callable[[Request], "str | tuple[str, FinishReason] | Told"]


@dataclass(frozen=True)
class Told:
    """A reply with the log probabilities of the candidates at each of its tokens."""

    text: str
    logprobs: "tuple[Mapping[str, float], ...] | None"
    finish: FinishReason = FinishReason.LENGTH  # what providers say of an answer of one token


@dataclass
class ScriptedLLM:
    """Replies what `script` says, a text (finish STOP), (text, finish) or `Told`; keeps the requests."""

    script: Script
    requests: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        said = self.script(request)
        logprobs = said.logprobs if isinstance(said, Told) else None
        if isinstance(said, Told):
            said = (said.text, said.finish)
        text, finish = (said, FinishReason.STOP) if isinstance(said, str) else said
        attempt = Attempt(AttemptStatus.OK, 0.0, 0.25, Usage(100, 20), 0.001)
        return Completion(
            text=text,
            finish=finish,
            key=f"key-{len(self.requests)}",
            model=request.model,
            attempts=(attempt,),
            replayed=False,
            kind=BackendKind.LIVE,
            logprobs=logprobs,
            error="no reply after 3 attempts" if finish is FinishReason.ERROR else "",
        )

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


def replies(*said: "str | tuple[str, FinishReason]") -> ScriptedLLM:
    """An LLM that gives these replies one after the other, whatever is asked."""
    queue = iter(said)
    return ScriptedLLM(lambda request: next(queue))
