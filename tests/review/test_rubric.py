import pytest
import yaml

from venire.build import build
from venire.config import config_dir
from venire.data.fingerprint import content_id
from venire.errors import ConfigError, DataError
from venire.judging.rubric import RubricSet, check_corrected_on
from venire.review.feedback import Correction
from venire.review.rubric import corrected_rubric


@pytest.fixture
def content():
    return yaml.safe_load((config_dir() / "rubric" / "accuracy.yaml").read_text(encoding="utf-8"))


def correction(
    dimension="factual_accuracy", comment="the date is wrong", responses=("It was 1066.",), **changes
):
    fields = {"instance_id": "a", "judged": "5", "corrected": "2", "annotator": "ann", "created_at": "t"}
    texts = {"prompt": "When?", "responses": responses}
    return Correction(dimension=dimension, comment=comment, **{**fields, **texts, **changes})


def test_a_correction_with_a_reason_becomes_an_edge_case(content):
    made = corrected_rubric(content, [correction()], name="new", run_id="run-1")
    rubric = build(made.content, "rubric")
    assert isinstance(rubric, RubricSet)
    before = build(content, "rubric").rubrics[0].edge_cases
    *kept, added = rubric.rubrics[0].edge_cases
    assert tuple(kept) == before
    assert added.situation == 'A response like this: "It was 1066.". A judge said 5.'
    assert added.guidance == "A person says 2. the date is wrong"
    assert (rubric.name, made.added, made.left_out) == ("new", {"factual_accuracy": 1}, 0)
    assert rubric.provenance["corrected_by"] == "run-1"


def test_corrections_without_a_reason_or_a_criterion_are_left_out_and_counted(content):
    given = [correction(), correction(comment=""), correction(dimension="style")]
    made = corrected_rubric(content, given, name="new", run_id="r")
    assert (made.added, made.left_out) == ({"factual_accuracy": 1}, 2)
    lenient = corrected_rubric(content, given, name="new", run_id="r", without_reason=True)
    assert lenient.added == {"factual_accuracy": 2}


def test_corrections_of_pairs_need_to_be_told_their_criterion(content):
    pair = correction(
        dimension="", responses=("one", "two"), judged="response_1 (0.50)", corrected="response_2"
    )
    with pytest.raises(DataError, match="got none of 1; --without-reason"):
        corrected_rubric(content, [pair], name="new", run_id="r")
    made = corrected_rubric(content, [pair], name="new", run_id="r", criterion="factual_accuracy")
    added = build(made.content, "rubric").rubrics[0].edge_cases[-1]
    assert added.situation == 'Two responses like these: "one" and "two". A judge said response_1 (0.50).'
    with pytest.raises(DataError, match="--criterion: expected one of factual_accuracy, got 'style'"):
        corrected_rubric(content, [pair], name="new", run_id="r", criterion="style")


@pytest.mark.parametrize("judged", ["no judgment", "no judgment: escalated (cheap is closed)", "no rating"])
def test_why_a_run_has_no_judgment_is_not_told_to_a_judge(content, judged):
    made = corrected_rubric(content, [correction(judged=judged)], name="n", run_id="r")
    added = build(made.content, "rubric").rubrics[0].edge_cases[-1]
    assert added.situation == 'A response like this: "It was 1066.". No judge decided it.'


def test_long_responses_are_cut_and_lines_joined(content):
    made = corrected_rubric(content, [correction(responses=("x\n" * 500,))], name="n", run_id="r")
    situation = build(made.content, "rubric").rubrics[0].edge_cases[-1].situation
    assert "\n" not in situation
    assert len(situation) < 460


def test_a_rubric_does_not_judge_the_items_that_it_was_corrected_on(content, pair):
    instance = pair("a")
    texts = [each.text for each in instance.responses]
    learnt = correction(prompt=instance.prompt, responses=tuple(texts))
    rubric = build(corrected_rubric(content, [learnt], name="new", run_id="r").content, "rubric")
    with pytest.raises(ConfigError, match=r"new holds people's corrections of 1 of these .* \(a, \.\.\.\)"):
        check_corrected_on(rubric, [pair("b"), instance])
    # under another id, too: the texts count
    with pytest.raises(ConfigError, match="corrections of 1"):
        check_corrected_on(rubric, [pair("z", prompt=instance.prompt)])
    check_corrected_on(rubric, [pair("b")])
    check_corrected_on(build(content, "rubric"), [instance])


def test_earlier_corrections_are_still_known(content):
    first = corrected_rubric(content, [correction()], name="one", run_id="r").content
    other = correction(instance_id="b", prompt="Where?")
    second = corrected_rubric(first, [other], name="two", run_id="s")
    assert second.content["provenance"]["corrected_on"] == {
        "a": content_id("When?", None, ["It was 1066."]),
        "b": content_id("Where?", None, ["It was 1066."]),
    }


def test_a_file_that_is_no_rubric_is_refused():
    with pytest.raises(DataError, match="expected a file with rubrics"):
        corrected_rubric({"members": {}}, [correction()], name="n", run_id="r")
