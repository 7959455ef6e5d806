PYTHON ?= python3
BIN := .venv/bin
URL ?=
ARGS ?=

.PHONY: setup crawl test fuzz lint types bench clean

# One stamp: the environment is made anew when the list of packages changes.
.venv/.stamp: $(wildcard requirements*.txt)
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
	$(BIN)/python -m pytest --numprocesses 3 --dist worksteal

# The property tests with other examples each time; what it finds becomes an example of its test.
fuzz: setup
	HYPOTHESIS_PROFILE=random $(BIN)/python -m pytest --numprocesses 3 --dist worksteal $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv build
