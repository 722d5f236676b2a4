"""Findings as text, Markdown or JSON."""

import json
from collections.abc import Sequence

from venire.claimcheck.checking import ClaimFile
from venire.claimcheck.findings import Finding, Level

_MEANING = {
    Level.IMPOSSIBLE: "no numbers are stated so and fit",
    Level.CONDITIONAL: "they fit under a condition that the source does not state",
    Level.UNSOURCED: "there is nothing to hold the figure against",
    Level.CONSISTENT: "the figures fit as stated, which does not say that they are right",
}


def counted(findings: Sequence[Finding]) -> str:
    """`1 impossible, 5 possible only if, 0 unsourced, 12 consistent`."""
    return ", ".join(f"{sum(each.level is level for each in findings)} {level}" for level in Level)


def as_text(claims: ClaimFile, findings: Sequence[Finding]) -> str:
    """A block a finding, from the gravest level."""
    blocks = [f"{claims.title}\n{counted(findings)}"]
    for level in Level:
        for finding in findings:
            if finding.level is level:
                blocks.append(
                    "\n".join([f"[{level}] {finding.title}", *(f"  {line}" for line in _lines(finding))])
                )
    return "\n\n".join([*blocks, *claims.notes]) + "\n"


def _lines(finding: Finding) -> list[str]:
    lines = [*finding.arithmetic]
    if finding.conditions:
        lines.append(f"Possible only if {'; or '.join(finding.conditions)}.")
    return [*lines, *([finding.note] if finding.note else [])]


def as_markdown(claims: ClaimFile, findings: Sequence[Finding]) -> str:
    """A page: a table of all findings, then each with its arithmetic and where its figures stand."""
    numbered = [finding for level in Level for finding in findings if finding.level is level]
    lines = [f"# {_plain(claims.title)}", ""]
    if claims.source:
        lines += [f"Source of the figures: {_plain(claims.source)}", ""]
    lines += [f"{counted(findings)}.", ""]
    lines += [
        f"- **{level}**: {_MEANING[level]}" for level in Level if any(f.level is level for f in findings)
    ]
    lines += ["", "| | finding | check | what |", "| ---: | --- | --- | --- |"]
    lines += [
        f"| {number} | {finding.level} | {finding.check} | {_plain(finding.title)} |"
        for number, finding in enumerate(numbered, 1)
    ]
    for number, finding in enumerate(numbered, 1):
        lines += ["", f"## {number}. {_plain(finding.title)}", "", f"**{finding.level}**", ""]
        lines += [f"- {_plain(line)}" for line in finding.arithmetic]
        if finding.conditions:
            lines += ["", f"Possible only if {_plain('; or '.join(finding.conditions))}."]
        if finding.note:
            lines += ["", _plain(finding.note)]
        if finding.sources:
            lines += ["", *(f"- {_plain(source)}" for source in finding.sources)]
    for note in claims.notes:
        lines += ["", _plain(note)]
    return "\n".join(lines) + "\n"


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#"})


def _plain(text: str) -> str:
    """The text as Markdown shows it unchanged, in one line."""
    return " ".join(text.split()).translate(_MARKS)


def as_json(claims: ClaimFile, findings: Sequence[Finding]) -> str:
    """Plain values for scripts."""
    content = {
        "title": claims.title,
        "source": claims.source,
        "counts": {str(level): sum(each.level is level for each in findings) for level in Level},
        "findings": [
            {
                "level": str(finding.level),
                "title": finding.title,
                "check": finding.check,
                "figures": list(finding.figures),
                "arithmetic": list(finding.arithmetic),
                "conditions": list(finding.conditions),
                "note": finding.note,
                "sources": list(finding.sources),
            }
            for finding in findings
        ],
        "notes": list(claims.notes),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
