"""The facets of MSLR-Cochrane from the annotators' answers: as the paper coded them, and corrected.

Every facet is on the annotators' scale (fluency 0-2, pio 0-6, direction 0-1, strength 0-3), a linear
rescaling of the [0, 1] of the data's own columns. docs/papers/maj_eval.md says what is wrong with the
published coding.

Source: Wang et al., "Automated Metrics for Medical Multi-Document Summarization Disagree with Human
Evaluations", ACL 2023; notebooks/mslr_annotation_analysis.ipynb of allenai/mslr-annotated-dataset.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from venire.data.rows import Row

FACETS = ("fluency", "pio", "direction", "strength")
AVERAGE = "average"
COMPONENTS = ("population", "intervention", "outcome", "ed_agree", "strength_agree")
_PIO = ("population", "intervention", "outcome")
_TOP = {"fluency": 2, "pio": 6, "direction": 1, "strength": 3}  # what the facet's 1 is on the scale here


@dataclass(frozen=True, slots=True)
class Answers:
    """One annotator's eight answers as numbers; None where N/A, "Other / uncertain" or left out.

    Effect directions: 2 positive, 1 no effect, 0 negative, -1 none specified. Strengths: 0 to 3.
    """

    fluency: int | None
    population: int | None
    intervention: int | None
    outcome: int | None
    ed_target: int | None
    ed_generated: int | None
    strength_target: int | None
    strength_generated: int | None

    @classmethod
    def of(cls, row: Row) -> "Answers":
        """The answers in a row's columns of the same names.

        Raises:
            DataError: one is off its scale.
        """
        return cls(
            fluency=_answer(row, "fluency", 0, 2),
            population=_answer(row, "population", 0, 2),
            intervention=_answer(row, "intervention", 0, 2),
            outcome=_answer(row, "outcome", 0, 2),
            ed_target=_answer(row, "ed_target", -1, 2),
            ed_generated=_answer(row, "ed_generated", -1, 2),
            strength_target=_answer(row, "strength_target", 0, 3),
            strength_generated=_answer(row, "strength_generated", 0, 3),
        )

    @property
    def pio(self) -> int:
        """The sum of the three answers; what is no number counts 0, in the paper and here."""
        return sum(_or_zero(getattr(self, name)) for name in _PIO)


def corrected(answers: Answers) -> dict[str, float]:
    """Facets and components; absent where an answer that they need is missing.

    direction: 1 where both directions are the same answer (`ed_agree`), absent only if both are missing.
    strength: 3 minus the distance of the two claims.
    """
    facets = {
        "fluency": answers.fluency,
        "pio": answers.pio,
        "direction": _agree(answers.ed_target, answers.ed_generated),
        "strength": _closeness(answers.strength_target, answers.strength_generated),
    }
    return _present(facets)


def as_published(answers: Answers) -> dict[str, float]:
    """The facets as the paper's notebook has them; none is ever absent.

    direction: a missing answer and "negative effect" (0) both become "none specified" before they are
    compared. strength: 3 + generated - target, signed, missing counted as 0; up to 6.
    """
    facets: Mapping[str, int | None] = {
        "fluency": _or_zero(answers.fluency),
        "pio": answers.pio,
        "direction": int((answers.ed_target or -1) == (answers.ed_generated or -1)),
        "strength": 3 + _or_zero(answers.strength_generated) - _or_zero(answers.strength_target),
    }
    return _present(facets)


def components(answers: Answers) -> dict[str, float]:
    """The single answers on population, intervention and outcome, and the two agreements."""
    return _present(
        {
            **{name: getattr(answers, name) for name in _PIO},
            "ed_agree": _agree(answers.ed_target, answers.ed_generated),
            "strength_agree": _agree(answers.strength_target, answers.strength_generated),
        }
    )


def exact_average(facets: Mapping[str, float]) -> float | None:
    """The mean of the four facets in [0, 1], rounded once: equal means are equal numbers.

    None where a facet is missing.
    """
    if any(name not in facets for name in FACETS):
        return None
    return float(sum(Fraction(int(facets[name]), _TOP[name]) for name in FACETS) / len(FACETS))


def _answer(row: Row, field: str, low: int, high: int) -> int | None:
    number = row.real(field, low, high)
    if number is not None and not number.is_integer():
        todo = "correct the record: answers are whole numbers"
        raise row.bad(field, expected="a whole number", got=f"{number:g}", todo=todo)
    return None if number is None else int(number)


def _or_zero(answer: int | None) -> int:
    return 0 if answer is None else answer


def _agree(target: int | None, generated: int | None) -> int | None:
    """None where both are missing; one missing is a disagreement, as in the source's script."""
    if target is None and generated is None:
        return None
    return int(target == generated)


def _closeness(target: int | None, generated: int | None) -> int | None:
    return None if target is None or generated is None else 3 - abs(target - generated)


def _present(values: Mapping[str, int | None]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items() if value is not None}
