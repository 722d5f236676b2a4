"""A model that reads the test documents as told, and a build of personas with it."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.judging.scripted import ScriptedLLM
from tests.personas.making import DOCUMENTS

from venire.generated.calling import Calling
from venire.judging.judge import PromptedJudge
from venire.llm.budget import Budget
from venire.llm.local import LocalSettings
from venire.llm.route import Client
from venire.llm.settings import LLMSettings
from venire.llm.simulated import Simulation
from venire.personas.building import build_personas
from venire.personas.built import Brief, Built
from venire.personas.reading import Documents, read_documents
from venire.records import FinishReason, Request

Said = str | tuple[str, FinishReason]
View = tuple[str, str, str]  # stakeholder, dimension, evidence

# Read by hand from the test documents; the last quote of each stands nowhere.
FOUND: Mapping[str, Sequence[View]] = {
    "interviews.md": (
        (
            "clinicians",
            "usefulness",
            "If the summary does not say who was treated and with what, I cannot use it",
        ),
        ("clinicians", "direction", "a wrong direction is worse than no answer"),
        ("patients", "plain words", "Patients asked for words that they could repeat at home."),
        ("patients", "plain words", "Tell me plainly weather it helped, and do not dress it up"),
        ("patients", "price", "Patients asked above all what the treatment would cost them."),
    ),
    "workshop.txt": (
        ("Statisticians", "direction", "They check the direction of every result before anything else."),
        ("Statisticians", "", "They warned that pooled results hide how far single trials disagree"),
        ("Statisticians", "speed", "Developers of software asked for shorter answers."),
    ),
}
BRIEF = Brief("medical", "Judging a summary of trials.")


def calling(**changes: object) -> Calling:
    """Two tries a question, no limits; nothing is called with it but the scripted model."""
    judge = PromptedJudge("j0", "m0", "f0", max_reasks=1, client=Client.LITELLM)
    settings: dict[str, object] = {
        "judge": judge,
        "llm": LLMSettings(),
        "budget": Budget(),
        "simulation": Simulation(),
        "local": LocalSettings(),
    }
    return Calling(**{**settings, **changes})  # type: ignore[arg-type]


def extraction(views: Sequence[View]) -> str:
    """A reply that names each stakeholder once, with all its views."""
    names = list(dict.fromkeys(name for name, _, _ in views))
    return json.dumps(
        {
            "stakeholders": [
                {
                    "name": name,
                    "description": f"who are {name}",
                    "dimensions": [
                        {"dimension": dimension, "perspective": f"wants {dimension}", "evidence": evidence}
                        for owner, dimension, evidence in views
                        if owner == name
                    ],
                }
                for name in names
            ]
        }
    )


def consolidation(groups: Mapping[str, Mapping[str, Sequence[int]]]) -> str:
    """A reply with these groups, their dimensions and the views of each."""
    return json.dumps(
        {
            "groups": [
                {
                    "name": name,
                    "description": f"all {name}",
                    "dimensions": [
                        {"dimension": dimension, "views": list(views)} for dimension, views in merged.items()
                    ],
                }
                for name, merged in groups.items()
            ]
        }
    )


# Grounded views in order: usefulness, direction (clinicians), plain words twice, direction (statisticians).
GROUPS = {
    "Clinicians": {"usefulness": [1], "direction": [2]},
    "Patients": {"plain words": [3, 4]},
    "Trial centre": {"direction": [5]},
}


def person(request: Request) -> str:
    """A persona that says which dimension it was asked for."""
    shown = request.messages[1].content
    dimension = shown.split("Dimension:\n", 1)[1].split("\n")[1]
    group = shown.split("Stakeholder group:\n", 1)[1].split("\n")[1].split(":")[0]
    parts = ("demographics", "perspective", "expertise", "traits", "relations")
    return json.dumps({"role": f"{group} on {dimension}"} | {part: f"{part} text" for part in parts})


def model(
    found: Mapping[str, Sequence[View]] = FOUND,
    groups: Mapping[str, Mapping[str, Sequence[int]]] = GROUPS,
    write: Callable[[Request], Said] = person,
) -> ScriptedLLM:
    """A model that finds `found` by document, groups as `groups`, writes as `write`."""

    def script(request: Request) -> Said:
        assert request.subject is not None
        match request.stage:
            case "persona_extraction":
                return extraction(found[request.subject.instance_id])
            case "persona_consolidation":
                return consolidation(groups)
            case _:
                return write(request)

    return ScriptedLLM(script)


def documents(folder: Path = DOCUMENTS) -> Documents:
    return read_documents(folder)


def built(llm: ScriptedLLM, *, brief: Brief = BRIEF, of: Documents | None = None, **changes: object) -> Built:
    """What the scripted model makes of the test documents."""
    read = of or documents()
    return asyncio.run(build_personas(brief, read, calling(**changes), llm, say=lambda _: None))
