"""Stage 1 on one response: decomposition and the panel's judgments, claim by claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

import numpy as np

from venire.errors import ConfigError
from venire.judging.align import FloatArray, align, aligned_judgments
from venire.judging.claims import ClaimForm, Ruled, claim_question, judge_claims
from venire.judging.decompose import Decomposed, decompose
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.panel import Panel
from venire.llm.protocol import LLM
from venire.records import Call, Claim, ClaimJudgment, Reason, RubricEntry, Unscored


class Decomposing(StrEnum):
    """Whose claims are judged."""

    SHARED = "shared"  # the strongest judge's, as the bare model; all judges rule on them
    PER_JUDGE = "per_judge"  # each judge rules on its own, and they are aligned after


class Shelf(Protocol):
    """What judges are shown of a rubric."""

    def entries_for(self, vectors: FloatArray) -> tuple[RubricEntry, ...]:
        """The entries most relevant to claims with these vectors."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Convening:
    """How a panel is asked about a response.

    Args:
        panel: who judges; every judge must be one that can be asked.
        form: how judges are asked about claims.
        decomposing: whose claims are judged.
        alignment_threshold: mean cosine from which on claims of several judges are one.
        embedding: the embedding model, as `LLM.embed` is asked for it; None where none is needed.

    Raises:
        ConfigError: a recorded judge, a threshold out of range, no embedding where one is needed.
    """

    panel: Panel
    form: ClaimForm
    decomposing: Decomposing = Decomposing.SHARED
    alignment_threshold: float = 0.85
    embedding: str | None = None

    def __post_init__(self) -> None:
        askable(self.panel)
        if not 0 < self.alignment_threshold <= 1:
            raise ConfigError(f"alignment_threshold: expected above 0 to 1, got {self.alignment_threshold}")
        if self.decomposing is Decomposing.PER_JUDGE and self.embedding is None:
            raise ConfigError("embedding: decomposition=per_judge aligns claims by embeddings, got null")

    @property
    def judges(self) -> tuple[PromptedJudge, ...]:
        """The panel's."""
        return askable(self.panel)

    @property
    def strongest(self) -> PromptedJudge:
        """The panel's strongest judge."""
        return next(judge for judge in self.judges if judge.name == self.panel.strongest)


def askable(panel: Panel) -> tuple[PromptedJudge, ...]:
    """The panel's judges.

    Raises:
        ConfigError: one is recorded: what was published of it are verdicts on pairs.
    """
    judges = tuple(judge for judge in panel.judges if isinstance(judge, PromptedJudge))
    if len(judges) < len(panel.judges):
        raise ConfigError(
            "panel: expected judges that can be asked about claims, got recorded ones, of which only "
            "verdicts on pairs are known; choose another panel, or method.unit=holistic"
        )
    return judges


@dataclass(frozen=True, slots=True)
class Hearing:
    """What the panel says of one response.

    Args:
        matter: the response.
        claims: the claim list.
        judgments: by judge in panel order, one a claim; an abstention where there is no verdict.
        unscored: why the response cannot be judged at all, or None.
        rubric: the entries that judges were shown, once each.
        vectors: of the claims, unit rows, shape (claims, dimensions); None where not asked for.
        calls: in a fixed order, whatever the timing.
    """

    matter: Matter
    claims: tuple[Claim, ...] = ()
    judgments: Mapping[str, tuple[ClaimJudgment, ...]] = field(default_factory=dict)
    unscored: Unscored | None = None
    rubric: tuple[RubricEntry, ...] = ()
    vectors: FloatArray | None = None
    calls: tuple[Call, ...] = ()

    def of_claim(self, index: int) -> list[ClaimJudgment]:
        """Every judge's judgment of one claim."""
        return [own[index] for own in self.judgments.values()]

    def failure(self, judge: str) -> Unscored | None:
        """Why a judge has no verdict on the response; None where it has one, or there is no claim."""
        if self.unscored is not None and not self.judgments:
            return self.unscored
        return Ruled(self.judgments[judge], ()).failure


async def convene(
    convening: Convening, matter: Matter, llm: LLM, *, shelf: Shelf | None = None, embed: bool = False
) -> Hearing:
    """The panel's judgments of one response; no aggregation, no vote.

    Args:
        convening: who is asked, and how.
        matter: the response.
        llm: the model layer.
        shelf: the rubric, where judges are shown one.
        embed: whether the claims' vectors are wanted.

    Source: JuryFlow, "Panel judging"; spec, section 1, stage 1.
    """
    match convening.decomposing:
        case Decomposing.SHARED:
            hearing = await _shared(convening, matter, llm, shelf=shelf, embed=embed)
        case Decomposing.PER_JUDGE:
            hearing = await _per_judge(convening, matter, llm, shelf=shelf)
    if hearing.unscored is not None or not hearing.claims:
        return hearing
    given = [judgment for own in hearing.judgments.values() for judgment in own]
    if any(judgment.verdict for judgment in given):
        return hearing
    reasons = sorted({judgment.reason.reason.value for judgment in given if judgment.reason})
    return replace(hearing, unscored=Unscored(Reason.NO_VOTES, ", ".join(reasons)))


async def _shared(
    convening: Convening, matter: Matter, llm: LLM, *, shelf: Shelf | None, embed: bool
) -> Hearing:
    # The decomposition is everybody's: it is made without anybody's persona.
    made = await decompose(replace(convening.strongest, persona=None), matter, llm)
    if isinstance(made.claims, Unscored):
        unscored = replace(made.claims, detail=_by(convening.strongest, made.claims))
        return Hearing(matter, unscored=unscored, calls=made.calls)
    vectors: FloatArray | None = None
    embedding_calls: tuple[Call, ...] = ()
    if embed or shelf is not None:
        vectors, embedding_calls = await embedded(convening.embedding, made.claims, llm)
    rubric = shelf.entries_for(vectors) if shelf is not None and vectors is not None else ()
    question = claim_question(matter, made.claims, convening.form, rubric)
    ruled = await together(judge_claims(judge, question, llm) for judge in convening.judges)
    return Hearing(
        matter,
        made.claims,
        {judge.name: own.judgments for judge, own in zip(convening.judges, ruled, strict=True)},
        rubric=rubric,
        vectors=vectors,
        calls=(*made.calls, *embedding_calls, *(call for own in ruled for call in own.calls)),
    )


async def _per_judge(convening: Convening, matter: Matter, llm: LLM, *, shelf: Shelf | None) -> Hearing:
    judges = convening.judges
    made = await together(decompose(judge, matter, llm) for judge in judges)
    calls = tuple(call for one in made for call in one.calls)
    if all(isinstance(one.claims, Unscored) for one in made):
        return Hearing(matter, unscored=_none_decomposed(made), calls=calls)
    own = {judge.name: _claims(one) for judge, one in zip(judges, made, strict=True)}
    vectors, more = await embedded(
        convening.embedding, [claim for claims in own.values() for claim in claims], llm
    )
    shown = _shown(own, vectors, shelf)
    questions = [
        claim_question(matter, claims, convening.form, shown.get(judge, ())) for judge, claims in own.items()
    ]
    ruled = await together(
        judge_claims(judge, question, llm) for judge, question in zip(judges, questions, strict=True)
    )
    aligned = align(
        own, vectors, strongest=convening.panel.strongest, threshold=convening.alignment_threshold
    )
    return Hearing(
        matter,
        aligned.claims,
        {
            judge.name: aligned_judgments(aligned, judge.name, rulings.judgments, _failure(one))
            for judge, rulings, one in zip(judges, ruled, made, strict=True)
        },
        rubric=tuple(dict.fromkeys(entry for entries in shown.values() for entry in entries)),
        vectors=vectors[list(aligned.rows)],
        calls=(*calls, *more, *(call for rulings in ruled for call in rulings.calls)),
    )


def _shown(
    own: Mapping[str, Sequence[Claim]], vectors: FloatArray, shelf: Shelf | None
) -> dict[str, tuple[RubricEntry, ...]]:
    """Each judge's rubric entries, by its own claims."""
    if shelf is None:
        return {}
    ends = np.cumsum([len(claims) for claims in own.values()])
    parts = np.split(vectors, ends[:-1])
    return {judge: shelf.entries_for(part) for judge, part in zip(own, parts, strict=True)}


async def embedded(
    model: str | None, claims: Sequence[Claim], llm: LLM
) -> tuple[FloatArray, tuple[Call, ...]]:
    """The claims' vectors, shape (claims, dimensions), and the calls; no claim: shape (0, 0), no call.

    Raises:
        ConfigError: no embedding model is configured.
    """
    if model is None:
        raise ConfigError("embedding: expected an embedding model, got null")
    if not claims:
        return np.zeros((0, 0)), ()
    made = await llm.embed(model, [claim.text for claim in claims])
    return np.asarray(made.vectors, dtype=np.float64), tuple(made.calls)


def _claims(made: Decomposed) -> tuple[Claim, ...]:
    return () if isinstance(made.claims, Unscored) else made.claims


def _failure(made: Decomposed) -> Unscored | None:
    return made.claims if isinstance(made.claims, Unscored) else None


def _none_decomposed(made: Sequence[Decomposed]) -> Unscored:
    reasons = sorted({one.claims.reason.value for one in made if isinstance(one.claims, Unscored)})
    return Unscored(Reason.NO_VOTES, f"no judge's decomposition can be used: {', '.join(reasons)}")


def _by(judge: PromptedJudge, failure: Unscored) -> str:
    return f"decomposition by {judge.name}" + (f": {failure.detail}" if failure.detail else "")
