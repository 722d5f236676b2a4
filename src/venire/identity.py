"""What a run is called, which settings are shown of it, and which hash says that two are the same."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from venire.build import TARGET
from venire.hashing import digest

# Settings of objects that move no result: where things lie, how fast, what they cost.
_INERT = frozenset(
    {"root", "limits", "price", "api_key_env", "provider", "cache_dir", "check_counts"}
    | {"max_batch", "max_batch_tokens", "provenance", "stream"}
)
# Nodes that a method may ask.
_ASKED = ("judge", "panel", "embedding", "persona", "criteria", "rubric")
# The option of a node that a run's name leaves out.
_UNNAMED = (
    ("embedding", "wordllama"),
    ("criteria", "none"),
    ("criteria", "of_data"),
    ("rubric", "none"),
)
# Nodes whose overrides say nothing of what was judged.
_UNTOLD = ("hydra", "tracking", "sweep", "budget", "llm", "local")
# Characters of one override's value in a name, and of the whole name but for ablation and seed.
_VALUE_LENGTH = 24
_NAME_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Identity:
    """What a run is, apart from when and where it ran.

    Args:
        name: short and telling, for lists.
        params: the chosen parts' settings, flattened: `method`, `judge.model`, ...
        overrides: as the user typed them.
        config_yaml: the whole configuration, interpolations kept.
        config_hash: SHA-256 (hex) of the settings that results depend on, seed included.
        arm_hash: the same without the seed: runs of one arm differ in nothing else.
        whole_hash: of a shard the `config_hash` of the run without shards; else that itself.
        warnings: overrides that have no effect, a sentence each.
    """

    name: str
    params: Mapping[str, str]
    overrides: tuple[str, ...]
    config_yaml: str
    config_hash: str
    arm_hash: str
    whole_hash: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Composed:
    """A composed configuration as plain containers.

    Args:
        plain: root key to node, interpolations resolved.
        choices: config group to chosen option.
        overrides: as the user typed them.
        references: the method's keys that stand for a root node (`judged_by` -> `judge`).
    """

    plain: Mapping[str, Any]
    choices: Mapping[str, str]
    overrides: tuple[str, ...]
    references: Mapping[str, str]


def identity_of(composed: Composed, config_yaml: str) -> Identity:
    """Name, params and hashes of a composed configuration."""
    plain = composed.plain
    settings = {
        key: plain[key] for key in ("dataset", "method", "backend", "replicate", "schedule", "metrics")
    }
    if plain["backend"] == "simulated":
        settings["simulation"] = plain["simulation"]
    if plain.get("development") is not None:  # so that runs without one keep the hashes they have
        settings["development"] = plain["development"]
    whole_hash = digest({"settings": _effective(settings, _INERT), "seed": plain["seed"]})
    if plain.get("shard") is not None:
        settings["shard"] = plain["shard"]
    params = _params(composed)
    # The method alone takes the run's seed; a simulation's own seed is another world, so another arm.
    unseeded = settings | {"method": _effective(settings["method"], _INERT | {"seed"})}
    if "development" in unseeded and unseeded["development"].get("seed") == plain["seed"]:
        # another seed develops on another part: that is its replicate, no other arm
        unseeded["development"] = _effective(unseeded["development"], _INERT | {"seed"})
    return Identity(
        name=_name(composed, params),
        params=params,
        overrides=composed.overrides,
        config_yaml=config_yaml,
        config_hash=digest({"settings": _effective(settings, _INERT), "seed": plain["seed"]}),
        arm_hash=digest(_effective(unseeded, _INERT)),
        whole_hash=whole_hash,
        warnings=tuple(_idle(composed)),
    )


def _idle(composed: Composed) -> Iterator[str]:
    """Overrides of a judge or panel that the method does not ask, of a rubric that it does not use."""
    used = composed.references.values()
    method = composed.choices["method"]
    for override in composed.overrides:
        part = override.lstrip("+~").partition("=")[0].partition(".")[0]
        if part in _ASKED and part not in used and part in composed.plain["method"]:
            ablation = composed.choices.get("ablation", "none")
            by = f" by ablation={ablation}" if _chosen(ablation) and ablation != "none" else ""
            yield f"{override} has no effect: method.{part} is set to something else{by}"
        elif part in _ASKED and part not in used:
            asks = f"it asks {', '.join(used)}" if used else "it asks no model"
            yield f"{override} has no effect: method={method} does not use {part} ({asks})"


def _effective(node: object, left_out: frozenset[str]) -> object:
    """`node` without the keys of objects in `left_out`; those of plain mappings are a user's own words."""
    if isinstance(node, Mapping):
        drop = left_out if TARGET in node else frozenset[str]()
        return {key: _effective(value, left_out) for key, value in node.items() if key not in drop}
    if isinstance(node, list):
        return [_effective(item, left_out) for item in node]
    return node


def _params(composed: Composed) -> dict[str, str]:
    """Few and telling: what was chosen, and the settings of the chosen parts."""
    plain, choices = composed.plain, composed.choices
    params = {group: choices[group] for group in ("dataset", "method", *composed.references.values())}
    if _chosen(choices.get("ablation")):
        params["ablation"] = choices["ablation"]
    params |= {"backend": str(plain["backend"]), "seed": str(plain["seed"])}
    if plain["replicate"] != "shared":
        params["replicate"] = str(plain["replicate"])
    if plain.get("shard") is not None:
        params["shard"] = str(plain["shard"])
    params |= _flat("dataset", plain["dataset"])
    if plain.get("development") is not None:
        params |= {"development": choices["development"]} | _flat("development", plain["development"])
    for key, value in plain["method"].items():
        if key in composed.references:
            params |= _part_params(composed.references[key], value)
        elif key == "stages":
            params |= _stage_params(value)
        elif key != "seed":
            params |= _flat("method", {key: value})
    return _told(composed) | params


def _told(composed: Composed) -> dict[str, str]:
    """Key and value of the overrides inside a node that say what was judged, and how: the last of a key."""
    used = composed.references.values()
    told: dict[str, str] = {}
    for override in composed.overrides:
        key, _, value = override.lstrip("+~").partition("=")
        key = key.partition("@")[2] or key  # judge@panel.members.gpt_4o=gpt_4
        root = key.partition(".")[0]
        is_inert = not _INERT.isdisjoint(key.split("."))
        if "." in key and not is_inert and root not in _UNTOLD and (root not in _ASKED or root in used):
            told[key] = value
    return told


def _chosen(option: str | None) -> bool:
    return option not in (None, "null", "None")


def _part_params(part: str, node: Mapping[str, Any]) -> dict[str, str]:
    """A judge's settings in full; of a panel's judges and a persona set's groups only the names."""
    if part == "persona":
        return _persona_params(node)
    if part in ("criteria", "rubric"):
        return _criteria_params(part, node)
    members = node.get("members")
    judges = list(members.values()) if isinstance(members, Mapping) else node.get("judges")
    if not isinstance(judges, list):
        return _flat(part, node)
    names = ", ".join(str(judge.get("name")) for judge in judges if isinstance(judge, Mapping))
    others = {key: value for key, value in node.items() if key not in ("members", "judges")}
    return {f"{part}.judges": names} | _flat(part, others)


def _criteria_params(part: str, node: Mapping[str, Any] | None) -> dict[str, str]:
    """The set's name and its criteria, with their weights; a rubric's name, origin and strictness; none."""
    if node is None:
        return {}
    if isinstance(otherwise := node.get("otherwise"), Mapping):
        return {f"{part}.otherwise": str(otherwise.get("name"))}
    params = {
        f"{part}.{key}": str(node[key]) for key in ("name", "origin", "strictness", "domain") if node.get(key)
    }
    members = node.get("members", node.get("rubrics"))
    if isinstance(members, Mapping):
        weights = {key: each.get("weight") for key, each in members.items() if isinstance(each, Mapping)}
        params[f"{part}.criteria"] = ", ".join(
            key if weight is None else f"{key} {weight:g}" for key, weight in weights.items()
        )
    return params


def _persona_params(node: Mapping[str, Any]) -> dict[str, str]:
    """The set's name, level and groups; of a placebo, whose place it takes and who takes it."""
    params = {f"persona.{key}": str(node[key]) for key in ("name", "level", "origin") if key in node}
    for key in ("own", "other"):
        if isinstance(inner := node.get(key), Mapping):
            params[f"persona.{key}"] = str(inner.get("name"))
    if isinstance(groups := node.get("groups"), Mapping):
        params["persona.groups"] = ", ".join(map(str, groups))
    return params


def _stage_params(stages: Mapping[str, Any]) -> dict[str, str]:
    """Whom each stage of a cascade asks, and its settings; nothing of its judges' own."""
    params: dict[str, str] = {}
    for name, stage in stages.items():
        key = f"method.stages.{name}"
        if stage is None:
            params[key] = "none"
            continue
        params[key] = _asked(stage["asks"])
        params |= _flat(key, {each: value for each, value in stage.items() if each != "asks"})
    return params


def _asked(node: Mapping[str, Any]) -> str:
    """A judge's name, a recorded one's model and strategy, or the names of a panel."""
    members = node.get("members")
    if isinstance(members, Mapping):
        return ", ".join(str(judge.get("name")) for judge in members.values())
    models = node.get("models")
    who = ", ".join(map(str, models)) if isinstance(models, list) else node.get("name", node.get("model"))
    return ":".join(str(word) for word in (who, node.get("strategy")) if word)


def _flat(prefix: str, node: Mapping[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in node.items():
        if key == TARGET or key in _INERT or value is None:
            continue
        if isinstance(value, Mapping):
            flat |= _flat(f"{prefix}.{key}", value)
        elif not isinstance(value, list):
            flat[f"{prefix}.{key}"] = str(value)
        elif not any(isinstance(item, Mapping) for item in value):
            flat[f"{prefix}.{key}"] = ", ".join(map(str, value))
    return flat


def _who(part: str, option: str, params: Mapping[str, str]) -> str:
    """The chosen judge or panel; for recorded ones, which model and strategy."""
    if option != "recorded":
        return option
    words = (params.get("judge.model", option) if part == "judge" else option, params.get(f"{part}.strategy"))
    return ":".join(word for word in words if word)


def _name(composed: Composed, params: Mapping[str, str]) -> str:
    """`majority multi_model llmbar as_given_order s1`: what tells this run from its neighbours.

    Where there are too many settings the first are told, and how many more there are: `+3`.
    """
    choices = composed.choices
    unnamed = (*_UNNAMED, ("persona", choices["dataset"]))  # a data set's own personas go without saying
    asked = [part for part in composed.references.values() if (part, choices[part]) not in unnamed]
    who = [_who(part, choices[part], params) for part in asked]
    ablation = params.get("ablation", "none")
    parts = [choices["method"], *who, choices["dataset"], "" if ablation == "none" else ablation]
    told = _told(composed).items()
    settings = [_short(key, value) for key, value in told if not _is_told_elsewhere(key, value, choices)]
    shown = len(settings)
    while shown and len(" ".join([*parts, *settings[:shown]])) > _NAME_LENGTH:
        shown -= 1
    left_out = f"+{len(settings) - shown}" if shown < len(settings) else ""
    seed = "" if params["seed"] == "0" else f"s{params['seed']}"
    shard = f"shard {params['shard']}" if "shard" in params else ""
    return " ".join(part for part in (*parts, *settings[:shown], left_out, seed, shard) if part)


def _is_told_elsewhere(key: str, value: str, choices: Mapping[str, str]) -> bool:
    """Whether a name leaves it to the params: addresses, whole objects, what `_who` says already."""
    whole = ("{", "${", r"$\{")  # hydra's sweeps escape braces
    return "://" in value or value.startswith(whole) or _names_recorded(key, choices)


def _names_recorded(key: str, choices: Mapping[str, str]) -> bool:
    """Whether `_who` says it already."""
    part, _, setting = key.partition(".")
    who = {"judge": ("model", "strategy"), "panel": ("strategy",)}.get(part, ())
    return setting in who and choices[part] == "recorded"


def _short(key: str, value: str) -> str:
    """`orders=both` for `method.orders=both`; a long value is cut, of a path the last part is told."""
    if value.startswith(("/", "./", "../", "~/")):
        value = value.rstrip("/").rpartition("/")[2]
    shown = value if len(value) <= _VALUE_LENGTH else f"{value[: _VALUE_LENGTH - 3]}..."
    return f"{key.partition('.')[2]}={shown}"
