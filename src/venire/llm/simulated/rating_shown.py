"""What a prompt about ratings shows, read as a model would read it: who is asked what, and what was said.

Texts are found between the tags of `venire.prompts.render`, whose ids no text can hold; the rest is
read outside of them. What stands in the request, the response, its context or its reference is nobody's word.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from venire.llm.simulated.messages import first_message
from venire.records import Dimension, Request

_OPENED = re.compile(r'<([^<>"\n]{1,80}) id="([0-9a-f]{16})">\n')
_NOBODYS = frozenset({"request", "response", "context", "reference", "task", "document"})
_PERSONA = re.compile(r"You judge as a particular person and keep to that person's view throughout: (.+)\.\n")
_PART = re.compile(r"^[A-Z][^:.\n]{2,40}: ", re.MULTILINE)
_PARTS = 5
_GROUP = re.compile(r"^Your stakeholder group: (.+?)\.?$", re.MULTILINE)
_ME = re.compile(r"You are one of them:\s+([^.\n]+)\.|You are\s+([^.,\n]+), and you speak for yourself alone")
_OTHERS = re.compile(r"With you (?:is|are): ([^.\n]+)\.|^You and (.+) discuss a response", re.MULTILINE)
_DIMENSION = re.compile(r"^- ([^:\n]+): ((?:(?!\n- ).)*?)\n  Rating: ([^\n]+)$", re.MULTILINE | re.DOTALL)
_LISTED = re.compile(r"one of (.+?);")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_SPEAKER = re.compile(r"(?:Turn \d+, )?([^-:(\n][^:(\n]*?)(?: \(ratings: ([^)\n]*)\))?:(?: (.+))?$")
_TURN = re.compile(r", turn \d+$")
_RATED = re.compile(r"([^,;]+?) (-?\d+(?:\.\d+)?)(?:, |$)")
_STANCE = re.compile(r"(?:\] |; )([^;:\n]{1,80}): ([+-]\d+\.\d\d)(?!\d)")
_POINT = re.compile(r"\bpoint ([0-9a-f]{6}) ([+-]\d+\.\d\d)")
_SEAT = re.compile(r"^- (.+?)(?:, who looks at: [^\n]*?)?; (\d+) turns? so far; (may|has)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """What the system message tells of the judge.

    Args:
        persona: its role; empty for none.
        parts: the share of the further parts that are told, 0 to 1.
        group: its stakeholder group; empty where nothing says it.
        words: the paragraph about it.
        me: how the others call it; empty outside of discussions.
        circle: everybody in the discussion, sorted; empty where nothing lists them.
    """

    persona: str
    parts: float
    group: str
    words: str
    me: str
    circle: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spoken:
    """Something that somebody said: a text, ratings, or both. `speaker` is empty where nothing says who."""

    speaker: str
    text: str
    ratings: tuple[tuple[str, float], ...] = ()

    @property
    def stances(self) -> dict[str, float]:
        """The evidence in all that the text states, by dimension; logits."""
        return {name: float(value) for name, value in _STANCE.findall(self.text)}

    @property
    def points(self) -> dict[str, float]:
        """The points that the text tells, by id, with their values in logits."""
        return {name: float(value) for name, value in _POINT.findall(self.text)}


@dataclass(frozen=True, slots=True)
class Seat:
    """One of whom a coordinator may choose, with the number of turns taken."""

    name: str
    turns: int
    open: bool


def told_of(request: Request) -> Told:
    """Who is asked, as the first system message tells it."""
    return _told(first_message(request, "system"))


def dimensions_shown(request: Request) -> tuple[Dimension, ...]:
    """The dimensions that the prompt asks to rate, in its order, with their scales."""
    return _dimensions(first_message(request, "system")) or _dimensions(first_message(request, "user"))


def spoken_in(request: Request) -> tuple[Spoken, ...]:
    """What the first user message shows of what people rated and said, in its order.

    What a re-ask adds (the unusable reply, the complaint) is not the question.
    """
    spoken: list[Spoken] = []
    for label, text in pieces(first_message(request, "user")):
        if not label:
            spoken += [Spoken(*each) for each in _named(text)]
        elif label not in _NOBODYS:
            if spoken and not spoken[-1].text:
                spoken[-1] = Spoken(spoken[-1].speaker, text, spoken[-1].ratings)
            else:
                spoken.append(Spoken("", text))
    return tuple(each for each in spoken if each.text or each.ratings)


def materials(request: Request) -> tuple[tuple[str, str], ...]:
    """(label, text) of everything that the first user message shows between tags."""
    return tuple(each for each in pieces(first_message(request, "user")) if each[0])


def seats(request: Request) -> tuple[Seat, ...]:
    """Whom a coordinator may choose from, as the prompt lists them."""
    plain = outside(first_message(request, "user"))
    return tuple(Seat(name, int(turns), may == "may") for name, turns, may in _SEAT.findall(plain))


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """`text` in its order: (label, material), and ("", what stands outside)."""
    at = 0
    while opened := _OPENED.search(text, at):
        label, id_ = opened.groups()
        end = text.find(closing := f'\n</{label} id="{id_}">', opened.end() - 1)
        if end < 0:
            break
        yield "", text[at : opened.start()]
        yield label, text[opened.end() : end]
        at = end + len(closing)
    yield "", text[at:]


def outside(text: str) -> str:
    """What stands outside of material in `text`."""
    return "".join(part for label, part in pieces(text) if not label)


def _named(text: str) -> Iterator[tuple[str, str, tuple[tuple[str, float], ...]]]:
    """The speakers that a stretch outside of material names, with the ratings beside their names."""
    for each in text.split("\n"):
        found = _SPEAKER.match(each) if ":" in each else None
        if found is None:
            continue
        name, ratings, line = found.groups(default="")
        rated = _RATED.findall(ratings or line)
        yield _TURN.sub("", name.strip()), "", tuple((each.strip(), float(value)) for each, value in rated)


@lru_cache(maxsize=4096)
def _told(system: str) -> Told:
    paragraph = system.split("\n\n", 1)[0] + "\n"
    persona, group = _PERSONA.match(paragraph), _GROUP.search(system)
    me, others = (_one_of(found) for found in (_ME.search(system), _OTHERS.search(system)))
    circle = sorted({me, *others.split(", ")}) if others else []
    return Told(
        persona=persona[1] if persona else "",
        parts=min(1.0, len(_PART.findall(paragraph)) / _PARTS) if persona else 0.0,
        group=group[1] if group else "",
        words=paragraph if persona else "",
        me=me,
        circle=tuple(circle),
    )


def _one_of(found: re.Match[str] | None) -> str:
    """Of several groups, the one that matched."""
    return next((group.strip() for group in found.groups() if group), "") if found else ""


@lru_cache(maxsize=4096)
def _dimensions(text: str) -> tuple[Dimension, ...]:
    return tuple(scale_shown(*found) for found in _DIMENSION.findall(outside(text)))


def words_listed(scale: str) -> tuple[str, ...]:
    """What the points are called on the scale that these words tell; empty where they are numbers."""
    listed = _LISTED.match(scale)
    points = tuple(listed[1].split(", ")) if listed else ()
    return () if points and _NUMBER.fullmatch(points[0]) else points


def scale_shown(name: str, description: str, scale: str) -> Dimension:
    """A dimension on the scale of numbers that the words `scale` tell: its points, or its ends and step."""
    listed = _LISTED.match(scale)
    numbers = [float(number) for number in _NUMBER.findall(listed[1] if listed else scale)]
    if listed:
        step = numbers[1] - numbers[0] if len(numbers) > 1 else 1.0
        return Dimension(name, description, numbers[0], numbers[-1], step)
    return Dimension(name, description, numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else None)
