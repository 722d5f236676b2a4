"""Data sets: one file a benchmark, from files on disk (or the Hub) to instances."""
