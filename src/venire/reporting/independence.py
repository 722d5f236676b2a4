"""The independence of a panel's judges as tables, as rows for scripts, and as heat maps."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from venire.metrics.independence import Independence
from venire.records import BackendKind, RunRecord
from venire.reporting.figure import SIMULATED, Captions
from venire.reporting.footer import cautions, provenance
from venire.reporting.heat_map import heat_map
from venire.reporting.table import Cell, Estimate, Table, or_null
from venire.stats import estimate

_HOW = (
    "Majority: more than half of the judges are right; a verdict that is missing is not right.",
    "If independent: the chance of that if each judge were right as often as it is, independently of the "
    "others (Poisson binomial of the judges' own accuracies).",
    "Independent within subsets: the same within each subset, weighted by its size: what then is left of the "
    "gap is not that all find the same subsets hard.",
    "Effective votes: n / (1 + (n - 1) r), r the mean correlation of being right over the pairs of judges.",
    "The best judge is chosen on these very items, which flatters it.",
    "Of an even number of judges half may be right: with a coin, that counts one half.",
    "[low, high]: bootstrap intervals over items, as those of the run's metrics.",
)


def summary_table(record: RunRecord, views: Sequence[Independence]) -> Table:
    """A row a statistic, a column an order."""
    best = views[0].best
    titles = {
        "n": [Estimate(view.n, decimals=0) for view in views],
        "judges": [Estimate(len(view.judges), decimals=0) for view in views],
        "majority of the judges": [Estimate.of(view.majority) for view in views],
        "majority, if independent": [Estimate.of(view.expected) for view in views],
        "gap": [Estimate.of(view.gap) for view in views],
        "majority, if independent within subsets": [Estimate.of(view.expected_within) for view in views],
        "mean error correlation r": [Estimate.of(view.correlation) for view in views],
        "effective votes": [Estimate.of(view.votes) for view in views],
        f"best single judge ({best})": [
            Estimate.of(view.accuracy[view.judges.index(best)]) for view in views
        ],
        "best single judge less majority": [Estimate.of(view.lead) for view in views],
    }
    verdict = [record.metrics.get(_accuracy_name(view.view)) for view in views]
    if all(value is not None for value in verdict):
        titles["the run's own verdict, accuracy"] = [
            Estimate(value) for value in verdict if value is not None
        ]
    rows: list[tuple[Cell, ...]] = [(title, *cells) for title, cells in titles.items()]
    notes = dict.fromkeys(
        f"{name}: {each.note}."
        for view in views
        for name, each in (("Effective votes", view.votes), ("Within subsets", view.expected_within))
        if not each.is_defined
    )
    title = f"{record.name} [{record.kind}]: how independently its judges err"
    footer = (*_HOW, *notes, provenance([record]), *cautions([record]))
    return Table(title, ("", *(view.view.replace("_", " ") for view in views)), tuple(rows), footer)


def without_table(view: Independence) -> Table:
    """Each judge's own accuracy, and the panel without it."""
    rows: list[tuple[Cell, ...]] = []
    for each, own in zip(view.without, view.accuracy, strict=True):
        numbers = (own, each.majority, each.with_coin, each.change, each.correlation, each.votes)
        rows.append((each.judge, *map(Estimate.of, numbers)))
    columns = (
        "judge", "accuracy", "majority without it", "with a coin", "change, with a coin", "r without it",
        "effective votes without it",
    )  # fmt: skip
    return Table(f"Without each judge, {_spoken(view)}", columns, tuple(rows))


def errors_table(view: Independence) -> Table:
    """The error correlations; the diagonal is left empty."""
    rows: list[tuple[Cell, ...]] = [
        (judge, *("" if row == column else Estimate(float(view.errors[row, column]))
                  for column in range(len(view.judges))))
        for row, judge in enumerate(view.judges)
    ]  # fmt: skip
    return Table(f"Correlation of being right, {_spoken(view)}", ("", *view.judges), tuple(rows))


def tables(record: RunRecord, views: Sequence[Independence]) -> list[Table]:
    """The summary, then of each order the judges and their error correlations."""
    return [summary_table(record, views), *(make(v) for v in views for make in (without_table, errors_table))]


def long_table(record: RunRecord, views: Sequence[Independence]) -> Table:
    """A row a number, for scripts: view, statistic, judge, other judge, value with interval, n, note."""
    rows: list[tuple[Cell, ...]] = []
    for view in views:
        for name, judge, other, each in _numbers(view):
            value, n = Estimate.of(each), str(each.n or view.n)
            rows.append((view.view, name, judge, other, value, n, each.note))
    columns = ("view", "statistic", "judge", "other judge", "value", "n", "note")
    return Table(f"independence of {record.name}", columns, tuple(rows), (provenance([record]),))


def _numbers(view: Independence) -> Iterator[tuple[str, str, str, estimate.Estimate]]:
    """Statistic, judge, other judge, number."""
    whole = {
        "majority_accuracy": view.majority,
        "independent_accuracy": view.expected,
        "independence_gap": view.gap,
        "independent_accuracy_within_subsets": view.expected_within,
        "error_correlation": view.correlation,
        "effective_votes": view.votes,
    }
    for name, each in whole.items():
        yield name, "", "", each
    yield "best_judge_less_majority", view.best, "", view.lead
    for judge, own in zip(view.judges, view.accuracy, strict=True):
        yield "accuracy", judge, "", own
    for less in view.without:
        yield "majority_accuracy_without", less.judge, "", less.majority
        yield "majority_accuracy_with_coin_without", less.judge, "", less.with_coin
        yield "change_without", less.judge, "", less.change
        yield "error_correlation_without", less.judge, "", less.correlation
        yield "effective_votes_without", less.judge, "", less.votes
    for row, judge in enumerate(view.judges):
        for column in range(row + 1, len(view.judges)):
            value = float(view.errors[row, column])
            yield "error_correlation", judge, view.judges[column], estimate.Estimate(value, n=view.n)


def as_json(record: RunRecord, views: Sequence[Independence]) -> dict[str, object]:
    """Plain values: the numbers of `long_table`, NaN as null."""
    return {
        "run": record.run_id,
        "name": record.name,
        "kind": str(record.kind),
        "numbers": [
            {
                "view": view.view, "statistic": name, "judge": judge, "other_judge": other,
                "value": or_null(each.value), "ci_low": or_null(each.low), "ci_high": or_null(each.high),
                "n": each.n or view.n, "note": each.note,
            }
            for view in views
            for name, judge, other, each in _numbers(view)
        ],
    }  # fmt: skip


def draw(record: RunRecord, views: Sequence[Independence], stem: Path) -> list[Path]:
    """`<stem>_<view>.svg` and `.png`: the error correlations of each order."""
    stamp = SIMULATED if record.kind is BackendKind.SIMULATED else ""
    paths: list[Path] = []
    for view in views:
        labels = [f"{judge} ({own.value:.3f})" for judge, own in zip(view.judges, view.accuracy, strict=True)]
        votes = f"{view.votes.value:.2f}" if view.votes.is_defined else "undefined"
        captions = Captions(
            f"{record.name}\ncorrelation of being right, {_spoken(view)}", "", "",
            note=f"n = {view.n}, backend {record.kind}. In brackets: accuracy. Effective votes: {votes} "
            f"of {len(view.judges)}.",
            stamp=stamp,
        )  # fmt: skip
        name = view.view.replace(" ", "_")
        paths += heat_map(view.errors, labels, captions, stem.with_name(f"{stem.name}_{name}"))
    return paths


def _spoken(view: Independence) -> str:
    return view.view.replace("_", " ")


def _accuracy_name(view: str) -> str:
    return f"accuracy/{view}" if view in ("as_given", "swapped") else "accuracy"
