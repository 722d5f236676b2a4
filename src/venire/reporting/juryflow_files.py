"""JuryFlow's files in a run folder: `graphs.jsonl`, `rubric.yaml`, `graphs.html`, `choices.jsonl`."""

import json
from collections.abc import Iterator, Mapping, Sequence

import yaml

from venire.methods.juryflow.choices import choice_line
from venire.methods.juryflow.memory import Memory
from venire.methods.juryflow.method import JuryFlow
from venire.methods.protocol import Method
from venire.records import BackendKind, Instance, Outcome, RubricEntry
from venire.reporting.graph_page import graph_page
from venire.reporting.juryflow_view import ClaimView, InstanceView, ResponseView, has_graphs, views_of
from venire.schedule import seeded_order

GRAPHS_FILE, RUBRIC_FILE, PAGE_FILE = "graphs.jsonl", "rubric.yaml", "graphs.html"
CHOICES_FILE = "choices.jsonl"


def juryflow_files(
    method: Method,
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    *,
    seed: int,
    kind: BackendKind,
    title: str,
) -> dict[str, str]:
    """File name to text, of a run whose outcomes hold disagreement graphs; empty for any other.

    Args:
        method: folds the outcomes again, to show the rubric as it grew.
        instances: in the data set's order.
        outcomes: those that there are.
        seed: of the run, which names the order in which the rubric grew.
        kind: what answered; every file says so.
        title: of the page.
    """
    views = views_of(instances, outcomes)
    if not views:
        return {}
    files = {
        GRAPHS_FILE: graphs_jsonl(views, kind),
        PAGE_FILE: graph_page(views, title=title, kind=kind),
    }
    if method.order_dependent:
        files[RUBRIC_FILE] = rubric_yaml(method, instances, outcomes, seed=seed, kind=kind)
    shown = [outcome for outcome in outcomes if has_graphs(outcome)]
    choices = method.choices(shown) if isinstance(method, JuryFlow) else ()
    if choices:
        files[CHOICES_FILE] = "".join(map(choice_line, choices))
    return files


def graphs_jsonl(views: Sequence[InstanceView], kind: BackendKind) -> str:
    """A line an instance: nodes with votes, edges with weights, what was re-evaluated and why."""
    return "".join(
        json.dumps(_instance(view, kind), ensure_ascii=False, allow_nan=False) + "\n" for view in views
    )


def _instance(view: InstanceView, kind: BackendKind) -> dict[str, object]:
    return {
        "instance": view.instance.id,
        "subset": view.instance.subset,
        "kind": kind.value,
        "gold": view.gold,
        "prediction": view.prediction,
        "responses": [_response(number, each) for number, each in enumerate(view.responses, 1)],
    }


def _response(number: int, view: ResponseView) -> dict[str, object]:
    return {
        "response": number,
        "score": view.score,
        "unscored": view.unscored,
        "selector": view.selector,
        "nodes": [_node(claim) for claim in view.claims],
        "edges": [{"claims": [edge.first, edge.second], "weight": edge.weight} for edge in view.edges],
        "rubric_shown": list(view.rubric_shown),
        "rubric_added": list(view.rubric_added),
    }


def _node(claim: ClaimView) -> dict[str, object]:
    review = claim.review
    return {
        "claim": claim.index,
        "text": claim.text,
        "votes": dict(claim.votes),
        "disagreement": claim.disagreement,
        "tags": list(claim.tags),
        "panel": claim.panel,
        "final": claim.final,
        "reevaluated": None
        if review is None
        else {
            "kind": review.kind,
            "why": claim.why,
            "before": review.before,
            "after": review.after,
            "reason": review.reason,
            "rationale": review.rationale,
            "weight": review.weight,
            "precedents": list(review.precedents),
        },
    }


def rubric_yaml(
    method: Method,
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    *,
    seed: int,
    kind: BackendKind,
) -> str:
    """The final rubric, and its versions: after which instance which entries were added or got examples.

    A version is the rubric after an instance that changed it; within a block of the schedule the judges
    saw the one from before the block.
    """
    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    ordered = [by_id[each.id] for each in seeded_order(instances, seed) if each.id in by_id]
    memory = method.initial_memory()
    versions: list[dict[str, object]] = []
    for outcome in ordered:
        before, memory = memory, method.fold(memory, outcome)
        assert isinstance(before, Memory)
        assert isinstance(memory, Memory)
        changes = list(_changes(before, memory))
        if changes:
            number = len(versions) + 1
            versions.append({"version": number, "after": outcome.instance_id, "changes": changes})
    assert isinstance(memory, Memory)
    document = {
        "kind": kind.value,
        "seed": seed,
        "entries": len(memory.rubric),
        "rubric": [_entry(entry) for entry in memory.rubric],
        "versions": versions,
    }
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text = yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True, width=110)
    return f"# The rubric as it grew; entries are named <instance>/<response index>/<claim index>.\n{text}"


def _changes(before: Memory, after: Memory) -> Iterator[Mapping[str, object]]:
    old = {entry.id: entry for entry in before.rubric}
    for entry in after.rubric:
        if entry.id not in old:
            yield {"added": entry.id, "criterion": entry.criterion, "induced_by": list(entry.source_ids)}
        elif entry != old[entry.id]:
            new = [source for source in entry.source_ids if source not in old[entry.id].source_ids]
            yield {"examples_added_to": entry.id, "induced_by": new}


def _entry(entry: RubricEntry) -> dict[str, object]:
    return {
        "id": entry.id,
        "dimension": entry.dimension,
        "criterion": entry.criterion,
        "boundary": entry.boundary,
        "positive_examples": list(entry.positive_examples),
        "negative_examples": list(entry.negative_examples),
        "induced_by": list(entry.source_ids),
    }
