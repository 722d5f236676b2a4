"""`venire review`: uncertain items out to people, their labels back, and what these say of a run."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from venire.commands import exits
from venire.commands.data_sets import RunData, chosen_data, data_of_folder
from venire.commands.run_criteria import criteria_of_run
from venire.data.protocol import Loaded
from venire.errors import ConfigError, RunError
from venire.metrics.measurement import Measurement
from venire.page.study import LABELS_FILE, list_studies
from venire.records import RunRecord
from venire.reporting.table import Cell, Estimate, Format, Table
from venire.review.beside import Learnt, write_beside
from venire.review.feedback import calibration_points, corrections
from venire.review.labels import Label, content_of_criteria, current, labels_by_instance
from venire.review.measuring import relabelled
from venire.review.queue import ReviewFilter, Why, review_queue
from venire.review.reading import Reading, read_sheet
from venire.review.sheets import SheetFormat, Shown, sheet
from venire.review.store import FOLDER, append_labels, read_labels, store_path
from venire.runs import find_run, read_judged, read_record, write_atomically


def reasons_of(text: str) -> tuple[Why, ...]:
    """The reasons that `--include` names.

    Raises:
        ConfigError: one that is none.
    """
    named = [each.strip() for each in text.split(",") if each.strip()]
    strange = [name for name in named if name not in list(Why)]
    if strange:
        raise ConfigError(f"--include: expected some of {', '.join(Why)}, got {strange[0]!r}")
    return tuple(why for why in Why if why in named)


def export(
    home: Path, run: str, out: Path, *, chosen: ReviewFilter, shown: Shown, limit: int | None, force: bool
) -> int:
    """Write what the run left uncertain to a file for people; returns the exit status.

    Raises:
        ConfigError: the file is there already, or has another ending.
        RunError: no such run, or its data has changed.
    """
    form = SheetFormat.of(out)
    if out.exists() and not force:
        raise ConfigError(
            f"--out: {out} is there already, perhaps with labels; name another file, or --force"
        )
    folder = find_run(home, run)
    data = data_of_folder(folder)
    judged = read_judged(folder)
    items = review_queue(data.loaded.instances, judged, chosen)
    kept = items[:limit]
    out.parent.mkdir(parents=True, exist_ok=True)
    criteria = criteria_of_run(folder, data.loaded.instances)
    write_atomically(out, sheet(kept, form, shown, criteria))
    reasons = Counter(why.value for item in items for why in item.why)
    told = ", ".join(f"{why} {count}" for why, count in reasons.items())
    print(f"{len(items)} of {len(data.loaded.instances)} items are uncertain{f': {told}' if told else ''}")
    if len(kept) < len(items):
        print(f"the first {len(kept)} of them are written (--limit)")
    print(f"fill it in, then: venire review import {out} {folder.name}")
    print(out)
    return exits.OK


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The options of `venire review import`: labels for a run, or for a data set alone."""

    file: Path
    run: str | None
    labels_for: str | None
    overrides: tuple[str, ...]
    config_dir: Path | None
    annotator: str | None


def import_labels(home: Path, request: ImportRequest) -> int:
    """Take labels from a file into the store, and measure the run with them; returns the exit status.

    Raises:
        ConfigError: neither a run nor a data set is named, or both.
        DataError: a row that is not right; then nothing is taken.
    """
    if (request.run is None) == (request.labels_for is None):
        raise ConfigError("review import: expected either RUN or --labels-for DATASET")
    folder = None if request.run is None else find_run(home, request.run)
    name, loaded = _data(request, folder)
    reading = Reading(
        instances=loaded.instances,
        winners=loaded.labels,
        annotator=request.annotator,
        now=_now(),
        run_id="" if folder is None else folder.name,
        criteria=None if folder is None else criteria_of_run(folder, loaded.instances),
    )
    read = read_sheet(request.file, reading)
    path = store_path(home, name)
    added = append_labels(path, read.labels)
    again = len(read.labels) - len(added)
    print(
        f"{len(added)} labels taken"
        + (f", {again} were there already" if again else "")
        + (f", {read.empty} rows not labelled" if read.empty else "")
    )
    print(path)
    if folder is None or not added:  # what was there already is measured already
        return exits.OK
    return measure_labelled(home, folder.name if folder.parent == home / "runs" else str(folder))


def _data(request: ImportRequest, folder: Path | None) -> tuple[str, Loaded]:
    if folder is not None:
        if request.overrides:
            raise ConfigError(f"{request.overrides[0]}: a run says itself which data it judged")
        data = data_of_folder(folder)
        return data.dataset.name, data.loaded
    named = str(request.labels_for)
    first = named if "=" in named else f"dataset={named}"
    chosen = chosen_data([first, *request.overrides], request.config_dir, command="review import")
    return chosen.dataset.name, chosen.dataset.load()


def measure_labelled(home: Path, run: str) -> int:
    """Measure a run with all labels of its data set; returns the exit status.

    Raises:
        RunError: there are no labels of its items.
    """
    folder = find_run(home, run)
    record = read_record(folder)
    data = data_of_folder(folder)
    instances, judged = data.loaded.instances, read_judged(folder)
    stored = read_labels(store_path(home, data.dataset.name))
    labels = labels_of(home, data, folder)
    criteria = criteria_of_run(folder, instances)
    measured = relabelled(
        instances,
        judged,
        labels,
        winners=data.loaded.labels,
        seed=int(record.params.get("seed", "0")),
        settings=data.metrics,
        criteria=criteria,
    )
    content = content_of_criteria(criteria)
    learnt = Learnt(
        measured,
        calibration_points(judged, labels),
        corrections(instances, judged, labels, criteria),
        data.dataset.name,
        len(current(stored)) - sum(map(len, labels.values())),
        sum(each.criteria_content not in ("", content) for own in labels.values() for each in own),
    )
    target = write_beside(folder, record, learnt, _now())
    print(_table(record, learnt).render(Format.TEXT))
    print(target)
    return exits.OK


def labels_of(home: Path, data: RunData, folder: Path) -> dict[str, list[Label]]:
    """The current labels of a run's items, by instance.

    Raises:
        RunError: there are none.
    """
    where = store_path(home, data.dataset.name)
    labels = labels_by_instance(read_labels(where), data.loaded.instances)
    if not labels:
        raise RunError(
            f"{folder.name}: expected labels of its items in {where}, found none; "
            "venire review import FILE RUN takes some"
        )
    return labels


def list_labels(home: Path) -> int:
    """Print what labels there are; returns the exit status."""
    rows: list[tuple[Cell, ...]] = []
    files = {path.stem: path for path in sorted((home / FOLDER).glob("*.jsonl"))}
    files |= {f"study {folder.name}": folder / LABELS_FILE for folder in list_studies(home)}
    for name, path in files.items():
        stored = read_labels(path)
        now = current(stored)
        rows.append(
            (
                name,
                str(len({label.instance_id for label in now})),
                str(len(now)),
                str(len(stored) - len(now)),
                ", ".join(f"{who} {n}" for who, n in Counter(label.annotator for label in now).items()),
                max((label.imported_at for label in now), default=""),
            )
        )
    columns = ("data set", "items", "labels", "replaced", "annotators", "last import")
    footer = (str(home / FOLDER),)
    print(Table("labels of people", columns, tuple(rows), footer).render(Format.TEXT))
    return exits.OK


_SHOWN = (
    ("n", "items"),
    ("accuracy", "accuracy"),
    ("accuracy/final", "accuracy, final verdict"),
    ("kappa/final", "kappa, final verdict"),
    ("spearman/mean", "Spearman's rho, mean"),
    ("kappa_quadratic/mean", "quadratic kappa, mean"),
    ("multilabel/f1_macro", "F1, mean of the labels"),
    ("coverage", "coverage"),
)


_SHOWN_ON = (("n", "items"), ("accuracy/final", "accuracy"), ("kappa/final", "kappa"))


def _table(record: RunRecord, learnt: Learnt) -> Table:
    measured = learnt.measured
    own = Measurement(record.metrics, record.notes)
    sides = [own, measured.as_gold, measured.as_verdicts]
    rows = [
        (title, *(_cell(name, side) for side in sides))
        for name, title in _SHOWN
        if any(side is not None and name in side.metrics for side in sides)
    ]
    for each in measured.by_criterion:
        on = each.measured
        rows += [
            (f"{each.criterion.name}: {title}", "", _cell(name, on), "")
            for name, title in _SHOWN_ON
            if on is not None and name in on.metrics
        ]
    labels = sum(map(len, measured.labels.values()))
    footer = [
        f"{labels} labels of {len(measured.labels)} items; "
        f"{len(learnt.corrections)} differ from what the run said.",
        "Labels as gold: over the labelled items alone; where these were picked because the run was unsure "
        "of them, it says nothing of the others.",
        "Labels as verdicts: people's word in place of the run's, against the data set's gold; orders are "
        "not told apart, so it is to be held against the final verdict.",
    ]
    if measured.undecided:
        footer.append(f"{len(measured.undecided)} items on which people draw count nowhere.")
    footer += [
        f"{each.criterion.name}: {len(names)} items {why}."
        for each in measured.by_criterion
        for names, why in (
            (each.undecided, "on which people draw"),
            (each.left_out, "left out: the run has no verdict on it, as it does not apply to both responses"),
        )
        if names
    ]
    if learnt.other_criteria:
        footer.append(f"{learnt.other_criteria} labels are on other criteria, or on the same in other words.")
    if learnt.other_texts:
        footer.append(f"{learnt.other_texts} stored labels are of other items or of texts that have changed.")
    columns = ("", "the run", "labels as gold", "labels as verdicts")
    return Table(f"{record.name} [{record.kind}], with people's labels", columns, tuple(rows), tuple(footer))


def _cell(name: str, side: Measurement | None) -> Cell:
    if side is None or name not in side.metrics:
        return ""
    if name == "n":
        return f"{side.metrics[name]:.0f}"
    low, high = (side.metrics.get(f"{name}/ci_{end}", float("nan")) for end in ("low", "high"))
    return Estimate(side.metrics[name], low, high)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
