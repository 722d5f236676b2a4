"""Findings of audits side by side: one table over judges, a plot a measure, and systematic disagreement."""
