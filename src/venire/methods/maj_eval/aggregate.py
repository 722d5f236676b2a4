"""Phase 3: from final ratings to scores, and to a synthesis in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.judging.judge import PromptedJudge
from venire.judging.rating import mean_of, with_overall
from venire.records import Dimension, Opinion, Ratings, Reason, Transcript, Unscored


class Variant(StrEnum):
    """How the agents' final ratings become one."""

    MEAN_OF_GROUPS = "mean_of_groups"  # each group's mean counts once, whatever its size
    MEAN_OF_AGENTS = "mean_of_agents"  # each agent's rating counts once


@dataclass(frozen=True, slots=True)
class Synthesis:
    """That an aggregator writes what the groups agree on and where they differ.

    Args:
        aggregator: whose model does; None: the agents' model. It has no persona.
    """

    aggregator: PromptedJudge | None = None


def scores(
    opinions: Sequence[Sequence[Opinion]], dimensions: Sequence[Dimension]
) -> Mapping[Variant, Ratings | Unscored]:
    """Both variants of the score of `opinions`, group by group; each with `overall`.

    Per dimension: the mean over the groups of each group's mean over its agents; and the mean over all
    agents. An opinion without ratings, and a dimension rated N/A, enter no mean; a group without any
    rating of a dimension is left out of that dimension's mean. Nobody rated anything: no judgment.

    Source: spec, section 2, phase 3.
    """
    groups = [mean_ratings(held, dimensions) for held in opinions]
    everyone = [opinion for held in opinions for opinion in held]
    return {
        Variant.MEAN_OF_GROUPS: _scored(mean_of(groups, dimensions), dimensions, everyone),
        Variant.MEAN_OF_AGENTS: _scored(mean_ratings(everyone, dimensions), dimensions, everyone),
    }


def mean_ratings(opinions: Iterable[Opinion], dimensions: Sequence[Dimension]) -> Mapping[str, float]:
    """The mean rating of each of `dimensions` over those who rated it; absent where nobody did."""
    rated = [each.ratings.by_dimension for each in opinions if isinstance(each.ratings, Ratings)]
    return mean_of(rated, dimensions)


def _scored(
    means: Mapping[str, float], dimensions: Sequence[Dimension], opinions: Sequence[Opinion]
) -> Ratings | Unscored:
    if means:
        return with_overall(means, dimensions)
    reasons = sorted({o.ratings.reason.value for o in opinions if isinstance(o.ratings, Unscored)})
    if reasons:
        return Unscored(Reason.NO_VOTES, ", ".join(reasons))
    return with_overall(means, dimensions)


def group_scores(
    transcripts: Sequence[Transcript], dimensions: Sequence[Dimension], *, final: bool
) -> dict[str, dict[str, float]]:
    """Each group's mean ratings with `overall`, after the debate (`final`) or before.

    A group without any rating is left out.
    """
    made: dict[str, dict[str, float]] = {}
    for transcript in transcripts:
        held = [part.final if final else part.opening for part in transcript.parts]
        scored = with_overall(mean_ratings(held, dimensions), dimensions)
        if isinstance(scored, Ratings):
            made[transcript.group] = dict(scored.by_dimension)
    return made
