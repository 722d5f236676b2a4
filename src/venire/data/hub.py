"""Hub data sets as rows. The only file that imports `datasets`."""

from collections.abc import Iterator
from dataclasses import dataclass

from venire.data.rows import Row
from venire.errors import DataError


@dataclass(frozen=True, slots=True)
class HubSplit:
    """One split of a Parquet, JSON or CSV data set on the Hub (or of a local folder laid out like one).

    Args:
        id: `owner/name` on the Hub, or a folder.
        split: as the data set calls it.
        config: where the data set has several.
        revision: a commit, tag or branch; None takes whatever is newest, and `warnings` says so.
        cache_dir: where `datasets` keeps what it fetched; None for its own default.
    """

    id: str
    split: str
    config: str | None = None
    revision: str | None = None
    cache_dir: str | None = None

    @property
    def source(self) -> str:
        """`hub:<id>/<config>/<split>`; the config only where one is asked for."""
        return "/".join(["hub:" + self.id, *([self.config] if self.config else []), self.split])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be said of a reading without a pinned revision."""
        if self.revision is not None:
            return ()
        return (
            f"{self.source}: no revision is pinned, so what was read may change; "
            "set dataset.revision to a commit of the data set",
        )

    def rows(self) -> tuple[Row, ...]:
        """The split's records in its order; row numbers are 1-based records.

        Raises:
            DataError: as `stream`.
        """
        return tuple(self.stream())

    def stream(self) -> Iterator[Row]:
        """The same, one after another: what `datasets` fetched lies in Arrow files and is read from there.

        Raises:
            DataError: not reachable (offline), no such data set, revision or split, or a set that
                is a loading script.
        """
        # 1.3 s of import, and only Hub sets need it.
        from datasets import load_dataset
        from datasets.exceptions import DatasetsError

        try:
            records = load_dataset(
                self.id, self.config, split=self.split, revision=self.revision, cache_dir=self.cache_dir
            )
        except (OSError, ValueError, RuntimeError, DatasetsError) as error:
            raise self._unreadable(error) from error
        for number, record in enumerate(records, start=1):
            yield Row(self.source, number, record)

    def _unreadable(self, error: Exception) -> DataError:
        reason = " ".join(str(error).split()) or type(error).__name__
        if isinstance(error, RuntimeError) and "script" in reason:
            todo = "it is a loading script, which `datasets` no longer runs: get its files by hand"
        elif isinstance(error, ConnectionError):
            todo = "there is no network, or the Hub is down: put a local copy under VENIRE_DATA"
        else:
            todo = "check id, config, split and revision, or put a local copy under VENIRE_DATA"
        revision = self.revision or "none pinned"
        return DataError(
            f"{self.source} (revision: {revision}): expected a readable data set, got: {reason}; {todo}"
        )
