PYTHON ?= python3
BIN := .venv/bin
URL ?=
ARGS ?=

.PHONY: setup crawl test lint types bench clean

# One stamp: the environment is made anew when the list of packages changes.
.venv/.stamp: requirements.txt requirements-dev.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	touch $@

setup: .venv/.stamp

crawl: setup
ifeq ($(strip $(URL)),)
	$(BIN)/python -m demo $(ARGS)
else
	$(BIN)/scrapy crawl site -a url='$(URL)' $(ARGS)
endif

test: setup
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv build
