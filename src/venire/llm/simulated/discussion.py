"""What simulated judges say to each other about a response, and what those say who lead or sum up."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.draws import uniform
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.llm.simulated.rating_replies import feedback, ratings, statement
from venire.llm.simulated.rating_shown import Seat, Spoken, seats, spoken_in
from venire.llm.simulated.rating_views import Reading, View, asked_dimensions, reading_of, stances_of, views
from venire.llm.simulated.replies import MARK, reasoning
from venire.records import Request

_NO_MORE = "NO MORE COMMENTS"
Stances = Mapping[str, Mapping[str, float]]


def take_turn(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The points that nobody has told yet, the weightiest first; without any, the end of one's part.

    Raises:
        BackendError: the response cannot be found, or a dimension or its scale.
    """
    reading = reading_of(here, request, viewer)
    found = views(reading, asked_dimensions(reading, request, question))
    words, chatters, fault = call.random(), call.random(), call.random()
    new = _news(reading, found)
    if new or chatters < here.simulation.ratings.exchange.chatter:
        return {"message": _message(reading, found, new, words), "feedback": "", "ratings": None}
    return {
        "message": f"{MARK} I have told all that I see. {_NO_MORE}",
        "feedback": feedback(reading, found, words),
        "ratings": ratings(reading, found, fault),
    }


def chat(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """A turn that always carries ratings (ChatEval).

    Raises:
        BackendError: as `take_turn`.
    """
    reading = reading_of(here, request, viewer)
    found = views(reading, asked_dimensions(reading, request, question))
    words, fault = call.random(), call.random()
    return {
        "message": _message(reading, found, _news(reading, found), words),
        "ratings": ratings(reading, found, fault),
    }


def summarise(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The mean stance on each dimension and most of the points; the others are lost.

    Raises:
        BackendError: the response cannot be found.
    """
    spoken, response = spoken_in(request), here.rated.of(request)
    stances = stances_of(spoken, response, here.simulation.ratings.material.span)
    share = here.simulation.ratings.exchange.summary_kept
    told = {id_: value for each in spoken for id_, value in each.points.items()}
    kept = {
        id_: value
        for id_, value in told.items()
        if uniform(here.simulation.seed, "kept", viewer.model, id_) < share
    }
    means = [f"{name}: {math.fsum(held.values()) / len(held):+.2f}" for name, held in stances.items()]
    said = "; ".join([*means, *(f"point {id_} {value:+.2f}" for id_, value in kept.items())])
    return {
        "summary": reasoning(
            f"{said or 'Nothing was stated'}.", here.simulation.style.reasoning_words, call.random()
        )
    }


def choose_speaker(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Who speaks next: a side of an open conflict, else whoever was heard least, as the prompt lists them.

    Raises:
        BackendError: the response cannot be found, or neither the schema nor the prompt names who may speak.
    """
    response = here.rated.of(request)
    spoken = spoken_in(request)
    stances = stances_of(spoken, response, here.simulation.ratings.material.span)
    able = _able(request, question, spoken)
    conflicts = _conflicts(stances, here.simulation.ratings.exchange.dispute)
    last = {each.speaker: place for place, each in enumerate(spoken)}
    for name, low, high in conflicts:
        # a side that has spoken after the other has answered it
        first, second = sorted((low, high), key=lambda side: last.get(side, -1))
        for side, other in ((first, second), (second, first)):
            if side in able and (able[side] == 0 or last.get(side, -1) < last.get(other, -1)):
                return _named(f"{side} and {other} differ on {name}.", side)
    quiet = min(able, key=lambda each: able[each])
    return _named(f"{quiet} was heard least.", quiet)


def bring_together(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Dimensions on which stances are close, those on which they are not, and a reading; no rating.

    Raises:
        BackendError: the response cannot be found.
    """
    rules = here.simulation.ratings
    response = here.rated.of(request)
    stances = stances_of(spoken_in(request), response, rules.material.span)
    agreements, disputes, means = [], [], []
    for name, held in stances.items():
        low, high = _ends(held)
        mean = sum(held.values()) / len(held)
        means.append(f"{name} {mean:+.2f}")
        if held[high] - held[low] > rules.exchange.dispute:
            disputes.append(f"{MARK} {name}: {high} at {held[high]:+.2f}, {low} at {held[low]:+.2f}.")
        else:
            agreements.append(f"{MARK} {name}: all within {held[high] - held[low]:.2f} of each other.")
    said = f"Mean evidence in logits, by dimension: {', '.join(means) or 'none was stated'}."
    return {
        "agreements": agreements,
        "disputes": disputes,
        "reading": reasoning(said, here.simulation.style.reasoning_words, call.random()),
    }


def _news(reading: Reading, found: Sequence[View]) -> dict[str, float]:
    """The weightiest points that nobody has told, at most as many as a turn tells."""
    untold = {id_: value for view in found for id_, value in view.untold.items()}
    most = reading.here.simulation.ratings.exchange.turn_points
    return {id_: untold[id_] for id_ in sorted(untold, key=lambda id_: (-abs(untold[id_]), id_))[:most]}


def _message(reading: Reading, found: Sequence[View], new: Mapping[str, float], draw: float) -> str:
    said = "; ".join(
        statement(view.dimension.name, view.evidence, {id_: new[id_] for id_ in view.untold if id_ in new})
        for view in found
    )
    return reasoning(f"{said}.", reading.here.simulation.style.reasoning_words, draw)


def _able(request: Request, question: Question, spoken: Sequence[Spoken]) -> dict[str, int]:
    """Who may speak, with the number of turns taken."""
    listed: dict[str, Seat] = {each.name: each for each in seats(request)}
    names = [str(name) for name in question.choices.get("next_speaker", ())]
    names = names or [name for name, seat in listed.items() if seat.open]
    if not names:
        raise BackendError(
            f"simulation: stage {request.stage!r} names nobody who may speak; expected an enum of "
            "next_speaker in the schema, or a list of people in the prompt"
        )
    heard = [each.speaker for each in spoken]
    return {name: listed[name].turns if name in listed else heard.count(name) for name in names}


def _conflicts(stances: Stances, dispute: float) -> list[tuple[str, str, str]]:
    """Dimensions on which the stances lie further apart than `dispute`, widest first; with both sides."""
    found = []
    for name, held in stances.items():
        low, high = _ends(held)
        if held[high] - held[low] > dispute:
            found.append((held[low] - held[high], name, low, high))
    return [(name, low, high) for _, name, low, high in sorted(found)]


def _ends(held: Mapping[str, float]) -> tuple[str, str]:
    """Whose stance is lowest, and whose highest."""
    return min(held, key=lambda who: held[who]), max(held, key=lambda who: held[who])


def _named(reason: str, speaker: str) -> dict[str, object]:
    return {"reason": f"{MARK} {reason}", "next_speaker": speaker}
