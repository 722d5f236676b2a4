"""Personas drafted from documents: stakeholders with quotes, groups of them, and the people themselves.

A text operation. A stakeholder is a word of a list (`PersonaDrafts.stakeholders`); what it cares about is
the sentence that the word stands in.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.draws import uniform
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.llm.simulated.rating_shown import materials
from venire.llm.simulated.replies import MARK
from venire.records import Request

_NUMBER = re.compile(r"^\[(\d+)\] ")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_VIEW = re.compile(r"^\[(\d+)\] (.+?) \(.*?\) \| dimension: (.*?) \| wants: ", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{5,}")
_FUNCTION_WORDS = frozenset(
    {
        "about",
        "after",
        "again",
        "against",
        "among",
        "because",
        "before",
        "being",
        "below",
        "between",
        "could",
        "during",
        "every",
        "itself",
        "might",
        "other",
        "others",
        "several",
        "shall",
        "should",
        "since",
        "their",
        "theirs",
        "themselves",
        "there",
        "these",
        "those",
        "though",
        "through",
        "under",
        "until",
        "where",
        "whether",
        "which",
        "while",
        "whose",
        "within",
        "without",
        "would",
    }
)
_FEWEST_WORDS = 6  # of a passage that can be evidence
_QUOTED_WORDS = 25
_PLACES = ("in a small town", "in a large city", "in a rural district", "at a university")
_TRAITS = (
    "Careful and slow to praise; reads everything twice.",
    "Quick and direct; says at once what does not hold.",
    "Curious and patient; looks for what could be meant before objecting.",
    "Strict about small things, since they show how the rest was made.",
)


def extract(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The stakeholders that the shown part names, with sentences of it; some quotes stand nowhere in it.

    Raises:
        BackendError: the prompt shows no document.
    """
    rules, words = here.simulation.personas, _by_word(here)
    found: dict[str, dict[str, str]] = {}
    for sentence in _sentences(_shown(request, "document")):
        for word in words:
            named = re.search(rf"\b{re.escape(word.removesuffix('s'))}s?\b", sentence, re.IGNORECASE)
            if named and len(sentence.split()) >= _FEWEST_WORDS:
                views = found.setdefault(word, {})
                if len(views) < rules.dimensions:
                    views.setdefault(_dimension(sentence, words), sentence)
    return {"stakeholders": [_stakeholder(here, viewer, word, views) for word, views in found.items()]}


def consolidate(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Every view in one group, by the word that names its stakeholder; equal dimensions of a group are one.

    Raises:
        BackendError: the prompt shows no views.
    """
    group_of = _by_word(here)
    groups: dict[str, dict[str, list[int]]] = {}
    members: dict[str, dict[str, None]] = {}
    for number, stakeholder, dimension in _VIEW.findall(_shown(request, "views")):
        name = group_of.get(stakeholder.casefold(), stakeholder)
        groups.setdefault(name, {}).setdefault(dimension, []).append(int(number))
        members.setdefault(name, {})[stakeholder] = None
    return {
        "groups": [
            {
                "name": name,
                "description": f"{MARK} {', '.join(members[name])}.",
                "dimensions": [{"dimension": each, "views": numbers} for each, numbers in merged.items()],
            }
            for name, merged in groups.items()
        ]
    }


def write_persona(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """A person of the group who looks at the dimension, in the words of its perspectives and passages.

    Raises:
        BackendError: the prompt shows no group or no dimension.
    """
    group = _shown(request, "group").split(":", 1)[0].strip()
    dimension = _shown(request, "dimension").strip()
    shown = dict(materials(request))
    wants = " ".join(shown.get("perspectives", "").replace(MARK, " ").split())
    quoted = " ".join(shown.get("passages", "").split()[:_QUOTED_WORDS])
    age, place, temper = (call.random() for _ in range(3))
    return {
        "role": f"one of the {group} who looks first at {dimension} {MARK}",
        "demographics": f"{MARK} Aged {round(25 + 45 * age)}, {_PLACES[int(place * len(_PLACES))]}.",
        "perspective": f"{MARK} {wants or dimension} A reason for it: {quoted or 'none was given'}",
        "expertise": f"{MARK} Knows {dimension} from the practice of {group}.",
        "traits": f"{MARK} {_TRAITS[int(temper * len(_TRAITS))]}",
        "relations": f"{MARK} Works with other {group} and answers to those who rely on them.",
    }


def _by_word(here: World) -> Mapping[str, str]:
    """The words that name stakeholders, with their groups."""
    return {
        word.casefold(): group
        for group, words in here.simulation.personas.stakeholders.items()
        for word in words
    }


def _shown(request: Request, label: str) -> str:
    """The material whose label begins with `label`."""
    for name, text in materials(request):
        if name.startswith(label):
            return text
    raise BackendError(
        f"simulation: the prompt of stage {request.stage!r} shows no material with the label {label!r}"
    )


def _sentences(text: str) -> Sequence[str]:
    lines = (_NUMBER.sub("", line) for line in text.splitlines())
    return [sentence.strip() for line in lines for sentence in _SENTENCE_END.split(line) if sentence.strip()]


def _dimension(sentence: str, stakeholders: Mapping[str, str]) -> str:
    """A few words that stand for what a sentence is about: its last two long ones that name nobody."""
    plain = (word.casefold() for word in _WORD.findall(sentence))
    named = [
        word for word in dict.fromkeys(plain) if word not in stakeholders and word not in _FUNCTION_WORDS
    ]
    return " ".join(named[-2:]) or "the whole"


def _stakeholder(here: World, viewer: Viewer, word: str, views: Mapping[str, str]) -> dict[str, object]:
    dimensions = []
    for dimension, sentence in views.items():
        drawn = uniform(here.simulation.seed, "ungrounded", viewer.model, word, sentence)
        invented = f"Nothing at all, it was said, matters quite so much to any {word} as {dimension} does."
        dimensions.append(
            {
                "dimension": dimension,
                "perspective": f"{MARK} They want {dimension} to be right.",
                "evidence": invented if drawn < here.simulation.personas.ungrounded else sentence,
            }
        )
    return {
        "name": word,
        "description": f"{MARK} {word.capitalize()} of whom the document speaks.",
        "dimensions": dimensions,
    }
