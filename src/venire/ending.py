"""How a run ended: its status, why, and what the user can do about it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.errors import BackendError, InputEnded, StoreError, VenireError
from venire.experiment import Experiment
from venire.metrics.measurement import Measurement
from venire.records import (
    AttemptStatus,
    BackendKind,
    FinishReason,
    Outcome,
    Prediction,
    Reason,
    RunStatus,
    Unscored,
)
from venire.runner import Interrupted, Judged

AGAIN = "Run the same command again: replies that are paid for are not paid again."
_MENDED = "Once that is mended, run the same command again: replies that are paid for are not paid again."
_ONLY_LOST = "Run the same command again: only what lacks a reply is asked for."
_REJECTED = (
    "The provider will reject the same requests again: change what it names (judge, parameters, data) first."
)
_STORED = (
    "These replies are stored, and the same command gives them again: change the judge or the prompt, "
    "ask anew with llm=refresh (which pays again), or raise max_unscored."
)
_UNSTORED = "Change the judge or the method, or raise max_unscored."

_FROM_REPLIES = (Reason.UNPARSED, Reason.TRUNCATED, Reason.REFUSED)
_ESCALATED = f"unscored/{Reason.ESCALATED}"
_SHOWN_CAUSES = 3
_SHOWN_CHARACTERS = 200
_SHOWN_INSTANCES = 20


@dataclass(frozen=True, slots=True)
class Ending:
    """`error` goes into the run's record, `advice` only to who started it; both empty where it finished."""

    status: RunStatus
    error: str = ""
    advice: str = ""


class Heard:
    """What an ending is told by of outcomes that are heard one after another."""

    def __init__(self) -> None:
        self.count = 0
        self.lost: dict[str, set[str]] = {}
        self.example = ""
        self.has_replies = False

    def hear(self, outcome: Outcome, *, evaluated: bool = True) -> None:
        """Hear one; of a development split only whether its calls were answered."""
        self.count += 1
        if causes := _lost(outcome):
            self.lost[outcome.instance_id] = causes
        if evaluated and not self.example:
            self.example = _example(outcome)
        if evaluated and not self.has_replies:
            votes = [vote.prediction for vote in outcome.votes]
            self.has_replies = bool(_unscored_of(votes, *_FROM_REPLIES))


def ending_of(experiment: Experiment, judged: Judged, measured: Measurement) -> Ending:
    """How the run of `experiment` ended that judged as `judged`."""
    heard = Heard()
    for outcome in judged.development:
        heard.hear(outcome, evaluated=False)
    for outcome in judged.outcomes:
        heard.hear(outcome)
    return ending_after(experiment, judged.stopped, heard, measured)


def ending_after(
    experiment: Experiment, stopped: VenireError | None, heard: Heard, measured: Measurement
) -> Ending:
    """How the run of `experiment` ended whose outcomes were `heard`."""
    n = len(experiment.all_instances)
    if stopped is not None:
        error = f"{stopped} ({n - heard.count} of {n} instances are not judged)"
        return Ending(RunStatus.INCOMPLETE, error, advice_after(stopped))
    if heard.lost:
        details = [detail for causes in heard.lost.values() for detail in causes]
        listed = _listed(sorted(heard.lost), _SHOWN_INSTANCES)
        error = f"no reply on {len(heard.lost)} of {n} instances: {_causes(details)}. Instances: {listed}"
        # Its own words for a request that is wrong as such (`Completion.error` begins with the status).
        rejected = all(detail.startswith(f"{AttemptStatus.REJECTED}:") for detail in details)
        return Ending(RunStatus.INCOMPLETE, error, _REJECTED if rejected else _ONLY_LOST)
    if missing_share(measured.metrics) > experiment.max_unscored:
        return _unscored(experiment, heard, measured)
    return Ending(RunStatus.FINISHED)


def advice_after(stopped: VenireError) -> str:
    """What to do after a stop; a used-up budget and a missing replay say so themselves."""
    match stopped:
        case Interrupted() | InputEnded():
            return AGAIN
        case BackendError() | StoreError():
            return _MENDED
        case _:
            return ""


def _lost(outcome: Outcome) -> set[str]:
    """Why calls of an instance were not answered; empty where all were."""
    votes = [vote.prediction for vote in outcome.votes]
    # What is made of votes says more than they do: from whom, in which order.
    for predictions in (votes, list(outcome.by_order.values()), [outcome.prediction]):
        details = {each.detail for each in _unscored_of(predictions, Reason.PROVIDER_ERROR)}
        if details:
            return details
    # Later stages (a re-evaluation, a rubric entry) leave no vote behind where their call was lost.
    lost = [call for call in outcome.calls if call.finish is FinishReason.ERROR]
    return {f"stage {call.stage}: no reply of {call.role}" for call in lost}


def _unscored_of(predictions: Sequence[Prediction], *reasons: Reason) -> list[Unscored]:
    """Those without a judgment for one of `reasons`."""
    return [each for each in predictions if isinstance(each, Unscored) and each.reason in reasons]


def _causes(details: Sequence[str]) -> str:
    """The most frequent causes with an example and a count of instances each.

    What follows the first two parts (`server_error: HTTP 500`) may have a number of its own each time.
    """
    examples: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for detail in sorted(details):
        kind = ": ".join(detail.split(": ")[:2])
        examples.setdefault(kind, shortened(detail) or "no cause given")
        counts[kind] += 1
    shown = [f"{examples[kind]} ({count})" for kind, count in counts.most_common(_SHOWN_CAUSES)]
    more = len(counts) - len(shown)
    return "; ".join(shown) + (f"; and {more} other causes" if more else "")


def _unscored(experiment: Experiment, heard: Heard, measured: Measurement) -> Ending:
    unscored = missing_share(measured.metrics)
    reasons = [
        f"{name.partition('/')[2]} {count:.0f}"
        for name, count in sorted(measured.metrics.items(), key=lambda item: -item[1])
        if name.startswith("unscored/") and name not in ("unscored/total", _ESCALATED)
    ]
    error = (
        f"{unscored:.1%} of the verdicts are missing ({', '.join(reasons)}), more than "
        f"max_unscored={experiment.max_unscored}{heard.example}"
    )
    from_models = experiment.kind in (BackendKind.LIVE, BackendKind.LOCAL)
    stored = from_models and heard.has_replies
    return Ending(RunStatus.FAILED, error, _STORED if stored else _UNSTORED)


def missing_share(metrics: Mapping[str, float]) -> float:
    """The share of verdicts that there should be and are not; what is left to people is meant to be."""
    if not metrics.get(_ESCALATED):
        return 1.0 - metrics["coverage"]
    # A cascade has one verdict an instance.
    return 1.0 - metrics["coverage"] - metrics[_ESCALATED] / metrics["n"]


def _example(outcome: Outcome) -> str:
    """A reply without a judgment; empty where there is none."""
    for vote in outcome.votes:
        if isinstance(vote.prediction, Unscored) and vote.prediction.reason in _FROM_REPLIES:
            why = ", ".join(filter(None, (vote.prediction.reason.value, vote.prediction.detail)))
            where = f"{vote.judge} on {outcome.instance_id}"
            return f". For example {where} ({shortened(why)}): {shortened(vote.raw)!r}"
    return ""


def shortened(text: str) -> str:
    """`text` in one line of at most 200 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else line[: _SHOWN_CHARACTERS - 1] + "…"


def _listed(names: Sequence[str], at_most: int) -> str:
    return ", ".join(names[:at_most]) + (", ..." if len(names) > at_most else "")
