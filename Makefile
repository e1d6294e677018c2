PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS := -n auto --dist worksteal

# Where it is set, every process that a test starts would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick campaign bench bench-text bench-retrain torch clean

demo: $(READY)
	$(BIN)/expga demo

test: $(READY)
	$(BIN)/ruff check src tests campaign
	$(BIN)/ruff format --check src tests campaign
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest $(WORKERS)

# What one wants every minute: all but the tests that run processes, whole repairs, or every strategy.
quick: $(READY)
	$(BIN)/ruff check src tests campaign
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest $(WORKERS) -m "not slow and not shared"

# Kills, full disks, flipped bits, odd input, hostile models: five minutes; CAMPAIGN=long for all of it.
campaign: $(READY)
	$(BIN)/python -m campaign

bench: $(READY)
	$(BIN)/expga bench tabular

bench-text: torch
	$(BIN)/expga bench text

bench-retrain: torch
	$(BIN)/expga bench retrain

# Optional: the models and tests that need PyTorch. A build for the processor alone is enough.
torch: $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt torch==2.13.0

# Exact versions from constraints.txt; what library users get are the ranges in pyproject.toml.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $(READY)

clean:
	rm -rf $(VENV) build dist expga-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
