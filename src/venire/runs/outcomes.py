"""Outcomes as rows: what `outcomes.parquet` holds, and how it is read back."""

import io
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from venire.errors import RunError
from venire.records import (
    Gold,
    Instance,
    Order,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Unscored,
    Vote,
    Winner,
)
from venire.runs.redact import redact_tree
from venire.runs.strict_json import dumps

if TYPE_CHECKING:
    import pyarrow as pa

OUTCOMES_FILE = "outcomes.parquet"
_BATCH = 1024  # rows that are there at once where they are read one after another

Value = TypeVar("Value")

# A prediction is six columns; those of `as_given` and `swapped` are null where an order was not judged.
_PREDICTIONS = ("prediction", "as_given", "swapped")
_TEXTS = ("id", "subset", "cluster", "gold", "gold_json", "votes", "detail")
_PARTS = ("kind", "winner", "confidence", "ratings", "reason", "detail")


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One instance of a finished run, as far as comparisons need it.

    Args:
        id: joins runs over the same data set.
        subset, cluster: the instance's own.
        gold: the human judgment, or None.
        prediction: the method's final word.
        by_order: the prediction within each order judged; empty for scoring.
    """

    id: str
    subset: str
    cluster: str
    gold: Gold | None
    prediction: Prediction
    by_order: Mapping[Order, Prediction] = field(default_factory=dict)


def outcomes_to_parquet(
    instances: Sequence[Instance], outcomes: Sequence[Outcome], secrets: Sequence[str] = ()
) -> bytes:
    """The bytes of `outcomes.parquet`: one row an instance, in the order of `instances`.

    An instance without an outcome is a row whose prediction is unscored with reason `not_run`.

    Raises:
        RunError: an outcome belongs to no instance, or two to the same.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    strays = sorted(by_id.keys() - {instance.id for instance in instances})
    if strays or len(by_id) < len(outcomes):
        raise RunError(f"outcomes: expected one an instance, got doubles or strays: {', '.join(strays[:5])}")
    rows = [outcome_row(instance, by_id.get(instance.id), secrets) for instance in instances]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=outcome_schema()), sink, compression="zstd")
    return sink.getvalue()


def outcome_row(instance: Instance, outcome: Outcome | None, secrets: Sequence[str] = ()) -> object:
    """The row of one instance; None: it was not judged."""
    return redact_tree(_row(instance, outcome or _not_run(instance)), secrets)


def outcome_schema() -> "pa.Schema":
    """The columns of `outcomes.parquet`."""
    import pyarrow as pa

    fields = [pa.field(name, pa.string()) for name in _TEXTS]
    for prefix in _PREDICTIONS:
        fields += [
            pa.field(f"{prefix}_{part}", pa.float64() if part == "confidence" else pa.string())
            for part in _PARTS
        ]
    fields += [
        pa.field("calls", pa.int64()),
        pa.field("cost_usd", pa.float64()),
        pa.field("cost_complete", pa.bool_()),
    ]
    return pa.schema(fields)


def _not_run(instance: Instance) -> Outcome:
    return Outcome(instance.id, Unscored(Reason.NOT_RUN))


def _row(instance: Instance, outcome: Outcome) -> dict[str, object]:
    costs = [call.cost_usd for call in outcome.calls if call.cost_usd is not None]
    return {
        "id": instance.id,
        "subset": instance.subset,
        "cluster": instance.cluster,
        "gold": str(instance.gold.winner) if isinstance(instance.gold, PreferenceGold) else None,
        "gold_json": None if instance.gold is None else dumps(_gold_fields(instance.gold)),
        **_columns("prediction", outcome.prediction),
        **_columns("as_given", outcome.by_order.get(Order.AS_GIVEN)),
        **_columns("swapped", outcome.by_order.get(Order.SWAPPED)),
        "votes": dumps([_vote(vote) for vote in outcome.votes]),
        "calls": sum(not call.is_embedding for call in outcome.calls),
        # null where calls were made and none has a known cost; 0 where none was made
        "cost_usd": sum(costs) if costs or not outcome.calls else None,
        "cost_complete": all(call.cost_complete for call in outcome.calls),
        "detail": dumps(outcome.detail),
    }


def _gold_fields(gold: Gold) -> dict[str, object]:
    match gold:
        case PreferenceGold(winner, votes):
            return {"winner": str(winner), "votes": votes}
        case RatingsGold(mean, by_annotator):
            return {"mean": mean, "by_annotator": by_annotator}


def _columns(prefix: str, prediction: Prediction | None) -> dict[str, object]:
    return {f"{prefix}_{part}": value for part, value in _parts(prediction).items()}


def _parts(prediction: Prediction | None) -> dict[str, object]:
    match prediction:
        case None:
            return {}
        case Preference(winner, confidence):
            return {"kind": "preference", "winner": str(winner), "confidence": confidence}
        case Ratings(by_dimension):
            return {"kind": "ratings", "ratings": dumps(by_dimension)}
        case Unscored(reason, detail):
            return {"kind": "unscored", "reason": str(reason), "detail": detail}


def _vote(vote: Vote) -> dict[str, object]:
    return {
        "judge": vote.judge,
        "order": None if vote.order is None else str(vote.order),
        **_parts(vote.prediction),
        "rationale": vote.rationale,
        "raw": vote.raw,
    }


def read_outcomes(folder: Path) -> tuple[OutcomeRow, ...]:
    """The rows of a run's `outcomes.parquet`, in its order.

    Raises:
        RunError: there is none, or it is not what `write_run` writes.
    """
    return _rows_of(folder, _outcome_row)


def read_judged(folder: Path) -> tuple[Outcome, ...]:
    """The outcomes of a run as its method gave them, in its order, without their calls.

    Raises:
        RunError: as `read_outcomes`.
    """
    return _rows_of(folder, _judged)


def outcome_cells(folder: Path) -> tuple[Mapping[str, object], ...]:
    """The rows of a run's `outcomes.parquet` as they stand there, column by column.

    Raises:
        RunError: as `read_outcomes`.
    """
    return _rows_of(folder, lambda row: row)


def _rows_of(folder: Path, read: Callable[[Mapping[str, object]], Value]) -> tuple[Value, ...]:
    path = folder / OUTCOMES_FILE
    if not path.is_file():
        raise RunError(f"{path}: expected a run's outcomes, found no such file")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return tuple(read(row) for row in pq.read_table(path).to_pylist())
    except (pa.ArrowInvalid, KeyError, ValueError) as error:
        raise RunError(f"{path}: not the outcomes of a run: {error}") from error


def iterate_judged(folder: Path) -> Generator[Outcome, None, None]:
    """As `read_judged`, one after another.

    Raises:
        RunError: as `read_outcomes`.
    """
    path = folder / OUTCOMES_FILE
    if not path.is_file():
        raise RunError(f"{path}: expected a run's outcomes, found no such file")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                yield from map(_judged, batch.to_pylist())
    except (pa.ArrowInvalid, KeyError, ValueError) as error:
        raise RunError(f"{path}: not the outcomes of a run: {error}") from error


def _judged(row: Mapping[str, object]) -> Outcome:
    plain = _outcome_row(row)
    return Outcome(
        instance_id=plain.id,
        prediction=plain.prediction,
        by_order=plain.by_order,
        votes=tuple(_read_vote(vote) for vote in json.loads(str(row["votes"]))),
        detail=json.loads(str(row["detail"])),
    )


def _read_vote(fields: Mapping[str, object]) -> Vote:
    # In a vote's JSON the parts of its prediction have no prefix; those that it does not have are absent.
    prediction = _prediction({f"vote_{part}": fields.get(part) for part in _PARTS} | {"id": ""}, "vote")
    if prediction is None:
        raise ValueError(f"vote of {fields['judge']}: no prediction")
    order = fields["order"]
    return Vote(
        judge=str(fields["judge"]),
        order=None if order is None else Order(str(order)),
        prediction=prediction,
        rationale=str(fields["rationale"]),
        raw=str(fields["raw"]),
    )


def _outcome_row(row: Mapping[str, object]) -> OutcomeRow:
    prediction = _prediction(row, "prediction")
    if prediction is None:
        raise ValueError(f"instance {row['id']}: no prediction")
    orders = {order: _prediction(row, str(order)) for order in Order}
    return OutcomeRow(
        id=str(row["id"]),
        subset=str(row["subset"]),
        cluster=str(row["cluster"]),
        gold=_gold(row),
        prediction=prediction,
        by_order={order: found for order, found in orders.items() if found is not None},
    )


def _prediction(row: Mapping[str, object], prefix: str) -> Prediction | None:
    match row[f"{prefix}_kind"]:
        case None:
            return None
        case "preference":
            confidence = row[f"{prefix}_confidence"]
            return Preference(
                Winner(str(row[f"{prefix}_winner"])), confidence if isinstance(confidence, float) else None
            )
        case "ratings":
            return Ratings(_numbers(json.loads(str(row[f"{prefix}_ratings"]))))
        case "unscored":
            return Unscored(Reason(str(row[f"{prefix}_reason"])), str(row[f"{prefix}_detail"] or ""))
        case other:
            raise ValueError(f"instance {row['id']}: {prefix}_kind {other!r}")


def _gold(row: Mapping[str, object]) -> Gold | None:
    if row["gold_json"] is None:
        return None
    fields = json.loads(str(row["gold_json"]))
    if "winner" in fields:
        votes = {Winner(winner): int(count) for winner, count in fields["votes"].items()}
        return PreferenceGold(Winner(fields["winner"]), votes)
    by_annotator = {name: _numbers(ratings) for name, ratings in fields["by_annotator"].items()}
    return RatingsGold(_numbers(fields["mean"]), by_annotator)


def _numbers(fields: Mapping[str, object]) -> dict[str, float]:
    return {name: float(str(value)) for name, value in fields.items() if value is not None}
