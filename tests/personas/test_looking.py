"""Sets compared, checked and shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.personas.making import DOCUMENTS
from tests.personas.scripted import BRIEF, built, calling, documents, model

from venire.build import build
from venire.commands.persona_sets import find_set, listed_sets
from venire.errors import ConfigError, DataError
from venire.generated.record import yaml_of
from venire.personas.checks import findings
from venire.personas.comparing import differences
from venire.personas.reading import read_documents
from venire.personas.record import file_of
from venire.personas.showing import shown
from venire.records import Evidence, PersonaLevel, PersonaSet, StakeholderGroup


@pytest.fixture(scope="module")
def medical() -> PersonaSet:
    """The set that the scripted model builds of the test documents."""
    made = build(file_of(BRIEF, documents(), calling(), built(model())), "persona")
    assert isinstance(made, PersonaSet)
    return made


def changed(made: PersonaSet, **parts: object) -> PersonaSet:
    """`made` with other parts of its first persona."""
    group = made.groups[0]
    first = replace(group.personas[0], **parts)  # type: ignore[arg-type]
    return replace(made, groups=(replace(group, personas=(first, *group.personas[1:])), *made.groups[1:]))


def test_a_set_differs_in_nothing_from_itself(medical: PersonaSet) -> None:
    assert differences(medical, medical) == []


def test_differences_are_named_by_key_with_old_and_new(medical: PersonaSet) -> None:
    other = replace(
        changed(medical, role="another", evidence=()),
        level=PersonaLevel.SIMPLE,
        provenance={
            "documents": [{"name": "interviews.md", "sha256": "ff"}, {"name": "c.md", "sha256": "1"}]
        },
    )
    where = "groups.clinicians.personas.usefulness"
    said = [each.split("\n")[0] for each in differences(medical, other)]
    assert said[:2] == ["~ level", f"~ {where}.role"]
    assert said[2].startswith(f"- {where}.evidence: interviews.md, paragraph 4: ")
    assert said[3].startswith("~ document interviews.md: another file (SHA-256 ")
    assert said[4:] == ["- document workshop.txt", "+ document c.md"]
    assert differences(medical, other)[0] == "~ level\n    - detailed\n    + simple"


def test_groups_and_people_that_come_and_go_are_named(medical: PersonaSet) -> None:
    newcomers = StakeholderGroup("guests", "d", (replace(medical.personas[0], name="guest"),))
    fewer = replace(medical.groups[0], personas=medical.groups[0].personas[1:])
    said = differences(medical, replace(medical, groups=(fewer, *medical.groups[2:], newcomers)))
    assert said == [
        "- groups.clinicians.personas.usefulness: Clinicians on usefulness",
        "- groups.patients (plain_words)",
        "+ groups.guests (guest)",
    ]


def errors(made: PersonaSet) -> list[str]:
    return [str(each) for each in findings(made) if each.is_error]


def test_a_set_as_it_was_built_has_no_errors(medical: PersonaSet) -> None:
    assert errors(medical) == []
    assert [each for each in findings(medical, documents()) if each.is_error] == []
    assert [str(each) for each in findings(medical)] == [
        "warning: groups.patients: one persona only: it has nobody to debate with",
        "warning: groups.trial_centre: one persona only: it has nobody to debate with",
        # The script writes the same perspective for everybody.
        "warning: groups.clinicians.personas: usefulness and direction have nearly the same perspective",
    ]


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ({"evidence": ()}, "evidence: none, in a set that was built from documents"),
        ({"evidence": (Evidence("a.md", 1, "q", 0.5),)}, "evidence[0]: match 0.5, expected at least 0.9"),
        ({"role": " "}, "role: empty"),
    ],
)
def test_what_a_built_set_must_have_is_an_error_where_it_lacks(
    medical: PersonaSet, parts: dict[str, object], error: str
) -> None:
    (found,) = errors(changed(medical, **parts))
    assert found.startswith(f"error: groups.clinicians.personas.usefulness.{error}")


def test_a_set_without_its_documents_in_the_record_is_an_error(medical: PersonaSet) -> None:
    assert errors(replace(medical, provenance={})) == [
        "error: provenance.documents: a set of origin built names no documents"
    ]


def test_one_group_and_one_dimension_twice_are_warnings(medical: PersonaSet) -> None:
    one = replace(changed(medical, dimension="Direction", perspective="p"), groups=medical.groups[:1])
    assert "warning: groups: one group only: nothing is averaged over groups" in map(str, findings(one))
    twice = changed(medical, dimension="Direction", perspective="p")
    assert (
        "warning: groups.clinicians.personas: usefulness and direction have one dimension, 'Direction'"
        in map(str, findings(twice))
    )


def test_quotes_are_looked_up_again_in_the_documents(medical: PersonaSet, tmp_path: Path) -> None:
    text = (DOCUMENTS / "interviews.md").read_text(encoding="utf-8").replace("repeat at home", "forget again")
    (tmp_path / "interviews.md").write_text(text, encoding="utf-8")
    said = [str(each) for each in findings(medical, read_documents(tmp_path)) if each.is_error]
    assert said[0] == "error: provenance.documents: interviews.md: another file than the set was built from"
    assert said[1] == "error: provenance.documents: workshop.txt: not among the documents given"
    assert said[2].startswith("error: plain_words.evidence: not in interviews.md (best match 0.")
    assert said[3] == "error: trial_centre_direction.evidence: workshop.txt is not among the documents given"
    assert len(said) == 4


def test_a_set_is_shown_with_its_evidence_and_what_it_rests_on(medical: PersonaSet) -> None:
    text = shown(medical)
    assert text.startswith("medical: built from documents by a model\n")
    assert "3 groups, 4 personas, told at level detailed" in text
    assert "interviews.md, paragraph 7 (match 0.98" in " ".join(text.split())
    assert "grounding: 5 of 7 quotes are in their document (4 word for word; threshold 0.9)" in text
    assert "left out: Related work, References" in text
    assert "cost: 7 calls, 700 tokens in, 140 out, 420 a document, $0.007\n" in text


def test_unknown_tokens_and_dollars_are_said_to_be_unknown(medical: PersonaSet) -> None:
    unknown = {"calls": 2, "input_tokens": None, "output_tokens": None, "cost_usd": None}
    text = shown(replace(medical, provenance={"cost": unknown}))
    assert "cost: 2 calls, unknown tokens in, unknown out, unknown a document, dollars unknown" in text


def test_a_hand_written_set_is_shown_as_such(tmp_path: Path) -> None:
    assert shown(find_set(tmp_path, "mslr", (), None)).startswith("mslr: hand-written, ")


def test_sets_are_found_by_name_at_home_in_a_given_folder_and_by_file(
    medical: PersonaSet, tmp_path: Path
) -> None:
    text = yaml_of(file_of(BRIEF, documents(), calling(), built(model())), ["Built."])
    home, given = tmp_path / "home", tmp_path / "given"
    for folder, name in ((home / "config" / "persona", "athome"), (given / "persona", "given")):
        folder.mkdir(parents=True)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    assert find_set(home, "athome", (), None) == medical
    assert find_set(home, "given", (), given) == medical
    assert find_set(home, str(given / "persona" / "given.yaml"), (), None) == medical
    simple = find_set(home, "athome", ("persona.level=simple",), None)
    assert {persona.level for persona in simple.personas} == {PersonaLevel.SIMPLE}
    placebo = find_set(home, "shuffled", ("persona@persona.own=athome",), None)
    assert [len(group.personas) for group in placebo.groups] == [2, 1, 1]
    listed = [line.split(":")[0] for line in listed_sets(home, given)]
    assert listed == ["mslr", "shuffled", "storysparkqa", "transport", "given", "athome"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "persona: no"),
        ("editor", "persona: editor is a single persona for a judge's seat"),
        ("nowhere.yaml", "no such file: nowhere.yaml"),
    ],
)
def test_what_is_no_set_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_set(tmp_path, name, (), None)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a: [1", DataError),
        ("- 1", DataError),
        ("_target_: os.system\ncommand: echo", ConfigError),
        ("_target_: venire.personas.persona_set\nname: x\ntask: t\ngroups: {}", ConfigError),
    ],
)
def test_a_file_that_is_no_set_is_refused_and_runs_nothing(
    tmp_path: Path, text: str, kind: type[Exception]
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(kind):
        find_set(tmp_path, str(path), (), None)
