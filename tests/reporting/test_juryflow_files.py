"""What a JuryFlow run leaves to be read: graphs, the rubric as it grew, a page."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from tests.methods.juryflow.court import Court, judged, juryflow, pair
from tests.reporting.pages import Tags

from venire.methods.juryflow.choices import Choice, append_choice
from venire.methods.juryflow.human import Recorded
from venire.methods.juryflow.memory import Additions, Learnt, Memory, remember
from venire.methods.juryflow.select import Focal
from venire.records import (
    BackendKind,
    Instance,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Response,
    RubricEntry,
    Unscored,
    Winner,
)
from venire.reporting.graph_page import graph_page
from venire.reporting.juryflow_files import graphs_jsonl, juryflow_files, rubric_yaml
from venire.reporting.juryflow_view import views_of
from venire.schedule import seeded_order

HOSTILE = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\" onload='x' & <b>"
KIND = BackendKind.SIMULATED


def instance(id: str, text: str = "An answer.") -> Instance:
    return Instance(
        id, f"Prompt {text}", (Response(text), Response("Other.")), PreferenceGold(Winner.FIRST), "Natural"
    )


def response(
    claims: tuple[str, ...], *, disagreement: tuple[float, ...], rationale: str = "Because.", anchor: int = 0
) -> dict[str, object]:
    """A response's detail as `Proceeding.detail` makes it: claim 0 is focal, claim 1 propagated to."""
    review = {"before": "accept", "after": "reject", "changed": True, "reason": None, "rationale": rationale}
    reviews = [
        {"kind": "focal", "claim": 0, "weight": None, "precedents": [], **review},
        {"kind": "propagation", "claim": 1, "weight": 0.75, "precedents": ["x/0/1"], **review},
    ]
    vote = {"verdict": "accept", "tags": ["clarity"], "rationale": rationale}
    return {
        "claims": list(claims),
        "judgments": {
            "one": [vote for _ in claims],
            "two": [{"verdict": None, "reason": "unparsed"} for _ in claims],
        },
        "rubric_shown": ["r/0/0"],
        "unscored": None,
        "panel": ["accept" for _ in claims],
        "disagreement": list(disagreement),
        "tags": [["clarity"] for _ in claims],
        "edges": [[0, 1, 0.75]] if len(claims) > 1 else [],
        "focal": {"selector": "auto", "claims": [0], "anchor": anchor, "seconds": None},
        "reevaluations": reviews[: len(claims)],
        "rubric_added": [{"id": "r/0/1", "criterion": rationale}],
        "verdicts": ["reject" for _ in claims],
        "score": 0.0,
    }  # fmt: skip


def empty_response() -> dict[str, object]:
    """A response whose decomposition failed: no node, whatever else."""
    detail = response((), disagreement=())
    return {**detail, "judgments": {}, "unscored": "unparsed", "rubric_added": [], "score": None}


def outcome(id: str, *responses: Mapping[str, object], additions: Additions | None = None) -> Outcome:
    return Outcome(id, Preference(Winner.FIRST), detail={"responses": list(responses)}, additions=additions)


def graph_of(id: str = "a", text: str = "An answer.", d: float = 0.96) -> tuple[Instance, Outcome]:
    first = response((text, "Second claim."), disagreement=(d, 0.0), rationale=text)
    return instance(id, text), outcome(id, first, empty_response())


def test_a_line_holds_nodes_edges_and_what_was_re_evaluated_why() -> None:
    one, made = graph_of()
    (line,) = graphs_jsonl(views_of([one], [made]), KIND).splitlines()
    fields = json.loads(line)
    assert (fields["instance"], fields["kind"], fields["gold"]) == ("a", "simulated", "response_1")
    first, second = fields["responses"]
    assert [node["votes"] for node in first["nodes"]] == [{"one": "accept", "two": None}] * 2
    assert first["edges"] == [{"claims": [0, 1], "weight": 0.75}]
    focal, propagated = (node["reevaluated"] for node in first["nodes"])
    assert focal["why"] == "focal claim: disagreement 0.960, anchors propagation"
    assert (focal["before"], focal["after"]) == ("accept", "reject")
    assert propagated["why"] == (
        "propagation: weight 0.750 of the edge to the anchor, earlier corrections shown: 1"
    )
    assert second["nodes"] == []
    assert second["unscored"] == "unparsed"


def test_outcomes_without_graphs_leave_no_files() -> None:
    one, _ = graph_of()
    majority = outcome("a", {"claims": ["x"], "judgments": {}})
    assert views_of([one], [majority]) == []
    assert views_of([one], [Outcome("a", Unscored(Reason.NO_VOTES))]) == []
    assert views_of([one], []) == []
    nothing = juryflow_files(Folding(), [one], [majority], seed=0, kind=KIND, title="t")
    assert nothing == {}


def test_a_run_by_people_keeps_the_choices_that_it_rests_on(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    chosen = Choice("set/1", 0, 0, "one", (0,), 2.5, "ana", "2026-12-01T12:00:00+00:00", "page")
    for each in (replace(chosen, instance_id="set/7"), chosen):  # the first of another run
        append_choice(path, each)
    method = juryflow(focal=Focal(selector=Recorded(str(path))))
    one = pair("one. two", "three")
    made = judged(method, Court(votes={"one": "rraau"}), one)
    files = juryflow_files(method, [one], [made], seed=0, kind=KIND, title="t")
    assert sorted(files) == ["choices.jsonl", "graphs.html", "graphs.jsonl", "rubric.yaml"]
    assert files["choices.jsonl"] == path.read_text().split("\n")[1] + "\n"


def test_the_page_escapes_what_models_and_data_say_and_fetches_nothing() -> None:
    one, made = graph_of(HOSTILE, HOSTILE)
    page = graph_page(views_of([one], [made]), title=HOSTILE, kind=KIND)
    seen = Tags()
    seen.feed(page)
    assert seen.names.isdisjoint({"script", "img", "iframe", "object", "link", "b0"})
    assert not any(name.startswith("on") for name in seen.attributes)
    assert not {"src", "srcset", "xlink:href"} & seen.attributes
    assert HOSTILE in seen.text
    assert "default-src 'none'" in page
    assert not re.search(r'href="(?!#)', page)


def test_the_page_shows_the_most_disputed_first_and_says_what_answered() -> None:
    pairs = [graph_of("calm", d=0.455), graph_of("split", d=0.96), graph_of("close", d=0.865)]
    views = views_of([one for one, _ in pairs], [made for _, made in pairs])
    page = graph_page(views, title="t", kind=KIND, most=2)
    assert page.index("split") < page.index("close")
    assert "calm" not in page
    assert "The 2 most disputed of 3 instances" in page
    assert "SIMULATED judges" in page
    assert "SIMULATED" not in graph_page(views, title="t", kind=BackendKind.LIVE)
    # two rings around the anchor, one around the other re-evaluated claim, in each of two graphs
    assert page.count('class="ring"') == 6
    assert graph_page(views, title="t", kind=KIND, most=2) == page


def learnt(id: str, criterion: str, *vector: float) -> Learnt:
    entry = RubricEntry(id, criterion, "clarity", "", (f"{id} +",), (f"{id} -",), (id,))
    return Learnt(entry, np.array(vector))


class Folding:
    """JuryFlow as far as the rubric's growth needs it: it folds as JuryFlow does."""

    name = "juryflow"
    judges = embeddings = prompts = ()
    order_dependent = True

    def check(self, instances: object) -> None: ...

    def initial_memory(self) -> Memory:
        return Memory()

    def fold(self, memory: object, outcome: Outcome) -> Memory:
        assert isinstance(memory, Memory)
        assert isinstance(outcome.additions, Additions)
        return remember(memory, outcome.additions, 0.85)

    async def judge(self, instance: Instance, memory: object, llm: object) -> Outcome:
        raise NotImplementedError


@pytest.mark.parametrize("seed", [0, 1])
def test_the_rubric_is_shown_as_it_grew_in_the_order_of_the_run(seed: int) -> None:
    instances = [instance(name) for name in "abc"]
    first, second, third = [each.id for each in seeded_order(instances, seed)]
    added = {
        first: Additions((learnt(f"{first}/0/0", "One.", 1.0, 0.0),)),
        second: Additions(),
        # cosine 1 with the first entry: merged; cosine 0: appended
        third: Additions(
            (learnt(f"{third}/0/0", "Again.", 1.0, 0.0), learnt(f"{third}/1/0", "Two.", 0.0, 1.0))
        ),
    }
    outcomes = [outcome(each.id, additions=added[each.id]) for each in instances]
    document = yaml.safe_load(rubric_yaml(Folding(), instances, outcomes, seed=seed, kind=KIND))
    assert [entry["criterion"] for entry in document["rubric"]] == ["One.", "Two."]
    assert document["rubric"][0]["induced_by"] == [f"{first}/0/0", f"{third}/0/0"]
    assert [(version["version"], version["after"]) for version in document["versions"]] == [
        (1, first),
        (2, third),
    ]
    assert document["versions"][1]["changes"] == [
        {"examples_added_to": f"{first}/0/0", "induced_by": [f"{third}/0/0"]},
        {"added": f"{third}/1/0", "criterion": "Two.", "induced_by": [f"{third}/1/0"]},
    ]
    assert document["kind"] == "simulated"
