# make app               install what is needed into .venv and start the app
# make test              everything: style, types, unit tests, the app in a browser
# make test-fast         the same without the browser
# make coverage          the lines that no test without a browser has run
# make test-elsewhere    the same on other instruction sets, for whoever writes a tolerance
# make pictures          take the pictures of assets/pictures from the app as it is
# make lint              style and types alone
# make bench             speed, as ratios measured in one run
# make train-shakespeare, train-copy, train-translation, train-reviews, train-sentiment
# make train-ablations ARGS="copy_task --jobs 2 --out out/ablations"
#
# ARGS goes to the script: make train-shakespeare ARGS="--minutes 5 --out /tmp/model"
# PYTHON makes the environment: make app PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python

.PHONY: app test test-fast coverage pictures test-elsewhere lint bench browser

app: $(VENV)/installed
	$(PY) app.py $(ARGS)

train-copy: $(VENV)/installed
	$(PY) -m train.copy_task $(ARGS)

train-%: $(VENV)/installed
	$(PY) -m train.$* $(ARGS)

test: lint browser
	$(PY) -m pytest -q -rs -n 2 --dist worksteal $(ARGS)

test-fast: lint
	$(PY) -m pytest -q -n 2 --dist worksteal --ignore=tests/browser $(ARGS)

coverage: $(VENV)/installed-tests
	$(PY) -m pytest -q -n 2 --dist worksteal --ignore=tests/browser \
		--cov=transformer_core --cov=train --cov-report=term-missing:skip-covered $(ARGS)

pictures: browser $(VENV)/installed-tests
	$(PY) -m pytest -q tests/browser/pictures.py $(ARGS)

test-elsewhere: lint
	$(PY) tests/elsewhere.py $(ARGS)

lint: $(VENV)/installed-tests
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/deno fmt --check --quiet --config tests/deno.json assets tests/browser
	$(PY) tests/scripts.py

bench: $(VENV)/installed-tests
	for script in tests/benchmarks/*.py; do PYTHONPATH=. $(PY) $$script || exit 1; done

# Chromium for the browser tests, where apt-get can install it; elsewhere they are skipped
browser:
	@for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do \
		command -v $$name >/dev/null && exit 0; \
	done; \
	[ -x "$$CHROMIUM" ] && exit 0; \
	sudo=$$([ "$$(id -u)" = 0 ] || echo sudo -n); \
	if command -v apt-get >/dev/null && $$sudo true 2>/dev/null; then \
		$$sudo apt-get update -qq && \
		$$sudo apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core && exit 0; \
	fi; \
	echo "NO CHROMIUM, and none could be installed: the browser tests will be skipped." >&2

$(VENV)/installed: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and \
		"Python 3.10 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/installed-tests: $(VENV)/installed tests/requirements.txt
	$(PY) -m pip install --quiet -r tests/requirements.txt
	touch $@
