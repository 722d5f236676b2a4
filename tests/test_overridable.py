"""A setting that the documents name can be given as KEY=VALUE: every field stands in its file."""

import dataclasses
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from venire.config import config_dir

CONF = config_dir()

# Set by other means than KEY=VALUE: by the builder, or by choosing an option (`persona@judge.persona=...`).
ELSEWHERE = {
    "PromptedJudge": {"endpoint_tag", "persona", "api_base", "api_key_env"},
    "Joined": {"disjoint_from"},  # another data set, by its group
    "EmbeddingModel": {
        "provider",
        "api_base",
        "api_key_env",
        "max_batch",
        "max_batch_tokens",
        "price",
        "limits",
    },
}


def objects(node: object) -> Iterator[dict[str, object]]:
    """Every mapping with a target in a file."""
    if isinstance(node, dict):
        if "_target_" in node:
            yield node
        for value in node.values():
            yield from objects(value)


def fields_of(target: str) -> set[str]:
    module, _, name = target.rpartition(".")
    made = getattr(import_module(module), name)
    if dataclasses.is_dataclass(made):
        return {field.name for field in dataclasses.fields(made) if field.init}
    return set(inspect.signature(made).parameters)


GROUPS = ("judge", "embedding", "dataset", "llm", "simulation")
FILES = [
    path
    for path in (
        CONF / "config.yaml",
        *(path for group in GROUPS for path in sorted(CONF.glob(f"{group}/*.yaml"))),
    )
    if "_target_" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(CONF)))
def test_every_field_of_what_a_file_builds_is_a_key(file: Path) -> None:
    for node in objects(yaml.safe_load(file.read_text(encoding="utf-8"))):
        target = str(node["_target_"])
        lacking = fields_of(target) - node.keys()
        assert lacking <= ELSEWHERE.get(target.rpartition(".")[2], set()), target
