"""A stage of a cascade: who is asked, how often, and how sure the answer is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from venire.errors import ConfigError, DataError
from venire.judging.ballot import Ballot
from venire.judging.confidence import Source, evidence, leading, share, stated
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge
from venire.judging.matter import together
from venire.judging.orders import Orders
from venire.judging.pairwise import compare
from venire.judging.panel import Panel
from venire.judging.verdict_token import VERDICT_TOKEN, compare_by_token, letters_of
from venire.llm.protocol import LLM
from venire.prompts.render import require_prompt
from venire.records import Call, Instance, Order, Vote, Winner
from venire.stats.guarantee import check_levels

_MOST_SAMPLES = 100
# Of sources without natural levels; fixed before anything is seen, as the guarantee asks.
_LEVELS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
_SHARES = (Source.CONSISTENCY, Source.PANEL_SHARE)


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage. Its verdict is the winner that most of its votes name; without one it has none.

    Args:
        asks: a judge, or a panel of which all judges vote.
        confidence: what its confidence is read from: `consistency` (of one judge), `panel_share`,
            `verbalised`, `logprob` (one letter is asked, with `verdict_token`) or `evidence`.
        orders: in which orders the pair is shown.
        samples: how often each judge is asked in each order.
        sampling_temperature: of all samples, where there are several; null: the judge's own, above 0.
        prompt, allow_tie: as of `method=pairwise`; `logprob` has a prompt of its own.
        levels: the thresholds to choose among, falling, fixed before development items are looked at; null:
            all shares of its votes above one half, or .95, .9, .8, .7, .6, .5 of the other sources.
        cost_usd: of asking it about one instance; null: what its calls cost on the development split.

    Raises:
        ConfigError: settings that do not fit who is asked.
    """

    asks: Judge | Panel
    confidence: Source = Source.CONSISTENCY
    orders: Orders = Orders.BOTH
    samples: int = 1
    sampling_temperature: float | None = None
    prompt: str = "pairwise"
    allow_tie: bool = True
    levels: tuple[float, ...] | None = None
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        require_prompt(self.prompt, like="pairwise")
        if not 1 <= self.samples <= _MOST_SAMPLES:
            raise ConfigError(f"samples: expected 1 to {_MOST_SAMPLES}, got {self.samples}")
        if self.sampling_temperature is not None and not 0 < self.sampling_temperature <= 2:
            raise ConfigError(
                f"sampling_temperature: expected more than 0, up to 2, got {self.sampling_temperature:g}"
            )
        if self.cost_usd is not None and self.cost_usd < 0:
            raise ConfigError(f"cost_usd: expected at least 0, got {self.cost_usd:g}")
        self._check_source()
        try:
            check_levels([self.thresholds])
        except DataError as error:
            raise ConfigError(str(error)) from None

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Who is asked."""
        return self.asks.judges if isinstance(self.asks, Panel) else (self.asks,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompt files of its own questions."""
        return (VERDICT_TOKEN,) if self.confidence is Source.LOGPROB else (self.prompt,)

    @property
    def votes_an_instance(self) -> int:
        """Over judges, orders and samples."""
        return len(self.judges) * (2 if self.orders is Orders.BOTH else 1) * self.samples

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The levels to choose among, falling."""
        if self.levels is not None:
            return self.levels
        votes = self.votes_an_instance
        if self.confidence not in _SHARES:
            return _LEVELS
        return tuple(count / votes for count in range(votes, votes // 2, -1))

    @property
    def _has_greedy_judge(self) -> bool:
        return any(isinstance(judge, PromptedJudge) and judge.temperature == 0 for judge in self.judges)

    def _check_source(self) -> None:
        source, recorded = self.confidence, any(isinstance(judge, RecordedJudge) for judge in self.judges)
        if source is Source.FINAL:
            raise ConfigError("confidence: expected where a stage's confidence comes from, got final")
        if source is Source.MARGIN:
            raise ConfigError(
                "confidence: margin is of responses that are scored apart, and a stage compares them; take "
                "consistency, panel_share, verbalised, logprob or evidence"
            )
        if source is Source.PANEL_SHARE and len(self.judges) < 2:
            raise ConfigError("confidence: panel_share needs a panel of two or more, got one judge")
        if source is Source.CONSISTENCY and len(self.judges) > 1:
            raise ConfigError("confidence: consistency is one judge's, of a panel take panel_share")
        if source in _SHARES and self.votes_an_instance < 2:
            raise ConfigError(f"confidence: {source} needs two votes: both orders, or samples")
        if recorded and self.samples > 1:
            raise ConfigError(
                f"samples: recorded judges were asked once in each order, expected 1, got {self.samples}"
            )
        if self.samples > 1 and self.sampling_temperature is None and self._has_greedy_judge:
            raise ConfigError(
                "sampling_temperature: samples at temperature 0 say the same again; expected a temperature, "
                "got null"
            )
        if recorded and source in (Source.VERBALISED, Source.LOGPROB):
            raise ConfigError(
                f"confidence: recorded judges tell none, so no {source}; take consistency or panel_share"
            )
        if source is Source.LOGPROB:
            self._check_logprobs()

    def _check_logprobs(self) -> None:
        if self.samples > 1:
            raise ConfigError("samples: the token's probability is told at once, expected 1 with logprob")
        needed = len(letters_of(allow_tie=self.allow_tie))
        for judge in self.judges:
            told = judge.top_logprobs if isinstance(judge, PromptedJudge) else 0
            if told < needed:
                raise ConfigError(
                    f"confidence: logprob needs the probabilities of {needed} candidates, {judge.name} tells "
                    f"{told or 'none'} (top_logprobs); take consistency or verbalised"
                )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a stage says of an instance.

    `winner` and `confidence` are None where it has no verdict, or nothing tells how sure it is.
    """

    votes: tuple[Vote, ...]
    calls: tuple[Call, ...]
    winner: Winner | None
    confidence: float | None


async def answer(stage: Stage, name: str, instance: Instance, llm: LLM, *, seed: int) -> Answer:
    """The stage's votes on a pair and what they come to; calls are those of stage `name`.

    Votes are called `<name>: <judge>`, samples after the first `<name>: <judge>, replicate <k>`.
    """
    asked = [
        (judge, _Shown(instance, order, sample))
        for order in stage.orders.of(seed, instance.id)
        for judge in stage.judges
        for sample in range(stage.samples)
    ]
    ballots = await together(_ask(stage, judge, shown, llm, name) for judge, shown in asked)
    votes = tuple(
        replace(ballot.vote, judge=_voter(name, judge, shown.sample))
        for ballot, (judge, shown) in zip(ballots, asked, strict=True)
    )
    # A recorded judge's synthesis has a stage of its own.
    calls = tuple(replace(call, stage=name) for ballot in ballots for call in ballot.calls)
    winner = leading(votes)
    return Answer(votes, calls, winner, _confidence(stage.confidence, votes, winner, instance))


@dataclass(frozen=True, slots=True)
class _Shown:
    instance: Instance
    order: Order
    sample: int


async def _ask(stage: Stage, judge: Judge, shown: _Shown, llm: LLM, name: str) -> Ballot:
    instance, order, allow_tie = shown.instance, shown.order, stage.allow_tie
    if stage.confidence is Source.LOGPROB:
        assert isinstance(judge, PromptedJudge)
        return await compare_by_token(judge, instance, order, llm, allow_tie=allow_tie, stage=name)
    if stage.samples > 1 and stage.sampling_temperature is not None and isinstance(judge, PromptedJudge):
        judge = replace(judge, temperature=stage.sampling_temperature)
    prompt, replicate = stage.prompt, shown.sample
    return await compare(
        judge, instance, order, llm, prompt=prompt, allow_tie=allow_tie, stage=name, replicate=replicate
    )


def _voter(name: str, judge: Judge, sample: int) -> str:
    who = f"{name}: {judge.name}"
    return f"{who}, replicate {sample}" if sample else who


def _confidence(
    source: Source, votes: Sequence[Vote], winner: Winner | None, instance: Instance
) -> float | None:
    if winner is None:
        return None
    match source:
        case Source.CONSISTENCY | Source.PANEL_SHARE:
            return share(votes)
        case Source.VERBALISED | Source.LOGPROB:
            return stated(votes, winner)
        case Source.EVIDENCE:
            return evidence(votes, instance)
        case Source.FINAL | Source.MARGIN:
            raise ValueError(f"a stage, which compares, has no confidence by {source}")
