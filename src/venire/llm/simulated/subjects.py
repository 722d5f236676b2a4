"""What requests are about: the instances, told apart by their text alone.

Two instances with equal text (MT-Bench repeats pairs, also swapped) lead to equal requests, and
equal requests must get equal replies. So everything latent hangs on the text: a pair's two
responses are sorted, and gold is looked at in that sorted direction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.errors import BackendError, DataError
from venire.llm.simulated.draws import digest
from venire.records import Instance, Order, PreferenceGold, Request, Subject, Winner


@dataclass(frozen=True, slots=True)
class Pair:
    """Two responses to one prompt, in the sorted direction.

    Args:
        content: SHA-256 over prompt and sorted responses, white space normalised.
        gold: +1 where the humans prefer the response that sorts first, -1 the other, 0 a tie.
            Instances of equal text that disagree are counted up (mt_bench_votes).
        topic: the subset; of several with equal text the one that sorts first.
    """

    content: str
    gold: int
    topic: str


@dataclass(frozen=True, slots=True)
class Subjects:
    """Instances by id, and the pairs with a human preference by content."""

    instances: Mapping[str, Instance]
    pairs: Mapping[str, Pair]
    content_of: Mapping[str, tuple[str, int]]

    def pair(self, request: Request) -> tuple[Pair, int]:
        """The pair that `request` shows, and +1 where the response shown first sorts first, else -1.

        Of two equal responses it is +1 in both orders.

        Raises:
            BackendError: no subject, unknown instance, no order, not a pair, or no gold.
        """
        subject = _subject_of(request)
        check_known(subject, self.instances)
        if subject.order is None:
            raise BackendError(
                f"simulation: a pairwise question about {subject.instance_id!r} without Subject.order; "
                "expected the order in which the responses are shown"
            )
        if subject.instance_id not in self.content_of:
            raise BackendError(
                f"simulation: {subject.instance_id!r} has no human preference between two responses, and the "
                "simulated judges err around the gold; take a pairwise data set with gold, or another backend"
            )
        content, direction = self.content_of[subject.instance_id]
        shown = direction if subject.order is Order.AS_GIVEN or direction == 0 else -direction
        return self.pairs[content], shown or 1


def check_known(subject: Subject, instances: Mapping[str, Instance]) -> None:
    """Nothing, where the subject's instance is one of `instances`.

    Raises:
        BackendError: it is not.
    """
    if subject.instance_id not in instances:
        raise BackendError(
            f"simulation: instance {subject.instance_id!r} is none of the {len(instances)} that "
            "the backend was built with; build it with the data set that is judged"
        )


def index(instances: Sequence[Instance]) -> Subjects:
    """`instances` made findable; their order does not matter.

    Raises:
        DataError: two instances share an id but not their text.
    """
    by_id: dict[str, Instance] = {}
    for instance in instances:
        known = by_id.setdefault(instance.id, instance)
        if (known.prompt, known.responses) != (instance.prompt, instance.responses):
            raise DataError(f"simulation: two different instances share the id {instance.id!r}")
    judged = [i for i in by_id.values() if i.is_pairwise and isinstance(i.gold, PreferenceGold)]
    content_of = {instance.id: content(instance) for instance in judged}
    groups: dict[str, list[Instance]] = {}
    for instance in judged:
        groups.setdefault(content_of[instance.id][0], []).append(instance)
    pairs = {
        name: Pair(
            content=name,
            gold=net_sign(sum(gold_sign(i) * content_of[i.id][1] for i in group)),
            topic=min(i.subset for i in group),
        )
        for name, group in groups.items()
    }
    return Subjects(by_id, pairs, content_of)


def _subject_of(request: Request) -> Subject:
    if request.subject is None:
        raise BackendError(
            f"simulation: a request of stage {request.stage!r} to {request.model!r} has no subject; "
            "expected Request.subject with the instance's id"
        )
    return request.subject


def content(instance: Instance) -> tuple[str, int]:
    """The pair's content digest; and +1, -1 or 0 as the first response sorts first, second or equal."""
    first, second = (_normalised(response.text) for response in instance.responses)
    low, high = sorted((first, second))
    direction = (first < second) - (first > second)
    return digest(_normalised(instance.prompt), low, high), direction


def _normalised(text: str) -> str:
    # a prompt template may trim texts: what differs in white space only may be one request
    return " ".join(text.split())


def gold_sign(instance: Instance) -> int:
    """+1 where the humans prefer the first response, -1 the second, else 0."""
    match instance.gold:
        case PreferenceGold(winner=Winner.FIRST):
            return 1
        case PreferenceGold(winner=Winner.SECOND):
            return -1
        case _:
            return 0


def net_sign(net: int) -> int:
    """+1, -1 or 0 as `net` is above, below or 0."""
    return (net > 0) - (net < 0)
