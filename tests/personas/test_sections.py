"""Which lines are headings, and which sections no model is shown."""

import pytest

from venire.personas.blocks import Block, Kind
from venire.personas.sections import divide, heading_of, kind_of


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Related Work", Kind.RELATED_WORK),
        ("2. Related work and background", Kind.RELATED_WORK),
        ("II. PREVIOUS RESEARCH", Kind.RELATED_WORK),
        ("Background and Related Work", Kind.RELATED_WORK),
        ("Literature review", Kind.RELATED_WORK),
        ("관련 연구", Kind.RELATED_WORK),
        ("References", Kind.REFERENCES),
        ("7 REFERENCES", Kind.REFERENCES),
        ("**Bibliography**", Kind.REFERENCES),
        ("References:", Kind.REFERENCES),
        ("참고문헌", Kind.REFERENCES),
        ("Background", None),
        ("Working together", None),
        ("References to the patient", None),
        ("Prior beliefs", None),
    ],
)
def test_a_section_is_left_out_by_its_heading(heading: str, kind: Kind | None) -> None:
    assert kind_of(heading) is kind


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("1 Introduction", 1),
        ("2.1 Interviews with nurses", 2),
        ("3. Results", 1),
        ("Related Work", 1),
        ("WHAT PATIENTS SAID", 1),
        ("Appendix A: questions", 1),
    ],
)
def test_a_line_that_reads_like_a_heading_is_one(line: str, level: int) -> None:
    heading = heading_of(line)
    assert heading is not None
    assert (heading.text, heading.level) == (line, level)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "2 patients left.",
        "1. Smith J. Asking readers about texts. 2019.",
        "12 of the nurses agreed",
        "references",
        "One of them said it plainly",
        "5 The very long line that goes on and on until nobody takes it for a title",
        "OK",
    ],
)
def test_other_lines_are_none(line: str) -> None:
    assert heading_of(line) is None


def marked(level: int, text: str) -> Block:
    return Block(text, level, is_marked=True)


def kept(blocks: list[Block]) -> list[str]:
    return [paragraph.text for paragraph in divide(blocks).paragraphs]


def test_a_left_out_section_takes_its_subsections_along_and_ends_at_its_own_level() -> None:
    blocks = [
        Block("a"),
        marked(2, "Related work"),
        Block("b"),
        marked(3, "Of others"),
        Block("c"),
        marked(2, "Method"),
        Block("d"),
    ]
    divided = divide(blocks)
    assert [(p.number, p.text) for p in divided.paragraphs] == [(1, "a"), (4, "d")]
    (left_out,) = divided.left_out
    assert (left_out.heading, left_out.kind) == ("Related work", Kind.RELATED_WORK)
    assert (left_out.first, left_out.last) == (2, 3)


def lines(*texts: str) -> list[Block]:
    return [heading_of(text) or Block(text) for text in texts]


def test_a_numbered_section_is_not_ended_by_a_line_in_capitals_nor_by_its_own_subsections() -> None:
    assert kept(lines("2 Related Work", "b.", "LANGUAGE MODELS", "c.", "2.1 More", "d.", "3 Data", "e.")) == [
        "e."
    ]


def test_references_run_on_over_numbered_entries_to_the_appendix() -> None:
    text = lines("1 Text", "a.", "References", "1 Smith, On Texts", "entry.", "Appendix", "b.")
    assert kept(text) == ["a.", "b."]


def test_related_work_right_before_the_references_leaves_out_both() -> None:
    divided = divide(lines("a.", "Related Work", "b.", "References", "c."))
    assert [p.text for p in divided.paragraphs] == ["a."]
    assert [(each.kind, each.first, each.last) for each in divided.left_out] == [
        (Kind.RELATED_WORK, 2, 2),
        (Kind.REFERENCES, 3, 3),
    ]


def test_an_empty_section_and_an_empty_document_are_no_fault() -> None:
    (left_out,) = divide(lines("a.", "References")).left_out
    assert left_out.first > left_out.last
    assert divide([]).paragraphs == ()
