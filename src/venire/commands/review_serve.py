"""`venire review serve`: the local page on which people review a run, or annotate data for a study."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

from venire.commands import exits
from venire.commands.data_sets import Chosen, RunData, chosen_data, data_of_folder
from venire.commands.rubric_sets import find_rubrics
from venire.commands.run_criteria import config_of, criteria_of_run
from venire.config import guides_of_run
from venire.data.protocol import Loaded
from venire.errors import ConfigError, TrackingError
from venire.judging.criteria import criteria_for
from venire.metrics.annotators import AgreementSettings
from venire.page.annotating.mode import annotating
from venire.page.annotating.work import Desk, Guide, Item, Work
from venire.page.app import make_app
from venire.page.mode import Mode
from venire.page.secret import form_secret
from venire.page.security import Security, is_annotator, new_token
from venire.page.serving import listen, serve, url_of
from venire.page.study import LABELS_FILE, Study, find_study, keep_study, study_folder
from venire.page.uploads import Uploads
from venire.personas.naming import is_option_name
from venire.records import Winner
from venire.reporting.juryflow_files import RUBRIC_FILE
from venire.review.queue import ReviewFilter, ReviewItem, review_queue
from venire.review.sheets import Shown, outcome_text
from venire.review.store import fields_of, read_labels, store_path
from venire.runs import find_run, read_judged, read_record, secret_values
from venire.runs.strict_json import dumps
from venire.tracking.artifacts import log_artifacts
from venire.tracking.sync import settings_of

TOKEN = "VENIRE_PAGE_TOKEN"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the page is served: see `venire review serve --help`."""

    host: str
    port: int | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """The options of `venire review serve`: a run, or a study with its data set."""

    run: str | None
    study: str | None
    overrides: tuple[str, ...]
    config_dir: Path | None
    chosen: ReviewFilter
    limit: int | None
    shown: Shown
    rubric: str | None
    annotators: tuple[str, ...]
    address: Address


def serve_review(home: Path, request: ServeRequest) -> int:
    """Serve the page until Ctrl-C; returns the exit status.

    Raises:
        ConfigError: neither a run nor a study, or both; an address without a token; a rubric that is none.
        RunError: no such run, or its data has changed.
    """
    if (request.run is None) == (request.study is None):
        raise ConfigError(
            "review serve: expected either RUN, or --study NAME with dataset=NAME the first time"
        )
    request = _resumed(home, request)
    strange = [each for each in request.annotators if not is_annotator(each)]
    if strange:
        raise ConfigError(f"--annotators: expected letters, digits, '.', '_' and '-', got {strange[0]!r}")
    security = _security(home, request.address)
    with ExitStack() as stack:
        listening = stack.enter_context(listen(request.address.host, request.address.port))
        mode = _review(home, request, stack) if request.study is None else _study(home, request)
        app = make_app(security, [mode], annotators=request.annotators)
        url = url_of(listening, security.token, next(iter(security.names), None))
        serve(app, listening, url=url, say=_say)
    return exits.OK


def _now() -> datetime:
    return datetime.now(UTC)


def _say(text: str) -> None:
    print(text, flush=True)


def _review(home: Path, request: ServeRequest, stack: ExitStack) -> Mode:
    """The mode for what a run left uncertain; its labels go to MLflow while `stack` is open."""
    if request.overrides:
        raise ConfigError(f"{request.overrides[0]}: a run says itself which data it judged")
    folder = find_run(home, str(request.run))
    data, record = data_of_folder(folder), read_record(folder)
    queue = review_queue(data.loaded.instances, read_judged(folder), request.chosen)[: request.limit]
    labels = store_path(home, data.dataset.name)
    work = Work(
        name="review",
        title=f"Review of {record.name}" if request.shown.names else "Review",  # a run's name tells its judge
        items=tuple(map(_item, queue)),
        labels=labels,
        winners=data.loaded.labels or tuple(Winner),
        guides=_guides(home, request, data, folder),
        criteria=criteria_of_run(folder, data.loaded.instances),
        seed=int(record.params.get("seed", "0")),
        shown=request.shown,
        source="page",
        run_id=folder.name,
        hints=("venire review measure RUN", "venire review labels --out labels.jsonl"),
    )
    uploads = uploads_of(home, folder, labels, record.mlflow_run_id)
    desk = Desk(work, clock=_now, changed=(lambda: None) if uploads is None else uploads.due)
    if uploads is not None:
        stack.enter_context(uploads.running())
    _say(f"{len(queue)} of {len(data.loaded.instances)} items are uncertain; labels go to {labels}")
    settings = AgreementSettings(data.metrics.draws, data.metrics.level, work.seed)
    return annotating(desk, settings, intro=f"{len(queue)} items that a run was unsure of.")


def _item(entry: ReviewItem) -> Item:
    return Item.of(
        entry.instance,
        judged=outcome_text(entry.outcome),
        why=tuple(why.value for why in entry.why),
    )


def _guides(home: Path, request: ServeRequest, data: RunData, folder: Path) -> tuple[Guide, ...]:
    """The rubric that is asked for, else that of the run's criteria; what it learnt where told."""
    if request.rubric is not None:
        return _named_rubric(home, request)
    criteria, rubrics = guides_of_run(config_of(folder))
    guides: list[Guide] = []
    instances = data.loaded.instances
    for each in criteria_for(criteria, instances[0]) if criteria is not None and instances else ():
        rubric = None if rubrics is None else rubrics.of(each)
        if rubric is not None:  # what a criterion is stands with its question
            guides.append(Guide.of_rubric(rubric))
    return (*guides, *(_learnt(folder / RUBRIC_FILE) if request.shown.verdicts else ()))


def _named_rubric(home: Path, request: ServeRequest) -> tuple[Guide, ...]:
    assert request.rubric is not None
    return tuple(map(Guide.of_rubric, find_rubrics(home, request.rubric, request.config_dir).rubrics))


def _learnt(path: Path) -> Iterator[Guide]:
    """JuryFlow's own rubric: what the run's disputes taught it, so part of what it says."""
    if not path.is_file():
        return
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    for entry in document["rubric"] if isinstance(document, Mapping) else ():
        yield Guide(str(entry["criterion"]), str(entry["boundary"]), str(entry["dimension"]))


def uploads_of(home: Path, folder: Path, labels: Path, mlflow_run_id: str | None) -> Uploads | None:
    """What brings the run's labels to its MLflow run; None where it has none, or tracking is off."""
    if mlflow_run_id is None:
        return None
    try:
        settings = settings_of(folder)
    except TrackingError as error:
        _say(f"MLflow: labels are not uploaded: {error}")
        return None
    if not settings.enabled:
        return None

    def lines() -> str:
        own = [label for label in read_labels(labels) if label.run_id == folder.name]
        return "".join(f"{dumps(fields_of(label))}\n" for label in own)

    def send(path: Path) -> None:
        log_artifacts(settings, mlflow_run_id, [path], home=home, secrets=secret_values(os.environ))

    uploads = Uploads(lines, send)
    if labels.is_file() and lines():
        uploads.due()  # of an earlier page that was killed
    return uploads


def _resumed(home: Path, request: ServeRequest) -> ServeRequest:
    """What a study that there is already says of itself, where the command line says nothing.

    Raises:
        ConfigError: a name that is none.
    """
    if request.study is None:
        return request
    if not is_option_name(request.study):
        raise ConfigError(f"--study: expected letters, digits, '-' and '_' only, got {request.study!r}")
    known = find_study(home, request.study)
    if known is None:
        return request
    config_dir = None if known.config_dir is None else Path(known.config_dir)
    return replace(
        request,
        overrides=request.overrides or known.overrides,
        config_dir=request.config_dir or config_dir,
        rubric=request.rubric or known.rubric,
        annotators=request.annotators or known.annotators,
    )


def _study(home: Path, request: ServeRequest) -> Mode:
    """The mode for a study, a new one or one to go on with."""
    of_runs = {"--limit": request.limit is not None, "--verdicts": request.shown.verdicts}
    for flag in (flag for flag, given in of_runs.items() if given):
        raise ConfigError(f"{flag}: it is of a run's items; a study takes dataset.limit, dataset.sample")
    name = str(request.study)
    chosen = chosen_data(request.overrides, request.config_dir, command="review serve")
    loaded = chosen.dataset.load()
    guides = () if request.rubric is None else _named_rubric(home, request)
    keep_study(home, _described(request, chosen, loaded))
    labels = study_folder(home, name) / LABELS_FILE
    work = Work(
        name="study",
        title=f"Study {name}",
        items=tuple(map(Item.of, loaded.instances)),
        labels=labels,
        winners=loaded.labels or tuple(Winner),
        guides=guides,
        shuffled=True,
        seed=chosen.seed,
        shown=Shown(names=request.shown.names),
        source=f"study {name}",
        hints=(f"venire review labels --study {name} --out {name}.jsonl",),
    )
    _say(f"{len(work.items)} items of {chosen.dataset.name}; labels go to {labels}")
    # Here and not on the page: a path or a column may be named after the models.
    _say(f"afterwards: {work.hints[0]}; {_importing(name, request.overrides)}")
    settings = AgreementSettings(chosen.metrics.draws, chosen.metrics.level, chosen.seed)
    intro = f"{len(work.items)} items, in an order of your own; what others say is not shown."
    return annotating(Desk(work, clock=_now), settings, intro=intro)


def _importing(study: str, overrides: Sequence[str]) -> str:
    return f"venire review import {study}.jsonl --labels-for {shlex.join(overrides)}"


def _described(request: ServeRequest, chosen: Chosen, loaded: Loaded) -> Study:
    return Study(
        name=str(request.study),
        overrides=request.overrides,
        config_dir=None if request.config_dir is None else str(request.config_dir.resolve()),
        dataset=chosen.dataset.name,
        fingerprint=loaded.fingerprint,
        items=len(loaded.instances),
        seed=chosen.seed,
        rubric=request.rubric,
        annotators=request.annotators,
        created_at=_now().isoformat(timespec="seconds"),
    )


def _security(home: Path, address: Address) -> Security:
    """Who may ask; beyond this machine only those with the token, which is made where none is given."""
    token = os.environ.get(TOKEN) or new_token(address.host)
    strange = [each for each in address.names if not re.fullmatch(r"[A-Za-z0-9.\-]+", each)]
    if strange:
        raise ConfigError(f"--name: expected a host name, got {strange[0]!r}")
    return Security(form_secret(home), address.host, tuple(each.lower() for each in address.names), token)
