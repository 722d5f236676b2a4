"""Which method and which metrics fit a data set, by its structure, and why.

Source: the evaluation guide's decision tree and metric selection (spec, section 3). What a data set's
structure cannot tell (whether its labels follow from facts or from taste) is said to be open, with what
would decide it; `objective` is the user's own answer.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from venire.metrics.annotators import HUMANS, Agreement
from venire.metrics.choice import Family, Scale, Shape, fitting, misfit, shape_of
from venire.records import Annotations, Dimension, Instance
from venire.stats.intervals import FEW_CLUSTERS, wilson

_MANY_POINTS = 10
_MOST = 0.5  # of the items: from here on a reference is what the task is about
_ENOUGH_ITEMS = 30  # that annotators share, for the alternative annotator test
_ENOUGH_ANNOTATORS = 3


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a data set.

    Args:
        shape: of its gold.
        n, prompts: instances, and distinct prompts among them.
        references, contexts, generators: shares of the instances that have a reference, a context, and
            known models behind all their responses.
        annotators: most annotations of one item; 0 where none are known, 1 where each item has one.
        named: different annotators, where they have names; None otherwise.
        testable: annotators who share at least 30 items with others.
        agreement: how far the annotators agree, one a question; empty where no item has two.
    """

    shape: Shape
    n: int
    prompts: int
    references: float
    contexts: float
    generators: float
    annotators: int = 0
    named: int | None = None
    testable: int = 0
    agreement: tuple[Agreement, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A question of the decision tree: its answer, and why."""

    question: str
    answer: str
    why: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method that fits, as overrides of `venire run`, and why."""

    overrides: str
    why: str


@dataclass(frozen=True, slots=True)
class Fitting:
    """A kind of metric that fits: what it tells, and of which dimensions (empty for pairs)."""

    family: Family
    tells: str
    of: str


@dataclass(frozen=True, slots=True)
class Advice:
    """What fits, and what to mind. Every reason is a sentence."""

    facts: Facts
    steps: tuple[Step, ...]
    methods: tuple[Method, ...]
    metrics: tuple[Fitting, ...]
    refused: tuple[tuple[Family, str], ...]
    cautions: tuple[str, ...] = field(default=())


def facts_of(
    instances: Sequence[Instance],
    shape: Shape | None = None,
    annotations: Sequence[Annotations] = (),
    agreement: Sequence[Agreement] = (),
) -> Facts:
    """What is known of instances, and of annotations that were published with them."""
    n = len(instances)
    shared = [_shared(each) for each in annotations]
    return Facts(
        shape=shape or shape_of(instances, ()),
        n=n,
        prompts=len({each.cluster or each.prompt for each in instances}),
        references=sum(bool(each.reference) for each in instances) / n,
        contexts=sum(bool(each.context) for each in instances) / n,
        generators=sum(all(r.generator for r in each.responses) for each in instances) / n,
        annotators=max((most for most, _ in shared), default=0),
        named=max((len(each.annotators) for each in annotations if each.named), default=None),
        testable=max((testable for _, testable in shared), default=0),
        agreement=tuple(agreement),
    )


def _shared(annotations: Annotations) -> tuple[int, int]:
    """Most annotations of a unit, and how many annotators share enough units with others."""
    who: dict[str, set[str]] = {}
    count: dict[str, int] = {}
    for entry in annotations.entries:
        who.setdefault(entry.unit, set()).add(entry.annotator)
        count[entry.unit] = count.get(entry.unit, 0) + 1
    shared: dict[str, int] = {}
    for annotators in who.values():
        for annotator in annotators if len(annotators) > 1 else ():
            shared[annotator] = shared.get(annotator, 0) + 1
    enough = sum(items >= _ENOUGH_ITEMS for items in shared.values()) if annotations.named else 0
    return max(count.values(), default=0), enough


def advise(facts: Facts, *, objective: bool | None = None) -> Advice:
    """What fits these facts.

    Args:
        objective: whether a ground truth decides which response is right; None: as far as the data tells.
    """
    shape = facts.shape
    steps = tuple(_steps(facts, objective))
    is_objective = steps[0].answer
    return Advice(
        facts=facts,
        steps=steps,
        methods=tuple(_methods(facts, is_objective)),
        metrics=tuple(Fitting(each, _WHY[each], _of_which(each, shape)) for each in fitting(shape)),
        refused=tuple((family, reason) for family in Family if (reason := misfit(family, shape))),
        cautions=tuple(_cautions(facts, is_objective)),
    )


YES, NO, OPEN = "yes", "no", "open"


def _steps(facts: Facts, objective: bool | None) -> Iterator[Step]:
    answer, why = _objective(facts, objective)
    yield Step("Is there an objective ground truth?", answer, why)
    if answer == YES:
        return
    if facts.shape.is_pairwise:
        yield Step(
            "Is it a preference or a judgment of quality?",
            YES,
            "two responses to one prompt are compared",
        )
    else:
        yield Step(
            "Is it a preference or a judgment of quality?",
            YES if facts.shape.dimensions else OPEN,
            "single responses are rated on dimensions: quality, but nothing to compare with"
            if facts.shape.dimensions
            else "single responses without any scale",
        )
    has = facts.references >= _MOST
    yield Step(
        "Is there a reference to compare with?",
        YES if has else NO,
        f"{facts.references:.0%} of the items have one",
    )


def _objective(facts: Facts, objective: bool | None) -> tuple[str, str]:
    if objective is not None:
        return (YES if objective else NO), "as you say (--objective)"
    with_each_other = [each for each in facts.agreement if each.against == HUMANS]
    if facts.shape.is_pairwise and with_each_other:
        share = with_each_other[0].with_ties
        return NO, (
            f"several people judged the same pairs and agree on {share.estimate.value:.0%} of their votes "
            f"({share.agree}/{share.total}): what is better is a matter of taste as well"
        )
    if facts.shape.is_pairwise:
        return OPEN, (
            "each pair has one label, which may follow from facts (as LLMBar's do) or be one person's taste: "
            "say --objective yes or no"
        )
    if facts.shape.named(Scale.PASS_FAIL) == [each.name for each in facts.shape.dimensions] != []:
        return YES, "every dimension is passed or failed: criteria that a response meets or does not"
    if facts.shape.dimensions:
        return OPEN, (
            "the dimensions have scales, whose criteria may be facts (agreement with a source) or taste "
            "(style): say --objective yes or no"
        )
    return OPEN, "nothing is said of what the responses are judged by"


def _methods(facts: Facts, is_objective: str) -> Iterator[Method]:
    shape = facts.shape
    direct = Method(
        "method=direct",
        "direct scoring: stated criteria, evidence and justification before the score; moderate to high "
        "reliability where the criteria are objective",
    )
    if shape.is_pairwise:
        pairwise = Method(
            "method=pairwise",
            "the pair in both orders, a contradiction is a tie: more reliable than scores on preferences",
        )
        yield from (direct, pairwise) if is_objective == YES else (pairwise,)
        if is_objective == OPEN:
            yield direct
        yield Method(
            "method=majority panel=poll_small", "several judges of other families vote: less bias of one"
        )
        yield Method("method=cascade", "a cheap judge screens, a stronger one or people take what is unsure")
        yield Method("method=length", "what every judge must beat: the longer response wins")
        return
    if shape.dimensions:
        yield direct
        yield Method("method=rating", "one call rates every dimension: the cheapest way, and a baseline")
        yield Method("method=geval", "expected ratings over score tokens: finer than points")
        if is_objective != YES:
            yield Method("method=maj_eval", "stakeholder groups debate: where several views of quality count")
    if facts.references >= _MOST:
        yield Method(
            "method=rouge_l", "overlap with the reference, without any model: what a judge must beat"
        )
        yield Method("method=bertscore", "likeness to the reference in meaning; needs the extra bertscore")
    if not shape.dimensions and facts.references < _MOST:
        yield direct


_WHY = {
    Family.ACCURACY: "agreement with the gold label, in both orders and of the final verdict",
    Family.KAPPA: "agreement beyond chance: labels are not equally frequent",
    Family.POSITION_CONSISTENCY: "whether the verdict survives a swap; with first_place_rate, where it leans",
    Family.PRECISION: "of what the judge passes, how much people pass",
    Family.RECALL: "of what people pass, how much the judge finds",
    Family.F1: "both at once; look at the two beside it",
    Family.F1_MACRO: "each label counts alike, rare ones too",
    Family.F1_MICRO: "each yes counts alike, frequent labels lead",
    Family.SPEARMAN: "whether higher means higher, whatever the distances",
    Family.KENDALL: "the same over pairs of items; tau-b, for scales with many ties",
    Family.PEARSON: "whether distances go along, too; only where they mean something",
    Family.KAPPA_QUADRATIC: "agreement on the points themselves: a judge that is always one too high is seen",
}


def _cautions(facts: Facts, is_objective: str) -> Iterator[str]:
    shape = facts.shape
    if not shape.has_gold:
        would = ", ".join(fitting(replace(shape, has_gold=True)))
        yield "no item has a human judgment: venire review export RUN gives them to people"
        yield f"with people's labels would fit: {would}" if would else "with a scale, metrics would fit"
    yield _precision(facts)
    if facts.prompts < facts.n:
        narrow = f"; fewer than {FEW_CLUSTERS}, so intervals are perhaps too narrow"
        few = narrow if facts.prompts < FEW_CLUSTERS else ""
        yield f"{facts.n} items share {facts.prompts} prompts: intervals resample prompts{few}"
    yield from _of_annotators(facts)
    if shape.is_pairwise:
        if shape.labels and not any(label.value == "tie" for label in shape.labels):
            yield "the gold has no ties: method.allow_tie=false, or a tie of the judge is counted as wrong"
        yield "length and position: venire audit, before the verdicts are trusted"
        if facts.generators < 1:
            yield "not all responses say which model wrote them: self-enhancement cannot be measured there"
    for dimension in shape.dimensions:
        yield from _of_scale(dimension)
    if len(shape.dimensions) > 1:
        yield "look at each dimension by itself: a judge that is always off on one is worse than a noisy one"
    if is_objective == OPEN and not shape.is_pairwise:
        yield "where the criteria are taste, pairs of responses would be judged more reliably than ratings"


def _of_annotators(facts: Facts) -> Iterator[str]:
    if not facts.agreement:
        if facts.shape.has_gold:
            yield "one annotation an item: how far people agree, the most that a judge can, is not known"
        return
    yield "people do not fully agree: hold the judge's agreement against theirs (venire agreement)"
    if facts.testable >= _ENOUGH_ANNOTATORS:
        yield (
            f"{facts.testable} annotators share {_ENOUGH_ITEMS} items with others: venire alt-test RUN says "
            "whether the judge may replace one"
        )
    elif facts.named is not None:
        yield (
            f"{facts.testable} annotators share {_ENOUGH_ITEMS} items with others, the alternative annotator "
            f"test takes {_ENOUGH_ANNOTATORS}"
        )


def _of_scale(dimension: Dimension) -> Iterator[str]:
    scale = Scale.of(dimension)
    if scale is Scale.CONTINUOUS:
        yield f"{dimension.name}: any number is a rating; judges use few of them, points would be told apart"
    elif (dimension.high - dimension.low) / (dimension.step or 1) + 1 >= _MANY_POINTS:
        yield f"{dimension.name}: ten points or more are hard to calibrate, only with a detailed rubric"


def _precision(facts: Facts) -> str:
    """What may be told apart with so many items, were they all of different prompts."""
    n = facts.n
    if facts.shape.is_pairwise:
        interval = wilson(0.8 * n, n)
        return (
            f"n {n}: an accuracy of .8 has a 95% interval of about ±{(interval.high - interval.low) / 2:.3f}"
        )
    if n <= _LEAST:
        return f"n {n}: too few items for any correlation"
    # Fisher's z has the standard deviation 1 / sqrt(n - 3).
    half = 1.96 * (1 - 0.3**2) / math.sqrt(n - _LEAST)
    return f"n {n}: a correlation of .3 has a 95% interval of about ±{half:.2f}"


_LEAST = 3


def _of_which(family: Family, shape: Shape) -> str:
    """The dimensions that a family is of; empty for pairs."""
    match family:
        case Family.KAPPA | Family.PRECISION | Family.RECALL | Family.F1 | Family.F1_MACRO | Family.F1_MICRO:
            return ", ".join(shape.named(Scale.PASS_FAIL))
        case Family.KAPPA_QUADRATIC:
            return ", ".join(shape.named(Scale.ORDINAL))
        case Family.SPEARMAN | Family.KENDALL | Family.PEARSON:
            return ", ".join(shape.named(Scale.ORDINAL, Scale.CONTINUOUS))
        case _:
            return ""
