PY := .venv/bin/python
