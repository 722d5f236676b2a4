"""An `LLM` whose replies are a function of the request: the model of these tests."""

from collections.abc import Callable, Sequence
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

Script = Callable[[Request], "str | tuple[str, FinishReason]"]


@dataclass
class ScriptedLLM:
    """Replies what `script` says, a text (finish STOP) or (text, finish); keeps the requests."""

    script: Script
    requests: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        said = self.script(request)
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
            error="no reply after 3 attempts" if finish is FinishReason.ERROR else "",
        )

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


def replies(*said: "str | tuple[str, FinishReason]") -> ScriptedLLM:
    """An LLM that gives these replies one after the other, whatever is asked."""
    queue = iter(said)
    return ScriptedLLM(lambda request: next(queue))
