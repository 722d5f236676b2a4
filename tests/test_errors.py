import inspect
import re

import pytest

from venire import errors
from venire.errors import VenireError

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, VenireError)]


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = re.findall(r"[├└]── (\w+) ", errors.__doc__ or "")
    assert sorted(drawn) == sorted(kind.__name__ for kind in KINDS if kind is not VenireError)


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_says_what_it_means_and_is_caught_by_the_root(kind: type[VenireError]) -> None:
    assert inspect.getdoc(kind) != inspect.getdoc(Exception)
    assert issubclass(kind, VenireError)
