"""From probes to changed responses: by text at once, by a model with one call a response."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.perturbing.perturbation import Perturbation, Perturbed
from venire.judging.perturbing.rewriting import Rewrite, rewrite
from venire.judging.probe import Bias
from venire.llm.protocol import LLM
from venire.records import Call, Instance, Order, Slot, Unscored

REWRITE_STAGE = "rewrite"
_SLOTS = (Slot.A, Slot.B)


@dataclass(frozen=True, slots=True)
class Change:
    """A probe of one response: its text for either place that it is shown in, or why there is none."""

    probe: str
    bias: Bias
    target: int
    by_slot: Mapping[Slot, Perturbed] | Unscored

    def instance(self, instance: Instance, order: Order) -> tuple[Instance, str] | Unscored:
        """The pair with the changed response, as it is shown in `order`, and the variant of the change."""
        if isinstance(self.by_slot, Unscored):
            return self.by_slot
        slot = Slot.A if (self.target == 0) == (order is Order.AS_GIVEN) else Slot.B
        made = self.by_slot[slot]
        responses = list(instance.responses)
        responses[self.target] = replace(responses[self.target], text=made.text)
        return replace(instance, responses=tuple(responses)), made.variant


@dataclass(frozen=True, slots=True)
class Changes:
    """Every change of one instance, and the calls that rewriting took."""

    made: tuple[Change, ...]
    calls: tuple[Call, ...] = ()


async def change_all(
    instance: Instance,
    probes: Mapping[str, Perturbation | Rewrite],
    targets: Sequence[int],
    llm: LLM,
    *,
    rewriter: PromptedJudge,
    seed: int,
) -> Changes:
    """Each probe of each target. A failed rewrite is a change without a text: it is never left out."""
    cases = [(name, probe, target) for name, probe in probes.items() for target in targets]
    made = await together(
        _rewritten(instance, name, probe, target, rewriter, llm)
        if isinstance(probe, Rewrite)
        else _by_text(instance, name, probe, target, seed)
        for name, probe, target in cases
    )
    return Changes(tuple(change for change, _ in made), tuple(call for _, calls in made for call in calls))


async def _by_text(
    instance: Instance, name: str, probe: Perturbation, target: int, seed: int
) -> tuple[Change, tuple[Call, ...]]:
    key = f"{seed}/{name}/{instance.id}/{target}"
    text = instance.responses[target].text
    by_slot = {slot: probe.apply(text, key, slot) for slot in _SLOTS}
    return Change(name, probe.bias, target, by_slot), ()


async def _rewritten(
    instance: Instance, name: str, probe: Rewrite, target: int, rewriter: PromptedJudge, llm: LLM
) -> tuple[Change, tuple[Call, ...]]:
    done = await rewrite(rewriter, Matter(instance, target), probe, llm, stage=REWRITE_STAGE)
    if isinstance(done.text, Unscored):
        return Change(name, probe.bias, target, done.text), done.calls
    return Change(name, probe.bias, target, dict.fromkeys(_SLOTS, Perturbed(done.text))), done.calls
