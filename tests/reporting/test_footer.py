"""What tables say under them of runs that lack verdicts."""

from venire.reporting.footer import cautions, missing

BOUNDS = {"coverage": 0.9, "accuracy/worst": 0.7, "accuracy/best": 0.8}


def test_a_run_that_lacks_verdicts_has_its_coverage_and_bounds_told(make_record) -> None:
    records = [make_record("whole"), make_record("part", metrics=BOUNDS)]
    (sentence,) = missing(records)
    assert sentence.endswith("right: part: coverage 0.900, accuracy [0.700, 0.800].")
    assert sentence in cautions(records)


def test_where_nothing_is_missing_nothing_is_told(make_record) -> None:
    assert list(missing([make_record("whole")])) == []


def test_a_long_list_is_cut_and_says_so(make_record) -> None:
    records = [make_record(f"run {number}", metrics=BOUNDS) for number in range(10)]
    (sentence,) = missing(records)
    assert "run 7:" in sentence
    assert "run 8:" not in sentence
    assert sentence.endswith("; and 2 more.")


def test_of_runs_on_ratings_each_dimension_has_its_bounds(make_record) -> None:
    metrics = {
        "coverage": 0.5,
        "n/fluency": 10.0,
        "spearman/fluency/worst": -0.2,
        "spearman/fluency/best": 0.6,
    }
    (sentence,) = missing([make_record("rated", metrics=metrics)])
    assert sentence.endswith("rated: coverage 0.500, rho fluency [-0.200, 0.600].")
