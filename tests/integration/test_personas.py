"""`venire personas` as a user types it, with simulated replies; and a run with what it built."""

from pathlib import Path

from tests.integration.command import UNTRACKED, Venire
from tests.personas.making import DOCUMENTS

TASK = "Judging a short machine-written summary of several medical trials."
BUILD = ("personas", "build", "--documents", str(DOCUMENTS), "--task", TASK, "backend=simulated")


def test_a_set_is_built_once_replayed_to_the_byte_and_found_by_a_run(venire: Venire) -> None:
    out = venire.home / "config" / "persona" / "medical.yaml"
    built = venire(*BUILD, "--out", str(out))
    assert built.status == 0, built.err
    assert built.last_line == str(out)
    assert "grounding: " in built.out
    text = out.read_text(encoding="utf-8")
    assert "SIMULATED" in text.splitlines()[0]
    assert "origin: simulated" in text

    again = venire.home / "config" / "persona" / "again.yaml"
    replayed = venire(*BUILD, "--out", str(again), "llm=replay")
    assert replayed.status == 0, replayed.err
    assert "0 calls paid" in replayed.out
    assert again.read_text(encoding="utf-8").replace("again", "medical") == text

    shown = venire("run", "method=length", "persona=medical", "--cfg", "job")
    assert "\n  name: medical\n" in shown.out


def test_a_run_with_its_own_built_personas_says_whose_they_are(venire: Venire, data_root: Path) -> None:
    out = venire.home / "config" / "persona" / "medical.yaml"
    assert venire(*BUILD, "--out", str(out)).status == 0
    ran = venire.run(
        *("dataset=mslr", f"data_root={data_root}", "dataset.limit=2", "method=maj_eval", "persona=medical"),
        *("persona.level=simple", "backend=simulated", UNTRACKED),
    )
    assert ran.status == 0, ran.out + ran.err
    params = ran.record["params"]
    assert isinstance(params, dict)
    assert (params["persona"], params["persona.level"]) == ("medical", "simple")
    assert params["persona.origin"] == "simulated"
