"""Bundles: one archive of runs, and everything that their numbers follow from re-derived from it."""
