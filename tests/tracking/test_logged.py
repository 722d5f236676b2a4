import math
from dataclasses import replace

from venire.records import BackendKind, RunRecord, RunStatus
from venire.tracking.logged import (
    allowed_name,
    batches,
    data_of,
    description_of,
    metrics_of,
    shortened,
    tags_of,
)

RECORD = RunRecord("r1", "n", RunStatus.FINISHED, BackendKind.RECORDED, 0.0, 1.0)


def test_a_bare_run_has_few_tags_and_none_is_empty():
    assert tags_of(RECORD) == {
        "venire.kind": "recorded",
        "venire.status": "finished",
        "venire.run_id": "r1",
        "mlflow.note.content": "`venire run`\n\nReplies: **recorded**. Status: **finished**.",
        "mlflow.source.name": "venire",
        "mlflow.source.type": "LOCAL",
        "mlflow.runType": "evaluation",
    }


def test_a_commit_is_shown_where_it_is_known():
    assert tags_of(replace(RECORD, tags={"git_commit": "abc"}))["mlflow.source.git.commit"] == "abc"
    assert "mlflow.source.git.commit" not in tags_of(replace(RECORD, tags={"git_commit": "unknown"}))


def test_what_is_null_in_the_summary_is_nan_in_mlflow():
    metrics = metrics_of(replace(RECORD, metrics={"a": math.inf, "b": 1.0}))
    assert math.isnan(metrics["a"])
    assert metrics["b"] == 1.0


def test_a_note_with_a_bar_does_not_break_its_table():
    text = description_of(replace(RECORD, notes={"kappa": "a|b\nc"}, error="budget reached"))
    assert text.endswith("budget reached\n\n| metric | note |\n|---|---|\n| kappa | a\\|b c |")


def test_data_without_a_fingerprint_is_not_logged():
    assert data_of(RECORD) is None


def test_names_and_values_fit():
    assert allowed_name("a@b^c d/e-f.g:h") == "a_b_c d/e-f.g:h"
    assert len(allowed_name("x" * 300)) == 250
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abc..."


def test_an_usual_run_is_one_batch_and_nothing_is_none():
    (batch,) = batches({"a": 1.0}, {"p": "1"}, {"t": "1"})
    assert (batch.metrics, batch.params, batch.tags) == ({"a": 1.0}, {"p": "1"}, {"t": "1"})
    assert list(batches({}, {}, {})) == []


def test_batches_keep_to_the_limits():
    made = list(batches({f"m{i}": 0.0 for i in range(801)}, {}, {f"t{i}": "" for i in range(250)}))
    assert [(len(b.metrics), len(b.params), len(b.tags)) for b in made] == [
        (800, 0, 100),
        (1, 0, 100),
        (0, 0, 50),
    ]
