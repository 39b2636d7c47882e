# The commands of this project. Each line that begins with a name and ends with "## …" is listed by `make help`.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
PINS   := portal/constraints.txt
# Those that need nothing but themselves; the others take a folder or a file.
BENCHMARKS := matching assignment pages load
# Modules are compiled when they are first imported: most of what comes with a package never is.
PIP     := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c $(PINS)
# uv loads and unpacks several packages at once, with a third of pip's processor time. Where it cannot be had, or does
# not reach the index that pip is set up for, pip does the same.
install  = $(PIP) uv && $(BIN)/uv pip install --quiet --python $(BIN)/python -c $(PINS) -e '$(1)' || $(PIP) -e '$(1)'

.DEFAULT_GOAL := help
.PHONY: help install demo test thorough check format bench pins wheel clean

help: ## what can be made, with a line on each
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Two stamps: for what the portal needs to run, and for that with what its tests need.
$(VENV)/.runs: pyproject.toml $(PINS)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the portal into $(VENV) (a minute or two the first time) …"
	@$(call install,.)
	@touch $@

$(VENV)/.tests: pyproject.toml $(PINS)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the portal and what its tests need into $(VENV) (a minute or two the first time) …"
	@$(call install,.[test])
	@touch $(VENV)/.runs $@

install: $(VENV)/.runs ## make .venv and install the portal into it

demo: $(VENV)/.runs ## run the portal with the seed labs and demo accounts (PORT=8000)
	@exec $(BIN)/portal demo

# Files are begun in the order of tests/conftest.py, the longest first, and not by how many tests they have.
test: $(VENV)/.tests ## run all tests, a process for each core (ARGS="-k name" for some)
	@$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder $(ARGS)

thorough: ## also the tests that repeat others under further conditions, as before a release
	@$(MAKE) --no-print-directory test ARGS="--thorough $(ARGS)"

check: $(VENV)/.tests ## lint, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.tests ## let ruff order imports and lay out code
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

bench: $(VENV)/.tests ## measure, side by side with peers (half an hour; benchmarks/ has more)
	@$(call install,.[bench])
	@for benchmark in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$benchmark || exit 1; done

pins: $(VENV)/.tests ## renew portal/constraints.txt from pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --upgrade --all-extras --no-header --no-annotate --python-version 3.11 \
		--output-file $(PINS) pyproject.toml

wheel: $(VENV)/.tests ## build the wheel into dist/
	@$(BIN)/python -m build --wheel --outdir dist

clean: ## remove .venv and everything that was built (not the instance folder)
	rm -rf $(VENV) dist build *.egg-info .mypy_cache .ruff_cache .import_linter_cache
