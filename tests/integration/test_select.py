"""From a grid on the bundled sample to a run on what was chosen."""

import json
from pathlib import Path

import yaml
from tests.integration.command import UNTRACKED, Venire

GRID = ("-m", "method=juryflow", "panel=mixed", "backend=simulated", "dataset.limit=4", UNTRACKED)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")


def test_a_grid_is_selected_from_and_its_choice_runs(tmp_path: Path) -> None:
    venire = Venire(tmp_path / "home")
    swept = venire("run", *GRID, "method.focal.threshold=0.97,0.5")
    assert swept.status == 0, swept.err
    ran = venire("select", Path(swept.last_line).parent.name[:6])
    assert ran.status == 0, ran.err
    path = Path(ran.last_line)
    assert path == venire.home / "config" / "selected" / "selected.yaml"
    assert path.with_suffix(".md").is_file()
    chosen = yaml.safe_load(path.read_text(encoding="utf-8"))
    threshold = chosen["method"]["focal"]["threshold"]
    assert threshold in (0.97, 0.5)
    search = f"hydra.searchpath=[file://{venire.home / 'config'}]"
    single = venire.finished(*GRID[1:-1], search, "selected=selected")
    params = single.record["params"]
    assert isinstance(params, dict)
    assert params["method.focal.threshold"] == str(threshold)
    assert params["panel.strongest"] == chosen["selected"]["strongest"]["mixed"]


def test_one_file_serves_the_baselines_and_other_panels(tmp_path: Path) -> None:
    venire = Venire(tmp_path / "home")
    write(
        venire.home / "config" / "selected" / "mine.yaml",
        "# @package _global_\n"
        "method:\n  focal:\n    threshold: 0.2\n  reduction: strict\n"
        "selected:\n  strongest:\n    mixed: qwen2_5_72b\n",
    )
    axes = ("dataset=sample", "seed=0", "method=majority,juryflow", "panel=mixed,multi_persona")
    chosen = ("experiment=juryflow/table2", "selected=mine", "backend=simulated", "dataset.limit=1")
    swept = venire("run", "-m", *chosen, *axes, UNTRACKED)
    assert swept.status == 0, swept.err
    jobs = json.loads(Path(swept.last_line).read_text(encoding="utf-8"))["jobs"]
    params = [json.loads((Path(job["folder"]) / "run.json").read_text())["params"] for job in jobs]
    # What the method has is taken; who is strongest is measured for a panel, or named in its file.
    shown = [
        (
            each["method"],
            each.get("method.focal.threshold"),
            each["method.reduction"],
            each["panel.strongest"],
        )
        for each in params
    ]
    assert shown == [
        ("majority", None, "strict", "qwen2_5_72b"),
        ("majority", None, "strict", "gpt_4o_fact_checker"),
        ("juryflow", "0.2", "strict", "qwen2_5_72b"),
        ("juryflow", "0.2", "strict", "gpt_4o_fact_checker"),
    ]
    assert (
        swept.err.count("no run measured the judges of panel=multi_persona: its strongest is gpt_4o_fact")
        == 2
    )


def test_a_sweep_that_is_none_is_answered_with_those_there_are(tmp_path: Path) -> None:
    venire = Venire(tmp_path / "home")
    ran = venire("select", "no_such")
    assert ran.status == 1
    assert "no_such" in ran.err
    assert "Traceback" not in ran.err
