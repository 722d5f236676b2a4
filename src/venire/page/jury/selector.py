"""Stage 3 by a human on a page, which the run serves while it judges."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from venire.errors import ConfigError, VenireError
from venire.methods.juryflow.choices import append_choice, given_choice, read_choices
from venire.methods.juryflow.people import Change
from venire.methods.juryflow.select import Focus, Question
from venire.methods.protocol import Sitting
from venire.page.jury.desk import PAGE, Desk
from venire.records import Outcome


@dataclass(frozen=True, slots=True)
class Page:
    """A human names the claim to resolve first, on a page; it is c*, the only one re-evaluated on its own.

    The same question, answers and file as in the terminal (`venire.methods.juryflow.human`), and the page
    shows what the choice changed. Its address is printed when the run begins to judge.

    Args:
        choices: a JSONL file, made where there is none.
        host: the address to listen on; where others can reach it, a token is made, which the address holds.
        port: null: the first free one from 8350 on.

    Raises:
        DataError: the file breaks its format.

    Source: JuryFlow, "Focal selection" (human mode); spec, section 1, stage 3.
    """

    choices: str
    host: str = "127.0.0.1"
    port: int | None = None
    desk: Desk = field(default_factory=Desk, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        read_choices(Path(self.choices))

    @property
    def name(self) -> str:
        """`page`."""
        return PAGE

    async def select(self, question: Question) -> Focus:
        """The human's choice.

        Raises:
            VenireError: nobody is asked (any more), and why.
        """
        given = given_choice(Path(self.choices), question)
        return (await self.desk.ask(question) if given is None else given).focus

    def stop_asking(self, reason: VenireError) -> None:
        """Give up the open questions, and those to come: `select` raises `reason`."""
        self.desk.stop(reason)

    def resolved(self, change: Change) -> None:
        """The page shows what changed."""
        self.desk.resolved(change)

    def decided(self, outcome: Outcome) -> None:
        """The page shows the final verdict."""
        self.desk.decided(outcome)

    @asynccontextmanager
    async def attended(self, sitting: Sitting) -> AsyncIterator[None]:
        """The page is served within it; at its end whoever looks at it is told that the run has ended.

        Raises:
            ConfigError: there is no such address here, or the port is taken.
        """
        from venire.page.app import make_app
        from venire.page.jury.handlers import Jury
        from venire.page.secret import form_secret
        from venire.page.security import Security, new_token
        from venire.page.serving import listen, note_on, served, url_of
        from venire.page.times import Times, times_path

        token = new_token(self.host)
        security = Security(form_secret(sitting.home), self.host, token=token)
        try:
            listening = listen(self.host, self.port)
        except ConfigError as error:
            raise ConfigError(f"method.focal.selector.port{str(error).removeprefix('--port')}") from None
        times = Times(times_path(Path(self.choices)), lambda: datetime.now(UTC))
        jury = Jury(self.desk, times)
        self.desk.open(sitting, partial(append_choice, Path(self.choices)))
        with listening, served(make_app(security, [jury.mode]), listening):
            url = url_of(listening, token)
            sitting.say(f"Choose at {url} (Ctrl-C stops the run; choices are kept){note_on(url)}")
            try:
                yield
            finally:
                self.desk.close()
                await jury.goodbye()
