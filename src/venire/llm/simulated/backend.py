"""The simulated backend: answers every kind of question that it has a model of, and no other."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from venire.errors import BackendError
from venire.llm.protocol import Reply
from venire.llm.simulated.auditing import (
    EVIDENCE_VERDICT,
    PAIR_SCORES,
    evidence_verdict,
    fact_check,
    pair_scores,
    rewrite,
)
from venire.llm.simulated.claim_verdicts import judge_claims, review
from venire.llm.simulated.decomposition import decompose
from venire.llm.simulated.direct_replies import (
    COMPARED,
    RUBRIC,
    SCORED,
    SCORED_AND_SUMMED_UP,
    SCORED_AT_ONCE,
    SCORED_BARE,
    SUMMED_UP,
    compare_on_criteria,
    score_at_once,
    score_one,
    sum_up,
    write_rubric,
)
from venire.llm.simulated.discussion import bring_together, chat, choose_speaker, summarise, take_turn
from venire.llm.simulated.drafts import consolidate, extract, write_persona
from venire.llm.simulated.draws import Part, generator
from venire.llm.simulated.induction import induce
from venire.llm.simulated.latent import Viewer, World, world
from venire.llm.simulated.pair_token import pair_token
from venire.llm.simulated.pairwise import verdict
from venire.llm.simulated.questions import Question, question_of
from venire.llm.simulated.rating_replies import rate, score, write_steps
from venire.llm.simulated.replies import Form, Written, form, usage, write
from venire.llm.simulated.score_tokens import score_token
from venire.llm.simulated.shown import instructions_of
from venire.llm.simulated.simulation import Simulation
from venire.llm.simulated.subjects import index
from venire.llm.simulated.subjects_on_disk import index_on_disk
from venire.records import BackendKind, FinishReason, Instance, Request

Answer = Callable[[World, Request, Question, Viewer, np.random.Generator], Mapping[str, object]]

_VERDICT = frozenset({"reasoning", "winner", "confidence"})

# One function for each kind of question, found by the fields of the reply that the request asks for. Where
# only the prompt's words tell them, the first whose fields they all name: lists before what they are made of.
_ANSWERS: Mapping[frozenset[str], Answer] = {
    _VERDICT: verdict,
    EVIDENCE_VERDICT: evidence_verdict,
    PAIR_SCORES: pair_scores,
    COMPARED: compare_on_criteria,
    SCORED_AND_SUMMED_UP: score_at_once,
    SCORED_AT_ONCE: score_at_once,
    SCORED: score_one,
    SCORED_BARE: score_one,
    SUMMED_UP: sum_up,
    RUBRIC: write_rubric,
    frozenset({"checks"}): fact_check,
    frozenset({"rewritten"}): rewrite,
    frozenset({"judgments"}): judge_claims,
    frozenset({"claims"}): decompose,
    frozenset({"rationale", "verdict"}): review,
    frozenset({"dimension", "boundary", "criterion", "positive_example", "negative_example"}): induce,
    frozenset({"message", "feedback", "ratings"}): take_turn,
    frozenset({"message", "ratings"}): chat,
    frozenset({"feedback", "ratings"}): rate,
    frozenset({"score"}): score,
    frozenset({"steps"}): write_steps,
    frozenset({"summary"}): summarise,
    frozenset({"reason", "next_speaker"}): choose_speaker,
    frozenset({"agreements", "disputes", "reading"}): bring_together,
    frozenset({"stakeholders"}): extract,
    frozenset({"groups"}): consolidate,
    frozenset({"role", "demographics", "perspective", "expertise", "traits", "relations"}): write_persona,
}


class SimulatedBackend:
    """Judges that do not read, but err as `simulation` says, around the gold of `instances`.

    A reply is a pure function of the simulation's parameters, the request's content and the
    instance's text and gold: not of time, order, process or `Request.role`.

    Args:
        simulation: the model's parameters.
        instances: what will be asked about, with gold.
        families: family of each model (`Request.model`) that will be asked.
        on_disk: whether what has to be known of `instances` is kept on disk, and not they themselves. Then
            it answers about pairs of responses alone.

    Raises:
        DataError: two different instances share an id.
    """

    def __init__(
        self,
        simulation: Simulation,
        instances: Sequence[Instance],
        families: Mapping[str, str],
        *,
        on_disk: bool = False,
    ) -> None:
        self._simulation = simulation
        subjects = index_on_disk(instances) if on_disk else index(instances)
        self._world = world(simulation, subjects, {} if on_disk else subjects.instances)
        self._families = dict(families)
        self._fingerprint = simulation.parameter_hash

    @property
    def kind(self) -> BackendKind:
        """Always simulated."""
        return BackendKind.SIMULATED

    @property
    def world(self) -> World:
        """What is latent. For tests and studies of the model: no method and no judge is given it."""
        return self._world

    async def send(self, request: Request) -> Reply:
        """The simulated reply, after `latency_s`.

        Raises:
            BackendError: unknown model, instance or kind of question, or an instance without gold.
        """
        if self._simulation.latency_s > 0:
            await asyncio.sleep(self._simulation.latency_s)
        return self.reply(request)

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def reply(self, request: Request) -> Reply:
        """The simulated reply, at once; raises as `send` does."""
        question = question_of(request)
        viewer = self._viewer(request)
        call = generator(self._simulation.seed, "call", _content(request))
        how = form(self._simulation.style, call.random())
        logprobs: tuple[Mapping[str, float], ...] | None = None
        if not _asks_a_token(request, question):
            answer = _answer_to(request, question)
            written = write(answer(self._world, request, question, viewer, call), how, request.max_tokens)
        elif how is Form.REFUSED:
            written = write({}, how, request.max_tokens)
        else:
            ask = pair_token if _shows_a_pair(request) else score_token
            token = ask(self._world, request, viewer, how, call)
            written, logprobs = Written(token.text, FinishReason.STOP), (token.logprobs,)
        return Reply(
            text=written.text,
            finish=written.finish,
            model=f"simulated/{request.model}",
            usage=usage(request.messages, written.text),
            fingerprint=self._fingerprint,
            logprobs=logprobs,
        )

    def _viewer(self, request: Request) -> Viewer:
        if request.model not in self._families:
            known = ", ".join(sorted(self._families)) or "none"
            raise BackendError(f"simulation: no family is known for model {request.model!r} (known: {known})")
        system = "\n".join(m.content for m in request.messages if m.role == "system")
        return Viewer(request.model, self._families[request.model], system)


def _asks_a_token(request: Request, question: Question) -> bool:
    """Whether one token is asked, with the probabilities of others: a score, or the better of two."""
    rated = request.subject is not None and bool(request.subject.dimension)
    asks = request.logprobs is not None and not question.fields
    return asks and (rated or _shows_a_pair(request))


def _shows_a_pair(request: Request) -> bool:
    """Whether two responses are shown; where one token is asked, it is a letter then."""
    return request.subject is not None and request.subject.order is not None


def _answer_to(request: Request, question: Question) -> Answer:
    """The function that answers this kind of question."""
    if question.fields in _ANSWERS:
        return _ANSWERS[question.fields]
    if question.fields:
        raise BackendError(
            f"simulation: no model of judges for stage {request.stage!r}, whose reply has the fields "
            f"{', '.join(sorted(question.fields))}; it answers {_known_questions()}"
        )
    words = instructions_of(request)
    if _shows_a_pair(request):
        # asked in the prompt's words only: what shows two responses asks for a verdict, unless it says more
        more = (EVIDENCE_VERDICT, PAIR_SCORES, COMPARED)
        special = (each for each in more if all(f'"{name}":' in words for name in each))
        return _ANSWERS[next(special, _VERDICT)]
    for fields, answer in _ANSWERS.items():
        if all(f'"{name}":' in words for name in fields):
            return answer
    raise BackendError(
        f"simulation: cannot tell what stage {request.stage!r} asks: its schema names no fields, its "
        "subject no order of two responses, and its system message no form of a reply that is known"
    )


def _known_questions() -> str:
    return "; ".join(f"({', '.join(sorted(fields))})" for fields in _ANSWERS)


def _content(request: Request) -> Part:
    """What a call's noise hangs on: what the key covers, but for the endpoint and the lengths.

    The endpoint names the parameters: without it, two settings of one parameter are compared on
    the same noise. The same question with a larger `max_tokens` gets the same words, uncut.
    """
    return (
        request.model,
        tuple((message.role, message.content) for message in request.messages),
        None if request.temperature is None else float(request.temperature),
        None if request.top_p is None else float(request.top_p),
        request.sampling_seed,
        request.schema,
        request.replicate,
    )
