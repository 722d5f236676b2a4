"""The files that a run's confidences leave: reliability diagrams and risk-coverage curves."""

import tempfile
import textwrap
from collections.abc import Mapping
from pathlib import Path

from venire.developing import developed
from venire.experiment import Experiment
from venire.judging.cascade import CascadeFit
from venire.judging.confidence import Source
from venire.metrics.confidence import ConfidenceSettings, Told, sources_of, told_by
from venire.metrics.confidence import Judged as Pairs
from venire.records import BackendKind, RunRecord
from venire.reporting.cascade_files import cascade_files
from venire.reporting.confidence_plots import reliability_plot, risk_coverage_plot
from venire.reporting.figure import SIMULATED, Captions
from venire.runner import Judged
from venire.stats.recalibration import Curve, fit

_TITLE_WIDTH = 52  # characters of the narrower figure


def confidence_files(experiment: Experiment, judged: Judged, record: RunRecord) -> dict[str, str | bytes]:
    """What a run leaves of its confidences: figures where they are wanted, and a cascade's report.

    Args:
        experiment: with the method as its development split made it.
        judged: what became of its instances.
        record: of the run.
    """
    known = developed(experiment, judged)
    first = experiment.development.instances if experiment.development is not None else ()
    auditions = {outcome.instance_id: outcome for outcome in judged.development}
    by_id = {outcome.instance_id: outcome for outcome in judged.outcomes}
    title = experiment.identity.name
    fitted: CascadeFit | None = getattr(experiment.method, "in_force", None)
    figures_ = figures(
        [(each, by_id.get(each.id)) for each in experiment.loaded.instances],
        known,
        experiment.metrics.confidence,
        kind=experiment.kind,
        title=title,
    )
    heard = [(each, auditions[each.id]) for each in first if each.id in auditions]
    return {**figures_, **cascade_files(fitted, heard, record.metrics, title=title)}


def figures(
    judged: Pairs,
    development: Pairs,
    settings: ConfidenceSettings,
    *,
    kind: BackendKind,
    title: str,
) -> dict[str, bytes]:
    """`reliability_<source>.{svg,png}` of each source, and `risk_coverage.{svg,png}` of them all.

    Nothing where no outcome has a confidence, or the settings want no figures.
    """
    wanted = bool(development) if settings.figures is None else settings.figures
    if not wanted:
        return {}
    told = [told_by(source, judged) for source in sources_of(settings, judged)]
    told = [each for each in told if len(each.confidence)]
    if not told:
        return {}
    title = textwrap.fill(title, _TITLE_WIDTH)
    stamp = SIMULATED if kind is BackendKind.SIMULATED else ""
    with tempfile.TemporaryDirectory(prefix="venire-") as folder:
        for each in told:
            captions = Captions(
                f"{title}\n{each.source}: reliability",
                "mean confidence of the bin",
                "share of right predictions",
                note=_note(each, kind, f"{settings.binned}, 95% Wilson intervals, items below."),
                stamp=stamp,
            )
            curves = _curves(each.source, development, settings)
            stem = Path(folder) / f"reliability_{each.source}"
            reliability_plot(each.graded, settings.binned, curves, captions, stem)
        captions = Captions(
            f"{title}\nrisk and coverage",
            "share of items kept, the most confident first",
            "share of wrong predictions",
            note=_note(told[0], kind, "A point for each distinct confidence."),
            stamp=stamp,
        )
        sources = {str(each.source): each.graded for each in told}
        risk_coverage_plot(sources, captions, Path(folder) / "risk_coverage")
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def _note(told: Told, kind: BackendKind, rest: str) -> str:
    return f"n = {len(told.confidence)} of {len(told.used)} instances, backend {kind}. {rest}"


def _curves(source: Source, development: Pairs, settings: ConfidenceSettings) -> Mapping[str, Curve]:
    known = told_by(source, development)
    if not len(known.confidence):
        return {}
    return {str(kind): fit(kind, known.graded) for kind in settings.recalibration}
