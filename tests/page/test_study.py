import json
from dataclasses import replace

import pytest

from venire.errors import ConfigError, DataError
from venire.page.study import Study, find_study, keep_study, list_studies, study_folder

STUDY = Study(
    name="pilot",
    overrides=("dataset=mslr", "seed=3"),
    config_dir=None,
    dataset="mslr",
    fingerprint="f" * 64,
    items=102,
    seed=3,
    rubric="accuracy",
    annotators=("ann", "bob"),
    created_at="2026-11-30T09:00:00+00:00",
)


def test_a_study_is_found_again_as_it_was(tmp_path):
    assert find_study(tmp_path, "pilot") is None
    assert list_studies(tmp_path) == []
    keep_study(tmp_path, STUDY)
    assert find_study(tmp_path, "pilot") == STUDY
    assert list_studies(tmp_path) == [study_folder(tmp_path, "pilot")]


def test_going_on_changes_nothing_and_other_data_or_another_seed_are_another_study(tmp_path):
    keep_study(tmp_path, STUDY)
    keep_study(
        tmp_path,
        replace(STUDY, created_at="later", overrides=("dataset=mslr", "seed=3", "dataset.limit=null")),
    )
    assert find_study(tmp_path, "pilot") == STUDY
    with pytest.raises(ConfigError, match=r"--study: pilot began with rubric accuracy of mslr, got None"):
        keep_study(tmp_path, replace(STUDY, rubric=None))
    with pytest.raises(ConfigError, match=r"--study: pilot began with seed 3 of mslr, got 4 of mslr"):
        keep_study(tmp_path, replace(STUDY, seed=4))
    with pytest.raises(
        ConfigError, match=r"began with fingerprint ffffffffffff of mslr, got 000000000000 of llmbar"
    ):
        keep_study(tmp_path, replace(STUDY, fingerprint="0" * 64, dataset="llmbar"))


@pytest.mark.parametrize("text", ["{", "[]", "{}", json.dumps({"name": "pilot", "overrides": 3})])
def test_a_damaged_study_is_named(text, tmp_path):
    keep_study(tmp_path, STUDY)
    (study_folder(tmp_path, "pilot") / "study.json").write_text(text)
    with pytest.raises(DataError, match=r"study\.json: expected a study"):
        find_study(tmp_path, "pilot")
