"""`docs/reference/`, made from `conf/` and the code: `python -m venire.reference` (`make docs`)."""
