# The commands of retable. `make tables` and `make test` do all the set-up that they need.
# TORCH is empty (what the package index offers: on Linux the CUDA build), cpu, or what pip is to install.
TORCH ?=
TORCH_VERSION := 2.13.0
ifeq ($(TORCH),)
BUILD := torch==$(TORCH_VERSION)
else ifeq ($(TORCH),cpu)
BUILD := torch==$(TORCH_VERSION) --index-url https://download.pytorch.org/whl/cpu
else
BUILD := $(TORCH)
endif
PYTHON ?= python3
SCALE ?=
JOBS ?=
MODEL ?=
ONLY ?=
PORT ?= 5000

VENV := .venv
# Python compiles a module when it is first imported; compiling all of them here takes half of the time.
INSTALL := python -m pip install --quiet --disable-pip-version-check --no-compile
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export DVC_NO_ANALYTICS := 1
export DO_NOT_TRACK := 1
export MLFLOW_DISABLE_TELEMETRY := true
export MLFLOW_ALLOW_PICKLE_DESERIALIZATION := false

.PHONY: tables test probe env params ui site bench check lint types format clean
tables: env ## everything: corpora, vectors, models, tables, report, record (SCALE=smoke works offline)
	@retable make $(if $(SCALE),--scale $(SCALE)) $(if $(JOBS),--jobs $(JOBS))

test: env ## all tests
	@python -m pytest -n 2 --dist loadfile tests

probe: env ## the numbers of small runs beside those of the last accepted commit (docs/recipes.md)
	@python -m probe

env: $(VENV)/.ready ## the environment alone; TORCH=cpu takes the small build: 2.4 GB in place of 6.1

# The locked packages are checked by hash, torch's own dependencies among them. torch comes after them, and its hash is
# compared with requirements/torch.txt once pip has taken it: given hashes, pip would take the registry's build, which
# is that with CUDA, before a CPU build at hand. A build that TORCH names is taken as it is.
$(VENV)/.ready: requirements/lock.txt requirements/torch.txt pyproject.toml
	@echo "making the environment in $(VENV) (some minutes, once) with $(BUILD)"
	@test -n "$(TORCH)" || echo "without a GPU, \`make env TORCH=cpu\` is enough: 2.4 GB of disk in place of 6.1"
	@test -x $(VENV)/bin/pip || $(PYTHON) -m venv --clear $(VENV)
	@$(INSTALL) --require-hashes -r requirements/lock.txt
	@$(INSTALL) --report $(VENV)/torch.json $(BUILD)
	@test -n "$(TORCH)" || python requirements/check_torch.py $(VENV)/torch.json || \
	  { python -m pip uninstall --quiet --yes torch; exit 1; }
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

params: env ## write a scale into params.yaml and the cells: make params SCALE=cpu
	@retable params $(if $(SCALE),$(SCALE),cpu)

ui: env ## the MLflow UI on the record: http://127.0.0.1:5000
	@retable ui --port $(PORT)

site: env ## the results site from the bank: site/index.html, no data needed
	@retable site

check: env ## measured against published, and against the bank
	@retable check

bench: env ## every hot path beside its peer; ONLY="fcsr headlines" takes some groups (docs/speed.md)
	@python -m benchmarks.bench $(if $(ONLY),--only $(ONLY))

lint: env ## ruff, and the layers of src/retable
	@ruff check . && ruff format --check . && lint-imports --no-logo

types: env ## mypy, strict
	@mypy

format: env
	@ruff check --fix-only . && ruff format .

clean: ## what the pipeline made (not DVC's cache, not the record)
	@rm -rf data/code data/raw data/clean data/overlap data/parts data/tagged data/pools data/vectors results

help: ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10
