"""One instance worked by hand, for the tests of the method as a whole."""

from typing import Any

from tests.methods.juryflow.court import Court, pair, unit

from venire.records import Outcome

# The worked example. First response, four claims:
#   A 3 reject : 2 accept        d = .613, plurality reject
#   B 2 : 2 : 1 (j2 uncertain)   d = .960, plurality uncertain (accept and reject tie, j2 is not among them)
#   C unanimous accept           d = 0
#   D 4 accept : 1 reject        d = .455, plurality accept
# tau .5, m 2: B (c*) and A are re-evaluated. All claims carry the one tag "clear", so w = .5 cos + .5.
# cos(B, C) = .8 -> w = .9; cos(B, D) = -1 -> w = .5, which is not above beta = .5; so only C follows.
A, B, C, D = "claim A", "claim B", "claim C", "claim D"
VECTORS = {
    A: unit(0.0, 1.0),
    B: unit(1.0, 0.0),
    C: unit(0.8, 0.6),
    D: unit(-1.0, 0.0),
    "fine": unit(0.0, -1.0),
}
FIRST = pair("first", "second")


def court(**given: Any) -> Court:
    rules: dict[str, Any] = {
        "claims": {"first": [A, B, C, D], "second": ["fine"]},
        "votes": {A: "rrraa", B: "aaurr", C: "aaaaa", D: "raaaa"},
        "revised": {A: "r", B: "r", C: "u"},
        "vectors": VECTORS,
    }
    return Court(**{**rules, **given})


def responses(outcome: Outcome) -> list[dict[str, Any]]:
    found = outcome.detail["responses"]
    assert isinstance(found, list)
    return found


def reviews(outcome: Outcome) -> list[tuple[str, int, str | None, str | None]]:
    return [
        (each["kind"], each["claim"], each["before"], each["after"])
        for response in responses(outcome)
        for each in response["reevaluations"]
    ]
