"""`venire advise`: which method and metrics fit a data set, and why."""

import json
from collections.abc import Sequence
from pathlib import Path

from venire.advice import Advice, advise, facts_of
from venire.commands import exits
from venire.commands.data_sets import chosen_data
from venire.config import config_dir
from venire.data.annotations import annotations_of
from venire.data.protocol import Dataset, Loaded
from venire.errors import DataError
from venire.metrics.annotators import Agreement, AgreementSettings, agreements
from venire.metrics.choice import Scale, shape_of
from venire.records import Annotations
from venire.reporting.table import Format, Table


def advise_on(
    overrides: Sequence[str], config_dir_of_one: Path | None, *, objective: bool | None, as_json: bool
) -> int:
    """Print what fits the data set that `overrides` name; returns the exit status."""
    chosen = chosen_data(overrides, config_dir_of_one, command="advise")
    loaded = chosen.dataset.load()
    annotations = _annotations(chosen.dataset, loaded)
    facts = facts_of(
        loaded.instances,
        shape_of(loaded.instances, loaded.labels),
        annotations,
        _agreement(annotations),
    )
    advice = advise(facts, objective=objective)
    named = " ".join(overrides)
    if as_json:
        print(json.dumps(_as_json(advice, named), indent=1))
        return exits.OK
    for table in _tables(advice, chosen.dataset.name, named):
        print(table.render(Format.TEXT))
    return exits.OK


def _annotations(dataset: Dataset, loaded: Loaded) -> tuple[Annotations, ...]:
    """None where the data set has no item with two annotations."""
    try:
        return annotations_of(dataset, loaded)
    except DataError:
        return ()


def _agreement(annotations: Sequence[Annotations]) -> list[Agreement]:
    """Of each publication's first group; points are enough here."""
    quick = AgreementSettings(draws=0)
    found = (agreements(each, quick) for each in annotations)
    return [rows[0] for rows in found if rows]


def _known(advice: Advice) -> list[tuple[str, str]]:
    """The methods that this installation has."""
    known = {path.stem for path in (config_dir() / "method").glob("*.yaml")}
    return [
        (each.overrides, each.why)
        for each in advice.methods
        if each.overrides.split()[0].removeprefix("method=") in known
    ]


def _facts(advice: Advice) -> list[tuple[str, str]]:
    facts, shape = advice.facts, advice.facts.shape
    kind = "pairs of responses" if shape.is_pairwise else "single responses"
    rows = [("items", f"{facts.n} {kind}, {facts.prompts} prompts")]
    if not shape.has_gold:
        rows.append(("gold", "none"))
    elif shape.is_pairwise:
        rows.append(("gold", f"preferences: {', '.join(shape.labels)}"))
    for scale in Scale:
        names = shape.named(scale)
        if names:
            rows.append((f"{scale} dimensions", ", ".join(names)))
    annotators = {0: "not known", 1: "one an item"}.get(facts.annotators, f"up to {facts.annotators} an item")
    rows.append(("annotators", annotators + (f", {facts.named} people" if facts.named else "")))
    rows += [
        (name, f"{share:.0%} of the items")
        for name, share in (
            ("reference", facts.references),
            ("context", facts.contexts),
            ("models known", facts.generators),
        )
    ]
    return rows


def _tables(advice: Advice, name: str, named: str) -> list[Table]:
    fits = ",".join(each.family for each in advice.metrics)
    chosen = f"Read a run by some of them: metrics.chosen=[{fits}]." if fits else "No metric fits."
    metrics = tuple((str(each.family), each.of, each.tells) for each in advice.metrics)
    refused = tuple((str(family), why) for family, why in advice.refused)
    tables = [
        Table(f"what {name} is", ("", ""), tuple(_facts(advice))),
        Table(
            "the decision tree",
            ("question", "answer", "why"),
            tuple((step.question, step.answer, step.why) for step in advice.steps),
        ),
        Table(
            "methods, the first ones first",
            (f"venire run {named} ...", "why"),
            tuple(_known(advice)),
            ("With a judge: judge=NAME or backend=simulated; what it costs: venire plan.",),
        ),
        Table("metrics that fit", ("metric", "of", "tells"), metrics, (chosen,)),
        Table("metrics that are refused", ("metric", "why"), refused),
        Table("to mind", ("",), tuple((caution,) for caution in advice.cautions)),
    ]
    return [table for table in tables if table.rows]


def _as_json(advice: Advice, named: str) -> dict[str, object]:
    return {
        "dataset": named,
        "facts": dict(_facts(advice)),
        "tree": [
            {"question": step.question, "answer": step.answer, "why": step.why} for step in advice.steps
        ],
        "methods": [{"overrides": overrides, "why": why} for overrides, why in _known(advice)],
        "metrics": [
            {"metric": str(each.family), "of": each.of, "tells": each.tells} for each in advice.metrics
        ],
        "refused": [{"metric": str(family), "why": why} for family, why in advice.refused],
        "cautions": list(advice.cautions),
    }
