"""How a judge's persona enters its prompts: at the head of the system message of every one of them."""

from venire.prompts.render import render
from venire.records import Message, Persona, PersonaLevel

PERSONA = "persona"


def in_person(messages: tuple[Message, ...], persona: Persona | None) -> tuple[Message, ...]:
    """`messages` with the persona before the system message; unchanged where there is none to tell.

    Level `simple` tells the one-line role, `no_demographics` all parts but that one, `none` nothing: such
    a judge sends the very requests of a judge without a persona.
    """
    if persona is None or persona.level is PersonaLevel.NONE:
        return messages
    told = render(PERSONA, role=persona.role, parts=_parts(persona))[-1].content
    if messages[0].role != "system":
        return (Message("system", told), *messages)
    return (Message("system", f"{told}\n\n{messages[0].content}"), *messages[1:])


def _parts(persona: Persona) -> dict[str, str]:
    if persona.level is PersonaLevel.SIMPLE:
        return {}
    parts = {
        "Background": "" if persona.level is PersonaLevel.NO_DEMOGRAPHICS else persona.demographics,
        "What you look for": persona.perspective,
        "What you know": persona.expertise,
        "How you are": persona.traits,
        "Who you deal with": persona.relations,
    }
    return {heading: text for heading, text in parts.items() if text}
