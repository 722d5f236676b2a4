"""Every notebook runs to its end, offline and without a key, and is committed without outputs."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
PATIENCE_S = 240  # of a machine that is busy with other things: a cell takes seconds

pytestmark = pytest.mark.slow


def cells(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))["cells"]
    return found


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One `VENIRE_HOME` for all notebooks: what one has paid, the next has."""
    return tmp_path_factory.mktemp("notebooks") / "home"


@pytest.fixture
def printed(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> str:
    """What a notebook shows when it is run: its cells' texts, with `[figure]` for each figure."""
    name, data = request.param
    for variable in list(os.environ):
        if re.search("KEY|TOKEN|SECRET", variable):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("VENIRE_HOME", str(home))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    if data == "recorded":
        request.getfixturevalue("data_root")
    else:
        monkeypatch.delenv("VENIRE_DATA", raising=False)
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    client = NotebookClient(notebook, timeout=PATIENCE_S, resources={"metadata": {"path": str(NOTEBOOKS)}})
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable
    client.execute()
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
    texts = []
    for each in outputs:
        assert each.get("name") != "stderr", each["text"]
        shown = each.get("data", {})
        texts.append(each.get("text", "") + shown.get("text/markdown", shown.get("text/plain", "")))
        texts += ["[figure]"] if "image/png" in shown else []
    return "\n".join(texts)


def ran(name: str, data: str = "sample") -> pytest.MarkDecorator:
    """The notebook `name` is run, with `VENIRE_DATA` where `data` is recorded."""
    return pytest.mark.parametrize("printed", [(name, data)], indirect=True, ids=[f"{name}-{data}"])


@ran("01_quickstart.ipynb")
def test_the_quickstart_shows_a_run_and_its_judges(printed: str) -> None:
    assert "SIMULATED judges" in printed
    assert "position_consistency" in printed
    assert printed.count("[figure]") == 1


@ran("02_one_disagreement.ipynb")
def test_one_disagreement_shows_the_texts_and_who_said_what(printed: str) -> None:
    assert "'simulated'" in printed
    assert "gold: response_" in printed
    for judge in ("gpt_4o", "claude_3_5_sonnet", "gemini_1_5_pro", "llama_3_1_70b", "qwen2_5_72b"):
        assert re.search(rf"{judge} -> (response_[12]|tie|no verdict \(\w+\)): ", printed)


@ran("03_compare_a_sweep.ipynb")
def test_a_sweep_is_compared_on_the_same_items(printed: str) -> None:
    assert "3 finished of 3 jobs" in printed
    assert "McNemar" in printed
    assert "24 common items" in printed
    assert printed.count("[figure]") == 1


@ran("04_paper_table.ipynb")
def test_a_paper_table_is_there_for_readers_and_for_latex(printed: str) -> None:
    assert "simulated" in printed
    assert r"\toprule" in printed
    assert "| majority multi_model" in printed


@ran("05_is_my_judge_biased.ipynb")
def test_the_audit_of_simulated_judges_says_that_they_are(printed: str) -> None:
    assert "SIMULATED judges: a statistical model answered, no LLM" in printed
    assert "RECORDED" not in printed
    assert printed.count("[figure]") == 1


@ran("05_is_my_judge_biased.ipynb", "recorded")
def test_falcon_prefers_what_is_shown_first_and_gpt_4_hardly(printed: str) -> None:
    assert "RECORDED verdicts of real models" in printed
    # LLMBar, Vanilla, both orders: Falcon picks the first in .776 of its verdicts, GPT-4 in .512
    shown = " ".join(re.findall(r"audit/plain/position/effect +(.+)", printed))
    assert [round(float(each), 3) for each in shown.split()] == [0.012, 0.276]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_committed_without_outputs_and_defines_nothing(name: str) -> None:
    code = [cell for cell in cells(name) if cell["cell_type"] == "code"]
    assert code
    assert [cell["outputs"] for cell in code] == [[]] * len(code)
    assert [cell["execution_count"] for cell in code] == [None] * len(code)
    assert not any(re.search(r"^\s*(def|class) ", "".join(cell["source"]), re.M) for cell in code)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_of_a_notebook_works_offline(name: str) -> None:
    source = "\n".join("".join(cell["source"]) for cell in cells(name) if cell["cell_type"] == "code")
    runs = re.findall(r"!venire (?:run|audit|reproduce) .*", source)
    assert runs
    assert all("tracking.enabled=false" in run for run in runs)
    assert all("backend=simulated" in run or "reproduce" in run or "{what}" in run for run in runs)
