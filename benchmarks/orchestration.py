"""What a call costs venire, beside bare aiohttp and bare litellm, on one machine in one run.

    python benchmarks/orchestration.py            2,000 calls, concurrency 64 and 256, about 8 minutes
    python benchmarks/orchestration.py --quick    200 calls, concurrency 64, once: does it run

A stub server in a process of its own answers every call after 50 ms. Each arm (see arms.py) runs in
a process of its own, so CPU and memory are its own (litellm's workers are further processes, and not
counted); rounds of all arms follow one another, so that whatever else the machine does hits all alike.
The table shows medians over the rounds and, in brackets, the extremes; it is Markdown. It is no test: a
missed target is said, not raised.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
FAST = ("aiohttp", "direct", "direct+store", "replay")
SLOW = ("litellm", "litellm+store", "litellm+workers")
MEANING: Mapping[str, str] = {
    "aiohttp": "bare aiohttp",
    "direct": "venire, direct client, no store",
    "direct+store": "venire, direct client, store on",
    "replay": "venire, replayed from the store",
    "litellm": "bare litellm",
    "litellm+store": "venire, through litellm, store on",
    "litellm+workers": "venire, through litellm in 2 workers, store on",
}


@dataclass(frozen=True)
class Plan:
    """How much is measured; litellm, ten times as slow, in fewer rounds."""

    calls: int
    concurrencies: Sequence[int]
    rounds: int
    slow_rounds: int
    delay_s: float

    def rounds_of(self, arm: str) -> int:
        return self.slow_rounds if arm in SLOW else self.rounds


@dataclass(frozen=True)
class Measured:
    """One arm's rounds at one concurrency."""

    calls_per_s: Sequence[float]
    cpu_ms: Sequence[float]
    peak_mb: Sequence[float]
    litellm_loaded: bool


Results = Mapping[str, Measured]


def main() -> None:
    options = _options()
    if options.arm:
        from arms import Load, run_arm

        load = Load(options.url, options.calls, options.concurrency[0], Path(options.folder))
        print(run_arm(options.arm, load))
        return
    plan = Plan(options.calls, options.concurrency, options.rounds, options.slow_rounds, options.delay_s)
    if options.quick:
        plan = Plan(200, (64,), 1, 1, options.delay_s)
    print(_heading(plan))
    load = _load()
    for concurrency in plan.concurrencies:
        results = measure(plan, concurrency)
        print(table(results, concurrency, plan.delay_s))
        if concurrency == 64:
            print(targets(results))
    print(_busy(load, _load()))


def measure(plan: Plan, concurrency: int) -> Results:
    """Every arm's rounds, one round of all arms after the other, each round with an empty store."""
    found: dict[str, list[Mapping[str, float]]] = {arm: [] for arm in (*FAST, *SLOW)}
    with stub(plan.delay_s) as url:
        for number in range(max(plan.rounds, plan.slow_rounds)):
            with tempfile.TemporaryDirectory(prefix="venire-benchmark-") as folder:
                for arm in found:
                    if number < plan.rounds_of(arm):
                        # litellm's arms have stores of their own: they must pay for their calls too
                        place = Path(folder) / (arm if arm in SLOW else "direct")
                        place.mkdir(exist_ok=True)
                        found[arm].append(_run(arm, url, plan.calls, concurrency, place))
    return {arm: _measured(samples) for arm, samples in found.items()}


def table(results: Results, concurrency: int, delay_s: float) -> str:
    """A Markdown table, one row an arm."""
    bare = _middle(results["aiohttp"].calls_per_s)
    lines = [
        f"\n### {concurrency} at once (no client can pass {concurrency / delay_s:,.0f} calls/s)\n",
        "| arm | calls/s | of bare aiohttp | CPU ms a call | peak memory, MB |",
        "|---|---|---|---|---|",
    ]
    for arm, measured in results.items():
        ratio = "" if arm == "replay" else f"{_middle(measured.calls_per_s) / bare:.2f}"
        lines.append(
            f"| {MEANING[arm]} | {_spread(measured.calls_per_s, ',.0f')} | {ratio} "
            f"| {_spread(measured.cpu_ms, '.2f')} | {_spread(measured.peak_mb, '.0f')} |"
        )
    return "\n".join(lines)


def targets(results: Results) -> str:
    """The targets at 64 at once, what was measured, and whether it is met.

    Arms are compared round by round, as the rounds of all arms follow one another; then the median.
    """
    direct, through = results["direct+store"], results["litellm+store"]
    share = _middle([a / b for a, b in zip(direct.calls_per_s, results["aiohttp"].calls_per_s, strict=True)])
    extra = _middle([a - b for a, b in zip(through.cpu_ms, results["litellm"].cpu_ms, strict=True)])
    cpu, replayed = _middle(direct.cpu_ms), _middle(results["replay"].calls_per_s)
    loaded = results["replay"].litellm_loaded
    rows = [
        ("direct, store on: calls/s of bare aiohttp's", "at least 0.80", f"{share:.2f}", share >= 0.8),
        ("direct, store on: CPU ms a call", "at most 1.00", f"{cpu:.2f}", cpu <= 1),
        ("through litellm: CPU ms a call over bare litellm", "at most 1.50", f"{extra:.2f}", extra <= 1.5),
        ("replay: judged calls/s", "at least 3,000", f"{replayed:,.0f}", replayed >= 3000),
        ("replay of a litellm judge: litellm imported", "no", "yes" if loaded else "no", not loaded),
    ]
    lines = ["\n| target at 64 at once | wanted | measured | met |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {wanted} | {value} | {'yes' if met else '**no**'} |" for name, wanted, value, met in rows
    ]
    return "\n".join(lines)


@contextmanager
def stub(delay_s: float) -> Iterator[str]:
    """The stub server in a process of its own; its address up to /v1."""
    command = [sys.executable, str(FOLDER / "stub.py"), "--delay-s", str(delay_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(timeout=10)


def _run(arm: str, url: str, calls: int, concurrency: int, folder: Path) -> Mapping[str, float]:
    options = {"--arm": arm, "--url": url, "--calls": calls, "--concurrency": concurrency, "--folder": folder}
    command = [sys.executable, __file__, *(str(word) for pair in options.items() for word in pair)]
    print(f"{arm} at {concurrency}", file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    sample: Mapping[str, float] = json.loads(done.stdout.splitlines()[-1])
    return sample


def _measured(samples: Sequence[Mapping[str, float]]) -> Measured:
    return Measured(
        calls_per_s=[sample["calls"] / sample["seconds"] for sample in samples],
        cpu_ms=[1000 * sample["cpu_s"] / sample["calls"] for sample in samples],
        peak_mb=[sample["peak_mb"] for sample in samples],
        litellm_loaded=any(sample["litellm_loaded"] for sample in samples),
    )


def _middle(values: Sequence[float]) -> float:
    return statistics.median(values)


def _spread(values: Sequence[float], form: str) -> str:
    middle = format(_middle(values), form)
    return middle if len(values) == 1 else f"{middle} ({min(values):{form}}-{max(values):{form}})"


def _heading(plan: Plan) -> str:
    return (
        f"{plan.calls:,} pairwise calls, {1000 * plan.delay_s:.0f} ms at the server; median of "
        f"{plan.rounds} rounds (litellm: {plan.slow_rounds}). Python {platform.python_version()}, "
        f"{platform.system()}, {os.cpu_count()} CPUs."
    )


def _load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def _busy(before: float, after: float) -> str:
    """The machine's load, and a warning where others had the CPUs before we began."""
    said = f"\nLoad of the machine: {before:.1f} before, {after:.1f} after."
    if before > 0.5 * (os.cpu_count() or 1):
        said += " **It was busy with other work: calls/s say little; repeat it on an idle one.**"
    return said


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="200 calls, concurrency 64, one round")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow-rounds", type=int, default=2, help="rounds of the arms through litellm")
    parser.add_argument("--delay-s", type=float, default=0.05)
    for internal in ("--arm", "--url", "--folder"):
        parser.add_argument(internal, default="", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
