"""`venire check-claims`: which stated figures cannot hold together."""

from venire.claimcheck import Level, bundled_claims, check_claims, read_claims
from venire.claimcheck.report import as_json, as_markdown, as_text
from venire.commands import exits

_FORMS = {"text": as_text, "md": as_markdown, "json": as_json}


def run_check_claims(name: str | None, form: str) -> int:
    """Print the findings on the figures of a file, or of a bundled one by its name; without one, the names.

    Returns 1 where something is impossible.

    Raises:
        ConfigError: there is no such file, or it breaks the format.
    """
    if name is None:
        for each in bundled_claims():
            print(f"{each}: {read_claims(each).title}")
        return exits.OK
    claims = read_claims(name)
    findings = check_claims(claims)
    print(_FORMS[form](claims, findings), end="")
    return exits.FAILED if any(each.level is Level.IMPOSSIBLE for each in findings) else exits.OK
