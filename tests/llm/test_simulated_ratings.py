"""What simulated judges reply where ratings are asked: forms, scales, faults, equal replies."""

import asyncio
import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.llm.ratings_asked import (
    BASE,
    CLARITY,
    COVERAGE,
    DIMENSIONS,
    PLAIN,
    Straight,
    asked,
    backend,
    item,
    items,
    judge,
    person,
    rated,
    rating,
    read,
)

from venire.errors import BackendError
from venire.judging.geval import Scoring, ScoringMode, score, score_form, steps_messages, token_masses
from venire.judging.judge import ReplyFormat
from venire.judging.matter import Matter
from venire.judging.rating import rate, rating_form
from venire.judging.reply import parse_reply, schema_text
from venire.llm.simulated import RatedMaterial, RatingFaults, RatingJudges, ReplyStyle, Simulation
from venire.records import (
    Dimension,
    FinishReason,
    Instance,
    Ratings,
    Reason,
    Request,
    Response,
    Subject,
    Unscored,
)

ITEM = item(1, {"clarity": 4.0, "coverage": 0.0})
# Nothing at work but the quality: all points noticed, no bias, no noise.
EXACT = replace(
    BASE,
    skill={"default": 40.0},
    ratings=RatingJudges(material=RatedMaterial(gold_sd=0), bias=None, noise=0),
)


def faulty(**shares: float) -> Simulation:
    return replace(BASE, ratings=RatingJudges(faults=RatingFaults(**shares)))


def test_a_rating_is_one_that_the_parser_takes_and_looks_simulated() -> None:
    reply = asyncio.run(backend([ITEM]).send(rating(ITEM)))
    said = json.loads(reply.text)
    assert list(said) == ["feedback", "ratings"]
    assert list(said["ratings"]) == ["clarity", "coverage"]
    assert said["feedback"].startswith("[simulated] clarity: ")
    assert not isinstance(parse_reply(reply.text, rating_form(DIMENSIONS)), Unscored)
    assert reply.model == "simulated/acme/large"
    assert reply.fingerprint == BASE.parameter_hash
    assert reply.logprobs is None


def test_with_nothing_else_at_work_the_rating_is_the_humans() -> None:
    instances = items(30)
    judges = backend(instances, EXACT)
    for each in instances:
        assert each.gold is not None
        assert rated(judges, rating(each)) == each.gold.mean  # type: ignore[union-attr]


def test_ratings_lie_on_the_scale_whatever_the_evidence() -> None:
    """A scale in halves, one without steps, one that does not begin at 0; a rating of a tenth of the span."""
    scales = (
        Dimension("halves", "In halves.", 0, 2, 0.5),
        Dimension("any", "Any number.", -1, 1, None),
        Dimension("signed", "From -3.", -3, 3),
    )
    wild = replace(BASE, ratings=RatingJudges(material=RatedMaterial(span=0.2), noise=5))
    instances = [replace(item(k, None), dimensions=scales) for k in range(40)]
    judges = backend(instances, wild)
    for each in instances:
        reply = parse_reply(judges.reply(rating(each)).text, rating_form(scales))
        assert not isinstance(reply, Unscored)
        assert set(reply.ratings) == {"halves", "any", "signed"}


def test_equal_requests_get_equal_replies_and_replicates_differ() -> None:
    request = rating(ITEM)
    judges = backend([ITEM])
    texts = [judges.reply(replace(request, replicate=k)).text for k in range(5)]
    assert judges.reply(replace(request, stage="final", role="somebody")).text == texts[0]
    assert backend([ITEM, item(2, None)]).reply(request).text == texts[0]
    assert len(set(texts)) == 5


def test_a_rating_does_not_depend_on_the_process() -> None:
    program = (
        "from tests.llm.ratings_asked import *\n"
        "i = item(1, {'clarity': 4.0})\n"
        "print(backend([i]).reply(rating(i, person('clerk'))))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert "[simulated]" in printed.pop()


def test_another_persona_family_or_seed_rates_otherwise() -> None:
    """The seed is of the world; that two of 20 items agree by chance on all of them is no issue."""
    instances = items(20)

    def given(simulation: Simulation = BASE, name: str = "clerk", model: str = "acme/large") -> list[object]:
        judges = backend(instances, simulation)
        return [rated(judges, rating(each, person(name), model)) for each in instances]

    base = given()
    assert base == given()
    others = [given(name="nurse"), given(model="acme/small"), given(model="bolt/large")]
    assert all(other != base for other in [*others, given(replace(BASE, seed=1))])


def test_a_dimension_that_the_humans_left_out_is_sometimes_not_applicable() -> None:
    """Only where they rated the response on others: a fifth of 400; not where nobody rated it at all."""
    left_out = [item(k, {"coverage": 1.0}) for k in range(400)]
    judges = backend(left_out, faulty(not_applicable=0.2))
    given = [rated(judges, rating(each))["clarity"] for each in left_out]
    assert given.count("N/A") / 400 == pytest.approx(0.2, abs=0.06)
    assert all(rated(judges, rating(each))["coverage"] != "N/A" for each in left_out[:50])
    unrated = [item(k, None) for k in range(50)]
    judges = backend(unrated, faulty(not_applicable=1.0))
    assert all("N/A" not in rated(judges, rating(each)).values() for each in unrated)


def test_a_share_of_replies_is_off_the_scale_or_leaves_a_dimension_out() -> None:
    instances = items(200)
    off = backend(instances, faulty(off_scale=0.25))
    missing = backend(instances, faulty(missing=0.25))
    beyond, short = 0, 0
    for each in instances:
        given = rated(off, rating(each))
        beyond += given["clarity"] == 5 or given["coverage"] == 3
        short += len(rated(missing, rating(each))) == 1
    assert beyond / 200 == pytest.approx(0.25, abs=0.1)
    assert short / 200 == pytest.approx(0.25, abs=0.1)


def test_faults_are_asked_again_and_then_no_rating() -> None:
    """Two re-asks: of replies that are always faulty none is mended."""
    for simulation, told in (
        (faulty(missing=1.0), "is missing"),
        (faulty(off_scale=1.0), "expected a number from"),
        (replace(BASE, style=ReplyStyle(fenced=0, prefixed=0, malformed=1.0)), "broken or incomplete"),
    ):
        llm = Straight(backend([ITEM], simulation))
        made = asyncio.run(rate(judge(), Matter(ITEM, 0), DIMENSIONS, llm))
        assert isinstance(made.ratings, Unscored)
        assert made.ratings.reason is Reason.UNPARSED
        assert told in made.ratings.detail
        assert len(made.calls) == 3


def test_a_fault_of_one_reply_is_mended_by_asking_again() -> None:
    instances = items(60)
    llm = Straight(backend(instances, faulty(missing=0.3)))
    made = [asyncio.run(rate(judge(), Matter(each, 0), DIMENSIONS, llm)) for each in instances]
    assert {len(each.calls) for each in made} > {1, 2}
    assert sum(isinstance(each.ratings, Ratings) for each in made) > 55


def test_refused_fenced_and_cut_replies_come_as_of_pairs() -> None:
    refusing = backend([ITEM], replace(BASE, style=ReplyStyle(fenced=0, prefixed=0, refused=1.0)))
    assert refusing.reply(rating(ITEM)).finish is FinishReason.REFUSED
    fencing = backend([ITEM], replace(BASE, style=replace(PLAIN, fenced=1.0)))
    assert fencing.reply(rating(ITEM)).text.startswith("```json\n")
    whole = backend([ITEM]).reply(rating(ITEM))
    cut = backend([ITEM]).reply(replace(rating(ITEM), max_tokens=5))
    assert (cut.text, cut.finish) == (whole.text[:20], FinishReason.LENGTH)


@pytest.mark.parametrize("form", [ReplyFormat.JSON_OBJECT, ReplyFormat.TEXT])
def test_a_rating_that_is_asked_in_words_is_the_same(form: ReplyFormat) -> None:
    seat = replace(judge(), reply_format=form)
    request = asked(lambda llm: rate(seat, Matter(ITEM, 0), DIMENSIONS, llm))
    judges = backend([ITEM])
    assert rated(judges, request) == rated(judges, rating(ITEM))


def test_the_feedback_tells_the_weightiest_point_of_each_dimension() -> None:
    said = read(backend([ITEM], EXACT), rating(ITEM))["feedback"]
    world = backend([ITEM], EXACT).world
    for dimension in ("clarity", "coverage"):
        points = world.ratings.points(world.rated.by_id[ITEM.id], dimension)
        weightiest = max(points, key=lambda point: abs(point.value))
        assert f"{dimension}: {2 if dimension == 'clarity' else -2:+.2f}; point {weightiest.id} " in str(said)


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (None, "stage 'rate' to 'acme/large' asks for ratings"),
        (Subject("nobody", None, 0), "instance 'nobody' is none of the 2"),
        (Subject("pair", None, 0), "'pair' is not one response with dimensions"),
    ],
)
def test_what_cannot_be_found_is_refused(subject: Subject | None, message: str) -> None:
    two = Instance("pair", "p", (Response("a"), Response("b")))
    with pytest.raises(BackendError, match=message):
        backend([ITEM, two]).reply(replace(rating(ITEM), subject=subject))


def test_a_dimension_without_a_scale_is_refused() -> None:
    request = rating(ITEM)
    schema = schema_text(rating_form((*DIMENSIONS, Dimension("wit", "Is it funny?", 1, 5))))
    with pytest.raises(BackendError, match="stage 'rate' shows no scale for wit; expected"):
        backend([ITEM]).reply(replace(request, schema=schema))


def scoring(instance: Instance, dimension: Dimension, mode: ScoringMode) -> Request:
    """The first request about the score: after that about the steps."""
    llm = Straight(backend([instance]))
    how = Scoring(mode, samples=3)
    asyncio.run(score(judge(), Matter(instance, 0), dimension, llm, scoring=how))
    return llm.requests[1]


def weights(simulation: Simulation, request: Request) -> Mapping[str, float]:
    """The probability of each point of coverage, by its token."""
    reply = backend([ITEM], simulation).reply(request)
    assert reply.logprobs is not None
    return token_masses(reply.logprobs[0], COVERAGE.tokens)


def test_one_token_has_the_probabilities_of_the_scales_levels() -> None:
    """Clarity has the points 0 to 4; a fiftieth goes to a token that is none."""
    request = scoring(ITEM, CLARITY, ScoringMode.LOGPROBS)
    reply = backend([ITEM]).reply(request)
    assert reply.logprobs is not None
    (position,) = reply.logprobs
    assert sum(map(math.exp, position.values())) == pytest.approx(1.0)
    assert math.exp(position["The"]) == pytest.approx(0.02)
    assert set(position) <= {"0", "1", "2", "3", "4", "The"}
    assert reply.text == max(position, key=lambda token: position[token])
    assert reply.finish is FinishReason.STOP
    assert reply.usage.output_tokens == 1


def test_the_probabilities_are_those_of_ratings_over_the_slips_of_calls() -> None:
    """Without noise the level of the rating has all; 400 replicates of a rating have the same shares."""
    request = scoring(ITEM, COVERAGE, ScoringMode.LOGPROBS)
    assert weights(EXACT, request) == {"0": pytest.approx(0.98)}
    judges = backend([ITEM])
    direct = [rated(judges, replace(rating(ITEM), replicate=k))["coverage"] for k in range(400)]
    for token, mass in weights(BASE, request).items():
        assert direct.count(int(token)) / 400 == pytest.approx(mass / 0.98, abs=0.08)


def test_a_sampled_token_follows_the_probabilities() -> None:
    request = replace(scoring(ITEM, COVERAGE, ScoringMode.LOGPROBS), temperature=1.0)
    judges = backend([ITEM])
    drawn = [judges.reply(replace(request, replicate=k)).text for k in range(400)]
    for token, mass in weights(BASE, request).items():
        assert drawn.count(token) / 400 == pytest.approx(mass, abs=0.08)
    assert 0 < drawn.count("The") / 400 < 0.06


def test_no_more_candidates_are_told_than_asked_for_and_none_where_refused() -> None:
    request = replace(scoring(ITEM, CLARITY, ScoringMode.LOGPROBS), logprobs=2)
    reply = backend([ITEM]).reply(request)
    assert reply.logprobs is not None
    assert len(reply.logprobs[0]) == 2
    refusing = backend([ITEM], replace(BASE, style=replace(PLAIN, refused=1.0))).reply(request)
    assert (refusing.finish, refusing.logprobs) == (FinishReason.REFUSED, None)


def test_a_malformed_token_is_no_level_and_no_score() -> None:
    judges = backend([ITEM], replace(BASE, style=replace(PLAIN, malformed=1.0)))
    reply = judges.reply(scoring(ITEM, CLARITY, ScoringMode.LOGPROBS))
    assert reply.text == "The"
    assert reply.logprobs is not None
    assert token_masses(reply.logprobs[0], CLARITY.tokens) == {}


def test_one_token_on_a_scale_without_levels_is_refused() -> None:
    endless = replace(CLARITY, step=None)
    loose = replace(ITEM, dimensions=(endless,))
    request = replace(
        scoring(ITEM, CLARITY, ScoringMode.LOGPROBS),
        messages=asked(lambda llm: rate(judge(), Matter(loose, 0), (endless,), llm)).messages,
    )
    with pytest.raises(BackendError, match="one token was asked on clarity, whose scale has no levels"):
        backend([loose]).reply(request)


def test_a_sampled_score_is_a_rating_on_the_scale() -> None:
    request = scoring(ITEM, CLARITY, ScoringMode.SAMPLES)
    judges = backend([ITEM])
    scores = [judges.reply(replace(request, replicate=k)).text for k in range(30)]
    assert all(not isinstance(parse_reply(text, score_form(CLARITY)), Unscored) for text in scores)
    assert len(set(scores)) > 1


def test_a_score_on_no_known_dimension_is_refused() -> None:
    request = scoring(ITEM, CLARITY, ScoringMode.SAMPLES)
    assert request.subject is not None
    with pytest.raises(BackendError, match="one of clarity, coverage, got 'wit'"):
        backend([ITEM]).reply(replace(request, subject=replace(request.subject, dimension="wit")))


def test_evaluation_steps_name_the_dimension_and_are_about_no_instance() -> None:
    schema = '{"properties":{"steps":{"type":"array"}},"type":"object"}'
    request = Request("acme/large", steps_messages(CLARITY), schema=schema, stage="steps")
    steps = read(backend([]), request)["steps"]
    assert isinstance(steps, list)
    assert "clarity" in steps[1]
    assert all(step.startswith("[simulated]") for step in steps)
