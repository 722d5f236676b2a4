"""What of the command line is an override, and what names a run."""

import pytest

from venire.commands.overrides import is_override


@pytest.mark.parametrize(
    "word",
    [
        "judge=gpt_4o",
        "judge.model=GPT-4,Falcon",
        "+probe@method.probes.verbose_rewrite=verbose_rewrite",
        "~criteria.members.clarity",
        "hydra/launcher=joblib",
        "dataset@development.dataset=x",
        "dataset.subsets=[Natural,Adversarial/Manual]",
    ],
)
def test_a_key_and_its_value_is_an_override(word: str) -> None:
    assert is_override(word)


@pytest.mark.parametrize(
    "word",
    [
        "20261130-215920-048-pairwise-gpt_4o-sample-limit=6-level=0.5-55fa28a7",
        "results/local/runs/20261130-215920-048-pairwise-gpt_4o-sample-limit=6-55fa28a7",
        "/home/me/runs/20261130-215920-048-pairwise-gpt_4o-sample-limit=6-55fa28a7",
        "./20261130-215920-048-pairwise-limit=6",
        "20261130-215920",
        "9f0c2a41d2",
        "/home/runs/20261130-a=b",
    ],
)
def test_a_run_is_none_though_its_id_holds_settings(word: str) -> None:
    assert not is_override(word)
