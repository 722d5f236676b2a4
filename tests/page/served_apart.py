"""A page in a process of its own, for tests that kill it. Arguments: the labels' file, the port."""

import sys
from pathlib import Path

from tests.page.served import SECRET, Clock, pair, work_of

from venire.metrics.annotators import AgreementSettings
from venire.page.annotating.mode import annotating
from venire.page.annotating.work import Desk
from venire.page.app import make_app
from venire.page.security import Security
from venire.page.serving import listen, serve


def main(labels: Path, port: int) -> None:
    """Serve four pairs."""
    desk = Desk(work_of([pair(f"i{n}") for n in range(4)], labels), clock=Clock())
    app = make_app(Security(SECRET), [annotating(desk, AgreementSettings(draws=50), intro="")])
    with listen("127.0.0.1", port) as listening:
        serve(app, listening, say=lambda text: print(text, flush=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
