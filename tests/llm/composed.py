"""Judges and panels of conf/, composed and built."""

from functools import cache

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from venire.build import build
from venire.config import config_dir
from venire.judging.judge import PromptedJudge

NAMES = sorted(path.stem for path in (config_dir() / "judge").glob("*.yaml") if path.stem != "recorded")
PRICED = [name for name in NAMES if name != "openai_compatible"]
LITELLM = [name for name in PRICED if name != "local"]


def composed(node: str, *overrides: str) -> object:
    """The built value of a node of the configuration."""
    with initialize_config_dir(str(config_dir()), version_base=None):
        cfg = compose("config", overrides=list(overrides))
    return build(OmegaConf.to_container(cfg[node], resolve=True, throw_on_missing=True), node)


@cache
def judge_of(name: str) -> PromptedJudge:
    """The judge of conf/judge/`name`.yaml."""
    needed = {"openai_compatible": ("judge.model=m", "judge.api_base=http://127.0.0.1:8000/v1")}
    judge = composed("judge", f"judge={name}", *needed.get(name, ()))
    assert isinstance(judge, PromptedJudge)
    return judge
