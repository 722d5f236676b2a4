"""Direct scoring, criteria and rubrics as `venire run` composes them."""

from pathlib import Path

import pytest
import yaml
from hydra.errors import HydraException
from tests.test_configs import CONF, built, options, refused

from venire.judging.criteria import CriteriaSet, OfData
from venire.judging.direct import CriteriaPerCall
from venire.judging.direct_forms import Justification
from venire.judging.rubric import GeneratedRubric, RubricSet, Strictness
from venire.judging.scales import ScaleName
from venire.judging.tie_break import TieBreak
from venire.methods.direct import Direct, ReferenceUse
from venire.methods.pairwise import Pairwise


def direct(*overrides: str) -> Direct:
    method = built("method=direct", "backend=simulated", *overrides).method
    assert isinstance(method, Direct)
    return method


@pytest.mark.parametrize("criteria", sorted({*options("criteria")} - {"none"}))
def test_a_set_of_criteria_is_built_into_both_methods(criteria: str) -> None:
    method = direct(f"criteria={criteria}")
    kind = OfData if criteria == "of_data" else CriteriaSet
    assert isinstance(method.criteria, kind)
    pairwise = built("method=pairwise", f"criteria={criteria}", "backend=simulated")
    assert isinstance(pairwise.method, Pairwise)
    assert isinstance(pairwise.method.criteria, kind)
    pairwise.method.check(pairwise.loaded.instances)


def test_by_default_scores_are_on_the_data_s_dimensions_and_comparisons_on_the_whole() -> None:
    assert isinstance(direct().criteria, OfData)
    pairwise = built("method=pairwise", "backend=simulated").method
    assert isinstance(pairwise, Pairwise)
    assert pairwise.criteria is None
    assert refused("method=direct", "criteria=none").startswith("criteria: expected an object")


@pytest.mark.parametrize("rubric", options("rubric"))
def test_a_rubric_is_built_into_the_method(rubric: str) -> None:
    made = direct(f"rubric={rubric}", "criteria=accuracy").rubric
    assert type(made) is {"none": type(None), "generated": GeneratedRubric}.get(rubric, RubricSet)


def test_the_strictness_of_a_generated_rubric_is_an_axis() -> None:
    base = ("method=direct", "rubric=generated", "backend=simulated")
    runs = [built(*base, f"rubric.strictness={each}") for each in Strictness]
    made = [run.method.rubric for run in runs if isinstance(run.method, Direct)]
    assert [each.strictness for each in made if isinstance(each, GeneratedRubric)] == list(Strictness)
    assert len({run.identity.config_hash for run in runs}) == 3
    assert len({run.identity.name for run in runs}) == 3
    assert runs[0].identity.params["rubric.strictness"] == "lenient"
    assert "strictness" in refused(*base, "rubric.strictness=harsh")
    with pytest.raises(HydraException, match=r"rubric\.strictness"):  # there is no rubric to be strict
        built("method=direct", "rubric.strictness=strict")


@pytest.mark.parametrize("tie_break", options("tie_break"))
def test_a_tie_break_is_built_into_the_method(tie_break: str) -> None:
    assert direct().tie_break is None
    assert isinstance(direct(f"+tie_break@method.tie_break={tie_break}").tie_break, TieBreak)


@pytest.mark.parametrize(
    ("ablation", "field", "value"),
    [
        ("justification_after", "justification", Justification.AFTER),
        ("no_justification", "justification", Justification.NONE),
        ("criteria_at_once", "criteria_per_call", CriteriaPerCall.ALL),
        ("hidden_reference", "reference", ReferenceUse.HIDDEN),
        ("no_rubric", "rubric", None),
    ],
)
def test_an_ablation_changes_its_setting_alone(ablation: str, field: str, value: object) -> None:
    plain, ablated = (direct("rubric=generated", *more) for more in ((), (f"ablation={ablation}",)))
    changed = {name for name in Direct.__dataclass_fields__ if getattr(plain, name) != getattr(ablated, name)}
    assert changed == {field}
    assert getattr(ablated, field) == value


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("method.scale=1-7", "method.scale"),
        ("method.justification=later", "method.justification"),
        ("method.criteria_per_call=some", "method.criteria_per_call"),
        ("method.tie_width=1", "method.tie_width"),
        ("method.reference=maybe", "method.reference"),
        ("criteria.members.clarity.weight=-1", "criteria.members.clarity.weight"),
        ("criteria.members.clarity.weight=.2", "criteria.members"),
        ("~criteria.members.clarity", "criteria.members"),
    ],
)
def test_a_bad_setting_is_refused_under_its_full_key(override: str, key: str) -> None:
    assert refused("method=direct", "criteria=general", override).startswith(f"{key}: ")


def test_a_criterion_is_left_out_where_weights_are_relative() -> None:
    made = direct("criteria=general", "~criteria.members.clarity", "criteria.normalise=true").criteria
    assert isinstance(made, CriteriaSet)
    assert [round(each.weight, 3) for each in made.criteria] == [0.444, 0.333, 0.222]  # of .4, .3, .2


def test_every_scale_of_the_guide_can_be_named() -> None:
    assert [direct(f"method.scale={each}").scale for each in ScaleName] == list(ScaleName)


def test_its_file_shows_every_setting() -> None:
    node = yaml.safe_load((CONF / "method" / "direct.yaml").read_text(encoding="utf-8"))
    assert set(node) - {"_target_", "defaults"} == set(Direct.__dataclass_fields__)


def test_what_a_run_judges_by_stands_in_its_params_and_only_chosen_sets_in_its_name() -> None:
    base = ("method=direct", "backend=simulated")
    plain, chosen = built(*base), built(*base, "criteria=general")
    assert plain.identity.name == "direct gpt_4o sample"
    assert chosen.identity.name == "direct gpt_4o general sample"
    told = chosen.identity.params["criteria.criteria"]
    assert told == "instruction_following 0.4, correctness 0.3, completeness 0.2, clarity 0.1"


def test_a_rubric_of_one_s_own_is_found_by_its_name(tmp_path: Path) -> None:
    """As `VENIRE_HOME/config` is found: by hydra's search path."""
    text = (CONF / "rubric" / "accuracy.yaml").read_text(encoding="utf-8")
    folder = tmp_path / "rubric"
    folder.mkdir()
    (folder / "mine.yaml").write_text(text.replace("name: accuracy", "name: mine"), encoding="utf-8")
    made = direct("criteria=accuracy", "rubric=mine", f"hydra.searchpath=['file://{tmp_path}']").rubric
    assert isinstance(made, RubricSet)
    assert made.name == "mine"
