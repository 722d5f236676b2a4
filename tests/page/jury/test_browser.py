"""JuryFlow's choice in a real headless Chromium: whole runs, over a kill; by keyboard; at any size."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.chromium import headless
from tests.methods.juryflow.court import pair
from tests.page.corpus import XSS
from tests.page.jury.questions import asking, node, page_of, question, run_sample
from tests.page.person import OVERFLOW, Visit

from venire.launch import DURATION
from venire.methods.juryflow.choices import read_choices
from venire.methods.juryflow.select import Question
from venire.metrics.calls import is_accounting
from venire.page.serving import listen
from venire.records import EMBEDDING_STAGE
from venire.runs import read_record

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
LIMIT = "dataset.limit=3"
BLANK = 20_000  # bytes that a picture of an empty page does not reach


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with headless() as browser:
        yield browser


class Person(Visit):
    """Somebody who chooses."""

    def is_asked(self) -> None:
        """Wait until a question is there, scripts and all."""
        self.page.locator("#choose").wait_for()
        self.page.wait_for_load_state()

    def choose_as_auto(self) -> None:
        """Choose what the table names first, and send it."""
        self.is_asked()
        first = self.page.get_by_role("row").nth(1)
        assert "auto would take it" in first.inner_text()
        self.press("1")
        assert first.get_by_role("radio").is_checked()
        self.press("Enter")
        self.page.wait_for_url("**/jury/choice/*")

    def goes_on(self) -> bool:
        """On to the next question; False where the run has ended."""
        from playwright.sync_api import TimeoutError as PlaywrightTimeout

        there = self.page.locator("#choose, #ended")
        for _ in range(15):  # a page that comes anew just then, to show a change, does not hear the key
            self.press("g")
            with suppress(PlaywrightTimeout):
                there.wait_for(timeout=1000)
                break
        there.wait_for()
        self.page.wait_for_load_state()
        return self.page.locator("#ended").count() == 0

    def heading(self) -> str:
        return self.page.locator("h1").inner_text()


def free_port() -> int:
    with closing(listen("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def as_page(choices: Path, port: int) -> tuple[str, ...]:
    return (
        "selector@method.focal.selector=page",
        f"method.focal.selector.choices={choices}",
        f"method.focal.selector.port={port}",
    )


@contextmanager
def apart(home: Path, *overrides: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a run's page and its process, which is killed at the end, with no time for anything.

    A process, since a run waits for ever for answers: in a thread, one that a failed test leaves alone would
    keep all tests from ending.
    """
    command = [sys.executable, "-m", "tests.page.jury.apart", str(home), LIMIT, *overrides]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[2], process
        finally:
            process.kill()


def run_aside(home: Path, *overrides: str) -> Path:
    """The folder of a run that asks nobody; in a thread, since the browser's own loop has the main one."""
    with ThreadPoolExecutor(1) as runs:
        return runs.submit(run_sample, home, *overrides).result().folder


def judged(folder: Path) -> tuple[object, ...]:
    """A run's outcomes, rubric and calls, but for who chose, how long it took and what the store had."""
    rows = pq.read_table(folder / "outcomes.parquet").to_pylist()
    for row in rows:
        row["detail"] = json.loads(row["detail"])
        for response in row["detail"]["responses"]:
            for name in ("selector", "seconds"):
                del response["focal"][name]
    with gzip.open(folder / "calls.jsonl.gz", "rt") as file:
        every = [json.loads(line) for line in file]
    calls = [call for call in every if call["stage"] != EMBEDDING_STAGE]  # only what the store lacks is asked
    for call in calls:
        for name in ("latency_s", "replayed", "attempts"):
            del call[name]
    return rows, calls, (folder / "rubric.yaml").read_bytes()


def numbers(folder: Path) -> dict[str, float]:
    """Its metrics, without those of its time and of what the store had already."""
    metrics = read_record(folder).metrics
    return {name: metrics[name] for name in metrics if name != DURATION and not is_accounting(name)}


def test_an_oracle_at_the_page_gives_what_auto_gives_over_a_kill_and_its_choices_are_replayed(
    browser: "Browser", tmp_path: Path
) -> None:
    choices, port = tmp_path / "choices.jsonl", free_port()
    with apart(tmp_path / "home", *as_page(choices, port)) as (url, _):
        oracle = Person.at(browser, url, "oracle")
        oracle.choose_as_auto()
        oracle.page.get_by_role("heading", name="What your choice changed").wait_for()
        assert oracle.goes_on()
        oracle.choose_as_auto()
        oracle.page.locator('[role=status]:text-is("Saved.")').wait_for()
    assert [(each.annotator, each.selector) for each in read_choices(choices)] == [("oracle", "page")] * 2

    with apart(tmp_path / "home", *as_page(choices, port)) as (_, process):
        # The open page finds the run again by itself.
        oracle.page.wait_for_url("**/jury/question/*", timeout=30_000)
        going = True
        while going:
            oracle.choose_as_auto()
            oracle.page.locator("dl.facts").wait_for()
            going = oracle.goes_on()
        assert len(oracle.page.screenshot(path=tmp_path / "last.png", full_page=True)) > BLANK
        by_page = Path(process.communicate(timeout=60)[0].splitlines()[-1])
    # that the killed run did not answer, browsers say by themselves
    assert [each for each in oracle.odd if "net::ERR_" not in each] == []

    auto = run_aside(tmp_path / "auto", LIMIT)
    assert judged(by_page) == judged(auto)
    assert numbers(by_page) == numbers(auto)
    kept = read_choices(choices)
    assert len(kept) >= 4
    of_run = read_choices(by_page / "choices.jsonl")
    assert sorted(of_run, key=lambda choice: choice.place) == sorted(kept, key=lambda choice: choice.place)
    recorded = f"method.focal.selector.choices={choices}"
    replayed = run_aside(tmp_path / "home", LIMIT, "selector@method.focal.selector=recorded", recorded)
    assert judged(replayed) == judged(by_page)
    assert read_record(replayed).metrics["calls/paid"] == 0


# Whatever stands in a page's main part that no template of ours puts there.
FOREIGN = """() => document.querySelectorAll(
    `main script, main img, main iframe, main style, main base, main meta, main math, main b,
    a[href^="javascript"], [onerror], [onload], [onfocus], form[action^="http"]`).length"""


def hostile() -> Question:
    """A claim for each text of the corpus, all disputed."""
    named = pair(XSS[1], XSS[1], name=XSS[0])
    instance = replace(named, prompt=XSS[2], context=XSS[3], reference=XSS[4])
    nodes = [node(index, (2, 2, 1), text, [XSS[index - 1], "clear"]) for index, text in enumerate(XSS)]
    return question(nodes, instance=instance)


def test_hostile_texts_by_keyboard_and_by_pointer_at_twice_the_size_and_on_a_narrow_screen(
    browser: "Browser",
) -> None:
    with asking() as run, page_of(run.desk) as url:
        run.ask(hostile())
        # 1280 pixels at 200% are 640, at 400% 320 (WCAG 1.4.4, 1.4.10)
        ana = Person.at(browser, url, "ana", viewport={"width": 1280, "height": 800})
        page = ana.page
        ana.is_asked()
        assert page.evaluate(FOREIGN) == 0
        claims = page.locator(".claim-text").all_text_contents()
        assert claims == [text.replace("\0", "") for text in XSS]  # browsers leave NUL out
        # a claim that is pointed at in the graph: its votes and tags are shown beside it
        card = page.locator(".inspected")
        page.locator(".dot[data-claim='5']").hover()
        assert card.get_by_role("heading").inner_text() == "Claim 6"
        assert "2 accept, 2 reject, 1 uncertain" in card.inner_text()
        assert card.locator(".tag").all_text_contents() == [XSS[4].replace("_", " "), "clear"]
        assert page.locator(".dot.here").get_attribute("data-claim") == "5"
        # by keyboard alone: past the header, to the claims, down by arrows; "none" and back
        page.mouse.move(0, 0)
        ana.press("1", "ArrowDown", "ArrowDown")
        assert page.locator("#chosen").inner_text().startswith("Chosen: claim 3.")
        assert card.get_by_role("heading").inner_text() == "Claim 3"
        ana.press("n")
        assert page.locator("#chosen").inner_text() == "Chosen: none."
        assert page.locator("button.main").inner_text() == "Resolve none"
        wide = {}
        for width in (1280, 640, 320):
            page.set_viewport_size({"width": width, "height": 450})
            wide[width] = page.evaluate(OVERFLOW)
        assert wide == {1280: 0, 640: 0, 320: 0}
        # what has the focus is not behind the bar with the button
        page.set_viewport_size({"width": 1280, "height": 800})
        ana.press("1", *["ArrowDown"] * 9)
        assert page.evaluate(COVERED) is False
        ana.press("Enter")
        page.wait_for_url("**/jury/choice/*")
        assert [choice.claim for choice in run.kept] == [9]
        assert page.evaluate(FOREIGN) == 0
        assert XSS[9] in page.inner_text("main")
        assert ana.odd == []


COVERED = """() => {
    const box = document.activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return top !== document.activeElement;
}"""


def test_a_response_of_a_thousand_claims_can_be_worked_on(browser: "Browser") -> None:
    rng = np.random.default_rng(0)
    votes = [(5, 0, 0), (4, 1, 0), (3, 2, 0), (3, 1, 1), (2, 2, 1)]
    nodes = [node(index, votes[index % 5], f"claim {index} of a long response") for index in range(1000)]
    weights = np.triu(rng.random((1000, 1000)), k=1)
    with asking() as run, page_of(run.desk) as url:
        run.ask(question(nodes, weights + weights.T))
        ana = Person.at(browser, url, "ana", viewport={"width": 1440, "height": 900})
        page = ana.page
        ana.is_asked()
        assert page.locator("tr[data-claim]").count() == 1000
        assert (page.locator(".dot").count(), page.locator("#graph line").count()) == (40, 90)
        told = page.locator(".picture").inner_text()
        assert "Drawn are the 40 most disputed of 1,000 claims; the table has all." in told
        assert "Drawn are the 90 heaviest of the 780 edges between the claims that are drawn;" in told
        ana.press("2")
        # of the claims with d = .960, 4, 9, 14, ..., the second
        assert page.locator("#chosen").inner_text().startswith("Chosen: claim 10.")
        assert page.evaluate(OVERFLOW) == 0
        ana.press("Enter")
        page.wait_for_url("**/jury/choice/*")
        assert [choice.claim for choice in run.kept] == [9]
        assert ana.odd == []


def test_two_browsers_are_asked_one_question_and_the_later_one_is_told(browser: "Browser") -> None:
    nodes = [node(0, (2, 2, 1)), node(1, (3, 2, 0))]
    with asking() as run, page_of(run.desk) as url:
        run.ask(question(nodes), question(nodes, place=1))
        ana, bob = (Person.at(browser, url, name) for name in ("ana", "bob"))
        for each in (ana, bob):
            each.is_asked()
        bob.press("2")
        bob.page.reload()
        bob.is_asked()  # of the same, after a reload
        ana.press("1", "Enter")
        ana.page.wait_for_url("**/jury/choice/*")
        bob.page.get_by_role("alert").get_by_text("This question is not open any more").wait_for()
        assert bob.page.locator("button.main").is_disabled()
        bob.page.get_by_role("link", name="See where it stands").click()
        bob.is_asked()
        assert "response 2 of 2" in bob.page.locator(".lead").inner_text()
        bob.press("n", "Enter")
        bob.page.wait_for_url("**/jury/choice/*")
        assert [(choice.annotator, choice.response_index, choice.claim) for choice in run.kept] == [
            *(("ana", 0, 0), ("bob", 1, None)),
        ]
        assert (ana.odd, bob.odd) == ([], [])
