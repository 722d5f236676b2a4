"""From a YAML file to figures and checks: the format of docs/claims.md, key by key."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from venire.claimcheck.additive import AdditiveCheck
from venire.claimcheck.checking import Check, ClaimFile, Stated
from venire.claimcheck.cost import CostCheck
from venire.claimcheck.expression import read_relation
from venire.claimcheck.fields import Fields, read_yaml, whole
from venire.claimcheck.figures import Figure, Rounding, read_figure
from venire.claimcheck.kappa import KappaCheck
from venire.claimcheck.reachable import ReachableCheck
from venire.claimcheck.relation import OrderCheck, RelationCheck
from venire.claimcheck.split import SplitCheck
from venire.errors import ConfigError

CLAIMS = Path(__file__).parent / "claims"


def bundled_claims() -> list[str]:
    """The names of the files that come with venire."""
    return sorted(path.stem for path in CLAIMS.glob("*.yaml"))


def read_claims(name: str) -> ClaimFile:
    """The figures and checks of a file, or of a bundled one by its name.

    Raises:
        ConfigError: there is no such file, or it breaks the format; names file and key.
    """
    path = Path(name)
    if not path.is_file() and name in bundled_claims():
        path = CLAIMS / f"{name}.yaml"
    if not path.is_file():
        raise ConfigError(
            f"check-claims: expected a YAML file or one of {', '.join(bundled_claims())}; got {name!r}"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path.name}: expected UTF-8 text that can be read: {error}") from None
    return parse_claims(text, path.name)


def parse_claims(text: str, where: str) -> ClaimFile:
    """The figures and checks of a file's text; `where` names it in messages.

    Raises:
        ConfigError: it breaks the format.
    """
    fields = Fields(read_yaml(text, where), where)
    title, source = fields.text("title"), fields.text("source", "")
    rounding = Rounding(fields.choice("rounding", list(Rounding), Rounding.NEAREST))
    figures = _figures(fields.take("figures"), f"{where}: figures", rounding)
    nodes = fields.take("checks") or []
    notes = fields.texts("notes")
    fields.done()
    if not isinstance(nodes, list):
        raise ConfigError(f"{where}: checks: expected a list of checks, got {nodes!r}")
    sourceless = [each for each in figures.values() if not each.unsourced and not each.derived]
    if not source and sourceless:
        raise ConfigError(
            f"{where}: source: missing; expected where the figures stand, or `unsourced` at each figure "
            f"that has no source ({sourceless[0].name} has neither)"
        )
    checks = tuple(_check(node, figures, f"{where}: checks[{place}]") for place, node in enumerate(nodes))
    if not checks and not any(each.unsourced for each in figures.values()):
        raise ConfigError(f"{where}: checks: expected at least one, or a figure that is unsourced")
    return ClaimFile(title, source, figures, checks, notes)


def _figures(node: object, where: str, rounding: Rounding) -> dict[str, Figure]:
    if not isinstance(node, Mapping) or not node:
        raise ConfigError(f"{where}: expected a mapping of names to figures, got {node!r}")
    found: dict[str, Figure] = {}
    for name, value in node.items():
        if not str(name).isidentifier():
            raise ConfigError(f"{where}.{name}: expected a name of letters, digits and _, as in a relation")
        found[name] = _figure(name, value, f"{where}.{name}", rounding)
    return found


def _figure(name: str, node: object, where: str, rounding: Rounding) -> Figure:
    if isinstance(node, str):
        return read_figure(node, where, name=name, rounding=rounding)
    fields = Fields(node, where)
    exact = fields.flag("exact")
    own = Rounding(fields.choice("rounding", list(Rounding), rounding))
    figure = read_figure(fields.text("value"), fields.at("value"), name=name, rounding=own, exact=exact)
    within = fields.text("within", "")
    if within:
        if exact:
            raise ConfigError(f"{fields.at('within')}: expected either this or exact, got both")
        around = read_figure(within, fields.at("within"), exact=True).value
        if around < 0:
            raise ConfigError(f"{fields.at('within')}: expected a distance of at least 0, got {within!r}")
        figure = replace(figure, low=figure.value - around, high=figure.value + around)
    figure = replace(
        figure,
        where=fields.text("where", ""),
        says=fields.text("says", ""),
        derived=fields.text("derived", ""),
        unsourced=fields.text("unsourced", ""),
    )
    fields.done()
    if figure.unsourced and figure.derived:
        raise ConfigError(f"{where}: expected either unsourced or derived, got both")
    return figure


class _Reader:
    """A check's keys, with the file's figures to look names up in."""

    def __init__(self, fields: Fields, figures: Mapping[str, Figure]) -> None:
        self.fields = fields
        self.figures = figures

    def named(self, key: str) -> str:
        """The name of a figure."""
        return self.known(self.fields.text(key), self.fields.at(key))

    def known(self, name: str, where: str) -> str:
        """The same name, which some figure must have."""
        if name not in self.figures:
            raise ConfigError(f"{where}: no figure {name!r}; there are {', '.join(self.figures)}")
        return name

    def several(self, key: str, least: int) -> tuple[str, ...]:
        """A list of names, at least `least`."""
        names = tuple(self.known(name, self.fields.at(key)) for name in self.fields.texts(key))
        if len(names) < least or len(set(names)) < len(names):
            raise ConfigError(
                f"{self.fields.at(key)}: expected {least} or more names that differ, got {names}"
            )
        return names

    def items(self, key: str) -> int:
        """A number of items: written out, or a figure's name."""
        text = self.fields.text(key)
        if text in self.figures:
            return self._whole(self.figures[text], key)
        return whole(text, self.fields.at(key))

    def _whole(self, figure: Figure, key: str) -> int:
        try:
            number = figure.whole
        except ConfigError as error:
            raise ConfigError(f"{self.fields.at(key)}: {error}") from None
        if number < 1:
            raise ConfigError(f"{self.fields.at(key)}: expected at least 1, got {figure.text}")
        return number

    def runs(self) -> int | None:
        """How many runs; None where that is unknown."""
        text = self.fields.text("runs", "unknown")
        return None if text == "unknown" else whole(text, self.fields.at("runs"))


def _check(node: object, figures: Mapping[str, Figure], where: str) -> Stated:
    fields = Fields(node, where)
    kind = fields.choice("check", list(_READERS))
    title = fields.text("title")
    note, premises = fields.text("note", ""), fields.texts("assuming")
    check = _READERS[kind](_Reader(fields, figures))
    fields.done()
    return Stated(kind, title, check, premises, note)


def _reachable(of: _Reader) -> ReachableCheck:
    return ReachableCheck(of.several("figures", 1), of.items("n"), of.runs(), of.fields.flag("halves"))


def _kappa(of: _Reader) -> KappaCheck:
    n = of.items("n")
    labels = of.fields.count("labels", least=2) or 2
    return KappaCheck(
        of.named("accuracy"),
        of.named("kappa"),
        n,
        labels,
        _margin(of, "gold", n, labels),
        _margin(of, "verdicts", n, labels),
        of.runs(),
    )


def _margin(of: _Reader, key: str, n: int, labels: int) -> tuple[int, ...]:
    where = of.fields.at(key)
    counts = tuple(whole(text, where, least=0) for text in of.fields.texts(key))
    if counts and (len(counts) != labels or sum(counts) != n):
        raise ConfigError(f"{where}: expected {labels} counts that make {n}, got {list(counts)}")
    return counts


def _relation(of: _Reader) -> RelationCheck:
    where = of.fields.at("holds")
    relation = read_relation(of.fields.text("holds"), where)
    sought = {
        name: _span(text, f"{of.fields.at('whole')}.{name}")
        for name, text in of.fields.mapping("whole").items()
    }
    if len(sought) > 1 or sought.keys() - relation.names or sought.keys() & of.figures.keys():
        raise ConfigError(
            f"{of.fields.at('whole')}: expected one name of the relation that is no figure, "
            f"got {', '.join(sought)}"
        )
    for name in sorted(relation.names - sought.keys()):
        of.known(name, where)
    return RelationCheck(relation, sought)


def _span(text: str, where: str) -> tuple[int, int]:
    low, _, high = text.partition(" to ")
    lowest, highest = whole(low.strip(), where, least=0), whole(high.strip(), where, least=0)
    if lowest > highest:
        raise ConfigError(f"{where}: expected `1 to 20`, got {text!r}")
    return lowest, highest


def _order(of: _Reader) -> OrderCheck:
    names = of.several("figures", 2)
    shape = of.fields.choice("shape", ("increasing", "decreasing", "peak", "valley"))
    at = of.fields.text("at", "")
    if (shape in ("peak", "valley")) != bool(at) or (at and at not in names):
        raise ConfigError(f"{of.fields.at('at')}: expected one of the figures, for a peak or valley alone")
    return OrderCheck(names, shape, at)


def _additive(of: _Reader) -> AdditiveCheck:
    effects = {
        part: of.known(name, f"{of.fields.at('effects')}.{part}")
        for part, name in of.fields.mapping("effects").items()
    }
    if len(effects) < 2:
        raise ConfigError(f"{of.fields.at('effects')}: expected two parts or more with their figures")
    kind = of.fields.choice("effects_are", ("leave_one_out", "alone"), "leave_one_out")
    exactly = of.fields.flag("exactly", False) or False
    n = of.items("n") if of.fields.has("n") else 0
    return AdditiveCheck(of.named("base"), of.named("total"), effects, kind == "leave_one_out", exactly, n)


def _split(of: _Reader) -> SplitCheck:
    parts, at_least = {}, {}
    for part, text in of.fields.mapping("parts").items():
        where = f"{of.fields.at('parts')}.{part}"
        if text.startswith("at least "):
            at_least[part] = whole(text.removeprefix("at least "), where, least=0)
        else:
            parts[part] = of.known(text, where)
    if len(parts) + len(at_least) < 2:
        raise ConfigError(f"{of.fields.at('parts')}: expected two parts or more")
    return SplitCheck(of.named("size"), parts, at_least, of.fields.flag("whole", False) or False)


def _cost(of: _Reader) -> CostCheck:
    output = of.named("output") if of.fields.has("output") else ""
    check = CostCheck(
        of.named("cost"), of.named("tokens"), of.named("price_input"), of.named("price_output"), output
    )
    into, out = of.figures[check.price_input], of.figures[check.price_output]
    if not Fraction(0) <= into.high < out.low:
        raise ConfigError(
            f"{of.fields.at('price_output')}: expected more than the input's {into.text}, got {out.text}"
        )
    if of.figures[check.tokens].low <= 0:
        raise ConfigError(f"{of.fields.at('tokens')}: expected more than 0")
    return check


_READERS: Mapping[str, Callable[[_Reader], Check]] = {
    "reachable": _reachable,
    "kappa": _kappa,
    "relation": _relation,
    "order": _order,
    "additive": _additive,
    "split": _split,
    "cost": _cost,
}
