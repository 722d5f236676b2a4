"""The check of methods that hold one response against its reference, without a judge."""

from collections.abc import Sequence

from venire.errors import DataError
from venire.records import Instance


def check_references(method: str, instances: Sequence[Instance]) -> None:
    """Nothing, where every instance has one response and a reference to hold it against.

    Raises:
        DataError: one has not.
    """
    for instance in instances:
        if len(instance.responses) != 1:
            raise DataError(
                f"{instance.id}: expected one response to score, got {len(instance.responses)}; "
                "choose a rated data set (dataset=mslr), or a method that compares"
            )
        if not (instance.reference or "").strip():
            raise DataError(
                f"{instance.id}: expected a reference, which method={method} holds the response against, got "
                "none; choose data with references, or another method"
            )
