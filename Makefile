# A fresh machine needs only make and Python 3.11 or newer.
# ARGS passes more words on, as in: make test ARGS="-k lobby"

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The build backend is among the locked requirements, hence no isolated (unlocked) build.
INSTALL_SELF := $(PIP) install --no-deps --no-build-isolation -e .
LOCK := .lock-venv/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--group build --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command "make lock" $(ARGS)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: play
play: $(VENV)/.runtime ## Start a table and play
	$(BIN)/peril play $(ARGS)

.PHONY: serve
serve: $(VENV)/.runtime ## Run the web service
	$(BIN)/peril serve $(ARGS)

.PHONY: region
region: $(VENV)/.dev ## Play through the LSL scripts in an emulated region
	$(BIN)/python -m tests.region $(ARGS)

.PHONY: test
test: $(VENV)/.dev ## Run the tests
	$(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

.PHONY: fuzz
fuzz: $(VENV)/.dev ## Try many random inputs on what strangers may send
	$(BIN)/python -m tests.fuzz $(ARGS)

.PHONY: chaos
chaos: $(VENV)/.dev ## Kill the server again and again while tables play
	$(BIN)/python -m tests.chaos $(ARGS)

.PHONY: check
check: $(VENV)/.dev ## Lint, check the format, the types and the import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy app
	$(BIN)/python -m pytest tests/test_architecture.py

.PHONY: bench
bench: $(VENV)/.dev ## Measure the service
	$(BIN)/python -m bench $(ARGS)

.PHONY: openapi
openapi: $(VENV)/.runtime ## Write openapi.json anew
	$(BIN)/peril openapi > openapi.json.new
	mv openapi.json.new openapi.json

.PHONY: art
art: $(VENV)/.runtime ## Export the art
	$(BIN)/peril art $(ARGS)

.PHONY: lock
lock: .lock-venv/bin/uv ## Pin the requirements anew (ARGS=--upgrade takes newer releases)
	$(LOCK) -o requirements.txt
	$(LOCK) --extra dev -c requirements.txt -o requirements-dev.txt

.PHONY: audit
audit: .lock-venv/bin/pip-audit ## Look up known weaknesses of what is pinned
	@if $< --strict --progress-spinner off --disable-pip --require-hashes -r requirements-dev.txt \
		$(ARGS) > .lock-venv/audit.log 2>&1; \
	then cat .lock-venv/audit.log; \
	elif grep -qE 'Dependency not found|ConnectionError|ServiceError|Max retries' .lock-venv/audit.log; \
	then echo "Not looked up: the data on known weaknesses cannot be reached. All is pinned by hash."; \
	else cat .lock-venv/audit.log >&2; exit 1; fi

.PHONY: clean
clean: ## Remove what make made: the virtual environments, caches and builds
	rm -rf $(VENV) .lock-venv build dist art-export openapi.json.new
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find app tests bench -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# A candidate is run, not only looked up: a version manager's shim may be there and not work.
$(VENV)/.made:
	@for python in $(PYTHON) python3.12 python3.11 python3; do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		"$$python" -c 'import ensurepip, venv' 2>/dev/null || { bare=$$python; continue; }; \
		echo "Making $(VENV) with $$python"; \
		"$$python" -m venv $(VENV) && touch $@; exit; \
	done; \
	if [ -n "$$bare" ]; then \
		echo "$$bare cannot make virtual environments; on Debian or Ubuntu: apt-get install python3-venv" >&2; \
	else \
		echo "Peril Table needs Python 3.11 or newer; none was found (PYTHON=/path/to/python names one)." >&2; \
	fi; \
	exit 1

$(VENV)/.runtime: requirements.txt pyproject.toml | $(VENV)/.made
	$(PIP) install --require-hashes -r requirements.txt
	$(INSTALL_SELF)
	@touch $@

$(VENV)/.dev: requirements-dev.txt pyproject.toml | $(VENV)/.made
	$(PIP) install --require-hashes -r requirements-dev.txt
	$(INSTALL_SELF)
	@touch $@ $(VENV)/.runtime

.lock-venv/bin/uv: | $(VENV)/.made
	$(BIN)/python -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet uv

.lock-venv/bin/pip-audit: .lock-venv/bin/uv
	.lock-venv/bin/python -m pip install --quiet pip-audit
