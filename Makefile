# `make run` and `make test` need Python 3.11, 3.12 or 3.13 and a C++ compiler; everything else goes into .venv.
#   make run                  install, then everything of config/config.yaml; results lie in results/
#   make run EXTRAS=cuda13 CONFIG=config/paper.yaml
#                             the paper's experiments, with what an NVIDIA GPU needs (cuda12 for drivers below 580)
#   make test, make test-all  the tests; all of them, slow ones too
#   make kernels              every kernel under the sanitizers and the race detector, and compiled for every card
#   make lint, make bench     style and types; speed of the emulator

EXTRAS :=
CONFIG :=
PYTHON := python3 python3.13 python3.12 python3.11
VENV := .venv
BIN := $(VENV)/bin
VERSION_FITS := import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))

.PHONY: mutation run test test-all kernels lint bench constraints

run: $(VENV)/installed-run-$(EXTRAS)
	@workflow/run.sh $(if $(CONFIG),--configfile $(CONFIG))

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto

test-all: $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto -m ""

kernels: $(VENV)/installed-test
	$(BIN)/python -m pytest -n auto -m "" tests/device/test_every_kernel.py tests/device/test_nvrtc.py tests/device/test_aarch64.py

lint: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/snakefmt --check .
	$(BIN)/snakemake --lint

# Whether changing a constant of a kernel makes a test fail: make mutation SYSTEM=wfa [SAMPLE=20]; minutes to an hour.
mutation: $(VENV)/installed-test
	$(BIN)/python -m tests.mutation $(SYSTEM) $(if $(SAMPLE),--sample $(SAMPLE))

bench: $(VENV)/installed-test
	$(BIN)/python benchmarks/emulator_floor.py

# Versions only. The CUDA toolkit's parts are left out: they must fit the driver, so pip chooses them.
constraints: $(VENV)/installed-dev
	$(BIN)/uv pip compile --universal --no-header --no-annotate --python-version 3.11 \
	  --extra mpi --extra dev --extra cuda13 --no-emit-package cuda-toolkit pyproject.toml -o constraints.txt

comma := ,

$(VENV)/installed-run-$(EXTRAS): pyproject.toml constraints.txt
	$(call install,mpi$(EXTRAS:%=$(comma)%))

$(VENV)/installed-test: pyproject.toml constraints.txt
	$(call install,test)

$(VENV)/installed-dev: pyproject.toml constraints.txt
	$(call install,dev)

compiler = $(or $(shell for c in $(CXX) c++ clang++; do command -v $$c && break; done),$(error \
  no C++ compiler found: install one (Debian: apt install g++), or set CXX to one))

python = $(or $(shell for p in $(PYTHON); do $$p -c '$(VERSION_FITS)' 2>/dev/null && echo $$p && break; done),$(error \
  none of $(PYTHON) is Python 3.11, 3.12 or 3.13 with venv: install one (Debian: apt install python3-venv), or set PYTHON to one))

define install
	@: $(if $(findstring cuda,$1),,$(compiler))
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(python) -m venv --clear $(VENV)
	@echo "installing into $(VENV), which takes a minute or two"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.$(if $1,[$1])'
	@touch $@
endef
