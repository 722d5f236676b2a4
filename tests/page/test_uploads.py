import threading
from pathlib import Path

import pytest

from venire.errors import DataError, TrackingError
from venire.page.uploads import ARTIFACT, Uploads


class Sent:
    """What was uploaded; refuses at first, once for each of `failing`."""

    def __init__(self, *failing: Exception) -> None:
        self.texts: list[str] = []
        self.failing = list(failing)
        self.tried = threading.Event()

    def __call__(self, path: Path) -> None:
        try:
            if self.failing:
                raise self.failing.pop()
            assert path.name == ARTIFACT
            self.texts.append(path.read_text())
        finally:
            self.tried.set()


def test_what_changed_is_uploaded_at_the_end_and_nothing_where_nothing_changed():
    sent = Sent()
    uploads = Uploads(lambda: "labels", sent, every_s=60)
    with uploads.running():
        pass
    assert sent.texts == []
    uploads = Uploads(lambda: "labels", sent, every_s=60)
    with uploads.running():
        uploads.due()
        uploads.due()
    assert sent.texts == ["labels"]


@pytest.mark.parametrize(
    "failure", [TrackingError("no server"), DataError("no server"), OSError("no server")]
)
def test_a_failure_is_said_and_tried_again(failure, capsys):
    sent = Sent(failure)
    uploads = Uploads(lambda: "labels", sent, every_s=0.01)
    with uploads.running():
        uploads.due()
        assert sent.tried.wait(5)
    assert sent.texts == ["labels"]
    assert capsys.readouterr().err == "MLflow: the labels are not uploaded yet: no server\n"
