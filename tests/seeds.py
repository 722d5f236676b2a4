"""A test on many random inputs, as one test: one for each seed costs more than what it tests."""

from collections.abc import Callable
from functools import wraps
from inspect import signature


def on_each_seed(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The test is called with `seed` 0 to `count - 1`; a failure says at which seed."""

    def made(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def on_all(**arguments: object) -> None:
            for seed in range(count):
                try:
                    test(seed=seed, **arguments)
                except Exception as error:
                    error.add_note(f"at seed {seed} of {count}")
                    raise

        whole = signature(test)
        others = [each for name, each in whole.parameters.items() if name != "seed"]
        on_all.__signature__ = whole.replace(parameters=others)  # type: ignore[attr-defined]  # pytest reads it
        return on_all

    return made
