"""`venire variance`, through the command line, on runs whose components are worked by hand."""

import csv
from pathlib import Path

import pytest

from venire.cli import main
from venire.records import (
    BackendKind,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Response,
    RunRecord,
    RunStatus,
    Winner,
)
from venire.runs import write_run

# By item: verdicts as given, then swapped, of seeds 0 and 1; 1 is right.
ITEMS = ("11 11", "10 00", "00 00", "11 10")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run a seed of one arm."""
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    pair = (Response("x"), Response("y"))
    instances = [
        Instance(f"i{i}", f"Q{i}", pair, gold=PreferenceGold(Winner.FIRST)) for i in range(len(ITEMS))
    ]
    for seed in (0, 1):
        outcomes = []
        for instance, text in zip(instances, ITEMS, strict=True):
            said = {
                order: Preference(Winner.FIRST if cell[seed] == "1" else Winner.SECOND, None)
                for order, cell in zip(Order, text.split(), strict=True)
            }
            outcomes.append(Outcome(instance.id, said[Order.AS_GIVEN], said, ()))
        record = RunRecord(
            run_id=f"r{seed}", name="an arm", status=RunStatus.FINISHED, kind=BackendKind.SIMULATED,
            started_at=1.0, ended_at=2.0, metrics={"n": 4.0, "accuracy": 0.5}, params={"seed": str(seed)},
            tags={"arm_hash": "a", "replicate": "per_seed"},
        )  # fmt: skip
        write_run(
            tmp_path / "runs" / f"r{seed}",
            record,
            config_yaml="seed: 0\n",
            instances=instances,
            outcomes=outcomes,
        )
    return tmp_path


def test_it_prints_where_the_accuracies_of_a_sweep_vary(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["variance", "all", "--format", "csv"]) == 0
    out = capsys.readouterr().out
    (row,) = [each for each in csv.DictReader(out.splitlines()) if not each["run"].startswith("#")]
    assert (row["n"], row["orders"], row["seeds"]) == ("4", "2", "2")
    expected = {
        "accuracy": 0.5,
        # Items' means 1, .25, 0, .75: variance .625 / 3, standard error sqrt(.625 / 3 / 4)
        "SE over items": 0.228218,
        # .625 as given, .375 swapped
        "as given less swapped": 0.25,
        # Two cells of eight hold a right and a wrong verdict, .5 each: 1 / 8
        "sd, asking again": 0.353553,
        # 5 of 8 and 3 of 8 right: .25 / sqrt(2)
        "sd over seeds": 0.176777,
    }
    assert {name: float(row[name]) for name in expected} == pytest.approx(expected, abs=1e-6)
    assert "SIMULATED" in out


def test_what_is_no_sweep_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variance", "nonsense"]) == 1
    assert "got 'nonsense'" in capsys.readouterr().err
