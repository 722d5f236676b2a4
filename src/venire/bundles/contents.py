"""What a bundle's manifest says, apart from the hashes of its members."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from pydantic import TypeAdapter, ValidationError

from venire.errors import BundleError
from venire.provenance import PACKAGES, git_state

REPLIES = "store/replies.jsonl"
VECTORS = "store/vectors.jsonl"
DEVELOPMENT = "development"  # the folder of a run's development split, in the run's own


@dataclass(frozen=True, slots=True)
class BundledRun:
    """A run whose files are members.

    Args:
        run_id: the name of its folder.
        status: how it ended.
        data: the member that holds each of its data sets, by key (`dataset`, `development.dataset`).
        recordings: the SHA-256 of the recordings that its judges replay; empty where none do.
        weights: the local model's name and what answers, where its judges are local.
        not_judged: why its judgments are not made anew, a sentence; empty where they are.
        unchecked: metrics that need what is not in the bundle.
    """

    run_id: str
    status: str
    data: Mapping[str, str]
    recordings: str = ""
    weights: tuple[str, str] | None = None
    not_judged: str = ""
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BundledJob:
    """A job of the sweep, whatever became of it; `run_id` is empty where it left no run."""

    number: int
    overrides: tuple[str, ...]
    status: str
    run_id: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class BundledTable:
    """A table: of the spec in the member `spec`, else of all runs. `more` are further sentences under it."""

    name: str
    title: str
    spec: str = ""
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a bundle, and what made it. `texts`: whether data and replies are in it."""

    name: str
    texts: bool
    made_with: Mapping[str, str]
    runs: tuple[BundledRun, ...]
    jobs: tuple[BundledJob, ...] = ()
    tables: tuple[BundledTable, ...] = ()

    def as_manifest(self) -> Mapping[str, object]:
        """Plain values."""
        plain: Mapping[str, object] = _CONTENTS.dump_python(self, mode="json")
        return plain


_CONTENTS: TypeAdapter[Contents] = TypeAdapter(Contents)


def contents_of(manifest: Mapping[str, object]) -> Contents:
    """What `manifest` says.

    Raises:
        BundleError: it lacks something, or says it in another form.
    """
    try:
        return _CONTENTS.validate_python(
            {key: value for key, value in manifest.items() if key in Contents.__dataclass_fields__}
        )
    except ValidationError as error:
        raise BundleError(f"manifest.json: not what `venire bundle` writes: {error}") from error


def versions_here() -> dict[str, str]:
    """What numbers and texts may depend on: Python, packages, the commit."""
    packages = {name: metadata.version(name) for name in ("venire", *PACKAGES, "pyarrow", "pandas", "orjson")}
    return {"python": platform.python_version(), **packages, **git_state()}
