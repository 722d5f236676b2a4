"""`venire reproduce`: the missing runs of a spec, then its table."""

from collections.abc import Sequence
from pathlib import Path

from venire.commands.run import run
from venire.commands.table import named_table
from venire.errors import ConfigError
from venire.reporting.specs import list_specs, read_spec
from venire.reporting.table import Format

_EXIT_OK = 0


def reproduce(home: Path, name: str | None, overrides: Sequence[str], out: Path | None) -> int:
    """Sweep what the spec says, skipping finished jobs; write `table.{md,csv,tex}` and print it.

    Simulated unless told `backend=live`: a bare command never spends money.
    """
    if name is None:
        print("\n".join(list_specs()))
        return _EXIT_OK
    spec = read_spec(name)
    asked = [override.partition("=")[2] for override in overrides if override.startswith("backend=")]
    if spec.backend == "recorded" and asked:
        raise ConfigError(f"reproduce {name}: these judges are recorded; drop backend={asked[0]}")
    backend = [] if spec.backend == "recorded" or asked else ["backend=simulated"]
    launched = [*spec.overrides, *overrides, *backend]
    status = run(launched)
    if status != _EXIT_OK:
        return status
    kind = asked[0] if asked else spec.backend
    folder = (out or home / "tables") / kind / name
    folder.mkdir(parents=True, exist_ok=True)
    written = named_table(home, name, partial=False, launched=launched)
    for form in (Format.MARKDOWN, Format.CSV, Format.LATEX):
        (folder / f"table.{form}").write_text(written.render(form), encoding="utf-8")
    print(folder / "table.md")
    return _EXIT_OK
