"""The pages of JuryFlow's choice: what a browser asks for, and what it gets."""

import asyncio
from pathlib import Path
from time import monotonic
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from venire.page.jury.desk import Asked, Desk, Stage
from venire.page.jury.drawing import Drawing, draw
from venire.page.jury.views import NONE, change_view, decision_view, question_view
from venire.page.mode import Mode
from venire.page.rendering import done, page
from venire.page.security import form_of, visitor_of
from venire.page.times import Times, new_visit, seconds_of, take_time, visit_in

_WAIT_S = 15.0  # a browser's wait for news, before it asks again
_LOOK_S = 0.1
_AT_ONCE_S = 1.0
_LISTENING_S = 30.0  # a browser that asked so lately is perhaps still there
_GOODBYE_S = 4.0
_LAST_LOOK_S = 0.2

NAME = "jury"


class Jury:
    """The mode's handlers over one desk, and the times that people take."""

    def __init__(self, desk: Desk, times: Times) -> None:
        self._desk = desk
        self._times = times
        self._drawings: dict[str, Drawing] = {}
        self._heard_at: float | None = None
        self._seen = False  # somebody has a page, whole, that says that the run has ended

    @property
    def mode(self) -> Mode:
        """What plugs into the page."""
        return Mode(
            name=NAME,
            title="JuryFlow",
            routes=(
                Route("/", self.now),
                Route("/question/{key}", self.question),
                Route("/question/{key}", self.answer, methods=["POST"]),
                Route("/choice/{key}", self.choice),
                Route("/time", self.time, methods=["POST"]),
                Route("/news", self.news),
            ),
            folder=Path(__file__).parent,
            intro="Judges disagree: you say which disagreement is resolved first.",
        )

    async def goodbye(self) -> None:
        """Wait, a few seconds at most, until a browser that is there was told that the run has ended."""
        give_up = monotonic() + _GOODBYE_S
        if self._heard_at is None or monotonic() - self._heard_at > _LISTENING_S:
            return
        while not self._seen and monotonic() < give_up:
            await asyncio.sleep(0.05)
        await asyncio.sleep(_LAST_LOOK_S)  # for another browser

    def now(self, request: Request) -> Response:
        """The open question, else how far the run is."""
        self._hear()
        waiting = self._desk.open_questions
        if waiting:
            told = f"?done={quote(request.query_params['done'])}" if "done" in request.query_params else ""
            return RedirectResponse(f"/{NAME}/question/{waiting[0].key}{told}", 303)
        if self._over:
            return self._ended(request)
        return page(request, f"{NAME}/waiting.html", status=200, **self._common())

    def question(self, request: Request) -> Response:
        """One question."""
        self._hear()
        asked = self._desk.find(request.path_params["key"])
        if asked is None or (self._over and asked.choice is None):
            return RedirectResponse(f"/{NAME}/", 303)
        if asked.choice is not None:
            return RedirectResponse(f"/{NAME}/choice/{asked.key}", 303)
        return self._asking(request, asked)

    def answer(self, request: Request) -> Response:
        """Keep the answer, then say so."""
        self._hear()
        asked = self._desk.find(request.path_params["key"])
        if asked is None:
            return done(request, f"/{NAME}/", "too_late")
        form, annotator = form_of(request), visitor_of(request).annotator or ""
        said, seconds = form.get("claim", ""), seconds_of(form.get("seconds", ""))
        offered = {str(index): index for index in asked.question.ranked}
        visit = visit_in(form, annotator, asked.key)
        if said != NONE and said not in offered:
            if seconds is not None:
                self._times.add(visit, seconds)
            return self._asking(request, asked, "Choose one of the claims, or none.", status=422)
        claim = offered.get(said)
        try:
            spent = self._times.add(visit, seconds)
            kept = self._desk.answer(asked, claim, annotator, spent)
        except OSError as error:
            fault = f"Not kept: {error.strerror or 'the file cannot be written'}. The question is still open."
            return self._asking(request, asked, fault, status=500)
        choice = asked.choice
        if choice is None:
            return done(request, f"/{NAME}/", "too_late")
        sent_twice = (choice.annotator, choice.claim) == (annotator, claim)
        return done(request, f"/{NAME}/choice/{asked.key}", "saved" if kept or sent_twice else "too_late")

    def time(self, request: Request) -> Response:
        """Keep how long somebody has been with a question so far."""
        return take_time(request, self._times)

    def choice(self, request: Request) -> Response:
        """What was chosen, and what it changed so far."""
        self._hear()
        asked = self._desk.find(request.path_params["key"])
        if asked is None or asked.choice is None:
            return RedirectResponse(f"/{NAME}/", 303)
        if "done" in request.query_params:  # just chosen: what is decided at once is shown at once
            self._wait_for(asked, _AT_ONCE_S)
        stage = asked.stage
        change = None if asked.change is None else change_view(asked.change)
        news = f"/{NAME}/news?of={asked.key}&stage={stage.value}&over={int(self._over)}"
        return page(
            request,
            f"{NAME}/choice.html",
            status=200,
            **{**self._common(), "news": news},
            asked=asked,
            choice=asked.choice,
            stage=stage.value,
            change=change,
            decision=decision_view(asked),
            mine=asked.choice.annotator == visitor_of(request).annotator,
        )

    async def news(self, request: Request) -> Response:
        """Waits until what a page shows is out of date, a while at most; says whether it is.

        It looks now and then, and holds no thread: those are few, and pages that are opened need them.
        A page that says that the run has ended asks once it is there, with all that it brings along.
        """
        self._hear()
        of, stage = request.query_params.get("of", ""), request.query_params.get("stage", "")
        over = request.query_params.get("over") == "1"
        self._seen |= over and self._over
        give_up = monotonic() + _WAIT_S
        while True:
            version = self._desk.version
            stale = self._over is not over or self._stage(of) != stage
            left = give_up - monotonic()
            if stale or self._over or left <= 0:
                break
            before = self._progress
            await self._changed(version, left)
            if not of and self._progress != before:
                break
        self._hear()
        return JSONResponse({"stale": stale, "over": self._over, "progress": self._progress})

    async def _changed(self, version: int, at_most_s: float) -> None:
        give_up = monotonic() + at_most_s
        while self._desk.version == version and monotonic() < give_up:
            await asyncio.sleep(_LOOK_S)

    def _wait_for(self, asked: Asked, at_most_s: float) -> None:
        """Until the instance is judged, or waits for another answer."""
        give_up = monotonic() + at_most_s
        while not self._over and asked.stage is not Stage.DECIDED and (left := give_up - monotonic()) > 0:
            version = self._desk.version
            if asked.stage is Stage.RESOLVED and self._desk.open_questions:
                return
            self._desk.wait(version, left)

    @property
    def _over(self) -> bool:
        return self._desk.closed or self._desk.ended is not None

    def _stage(self, key: str) -> str:
        """Of a question; of a page that waits for one: whether there is one."""
        if not key:
            return Stage.OPEN.value if self._desk.open_questions else ""
        asked = self._desk.find(key)
        return "" if asked is None else asked.stage.value

    @property
    def _progress(self) -> str:
        sitting = self._desk.sitting
        return f"{self._desk.judged} of {sitting.instances} instances are judged" if sitting else ""

    def _common(self) -> dict[str, object]:
        return {
            "sitting": self._desk.sitting,
            "progress": self._progress,
            "over": self._over,
            "stopped": self._desk.ended is not None,
            "waiting": len(self._desk.open_questions),
            "news": f"/{NAME}/news?of=&stage=&over={int(self._over)}",
        }

    def _asking(self, request: Request, asked: Asked, fault: str = "", *, status: int = 200) -> Response:
        return page(
            request,
            f"{NAME}/question.html",
            status=status,
            **{**self._common(), "news": f"/{NAME}/news?of={asked.key}&stage={Stage.OPEN}&over=0"},
            view=question_view(asked, self._drawing(asked)),
            fault=fault,
            visit=new_visit(),
            times=self._times.key,
            number=1 + sum(each.choice is not None for each in self._desk.questions),
        )

    def _ended(self, request: Request) -> Response:
        made = [
            (asked, None if asked.change is None else change_view(asked.change), decision_view(asked))
            for asked in self._desk.questions
            if asked.choice is not None
        ]
        return page(request, f"{NAME}/ended.html", status=200, **self._common(), made=made)

    def _drawing(self, asked: Asked) -> Drawing:
        """Made once, however often the page is loaded."""
        if asked.key not in self._drawings:
            graph = asked.question.graph
            self._drawings[asked.key] = draw(graph.nodes, graph.weights)
        return self._drawings[asked.key]

    def _hear(self) -> None:
        self._heard_at = monotonic()
