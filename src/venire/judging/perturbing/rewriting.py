"""A perturbation by a model: it rewrites a response, its meaning kept; the reply is stored like any other."""

from dataclasses import dataclass

from venire.judging.ask import ask
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.judging.probe import Bias, Meaning
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render, require_prompt
from venire.records import Call, Reason, Unscored


class RewriteReply(Reply):
    """The rewritten response."""

    rewritten: str

    @property
    def decision(self) -> object:
        """The text."""
        return self.rewritten


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A response in a model's other words.

    Args:
        prompt: what the model is asked for (`rewrite_verbose`, `rewrite_confident`), without `.jinja`.
        bias: what the rewritten response probes.
    """

    prompt: str
    bias: Bias

    def __post_init__(self) -> None:
        require_prompt(self.prompt, like="rewrite_verbose")

    @property
    def meaning(self) -> Meaning:
        """Asked to be preserved."""
        return Meaning.ASKED


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The rewritten response, or why there is none; with the calls that it took."""

    text: str | Unscored
    calls: tuple[Call, ...]


async def rewrite(
    rewriter: PromptedJudge, matter: Matter, how: Rewrite, llm: LLM, *, stage: str
) -> Rewritten:
    """The response of `matter` as `rewriter` puts it; a blank one is none."""
    asked = await ask(
        rewriter,
        render(how.prompt, **matter.values),
        RewriteReply,
        llm,
        stage=stage,
        subject=matter.subject(),
    )
    if isinstance(asked.reply, Unscored):
        return Rewritten(asked.reply, asked.calls)
    text = asked.reply.rewritten.strip()
    return Rewritten(text or Unscored(Reason.UNPARSED, "the rewritten response is blank"), asked.calls)
