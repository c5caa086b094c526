# Everything a person or a machine does with this repository. It needs Python 3.11 or newer, pip, make and git;
# the rest is installed into .venv by the first target that needs it.

PY := .venv/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check --constraint constraints.txt
PYTEST := $(PY) -m pytest
PARALLEL := --numprocesses 2
# Processes, servers and browsers share two cores here: what fails is tried once more, and listed as tried again.
AGAIN := --reruns 1 -rR
# More options for the program behind a target: make studio ARGS="--port 9000", make unit ARGS="-k branches"
ARGS :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help studio test check check-web unit crash test-api soak-api test-agents bench wheel web types docs e2e screenshots constraints clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

studio: .venv/.runtime ## install what Studio needs, build its page and start it
	@( $(build_page) ) || echo "The page could not be built; Studio starts without it." >&2
	@.venv/bin/li studio $(ARGS)

test: check check-web ## everything that must hold before a change lands: both checks, then every test
	@$(PY) tools/browser.py
	@echo "Running every test but those in the browser…"
	@$(PYTEST) $(PARALLEL) $(AGAIN) -m "not e2e" $(ARGS)
# The browser's driver keeps an event loop running, which no other test of the same process may find.
	@echo "Using the page in a browser…"
	@$(PYTEST) $(PARALLEL) $(AGAIN) -m e2e $(ARGS)

check: .venv/.dev ## format, lint, types, and which room imports which
	@echo "Checking format, lint, types and layers…"
	@.venv/bin/ruff format --check --quiet --diff
	@.venv/bin/ruff check --quiet
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo

check-web: web ## the same for the page, and its own tests
	@echo "Checking the page…"
	@$(PY) tools/web.py check

unit: .venv/.dev ## every test but those that kill processes or use a browser
	@$(PYTEST) $(PARALLEL) -m "not crash and not e2e" $(ARGS)

crash: .venv/.dev ## the tests that kill processes, at full length
	@echo "Killing processes at every named point (this takes a while)…"
	@LIONAGI_CRASH_LENGTH=full $(PYTEST) -m crash --timeout 3600 $(ARGS)

test-api: .venv/.dev ## every operation of the HTTP interface with good and bad data, two minutes, the same each time
	@echo "Trying every operation with good and bad data (two minutes)…"
	@LIONAGI_SCHEMA_EXAMPLES=60 $(PYTEST) $(PARALLEL) tests/studio/test_openapi.py --timeout 900 $(ARGS)

soak-api: .venv/.dev ## ten minutes of it, with other data each time
	@echo "Trying every operation with good and bad data (ten minutes)…"
	@LIONAGI_SCHEMA_FRESH=1 LIONAGI_SCHEMA_EXAMPLES=1500 $(PYTEST) $(PARALLEL) tests/studio/test_openapi.py --timeout 3600 $(ARGS)

test-agents: .venv/.dev ## install Claude Code and Codex into .agents (700 MB, once) and run the tests with them
	@node=$$(PYTHONPATH=tools $(PY) -c 'import agents; print(*agents.requirements())') || exit 1; \
	if [ -n "$$node" ]; then \
		echo "Installing Node into .venv (60 MB, once)…"; $(PIP) "$$node" || exit 1; \
	fi; \
	$(PY) tools/agents.py
	@$(PYTEST) $(PARALLEL) -m agents $(ARGS)

bench: .venv/.dev ## measure the speed; prints ratios (HEAVY=1 adds a store of several GB)
	@mkdir -p benches/.data/results
	@for bench in benches/bench_*.py; do \
		name=$$(basename "$$bench" .py); \
		if [ "$$name" = bench_heavy ] && [ -z "$(HEAVY)" ]; then continue; fi; \
		PYTHONPATH=tools $(PY) -m "benches.$$name" --json "benches/.data/results/$$name.json" $(ARGS) || exit 1; \
	done
	@echo "For docs/reference/performance.md: $(PY) -m benches.report"

wheel: .venv/.dev ## build the wheel into dist/
	@echo "Building the wheel into dist/…"
	@$(PY) -m build --wheel --outdir dist .

web: .venv/.dev ## build the page into the package
	@$(build_page)

types: .venv/.dev ## renew the page's types of the HTTP interface
	@.venv/bin/li openapi | $(PY) tools/web.py types

docs: .venv/.dev ## renew the generated parts of the documentation
	@$(PY) tools/package_map.py
	@$(PY) tools/commands_reference.py

e2e: web ## use the page in a real browser (installs one)
	@$(PY) tools/browser.py
	@$(PYTEST) $(PARALLEL) tests/e2e $(ARGS)

screenshots: web ## every page, light and dark, wide and narrow, into docs/img
	@$(PY) tools/browser.py
	@PYTHONPATH=tools:. $(PY) -m tests.e2e.screenshots $(ARGS)

constraints: ## choose the newest versions of everything and write constraints.txt
	@$(find_python); \
	echo "Choosing versions in a new environment (about a minute)…"; \
	new=$$(mktemp -d) && trap 'rm -rf "$$new"' EXIT && \
	"$$python" -m venv "$$new" && \
	"$$new/bin/python" -m pip install -qq --disable-pip-version-check --editable '.[semantic]' -r requirements-dev.txt && \
	"$$new/bin/python" -m pip freeze --disable-pip-version-check --exclude lion-studio > "$$new/frozen" && \
	{ echo "# The exact versions that are tested together. Renew with: make constraints"; \
	  LC_ALL=C sort --ignore-case "$$new/frozen"; } > constraints.txt && \
	echo "constraints.txt names $$(grep -c == constraints.txt) versions."

clean: ## remove everything that can be made again
	@rm -rf .venv .agents .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	@rm -rf src/lionstudio/studio/static web/dist web/node_modules
	@find src tests tools benches -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Sets $python to the first interpreter that is new enough, or says what is missing.
define find_python
for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 none; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
done; \
if [ "$$python" = none ]; then \
	echo "Lion Studio needs Python 3.11 or newer; install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; \
fi
endef

# Builds the page if its sources changed; what it needs of Node comes from pip.
define build_page
node=$$(PYTHONPATH=tools $(PY) -c 'import web; print(*web.requirements())') || exit 1; \
if [ -n "$$node" ]; then \
	echo "Building the page; Node comes into .venv first (60 MB, once)…"; $(PIP) "$$node" || exit 1; \
	$(PY) tools/web.py || exit 1; \
fi;
endef

$(PY):
	@$(find_python); \
	echo "Creating .venv with $$("$$python" --version)…"; \
	"$$python" -m venv --clear .venv || { rm -rf .venv; exit 1; }

.venv/.runtime: $(PY) pyproject.toml constraints.txt
	@echo "Installing Lion Studio into .venv (half a minute, once)…"
	@$(PIP) --editable .
	@touch $@

# Holds what .runtime holds, so that one is current too and is not installed again.
.venv/.dev: $(PY) pyproject.toml constraints.txt requirements-dev.txt
	@echo "Installing dependencies into .venv (about a minute, once)…"
	@$(PIP) --editable . --requirement requirements-dev.txt
	@touch .venv/.runtime $@
