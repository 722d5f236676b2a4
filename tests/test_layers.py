"""Imports go down only: `docs/architecture.md`, "Layers", held against the imports in `src/venire`."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "venire"
ARCHITECTURE = ROOT / "docs" / "architecture.md"

# Units are the packages and modules right below `venire`. A new one has to be placed here.
LAYERS = {
    0: {"errors", "records", "hashing", "lines", "terminating", "spilled"},
    1: {"stats", "prompts"},
    2: {"llm", "data"},
    3: {"judging"},
    4: {"methods", "metrics"},
    5: {
        *(
            "fit",
            "developing",
            "build",
            "answering",
            "identity",
            "schedule",
            "experiment",
            "backends",
            "provenance",
        ),
        *("stopping", "ending", "runner", "streamable", "streaming", "launch", "launched", "sweep"),
        *("runs", "planning", "tracking", "reporting"),
        *("generated", "personas", "rubrics", "review", "page", "advice", "audit", "bundles", "claimcheck"),
        "merging",
    },
    6: {"config", "cli", "commands", "console", "results", "reference"},
}
LAYER = {unit: layer for layer, units in LAYERS.items() for unit in units}

# In these layers units build on each other, though never in a circle; below, they do not know each other.
SIDEWAYS = {5, 6}

CONFIGURATION = {"hydra", "omegaconf"}
HEAVY = {"litellm", "mlflow", "datasets", "pandas", "scipy", "statsmodels", "pyarrow"}

# What methods have in common; no other module of `methods/` is imported by its siblings.
COMMON_TO_METHODS = {"protocol", "comparing", "units"}


@dataclass(frozen=True)
class Import:
    """One import statement: in which module (parts below `venire`), of what, and when it runs."""

    where: tuple[str, ...]
    line: int
    target: str
    at_module_level: bool

    def __str__(self) -> str:
        return f"venire.{'.'.join(self.where)}:{self.line} imports {self.target}"

    @property
    def unit(self) -> str:
        """The unit that imports; empty for `venire/__init__.py`."""
        return self.where[0] if self.where else ""

    @property
    def own(self) -> tuple[str, ...]:
        """The target's parts below `venire`; empty where it lies outside."""
        parts = tuple(self.target.split("."))
        return parts[1:] if parts[0] == "venire" else ()


def imports_of(where: tuple[str, ...], text: str) -> Iterator[Import]:
    """Every import that runs; those under `if TYPE_CHECKING:` do not."""

    def visit(node: ast.AST, top: bool) -> Iterator[Import]:
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for child in node.orelse:
                yield from visit(child, top)
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(where, node.lineno, alias.name, top)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"venire.{'.'.join(where)}:{node.lineno}: imports are absolute here"
            for alias in node.names:
                yield Import(where, node.lineno, f"{node.module}.{alias.name}", top)
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, top and not inside)

    yield from visit(ast.parse(text), True)


def read_imports(source: Path) -> list[Import]:
    """The imports of all modules below `source`, which is the package `venire`."""
    found: list[Import] = []
    for file in sorted(source.rglob("*.py")):
        parts = file.relative_to(source).with_suffix("").parts
        where = parts[:-1] if parts[-1] == "__init__" else parts
        found += imports_of(where, file.read_text(encoding="utf-8"))
    return found


def upward(imports: list[Import]) -> list[str]:
    """Imports of a higher layer, or of a stranger in one's own."""
    wrong = []
    for one in imports:
        if not one.own or one.own[0] not in LAYER or one.unit in ("", one.own[0]):
            continue
        mine, its = LAYER.get(one.unit, 0), LAYER[one.own[0]]
        if its > mine or (its == mine and mine not in SIDEWAYS):
            wrong.append(f"{one}: L{mine} may not import L{its}")
    return wrong


def circles(imports: list[Import]) -> list[str]:
    """Units that import each other, directly or by way of others."""
    graph: dict[str, set[str]] = {}
    for one in imports:
        if one.unit and one.own and one.own[0] in LAYER and one.own[0] != one.unit:
            graph.setdefault(one.unit, set()).add(one.own[0])

    def reach(unit: str) -> set[str]:
        seen: set[str] = set()
        stack = [unit]
        while stack:
            for after in graph.get(stack.pop(), set()) - seen:
                seen.add(after)
                stack.append(after)
        return seen

    return sorted(unit for unit in graph if unit in reach(unit))


def between_methods(imports: list[Import]) -> list[str]:
    """Imports of one method by another."""
    return [
        str(one)
        for one in imports
        if one.unit == "methods"
        and len(one.own) > 1
        and one.own[0] == "methods"
        and one.own[1] not in COMMON_TO_METHODS
        and one.own[1] != (one.where[1] if len(one.where) > 1 else "")
    ]


def of_configuration(imports: list[Import]) -> list[str]:
    """Imports of hydra or omegaconf below L6."""
    return [
        str(one)
        for one in imports
        if one.target.split(".")[0] in CONFIGURATION and LAYER.get(one.unit, 0) < 6
    ]


def heavy_at_module_level(imports: list[Import]) -> list[str]:
    """Imports of heavy packages that run when the module is imported."""
    return [str(one) for one in imports if one.at_module_level and one.target.split(".")[0] in HEAVY]


RULES = {
    "upward": upward,
    "circles": circles,
    "between_methods": between_methods,
    "of_configuration": of_configuration,
    "heavy_at_module_level": heavy_at_module_level,
}


@pytest.fixture(scope="module")
def imports() -> list[Import]:
    return read_imports(SOURCE)


@pytest.mark.parametrize("rule", RULES)
def test_the_source_keeps_the_rule(rule: str, imports: list[Import]) -> None:
    assert len(imports) > 100
    assert RULES[rule](imports) == []


def test_every_unit_has_a_layer() -> None:
    modules = {file.stem for file in SOURCE.glob("*.py")} - {"__init__"}
    packages = {folder.name for folder in SOURCE.iterdir() if any(folder.rglob("*.py"))}
    assert (modules | packages) - set(LAYER) == set()


def test_the_documented_layers_are_those_enforced() -> None:
    documented: Mapping[str, int] = {
        unit: int(layer)
        for layer, cell in re.findall(
            r"^\| L(\d) \| ([^|]+) \|", ARCHITECTURE.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
        for unit in re.findall(r"`(\w+)(?:/|\.py)`", cell)
    }
    assert len(documented) > 10
    assert {unit: LAYER.get(unit) for unit in documented} == dict(documented)


@pytest.mark.parametrize(
    ("rule", "module", "text", "caught"),
    [
        ("upward", "stats/x.py", "from venire.llm.key import request_key", True),
        ("upward", "stats/x.py", "def f():\n    import venire.llm", True),
        ("upward", "data/x.py", "from venire.llm.key import request_key", True),
        ("upward", "judging/x.py", "from venire import runner", True),
        ("upward", "runner.py", "from venire.config import experiment_of", True),
        ("upward", "judging/x.py", "from venire.llm.key import request_key", False),
        ("upward", "stats/x.py", "from venire.stats.y import z\nfrom venire.records import Call", False),
        ("upward", "runner.py", "from venire.runs import find", False),
        (
            "upward",
            "stats/x.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import venire.llm",
            False,
        ),
        ("between_methods", "methods/x.py", "from venire.methods.y import Y", True),
        ("between_methods", "methods/juryflow/x.py", "from venire.methods.y import Y", True),
        ("between_methods", "methods/juryflow/x.py", "from venire.methods.juryflow.graph import g", False),
        ("between_methods", "methods/x.py", "from venire.methods.comparing import Comparing", False),
        ("of_configuration", "runner.py", "def f():\n    from omegaconf import OmegaConf", True),
        ("of_configuration", "config.py", "from omegaconf import OmegaConf", False),
        ("heavy_at_module_level", "stats/x.py", "import scipy.stats", True),
        ("heavy_at_module_level", "stats/x.py", "class A:\n    import pandas", True),
        (
            "heavy_at_module_level",
            "stats/x.py",
            "try:\n    from mlflow import log\nexcept OSError: ...",
            True,
        ),
        ("heavy_at_module_level", "stats/x.py", "def f():\n    import scipy.stats", False),
        (
            "heavy_at_module_level",
            "data/x.py",
            "class A:\n    async def f(self):\n        import pandas",
            False,
        ),
    ],
)
def test_a_rule_catches_what_breaks_it_and_nothing_else(
    tmp_path: Path, rule: str, module: str, text: str, caught: bool
) -> None:
    file = tmp_path / module
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    assert bool(RULES[rule](read_imports(tmp_path))) is caught


def test_a_circle_over_three_units_is_caught(tmp_path: Path) -> None:
    for unit, target in (("runner", "runs"), ("runs", "sweep"), ("sweep", "runner"), ("launch", "runner")):
        (tmp_path / f"{unit}.py").write_text(f"import venire.{target}", encoding="utf-8")
    assert circles(read_imports(tmp_path)) == ["runner", "runs", "sweep"]
