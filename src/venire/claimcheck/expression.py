"""`focal + propagation + rubric == calls`: read, shown with its numbers, and bounded exactly."""

import ast
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from venire.claimcheck.figures import Figure, decimal, trimmed
from venire.errors import ConfigError

COMPARISONS = {ast.Eq: "=", ast.LtE: "≤", ast.Lt: "<", ast.GtE: "≥", ast.Gt: ">"}
MOST_UNCERTAIN = 16  # corners double with each: 65,536

# A sum of products: the names in each product (sorted) to its coefficient.
Polynomial = Mapping[tuple[str, ...], Fraction]


@dataclass(frozen=True, slots=True)
class Expression:
    """One side: its tree, and the sum of products that it is."""

    tree: ast.expr
    polynomial: Polynomial

    @property
    def names(self) -> set[str]:
        """Of the figures in it."""
        return {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}

    def at(self, values: Mapping[str, Fraction]) -> Fraction:
        """Its value."""
        return value_at(self.polynomial, values)

    def written(self, figures: Mapping[str, Figure]) -> str:
        """With each figure's number in its place."""
        return _written(self.tree, figures)


@dataclass(frozen=True, slots=True)
class Relation:
    """Two sides and the sign between them: one of `COMPARISONS`' values."""

    left: Expression
    sign: str
    right: Expression

    @property
    def names(self) -> set[str]:
        """Of the figures in it."""
        return self.left.names | self.right.names

    @property
    def difference(self) -> Polynomial:
        """Left minus right."""
        return added(self.left.polynomial, self.right.polynomial, -1)


def read_relation(text: str, where: str) -> Relation:
    """The relation that `text` is: names, numbers, `+ - *`, `/` by a number, brackets, one comparison.

    Raises:
        ConfigError: anything else, or a figure that is multiplied by itself.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise ConfigError(f"{where}: expected one comparison as 'a + b == c', got {text!r}") from None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in COMPARISONS:
        raise ConfigError(f"{where}: expected one of ==, <=, <, >=, > between two sides, got {text!r}")
    left, right = (Expression(side, _polynomial(side, where)) for side in (tree.left, tree.comparators[0]))
    return Relation(left, COMPARISONS[type(tree.ops[0])], right)


def read_expression(text: str, where: str) -> Expression:
    """One side alone; see `read_relation`."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise ConfigError(f"{where}: expected sums and products of figures, got {text!r}") from None
    return Expression(tree, _polynomial(tree, where))


def bounds(polynomial: Polynomial, figures: Mapping[str, Figure]) -> tuple[Fraction, Fraction]:
    """The lowest and highest value while each figure runs over its interval; exact.

    No figure is multiplied by itself, so the polynomial is linear in each, and its extremes lie at corners.

    Raises:
        ConfigError: more than `MOST_UNCERTAIN` figures are rounded.
    """
    names = sorted({name for product in polynomial for name in product})
    ends = [
        (figures[name].low,) if figures[name].is_exact else (figures[name].low, figures[name].high)
        for name in names
    ]
    if sum(len(each) > 1 for each in ends) > MOST_UNCERTAIN:
        raise ConfigError(
            f"{', '.join(names)}: expected at most {MOST_UNCERTAIN} rounded figures in one check; split it"
        )
    corners = [
        value_at(polynomial, dict(zip(names, corner, strict=True))) for corner in itertools.product(*ends)
    ]
    return min(corners), max(corners)


def value_at(polynomial: Polynomial, values: Mapping[str, Fraction]) -> Fraction:
    """The polynomial's value where figures have these."""
    total = Fraction(0)
    for product, coefficient in polynomial.items():
        term = coefficient
        for name in product:
            term *= values[name]
        total += term
    return total


def added(one: Polynomial, two: Polynomial, times: int | Fraction) -> Polynomial:
    """`one` plus `times` times `two`."""
    keys: Iterable[tuple[str, ...]] = {**one, **two}
    total = {key: one.get(key, Fraction(0)) + times * two.get(key, Fraction(0)) for key in keys}
    return {key: coefficient for key, coefficient in total.items() if coefficient}


def _polynomial(node: ast.expr, where: str) -> Polynomial:
    match node:
        case ast.Name(id=name):
            return {(name,): Fraction(1)}
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return {(): Fraction(str(number))}
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return added({}, _polynomial(inner, where), -1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            sign = 1 if isinstance(op, ast.Add) else -1
            return added(_polynomial(left, where), _polynomial(right, where), sign)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _multiplied(_polynomial(left, where), _polynomial(right, where), where)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return added({}, _polynomial(left, where), 1 / _divisor(right, where))
    raise ConfigError(f"{where}: expected names, numbers, + - * / and brackets, got {ast.unparse(node)!r}")


def _divisor(node: ast.expr, where: str) -> Fraction:
    polynomial = _polynomial(node, where)
    if set(polynomial) != {()} or not polynomial[()]:
        raise ConfigError(
            f"{where}: expected to divide by a number other than 0, got {ast.unparse(node)!r}; "
            "multiply the other side by it instead"
        )
    return polynomial[()]


def _multiplied(one: Polynomial, two: Polynomial, where: str) -> Polynomial:
    total: Polynomial = {}
    for left, a in one.items():
        for right, b in two.items():
            product = tuple(sorted((*left, *right)))
            if len(set(product)) < len(product):
                raise ConfigError(f"{where}: {product[0]} is multiplied by itself; expected that of none")
            total = added(total, {product: a * b}, 1)
    return total


_SIGNS: Mapping[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", 1),
    ast.Sub: ("−", 1),
    ast.Mult: ("×", 2),
    ast.Div: ("/", 2),
}


def _written(node: ast.expr, figures: Mapping[str, Figure], strength: int = 0) -> str:
    match node:
        case ast.Name(id=name):
            figure = figures[name]
            return decimal(figure.value, figure.decimals)
        case ast.Constant(value=number):
            return trimmed(Fraction(str(number)), 12)
        case ast.UnaryOp(operand=inner):
            return f"−{_written(inner, figures, 3)}"
        case ast.BinOp(left=left, op=op, right=right):
            sign, own = _SIGNS[type(op)]
            after = own + (isinstance(op, ast.Sub | ast.Div))
            text = f"{_written(left, figures, own)} {sign} {_written(right, figures, after)}"
            return f"({text})" if own < strength else text
    raise AssertionError(ast.unparse(node))  # `_polynomial` has read every node
