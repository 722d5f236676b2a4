"""MAJ-EVAL's transcripts as JSON-ready facts, for the outcomes file."""

from collections.abc import Sequence

from venire.judging.rating import ratings_detail
from venire.judging.synthesis import Synthesised
from venire.records import Opinion, Part, Transcript, Unscored, Utterance


def transcript_detail(transcript: Transcript) -> dict[str, object]:
    """One group's ratings before and after, and every turn between."""
    return {
        "group": transcript.group,
        "ending": transcript.ending.value,
        "agents": [_part_detail(part) for part in transcript.parts],
        "turns": [_turn_detail(turn) for turn in transcript.turns],
        "cut": list(transcript.cut),
    }


def _part_detail(part: Part) -> dict[str, object]:
    return {
        "agent": part.agent,
        "shown_as": part.shown_as,
        "dimension": part.dimension or None,
        "opening": _opinion_detail(part.opening),
        "final": _opinion_detail(part.final),
        "standing": part.standing.value,
        "asked_again": part.asked_again,
    }


def _opinion_detail(opinion: Opinion) -> dict[str, object]:
    return {
        "ratings": ratings_detail(opinion.ratings),
        "unscored": _why(opinion.ratings if isinstance(opinion.ratings, Unscored) else None),
        "feedback": opinion.feedback,
        "cut": list(opinion.cut),
    }


def _turn_detail(turn: Utterance) -> dict[str, object]:
    return {
        "turn": turn.turn,
        "speaker": turn.speaker,
        "message": turn.message or None,
        "feedback": turn.feedback,
        "ratings": dict(turn.ratings.by_dimension) if turn.ratings else None,
        "closing": turn.closing,
        "repeats": turn.repeats,
        "failed": _why(turn.failed),
        "choice": turn.choice.value,
        "named": turn.named,
        "reason": turn.reason,
        "cut": list(turn.cut),
    }


def _why(unscored: Unscored | None) -> dict[str, str] | None:
    return None if unscored is None else unscored.as_detail


def synthesis_detail(made: Synthesised | None) -> dict[str, object] | None:
    """The aggregator's words; None where none was asked for."""
    if made is None:
        return None
    return {
        "agreements": list(made.agreements),
        "disputes": list(made.disputes),
        "reading": made.reading,
        "unscored": _why(made.unscored),
    }


def failures(transcripts: Sequence[Transcript]) -> dict[str, int]:
    """How much of a debate did not go as it should: counts over all groups."""
    parts = [part for each in transcripts for part in each.parts]
    turns = [turn for each in transcripts for turn in each.turns]
    return {
        "turns": len(turns),
        "failed_openings": sum(isinstance(part.opening.ratings, Unscored) for part in parts),
        "failed_turns": sum(turn.failed is not None for turn in turns),
        "failed_finals": sum(isinstance(part.final.ratings, Unscored) for part in parts),
        "repeated_turns": sum(turn.repeats is not None for turn in turns),
        "cut_turns": sum(len(each.cut) for each in transcripts),
        "chosen_by_rule": sum(turn.choice.value in ("unknown", "closed", "failed") for turn in turns),
    }
