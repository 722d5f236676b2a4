"""A plan as tables: by stage and model, by job of a sweep, and what must be said under them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from venire.llm.settings import Mode
from venire.metrics.personas import persona_metrics
from venire.planning.plan import Plan
from venire.planning.records import PlannedCall
from venire.planning.scaling import Scaling, scaling
from venire.planning.totals import Amounts, TextAmounts, amounts, by_stage, text_amounts, union
from venire.records import BackendKind, PersonaOrigin, PersonaSet
from venire.reporting.table import DASH, Cell, Estimate, Table

_UNBILLED = (BackendKind.SIMULATED, BackendKind.RECORDED, BackendKind.LOCAL)


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """One job of a plan.

    Args:
        overrides: that tell it from its neighbours.
        plan: what is known of it; None where it has finished before or cannot be run.
        estimate: the same with simulated replies in the place of unknown ones, where it was asked for.
        scaled: what `scaling_table` looks at, where that is neither of the two.
        finished: a finished run of the same job is there: a sweep would skip it.
        error: why it cannot be run.
        pairs: items with a human preference that it would be measured on; None of other data.
        arm: which jobs differ in the seed only.
    """

    overrides: tuple[str, ...]
    plan: Plan | None = None
    estimate: Plan | None = None
    scaled: Plan | None = None
    finished: bool = False
    error: str = ""
    pairs: int | None = None
    arm: str = ""

    @property
    def best(self) -> Plan | None:
        """The estimate, where there is one."""
        return self.estimate or self.plan


def job_sheet(jobs: Sequence[PlannedJob]) -> list[Table]:
    """Calls by stage and model over all jobs, once as known and, where there is one, once as estimated."""
    plans = [job.plan for job in jobs if job.plan is not None]
    if not plans:
        return []
    title = f"plan: {plans[0].name}" if len(plans) == 1 else f"plan: {len(plans)} jobs"
    shown = f"{plans[0].instances} instances, backend kind {', '.join(sorted({p.kind for p in plans}))}"
    known = _stages(f"{title} ({shown})", plans, (*_known_notes(plans), *_notes(plans)))
    if not any(job.estimate for job in jobs):
        return [known]
    best = [job.best for job in jobs if job.best is not None]
    counted = "The number of calls is itself an estimate: the simulated judges are no real ones."
    title = "ESTIMATE: simulated judges replied where a reply is not known"
    return [known, _stages(title, best, (counted, *_notes(best)))]


def jobs_table(jobs: Sequence[PlannedJob]) -> Table:
    """A row a job, and one for all of them: what they share counts once there."""
    estimated = any(job.estimate for job in jobs)
    is_bound = any(job.best.is_lower_bound for job in jobs if job.best)
    columns = ("job", "stored", "new", *(("new, estimated",) if estimated else ()), *_dollars(is_bound))
    common = set(jobs[0].overrides).intersection(*(job.overrides for job in jobs))
    rows = [_job_row(job, common if len(jobs) > 1 else set(), estimated) for job in jobs]
    plans = [job for job in jobs if job.plan is not None]
    whole = amounts(union(job.plan.calls for job in plans if job.plan).values())
    best = amounts(union(job.best.calls for job in plans if job.best).values())
    counted = "all jobs, shared calls once"
    last = _cells(f"{counted} (at least)" if is_bound else counted, whole, best, estimated)
    return Table("sweep", columns, (*rows, last), tuple(_sweep_notes(jobs, is_bound=is_bound)))


def scaling_table(jobs: Sequence[PlannedJob]) -> Table | None:
    """A row a job: what it takes once, for each instance, and for each instance and stakeholder group.

    Where replies are not known, simulated ones stand in for them, and the title says so. Stored calls are
    counted, too: it says what a run costs, not what is left to pay. None where no job has a call that all
    instances share, nor stakeholder groups.
    """
    best = [(job, job.scaled or job.best) for job in jobs]
    rows = [(job, plan, scaling(plan.calls.values(), plan.instances)) for job, plan in best if plan]
    if not any(each.fixed.calls or each.per_group_instance for _, _, each in rows):
        return None
    common = set(jobs[0].overrides).intersection(*(job.overrides for job in jobs))
    names = [" ".join(each for each in job.overrides if each not in common) for job, _, _ in rows]
    body = [
        _scaling_row(f"{name or plan.name}{' (at least)' if plan.is_lower_bound else ''}", each)
        for name, (_, plan, each) in zip(names, rows, strict=True)
    ]
    plans = [plan for _, plan, _ in rows]
    head = (*_SCALING, f"USD, {'/'.join(sorted({f'{plan.instances:,}' for plan in plans}))} instances")
    estimated = ", ESTIMATE: simulated judges replied where a reply is not known"
    title = f"fixed and per instance{estimated if any(plan.simulated for plan in plans) else ''}"
    return Table(title, head, tuple(body), tuple(_scaling_notes(plans)))


_SCALING = (
    *("job", "fixed calls", "fixed tokens", "fixed USD", "calls/instance"),
    *("tokens in/instance", "tokens out/instance", "tokens/(group, instance)", "USD/instance"),
)


def _scaling_row(name: str, each: Scaling) -> tuple[Cell, ...]:
    pair = each.per_group_instance
    return (
        name,
        _number(each.fixed.calls, 0),
        _number(each.fixed.tokens, 0),
        _number(each.fixed.usd, 4),
        _number(each.per_instance.calls, 1),
        _number(each.per_instance.input_tokens, 0),
        _number(each.per_instance.output_tokens, 0),
        "" if pair is None else _number(pair.tokens, 0),
        _number(each.per_instance.usd, 4),
        _number(each.of(each.instances).usd, 2),
    )


def _number(value: float | None, decimals: int) -> Cell:
    return DASH if value is None else Estimate(value, decimals=decimals)


def _scaling_notes(plans: Sequence[Plan]) -> Iterator[str]:
    yield "Fixed: about no instance, so paid once, however many there are. Stored calls count here, too."
    for personas in {plan.personas.name: plan.personas for plan in plans if plan.personas}.values():
        yield _on_personas(personas)


def _on_personas(personas: PersonaSet) -> str:
    """What a set of personas took, before any run."""
    size = f"Personas {personas.name}: {len(personas.groups)} groups, {len(personas.personas)} personas"
    match personas.origin:
        case PersonaOrigin.HAND_WRITTEN:
            return f"{size}, hand-written: no model was paid for them."
        case PersonaOrigin.SHUFFLED:
            return f"{size}, those of another set: no model was paid for them here."
        case _:
            return f"{size}, built from documents before{_paid_before(personas)}."


def _paid_before(personas: PersonaSet) -> str:
    """`: 68,206 tokens (34,103 a document), 0.2864 USD, paid then`, as far as the set's provenance says."""
    took = persona_metrics(personas).metrics
    tokens = [took.get(f"personas/{part}_tokens") for part in ("input", "output")]
    known = [count for count in tokens if count is not None]
    each, usd = took.get("personas/tokens_per_document"), took.get("personas/cost_usd")
    if len(known) < len(tokens):
        return ""
    share = "" if each is None else f" ({each:,.0f} a document)"
    dollars = "" if usd is None else f", {usd:.4f} USD"
    return f": {sum(known):,.0f} tokens{share}{dollars}, paid then"


def last_line(jobs: Sequence[PlannedJob]) -> str:
    """`new calls: 64`; `new calls: at least 2, about 512 with simulated replies`."""
    plans = [job.plan for job in jobs if job.plan is not None]
    new = amounts(union(plan.calls for plan in plans).values()).new
    bound = "at least " if any(plan.is_lower_bound for plan in plans) else ""
    line = f"new calls: {bound}{new}"
    if any(job.estimate for job in jobs):
        best = amounts(union(job.best.calls for job in jobs if job.best).values()).new
        line += f", about {best} with simulated replies"
    return line


def plan_json(jobs: Sequence[PlannedJob]) -> dict[str, object]:
    """The same as plain values: `jobs`, `all` (their union), and `stages` of the union."""
    known = union(job.plan.calls for job in jobs if job.plan)
    is_bound = any(job.plan.is_lower_bound for job in jobs if job.plan)
    made: dict[str, object] = {
        "jobs": [_job_json(job) for job in jobs],
        "all": _amounts_json(known, is_lower_bound=is_bound),
        "is_lower_bound": is_bound,
        "stages": _stages_json(known),
        "texts": [asdict(each) for each in _texts([job.plan for job in jobs if job.plan])],
    }
    if any(job.estimate for job in jobs):
        best = union(job.best.calls for job in jobs if job.best)
        made |= {"estimate": asdict(amounts(best.values())), "estimated_stages": _stages_json(best)}
    return made


def _job_json(job: PlannedJob) -> dict[str, object]:
    made: dict[str, object] = {"overrides": list(job.overrides), "finished": job.finished, "error": job.error}
    if job.plan is not None:
        is_bound = job.plan.is_lower_bound
        made |= _amounts_json(job.plan.calls, is_lower_bound=is_bound) | {"is_lower_bound": is_bound}
    scaled = job.scaled or job.best
    if scaled is not None:
        made["scaling"] = asdict(scaling(scaled.calls.values(), scaled.instances))
    if job.estimate is not None:
        made["estimate"] = asdict(amounts(job.estimate.calls.values()))
    return made


def _amounts_json(calls: Mapping[str, PlannedCall], *, is_lower_bound: bool) -> dict[str, object]:
    """Of too few calls there is no most that the run costs."""
    made = asdict(amounts(calls.values()))
    return made | {"usd_at_most": None} if is_lower_bound else made


def _stages_json(calls: Mapping[str, PlannedCall]) -> list[dict[str, object]]:
    return [
        {"stage": stage, "model": model, **asdict(each)}
        for (stage, model), each in by_stage(calls.values()).items()
    ]


_OF_THESE = (
    "Dollars are of the new calls that are counted here, and bound these alone: what the run costs in all is "
    "not known. A budget bounds it (budget.usd)."
)


def _dollars(is_lower_bound: bool) -> tuple[str, str]:
    """The heads of the two columns; of too few calls neither says what the run costs."""
    of_these = " (of these)" if is_lower_bound else ""
    return f"USD expected{of_these}", f"USD at most{of_these}"


def _stages(title: str, plans: Sequence[Plan], footer: Iterable[str]) -> Table:
    calls = union(plan.calls for plan in plans)
    rows = [(stage, model, *_numbers(each)) for (stage, model), each in by_stage(calls.values()).items()]
    is_bound = any(plan.is_lower_bound for plan in plans)
    new = "new (at least)" if is_bound else "new"
    return Table(
        title,
        ("stage", "model", "stored", new, "tokens in", "tokens out", *_dollars(is_bound)),
        (*rows, ("total", "", *_numbers(amounts(calls.values())))),
        (*footer, *_vectors(plans)),
    )


def _numbers(each: Amounts) -> tuple[Cell, ...]:
    return (
        _count(each.stored),
        _count(each.new),
        _count(each.input_tokens),
        _count(each.output_tokens),
        _usd(each.usd),
        _usd(each.usd_at_most),
    )


def _job_row(job: PlannedJob, common: set[str], estimated: bool) -> tuple[Cell, ...]:
    name = " ".join(each for each in job.overrides if each not in common) or "(as configured)"
    if job.plan is None or job.best is None:
        nothing = Amounts(0, 0, 0, 0, 0.0, 0.0, 0)
        return _cells(f"{name} (finished: skipped)", nothing, nothing, estimated)
    return _cells(
        name, amounts(job.plan.calls.values()), amounts(job.best.calls.values()), estimated, job.plan
    )


def _cells(
    name: str, known: Amounts, best: Amounts, estimated: bool, plan: Plan | None = None
) -> tuple[Cell, ...]:
    bound = f"{name} (at least)" if plan is not None and plan.is_lower_bound else name
    middle = (_count(best.new),) if estimated else ()
    return (bound, _count(known.stored), _count(known.new), *middle, _usd(best.usd), _usd(best.usd_at_most))


def _count(value: int | None) -> Cell:
    return DASH if value is None else Estimate(float(value), decimals=0)


def _usd(value: float | None) -> Cell:
    return DASH if value is None else Estimate(value, decimals=4)


def _known_notes(plans: Sequence[Plan]) -> Iterator[str]:
    stuck, skipped = sum(plan.stuck for plan in plans), sum(plan.skipped for plan in plans)
    if stuck:
        yield (
            f"AT LEAST so many: replies that the store does not hold are unknown, and what depends on them "
            f"(re-asks, later stages) is not counted: so on {stuck:,} instances."
        )
    if skipped:
        yield (
            f"{skipped:,} instances are not counted at all: they are judged on what earlier ones leave "
            "behind (rubric, precedents), which depends on unknown replies."
        )
    if any(plan.unfitted for plan in plans):
        yield (
            "Thresholds hang on unknown replies about the development split: every stage is counted for "
            "every instance, of which the run asks later ones about fewer."
        )
    if stuck or skipped:
        yield _OF_THESE
        yield "--simulate lets simulated judges reply in their place, for an estimate of the rest."


def _notes(plans: Sequence[Plan]) -> Iterator[str]:
    kinds = {plan.kind for plan in plans}
    new = [call for call in union(plan.calls for plan in plans).values() if not call.stored]
    if new and all(call.exact for call in new):
        yield "Exact: these replies are computed, not asked for; a run has the same ones."
    elif new:
        yield (
            "Expected: a token for every four characters in, and out as many as stored replies of the stage "
            "and model have on average, else as simulated ones. At most: input by bytes, output up to "
            "max_tokens. Retries come on top."
        )
    if kinds <= {*_UNBILLED, BackendKind.NONE} and new:
        yield "Nothing is billed: the dollars are what the configured judges would cost."
    unpriced = sorted({call.model for call in new if call.price is None})
    if unpriced:
        yield f"No price is known for {', '.join(unpriced)}: the dollars do not hold it."
    if any(plan.mode is Mode.REFRESH for plan in plans):
        yield "llm=refresh: what is stored is paid again."
    if any(plan.mode is Mode.REPLAY for plan in plans) and new:
        yield "llm=replay: a run stops at the first of the new calls."


def _texts(plans: Sequence[Plan]) -> list[TextAmounts]:
    return text_amounts({key: text for plan in plans for key, text in plan.texts.items()}.values())


def _vectors(plans: Sequence[Plan]) -> Iterator[str]:
    for each in _texts(plans):
        found = f"Vectors of {each.model}: {each.stored:,} texts stored, {each.new:,} new"
        if not each.billed:
            yield f"{found}, computed on this machine."
        elif each.usd is None:
            yield f"{found}, about {each.input_tokens:,} tokens; no price is known."
        else:
            most = each.usd_at_most or 0.0
            yield f"{found}, about {each.input_tokens:,} tokens, {each.usd:.4f} USD (at most {most:.4f})."


def _sweep_notes(jobs: Sequence[PlannedJob], *, is_bound: bool) -> Iterator[str]:
    if is_bound:
        yield _OF_THESE
    if any(job.finished for job in jobs):
        yield "A finished job is not run again (sweep.rerun=true runs it)."
    if any(job.plan.is_lower_bound for job in jobs if job.plan) and any(job.estimate for job in jobs):
        yield "Dollars are those of the estimate."
