"""What simulated judges reply where ratings are asked: a rating of each dimension, one score, steps to it."""

from collections.abc import Mapping, Sequence

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.draws import uniform
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.llm.simulated.rating_shown import dimensions_shown
from venire.llm.simulated.rating_views import Reading, View, asked_dimensions, reading_of, views
from venire.llm.simulated.replies import reasoning
from venire.records import Dimension, Request

NOT_APPLICABLE = "N/A"


def rate(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Feedback and a rating of each dimension asked, in the light of whatever the prompt shows as said.

    Raises:
        BackendError: the response cannot be found, or a dimension or its scale.
    """
    reading = reading_of(here, request, viewer)
    found = views(reading, asked_dimensions(reading, request, question))
    words, fault = call.random(), call.random()
    return {"feedback": feedback(reading, found, words), "ratings": ratings(reading, found, fault)}


def score(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """One rating on the dimension of the request's subject.

    Raises:
        BackendError: as `rate`; the subject names no dimension and the prompt not one alone.
    """
    reading = reading_of(here, request, viewer)
    (view,) = views(reading, [scored_dimension(reading, request)])
    return {"score": rating(view.dimension, view.evidence, reading)}


def write_steps(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Evaluation steps; they move no score."""
    names = ", ".join(each.name for each in dimensions_shown(request)) or "the dimension"
    told = (
        "Read the request and the response.",
        f"Note each point that bears on {names}.",
        "Add up the points.",
    )
    return {
        "steps": [
            reasoning(each, here.simulation.style.reasoning_words // len(told), call.random())
            for each in told
        ]
    }


def feedback(reading: Reading, found: Sequence[View], draw: float) -> str:
    """What decides the ratings: the evidence on each dimension, and the points that weigh most."""
    most = reading.here.simulation.ratings.exchange.feedback_points
    said = []
    for view in found:
        weighty = sorted(view.known, key=lambda id_: (-abs(view.known[id_]), id_))[:most]
        said.append(statement(view.dimension.name, view.evidence, {id_: view.known[id_] for id_ in weighty}))
    return reasoning("; ".join(said) + ".", reading.here.simulation.style.reasoning_words, draw)


def statement(dimension: str, evidence: float, points: Mapping[str, float]) -> str:
    """`fluency: +0.84; point 3f2a9c +0.62`: a stance and points, as `rating_shown` reads them."""
    return "; ".join(
        [f"{dimension}: {evidence:+.2f}", *(f"point {id_} {value:+.2f}" for id_, value in points.items())]
    )


def ratings(reading: Reading, found: Sequence[View], fault: float) -> dict[str, object]:
    """A rating of each dimension; `fault` in [0, 1) decides whether one is missing or off its scale."""
    faults = reading.here.simulation.ratings.faults
    made: dict[str, object] = {}
    for view in found:
        absent = left_out(reading, view.dimension.name)
        made[view.dimension.name] = (
            NOT_APPLICABLE if absent else rating(view.dimension, view.evidence, reading)
        )
    off, missing = faults.struck(fault, len(found))
    if off is not None:
        wrong = found[off].dimension
        made[wrong.name] = number(wrong.high + (wrong.step or wrong.high - wrong.low))
    if missing is not None:
        del made[found[missing].dimension.name]
    return made


def rating(scale: Dimension, evidence: float, reading: Reading) -> int | float:
    """The point of the scale that is nearest to the evidence; one end beyond the span."""
    span = reading.here.simulation.ratings.material.span
    at = scale.low + (scale.high - scale.low) * min(1.0, max(0.0, 0.5 + evidence / (2 * span)))
    if scale.step is None:
        return number(round(at, 2))
    return number(scale.low + round((at - scale.low) / scale.step) * scale.step)


def scored_dimension(reading: Reading, request: Request) -> Dimension:
    """The one dimension that the request asks about.

    Raises:
        BackendError: the subject names none that has a scale, and the prompt does not show one alone.
    """
    shown = {each.name: each for each in dimensions_shown(request)}
    name = request.subject.dimension if request.subject else ""
    known = {**reading.response.scales, **shown}
    if name in known:
        return known[name]
    if len(shown) == 1 and not name:
        return next(iter(shown.values()))
    raise BackendError(
        f"simulation: cannot tell on which dimension stage {request.stage!r} asks for a score; expected "
        f"Subject.dimension to be one of {', '.join(known)}, got {name!r}"
    )


def left_out(reading: Reading, dimension: str) -> bool:
    """Whether the judge calls the dimension not applicable: only where the humans left it out themselves."""
    place = reading.response.place
    if not place or dimension in place or dimension not in reading.response.scales:
        return False
    who = (reading.reader.model, reading.reader.persona, reading.response.content, dimension)
    share = reading.here.simulation.ratings.faults.not_applicable
    return uniform(reading.here.simulation.seed, "not applicable", *who) < share


def number(value: float) -> int | float:
    """`value` as a reply writes it: whole where it is, without the noise of its last digits."""
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) else rounded
