"""The verdicts on criteria in a filled-in review file, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from venire.data.rows import Row, shown
from venire.judging.criteria import Criterion
from venire.metrics.criteria import BY_CRITERION
from venire.records import Winner
from venire.review.labels import NOT_APPLICABLE, OnCriterion, content_of_criteria, on_criterion
from venire.review.sheets import VERDICT_ON

_CONTENT = "criteria_content"


@dataclass(frozen=True, slots=True)
class OnCriteria:
    """The verdicts that a row gives on criteria, and the hash of the criteria that it was asked on."""

    verdicts: Mapping[str, OnCriterion] = field(default_factory=dict)
    content: str = ""


def read_on_criteria(row: Row, criteria: Sequence[Criterion] | None, *, is_pair: bool) -> OnCriteria:
    """What a row says on criteria; places that are empty say nothing.

    Args:
        criteria: of the run that the row is for; None where there is none: then the row names them.
        is_pair: whether two responses are compared.

    Raises:
        DataError: a criterion that the run does not have, a verdict that is none, criteria of other words, or
            criteria where one response is rated; names file, row and field.
    """
    given = _given(row)
    if not given:
        return OnCriteria()
    if not is_pair:
        raise row.bad(
            BY_CRITERION, expected="ratings: one response is rated", got="verdicts", todo="correct it"
        )
    verdicts = {key: _verdict(row, key, said) for key, said in given.items()}
    return OnCriteria(verdicts, _content(row, verdicts, criteria))


def check_none_on_criteria(row: Row) -> None:
    """Refuse a row that says something on criteria and nothing on the whole: half a label is none."""
    if _given(row):
        raise row.bad(
            "verdict",
            expected="a verdict on the whole beside those on criteria",
            got="none",
            todo="fill it in, or leave the criteria empty",
        )


def _given(row: Row) -> dict[str, object]:
    given = {
        name.removeprefix(VERDICT_ON): said
        for name, said in row.fields.items()
        if name.startswith(VERDICT_ON)
    }
    nested = row.fields.get(BY_CRITERION)
    if isinstance(nested, dict):
        given |= nested
    elif nested not in (None, ""):
        raise row.bad(BY_CRITERION, expected="verdicts by criterion", got=shown(nested), todo="correct it")
    return {str(key): said for key, said in given.items() if said not in (None, "")}


def _verdict(row: Row, key: str, said: object) -> OnCriterion:
    try:
        return on_criterion(said)
    except ValueError:
        raise row.bad(
            f"{VERDICT_ON}{key}",
            expected=f"one of {', '.join((*Winner, NOT_APPLICABLE))}",
            got=shown(said),
            todo="correct it, or leave it empty",
        ) from None


def _content(row: Row, verdicts: Mapping[str, OnCriterion], criteria: Sequence[Criterion] | None) -> str:
    named = str(row.fields.get(_CONTENT) or "")
    if criteria is None:
        if not named:
            raise row.bad(
                _CONTENT,
                expected="the criteria that were asked on, as review export and review labels name them",
                got="nothing",
                todo="import it for the run whose criteria they are",
            )
        return named
    known = [each.key for each in criteria]
    strange = next((key for key in verdicts if key not in known), None)
    now = content_of_criteria(criteria)
    if strange is not None or (named and named != now):
        there = f"the run's criteria ({', '.join(known) or 'it has none'})"
        raise row.bad(
            _CONTENT if strange is None else f"{VERDICT_ON}{strange}",
            expected=there,
            got="other words for them" if strange is None else repr(strange),
            todo="import it for the run whose criteria they are, or with --labels-for DATASET",
        )
    return now
