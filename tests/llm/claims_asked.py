"""Questions about claims as JuryFlow asks them: real prompts, real schemas, made-up responses."""

import json
from collections.abc import Sequence

from venire.judging.claims import reply_form
from venire.judging.decompose import Decomposition
from venire.judging.induce import Induction
from venire.judging.reply import Reply, schema_text
from venire.judging.review import Review as ReviewReply
from venire.llm.simulated import ReplyStyle, SimulatedBackend, Simulation
from venire.llm.simulated.claim_latent import Fact
from venire.llm.simulated.decomposition import split
from venire.prompts.render import render
from venire.records import Instance, PreferenceGold, Request, Response, Subject, Winner

PLAIN = ReplyStyle(fenced=0, prefixed=0)
BASE = Simulation(style=PLAIN)
FAMILIES = {"acme/large": "acme", "acme/small": "acme", "bolt/large": "bolt"}
TAGS = {f"dimension_{letter}": "what it is" for letter in "abcdef"}
WORDS = (
    "river",
    "engine",
    "treaty",
    "lungs",
    "granite",
    "violin",
    "harvest",
    "satellite",
    "vaccine",
    "bridge",
)


def sentence(*numbers: int) -> str:
    """A sentence of five words that `numbers` decide; no two alike."""
    words = [WORDS[n % len(WORDS)] for n in numbers]
    return f"The {' '.join(words)} number {'x'.join(map(str, numbers))} matters."


def pairs(count: int = 60, winner: Winner = Winner.FIRST, sentences: int = 5) -> list[Instance]:
    """Pairs of responses of a few sentences on three topics."""
    return [
        Instance(
            f"i{k}",
            f"Explain topic {k}.",
            tuple(
                Response(" ".join(sentence(k, side, n, k * n) for n in range(sentences))) for side in (1, 2)
            ),
            PreferenceGold(winner),
            subset=f"topic {k % 3}",
        )
        for k in range(count)
    ]


def asked(
    name: str, form: type[Reply], instance: Instance, index: int, model: str = "acme/large", **values: object
) -> Request:
    shown = {
        "prompt": instance.prompt,
        "response": instance.responses[index].text,
        "context": None,
        "reference": None,
    }
    messages = render(name, **shown, **values)
    subject = Subject(instance.id, None, index)
    return Request(model, messages, schema=schema_text(form), max_tokens=4000, subject=subject)


def decomposing(instance: Instance, index: int = 0, model: str = "acme/large") -> Request:
    return asked("decompose", Decomposition, instance, index, model)


def judging(
    instance: Instance,
    claims: Sequence[str],
    index: int = 0,
    model: str = "acme/large",
    rubric: Sequence[str] = (),
) -> Request:
    entries = [
        {
            "dimension": "dimension_a",
            "criterion": criterion,
            "boundary": "anywhere",
            "positive_examples": [],
            "negative_examples": [],
        }
        for criterion in rubric
    ]
    listed = [{"number": n + 1, "text": claim} for n, claim in enumerate(claims)]
    form = reply_form(tuple(TAGS), tuple(range(1, len(claims) + 1)))
    return asked("judge_claims", form, instance, index, model, tags=TAGS, rubric=entries, claims=listed)


def reviewing(
    instance: Instance,
    claim: str,
    assessments: Sequence[tuple[str, str]] = (),
    index: int = 0,
    model: str = "acme/large",
    evidence: tuple[str, str] | None = None,
    precedents: Sequence[str] = (),
) -> Request:
    told = [{"verdict": verdict, "rationale": why} for verdict, why in assessments]
    if evidence is None:
        return asked(
            "reevaluate", ReviewReply, instance, index, model, claim=claim, assessments=told, rubric=[]
        )
    finding = {"claim": evidence[0], "before": "reject", "after": evidence[1], "rationale": "so it is"}
    earlier = [{"claim": p, "before": "reject", "after": "accept", "rationale": "why"} for p in precedents]
    return asked(
        "propagate",
        ReviewReply,
        instance,
        index,
        model,
        claim=claim,
        assessments=told,
        rubric=[],
        evidence=finding,
        precedents=earlier,
    )


def inducing(instance: Instance, claim: str, after: str, rationale: str = "so", index: int = 0) -> Request:
    return asked(
        "induce",
        Induction,
        instance,
        index,
        claim=claim,
        tags=["dimension_c"],
        before="reject" if after == "accept" else "accept",
        after=after,
        rationale="it is so",
        assessments=[{"verdict": after, "rationale": rationale}],
    )


def read(judges: SimulatedBackend, request: Request) -> dict[str, object]:
    made: dict[str, object] = json.loads(judges.reply(request).text)
    return made


def backend(instances: Sequence[Instance], simulation: Simulation = BASE) -> SimulatedBackend:
    return SimulatedBackend(simulation, instances, FAMILIES)


def claims_in(instance: Instance, index: int = 0) -> tuple[str, ...]:
    return split(instance.responses[index].text, 12)


def fact(judges: SimulatedBackend, instance: Instance, index: int, text: str) -> Fact:
    return judges.world.claims.fact(judges.world.candidates.by_place[instance.id, index], text)


def right(sign: int) -> str:
    return "accept" if sign > 0 else "reject"


def stating(sign: int, logits: float) -> tuple[str, str]:
    return right(sign), f"[simulated] The latent evidence for it is {sign * logits:+.2f} logits."


def own_patterns(judges: SimulatedBackend, instance: Instance, index: int) -> list[str]:
    facts = [fact(judges, instance, index, claim) for claim in claims_in(instance, index)]
    return [f"about it (pattern {f.pattern})" for f in facts]
