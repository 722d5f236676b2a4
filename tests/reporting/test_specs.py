from pathlib import Path

import pytest

from venire.errors import ConfigError
from venire.metrics.headline import Headline
from venire.reporting.specs import Row, Spec, list_specs, read_spec

GOOD = """\
title: A panel against its parts
sweep: [experiment=sample, "seed=0,1"]
backend: simulated
published:
  single: {accuracy: .679, kappa: 0}
source: JuryFlow, table 2
notes:
  - One sentence.
"""


def write(root: Path, text: str, name: str = "a") -> None:
    path = root / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def message_of(root: Path, text: str) -> str:
    write(root, text)
    with pytest.raises(ConfigError) as refused:
        read_spec("a", root)
    return str(refused.value)


def test_a_spec_says_what_to_sweep_and_what_was_published(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "recorded/panel")
    assert read_spec("recorded/panel", tmp_path) == Spec(
        name="recorded/panel",
        title="A panel against its parts",
        overrides=("experiment=sample", "seed=0,1"),
        backend="simulated",
        published={"single": {"accuracy": 0.679, "kappa": 0.0}},
        source="JuryFlow, table 2",
        notes=("One sentence.",),
    )


def test_published_figures_source_and_notes_may_be_left_out(tmp_path: Path) -> None:
    write(tmp_path, "title: t\nsweep: [experiment=sample]\nbackend: recorded\nnotes:\n")
    assert read_spec("a", tmp_path) == Spec("a", "t", ("experiment=sample",), "recorded")


def test_specs_are_listed_by_name_below_their_folder(tmp_path: Path) -> None:
    for name in ("b", "recorded/a", "a"):
        write(tmp_path, GOOD, name)
    (tmp_path / "README.md").write_text("", encoding="utf-8")
    assert list_specs(tmp_path) == ["a", "b", "recorded/a"]


def test_an_unknown_spec_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^experiments: no spec 'x'; there are none$"):
        read_spec("x", tmp_path)
    write(tmp_path, GOOD, "recorded/panel")
    with pytest.raises(ConfigError, match=r"^experiments: no spec 'x'; there are recorded/panel$"):
        read_spec("x", tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("backend: simulated", "backend: live"), "backend: expected simulated or recorded, got 'live'"),
        (
            ("backend: simulated", ""),
            "backend: missing; expected title, sweep, backend and perhaps published",
        ),
        (("title: A panel against its parts", "title:"), "title: missing; "),
        (("source:", "sources:"), "sources: unknown key; expected title, sweep, backend and perhaps"),
        (
            ('[experiment=sample, "seed=0,1"]', "experiment=sample"),
            "sweep: expected a list of texts, got 'exp",
        ),
        (('"seed=0,1"', "1"), "sweep: expected a list of texts, got ['experiment=sample', 1]"),
        (
            ("{accuracy: .679, kappa: 0}", ".679"),
            "published.single: expected metrics with numbers, got 0.679",
        ),
        ((".679", "high"), "published.single.accuracy: expected a number, got 'high'"),
        (
            ("  single: {accuracy: .679, kappa: 0}", "  - single"),
            "published: expected a mapping of rows, got ['single']",
        ),
    ],
)
def test_a_faulty_spec_is_refused_with_its_file_and_key(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    assert message_of(tmp_path, text).startswith(f"{tmp_path / 'a.yaml'}: {message}")


def test_a_file_that_is_no_mapping_or_no_yaml_is_refused(tmp_path: Path) -> None:
    assert "expected a mapping of keys, got list" in message_of(tmp_path, "- a\n")
    assert "expected a mapping of keys, got NoneType" in message_of(tmp_path, "")
    assert "expected YAML, got " in message_of(tmp_path, "title: [")


@pytest.mark.parametrize("name", list_specs())
def test_every_spec_of_the_project_is_read(name: str) -> None:
    spec = read_spec(name)
    assert spec.name == name
    assert any(override.startswith("experiment=") for override in spec.overrides)


def test_the_project_has_specs() -> None:
    assert "sample" in list_specs()


LAID_OUT = """\
title: t
sweep: [experiment=x]
backend: simulated
baseline: {ablation: none}
rows:
  own:
    full: {ablation: none}
    beta: {method.propagation.beta: 0.50}
published:
  full: {accuracy: .784}
plots: [curve, bars]
"""


def test_a_spec_may_lay_out_rows_in_blocks_a_baseline_and_plots(tmp_path: Path) -> None:
    write(tmp_path, LAID_OUT)
    spec = read_spec("a", tmp_path)
    assert spec.rows == (
        Row("full", {"ablation": "none"}, "own"),
        Row("beta", {"method.propagation.beta": "0.5"}, "own"),
    )
    assert spec.baseline == {"ablation": "none"}
    assert spec.plots == ("curve", "bars")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("full: {accuracy", "fool: {accuracy"), "published.fool: no such row; expected one of full, beta"),
        (
            ("plots: [curve", "plots: [pie"),
            "plots: expected some of curve, pareto, bars, forest, confusion, correlation, got 'pie'",
        ),
        (("full: {ablation: none}", "full: none"), "rows.own.full: expected params with their values"),
        (("rows:\n  own:", "rows: []\nothers:"), "others: unknown key"),
        (
            ("published:", "  more:\n    full: {seed: 1}\npublished:"),
            "rows: expected labels that differ, got 'full' twice",
        ),
    ],
)
def test_a_layout_that_would_show_something_nowhere_is_refused(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    assert message in message_of(tmp_path, LAID_OUT.replace(*change))


@pytest.mark.parametrize("name", list_specs())
def test_every_spec_that_ships_is_read(name: str) -> None:
    assert read_spec(name).title


def test_a_spec_may_name_further_columns_by_title(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(
        "title: T\nsweep: [dataset=sample]\nbackend: recorded\n"
        "columns: {effective votes: panel/effective_votes}\n"
    )
    assert read_spec("x", tmp_path).columns == (Headline("panel/effective_votes", "effective votes"),)


def test_columns_and_rows_with_groups_are_read(tmp_path: Path) -> None:
    more = "columns: {fluency: spearman/fluency}\ngroups: [full]\n"
    write(tmp_path, LAID_OUT + more)
    spec = read_spec("a", tmp_path)
    assert spec.columns == (Headline("spearman/fluency", "fluency"),)
    assert spec.groups == ("full",)
    message = message_of(tmp_path, LAID_OUT + "groups: [whole]\n")
    assert "groups.whole: no such row; expected one of full, beta" in message
