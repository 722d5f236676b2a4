from pathlib import Path

import pytest

from venire.errors import ConfigError
from venire.tracking.settings import TrackingSettings


def test_the_default_store_is_absolute_where_the_home_is_relative():
    here = Path.cwd()
    settings = TrackingSettings()
    assert settings.store_uri(Path("home")) == f"sqlite:///{here}/home/mlflow.db"
    assert settings.artifacts_uri(Path("home dir")) == f"{here.as_uri()}/home%20dir/mlartifacts"
    assert not settings.is_server


def test_a_server_decides_where_artifacts_go():
    settings = TrackingSettings(uri="https://mlflow.example.org")
    assert settings.is_server
    assert settings.store_uri(Path("home")) == "https://mlflow.example.org"
    assert settings.artifacts_uri(Path("home")) is None


def test_a_database_of_ones_own_keeps_the_artifacts_at_hand_unless_told(tmp_path):
    settings = TrackingSettings(uri="postgresql://db/mlflow")
    assert settings.artifacts_uri(tmp_path) == f"file://{tmp_path}/mlartifacts"
    assert TrackingSettings(artifact_root="s3://bucket/x").artifacts_uri(tmp_path) == "s3://bucket/x"
    assert TrackingSettings(artifact_root="/srv/art").artifacts_uri(tmp_path) == "file:///srv/art"


@pytest.mark.parametrize(
    ("setting", "value"), [("uri", "./mlruns"), ("uri", ""), ("experiment", ""), ("experiment", " ")]
)
def test_what_cannot_be_is_refused_by_name(setting, value):
    with pytest.raises(ConfigError, match=f"tracking.{setting}: expected"):
        TrackingSettings(**{setting: value})
