"""One table over judges: a row a finding, biases in their order, judges side by side."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from venire.audit.told import told, unit_of
from venire.judging.probe import DRIFT, PLAIN, Bias
from venire.metrics.audit.finding import ACCURACY, NOT_APPLICABLE, REFUSED, Finding
from venire.metrics.measurement import metric_name
from venire.records import RunRecord
from venire.reporting.footer import cautions, interval_told, provenance
from venire.reporting.table import DASH, Cell, Estimate, Table, rounded

_ORDER = (
    *(Bias.POSITION, Bias.LENGTH, "padding", "verbose_rewrite", "confident_tone", "confident_rewrite"),
    *("false_citation", Bias.SELF_ENHANCEMENT, "injection", DRIFT, ACCURACY),
)
COLUMNS = ("measure", "of", "meaning", "judge", "asked", "effect", "change", "p", "n", "what it is made of")


@dataclass(frozen=True, slots=True)
class Audited:
    """A run's findings, and who was audited, as a row names it."""

    judge: str
    record: RunRecord
    findings: Sequence[Finding]


def audit_table(
    title: str, audited: Sequence[Audited], notes: Sequence[str] = (), *, brief: bool = False
) -> Table:
    """The findings of all runs, measure by measure; within one judge by judge, plain before mitigated.

    What was not asked or is refused stands in the footer, by its reason. `brief` leaves out the columns
    `of` and `meaning`, for terminals.
    """
    rows = [
        _row(each.judge, finding)
        for name in _names(audited)
        for each in audited
        for finding in sorted(each.findings, key=lambda found: found.arm != PLAIN)
        if finding.name == name and not _is_left_out(finding)
    ]
    kept = [at for at, column in enumerate(COLUMNS) if not brief or column not in ("of", "meaning")]
    return Table(
        title,
        tuple(COLUMNS[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in rows),
        _footer(audited, notes),
    )


def _is_left_out(finding: Finding) -> bool:
    """Whether it was not asked, or is refused: nothing was measured."""
    return finding.effect.note.startswith((NOT_APPLICABLE, REFUSED))


def _left_out(audited: Sequence[Audited]) -> Iterator[str]:
    """A sentence for each reason: whom it concerns, and what was not measured of them."""
    by_reason: dict[str, dict[str, dict[str, None]]] = {}
    for each in audited:
        for finding in filter(_is_left_out, each.findings):
            what = finding.arm if finding.arm != PLAIN else finding.name
            by_reason.setdefault(finding.effect.note, {}).setdefault(what, {})[each.judge] = None
    everyone = list(dict.fromkeys(each.judge for each in audited))
    for reason, whom in by_reason.items():
        judges = list(dict.fromkeys(judge for names in whom.values() for judge in names))
        of = "" if judges == everyone else f" ({', '.join(judges)})"
        yield f"{', '.join(whom)}: {reason.removeprefix('undefined: ')}{of}."


def payload_table(audited: Sequence[Audited]) -> Table | None:
    """The injection probe, payload by payload; None where nobody was shown any."""
    found = [
        (each.judge, finding.facts)
        for each in audited
        for finding in each.findings
        if finding.bias is Bias.INJECTION and finding.arm == PLAIN
    ]
    rows = [
        (variant, judge, Estimate.among(facts, f"{_variant(variant)}/shift"), _n_of(facts, variant))
        for judge, facts in found
        for variant in _variants(facts)
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: (row[0], row[1]))
    footer = (
        "Change of the win rate of the responses that held the payload; few of each, so look at the sum.",
        f"{interval_told([each.record for each in audited])}.",
    )
    return Table("Injections, payload by payload", ("payload", "judge", "change", "n"), tuple(rows), footer)


def _names(audited: Sequence[Audited]) -> list[str]:
    """The measures that there are, in the table's order; unknown ones last."""
    present = dict.fromkeys(finding.name for each in audited for finding in each.findings)
    known = [name for name in _ORDER if name in present]
    return [*known, *(name for name in present if name not in known)]


def _row(judge: str, finding: Finding) -> tuple[Cell, ...]:
    effect, change = finding.effect, finding.change
    return (
        finding.name,
        unit_of(finding),
        finding.meaning or "",
        judge,
        finding.arm,
        Estimate(effect.value, effect.low, effect.high),
        Estimate(change.value, change.low, change.high) if change else "",
        _p(finding.p),
        Estimate(float(effect.n), decimals=0),
        told(finding),
    )


def _p(p: float) -> str:
    """`0.099`, `<0.001`, a dash where there is no test."""
    shown = rounded(p, 3)
    return "<0.001" if shown == "0.000" else shown if shown != DASH else ""


def _variants(facts: Mapping[str, float]) -> list[str]:
    return [name.split("/")[1] for name in facts if name.endswith("/shift")]


def _n_of(facts: Mapping[str, float], variant: str) -> Estimate:
    return Estimate(facts[f"{_variant(variant)}/n"], decimals=0)


def _variant(name: str) -> str:
    return metric_name("variant", name)


def _footer(audited: Sequence[Audited], notes: Sequence[str]) -> tuple[str, ...]:
    records = [each.record for each in audited]
    return tuple(_sentences(records, _left_out(audited), notes)) if records else tuple(notes)


def _sentences(records: Sequence[RunRecord], left_out: Iterable[str], notes: Sequence[str]) -> Iterator[str]:
    yield (
        "effect: 0 is no bias (of accuracy: the accuracy itself); above 0 the judge favours what is shown "
        "first, is longer, was changed, or is of its own family."
    )
    yield (
        "change: effect minus that without the mitigation, resampled together (of length_normalised: minus "
        "that of the scores as they are)."
    )
    yield f"{interval_told(records)}; p: see docs/bias.md; not corrected for the number of rows."
    yield (
        "meaning: preserved by construction; asked: a model was asked to preserve it; changed: a fair judge "
        "may well punish it, and must not reward it."
    )
    yield from left_out
    yield provenance(records)
    yield from cautions(records)
    yield from notes
