"""What responses of a rated data set were written for, and what they are rated on: one TOML file a set.

Texts of a data set, as judges are told them. They lie beside its loader as the wording of pairs lies in
other data sets' files; the fingerprint covers them, so that runs with another wording are other runs.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from venire.records import Dimension

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Task:
    """`prompt` is what was asked; `texts[section][dimension]` describes a dimension; `scales` likewise.

    A scale is low, high, step (0: any number between the ends) and whether judges are asked for it.
    """

    prompt: str
    texts: Mapping[str, Mapping[str, str]]
    scales: Mapping[str, Mapping[str, tuple[float, float, float, bool]]]

    def dimension(
        self, section: str, name: str, scale: tuple[float, float, float] | None = None
    ) -> Dimension:
        """The dimension `name` of `section`; `scale` (low, high, step) where the file leaves it open."""
        low, high, step, asked = (*scale, True) if scale else self.scales[section][name]
        return Dimension(name, self.texts[section][name], low, high, step or None, asked)


@cache
def read_task(name: str) -> Task:
    """The task of data set `name`."""
    with (_FOLDER / f"{name}.toml").open("rb") as file:
        fields = tomllib.load(file)
    prompt = str(fields.pop("prompt")).strip()
    texts: dict[str, dict[str, str]] = {}
    scales: dict[str, dict[str, tuple[float, float, float, bool]]] = {}
    for section, entries in fields.items():
        for dimension, entry in entries.items():
            texts.setdefault(section, {})[dimension] = entry["description"]
            if "low" in entry:
                scale = (float(entry["low"]), float(entry["high"]), float(entry.get("step", 1)))
                scales.setdefault(section, {})[dimension] = (*scale, bool(entry.get("asked", True)))
    return Task(prompt, texts, scales)
