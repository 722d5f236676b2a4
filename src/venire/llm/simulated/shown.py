"""What a claims prompt shows, read as a model would read it: by labels, headings and forms.

Texts are found between the tags of `venire.prompts.render`, whose ids no text can hold; the rest is
read outside of them, so nothing inside a response, a claim or a rationale is taken for the prompt's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from venire.errors import BackendError
from venire.llm.simulated.messages import first_message
from venire.records import Request, Verdict

_MATERIAL = re.compile(r'<([a-z]+(?: [a-z0-9]+)*) id="([0-9a-f]{16})">\n(.*?)\n</\1 id="\2">', re.DOTALL)
_TAG = re.compile(r"^- ([^:\n]+): ", re.MULTILINE)
_NAMED = re.compile(r"^Dimensions that the judges named: (.+)$", re.MULTILINE)
_VERDICT = "(" + "|".join(Verdict) + ")"
_ASSESSMENT = re.compile(rf"^Assessment (\d+): {_VERDICT}$", re.MULTILINE)
_AFTER = re.compile(rf"^Evidence, the reviewed claim: .*after review {_VERDICT}$", re.MULTILINE)
_CORRECTED = re.compile(rf"The panel's verdict was {_VERDICT}; after review it is {_VERDICT},")


@dataclass(frozen=True, slots=True)
class Assessment:
    """A judge's verdict and rationale, without its name."""

    verdict: Verdict
    rationale: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reviewed claim that is shown beside the one under review, and its verdict."""

    claim: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Correction:
    """A panel's verdict and the one after review."""

    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class Shown:
    """A prompt's content.

    Args:
        persona: the first paragraph of the system message, where a judge is told who it is.
        tags: names that a judge may give, or that judges gave.
        claims: the list to judge, by number; empty where one claim is under review.
        claim: the claim under review, or None.
        assessments: what judges said of it.
        evidence: what the review of another claim brought, where shown.
        correction: what the review of this claim brought, where shown.
        precedents: texts of corrected claims of other responses.
        rubric: texts of the rubric's entries.
    """

    persona: str
    tags: tuple[str, ...]
    claims: Mapping[int, str]
    claim: str | None
    assessments: tuple[Assessment, ...]
    evidence: Evidence | None
    correction: Correction | None
    precedents: tuple[str, ...]
    rubric: tuple[str, ...]


def shown_in(request: Request) -> Shown:
    """The content of the first system and the first user message of `request`.

    What a re-ask adds (the unusable reply, the complaint) is not the question.
    """
    system, user = (first_message(request, role) for role in ("system", "user"))
    advice, instructions = _taken_apart(system)
    material, rest = _taken_apart(user)
    return Shown(
        persona=system.split("\n\n", 1)[0],
        tags=_tags(instructions, rest),
        claims={int(number): text for number, text in _numbered(material, "claim")},
        claim=material.get("claim"),
        assessments=_assessments(material, rest),
        evidence=_evidence(material, rest),
        correction=_correction(rest),
        precedents=tuple(text for _, text in _numbered(material, "precedent claim")),
        rubric=tuple(text for _, text in _numbered(advice, "rubric")),
    )


def claim_under_review(shown: Shown, request: Request) -> str:
    """The claim under review.

    Raises:
        BackendError: the prompt shows none.
    """
    if shown.claim is None:
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} shows no claim under review; expected "
            'material with the label "claim"'
        )
    return shown.claim


def instructions_of(request: Request) -> str:
    """The system message without the material that it shows."""
    return _taken_apart(first_message(request, "system"))[1]


@lru_cache(maxsize=1024)
def _taken_apart(text: str) -> tuple[Mapping[str, str], str]:
    """Materials by label, and the text without them."""
    return {m[1]: m[3] for m in _MATERIAL.finditer(text)}, _MATERIAL.sub("", text)


def _numbered(material: Mapping[str, str], label: str) -> list[tuple[str, str]]:
    """(number, text) of the materials `<label> <number>`, in the prompt's order."""
    start = f"{label} "
    return [
        (k[len(start) :], v) for k, v in material.items() if k.startswith(start) and k[len(start) :].isdigit()
    ]


def _tags(instructions: str, rest: str) -> tuple[str, ...]:
    named = _NAMED.search(rest)
    if named is not None:
        return tuple(named[1].split(", ")) if named[1] != "none" else ()
    return tuple(name for name in _TAG.findall(instructions) if name not in set(Verdict))


def _assessments(material: Mapping[str, str], rest: str) -> tuple[Assessment, ...]:
    return tuple(
        Assessment(Verdict(verdict), material.get(f"assessment {number}", ""))
        for number, verdict in _ASSESSMENT.findall(rest)
    )


def _evidence(material: Mapping[str, str], rest: str) -> Evidence | None:
    after = _AFTER.search(rest)
    if after is None or "evidence claim" not in material:
        return None
    return Evidence(material["evidence claim"], Verdict(after[1]))


def _correction(rest: str) -> Correction | None:
    found = _CORRECTED.search(rest)
    return None if found is None else Correction(Verdict(found[1]), Verdict(found[2]))
