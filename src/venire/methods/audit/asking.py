"""The questions of an audit to one judge about one pair, and what was read of the replies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from venire.judging.judge import Judge
from venire.judging.matter import together
from venire.judging.mitigating.stage import Answer, Question, Stage, Verdict
from venire.judging.panel import Panel
from venire.judging.probe import AS_IS, DRIFT, OTHER_FAMILIES, PLAIN, Reading
from venire.llm.protocol import LLM
from venire.methods.audit.changes import Change
from venire.methods.audit.settings import Drift
from venire.records import Call, Instance, Order, Reason, Unscored

JUDGE_STAGE = "judge"  # as in all methods: the plain comparison is then one and the same stored call


@dataclass(frozen=True, slots=True)
class Asked:
    """Readings with the calls that they took; `answers` of the pair as it is, in the orders' order."""

    readings: tuple[Reading, ...]
    calls: tuple[Call, ...]
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Arm:
    """A way of asking by its name, of a judge.

    `stage` is under which name calls are counted: the arm's, and the probe's where nothing is mitigated.
    """

    name: str
    how: Stage
    judge: Judge
    allow_tie: bool

    def question(self, instance: Instance, order: Order, probe: str, replicate: int = 0) -> Question:
        """What is asked about `instance` in `order`."""
        stage = self.name
        if self.name == PLAIN:
            stage = JUDGE_STAGE if probe == AS_IS else probe
        return Question(instance, order, stage, self.allow_tie, replicate)

    async def ask(self, question: Question, llm: LLM) -> Answer:
        """The verdicts."""
        return await self.how.ask(self.judge, question, llm, name=self.name)


async def ask_arm(arm: Arm, instance: Instance, changes: Sequence[Change], llm: LLM) -> Asked:
    """The pair as it is in both orders, and every change that the arm is against (the plain one: all)."""
    probed = [change for change in changes if arm.name == PLAIN or change.bias in arm.how.against]
    # All at once: nothing here depends on a reply, so that a plan can count every call.
    tasks = [
        *(_as_is(arm, instance, order, llm) for order in Order),
        *(_probe(arm, instance, change, order, llm) for change in probed for order in Order),
    ]
    asked = await together(tasks)
    return Asked(
        tuple(reading for each in asked for reading in each.readings),
        _calls(asked),
        tuple(answer for each in asked for answer in each.answers),
    )


async def _as_is(arm: Arm, instance: Instance, order: Order, llm: LLM) -> Asked:
    answer = await arm.ask(arm.question(instance, order, AS_IS), llm)
    readings = tuple(
        Reading(name, AS_IS, order, verdict.prediction, facts=verdict.facts)
        for name, verdict in answer.verdicts.items()
    )
    return Asked(readings, answer.calls, (answer,))


async def _probe(arm: Arm, instance: Instance, change: Change, order: Order, llm: LLM) -> Asked:
    changed = change.instance(instance, order)
    if isinstance(changed, Unscored):
        answer = Answer({name: Verdict(changed) for name in arm.how.names(arm.name)}, ())
        variant = ""
    else:
        pair, variant = changed
        answer = await arm.ask(arm.question(pair, order, change.probe), llm)
    readings = tuple(
        Reading(name, change.probe, order, verdict.prediction, change.target, variant, facts=verdict.facts)
        for name, verdict in answer.verdicts.items()
    )
    return Asked(readings, answer.calls)


async def ask_again(arm: Arm, instance: Instance, drift: Drift, llm: LLM) -> Asked:
    """An anchor's replicates in both orders; nothing of an instance that is none."""
    if not drift.is_anchor(instance.id):
        return Asked((), ())
    cases = [(number, order) for number in drift.numbers for order in Order]
    answers = await together(
        arm.ask(arm.question(instance, order, DRIFT, number), llm) for number, order in cases
    )
    readings = tuple(
        Reading(PLAIN, DRIFT, order, answer.verdicts[PLAIN].prediction, replicate=number)
        for (number, order), answer in zip(cases, answers, strict=True)
    )
    return Asked(readings, tuple(call for answer in answers for call in answer.calls))


async def ask_others(
    arm: Arm, instance: Instance, plain: Asked, families: Sequence[str | None], panel: Panel, llm: LLM
) -> Asked:
    """The pair by a judge of no generator's family: the audited one where it is, else the panel's first.

    Not judged where a generator's family is not known, or nobody is of another one.
    """
    chosen = _of_another_family([arm.judge, *panel.judges], families)
    if isinstance(chosen, Unscored):
        return Asked(tuple(Reading(OTHER_FAMILIES, AS_IS, order, chosen) for order in Order), ())
    answers = plain.answers
    calls: tuple[Call, ...] = ()
    if chosen != arm.judge:
        other = Arm(PLAIN, arm.how, chosen, arm.allow_tie)
        answers = tuple(
            await together(other.ask(other.question(instance, order, OTHER_FAMILIES), llm) for order in Order)
        )
        calls = tuple(call for answer in answers for call in answer.calls)
    readings = tuple(
        Reading(OTHER_FAMILIES, AS_IS, order, answer.verdicts[PLAIN].prediction, variant=chosen.name)
        for order, answer in zip(Order, answers, strict=True)
    )
    return Asked(readings, calls)


def _of_another_family(judges: Sequence[Judge], families: Sequence[str | None]) -> Judge | Unscored:
    if None in families:
        return Unscored(Reason.UNDEFINED, "a generator's family is not known")
    free = next((judge for judge in judges if judge.family not in families), None)
    return free or Unscored(Reason.UNDEFINED, "no judge is of another family than the generators'")


def _calls(asked: Iterable[Asked]) -> tuple[Call, ...]:
    return tuple(call for each in asked for call in each.calls)
