"""venire: a reproducible research harness for LLM-as-judge and multi-agent-judge experiments."""

__version__ = "0.1.0"
