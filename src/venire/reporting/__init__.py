"""Runs to tables and comparisons; pure but for reading run folders."""
