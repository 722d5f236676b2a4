"""Two stakeholder groups at a table, and a model whose part in their debates is written down."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.judging.scripted import ScriptedLLM

from venire.judging.judge import PromptedJudge
from venire.llm.protocol import LLM
from venire.methods.maj_eval.debate import FreeDebate
from venire.methods.maj_eval.method import MajEval
from venire.records import (
    Dimension,
    FinishReason,
    Instance,
    Outcome,
    Persona,
    PersonaLevel,
    PersonaSet,
    RatingsGold,
    Request,
    Response,
    StakeholderGroup,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=0)
FLUENCY = Dimension("fluency", "Does it read well?", 0, 2)
STRENGTH = Dimension("strength", "Is its certainty right?", 0, 3)
ITEM = Instance(
    id="mslr/3",
    prompt="Summarise the studies.",
    responses=(Response("It helps."),),
    gold=RatingsGold({"fluency": 1.73, "strength": 0.41}),
    context="Study one. Study two.",
    dimensions=(FLUENCY, STRENGTH, Dimension("average", "", 0, 1, None, asked=False)),
)


def personas(level: PersonaLevel = PersonaLevel.DETAILED) -> PersonaSet:
    """Clinicians: a nurse and a doctor. Patients: one."""
    return PersonaSet(
        "two_groups",
        "Judging a summary.",
        (
            StakeholderGroup(
                "clinicians",
                "People who treat patients.",
                (
                    Persona("nurse", "a nurse at a clinic", demographics="Fifty.", level=level),
                    Persona("doctor", "a doctor", perspective="Says for whom.", level=level),
                ),
            ),
            StakeholderGroup(
                "patients",
                "People who are treated.",
                (Persona("patient", "a patient", traits="Worried.", level=level),),
            ),
        ),
        level,
    )


def rates(fluency: object, strength: object, feedback: str = "", **more: object) -> str:
    """A rating reply."""
    return json.dumps({"feedback": feedback, "ratings": {"fluency": fluency, "strength": strength, **more}})


def says(message: str, *ratings: object) -> str:
    """A turn; with final ratings (fluency, strength) where they are given."""
    given = {"fluency": ratings[0], "strength": ratings[1]} if ratings else None
    return json.dumps({"message": message, "feedback": "so" if ratings else "", "ratings": given})


def names(speaker: str) -> str:
    """The coordinator's choice."""
    return json.dumps({"reason": "an open conflict", "next_speaker": speaker})


SYNTHESIS = json.dumps(
    {"agreements": ["It reads well."], "disputes": ["How sure it may be."], "reading": "Mixed."}
)
REFUSED = ("", FinishReason.REFUSED)
Parts = Mapping[tuple[str, str], Sequence[Any]]

NURSE, DOCTOR, CHAIR = "clinicians/nurse", "clinicians/doctor", "clinicians/coordinator"

# What everybody says unless a test says otherwise; (stage, role) to replies, one after the other.
OPENINGS: Parts = {
    ("rate", "clinicians/nurse"): [rates(2, 3, "It reads well.")],
    ("rate", "clinicians/doctor"): [rates(1, 0, "For whom?")],
    ("rate", "patients/patient"): [rates(0, 3, "Hard to read.")],
    ("aggregate", "aggregator"): [SYNTHESIS],
}
TALK: Parts = {
    ("coordinate", "clinicians/coordinator"): [names("nurse"), names("doctor")],
    ("debate", "clinicians/nurse"): [says("The second study bears it out."), says("NO MORE COMMENTS")],
    ("debate", "clinicians/doctor"): [says("Granted. NO MORE COMMENTS", 1, 1)],
    ("final", "clinicians/nurse"): [rates(2, 2, "Less sure now.")],
}


class Play(ScriptedLLM):
    """Replies by stage and role, whoever is asked first; a line that is not written is an error."""

    def __init__(self, *parts: Parts) -> None:
        lines = {key: iter(said) for each in parts for key, said in each.items()}

        def reply(request: Request) -> Any:
            said = next(lines.get((request.stage, request.role), iter(())), None)
            assert said is not None, f"nobody expected {request.stage} of {request.role}"
            return said

        super().__init__(reply)

    def asked(self, stage: str) -> list[str]:
        """The roles asked at `stage`, in time order."""
        return [request.role for request in self.requests if request.stage == stage]

    def shown(self, stage: str, role: str, which: int = 0) -> str:
        """The whole text of one request."""
        found = [request for request in self.requests if (request.stage, request.role) == (stage, role)]
        return "\n".join(message.content for message in found[which].messages)


def method(**settings: Any) -> MajEval:
    """The method on the two groups, without own dimensions."""
    return MajEval(**{"judged_by": JUDGE, "personas": personas(), "own": None, **settings})


def judged(llm: LLM, made: MajEval | None = None, instance: Instance = ITEM) -> Outcome:
    """The outcome of the item."""
    return asyncio.run((made or method()).judge(instance, None, llm))


def detail(outcome: Outcome) -> Any:
    """As the outcomes file has it."""
    return json.loads(json.dumps(outcome.detail, allow_nan=False))


def transcript(outcome: Outcome, group: str = "clinicians") -> Any:
    """One group's."""
    return next(each for each in detail(outcome)["transcripts"] if each["group"] == group)


def agent(outcome: Outcome, name: str) -> Any:
    """One agent's part."""
    parts = [part for each in detail(outcome)["transcripts"] for part in each["agents"]]
    return next(part for part in parts if part["agent"] == name)


def debated(*parts: Any, **limits: Any) -> tuple[Outcome, Play]:
    llm = Play(OPENINGS, TALK, *parts)
    return judged(llm, method(debate=FreeDebate(**limits))), llm


def lines(**said: list[Any]) -> dict[tuple[str, str], list[Any]]:
    """`nurse` are its turns, `nurse_final` its final ratings, `chair` the coordinator's choices."""
    keys = {
        "nurse": ("debate", NURSE),
        "doctor": ("debate", DOCTOR),
        "nurse_final": ("final", NURSE),
        "doctor_final": ("final", DOCTOR),
        "chair": ("coordinate", CHAIR),
    }
    return {keys[name]: replies for name, replies in said.items()}
