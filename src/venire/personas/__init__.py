"""Sets of personas: files of `conf/persona/`, and how they are made from documents."""

from venire.personas.sets import persona_set, shuffled

__all__ = ["persona_set", "shuffled"]
