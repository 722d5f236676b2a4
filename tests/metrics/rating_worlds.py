"""Small rated instances and outcomes, written out."""

from collections.abc import Mapping, Sequence

from venire.metrics.measure import MetricSettings, measure
from venire.metrics.measurement import Measurement
from venire.metrics.ratings import CorrelationSettings
from venire.records import Dimension, Instance, Outcome, Prediction, Ratings, RatingsGold, Response
from venire.stats.correlation import Grouping

FLUENCY = Dimension("fluency", "how fluent", 0, 2)
PIO = Dimension("pio", "how near", 0, 6)
AVERAGE = Dimension("average", "mean", 0, 1, None, asked=False)
DIMENSIONS = (FLUENCY, PIO)

Column = Sequence[float | None]


def given(index: int, columns: Mapping[str, Column]) -> dict[str, float]:
    """The ratings of item `index`; None is absent."""
    return {name: value for name, column in columns.items() if (value := column[index]) is not None}


def rated(
    gold: Mapping[str, Column],
    *,
    dimensions: Sequence[Dimension] = DIMENSIONS,
    documents: str = "",
    systems: str = "",
    annotators: Mapping[str, Mapping[str, Column]] | None = None,
) -> list[Instance]:
    """An instance a row of the columns; document and system by character."""
    n = len(next(iter(gold.values())))
    return [
        Instance(
            id=f"i{index:03d}",
            prompt="summarise",
            responses=(Response("text", generator=systems[index] if systems else None),),
            gold=RatingsGold(
                given(index, gold),
                {who: given(index, columns) for who, columns in (annotators or {}).items()},
            ),
            cluster=documents[index] if documents else "",
            dimensions=tuple(dimensions),
        )
        for index in range(n)
    ]


def rates(columns: Mapping[str, Column], instead: Mapping[int, Prediction] | None = None) -> list[Outcome]:
    """An outcome a row of the columns; `instead` by row."""
    n = len(next(iter(columns.values())))
    return [
        Outcome(f"i{index:03d}", (instead or {}).get(index, Ratings(given(index, columns))))
        for index in range(n)
    ]


def run(
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    *,
    grouping: Grouping = Grouping.POOLED,
    draws: int = 200,
    seed: int = 0,
) -> Measurement:
    settings = MetricSettings(draws, correlation=CorrelationSettings(grouping))
    return measure(instances, outcomes, labels=(), seed=seed, settings=settings)
