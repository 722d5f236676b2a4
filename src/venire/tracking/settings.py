"""Where runs are tracked."""

from dataclasses import dataclass
from pathlib import Path

from venire.errors import ConfigError


@dataclass(frozen=True, slots=True)
class TrackingSettings:
    """Settings of MLflow.

    Args:
        enabled: whether runs are uploaded at all; run folders are written either way.
        uri: a server (`https://...`) or a database (`sqlite:////...`, `postgresql://...`); None is
            `mlflow.db` in `VENIRE_HOME`.
        experiment: the MLflow experiment that runs go to.
        artifact_root: where artifacts of a database go; None is `mlartifacts` in `VENIRE_HOME`. A
            server decides for itself.
    """

    enabled: bool = True
    uri: str | None = None
    experiment: str = "venire"
    artifact_root: str | None = None

    def __post_init__(self) -> None:
        if not self.experiment.strip():
            raise ConfigError("tracking.experiment: expected a name, got an empty text")
        if self.uri is not None and "://" not in self.uri:
            raise ConfigError(
                f"tracking.uri: expected http(s)://, sqlite:///, postgresql:// or the like, got {self.uri!r}"
            )

    @property
    def is_server(self) -> bool:
        """Whether an MLflow server is spoken to, not a database."""
        return self.uri is not None and self.uri.startswith(("http://", "https://", "databricks"))

    def store_uri(self, home: Path) -> str:
        """`uri`, or the database in `home`: absolute, whatever the working directory."""
        return self.uri or f"sqlite:///{home.resolve() / 'mlflow.db'}"

    def artifacts_uri(self, home: Path) -> str | None:
        """The root that new experiments get; None where the server decides."""
        if self.is_server:
            return None
        root = self.artifact_root or str(home.resolve() / "mlartifacts")
        return root if "://" in root else Path(root).resolve().as_uri()
