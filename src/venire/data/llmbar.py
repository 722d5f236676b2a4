"""LLMBar: pairs of outputs of which one follows the instruction, with objective labels.

Source: Zeng et al., "Evaluating Large Language Models at Evaluating Instruction Following",
ICLR 2024, arXiv:2310.07641; https://github.com/princeton-nlp/LLMBar, folder `Dataset/`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from venire.data.checks import Placed, assemble, check_count
from venire.data.files import read_json_array
from venire.data.fingerprint import prompt_cluster
from venire.data.protocol import Loaded
from venire.data.rows import Row, complaint
from venire.data.settings import check_at_least_one
from venire.errors import ConfigError, DataError
from venire.records import Instance, PreferenceGold, Response, Winner

LLMBAR_SUBSETS = (
    "Natural",
    "Adversarial/Neighbor",
    "Adversarial/GPTInst",
    "Adversarial/GPTOut",
    "Adversarial/Manual",
)

_PUBLISHED_COUNTS = {
    "Natural": 100,
    "Adversarial/Neighbor": 134,
    "Adversarial/GPTInst": 92,
    "Adversarial/GPTOut": 47,
    "Adversarial/Manual": 46,
    "MT-Bench": 200,
}
_LAYOUTS = ("llmbar/Dataset", "Dataset", "LLMBar/Dataset")
_PREFIXES = ("LLMBar/", "Processed/")
_WINNERS = {"1": Winner.FIRST, "2": Winner.SECOND}


@dataclass(frozen=True, slots=True)
class LLMBar:
    """Subsets of the official repository's `Dataset/` folder.

    An instance's id is `<subset>/<index>` (`Adversarial/Neighbor/3`), where the index is the
    0-based position in the subset's file; `metadata["index"]` holds the index alone. Equal
    instructions share a cluster, also across subsets. `Processed/MT-Bench` has some pairs twice
    with their outputs swapped: they are two instances of one cluster.

    Args:
        root: the data root; `llmbar/Dataset`, `Dataset` and `LLMBar/Dataset` are looked for below it.
        subsets: folders below `Dataset/` that hold a `dataset.json`; `LLMBar/` and `Processed/`
            may be left out.
        limit: the first instances that are kept, in the order of `subsets`; None for all.
        check_counts: whether the six known subsets must have their published counts.
    """

    root: str = "data"
    subsets: tuple[str, ...] = LLMBAR_SUBSETS
    limit: int | None = None
    check_counts: bool = True

    def __post_init__(self) -> None:
        check_at_least_one("limit", self.limit)
        if isinstance(self.subsets, str):
            raise ConfigError(f"subsets: expected a list, [{self.subsets}], got {self.subsets!r}")
        names = tuple(_short(name) for name in self.subsets)
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"subsets: expected names that differ, got {list(self.subsets)}")
        object.__setattr__(self, "subsets", tuple(self.subsets))

    @property
    def name(self) -> str:
        """`llmbar`."""
        return "llmbar"

    def load(self) -> Loaded:
        """The instances of all subsets, one subset after the other.

        Raises:
            DataError: no such folder or subset, a record that breaks the format, another count.
        """
        folder = _find(Path(self.root))
        files = _subset_files(folder)
        placed: list[Placed] = []
        for subset in self.subsets:
            name = _short(subset)
            file = _choose(files, subset, folder)
            rows = read_json_array(file)
            if self.check_counts:
                check_count(str(file), "instances", len(rows), _PUBLISHED_COUNTS.get(name))
            placed.extend(Placed(row, _instance(row, name)) for row in rows)
        return assemble(
            placed,
            source=folder.relative_to(self.root).as_posix(),
            labels=(Winner.FIRST, Winner.SECOND),
            limit=self.limit,
        )


def _short(subset: str) -> str:
    """The subset's name as ids carry it: without `LLMBar/` or `Processed/`."""
    name = subset.strip("/")
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _find(root: Path) -> Path:
    for layout in _LAYOUTS:
        if (root / layout).is_dir():
            return root / layout
    raise complaint(
        str(root),
        expected=f"the LLMBar repository's folder Dataset (as {', '.join(_LAYOUTS)})",
        got="none of them" if root.is_dir() else "no such folder",
        todo=(
            "the Hub copy (princeton-nlp/LLMBar) is a loading script, which `datasets` no longer "
            "runs, so get the repository: git clone https://github.com/princeton-nlp/LLMBar "
            '"$VENIRE_DATA/llmbar", with VENIRE_DATA set to your data folder'
        ),
    )


def _subset_files(folder: Path) -> Mapping[str, Path]:
    """Each subset's file by its full name below `Dataset/`, sorted."""
    files = sorted(folder.rglob("dataset.json"))
    return {file.parent.relative_to(folder).as_posix(): file for file in files}


def _choose(files: Mapping[str, Path], subset: str, folder: Path) -> Path:
    """The file of a subset that is named in full or without its prefix."""
    if subset.strip("/") in files:
        return files[subset.strip("/")]
    matches = [file for name, file in files.items() if _short(name) == _short(subset)]
    if len(matches) == 1:
        return matches[0]
    there = ", ".join(_short(name) for name in files) or "none"
    problem = "unknown" if not matches else "ambiguous: it is there under both prefixes"
    raise DataError(
        f"dataset.subsets: {subset!r} is {problem}; expected a folder below {folder} that holds a "
        f"dataset.json, there are: {there}; correct the name, or get the whole repository"
    )


def _instance(row: Row, subset: str) -> Instance:
    index = row.number - 1
    prompt = row.prompt("input")
    label = row.integer("label")
    if str(label) not in _WINNERS:
        todo = "correct the record: LLMBar has no ties and no other labels"
        raise row.bad("label", expected="1 or 2", got=str(label), todo=todo)
    return Instance(
        id=f"{subset}/{index}",
        prompt=prompt,
        responses=(Response(row.text("output_1"), "output_1"), Response(row.text("output_2"), "output_2")),
        gold=PreferenceGold(_WINNERS[str(label)]),
        subset=subset,
        cluster=prompt_cluster(prompt),
        metadata={"index": str(index)},
    )
