import re
from dataclasses import replace

import pytest
from tests.test_console import call
from tests.test_launch import LIVE, SIMULATED, experiment, loaded

from venire.methods.pairwise import Pairwise
from venire.provenance import git_state, hashes_of, returned_models, tags_of
from venire.records import BackendKind, Outcome, Preference, Winner


def outcome(*models: tuple[str, str | None]) -> Outcome:
    made = call(BackendKind.LIVE, 0.0)
    calls = tuple(replace(made, model_returned=model, fingerprint=mark) for model, mark in models)
    return Outcome("set/1", Preference(Winner.FIRST), calls=calls)


def test_every_model_and_fingerprint_that_answered_is_told_once_in_order() -> None:
    outcomes = [outcome(("gpt-4o-b", "fp_2"), ("gpt-4o-a", None)), outcome(("gpt-4o-b", "fp_1"))]
    assert returned_models(outcomes) == {
        "models_returned": "gpt-4o-a, gpt-4o-b",
        "fingerprints": "fp_1, fp_2",
        "answered": '{"m": "gpt-4o-a, gpt-4o-b (fp_1, fp_2)"}',
    }


def test_without_an_answer_there_is_nothing_to_tell() -> None:
    assert returned_models([]) == {}
    assert returned_models([outcome(("", None))]) == {}


def test_tags_tell_data_prompts_models_and_versions() -> None:
    made = experiment(Pairwise(judged_by=LIVE), loaded=replace(loaded(), revision="rev-1"))
    tags = tags_of(made)
    assert (tags["kind"], tags["data_source"], tags["data_revision"]) == ("live", "here", "rev-1")
    assert tags["models_asked"] == "openai/gpt-4o"
    assert re.fullmatch(r"[0-9a-f]{8,64}", tags["prompt.pairwise"])
    assert {"version.venire", "version.mlflow", "python", "git_commit", "git_dirty"} <= tags.keys()


def test_a_method_without_a_model_asks_none_and_has_no_prompt() -> None:
    tags = tags_of(experiment())
    assert "models_asked" not in tags
    assert not [tag for tag in tags if tag.startswith("prompt.")]


def test_the_state_of_the_checkout_is_a_commit_or_unknown() -> None:
    state = git_state()
    assert re.fullmatch(r"[0-9a-f]{40}|unknown", state["git_commit"])
    assert state["git_dirty"] in ("true", "false", "unknown")


@pytest.mark.parametrize("tag", ["config_hash", "arm_hash", "job_hash"])
def test_equal_experiments_have_equal_hashes(tag: str) -> None:
    one, two = (hashes_of(experiment(Pairwise(judged_by=SIMULATED))) for _ in range(2))
    assert one[tag] == two[tag]


def test_another_data_set_is_another_job_of_the_same_arm() -> None:
    one = experiment(Pairwise(judged_by=SIMULATED))
    fewer = replace(one, loaded=loaded(one.loaded.instances[:3]))
    assert hashes_of(one)["arm_hash"] == hashes_of(fewer)["arm_hash"]
    assert hashes_of(one)["job_hash"] != hashes_of(fewer)["job_hash"]
