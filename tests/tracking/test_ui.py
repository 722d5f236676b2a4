import json
import math
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.chromium import QUIET, chromium_path

from venire.errors import TrackingError
from venire.reporting.figure import Captions
from venire.reporting.forest import Line, forest
from venire.reporting.table import Estimate, Format, Table
from venire.runs import RUN_FILES
from venire.sweep import write_table
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.sweep_run import SweepPlan, upload_sweep
from venire.tracking.ui import free_port, running_ui, serve_ui
from venire.tracking.upload import upload_run

SETTINGS = TrackingSettings()
# Column headers whose middle is seen: neither scrolled out of the table nor under another element.
SEEN_HEADERS = """() => [...document.querySelectorAll('[role=columnheader][col-id]')].filter(cell => {
    const box = cell.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.width > 0 && cell.contains(top);
}).map(cell => cell.innerText.trim())"""
COLUMN = """column => [...document.querySelectorAll('[role=gridcell]')]
    .filter(cell => cell.getAttribute('col-id') === column).map(cell => cell.innerText.trim())"""
PLOTS = tuple(f"plot_forest.{ending}" for ending in ("svg", "pdf", "png"))
BLANK = 20_000  # bytes that a screenshot of an empty page does not reach
SERVE = """
import sys
from pathlib import Path
from venire.tracking.settings import TrackingSettings
from venire.tracking.ui import serve_ui
serve_ui(Path(sys.argv[1]), TrackingSettings(), port=int(sys.argv[2]), open_browser=False)
"""


@pytest.fixture(scope="module")
def chromium() -> str:
    return chromium_path()


def test_a_busy_port_is_passed_over():
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert port < free_port(port) < port + 100


def test_a_server_that_does_not_start_says_why_and_leaves_nothing_behind(home):
    # no such database driver: our own check of the store is skipped by going to the server alone
    settings = TrackingSettings(uri="sqlite+nosuchdriver:///x.db")
    with pytest.raises(TrackingError, match="nosuchdriver"), running_ui(home, settings):
        pass


def test_with_a_server_of_ones_own_none_is_started(home, free_port):
    settings = TrackingSettings(uri=f"http://127.0.0.1:{free_port}")
    with pytest.raises(TrackingError, match=str(free_port)):
        serve_ui(home, settings, open_browser=False)
    assert not (home / "mlflow-ui.log").exists()


def compared(text: str) -> dict[str, list[str]]:
    """The metrics of the compare view's page: their names stand first, then the values row by row."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    start = len(lines) - lines[::-1].index("Metrics") + 1  # after "Show diff only"
    count = next(place for place, line in enumerate(lines[start:]) if line[0].isdigit())
    names, values = lines[start : start + count], lines[start + count :]
    width = 3
    return {name: values[place * width : (place + 1) * width] for place, name in enumerate(names)}


@pytest.mark.slow
def test_the_ui_opens_on_names_metrics_and_cost_and_compares_a_sweeps_children(home, put, chromium, tmp_path):
    from playwright.sync_api import sync_playwright

    table = Table("sweep", ("run", "accuracy"), (("cell of the table", Estimate(0.625)),))
    kept = home / "sweeps" / "sample-1a2b"
    kept.mkdir(parents=True)
    write_table(kept, table)
    forest([Line("an arm", 0.1)], Captions("a sweep", "", ""), kept / "plot_forest")
    files = tuple(sorted(path.name for path in kept.iterdir()))
    children = []
    for number, accuracy in enumerate((0.625, 0.75, 0.875)):
        folder = put(
            f"r{number}",
            name=f"temperature {number}",
            sweep_id="sample-1a2b",
            params={"method": "pairwise", "dataset": "sample", "judge.temperature": f"0.{number}1"},
            metrics={
                "accuracy": accuracy,
                "kappa": 0.375,
                "calls/paid": 48.0 + number,
                "cost_usd/total": 0.0123,
            },
        )
        children.append(upload_run(SETTINGS, folder, home=home))
    plan = SweepPlan(table.render(Format.MARKDOWN), files, ok=True)
    parent = upload_sweep(SETTINGS, "sample-1a2b", plan, home=home, started_at=999.0)

    with running_ui(home, SETTINGS) as ui, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        # 1440 x 800: a small laptop, with MLflow's side panels open as they are at the first visit
        page = browser.new_page(viewport={"width": 1440, "height": 800})
        page.goto(ui.url)
        # the parent is open: its children are seen without a click
        for text in ("sample-1a2b", "temperature 0", "temperature 1", "temperature 2"):
            page.get_by_role("link", name=text).wait_for(timeout=60_000)
        seen = page.evaluate(SEEN_HEADERS)
        chosen = {"judge.temperature", "method", "accuracy", "kappa", "calls/paid", "cost_usd/total"}
        assert chosen <= set(seen), seen
        # the parent's row has none
        assert sorted(page.evaluate(COLUMN, "metrics.`accuracy`")) == ["-", "0.625", "0.75", "0.875"]
        assert sorted(page.evaluate(COLUMN, "metrics.`calls/paid`")) == ["-", "48", "49", "50"]
        assert sorted(page.evaluate(COLUMN, "params.`judge.temperature`")) == ["-", "0.01", "0.11", "0.21"]

        page.goto(ui.url.partition("?")[0] + f"/{parent}")
        page.get_by_text("cell of the table").wait_for(timeout=60_000)

        # the sweep's run carries the table in every form, and the plots
        page.goto(ui.url.partition("?")[0] + f"/{parent}/artifacts")
        for name in ("table.md", "table.csv", "table.tex", "table.html", *PLOTS):
            page.get_by_text(name, exact=True).first.wait_for(timeout=60_000)

        # the compare view that *Compare* opens, of the sweep's children
        experiment = ui.url.partition("/experiments/")[2].partition("/")[0]
        query = f"runs={json.dumps(children)}&experiments={json.dumps([experiment])}".replace(" ", "")
        page.goto(f"{ui.url.partition('#')[0]}#/compare-runs?{query}")
        page.get_by_text("Comparing 3 Runs from 1 Experiment").wait_for(timeout=60_000)
        page.get_by_text("Run details").wait_for(timeout=60_000)
        page.get_by_text("cost_usd/total", exact=True).wait_for(timeout=60_000)
        shot = page.screenshot(path=tmp_path / "compare.png", full_page=True)
        assert len(shot) > BLANK
        text = page.inner_text("body")
        assert compared(text) == {
            "accuracy": ["0.625", "0.75", "0.875"],
            "calls/paid": ["48", "49", "50"],
            "cost_usd/total": ["0.012"] * 3,  # as MLflow rounds it here
            "kappa": ["0.375"] * 3,
        }
        assert ["judge.temperature", "0.01", "0.11", "0.21"] in [line.split() for line in text.splitlines()]
        assert all(f"temperature {number}" in text for number in range(3))
        browser.close()


@pytest.mark.slow
def test_the_ui_and_its_server_end_together_when_asked_to(home, free_port):
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", SERVE, str(home), str(free_port)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline()
    base = f"http://127.0.0.1:{free_port}"
    assert address.startswith(f"MLflow UI: {base}/#/experiments/")
    with urllib.request.urlopen(f"{base}/health", timeout=60) as reply:
        assert reply.status == 200
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=180)
    assert (process.returncode, rest.splitlines()[-1]) == (0, "stopping")
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", free_port)) != 0
    assert Path(home / "mlflow-ui.log").exists()


@pytest.mark.slow
def test_a_run_reaches_a_server_as_it_reaches_a_database(home, put, tmp_path):
    folder = put("r1", sweep_id="s-1")
    with running_ui(home, SETTINGS) as ui:
        server = TrackingSettings(uri=ui.url.partition("/#")[0])
        # the server has files of its own: this is another machine's home
        run_id = upload_run(server, folder, home=tmp_path / "client")
        assert upload_run(server, folder, home=tmp_path / "client") == run_id
        said: list[str] = []
        serve_ui(tmp_path / "client", server, open_browser=False, say=said.append)
        with opened(server, tmp_path / "client") as store:
            run = store.client.get_run(run_id)
            assert len(store.client.search_runs([store.experiment_id])) == 2  # the sweep's and its child
            assert {file.path for file in store.client.list_artifacts(run_id)} == set(RUN_FILES)
    assert said == [ui.url]
    assert math.isnan(run.data.metrics["kappa"])
    assert (run.data.metrics["accuracy"], run.info.status) == (0.75, "FINISHED")
    assert run.inputs.dataset_inputs[0].dataset.name == "sample"
    assert sorted(path.name for path in (tmp_path / "client").iterdir()) == ["mlflow.lock"]
