"""What a prompt of direct scoring shows, as a model would read it: criteria, scales, rubrics, order."""

import re
from dataclasses import dataclass
from functools import lru_cache

from venire.errors import BackendError
from venire.llm.simulated.messages import first_message
from venire.llm.simulated.rating_shown import outside, scale_shown, words_listed
from venire.records import Dimension, Request

_CRITERION = re.compile(
    r"^Criterion: ([^\n]+)\n(?:Key in the reply: ([^\n]+)\n)?Description: (.*?)\n"
    r"(?:Weight: [^\n]+\n)?Scale: ([^\n]+)(?:\nRubric \((\w+)[^\n]*\):)?",
    re.MULTILINE | re.DOTALL,
)
_COMPARED = re.compile(r"^- ([^\n(]+) \(key ([^\n,]+), weight [^\n)]+\): ", re.MULTILINE)
_SCORES = re.compile(r"^Scale, from the worst to the best: ([^\n]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ShownCriterion:
    """One criterion as the prompt shows it.

    Args:
        key: as in the reply; empty where one alone is asked.
        scale: with the criterion's name.
        words: what the points are called, lowest first; empty where they are numbers.
        strictness: of the rubric shown; empty where there is none.
    """

    key: str
    scale: Dimension
    words: tuple[str, ...]
    strictness: str

    @property
    def points(self) -> int:
        """How many points the scale has; 0 where any number will do."""
        if self.scale.step is None:
            return 0
        return round((self.scale.high - self.scale.low) / self.scale.step) + 1


def criteria_shown(request: Request) -> tuple[ShownCriterion, ...]:
    """The criteria that the prompt asks to score, in its order.

    Raises:
        BackendError: it shows none in the form that `prompts/_criterion.jinja` has.
    """
    found = _criteria(_plain(request, "system"))
    if not found:
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} shows no criterion; expected 'Criterion: "
            "...', 'Description: ...' and 'Scale: one of ...' on lines of their own"
        )
    return found


def justification_shown(request: Request) -> str:
    """`before`, `after` or `none`: whether reasons are asked for before the score."""
    system = _plain(request, "system")
    reasons, score = system.rfind('"justification":'), system.rfind('"score":')
    if reasons < 0:
        return "none"
    return "before" if reasons < score else "after"


def compared_on(request: Request) -> tuple[str, ...]:
    """The keys of the criteria that a comparison is asked on.

    Raises:
        BackendError: the prompt shows none.
    """
    keys = tuple(key for _, key in _COMPARED.findall(_plain(request, "system")))
    if not keys:
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} shows no criterion to compare on; expected "
            "'- name (key KEY, weight W): ...'"
        )
    return keys


def scores_shown(request: Request) -> tuple[str, ...]:
    """The scores that a rubric is asked for, lowest first.

    Raises:
        BackendError: the prompt shows none.
    """
    found = _SCORES.search(_plain(request, "user"))
    if found is None:
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} shows no scale to write a rubric for; "
            "expected 'Scale, from the worst to the best: ...'"
        )
    return tuple(found[1].split(", "))


@lru_cache(maxsize=4096)
def _criteria(text: str) -> tuple[ShownCriterion, ...]:
    return tuple(_criterion(*found) for found in _CRITERION.findall(text))


def _criterion(name: str, key: str, description: str, scale: str, strictness: str) -> ShownCriterion:
    words = words_listed(scale)
    shown = (
        Dimension(name, description, 0, len(words) - 1) if words else scale_shown(name, description, scale)
    )
    return ShownCriterion(key, shown, words, strictness)


def _plain(request: Request, role: str) -> str:
    """What stands outside of material in the first message of `role`."""
    return outside(first_message(request, role))
