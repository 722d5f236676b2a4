"""`calls.jsonl.gz`: one line a call."""

import gzip
import io
from collections.abc import Sequence
from dataclasses import asdict

from venire.records import Outcome
from venire.runs.redact import redact_tree
from venire.runs.strict_json import dumps

CALLS_FILE = "calls.jsonl.gz"


def calls_to_gzip(outcomes: Sequence[Outcome], secrets: Sequence[str] = ()) -> bytes:
    """The calls of `outcomes` in their order, a JSON object a line; equal calls give equal bytes."""
    lines = [
        dumps(redact_tree(asdict(call) | {"instance_id": outcome.instance_id}, secrets))
        for outcome in outcomes
        for call in outcome.calls
    ]
    sink = io.BytesIO()
    # neither time nor file name in the header
    with gzip.GzipFile(filename="", fileobj=sink, mode="wb", mtime=0) as file:
        file.write("".join(line + "\n" for line in lines).encode())
    return sink.getvalue()
