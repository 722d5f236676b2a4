"""From a composed Hydra configuration to an `Experiment`. With `commands/`, the only place for omegaconf."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from venire.answering import answered_under, recorded_under
from venire.build import Convert, build
from venire.bundles.sources import Given, Sources
from venire.data.development import Apart, Parted, Share
from venire.data.protocol import Dataset, Loaded
from venire.data.shard import Shard
from venire.data.streamed import Streamed
from venire.errors import ConfigError
from venire.experiment import Experiment, Replicate
from venire.fit import fit
from venire.generated.calling import Calling
from venire.identity import Composed, identity_of
from venire.judging.criteria import CriteriaSet, OfData
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.rubric import RubricSet
from venire.llm.embedding import OFFLINE, EmbeddingModel
from venire.metrics.measure import MetricSettings
from venire.records import BackendKind, RunRecord

# Nodes of conf/config.yaml; an override that adds another (`+typo=1`) is refused.
_PARTS = ("dataset", "method", "llm", "simulation", "schedule", "metrics", "budget", "local", "tracking")
_VALUES = ("seed", "backend", "concurrency", "replicate", "max_unscored")
_OTHERS = (
    "development",
    "judge",
    "panel",
    "embedding",
    "persona",
    "criteria",
    "rubric",
    "data_root",
    "sweep",
    "shard",
)
_BACKENDS = ("live", "simulated", "local")


def config_dir() -> Path:
    """The folder of configuration files: the installed package's, or the checkout's `conf/`."""
    installed = Path(__file__).parent / "conf"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "conf"


def did_you_mean(word: str, known: Iterable[str], path: str = "") -> str:
    """`; did you mean dataset?` for `datset`, with `path` before it; empty where no word is near."""
    near = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {path}{near[0]}?" if near else ""


def experiment_of(
    cfg: DictConfig,
    overrides: Sequence[str],
    choices: Mapping[str, str],
    sources: Sources = Sources(),  # noqa: B008  (frozen)
) -> Experiment:
    """The experiment that `cfg` describes: settings checked, data read, nothing called.

    Args:
        cfg: the composed configuration, without the `hydra` node.
        overrides: as the user typed them.
        choices: config group to chosen option (`method` -> `majority`).
        sources: where data sets, recordings and weights come from.

    Raises:
        ConfigError: names the full key, what was expected and what was given.
        DataError: the data set cannot be read.
    """
    for key in map(str, cfg):
        if key not in (*_PARTS, *_VALUES, *_OTHERS):
            near = did_you_mean(key, (*_PARTS, *_VALUES, *_OTHERS))
            raise ConfigError(f"{key}: unknown key, see docs/configuration.md for the keys of a run{near}")
    _check_personas(cfg, choices)
    plain = {part: _plain(cfg, part) for part in (*_PARTS, *_VALUES)}
    backend = _backend(plain)
    values = _values(plain)
    settings = {part: _built(plain, part) for part in _PARTS if part not in ("dataset", "method")}
    loaded = sources.load("dataset", _built(plain, "dataset"))
    parted = _parted(cfg, loaded, sources)

    def on_backend(built: object, path: str) -> object:
        match built:
            case RecordedJudge():
                return sources.recorded(recorded_under(built, path, backend))
            case EmbeddingModel() if backend != "live" and built.kind is BackendKind.LIVE:
                return OFFLINE  # nothing is sent; similarity of texts is real arithmetic all the same
            case PromptedJudge():
                return answered_under(
                    built,
                    backend,
                    settings["simulation"],
                    settings["local"],
                    loaded.fingerprint,
                    sources=sources,
                )
        return built

    references = references_of(cfg)
    aliases = {f"method.{key}": node for key, node in references.items()}
    method = _built(plain, "method", on_backend, aliases=aliases)
    plain["development"] = None if parted is None else _plain(cfg, "development")
    shard = _shard(cfg)
    plain["shard"] = None if shard is None else str(shard)
    composed = Composed(plain, choices, tuple(overrides), references)
    evaluated = loaded if parted is None else parted.evaluated
    return Experiment(
        identity=identity_of(composed, OmegaConf.to_yaml(cfg, resolve=False)),
        loaded=evaluated if shard is None else shard.of(evaluated),
        shard=shard,
        whole=None if shard is None else evaluated,
        development=None if parted is None else parted.development,
        method=method,
        **settings,
        **values,
    )


def experiment_of_run(config_yaml: str, record: RunRecord, sources: Sources) -> Experiment:
    """The experiment of a run, from its `config.yaml` and `run.json`; without its budget: nothing is spent.

    Interpolations are resolved here and now.

    Raises:
        ConfigError: this version does not know a setting that the run had.
        DataError: a data set cannot be read.
    """
    cfg = OmegaConf.create(config_yaml)
    if not isinstance(cfg, DictConfig):
        raise ConfigError("config.yaml: expected a run's settings")
    cfg.budget = {**cfg.budget, "usd": None, "calls": None, "tokens": None}
    return experiment_of(cfg, record.overrides, record.params, sources)


def _parted(
    cfg: DictConfig,
    loaded: Loaded,
    sources: Sources = Sources(),  # noqa: B008  (frozen)
) -> Parted | None:
    """The data set without its development split, and that; None where no split is asked for."""
    node = _plain(cfg, "development")
    if node is None:
        return None
    if isinstance(loaded.instances, Streamed):
        raise ConfigError(
            "dataset.stream: a development split is drawn from all instances, and held; drop one of the two"
        )

    def given(built: object, path: str) -> object:
        if path != "development.dataset":
            return built
        dataset: Dataset = built  # type: ignore[assignment]  # a protocol is not checked at run time
        return Given(dataset.name, sources.load(path, dataset))

    split = build(node, "development", given)
    if not isinstance(split, Share | Apart):
        raise ConfigError("development: expected null, or an option of conf/development (half, apart)")
    return split.of(loaded)


# What a build of personas looks at; of a run's other settings it has no use.
_CALLING = ("judge", "llm", "simulation", "budget", "local")
_CALLING_VALUES = ("backend", "seed", "replicate", "max_unscored")


def calling_of(
    cfg: DictConfig, overrides: Sequence[str], *, what: str = "building personas", also: Sequence[str] = ()
) -> Calling:
    """The judge of `cfg` and how it is called: what builds personas, and generates rubrics.

    Args:
        what: that is done, for messages.
        also: further nodes that the caller looks at.

    Raises:
        ConfigError: a setting that is wrong, a judge that cannot read, or an override without effect.
    """
    takes = (*_CALLING, *_CALLING_VALUES, *also)
    for override in overrides:
        root = override.lstrip("+~").partition("=")[0].partition(".")[0].partition("@")[0]
        if root not in takes:
            raise ConfigError(f"{root}: {what} does not look at it; it takes {', '.join(takes)}")
    plain = {part: _plain(cfg, part) for part in (*_CALLING, *_VALUES)}
    backend = _backend(plain)
    values = _values(plain)
    values.pop("concurrency")  # the judge's own limits bound its calls
    settings = {part: _built(plain, part) for part in _CALLING if part != "judge"}
    judge = build(plain["judge"], "judge")
    if not isinstance(judge, PromptedJudge):
        raise ConfigError("judge: expected one that reads prompts, a recorded one has only its verdicts")
    judge = answered_under(judge, backend, settings["simulation"], settings["local"], "")
    return Calling(judge=replace(judge, persona=None), **settings, **values)


def criteria_of(cfg: DictConfig) -> CriteriaSet | None:
    """The criteria of `cfg`; None where none are chosen.

    Raises:
        ConfigError: they are those of the data, or are no criteria.
    """
    node = _plain(cfg, "criteria")
    if node is None:
        return None
    made = build(node, "criteria")
    if not isinstance(made, CriteriaSet):
        raise ConfigError("criteria: expected a set of criteria (criteria=general), not those of a data set")
    return made


def data_of(cfg: DictConfig, overrides: Sequence[str]) -> tuple[Dataset, MetricSettings, int]:
    """The data set of `cfg` (not read yet), how metrics are made, and the seed: for what asks no judge.

    Raises:
        ConfigError: a setting that is wrong, or an override without effect.
    """
    takes = ("dataset", "metrics", "seed", "data_root")
    for override in overrides:
        root = override.lstrip("+~").partition("=")[0].partition(".")[0].partition("@")[0]
        if root not in takes:
            raise ConfigError(f"{root}: this command does not look at it; it takes {', '.join(takes)}")
    plain = {key: _plain(cfg, key) for key in ("dataset", "metrics", *_VALUES)}
    return _built(plain, "dataset"), _built(plain, "metrics"), int(_values(plain)["seed"])


def data_of_run(config_yaml: str) -> tuple[Dataset, Loaded, MetricSettings]:
    """The data set of a run's `config.yaml`, the part that the run evaluated, how its metrics are made.

    Interpolations are resolved here and now.

    Raises:
        ConfigError: the file describes no data set that this version knows.
        DataError: the data set cannot be read.
    """
    cfg = OmegaConf.create(config_yaml)
    if not isinstance(cfg, DictConfig):
        raise ConfigError("config.yaml: expected a run's settings")
    dataset: Dataset = _built({"dataset": _plain(cfg, "dataset")}, "dataset")
    loaded = dataset.load()
    parted = _parted(cfg, loaded)
    metrics: MetricSettings = _built({"metrics": _plain(cfg, "metrics")}, "metrics")
    shard = _shard(cfg)
    evaluated = loaded if parted is None else parted.evaluated
    return dataset, evaluated if shard is None else shard.of(evaluated), metrics


def without_shard(config_yaml: str) -> str:
    """A shard's `config.yaml` as the run without shards has it."""
    cfg = OmegaConf.create(config_yaml)
    OmegaConf.update(cfg, "shard", None)
    return OmegaConf.to_yaml(cfg, resolve=False)


def _shard(cfg: DictConfig) -> Shard | None:
    value = cfg.get("shard")  # of earlier runs there is no such key
    return None if value is None else Shard.read(str(value))


def guides_of_run(config_yaml: str) -> tuple[CriteriaSet | OfData | None, RubricSet | None]:
    """The criteria and the rubric of a run's `config.yaml`; None for those that it does not have.

    A rubric that the judge was to write itself is none.

    Raises:
        ConfigError: this version does not know them.
    """
    cfg = OmegaConf.create(config_yaml)
    if not isinstance(cfg, DictConfig):
        raise ConfigError("config.yaml: expected a run's settings")
    nodes = {part: _plain(cfg, part) for part in ("criteria", "rubric")}
    criteria, rubric = (None if node is None else build(node, part) for part, node in nodes.items())
    return (
        criteria if isinstance(criteria, CriteriaSet | OfData) else None,
        rubric if isinstance(rubric, RubricSet) else None,
    )


def _backend(plain: Mapping[str, Any]) -> str:
    backend = str(plain["backend"])
    if backend not in _BACKENDS:
        raise ConfigError(f"backend: expected {', '.join(_BACKENDS)}, got {backend!r}")
    return backend


def _built(plain: Mapping[str, Any], part: str, *convert: Convert, **options: Any) -> Any:
    """The part that `plain` describes; null or a mapping without a target is refused."""
    hint = get_type_hints(Experiment).get(part, Dataset)
    return fit(build(plain[part], part, *convert, **options), hint, part)


def leaves_of(node: Mapping[Any, Any], prefix: str = "") -> list[tuple[str, object]]:
    """Dotted key and value of everything in `node` that is no mapping itself."""
    leaves: list[tuple[str, object]] = []
    for key, value in node.items():
        full = f"{prefix}{key}"
        leaves += leaves_of(value, f"{full}.") if isinstance(value, Mapping) else [(full, value)]
    return leaves


def _values(plain: Mapping[str, Any]) -> dict[str, Any]:
    for key in ("seed", "concurrency"):
        if isinstance(plain[key], bool) or not isinstance(plain[key], int):
            raise ConfigError(f"{key}: expected a whole number, got {plain[key]!r}")
    share = plain["max_unscored"]
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise ConfigError(f"max_unscored: expected a number from 0 to 1, got {share!r}")
    if plain["replicate"] not in list(Replicate):
        raise ConfigError(f"replicate: expected {' or '.join(Replicate)}, got {plain['replicate']!r}")
    return {
        "seed": plain["seed"],
        "concurrency": plain["concurrency"],
        "max_unscored": float(share),
        "replicate": Replicate(plain["replicate"]),
    }


def _plain(cfg: DictConfig, key: str) -> Any:
    """Node `key` as plain containers, interpolations resolved."""
    try:
        node = OmegaConf.select(cfg, key, throw_on_missing=True)
        if OmegaConf.is_config(node):
            return OmegaConf.to_container(node, resolve=True, throw_on_missing=True)
    except MissingMandatoryValue as error:
        missing = error.full_key or key
        raise ConfigError(f"{missing}: needs a value; give {missing}=... on the command line") from None
    except OmegaConfBaseException as error:
        raise ConfigError(f"{key}: {error}") from None
    return node


def _check_personas(cfg: DictConfig, choices: Mapping[str, str]) -> None:
    """Refuse a chosen set of personas that is not there, and a method without the set that it needs.

    `conf/config.yaml` asks for the set called like the data set, if there is one; hydra then also lets
    the name of a set pass that is nowhere.
    """
    if cfg.get("persona") is not None:
        return
    chosen, dataset = choices.get("persona"), choices.get("dataset")
    if chosen not in (None, dataset):
        raise ConfigError(
            f"persona: no such set: {chosen!r}; looked in conf/persona, in VENIRE_HOME/config/persona and "
            "in --config-dir, see docs/personas.md"
        )
    if "persona" in references_of(cfg).values():
        raise ConfigError(
            f"persona: this method needs a set of personas, and dataset={dataset} has none of its own; "
            "give persona=NAME (`venire personas show` lists them, `venire personas build` makes one)"
        )


def references_of(cfg: DictConfig) -> dict[str, str]:
    """Which keys of the method stand for a whole root node: `{"judged_by": "judge"}`.

    Those inside of its parts by their path: `{"stages.panel.asks": "panel"}`.
    """
    raw = OmegaConf.to_container(cfg.method, resolve=False)
    assert isinstance(raw, dict)
    return {
        key: value[2:-1] for key, value in leaves_of(raw) if isinstance(value, str) and value in _REFERENCES
    }


_REFERENCES = ("${judge}", "${panel}", "${embedding}", "${persona}", "${criteria}", "${rubric}")
