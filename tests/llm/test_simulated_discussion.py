"""What simulated judges say to each other: turns, their end, who speaks next, what is brought together."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.llm.ratings_asked import (
    BASE,
    DIMENSIONS,
    Straight,
    asked,
    backend,
    coordinating,
    final,
    group,
    heard,
    item,
    items,
    judge,
    rated,
    rating,
    read,
    turn,
)

from venire.errors import BackendError
from venire.judging.chateval import Communication, Seats, discuss
from venire.judging.closing import says_no_more
from venire.judging.debate import next_form, turn_form
from venire.judging.history import history_of
from venire.judging.matter import Matter
from venire.judging.reply import parse_reply
from venire.judging.synthesis import SynthesisReply, synthesise
from venire.llm.simulated import Exchange, RatingJudges, SimulatedBackend, Simulation
from venire.llm.simulated.latent import Viewer
from venire.llm.simulated.rating_shown import Spoken, told_of
from venire.llm.simulated.rating_views import reading_of
from venire.records import Dimension, Instance, Opinion, Persona, PersonaLevel, Ratings, Unscored, Utterance

ITEM = item(1, {"clarity": 4.0, "coverage": 0.0})


def exchanging(**changes: float) -> Simulation:
    exchange = Exchange(**{"conformity": 0.0, "persuasion": 1.0, **changes})  # type: ignore[arg-type]
    return replace(BASE, ratings=RatingJudges(exchange=exchange))


def own_points(
    judges: SimulatedBackend, instance: Instance, speaker: int, dimension: str
) -> dict[str, float]:
    """What the group's `speaker` has noticed by itself, as texts state it."""
    among = group()
    request = turn(instance, among, heard(among), speaker)
    reading = reading_of(judges.world, request, Viewer("acme/large", "acme", ""))
    found = judges.world.ratings.insight(reading.response, dimension, reading.reader).noticed
    return {point.id: round(point.value, 2) for point in found}


def stated(dimension: str, evidence: float, points: dict[str, float]) -> str:
    told = "".join(f"; point {id_} {value:+.2f}" for id_, value in points.items())
    return f"[simulated] {dimension}: {evidence:+.2f}{told}."


def test_a_turn_tells_points_that_nobody_has_told_the_weightiest_first() -> None:
    among, judges = group(), backend([ITEM], exchanging(turn_points=3))
    own = own_points(judges, ITEM, 0, "clarity") | own_points(judges, ITEM, 0, "coverage")
    first = Spoken("", str(read(judges, turn(ITEM, among, heard(among)))["message"]))
    assert set(first.stances) == {"clarity", "coverage"}
    weightiest = sorted(own, key=lambda id_: -abs(own[id_]))[:3]
    assert first.points == {id_: own[id_] for id_ in first.points}
    assert set(first.points) == set(weightiest)
    second = Spoken("", str(read(judges, turn(ITEM, among, heard(among, (), [(0, first.text)])))["message"]))
    assert not set(second.points) & set(first.points)
    assert set(second.points) <= set(own)


def test_with_nothing_new_to_tell_a_speaker_ends_its_part_with_its_ratings() -> None:
    among, judges = group(), backend([ITEM], exchanging())
    everything = [(0, stated(d, 0.5, own_points(judges, ITEM, 0, d))) for d in ("clarity", "coverage")]
    history = heard(among, (), everything)
    said = parse_reply(judges.reply(turn(ITEM, among, history)).text, turn_form(DIMENSIONS))
    assert not isinstance(said, Unscored)
    assert says_no_more(said.message)
    assert said.ratings == rated(judges, final(ITEM, among, history))
    assert said.feedback.startswith("[simulated] clarity: ")


def test_before_the_end_a_turn_carries_no_ratings() -> None:
    among = group()
    said = parse_reply(backend([ITEM]).reply(turn(ITEM, among, heard(among))).text, turn_form(DIMENSIONS))
    assert not isinstance(said, Unscored)
    assert (said.ratings, said.feedback) == (None, "")
    assert not says_no_more(said.message)


def test_chatter_goes_on_though_nothing_is_new() -> None:
    among, judges = group(), backend([ITEM], exchanging(chatter=1.0))
    everything = [(0, stated(d, 0.5, own_points(judges, ITEM, 0, d))) for d in ("clarity", "coverage")]
    said = read(judges, turn(ITEM, among, heard(among, (), everything)))
    assert not says_no_more(str(said["message"]))
    assert said["ratings"] is None


def evidence(
    judges: SimulatedBackend, messages: Sequence[tuple[int, str]], instance: Instance = ITEM
) -> float:
    """What the first speaker's final feedback states on clarity."""
    among = group()
    feedback = read(judges, final(instance, among, heard(among, (), messages)))["feedback"]
    return Spoken("", str(feedback)).stances["clarity"]


def news(judges: SimulatedBackend, instance: Instance) -> dict[str, float]:
    """What the second speaker has noticed on clarity and the first has not."""
    own, others = (own_points(judges, instance, who, "clarity") for who in (0, 1))
    return {id_: value for id_, value in others.items() if id_ not in own}


def test_a_point_that_another_tells_is_taken_over_by_its_value() -> None:
    instances = items(10)
    judges, unmoved = backend(instances, exchanging()), backend(instances, exchanging(persuasion=0.0))
    moved = 0
    for each in instances:
        new = news(judges, each)
        told = [(1, stated("clarity", 0.0, own_points(judges, each, 1, "clarity")))]
        alone = evidence(judges, [], each)
        assert evidence(judges, told, each) == pytest.approx(alone + sum(new.values()), abs=0.02)
        assert evidence(unmoved, told, each) == pytest.approx(alone, abs=0.011)
        moved += bool(new)
    assert moved > 5


def test_points_of_another_response_or_of_nobody_move_nothing() -> None:
    other = item(2, {"clarity": 0.0})
    judges = backend([ITEM, other], exchanging())
    foreign = own_points(judges, other, 1, "clarity") | {"ffffff": 9.0}
    assert evidence(judges, [(1, stated("clarity", 0.0, foreign))]) == evidence(judges, [])


def test_the_slip_of_a_judge_is_the_same_before_a_debate_and_after_it() -> None:
    """Nothing told, nobody followed: the final ratings are the first ones."""
    instances = items(20)
    judges, among = backend(instances, exchanging()), group()
    for each in instances:
        first = rated(judges, rating(each, among.agents[0].judge.persona))
        assert first == rated(judges, final(each, among, heard(among)))


def test_one_that_gives_in_wholly_says_what_most_others_say() -> None:
    """Conformity 1 lets half of all circles give in wholly; this one does, in a world found by trying."""
    world = next(
        seed
        for seed in range(20)
        if backend([ITEM], replace(exchanging(conformity=1.0), seed=seed)).world.ratings.conformity(
            "reader 0 0/reader 0 1/reader 0 2"
        )
        == 1.0
    )
    judges, among = backend([ITEM], replace(exchanging(conformity=1.0), seed=world)), group(3)
    messages = [(1, stated("clarity", -1.5, {})), (2, stated("clarity", -1.1, {}))]
    feedback = read(judges, final(ITEM, among, heard(among, (), messages)))["feedback"]
    assert Spoken("", str(feedback)).stances["clarity"] == pytest.approx(-1.3)
    speech = Spoken("", str(read(judges, turn(ITEM, among, heard(among, (), messages)))["message"]))
    world_points = judges.world.ratings.points(judges.world.rated.by_id[ITEM.id], "clarity")
    against = {point.id for point in world_points if point.value > 0}
    assert not against & set(speech.points)  # what speaks against the majority is not even told


def test_ratings_that_are_shown_without_a_word_are_stances_too() -> None:
    """Read once, no discussion: a rating in the middle of both scales is a stance of 0."""
    judges, among = backend([ITEM], exchanging(conformity=0.5)), group(2)
    yielding = judges.world.ratings.conformity("reader 0 0/reader 0 1")
    alone = backend([ITEM], exchanging())
    request = final(ITEM, among, heard(among), debated=False)
    before, after = (
        Spoken("", str(read(each, request)["feedback"])).stances["clarity"] for each in (alone, judges)
    )
    world_points = judges.world.ratings.points(judges.world.rated.by_id[ITEM.id], "clarity")
    assert 0 < yielding < 1
    assert world_points
    assert after == pytest.approx((1 - yielding) * before, abs=0.011)


def chosen(history: Sequence[tuple[int, str]], taken: Sequence[int], open_to: Sequence[int]) -> str:
    among = group(3)
    request = coordinating(ITEM, among, heard(among, (), history), taken, open_to)
    reply = backend([ITEM], exchanging(dispute=1.0)).reply(request)
    said = parse_reply(reply.text, next_form(tuple(among.agents[n].shown_as for n in open_to)))
    assert not isinstance(said, Unscored)
    assert said.reason.startswith("[simulated] ")
    return said.next_speaker


def test_the_coordinator_gives_a_side_of_an_open_conflict_the_floor() -> None:
    """The second agent is at +2, the first at -1, the third between: the first, who has not answered."""
    history = [
        (0, stated("clarity", -1.0, {})),
        (2, stated("clarity", 0.2, {})),
        (1, stated("clarity", 2.0, {})),
    ]
    assert chosen(history, [1, 1, 1], [0, 1, 2]) == "reader 0 0"


def test_without_an_open_conflict_the_one_who_was_heard_least_has_the_floor() -> None:
    history = [(0, stated("clarity", 0.1, {})), (1, stated("clarity", 0.3, {}))]
    assert chosen(history, [1, 1, 0], [0, 1, 2]) == "reader 0 2"
    assert chosen([], [2, 1, 1], [0, 1, 2]) == "reader 0 1"


def test_only_who_may_still_speak_is_named() -> None:
    history = [(0, stated("clarity", -1.0, {})), (1, stated("clarity", 2.0, {}))]
    assert chosen(history, [1, 1, 5], [2]) == "reader 0 2"


def test_a_coordinator_who_is_shown_nobody_is_refused() -> None:
    among = group(3)
    request = coordinating(ITEM, among, heard(among), [0, 0, 0], [0])
    system, user = request.messages
    bare = replace(request, messages=(system, replace(user, content="Who?")), schema=None)
    with pytest.raises(BackendError, match="stage 'coordinate' names nobody who may speak"):
        backend([ITEM]).reply(bare)


def test_the_aggregator_tells_agreements_from_disputes_by_the_stances() -> None:
    among = group(2)
    close = [stated("clarity", 0.5, {}), stated("clarity", 0.9, {})]
    apart = [f"{text[:-1]}; coverage: {value:+.2f}." for text, value in zip(close, (1.0, -1.0), strict=True)]
    middle = Ratings({"clarity": 2.0, "coverage": 1.0})
    opinions = [(among, [Opinion(middle, text) for text in apart])]
    request = asked(lambda llm: synthesise(judge(), Matter(ITEM, 0), opinions, DIMENSIONS, llm))
    said = parse_reply(backend([ITEM], exchanging(dispute=1.0)).reply(request).text, SynthesisReply)
    assert not isinstance(said, Unscored)
    assert [text.split(":")[0] for text in said.agreements] == ["[simulated] clarity"]
    assert said.disputes == ["[simulated] coverage: reader 0 0 at +1.00, reader 0 1 at -1.00."]
    assert "clarity +0.70, coverage +0.00" in said.reading


def test_an_aggregator_who_is_shown_no_stance_says_so() -> None:
    among = group(2)
    nobody = [(among, [Opinion(Unscored("unparsed"))] * 2)]  # type: ignore[arg-type]
    request = asked(lambda llm: synthesise(judge(), Matter(ITEM, 0), nobody, DIMENSIONS, llm))
    said = read(backend([ITEM]), request)
    assert (said["agreements"], said["disputes"]) == ([], [])
    assert "none was stated" in str(said["reading"])


ROLES = tuple(
    Persona(name, f"a {name}", level=PersonaLevel.SIMPLE) for name in ("critic", "author", "public")
)


@pytest.mark.parametrize("how", list(Communication))
def test_chateval_discusses_in_every_way(how: Communication) -> None:
    """Two turns of three roles; simultaneous with summariser: one summary, of the first turn."""
    llm = Straight(backend([ITEM]))
    table = Seats(judge(), ROLES, 2, how)
    made = asyncio.run(discuss(table, Matter(ITEM, 0), DIMENSIONS, llm))
    assert len(made.statements) == 6
    assert all(isinstance(each.ratings, Ratings) for each in made.statements)
    assert len(made.summaries) == (how is Communication.SIMULTANEOUS_WITH_SUMMARISER)


def test_a_summary_passes_on_most_points_and_the_mean_stance() -> None:
    points = {}
    judges = backend([ITEM], exchanging(summary_kept=0.8))
    llm = Straight(judges)
    table = Seats(judge(), ROLES, 2, Communication.SIMULTANEOUS_WITH_SUMMARISER)
    made = asyncio.run(discuss(table, Matter(ITEM, 0), DIMENSIONS, llm))
    said = [Spoken(each.role, each.message) for each in made.of_turn(1)]
    for each in said:
        points |= each.points
    summary = Spoken("", str(made.summaries[1]))
    assert set(summary.points) < set(points)
    assert len(summary.points) > len(points) / 2
    mean = sum(each.stances["clarity"] for each in said) / 3
    assert summary.stances["clarity"] == pytest.approx(mean, abs=0.011)


def test_judges_without_persona_slip_each_for_itself() -> None:
    """Their questions in a debate differ by their names alone."""
    among = group(2, PersonaLevel.NONE)
    judges = backend([ITEM], exchanging())
    first, second = (
        Spoken("", str(read(judges, turn(ITEM, among, heard(among), speaker))["message"]))
        for speaker in (0, 1)
    )
    assert set(first.points) == set(second.points)
    assert first.stances != second.stances
    assert told_of(turn(ITEM, among, heard(among), 1)).me == "Judge 2"


def test_a_history_that_was_cut_is_all_that_a_speaker_has_heard() -> None:
    among, judges = group(), backend(items(10), exchanging())
    instance = next(each for each in items(10) if abs(sum(news(judges, each).values())) > 0.5)
    told = [stated(d, 0.5, own_points(judges, instance, 1, d)) for d in ("clarity", "coverage")]
    turns = [Utterance(n, among.agents[1].name, text) for n, text in enumerate(told, 1)]
    whole, cut = (history_of(among.agents, heard(among).openings, turns, most) for most in (10_000, 1))
    assert cut.cut == (1,)
    heard_all, heard_last = (
        Spoken("", str(read(judges, final(instance, among, shown))["feedback"])).stances["clarity"]
        for shown in (whole, cut)
    )
    assert heard_last == pytest.approx(evidence(judges, [], instance), abs=0.011)
    assert abs(heard_all - heard_last) > 0.4


def test_an_own_dimension_is_rated_beside_the_data_sets() -> None:
    own = Dimension("quick_to_read", "quick to read", 1, 5)
    among = group(2)
    seat = replace(among.agents[0], dimensions=(*DIMENSIONS, own), own="quick_to_read")
    with_own = replace(among, agents=(seat, among.agents[1]))
    given = rated(backend([ITEM]), final(ITEM, with_own, heard(with_own)))
    assert list(given) == ["clarity", "coverage", "quick_to_read"]
    assert given["quick_to_read"] in (1, 2, 3, 4, 5)
