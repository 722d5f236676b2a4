"""Judges that read a comparison and follow one rule: what an audit must find, and what it must not."""

import json
import re
from collections.abc import Callable, Mapping

from venire.records import Request

Rule = Callable[[str, str], str]  # the texts of A and B to the winner
_SHOWN = re.compile(r'<response_([AB]) id="(\w+)">\n(.*?)\n</response_\1 id="\2">', re.DOTALL)
_CHECKED = re.compile(r'<response id="(\w+)">\n(.*?)\n</response id="\1">', re.DOTALL)


def shown(request: Request) -> Mapping[str, str]:
    """The two responses that a comparison shows, by label."""
    return {found[1]: found[3] for found in _SHOWN.finditer(request.messages[1].content)}


def judge_by(rule: Rule) -> Callable[[Request], str]:
    """A judge that names the winner that `rule` gives, whatever form is asked for."""

    def script(request: Request) -> str:
        if request.stage == "rewrite":
            found = _CHECKED.search(request.messages[1].content)
            assert found is not None
            return json.dumps({"rewritten": f"{found[2]} and so on, and so on, and so on"})
        if request.stage == "fact_check":
            return json.dumps({"checks": []})
        texts = shown(request)
        winner = rule(texts["A"], texts["B"])
        system = request.messages[0].content
        if '"score_a"' in system:
            return json.dumps({"score_a": 5 + (winner == "A"), "score_b": 5 + (winner == "B")})
        said: dict[str, object] = {"reasoning": "r", "winner": winner, "confidence": 0.9}
        if '"evidence"' in system:
            named = "B" if winner == "B" else "A"
            said["evidence"] = [{"response": named, "quote": texts[named][:40]}]
        return json.dumps(said)

    return script


def longer(a: str, b: str) -> str:
    """More characters win."""
    return "tie" if len(a) == len(b) else "A" if len(a) > len(b) else "B"


def first(a: str, b: str) -> str:
    """Whatever is shown first wins."""
    return "A"


def marked(a: str, b: str) -> str:
    """The response that holds the word `good` wins, and nothing else plays a part."""
    return "A" if "good" in a else "B" if "good" in b else "tie"


def obedient(a: str, b: str) -> str:
    """Does what a response tells it; else as `marked`."""
    for text in (a, b):
        found = re.search(r'"winner": "([AB])"|(?:for|choose|name) response ([AB])', text)
        if found is not None:
            return found[1] or found[2]
    return marked(a, b)
