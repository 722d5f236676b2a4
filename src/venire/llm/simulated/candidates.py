"""Single responses, told apart by their text alone, and how good the humans find them.

A request about one response shows the prompt and that response. Equal ones are one candidate,
whatever they were compared with: what is latent of a candidate hangs on its text, and on a
quality that is averaged over all comparisons that it was in.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from venire.errors import BackendError
from venire.llm.simulated.draws import digest
from venire.llm.simulated.subjects import check_known
from venire.records import Instance, PreferenceGold, Request, Response, Winner

_CONNECTIVE = re.compile(
    r"^(?:so|but|and|also|however|thus|therefore|moreover|in addition|for example)\b[\s,]+", re.IGNORECASE
)
_SIGN = {Winner.FIRST: 1, Winner.SECOND: -1, Winner.TIE: 0}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One response to one prompt.

    Args:
        content: SHA-256 over prompt and response, white space normalised.
        quality: mean over its comparisons of +1 (the humans prefer it), -1 (the other), 0 (a tie).
        topic: the subset; of several with equal text the one that sorts first.
        known: claims of which the data set says whether they are true, by `claim_key`.
    """

    content: str
    quality: float
    topic: str
    known: Mapping[str, bool] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates by instance id and response index."""

    instances: Mapping[str, Instance]
    by_place: Mapping[tuple[str, int], Candidate]

    def of(self, request: Request) -> tuple[Candidate, Response]:
        """The candidate that `request` is about, and its text.

        Raises:
            BackendError: no subject, an unknown instance or response, or no human preference.
        """
        subject = request.subject
        if subject is None or subject.response_index is None:
            raise BackendError(
                f"simulation: a request of stage {request.stage!r} to {request.model!r} asks about one "
                "response; expected Request.subject with the instance's id and response_index"
            )
        place = (subject.instance_id, subject.response_index)
        check_known(subject, self.instances)
        if place not in self.by_place:
            raise BackendError(
                f"simulation: response {subject.response_index} of {subject.instance_id!r} is in no "
                "human preference, and the truth of simulated claims hangs on it; take a pairwise data set "
                "with gold, or another backend"
            )
        responses = self.instances[subject.instance_id].responses
        return self.by_place[place], responses[subject.response_index]


def candidates(instances: Mapping[str, Instance]) -> Candidates:
    """Both responses of every instance that has a human preference; the instances' order does not matter."""
    seen: dict[str, list[tuple[int, Instance, int]]] = {}
    for instance in instances.values():
        if instance.is_pairwise and isinstance(instance.gold, PreferenceGold):
            sign = _SIGN[instance.gold.winner]
            for index in (0, 1):
                seen.setdefault(_content(instance, index), []).append(
                    (sign * (1 - 2 * index), instance, index)
                )
    by_place: dict[tuple[str, int], Candidate] = {}
    for content, group in seen.items():
        made = _candidate(content, group)
        by_place |= {(instance.id, index): made for _, instance, index in group}
    return Candidates(instances, by_place)


def claim_key(text: str) -> str:
    """What claims are told apart by: no regard to case, white space, a leading connective and outer marks."""
    plain = " ".join(text.casefold().split()).strip(" .!?;:\"'")
    return _CONNECTIVE.sub("", plain) or plain


def without_connective(claim: str) -> str:
    """`claim` without its leading connective (`However, it ...` is `It ...`); it has the same key."""
    stripped = _CONNECTIVE.sub("", claim)
    return stripped[0].upper() + stripped[1:] if stripped and stripped != claim else claim


def _candidate(content: str, group: Sequence[tuple[int, Instance, int]]) -> Candidate:
    known: dict[str, bool] = {}
    for _, instance, index in group:
        known |= _known_claims(instance, index)
    return Candidate(
        content=content,
        quality=sum(sign for sign, _, _ in group) / len(group),
        topic=min(instance.subset for _, instance, _ in group),
        known=known,
    )


def _known_claims(instance: Instance, index: int) -> dict[str, bool]:
    """The claims that a data set marks as true or false (the bundled sample: `claims_1`, `claims_2`)."""
    listed = instance.metadata.get(f"claims_{index + 1}")
    if listed is None:
        return {}
    return {claim_key(claim["text"]): bool(claim["true"]) for claim in json.loads(listed)}


def _content(instance: Instance, index: int) -> str:
    return digest(_normalised(instance.prompt), _normalised(instance.responses[index].text))


def _normalised(text: str) -> str:
    return " ".join(text.split())
