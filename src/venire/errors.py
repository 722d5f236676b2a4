"""The errors that venire raises on purpose.

    VenireError
    ├── ConfigError        a setting is unknown, out of range, or does not fit another
    ├── DataError          an input file breaks its declared format; nothing was called
    ├── MissingRecording   a recorded judge has no verdict for an instance; nothing was called
    ├── BackendError       a provider refused for good (key, model, address): the run stops
    ├── ReplayMiss         llm=replay met a request that the store does not hold
    ├── BudgetExhausted    the next call's worst case does not fit into the budget
    ├── InputEnded         a person is to be asked, and nobody is there (any more): the run stops
    ├── StoreError         the call store cannot be read or written
    ├── RunError           a run ended without a usable result (too many unscored, no such run)
    ├── BundleError        a bundle is damaged, or cannot be made of these runs
    └── TrackingError      MLflow cannot be reached; the run's results are on disk

Every message says what was expected, what was given, where, and what to do. What a judge
does wrong is no error but a record: see `venire.records.Unscored`.
"""


class VenireError(Exception):
    """The root: whatever venire raises on purpose. The command line prints it without a traceback."""


class ConfigError(VenireError):
    """A setting is unknown, out of range, or does not fit another; names the full key."""


class DataError(VenireError):
    """An input breaks its declared format; names file, row and field. Nothing was called."""


class MissingRecording(VenireError):
    """A recorded judge has no verdict for some instance. Nothing was called."""


class BackendError(VenireError):
    """A provider refused for good (bad key, unknown model, wrong address): the run stops."""


class ReplayMiss(VenireError):
    """`llm=replay` met a request that the store does not hold."""


class BudgetExhausted(VenireError):
    """The next call's worst case does not fit into what is left of the budget."""


class InputEnded(VenireError):
    """A person is to be asked, and the input has ended."""


class StoreError(VenireError):
    """The call store cannot be read or written."""


class RunError(VenireError):
    """A run ended without a usable result, or no such run exists."""


class BundleError(VenireError):
    """A bundle is damaged or was changed, or cannot be made of these runs; nothing of it was used."""


class TrackingError(VenireError):
    """MLflow cannot be reached. The run's results are on disk; `venire sync` uploads them."""
