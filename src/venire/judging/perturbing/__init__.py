"""Changes to a response under which a fair judge's verdict must not turn to its favour."""
