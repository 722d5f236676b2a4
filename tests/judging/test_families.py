"""Which family a generator belongs to; nothing is guessed."""

import pytest

from venire.judging.families import families_of, family_of, known_families
from venire.records import Instance, Response


@pytest.mark.parametrize(
    ("generator", "family"),
    [
        ("gpt-4", "openai"),
        ("openai/gpt-4o-2024-08-06", "openai"),
        ("Claude-v1", "anthropic"),
        ("vicuna-13b-v1.2", "meta"),
        ("meta-llama/Llama-3.1-70B", "meta"),
        ("somebody's model", None),
        ("", None),
        (None, None),
    ],
)
def test_a_family_is_told_by_how_the_name_begins(generator: str | None, family: str | None) -> None:
    assert family_of(generator) == family


def test_further_names_come_before_those_that_are_known_and_the_longest_counts() -> None:
    more = {"gpt-j": "eleuther", "vicuna": "lmsys"}
    assert family_of("GPT-J-6B", more) == "eleuther"
    assert family_of("gpt-4", more) == "openai"
    assert family_of("vicuna-13b", more) == "lmsys"


def test_an_instance_has_a_family_for_each_response() -> None:
    instance = Instance("i", "p", (Response("a", generator="gpt-4"), Response("b")))
    assert families_of(instance) == ("openai", None)


def test_the_known_names_are_lower_case_and_end_in_no_version() -> None:
    assert all(name == name.casefold() for name in known_families())
    assert {"openai", "anthropic", "google", "meta", "tii"} <= set(known_families().values())
