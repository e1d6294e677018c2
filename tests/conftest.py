"""Which tests are left out of `make quick`; and that no test hangs on the clock, on luck or on the number of cores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Threads that wait for each other on a busy machine take many times as long; the workers share the cores already.
# Said before anything imports numpy or PyTorch, and to the processes that tests start.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

settings.register_profile(
    "steady", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

HERE = Path(__file__).parent
SLOW = (
    "bench",
    "campaign",
    "properties",
    "repair",
    "cli/test_install.py",
    "cli/test_manners.py",
    "cli/test_readme.py",
    "cli/test_retrain.py",
    "cli/test_texts_options.py",
    "engine/test_call_timeout.py",
    "engine/test_default_search.py",
    "engine/test_every_question.py",
    "engine/test_interruption.py",
    "engine/test_slow_models.py",
    "engine/test_texts.py",
    "engine/test_varying_models.py",
    "lexicon/test_build.py",
    "lexicon/test_substitutes.py",
    "models/test_isolated.py",
    "search/test_conformance.py",
    "search/test_truth.py",
    "subjects/test_third_kind.py",
    "test_extending.py",
    "testing",
)
"""Folders and modules that run processes, whole repairs, or every strategy."""


def pytest_collection_modifyitems(items):
    """Marks them."""
    slow = {HERE / name for name in SLOW}
    marked = {path for path in {item.path for item in items} if not slow.isdisjoint((path, *path.parents))}
    for item in items:
        if item.path in marked:
            item.add_marker(pytest.mark.slow)


def pytest_sessionstart():
    """A name in the list that leads nowhere would make a slow test a quick one."""
    missing = [name for name in SLOW if not (HERE / name).exists()]
    if missing:
        raise pytest.UsageError(f"There are no tests {', '.join(missing)}.")


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when told to."""

    from expga import account, api, closing, engine

    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    made = Clock()
    for module in (account, api, closing, engine):
        monkeypatch.setattr(module, "time", made)
    return made
