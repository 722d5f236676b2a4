"""The file of a built set: read back as it was written, with all that it rests on."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from omegaconf import OmegaConf
from tests.personas.scripted import BRIEF, FOUND, built, calling, documents, model

from venire.build import build
from venire.generated.record import yaml_of
from venire.llm.route import Client
from venire.personas.checks import findings
from venire.personas.naming import is_option_name, key_of, unused
from venire.personas.record import file_of, header_of, warnings_of
from venire.records import PersonaOrigin, PersonaSet


def content(**changes: object) -> dict[str, Any]:
    return dict(file_of(BRIEF, documents(), calling(**changes), built(model(), **changes)))


def read_back(text: str) -> PersonaSet:
    plain = OmegaConf.to_container(OmegaConf.create(yaml.safe_load(text)), resolve=True)
    made = build(plain, "persona")
    assert isinstance(made, PersonaSet)
    return made


def test_a_written_set_is_read_back_with_its_groups_people_and_evidence() -> None:
    made = read_back(yaml_of(content(), ["Built."]))
    assert (made.name, made.origin) == ("medical", PersonaOrigin.BUILT)
    assert [group.name for group in made.groups] == ["clinicians", "patients", "trial_centre"]
    # `direction` is a dimension of two groups: the second one's name says whose.
    assert [p.name for p in made.personas] == [
        "usefulness",
        "direction",
        "plain_words",
        "trial_centre_direction",
    ]
    assert made.personas[2].evidence[0].quote == "Patients asked for words that they could repeat at home."
    assert made.groups[2].description == "Trial centre: all Trial centre"
    assert [each for each in findings(made, documents()) if each.is_error] == []


def test_the_provenance_says_what_was_read_left_out_dropped_and_paid() -> None:
    provenance = content()["provenance"]
    (interviews, workshop) = provenance["documents"]
    assert interviews["selection"] == "written for venire's tests, as an interview study would report"
    assert [each["heading"] for each in workshop["left_out"]] == ["6 Previous work", "References"]
    assert (workshop["left_out"][0]["kind"], workshop["left_out"][0]["paragraphs"]) == (
        "related_work",
        [9, 10],
    )
    assert len(interviews["sha256"]) == 64
    # Seven quotes were checked, five hold, four of them word for word; two hold nowhere, one view was empty.
    assert provenance["grounding"] == {
        "threshold": 0.9,
        "quotes": 7,
        "grounded": 5,
        "verbatim": 4,
        "rate": 0.7143,
    }
    assert [each["why"] for each in provenance["dropped"]["views"]] == [
        "ungrounded",
        "incomplete",
        "ungrounded",
    ]
    # Two parts, one grouping, four personas, at 100 tokens in, 20 out and $0.001 each.
    cost = provenance["cost"]
    assert (cost["calls"], cost["input_tokens"], cost["output_tokens"]) == (7, 700, 140)
    assert cost["cost_usd"] == pytest.approx(0.007)
    assert cost["tokens_per_document"] == 420
    assert cost["by_stage"]["persona_writing"]["calls"] == 4
    assert interviews["extraction"]["input_tokens"] == 100


def test_the_same_build_gives_the_same_bytes_and_none_of_this_machine(tmp_path: Path) -> None:
    first, second = yaml_of(content(), ["x"]), yaml_of(content(), ["x"])
    assert first == second
    assert str(Path(__file__).parents[2]) not in first


def test_a_simulated_set_says_so_in_its_origin_and_its_first_line() -> None:
    from dataclasses import replace

    simulated = content(judge=replace(calling().judge, client=Client.SIMULATED))
    assert simulated["origin"] == "simulated"
    assert "SIMULATED" in header_of(simulated, "m0")[0]
    assert "m0" in header_of(content(), "m0")[0]


@pytest.mark.parametrize(
    "text",
    [
        "a ${x} b",
        "${oc.env:HOME}",
        r"\${a}",
        r"\\${b} ${c}",
        "${",
        "no",
        "1e3",
        "- a: b # c",
        " 한국어 ",
        "a\nb",
    ],
)
def test_no_text_of_a_model_is_taken_for_a_reference_or_a_number(text: str) -> None:
    node = OmegaConf.create(yaml.safe_load(yaml_of({"a": [{"b": text}]}, [])))
    assert OmegaConf.to_container(node, resolve=True) == {"a": [{"b": text}]}


def test_a_text_that_would_be_a_missing_value_is_put_in_brackets() -> None:
    assert yaml.safe_load(yaml_of({"a": "???"}, [])) == {"a": "(???)"}


def test_warnings_name_what_was_built_all_the_same() -> None:
    found = {**FOUND, "workshop.txt": ()}
    one = built(model(found, {"All": {"d": [1, 2, 3, 4]}}))
    said = warnings_of(documents(), one)
    assert [each.split(":")[0] for each in said] == [
        "there is one group only",
        "group 'All' has one persona only",
        "no stakeholder with evidence in workshop.txt",
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Effect direction!", "effect_direction"),
        ("Égalité & santé", "egalite_sante"),
        ("환자", "persona_1"),
        ("2nd readers", "persona_1"),
        ("a" * 60, "a" * 40),
        (
            "usefulness for the next decision at the bedside of old people",
            "usefulness_for_the_next_decision_at_the",
        ),
    ],
)
def test_a_name_becomes_a_key_that_an_override_can_name(text: str, key: str) -> None:
    assert key_of(text, "persona_1") == key


def test_a_key_that_is_taken_gets_a_number() -> None:
    assert unused("a", {"b"}) == "a"
    assert unused("a", {"a", "a_2"}) == "a_3"


@pytest.mark.parametrize(("name", "good"), [("a-b_1", True), ("", False), ("a b", False), ("../a", False)])
def test_an_option_s_name_has_no_blanks_and_no_path(name: str, good: bool) -> None:
    assert is_option_name(name) is good
