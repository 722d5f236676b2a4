"""The store's settings, and the configuration files that make them."""

from pathlib import Path

import pytest
import yaml

from venire.errors import ConfigError
from venire.llm.settings import LLMSettings, Mode

CONF = Path(__file__).parents[2] / "conf" / "llm"


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_has_a_file_that_builds_it(mode: Mode) -> None:
    fields = yaml.safe_load((CONF / f"{mode}.yaml").read_text())
    assert fields.pop("_target_") == "venire.llm.settings.LLMSettings"
    assert LLMSettings(**fields) == LLMSettings(mode)


def test_the_store_is_under_home_unless_named(tmp_path: Path) -> None:
    assert LLMSettings().url(tmp_path) == f"sqlite:///{tmp_path}/calls.db"
    named = LLMSettings(store="postgresql+psycopg://host/db")
    assert named.url(tmp_path) == "postgresql+psycopg://host/db"


def test_a_path_is_no_url_and_a_typo_is_no_mode() -> None:
    with pytest.raises(ConfigError, match=r"llm\.store: expected a URL"):
        LLMSettings(store="/tmp/calls.db")
    with pytest.raises(ConfigError, match=r"llm\.mode: expected live, replay, refresh, got 'reply'"):
        LLMSettings(mode="reply")  # type: ignore[arg-type]
