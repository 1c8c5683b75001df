# Groundwire's tasks. They need Python >= 3.11, make and a package registry that pip can reach; everything else goes
# into .venv, which the first task makes and the following ones reuse. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
PACKAGES := schemas models client worker

# onnxruntime sends usage data unless this is set before it is loaded
export ORT_DISABLE_TELEMETRY := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test fuzz lint audit format chaos bench install lock clean FORCE

help: ## list the tasks
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

run: $(VENV)/.groundwire ## score sample jobs through a real queue, server and worker, and print the results
	$(BIN)/groundwire demo $(ARGS)

# Two processes: while one waits for a lease or a restart, the other computes. More would need a gigabyte each.
test: install ## run all tests, in two processes; ARGS="tests/schemas -k job" runs some, ARGS="-n 0" all in one process
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal $(ARGS)

fuzz: install ## read 1,000,000 broken jobs, and cut 100,000 strings into sentences; some twenty minutes
	GROUNDWIRE_FUZZ_JOBS=1000000 GROUNDWIRE_FUZZ_EXAMPLES=100000 $(BIN)/python -m pytest --timeout 0 \
		tests/schemas/test_parse_fuzz.py tests/models/test_exact_offsets.py $(ARGS)

lint: install ## check style, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit: install ## look for known vulnerabilities of the locked packages, and for unsafe code; needs a registry that knows them
	$(BIN)/bandit --quiet --recursive --severity-level medium $(PACKAGES)
	$(BIN)/python .ci/audit.py

format: install ## put the code in order, as far as ruff can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

chaos: install ## kill, pause and restart everything while 20,000 jobs run, and count them; ARGS="--seeds 1 2 3"
	$(BIN)/python -m tests.chaos.run $(ARGS)

bench: install ## measure speed and memory on this machine, alone and against peers; ARGS=--no-peers: alone
	$(BIN)/python benchmarks/run.py $(ARGS)

install: $(VENV)/.dev $(VENV)/.groundwire ## make or refresh .venv with everything that development needs

# The development lock comes first and binds the other two, so that all of them agree on every version.
# UPGRADE=--upgrade moves to the newest versions that pyproject.toml allows.
COMPILE = $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --custom-compile-command "make lock" $(UPGRADE)
lock: $(VENV)/.dev ## write requirements/*.lock anew after a change of pyproject.toml
	$(COMPILE) --extra dev --group build --output-file requirements/dev.lock
	$(COMPILE) --extra embedded --group build --constraint requirements/dev.lock --no-annotate --output-file requirements/embedded.lock
	$(COMPILE) --extra worker --group build --constraint requirements/dev.lock --no-annotate --output-file requirements/worker.lock

clean: ## remove .venv and everything else that can be made again
	rm -rf $(VENV) build dist *.egg-info out .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find $(PACKAGES) tests benchmarks -type d -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Groundwire needs Python 3.11 or newer, and $(PYTHON) is not: name another one, as in 'make $(MAKECMDGOALS) PYTHON=python3.12'" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

# What `make run` needs; a part of dev.lock, in the same versions. Compiling every module at once takes as long as
# installing; Python compiles those that are used when they are.
INSTALL_LOCK = $(PIP) install --no-compile --require-hashes -r $<
$(VENV)/.embedded: requirements/embedded.lock $(BIN)/python
	@echo "Installing into $(VENV): a minute or two the first time"
	$(INSTALL_LOCK)
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(BIN)/python
	@echo "Installing into $(VENV): a minute or two the first time"
	$(INSTALL_LOCK)
	@touch $@ $(VENV)/.embedded

# A strict editable install links file by file: it has to be made again when a module comes or goes, and only then.
$(VENV)/.files: $(BIN)/python FORCE
	@find $(PACKAGES) -type f ! -path '*/__pycache__/*' | LC_ALL=C sort | cmp -s - $@ || \
		find $(PACKAGES) -type f ! -path '*/__pycache__/*' | LC_ALL=C sort > $@

# setuptools comes from the lock, hence no isolated build that would fetch another one.
$(VENV)/.groundwire: $(VENV)/.embedded $(VENV)/.files pyproject.toml
	$(PIP) install --no-deps --no-build-isolation --config-settings editable_mode=strict --editable .
	@touch $@
