PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
URL ?=
ARGS ?=

.PHONY: setup crawl inspect test test-spark fuzz mutants lint types docs bench clean

# One stamp for each list of packages: what it lists is installed anew when it changes.
.venv/.crawl: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade 'pip>=25'
	$(PIP) --requirement requirements.txt
	touch $@

.venv/.bench: requirements-bench.txt .venv/.crawl
	$(PIP) --requirement requirements-bench.txt
	touch $@

.venv/.dev: requirements-dev.txt requirements-sinks.txt requirements-scrapyd.txt requirements-inspect.txt .venv/.bench
	$(PIP) --requirement requirements-dev.txt
	touch $@

.venv/.spark: requirements-spark.txt .venv/.crawl
	$(PIP) --requirement requirements-spark.txt
	touch $@

.venv/.inspect: requirements-inspect.txt .venv/.crawl
	$(PIP) --requirement requirements-inspect.txt
	touch $@

.venv/.docs: requirements-docs.txt .venv/.crawl
	$(PIP) --requirement requirements-docs.txt
	touch $@

# Compiled where a C compiler is found; plain code does the same, and takes longer.
.venv/.native: requirements-native.txt native/build.py $(wildcard pagelets/*/*.pxi pagelets/*.pyx pagelets/*/*.pyx pagelets/*/*/*.pyx) .venv/.crawl
	$(PIP) --requirement requirements-native.txt
	$(BIN)/python native/build.py
	$(BIN)/python -m pagelets.metadata.language_model
	touch $@

# Compiled also where the environment forbids a crawl to write bytecode.
setup: .venv/.crawl .venv/.native .venv/.inspect
	@$(BIN)/python -m compileall -q cluster crawler demo evaluation inspection inspector native pagelets pipelines release search settings store

crawl: setup
ifeq ($(strip $(URL)),)
	$(BIN)/python -m demo $(ARGS)
else
	$(BIN)/scrapy crawl site -a url='$(URL)' $(ARGS)
endif

# Crawls the demo site, and opens a browser on what went and why (docs/inspector.md).
inspect: setup
	$(BIN)/python -m demo $(ARGS)
	$(BIN)/scrapy inspect

# Commands that tests start are compiled once, whatever the environment says of that.
test: setup .venv/.dev
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --numprocesses 3 --dist worksteal

# What runs on Spark, in a process each; skipped, with the reason, where there is no Java.
test-spark: setup .venv/.dev .venv/.spark
	SPARK_TESTS=1 $(BIN)/python -m pytest tests/cluster

# The property tests with other examples each time, and those of real pages on all sites of the corpora; what it
# finds becomes an example of its test.
fuzz: setup .venv/.dev
	HYPOTHESIS_PROFILE=random $(BIN)/python -m pytest --numprocesses 4 --dist worksteal $(ARGS)

# Which small changes to the modules that decide what is sent and deleted no test notices: docs/measuring.md.
mutants: .venv/.dev
	$(BIN)/python -m benchmarks.mutants $(ARGS)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

# The documentation as a site, in build/docs; a link that leads nowhere is an error.
docs: .venv/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo build/docs/index.html

bench: setup .venv/.bench
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv build
