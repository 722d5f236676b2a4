"""From a grid on the bundled sample to a run on what was chosen."""

from pathlib import Path

import yaml
from tests.integration.command import UNTRACKED, Venire

RUN = ("method=juryflow", "panel=mixed", "backend=simulated", "dataset.limit=1", "metrics.draws=0")


def test_a_grid_is_selected_from_and_its_choice_runs(tmp_path: Path) -> None:
    venire = Venire(tmp_path / "home")
    grid = ("-m", *RUN, "sweep.plots=false", UNTRACKED)
    swept = venire("run", *grid, "method.focal.threshold=0.97,0.5")
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
    single = venire.finished(*RUN, search, "selected=selected")
    params = single.record["params"]
    assert isinstance(params, dict)
    assert params["method.focal.threshold"] == str(threshold)
    assert params["panel.strongest"] == chosen["selected"]["strongest"]["mixed"]


def test_a_sweep_that_is_none_is_answered_with_those_there_are(tmp_path: Path) -> None:
    venire = Venire(tmp_path / "home")
    ran = venire("select", "no_such")
    assert ran.status == 1
    assert "no_such" in ran.err
    assert "Traceback" not in ran.err
