"""Which runs can judge instances that stream by, and why the others cannot."""

from collections.abc import Iterator

from venire.errors import ConfigError
from venire.experiment import Experiment
from venire.judging.judge import RecordedJudge
from venire.judging.unit import Unit

# Methods whose metrics are made of verdicts, votes, confidences and calls alone (`metrics.compact`).
BY_VERDICTS = ("length", "single", "pairwise", "majority")


def check_streamed(experiment: Experiment) -> None:
    """Nothing, where what `experiment` measures can be told of instances that are not held.

    Raises:
        ConfigError: names every reason why not.
    """
    reasons = list(_obstacles(experiment))
    if reasons:
        raise ConfigError(f"dataset.stream: {'; '.join(reasons)}; drop dataset.stream=true")


def _obstacles(experiment: Experiment) -> Iterator[str]:
    method = experiment.method
    if method.order_dependent:
        yield (
            f"method={method.name} judges an instance on the memory of those before it, in an order that the "
            "seed draws over all of them"
        )
    elif method.name not in BY_VERDICTS:
        yield (
            f"metrics of method={method.name} are made of what it says of each instance in detail; those of "
            f"{', '.join(BY_VERDICTS)} stream"
        )
    elif getattr(method, "unit", None) is Unit.CLAIMS:
        yield "metrics of claims are made of what is said of each claim; method.unit=holistic streams"
    if getattr(method, "criteria", None) is not None:
        yield "metrics of single criteria are made of what is said on each of them; criteria=none streams"
    if experiment.development is not None:
        yield "a development split is drawn from all instances, and held"
    if any(isinstance(judge, RecordedJudge) for judge in method.judges):
        yield "recorded judges know no instances but those of their benchmark"
    if grouped := [judge.name for judge in method.judges if "/" in judge.name]:
        yield f"judges with / in their names are stakeholders of a group ({', '.join(grouped)})"
    if experiment.metrics.confidence.figures:
        yield "metrics.confidence.figures are drawn from all outcomes at once"
