"""Labelling as a mode of the page: one item at a time, the list of them, progress, one's own labels."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from venire.metrics.annotators import AgreementSettings
from venire.page.annotating.agreement import FEWEST, Growing, labelled_twice, progress
from venire.page.annotating.answers import SECONDS, Fault, answer_of
from venire.page.annotating.views import (
    fields_of,
    guides_of,
    judged_of,
    questions_of,
    responses_of,
    said,
)
from venire.page.annotating.work import Desk, Item
from venire.page.mode import Mode
from venire.page.rendering import done, page
from venire.page.security import form_of, visitor_of
from venire.page.times import new_visit, seconds_of, take_time, visit_in
from venire.records import Order
from venire.review.label_sheet import label_sheet
from venire.review.labels import Label
from venire.review.sheets import SheetFormat

PER_PAGE = 100
_BEGINNING = 90  # characters of a prompt in the list
_MEDIA = {SheetFormat.JSONL: "application/x-ndjson", SheetFormat.CSV: "text/csv"}


def annotating(desk: Desk, settings: AgreementSettings, *, intro: str) -> Mode:
    """The mode that fills `desk`.

    Args:
        settings: how intervals of agreement are made.
        intro: what it is for, on the first page.
    """
    handlers = _Handlers(desk, settings)
    return Mode(
        name=desk.work.name,
        title=desk.work.title,
        intro=intro,
        folder=Path(__file__).parent,
        routes=(
            Route("/", handlers.begin),
            Route("/item/{number:int}", handlers.show),
            Route("/item/{number:int}", handlers.save, methods=["POST"]),
            Route("/skip/{number:int}", handlers.skip),
            Route("/time", handlers.time, methods=["POST"]),
            Route("/undo", handlers.undo, methods=["POST"]),
            Route("/items", handlers.listing),
            Route("/progress", handlers.progress),
            Route("/labels{form}", handlers.download),
        ),
    )


class _Handlers:
    """The requests of the mode; all but the file of labels is values."""

    def __init__(self, desk: Desk, settings: AgreementSettings) -> None:
        self._desk = desk
        self._agreement = Growing(desk, settings)
        self._name = desk.work.name

    def begin(self, request: Request) -> Response:
        """To the first item without a label; or that there is none."""
        number = self._desk.next_open(_annotator(request))
        told = f"?done={quote(request.query_params['done'])}" if "done" in request.query_params else ""
        if number is not None:
            return RedirectResponse(f"{self._url('item')}/{number}{told}", 303)
        return self._render(request, "finished")

    def show(self, request: Request) -> Response:
        """One item, with what this annotator said of it before."""
        item = self._item(request)
        annotator = _annotator(request)
        sides = self._desk.work.sides(annotator, item)
        label, criteria = self._desk.own(annotator).get(item.instance.id), self._desk.work.criteria_of(item)
        given = fields_of(item, label, sides, criteria)
        return self._show(request, item, given, fault=None, status=200)

    def save(self, request: Request) -> Response:
        """Keep what was said; on to the next."""
        item, form, annotator = self._item(request), form_of(request), _annotator(request)
        wanted = (self._desk.work.key, item.handle, item.content, annotator)
        if tuple(form.get(name) for name in ("work", "item", "content", "annotator")) != wanted:
            what = "another item, annotator, run or study"
            title = f"Nothing was saved: this form is of {what}. Go back and reload it."
            return page(request, "error.html", status=409, title=title)
        sides = self._desk.work.sides(annotator, item)
        work = self._desk.work
        answer = answer_of(form, item, winners=work.winners, sides=sides, criteria=work.criteria_of(item))
        visit = visit_in(form, annotator, item.what)
        if isinstance(answer, Fault):
            if (seconds := seconds_of(form.get(SECONDS, ""))) is not None:
                self._desk.times.add(visit, seconds)
            return self._show(request, item, form, fault=answer, status=422)
        try:
            self._desk.save(annotator, item, answer, visit)
        except OSError as error:
            why = error.strerror or "the file cannot be written"
            return self._show(request, item, form, fault=Fault("", f"Nothing was saved: {why}."), status=500)
        return self._onward(request, request.path_params["number"], "saved")

    def time(self, request: Request) -> Response:
        """Keep how long somebody has been with an item so far."""
        return take_time(request, self._desk.times)

    def skip(self, request: Request) -> Response:
        """On to the next without a word."""
        return self._onward(request, request.path_params["number"], "skipped")

    def undo(self, request: Request) -> Response:
        """Take the latest label back, and show its item again."""
        annotator = _annotator(request)
        item = self._desk.undo(annotator)
        if item is None:
            return done(request, self._url(""), "nothing_to_undo")
        return done(request, f"{self._url('item')}/{self._desk.number(annotator, item)}", "undone")

    def listing(self, request: Request) -> Response:
        """All items of this annotator, a page at a time."""
        annotator, work = _annotator(request), self._desk.work
        own, answered = self._desk.own(annotator), self._desk.answered(annotator)
        order = self._desk.order(annotator)
        only_open = request.query_params.get("show") == "open"
        numbers = [
            number
            for number, at in enumerate(order, start=1)
            if not (only_open and work.items[at].instance.id in answered)
        ]
        pages = max(1, -(-len(numbers) // PER_PAGE))
        at = request.query_params.get("page", "1")
        place = min(max(int(at), 1), pages) if at.isdecimal() and len(at) < 9 else 1
        rows = [
            self._row(work.sides(annotator, item), number, item, own.get(item.instance.id))
            for number in numbers[(place - 1) * PER_PAGE : place * PER_PAGE]
            for item in (work.items[order[number - 1]],)
        ]
        return self._render(
            request,
            "items",
            rows=rows,
            place=place,
            pages=pages,
            only_open=only_open,
            found=len(numbers),
        )

    def _row(self, sides: Order, number: int, item: Item, label: Label | None) -> dict[str, object]:
        text = " ".join(item.instance.prompt[: 4 * _BEGINNING].split())
        return {
            "number": number,
            "handle": item.instance.id if self._desk.work.shown.names else item.handle,
            "beginning": text if len(text) <= _BEGINNING else f"{text[:_BEGINNING]}…",
            "said": "" if label is None else said(label, sides),
        }

    def progress(self, request: Request) -> Response:
        """How far everybody is, and how far they agree."""
        return self._render(
            request,
            "progress",
            everybody=progress(self._desk),
            twice=labelled_twice(self._desk),
            fewest=FEWEST,
            agreement=self._agreement.now(),
        )

    def download(self, request: Request) -> Response:
        """One's own labels as a file, as `venire review import` takes it; those of others stay unseen."""
        try:
            form = SheetFormat(request.path_params["form"])
        except ValueError:
            raise HTTPException(404) from None
        annotator = _annotator(request)
        own = list(self._desk.own(annotator).values())
        text = label_sheet(own, form, handles=not self._desk.work.shown.names)
        named = f'attachment; filename="labels-{self._name}-{annotator}{form.value}"'
        return Response(text, media_type=_MEDIA[form], headers={"content-disposition": named})

    def _show(
        self, request: Request, item: Item, given: Mapping[str, str], *, fault: Fault | None, status: int
    ) -> Response:
        annotator, work = _annotator(request), self._desk.work
        sides = work.sides(annotator, item)
        return self._render(
            request,
            "item",
            status=status,
            item=item,
            number=request.path_params["number"],
            is_labelled=item.instance.id in self._desk.answered(annotator),
            is_filled=item.instance.id in self._desk.own(annotator),
            responses=responses_of(item, sides, names=work.shown.names),
            questions=questions_of(work, item, sides, given),
            guides=guides_of(work, item),
            judged=judged_of(item, sides) if work.shown.verdicts else "",
            given=given,
            fault=fault,
            visit=new_visit(),
            times=self._desk.times.key,
        )

    def _render(self, request: Request, what: str, *, status: int = 200, **values: object) -> Response:
        return page(
            request,
            f"{self._name}/{what}.html",
            status=status,
            work=self._desk.work,
            labelled=len(self._desk.answered(_annotator(request))),
            total=len(self._desk.work.items),
            **values,
        )

    def _item(self, request: Request) -> Item:
        item = self._desk.item(_annotator(request), request.path_params["number"])
        if item is None:
            raise HTTPException(404)
        return item

    def _onward(self, request: Request, number: int, what: str) -> Response:
        following = self._desk.next_open(_annotator(request), after=min(number, len(self._desk.work.items)))
        if following is None:
            return done(request, self._url(""), "all_done" if what == "saved" else what)
        return done(request, f"{self._url('item')}/{following}", what)

    def _url(self, what: str) -> str:
        return f"/{self._name}/{what}"


def _annotator(request: Request) -> str:
    annotator = visitor_of(request).annotator
    assert annotator is not None  # the mode needs one
    return annotator
