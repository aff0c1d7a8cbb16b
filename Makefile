# Everything sets itself up: only python3 (>= 3.11, with venv) and make are assumed.
PYTHON ?= python3
SHELL := /bin/sh
.DELETE_ON_ERROR:
# Hundreds of programs are started here: what Python has compiled is kept.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup kernels match play serve test test-slow lint check compare format bench stress signature image-check docs man dist clean

help:
	@echo "make match    formula against always-call: 1000 hands of heads-up limit hold'em over TCP"
	@echo "make play     sit down yourself"
	@echo "make serve    open a room: three tables with bots, for programs and for browsers"
	@echo "make test     the test suite        make test-slow   the exhaustive and long ones"
	@echo "make check    format, lint, types, import rules, tests: what has to be green"
	@echo "make compare BASE=HEAD~1 BOT=formula    is the working tree's bot better than a commit's?"
	@echo "make bench    how fast it is, beside its peers"
	@echo "make stress   long matches, crowds, kills, fuzzing, full disks and signals: half an hour"
	@echo "make image-check    builds the container images and tries what the compose files start"
	@echo "make docs     builds the documentation site in build/site"
	@echo "make dist     builds the wheels, one of compiled kernels, and the sources, installs and tries them;   make man   writes manual pages"
	@echo "make setup    only set up .venv with everything;   make clean   remove it"

# Run-time dependencies only, for those who want to play; everything, for those who change things.
RUN := .venv/.run-ready
DEV := .venv/.dev-ready
WEB := .venv/.web-ready
TESTS := .venv/.tests-ready

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Riverboat needs Python 3.11 or newer: install it, or say which one with 'make PYTHON=python3.12 ...'" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments: install its venv and pip, on Debian with 'apt install python3-venv'" >&2; exit 1; }
	$(PYTHON) -m venv .venv

# Kernels that `make dist` has compiled are used here, too, as long as they are those of these sources.
BOX := $(wildcard dist/riverboat_kernels-*.whl)
$(RUN): pyproject.toml $(BOX) | .venv/bin/python
	@echo "setting up .venv (run-time dependencies)"
	@.venv/bin/python -m pip install -q --disable-pip-version-check -e .
	@[ -z "$(BOX)" ] || .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --force-reinstall $(BOX)
	@touch $@

# What the pages of a room take.
$(WEB): $(RUN)
	@.venv/bin/python -m pip install -q --disable-pip-version-check -e '.[web]'
	@touch $@

# Tools are compiled when they are imported: to compile all that is there would take as long as to install it.
$(DEV): $(RUN)
	@echo "setting up .venv (what tests and checks take)"
	@.venv/bin/python -m pip install -q --no-compile --disable-pip-version-check -e '.[dev,bench]'
	@touch $@

# Tests are compiled once, while kernels are: each worker would compile them all.  What is wrong with them is
# said when they run.
$(TESTS): $(DEV)
	@.venv/bin/python -m pytest --collect-only -q >/dev/null || true
	@touch $@

setup: $(DEV)

# All kernels: tests of bots in processes wait for seats, which bots take at once when theirs are compiled.
KERNEL_JOBS := $(shell n=$$(getconf _NPROCESSORS_ONLN); [ "$$n" -gt 1 ] && echo 2 || echo 1)
kernels: $(RUN)
	@.venv/bin/riverboat kernels --jobs $(KERNEL_JOBS)

# What a match compiles, once for this machine, is what its players and its result need.
match: $(RUN)
	.venv/bin/riverboat match limit-2p formula always-call --hands 1000

serve: $(WEB)
	.venv/bin/riverboat serve

play: $(RUN)
	.venv/bin/riverboat play

# One more worker than cores, since some tests wait; one that has done its share takes over from the others.
SIDE_BY_SIDE = -n $$(expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal

# On a new machine the kernels are compiled, by one process, while the tools are still being installed.
BOTH := @$(MAKE) --no-print-directory -j2 KERNEL_JOBS=1 kernels

test:
	$(BOTH) $(TESTS)
	.venv/bin/python -m pytest $(SIDE_BY_SIDE)

test-slow:
	$(BOTH) setup
	.venv/bin/python -m pytest -m slow

lint: $(DEV)
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# Today's behaviour beside what the newest commits state about it, once the kernels are compiled.
signature: kernels $(DEV)
	@.venv/bin/python -m tests.signature

check:
	@$(MAKE) --no-print-directory -j2 KERNEL_JOBS=1 signature lint $(TESTS)
	.venv/bin/python -m pytest $(SIDE_BY_SIDE)

format: $(DEV)
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

bench: $(DEV)
	@for benchmark in tests/benchmarks/bench_*.py; do \
	  name=$$(basename $$benchmark .py); \
	  echo; echo "== $$name"; .venv/bin/python -m tests.benchmarks.$$name || exit 1; \
	done

# WITH: options of riverboat compare, such as WITH="--test simplify".
BASE ?= HEAD~1
BOT ?= formula
GAME ?= limit-2p
compare: kernels $(DEV)
	.venv/bin/python -m tests.benchmarks.bench_reading $(GAME) $(BOT) --than $(BASE) --with="$(WITH)"

stress:
	$(BOTH) setup
	.venv/bin/python -m tests.stress

image-check: $(DEV)
	tests/image_check.sh

docs: $(DEV)
	@.venv/bin/python -m pip install -q --no-compile --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build -q
	@echo "the site is in build/site: begin with build/site/index.html"

man: $(DEV)
	.venv/bin/python -m docs.man_pages build/man

dist: $(DEV)
	rm -rf dist
	.venv/bin/python -m build --outdir dist .
	.venv/bin/python -m build --wheel --no-isolation --outdir dist tests/kernels_wheel
	tests/dist_check.sh

clean:
	rm -rf build dist .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
