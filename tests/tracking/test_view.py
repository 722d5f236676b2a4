import json

from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.upload import upload_run
from venire.tracking.view import VIEW_TAG, Shown, metrics_shown, params_shown, prepare_view, view_tag


def test_params_that_vary_come_first_and_a_parent_without_any_does_not_count():
    runs = [
        Shown({"a": "1", "dataset": "sample", "judge": "x", "z": "same"}, {}),
        Shown({"a": "2", "dataset": "sample", "judge": "y", "z": "same"}, {}),
        Shown({}, {}),
    ]
    assert params_shown(runs) == ("judge", "a", "dataset")


def test_a_param_that_only_some_runs_have_varies():
    assert params_shown([Shown({"a": "1", "b": "1"}, {}), Shown({"a": "1"}, {})]) == ("b",)


def test_at_most_five_params_are_shown():
    runs = [Shown({f"p{i}": str(run) for i in range(9)}, {}) for run in range(2)]
    assert params_shown(runs) == ("p0", "p1", "p2", "p3", "p4")
    assert params_shown([]) == ()


def test_accuracy_kappa_calls_and_cost_are_shown_in_any_case_and_others_where_runs_have_them():
    always = ("accuracy", "kappa", "calls/paid", "cost_usd/total")
    assert metrics_shown([]) == always
    assert metrics_shown([Shown({}, {"coverage": 1.0, "n": 3.0})]) == (*always, "coverage")


def test_runs_on_ratings_show_correlations_in_their_place():
    rated = {"spearman/mean": 0.3, "abs_spearman/mean": 0.4, "coverage": 1.0, "pearson/mean": 0.2, "n": 3.0}
    lead = ("spearman/mean", "abs_spearman/mean", "calls/paid", "cost_usd/total")
    assert metrics_shown([Shown({}, rated)]) == (*lead, "coverage", "pearson/mean")
    both = metrics_shown([Shown({}, rated), Shown({}, {"accuracy": 0.5, "kappa": 0.1})])
    assert both[:4] == ("accuracy", "spearman/mean", "calls/paid", "cost_usd/total")
    assert both[4:] == ("kappa", "abs_spearman/mean", "coverage")


def test_two_params_stand_before_the_four_metrics_and_the_rest_behind():
    metrics = ("accuracy", "kappa", "calls/paid", "cost_usd/total", "coverage")
    tag = json.loads(view_tag({"a": "a", "b": "x" * 99, "c": "c"}, metrics, now=2.0))
    state = json.loads(tag["state"])
    assert (tag["name"], tag["createdAt"]) == ("venire", 2000)
    assert state["selectedColumns"] == [
        "params.`a`",
        "params.`b`",
        "metrics.`accuracy`",
        "metrics.`kappa`",
        "metrics.`calls/paid`",
        "metrics.`cost_usd/total`",
        "params.`c`",
        "metrics.`coverage`",
    ]
    assert (state["columnWidths"]["params.`a`"], state["columnWidths"]["params.`b`"]) == (64, 80)


def test_the_view_is_saved_with_the_experiment(home, put):
    upload_run(TrackingSettings(), put("r1"), home=home)
    with opened(TrackingSettings(), home) as store:
        path = prepare_view(store, now=1.0)
        tags = store.client.get_experiment(store.experiment_id).tags
    assert path == f"/#/experiments/{store.experiment_id}/runs?viewStateShareKey=venire"
    columns = json.loads(json.loads(tags[VIEW_TAG])["state"])["selectedColumns"]
    assert columns[:3] == ["params.`method`", "params.`dataset`", "metrics.`accuracy`"]
