"""Panels: an ordered list of judges, one of which is the strongest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from venire.errors import ConfigError
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge, RecordedParser
from venire.judging.persona import in_person
from venire.records import Message


@dataclass(frozen=True, slots=True)
class Panel:
    """Judges with distinct names. `strongest` names the one that breaks ties and stands alone."""

    judges: tuple[Judge, ...]
    strongest: str

    def __post_init__(self) -> None:
        names = [judge.name for judge in self.judges]
        if not names:
            raise ConfigError("judges: expected at least one judge, got none")
        if len(set(names)) < len(names):
            raise ConfigError(f"judges: names must differ, got {', '.join(names)}")
        if self.strongest not in names:
            raise ConfigError(f"strongest: {self.strongest!r} is not on the panel ({', '.join(names)})")

    @property
    def strongest_judge(self) -> Judge:
        """The judge that `strongest` names."""
        return next(judge for judge in self.judges if judge.name == self.strongest)


def twins(panel: Panel) -> Iterator[tuple[str, str]]:
    """Pairs of names whose seats are asked the very same.

    Equal requests share one stored reply: one voice then counts twice.
    """
    seats: dict[object, str] = {}
    for judge in panel.judges:
        if not isinstance(judge, PromptedJudge):
            continue
        sampling = (judge.temperature, judge.top_p, judge.max_tokens, judge.sampling_seed, judge.reply_format)
        told = in_person((Message("user", ""),), judge.persona)
        seat = (judge.model, judge.endpoint, sampling, told)
        if seat in seats:
            yield seats[seat], judge.name
        seats.setdefault(seat, judge.name)


def recorded_panel(
    models: tuple[str, ...],
    strategy: str,
    *,
    parser: RecordedParser = RecordedParser.AS_PUBLISHED,
    root: str = "data",
    strongest: str | None = None,
) -> Panel:
    """A panel of recorded models under one strategy.

    Args:
        models: names as `RecordedJudge.model` has them, in the order in which they are asked.
        strategy, parser, root: see `RecordedJudge`.
        strongest: which of them it is; None: the first.
    """
    judges = tuple(RecordedJudge(model, strategy, parser, root) for model in models)
    return Panel(judges, strongest or (models[0] if models else ""))


def panel_of(members: Mapping[str, Judge], strongest: str) -> Panel:
    """A panel of named entries.

    Args:
        members: in their order; the keys are handles for overrides and nothing else.
        strongest: the name of the one that decides where the panel cannot.
    """
    return Panel(tuple(members.values()), strongest)
