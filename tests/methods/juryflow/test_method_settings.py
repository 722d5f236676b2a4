"""Settings: which are refused, and what hangs on them."""

from dataclasses import replace
from typing import Any

import pytest
from tests.methods.juryflow.court import JUDGES, PANEL, judged, juryflow
from tests.methods.juryflow.worked import FIRST, court

from venire.errors import ConfigError, DataError
from venire.judging.judge import RecordedJudge
from venire.judging.panel import Panel
from venire.judging.tie_break import TieBreak
from venire.judging.unit import Unit
from venire.methods.juryflow.memory import Memory
from venire.methods.juryflow.propagate import CrossInstance, Propagation
from venire.records import Instance, Persona, Response


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unit": Unit.HOLISTIC}, "unit: JuryFlow judges claims"),
        ({"reviewer": "nobody"}, "reviewer: 'nobody' is not on the panel (j0, j1, j2, j3, j4)"),
        ({"focal": None}, "propagation: rests on focal re-evaluation"),
        ({"focal": None, "propagation": None}, "rubric: rests on focal re-evaluation"),
        ({"panel": Panel((RecordedJudge("A", "CoT"),), "A")}, "panel: expected judges that can be asked"),
        ({"claims_per_call": 0}, "claims_per_call: expected at least 1"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        juryflow(**settings)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("beta", 1.1), ("beta", -0.1), ("precedent_threshold", 2.0), ("precedents", -1)],
)
def test_bad_settings_of_propagation_are_refused(setting: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"^{setting}: expected"):
        Propagation(**{setting: value})  # type: ignore[arg-type]


def test_a_single_response_is_refused_before_any_call() -> None:
    with pytest.raises(DataError, match="set/9"):
        juryflow().check([Instance("set/9", "p", (Response("x"),))])


@pytest.mark.parametrize(
    ("settings", "dependent"),
    [
        ({}, True),
        ({"rubric": None}, True),
        ({"propagation": None}, True),
        ({"rubric": None, "propagation": Propagation(cross_instance=CrossInstance.OFF)}, False),
        ({"rubric": None, "propagation": None}, False),
    ],
)
def test_the_order_matters_where_a_rubric_or_precedents_are_shown(
    settings: dict[str, Any], dependent: bool
) -> None:
    method = juryflow(**settings)
    outcome = judged(method, court(), FIRST)
    assert method.order_dependent is dependent
    assert (outcome.additions is not None) is dependent
    assert (method.fold(Memory(), outcome) != Memory()) is dependent


def test_the_prompts_are_those_of_the_stages_that_are_on() -> None:
    whole = ("decompose", "judge_claims", "reevaluate", "propagate", "induce", "pairwise", "reask")
    assert juryflow().prompts == whole
    bare = juryflow(focal=None, propagation=None, rubric=None, tie_break=None)
    assert bare.prompts == ("decompose", "judge_claims", "reask")
    vanilla = juryflow(rubric=None, propagation=None, tie_break=TieBreak("pairwise_vanilla"))
    assert vanilla.prompts == ("decompose", "judge_claims", "reevaluate", "pairwise_vanilla", "reask")
    panel = Panel((replace(JUDGES[0], persona=Persona("p", "a person")),), "j0")
    assert juryflow(panel=panel).prompts[-2:] == ("persona", "reask")
    assert juryflow().judges == PANEL.judges
