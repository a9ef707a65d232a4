# Two commands on a fresh machine: `make draft` and `make test`. Needs Python 3.11 to 3.13, make, a C and C++ compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MATTER ?= matter-123
INSTALLED := $(VENV)/.installed

.PHONY: install draft test lint bench bench-ingest bench-serving bench-peers lock

install: $(INSTALLED)

# The lock is complete, so nothing is ever resolved: --no-deps also keeps out what some packages would drag in. The
# build tools come first and are locked as well, because an isolated build would fetch unlocked ones.
$(INSTALLED): requirements.lock requirements-build.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(not (3, 11) <= v < (3, 14) and "Python 3.11 to 3.13 is needed, this is %d.%d; set PYTHON=" % v)'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-build.lock
	@echo 'Installing; llama.cpp is compiled for this machine, which takes some minutes.'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --no-build-isolation -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Exit code 3 says that something is blocked: a result to look at, not a failure of the command.
draft: install
	@$(BIN)/lexforge draft $(MATTER) || { status=$$?; [ $$status -eq 3 ] || exit $$status; }

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest

# CORPUS: a folder of real text; without it the demo's own sources serve.
bench: install
	$(BIN)/python bench/slots.py $(MATTER)
	$(BIN)/python -m bench.gate $(if $(CORPUS),--corpus $(CORPUS))

# PROGRAM: your llama-server; without it one that comes as a package serves.
bench-serving: install
	$(BIN)/python -m bench.serving.fan_out $(if $(PROGRAM),--program $(PROGRAM))
	$(BIN)/python -m bench.serving.message_shape $(if $(PROGRAM),--program $(PROGRAM))
	$(BIN)/python -m bench.serving.plan_table
	$(BIN)/python -m bench.drafting.canaries

# PDFS: a folder of PDFs to read; without it the demo's own.
bench-ingest: install
	$(BIN)/python -m bench.ingest.pdf_speed $(or $(PDFS),matters/$(MATTER)/evidence)
	$(BIN)/python -m bench.ingest.throughput $(or $(PDFS),matters/$(MATTER)/evidence) --copies 40
	$(BIN)/python -m bench.ingest.load_file
	$(BIN)/python -m bench.ingest.near_duplicates $(if $(wildcard .venv-bench/bin/python),--peer .venv-bench/bin/python)

# The peers live in an environment of their own: one of them brings a client of a hosted service.
bench-peers: install .venv-bench/.installed
	$(BIN)/python -m bench.gate --no-speed --lines .venv-bench/lines.json $(if $(CORPUS),--corpus $(CORPUS))
	.venv-bench/bin/python -m bench.gate.peers .venv-bench/lines.json

.venv-bench/.installed: requirements-bench.lock
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

# Needs uv. What requirements-excluded.txt names is left out although a package asks for it.
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

lock:
	$(LOCK) --excludes requirements-excluded.txt --all-extras --group dev -o requirements.lock pyproject.toml requirements-weights.in
	$(LOCK) -o requirements-build.lock requirements-build.in
	$(LOCK) -o requirements-bench.lock requirements-bench.in
