"""Prompt files to messages.

A prompt is one file `<name>.jinja` with a block `system` (optional) and a block `user`: one
message each, in this order. Files whose name begins with `_` are parts, for `{% include %}`.
An undefined value, and a value that is None where it is shown, is an error.

Foreign text is shown as `{{ text | material("response_A") }}`, which delimits it so that it
cannot close its own delimiter, nor another text's:

    <response_A id="3c1f0b9a7e5d2846">
    ...
    </response_A id="3c1f0b9a7e5d2846">

The id is a hash over all values of the rendering, chosen such that it occurs in none of them: a
text can hold any tag that it likes, it cannot hold that one. Equal values give equal bytes.
"""

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from itertools import count
from pathlib import Path

from jinja2 import (
    Environment,
    FunctionLoader,
    StrictUndefined,
    Template,
    UndefinedError,
    meta,
    pass_context,
)
from jinja2.runtime import Context

from venire.errors import ConfigError
from venire.records import Message

_FOLDER = Path(__file__).parent
_ROLES = ("system", "user")
_NONCE = "_nonce"


def render(name: str, **values: object) -> tuple[Message, ...]:
    """The messages of prompt `name` with `values` filled in; the same values give the same bytes.

    Values are texts, numbers, None, and sequences or mappings of these (no sets: they have no order).

    Raises:
        ConfigError: there is no such prompt.
        jinja2.UndefinedError: the file shows a value that is not given, or is None.
    """
    template = _template(name)
    # shared: without jinja's globals (range, ...), which no prompt uses: their copy takes a third of the time
    context = template.new_context({**values, _NONCE: _nonce(values)}, shared=True)
    return tuple(
        Message(role, "".join(template.blocks[role](context)).strip())
        for role in _ROLES
        if role in template.blocks
    )


@cache
def prompt_hash(name: str) -> str:
    """SHA-256 (hex) over the file of prompt `name` and every file that it includes.

    Raises:
        ConfigError: there is no such prompt.
    """
    require_prompt(name)
    digest = hashlib.sha256()
    for file in sorted(_with_includes(f"{name}.jinja")):
        text = (_FOLDER / file).read_text(encoding="utf-8")
        digest.update(f"{file}\0{len(text)}\0{text}".encode())
    return digest.hexdigest()


@cache
def prompt_names() -> tuple[str, ...]:
    """The names of all prompts, sorted; parts for inclusion left out."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.jinja") if not path.name.startswith("_")))


def require_prompt(name: str, *, like: str | None = None) -> None:
    """Nothing, where prompt `name` exists, and can stand where `like` stands.

    Prompts of one kind begin with the same word (`pairwise`, `pairwise_vanilla`) and show the same values.

    Raises:
        ConfigError: it does not; names those that do.
    """
    fitting = prompt_names() if like is None else prompts_like(like)
    if name not in fitting:
        raise ConfigError(f"prompt: expected one of {', '.join(fitting)}, got {name!r}")


@cache
def prompts_like(name: str) -> tuple[str, ...]:
    """The prompts that can stand where `name` stands, itself among them, sorted."""
    word = name.partition("_")[0]
    return tuple(
        other
        for other in prompt_names()
        if other.partition("_")[0] == word and values_shown(other) == values_shown(name)
    )


@cache
def values_shown(name: str) -> frozenset[str]:
    """What prompt `name`, with every file that it includes, asks to be given."""
    environment = _environment()
    return frozenset(
        value
        for file in _with_includes(f"{name}.jinja")
        for value in meta.find_undeclared_variables(
            environment.parse((_FOLDER / file).read_text(encoding="utf-8"))
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_with_parts),
        undefined=StrictUndefined,
        finalize=_shown,
        keep_trailing_newline=True,  # else an included part swallows the blank line after it
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        autoescape=False,
    )
    environment.filters["material"] = _material
    return environment


@cache
def _template(name: str) -> Template:
    require_prompt(name)
    template = _environment().get_template(f"{name}.jinja")
    if "user" not in template.blocks or not set(template.blocks) <= set(_ROLES):
        raise ConfigError(
            f"prompt: {name}.jinja has blocks {', '.join(template.blocks)}; expected system, user"
        )
    return template


def _with_parts(file: str) -> str:
    """The text of `file`, with the text of each part that it includes on a line of its own in its place.

    The same prompt in half the time: an include that is carried out at each rendering copies all values.
    """
    source = (_FOLDER / file).read_text(encoding="utf-8")
    return _INCLUDE_LINE.sub(lambda include: _with_parts(include[1]), source)


_INCLUDE_LINE = re.compile(r'^{% include "([^"]+)" %}\n', re.MULTILINE)


def _with_includes(file: str) -> set[str]:
    """`file` and all files that it includes, directly or through others."""
    found, todo = {file}, [file]
    environment = _environment()
    while todo:
        source = (_FOLDER / todo.pop()).read_text(encoding="utf-8")
        referenced = set(meta.find_referenced_templates(environment.parse(source)))
        if None in referenced:
            raise ConfigError(
                f"prompt: {file} includes a file by a computed name; its hash would be blind to it"
            )
        todo += [name for name in referenced if name is not None and name not in found]
        found.update(todo)
    return found


def _shown(value: object) -> object:
    if value is None:
        raise UndefinedError("a value that is None was shown; test it with `is not none` first")
    return value


def _nonce(values: Mapping[str, object]) -> str:
    """16 hex digits, from `values` alone, that occur in none of them.

    `repr` shows a text's hex digits as they are, so what is not in the repr is not in the text.
    """
    shown = repr(sorted(values.items()))
    for attempt in count():
        nonce = hashlib.sha256(f"{attempt}\0{shown}".encode()).hexdigest()[:16]
        if nonce not in shown:
            return nonce
    raise AssertionError("unreachable")


@pass_context
def _material(context: Context, text: str, label: str) -> str:
    nonce = context[_NONCE]
    return f'<{label} id="{nonce}">\n{text}\n</{label} id="{nonce}">'
