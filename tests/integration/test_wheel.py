"""The package as others get it: a wheel, away from the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.integration.command import PATIENCE_S, UNTRACKED, Ran, Venire

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel is unpacked, for PYTHONPATH."""
    built = tmp_path_factory.mktemp("wheel")
    # Without isolation: the build backend is installed with the other tools, so no network is needed.
    command = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "-q", "-w", str(built)], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = built.glob("venire-*.whl")
    unpacked = built / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    return unpacked


def venire(package: Path, cwd: Path, *arguments: str) -> Ran:
    """`python -m venire.cli` of the unpacked wheel, in `cwd` and without a named home."""
    environment = Venire(cwd / "unused").environment(PYTHONPATH=str(package))
    del environment["VENIRE_HOME"]
    done = subprocess.run(
        [sys.executable, "-m", "venire.cli", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "kind", ["conf", "experiments", "src/venire/prompts", "src/venire/data/sample", "src/venire/judging"]
)
def test_the_wheel_holds_every_file_that_is_no_code(package: Path, kind: str) -> None:
    inside = package / "venire" / kind.removeprefix("src/venire/")
    files = {
        path.relative_to(ROOT / kind)
        for path in (ROOT / kind).rglob("*")
        if path.suffix in (".yaml", ".jinja", ".jsonl", ".json")
    }
    assert files
    assert [path for path in sorted(files) if not (inside / path).is_file()] == []


def test_the_wheel_runs_the_bundled_sweep_from_any_folder(package: Path, tmp_path: Path) -> None:
    ran = venire(package, tmp_path, "run", "experiment=sample", "dataset.limit=8", UNTRACKED)
    assert ran.status == 0, ran.err
    assert [job["status"] for job in ran.jobs()] == ["finished"] * 5
    assert Path(ran.last_line).is_relative_to(tmp_path / "venire-home")
    assert [path.name for path in tmp_path.iterdir()] == ["venire-home"]
    assert "commit: unknown" in ran.out


def test_the_wheel_knows_its_table_specs(package: Path, tmp_path: Path) -> None:
    assert "sample" in venire(package, tmp_path, "reproduce").out.split()
