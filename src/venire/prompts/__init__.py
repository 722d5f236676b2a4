"""Prompt files (`*.jinja`) and how they are rendered. No prompt text lives in Python or YAML."""
