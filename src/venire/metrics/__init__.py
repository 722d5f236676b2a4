"""Instances and outcomes to named numbers with intervals. `docs/metrics.md` defines every name."""
