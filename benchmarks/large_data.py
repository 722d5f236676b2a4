"""How much memory and time a run of many instances takes, streamed and held, each in a process of its own.

    python -m benchmarks.large_data                   10,000, 100,000 and 1,000,000 pairs, length, streamed
    python -m benchmarks.large_data --held 10000      further sizes whose instances are held, for comparison
    python -m benchmarks.large_data --judged 10000    further sizes with a simulated judge, one call each
    python -m benchmarks.large_data --sizes 1000      does it run

Each size is a Parquet file of made-up pairs (30 to 60 words a response, as many prompts as pairs), read,
judged, written, measured with 2,000 bootstrap draws, and summed up by `venire run`. Peak memory is that of
the process (`ru_maxrss`), with everything that it has loaded. The table is Markdown.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

BATCH = 10_000
WORDS = ("the", "of", "and", "to", "in", "is", "it", "you", "that", "he", "was", "for", "on", "are", "with")


@dataclass(frozen=True)
class Arm:
    """One process: how many pairs, whether they stream, who judges."""

    size: int
    stream: bool
    judged: bool

    @property
    def name(self) -> str:
        """As in the table."""
        who = "pairwise, simulated judge" if self.judged else "length"
        return f"{who}, {'streamed' if self.stream else 'held'}"

    def overrides(self, path: Path) -> list[str]:
        """What `venire run` is given."""
        asks = ["method=pairwise", "method.orders=as_given", "backend=simulated"]
        return [
            *("dataset=table", f"dataset.path={path}", "dataset.columns.subset=subset"),
            *(asks if self.judged else ["method=length"]),
            *(f"dataset.stream={str(self.stream).lower()}", "tracking.enabled=false"),
        ]


@dataclass(frozen=True)
class Taken:
    """What a process took: the run's seconds, those of its processor, the peak of its memory."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    files_mb: float


def main() -> None:
    """Run the arms one after another and print the table."""
    options = _options()
    if options.arm:
        print(json.dumps(asdict(_run(Arm(**json.loads(options.arm)), Path(options.path)))))
        return
    arms = [
        *(Arm(size, True, False) for size in options.sizes),
        *(Arm(size, False, False) for size in options.held),
        *(Arm(size, True, True) for size in options.judged),
    ]
    with tempfile.TemporaryDirectory(prefix="venire-large-") as scratch:
        taken = [(arm, _measured(arm, Path(scratch))) for arm in arms]
    print(table(taken))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--held", type=int, nargs="*", default=[])
    parser.add_argument("--judged", type=int, nargs="*", default=[])
    parser.add_argument("--arm", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    return parser.parse_args()


def _measured(arm: Arm, scratch: Path) -> Taken:
    path = scratch / f"{arm.size}.parquet"
    if not path.exists():
        write_pairs(path, arm.size)
    with tempfile.TemporaryDirectory(dir=scratch) as home:
        environ = {**os.environ, "VENIRE_HOME": home}
        command = [sys.executable, "-m", "benchmarks.large_data", "--arm", json.dumps(asdict(arm))]
        done = subprocess.run(
            [*command, "--path", str(path)], env=environ, stdout=subprocess.PIPE, text=True, check=True
        )
    made = Taken(**json.loads(done.stdout.splitlines()[-1]))
    print(f"{arm.name}, {arm.size:,}: {made}", file=sys.stderr)
    return made


def _run(arm: Arm, path: Path) -> Taken:
    from venire.cli import main as venire

    started = time.perf_counter()
    status = venire(["run", *arm.overrides(path)])
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"venire run ended with status {status}")
    use = resource.getrusage(resource.RUSAGE_SELF)
    files = (each for each in Path(os.environ["VENIRE_HOME"]).glob("runs/*/*") if each.is_file())
    size = sum(each.stat().st_size for each in files)
    return Taken(wall, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024, size / 2**20)


def write_pairs(path: Path, count: int) -> None:
    """A Parquet file of pairs, the better one drawn by a coin."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        columns = {
            "id": [f"pair/{number}" for number in numbers],
            "prompt": [
                f"{text} {number}?" for number, text in zip(numbers, _texts(rng, numbers), strict=True)
            ],
            "response_1": list(_texts(rng, numbers)),
            "response_2": list(_texts(rng, numbers)),
            "label": [f"response_{1 + drawn}" for drawn in rng.integers(0, 2, len(numbers))],
            "subset": [f"part {drawn}" for drawn in rng.integers(0, 4, len(numbers))],
        }
        made = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, made.schema)
        writer.write_table(made)
    if writer is not None:
        writer.close()


def _texts(rng: np.random.Generator, numbers: Sequence[int]) -> Iterator[str]:
    for length in rng.integers(30, 60, len(numbers)):
        yield " ".join(WORDS[at] for at in rng.integers(0, len(WORDS), length))


def table(taken: Sequence[tuple[Arm, Taken]]) -> str:
    """Markdown: a row an arm; growth is the memory above that of the arm's smallest size, by instance."""
    titles = (
        "run",
        "instances",
        "peak MB",
        "bytes an instance more",
        "s",
        "s of CPU",
        "instances/s",
        "files MB",
    )
    lines = [f"| {' | '.join(titles)} |", f"|---|{'---:|' * (len(titles) - 1)}"]
    for arm, took in taken:
        alike = [each for each in taken if each[0].name == arm.name]
        first, base = min(alike, key=lambda each: each[0].size)
        more = arm.size - first.size
        growth = f"{(took.peak_mb - base.peak_mb) * 2**20 / more:,.0f}" if more else "–"
        cells = [f"{arm.size:,}", f"{took.peak_mb:,.0f}", growth, f"{took.wall_s:,.0f}", f"{took.cpu_s:,.0f}"]
        lines.append(
            f"| {arm.name} | {' | '.join(cells)} | {arm.size / took.wall_s:,.0f} | {took.files_mb:,.1f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
