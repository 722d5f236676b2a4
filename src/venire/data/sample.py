"""The bundled sample: 32 pairs on four topics, made for trying things out without any download.

Written for venire. Each response is a few sentences, and each sentence is one claim that is true
or false on purpose. It is far too small and too easy to say anything about a real judge.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from venire.data.checks import Placed, assemble
from venire.data.files import read_jsonl
from venire.data.fingerprint import canonical_json, prompt_cluster
from venire.data.protocol import Loaded
from venire.data.rows import Row
from venire.data.settings import check_at_least_one
from venire.records import Instance, PreferenceGold, Response, Winner

_FILE = Path(__file__).parent / "sample" / "pairwise.jsonl"
_BETTER = {"1": Winner.FIRST, "2": Winner.SECOND}


@dataclass(frozen=True, slots=True)
class SampleClaim:
    """One sentence of a response, and whether it is true."""

    text: str
    true: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """The bundled pairs. The better response is the one with the smaller share of false claims.

    Four topics (the subsets) of eight pairs each; in each topic the better response is first in
    half of the pairs and longer in half of those and of the others. Topics and labels alternate,
    so that a small `limit` has some of each. `claims_of` gives the claims; no prompt shows which
    are true.

    Args:
        limit: the first pairs that are kept; None for all.
    """

    limit: int | None = None

    def __post_init__(self) -> None:
        check_at_least_one("limit", self.limit)

    @property
    def name(self) -> str:
        """`sample`."""
        return "sample"

    def load(self) -> Loaded:
        """The pairs in file order."""
        return assemble(
            [Placed(row, _instance(row)) for row in read_jsonl(_FILE)],
            source="sample/pairwise.jsonl",
            labels=(Winner.FIRST, Winner.SECOND),
            limit=self.limit,
        )


def claims_of(instance: Instance) -> tuple[tuple[SampleClaim, ...], ...]:
    """The claims of each response of a bundled pair, in the data set's order.

    Raises:
        KeyError: the instance is none of the bundled ones.
    """
    keys = ("claims_1", "claims_2")
    return tuple(tuple(SampleClaim(**claim) for claim in json.loads(instance.metadata[key])) for key in keys)


def _instance(row: Row) -> Instance:
    prompt = row.prompt("prompt")
    claims = (_claims(row, "claims_1"), _claims(row, "claims_2"))
    return Instance(
        id=row.name("id"),
        prompt=prompt,
        responses=(_response(claims[0], "response_1"), _response(claims[1], "response_2")),
        gold=PreferenceGold(row.choice("better", _BETTER)),
        subset=row.name("topic"),
        cluster=prompt_cluster(prompt),
        metadata={"claims_1": _as_json(claims[0]), "claims_2": _as_json(claims[1])},
    )


def _claims(row: Row, field: str) -> tuple[SampleClaim, ...]:
    listed = row.value(field)
    found = [_claim(item) for item in listed] if isinstance(listed, list) else []
    claims = tuple(claim for claim in found if claim is not None)
    if not claims or len(claims) < len(found):
        expected = "a list of {text, true}"
        raise row.bad(field, expected=expected, got=repr(listed)[:60], todo="reinstall venire")
    return claims


def _claim(item: object) -> SampleClaim | None:
    match item:
        case {"text": str(text), "true": bool(true)}:
            return SampleClaim(text, true)
    return None


def _response(claims: Sequence[SampleClaim], id: str) -> Response:
    return Response(" ".join(claim.text for claim in claims), id)


def _as_json(claims: Sequence[SampleClaim]) -> str:
    listed: list[Mapping[str, object]] = [asdict(claim) for claim in claims]
    return canonical_json(listed)
