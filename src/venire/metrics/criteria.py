"""Metrics of single criteria: scores and what failed of them; of pairs, each one's winner against the gold.

They are read from `Outcome.detail`: `direct` holds for each response `scores` (key to number, null where the
criterion does not apply) and `unscored`; `by_criterion` the winner of a pair on each criterion that has one;
`criterion_consistent` whether both orders named the same.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from venire.metrics.estimators import Estimator
from venire.metrics.join import CODE, NOT_ASKED, UNSCORED
from venire.metrics.measurement import Collector, distinct_names, metric_name
from venire.records import Outcome, Unscored, Winner

CRITERION = "criterion"
_DIRECT, BY_CRITERION, _CONSISTENT = "direct", "by_criterion", "criterion_consistent"


def score_metrics(outcomes: Sequence[Outcome | None], out: Collector) -> None:
    """`criterion/<criterion>/score` (mean), `/not_applicable`, `/unscored` (counts), and `criterion/total`.

    Counts are of responses. Nothing where nothing was scored on criteria.
    """
    responses = [each for outcome in outcomes if outcome for each in _responses(outcome)]
    if not responses:
        return
    scores: dict[str, list[float | None]] = {}
    failed: dict[str, int] = {}
    for each in responses:
        for key, score in _mapping(each.get("scores")).items():
            scores.setdefault(key, []).append(float(score) if isinstance(score, int | float) else None)
        for key in _mapping(each.get("unscored")):
            failed[key] = failed.get(key, 0) + 1
    for key, name in distinct_names({*scores, *failed}).items():
        given = [score for score in scores.get(key, []) if score is not None]
        if given:
            out.put(metric_name(CRITERION, name, "score"), math.fsum(given) / len(given))
        else:
            out.missing([metric_name(CRITERION, name, "score")], "no response was scored on it")
        out.put(metric_name(CRITERION, name, "not_applicable"), len(scores.get(key, [])) - len(given))
        out.put(metric_name(CRITERION, name, "unscored"), failed.get(key, 0))
    totals = [float(total) for each in responses if isinstance(total := each.get("total"), int | float)]
    if totals:
        out.put(metric_name(CRITERION, "total"), math.fsum(totals) / len(totals))


def criterion_agreement(outcomes: Sequence[Outcome | None], estimator: Estimator, out: Collector) -> None:
    """`criterion/<criterion>/accuracy`, `/kappa`, `/ties`, `/position_consistency` over pairs.

    The overall gold is what a criterion is held against: nobody was asked who is better on it alone. A pair
    to one of whose responses it does not apply is left out; one that is unscored counts as not correct.
    """
    tables = [_mapping(outcome.detail.get(BY_CRITERION)) if outcome else {} for outcome in outcomes]
    same = [_mapping(outcome.detail.get(_CONSISTENT)) if outcome else {} for outcome in outcomes]
    keys = {key for table in tables for key in table}
    for key, name in distinct_names(keys).items():
        column = np.array(
            [_code(outcome, table.get(key)) for outcome, table in zip(outcomes, tables, strict=True)]
        )
        compared = column >= 0
        out.estimate(metric_name(CRITERION, name, "accuracy"), estimator.accuracy([column]))
        out.point(metric_name(CRITERION, name, "kappa"), estimator.kappa([column]))
        ties = estimator.share_of(column == CODE[Winner.TIE], compared)
        out.point(metric_name(CRITERION, name, "ties"), ties)
        told = np.array([key in each for each in same])
        if told.any():
            consistent = np.array([each.get(key) is True for each in same])
            share = estimator.share_of(consistent, told)
            out.point(metric_name(CRITERION, name, "position_consistency"), share)


def _code(outcome: Outcome | None, winner: object) -> int:
    if isinstance(winner, str):
        return CODE[Winner(winner)]
    failed = outcome is None or isinstance(outcome.prediction, Unscored)
    return UNSCORED if failed else NOT_ASKED


def _responses(outcome: Outcome) -> Iterator[Mapping[str, object]]:
    made = outcome.detail.get(_DIRECT)
    for each in made if isinstance(made, list) else ():
        if isinstance(each, Mapping):
            yield each


def _mapping(node: object) -> Mapping[str, object]:
    return {str(key): value for key, value in node.items()} if isinstance(node, Mapping) else {}
