"""Claim-level evaluation: claims, what judges say of them, and what is learnt from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from venire.records.judgment import Unscored


class Verdict(StrEnum):
    """A judge's word on one claim. Source: JuryFlow, stage 1."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True)
class Claim:
    """An atomic, verifiable statement of a response; `index` is its place in the claim list, from 0."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ClaimJudgment:
    """One judge's word on one claim.

    `verdict` is None where the judge abstains: it failed (`reason` says how), or it has no such claim
    in its own decomposition (`reason` is None). `tags` are of the configured set, in its order.
    """

    judge: str
    claim_index: int
    verdict: Verdict | None
    rationale: str = ""
    tags: tuple[str, ...] = ()
    reason: Unscored | None = None


@dataclass(frozen=True, slots=True)
class RubricEntry:
    """A criterion that was learnt from corrections, with the cases behind it.

    `id` and `source_ids` name corrections: `<instance id>/<response index>/<claim index>`.
    `positive_examples` are corrected cases, `negative_examples` the erroneous judgments of them.
    """

    id: str
    criterion: str
    dimension: str
    boundary: str
    positive_examples: tuple[str, ...] = ()
    negative_examples: tuple[str, ...] = ()
    source_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rubric:
    """Entries in the order in which they were learnt."""

    entries: tuple[RubricEntry, ...] = ()

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[RubricEntry]:
        return iter(self.entries)
