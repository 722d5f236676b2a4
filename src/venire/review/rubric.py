"""Corrections of people as edge cases of a rubric: the same file, with what the judge got wrong in it.

A rubric that was corrected on an item must not judge that item: its file says on which (`corrected_on`),
and `method=direct` refuses them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.data.fingerprint import content_id
from venire.errors import DataError
from venire.generated.record import escaped
from venire.judging.rubric import CORRECTED_ON
from venire.review.feedback import Correction

_SHOWN = 400  # characters of a response that an edge case quotes


@dataclass(frozen=True, slots=True)
class Corrected:
    """A rubric file's content with edge cases more.

    Args:
        content: as the file holds it.
        added: how many edge cases there are more, by criterion.
        left_out: corrections that name no reason, or no criterion of the rubric.
    """

    content: Mapping[str, object]
    added: Mapping[str, int]
    left_out: int


def corrected_rubric(
    content: Mapping[str, object],
    corrections: Sequence[Correction],
    *,
    name: str,
    run_id: str,
    criterion: str | None = None,
    without_reason: bool = False,
) -> Corrected:
    """`content` with the corrections as edge cases of the criteria that they are of.

    Args:
        content: a rubric file (`conf/rubric`), references and escapes as they stand there.
        name: of the new rubric.
        run_id: the run whose verdicts were corrected.
        criterion: of which corrections of pairs on the whole are taken to be; they name none themselves.
        without_reason: whether corrections without a comment are taken, too.

    Raises:
        DataError: the content has no rubrics, `criterion` is none of them, or nothing can be added.
    """
    rubrics = content.get("rubrics")
    if not isinstance(rubrics, Mapping):
        raise DataError("rubric: expected a file with rubrics, as of conf/rubric, got another")
    if criterion is not None and criterion not in rubrics:
        raise DataError(f"--criterion: expected one of {', '.join(map(str, rubrics))}, got {criterion!r}")
    cases: dict[str, list[dict[str, object]]] = {str(key): [] for key in rubrics}
    used = []
    for each in corrections:
        key = each.dimension or criterion or ""
        if key in cases and (each.comment or without_reason):
            cases[key].append(_edge_case(each))
            used.append(each)
    if not used:
        raise DataError(
            f"corrections: expected some with a comment, of {', '.join(cases)}, got none of "
            f"{len(corrections)}; --without-reason takes those without a comment, --criterion says what "
            "pairs were compared on"
        )
    grown = {
        key: {**rubric, "edge_cases": [*rubric.get("edge_cases", []), *cases[str(key)]]}
        for key, rubric in rubrics.items()
    }
    learnt = {each.instance_id: content_id(each.prompt, each.context, each.responses) for each in used}
    before = content.get("provenance")
    known = dict(before) if isinstance(before, Mapping) else {}
    told = {**known, CORRECTED_ON: {**dict(known.get(CORRECTED_ON, {})), **learnt}, "corrected_by": run_id}
    return Corrected(
        {**content, "name": name, "rubrics": grown, "provenance": told},
        {key: len(own) for key, own in cases.items() if own},
        len(corrections) - len(used),
    )


def _edge_case(correction: Correction) -> dict[str, object]:
    """As a file has it: what people and models wrote is no reference of hydra's."""
    like = f"A response like this: {_quoted(correction.responses[0])}."
    if len(correction.responses) > 1:
        like = f"Two responses like these: {' and '.join(map(_quoted, correction.responses))}."
    # Why a run has no judgment (a cascade's thresholds, a cut reply) is nothing that a judge could use.
    said = f"A judge said {correction.judged}." if correction.has_judgment else "No judge decided it."
    case = {
        "situation": f"{like} {said}",
        "guidance": f"A person says {correction.corrected}. {correction.comment}".strip(),
    }
    return {part: escaped(text) for part, text in case.items()}


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= _SHOWN else f'"{line[:_SHOWN]}..."'
