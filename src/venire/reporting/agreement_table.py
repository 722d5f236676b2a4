"""Agreement of annotators as a table, and as plain values."""

from collections.abc import Sequence

from venire.metrics.annotators import HUMANS, Agreement, Share
from venire.reporting.table import Cell, Estimate, Table, or_null
from venire.stats.coincidence import Level
from venire.stats.estimate import Estimate as Measured


def agreement_table(title: str, found: Sequence[Agreement], notes: Sequence[str]) -> Table:
    """A row for each group and what it is held against; only columns that some row fills."""
    columns = _columns(found)
    rows = tuple(tuple(_cell(each, column) for column in columns) for each in found)
    return Table(title, columns, rows, (*_explained(found), *notes))


_ALPHA = {Level.NOMINAL: "alpha", Level.ORDINAL: "alpha, ordinal", Level.INTERVAL: "alpha, interval"}


def _columns(found: Sequence[Agreement]) -> tuple[str, ...]:
    columns = ["question"]
    columns += ["votes"] if any(each.title for each in found) else []
    columns += ["annotators"] if len({each.group for each in found}) > 1 else []
    columns += ["with", "items", "agree", "agreement"]
    columns += ["agree, no tie", "agreement, no tie"] if any(each.without_ties for each in found) else []
    columns += ["kappa"]
    columns += ["quadratic kappa"] if any(each.quadratic_kappa for each in found) else []
    levels = {level for each in found for level in each.alpha}
    return (*columns, *(_ALPHA[level] for level in Level if level in levels))


def _cell(each: Agreement, column: str) -> Cell:
    alpha = {_ALPHA[level]: value for level, value in each.alpha.items()}
    match column:
        case "question":
            return each.question
        case "votes":
            return each.title
        case "annotators":
            return each.group
        case "with":
            return each.against
        case "items":
            return str(each.units)
        case "agree":
            return _counts(each.with_ties)
        case "agreement":
            return Estimate.of(each.with_ties.estimate)
        case "agree, no tie":
            return _counts(each.without_ties) if each.without_ties else ""
        case "agreement, no tie":
            return Estimate.of(each.without_ties.estimate) if each.without_ties else ""
        case "kappa":
            return Estimate.of(each.kappa)
        case "quadratic kappa":
            return Estimate.of(each.quadratic_kappa) if each.quadratic_kappa else ""
    return Estimate.of(alpha[column]) if column in alpha else ""


def _counts(share: Share) -> str:
    return f"{share.agree}/{share.total}"


def _explained(found: Sequence[Agreement]) -> list[str]:
    humans = any(each.against == HUMANS for each in found)
    machines = any(each.against != HUMANS for each in found)
    notes = [each.with_ties.estimate.note for each in found if each.with_ties.estimate.note][:1]
    said = [f"Intervals: {note}." for note in notes]
    if humans:
        said.append("With each other: all pairs of annotations of an item, also two of one annotator.")
    if machines:
        said.append("With a model: each annotation of an item against the model's.")
    if any(each.without_ties for each in found):
        said.append("No tie: pairs in which neither is a tie.")
    kinds = dict.fromkeys(
        (f"Kappa with {'each other' if each.against == HUMANS else 'a model'}: {each.kappa_kind}.")
        for each in found
        if each.kappa.is_defined
    )
    return [*said, *kinds]


def agreement_json(found: Sequence[Agreement]) -> list[dict[str, object]]:
    """One object a row; what is undefined is null, with its reason under `note`."""
    return [
        {
            "votes": each.title,
            "question": each.question,
            "annotators": each.group,
            "n_annotators": each.annotators,
            "with": each.against,
            "items": each.units,
            "with_ties": _share(each.with_ties),
            "without_ties": _share(each.without_ties) if each.without_ties else None,
            "kappa": {**_estimate(each.kappa), "kind": each.kappa_kind},
            "quadratic_kappa": _estimate(each.quadratic_kappa) if each.quadratic_kappa else None,
            "alpha": {str(level): _estimate(value) for level, value in each.alpha.items()},
        }
        for each in found
    ]


def _share(share: Share) -> dict[str, object]:
    return {"agree": share.agree, "total": share.total, **_estimate(share.estimate)}


def _estimate(estimate: Measured) -> dict[str, object]:
    return {
        "value": or_null(estimate.value),
        "ci_low": or_null(estimate.low),
        "ci_high": or_null(estimate.high),
        "n": estimate.n,
        "note": estimate.note,
    }
