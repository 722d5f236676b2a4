"""A real server process: killed, interrupted, started again on the same labels."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.page.served import Visitor

from venire.errors import ConfigError
from venire.page.serving import FIRST_PORT, listen, note_on, url_of
from venire.review.store import read_labels

ROOT = Path(__file__).parents[2]


@contextmanager
def apart(labels: Path, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.page.served_apart", str(labels), str(port)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def test_a_kill_after_the_page_said_saved_loses_nothing_and_an_open_form_still_counts(tmp_path):
    labels = tmp_path / "labels.jsonl"
    with apart(labels) as (process, url):
        visitor = Visitor(url)
        visitor.enter("ann")
        open_form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', visitor.get("/study/item/3").text))
        for number in (1, 2):
            reply = visitor.label(number, {"verdict": "A", "comment": f"n{number}", "seconds": "1.5"})
            assert reply.headers["location"].endswith("?done=saved")
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert [(label.comment, label.seconds) for label in read_labels(labels)] == [("n1", 1.5), ("n2", 1.5)]
    port = int(url.rpartition(":")[2].strip("/"))
    with apart(labels, port) as (process, again):
        assert again == url
        # the same browser: same cookies, the form that was open before the kill
        fields = {name: open_form[name] for name in ("csrf", "work", "item", "content", "annotator")}
        assert visitor.post("/study/item/3", {**fields, "verdict": "B"}).status == 303
        assert visitor.get("/study/").headers["location"] == "/study/item/4"
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=15)
    assert (process.returncode, rest.splitlines()[-1], errors) == (0, "stopped", "")
    assert len(read_labels(labels)) == 3


def test_a_port_that_is_asked_for_is_taken_or_refused_and_else_the_next_free_one():
    with listen("127.0.0.1", 0) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"--port: cannot listen on 127\.0\.0\.1:{port}"):
            listen("127.0.0.1", port)
    with listen("127.0.0.1", None) as first, listen("127.0.0.1", None) as second:
        assert FIRST_PORT <= first.getsockname()[1] < second.getsockname()[1] < FIRST_PORT + 100
        address = f"http://127.0.0.1:{first.getsockname()[1]}/?token"
        assert url_of(first, "t/ &#%ü") == f"{address}=t%2F%20%26%23%25%C3%BC"
        assert url_of(second, name="lab.example").startswith("http://lab.example:")
    with pytest.raises(ConfigError, match="--port: cannot listen on"):
        listen("127.0.0.1", 70_000)


def test_the_address_of_a_six_group_host_is_in_brackets():
    try:
        listening = listen("::1", 0)
    except ConfigError:
        pytest.skip("this machine has no ::1")
    with listening:
        assert listening.family is socket.AF_INET6
        assert url_of(listening).startswith("http://[::1]:")


def test_an_address_that_stands_for_all_is_said_to_and_others_are_not():
    assert note_on("http://0.0.0.0:8350/?token=x").startswith(" (0.0.0.0 stands for all addresses")
    assert note_on("http://[::]:8350/").startswith(" (:: stands for all addresses")
    assert [note_on(f"http://{host}/") for host in ("127.0.0.1:1", "[::1]:1", "desk.example")] == [""] * 3
