"""A pair judged claim by claim: both hearings, each judge's own vote, and what files show of them."""

from collections.abc import Mapping, Sequence

from venire.judging.convene import Convening, Hearing, convene
from venire.judging.matter import Matter, together
from venire.judging.verdicts import Reduction, higher, plurality, score
from venire.llm.protocol import LLM
from venire.records import ClaimJudgment, Instance, Prediction, Preference, Unscored, Verdict, Vote


async def hear_pair(convening: Convening, instance: Instance, llm: LLM) -> tuple[Hearing, ...]:
    """The panel's judgments of both responses, without a rubric; both are heard at once."""
    return tuple(
        await together(
            convene(convening, Matter(instance, index), llm) for index in range(len(instance.responses))
        )
    )


def panel_verdicts(hearing: Hearing, strongest: str) -> tuple[Verdict | None, ...]:
    """The panel's plurality verdict on each claim; None where nobody ruled."""
    return tuple(plurality(hearing.of_claim(claim.index), strongest) for claim in hearing.claims)


def judge_votes(hearings: Sequence[Hearing], judges: Sequence[str], reduction: Reduction) -> tuple[Vote, ...]:
    """Each judge's own preference: its verdicts on either response reduced to scores, the higher wins.

    Equal scores are its vote for a tie: no judge is asked for a holistic verdict of its own. A judge
    that failed on a response is unscored. No order was shown.
    """
    return tuple(Vote(judge, None, _preference(hearings, judge, reduction)) for judge in judges)


def _preference(hearings: Sequence[Hearing], judge: str, reduction: Reduction) -> Prediction:
    for hearing in hearings:
        failure = hearing.failure(judge)
        if failure is not None:
            return failure
    scores = [score([each.verdict for each in hearing.judgments[judge]], reduction) for hearing in hearings]
    return Preference(higher(scores[0], scores[1]))


def lacking(hearings: Sequence[Hearing]) -> Unscored | None:
    """Why the pair cannot be judged: the first response's reason that has one."""
    for hearing in hearings:
        if hearing.unscored is not None:
            said = hearing.unscored.detail
            place = f"response {hearing.matter.response_index + 1}"
            return Unscored(hearing.unscored.reason, f"{place}: {said}" if said else place)
    return None


def hearing_detail(hearing: Hearing) -> dict[str, object]:
    """JSON-ready: claims, each judge's judgments of them, what was shown of a rubric, why unscored."""
    return {
        "claims": [claim.text for claim in hearing.claims],
        "judgments": {
            judge: [judgment_detail(judgment) for judgment in own] for judge, own in hearing.judgments.items()
        },
        "rubric_shown": [entry.id for entry in hearing.rubric],
        "unscored": hearing.unscored.reason.value if hearing.unscored else None,
    }


def scored_detail(
    hearing: Hearing, verdicts: Sequence[Verdict | None], made: float | None
) -> dict[str, object]:
    """The same with each claim's final verdict, and the response's score."""
    final = [verdict.value if verdict else None for verdict in verdicts]
    return {**hearing_detail(hearing), "verdicts": final, "score": made}


def judgment_detail(judgment: ClaimJudgment) -> Mapping[str, object]:
    """JSON-ready; an abstention has a null verdict, and its reason where the judge failed."""
    if judgment.verdict is None:
        return {"verdict": None, "reason": judgment.reason.reason.value if judgment.reason else None}
    return {
        "verdict": judgment.verdict.value,
        "tags": list(judgment.tags),
        "rationale": judgment.rationale,
    }
