from dataclasses import replace

import pytest

from venire.errors import RunError
from venire.records import (
    Order,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Unscored,
    Vote,
    Winner,
)
from venire.runs import OutcomeRow, read_judged, read_outcomes, write_run


def test_rows_come_back_as_they_were_judged(tmp_path, record, instances, outcomes):
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)
    assert read_outcomes(tmp_path) == (
        OutcomeRow(
            "a/1",
            "Natural",
            "p",
            PreferenceGold(Winner.FIRST, {Winner.FIRST: 3, Winner.TIE: 1}),
            Preference(Winner.FIRST, 0.75),
            {Order.AS_GIVEN: Preference(Winner.FIRST, 0.9), Order.SWAPPED: Preference(Winner.TIE)},
        ),
        OutcomeRow(
            "a/2",
            "Natural",
            "",
            None,
            Unscored(Reason.UNPARSED, "no JSON"),
            {Order.AS_GIVEN: Unscored(Reason.REFUSED)},
        ),
        OutcomeRow(
            "b/1", "", "", RatingsGold({"fluency": 3.5}, {"ann": {"fluency": 3.0}}), Ratings({"fluency": 4.0})
        ),
        OutcomeRow("b/2", "", "", None, Unscored(Reason.NOT_RUN)),
    )


def test_outcomes_come_back_with_votes_and_detail_but_without_calls(tmp_path, record, instances, outcomes):
    rated = Vote("gpt_4o", None, Ratings({"fluency": 4.0}))
    failed = Vote("gpt_4o", Order.SWAPPED, Unscored(Reason.TRUNCATED, "cut"))
    first, second, third = outcomes
    judged = (first, replace(second, votes=(failed,)), replace(third, votes=(rated,)))
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=judged)
    back = read_judged(tmp_path)
    # NaN in the detail is written as null.
    expected = [replace(each, calls=()) for each in judged]
    expected[0] = replace(expected[0], detail={"tie_break": None, "score": None})
    assert list(back[:3]) == expected
    assert back[3].prediction == Unscored(Reason.NOT_RUN)


def test_the_table_can_be_read_without_venire(tmp_path, record, instances, outcomes):
    import pyarrow.parquet as pq

    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)
    rows = pq.read_table(tmp_path / "outcomes.parquet").to_pylist()
    first = rows[0]
    assert (first["gold"], first["prediction_winner"], first["swapped_winner"]) == (
        "response_1",
        "response_1",
        "tie",
    )
    assert first["detail"] == '{"score": null, "tie_break": null}'
    assert '"rationale": "because"' in first["votes"]
    # two calls of which one has no known cost: a lower bound that says so
    assert (first["calls"], first["cost_usd"], first["cost_complete"]) == (2, 0.25, False)
    # no call costs nothing; a call of unknown cost is no 0
    assert [row["cost_usd"] for row in rows[1:]] == [0.0, None, 0.0]


def test_an_outcome_of_no_instance_is_refused(tmp_path, record, instances, outcomes):
    with pytest.raises(RunError, match="strays: a/1"):
        write_run(tmp_path, record, config_yaml="", instances=instances[1:], outcomes=outcomes)


def test_two_outcomes_of_one_instance_are_refused(tmp_path, record, instances, outcomes):
    with pytest.raises(RunError, match="doubles"):
        write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=(*outcomes, outcomes[0]))


def test_missing_or_foreign_outcomes_name_their_file(tmp_path):
    with pytest.raises(RunError, match="no such file"):
        read_outcomes(tmp_path)
    (tmp_path / "outcomes.parquet").write_bytes(b"not parquet")
    with pytest.raises(RunError, match=r"outcomes\.parquet: not the outcomes"):
        read_outcomes(tmp_path)


def test_no_instance_gives_no_row(tmp_path, record):
    write_run(tmp_path, replace(record, metrics={}), config_yaml="", instances=(), outcomes=())
    assert read_outcomes(tmp_path) == ()
