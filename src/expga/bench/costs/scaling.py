"""Whether cost grows with the queries and nothing else, and what a tested sample costs in memory."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga import datasets
from expga.api import audit
from expga.bench.apart import apart
from expga.results import Audit

STEPS = (2_500_000, 10_000_000)
"""Samples that are tested."""


def measure(_: Path) -> dict[str, Any]:
    """CPU time and memory at both steps; `growth` is 1 where time grows in proportion to what is tested."""
    small, large = (apart(grown, tested) for tested in STEPS)
    return {
        "runs": [small, large],
        "growth": large["cpu_s"] / small["cpu_s"] / (large["tested"] / small["tested"]),
        "memory": [apart(held, tested) for tested in STEPS],
    }


def shown(told: dict[str, Any]) -> list[tuple[str, str]]:
    """Time and memory at each step."""
    times = [(f"a search that tests {run['tested']:,}", f"{run['cpu_s']:.1f} s of CPU") for run in told["runs"]]
    growth = ("growth", f"{told['growth']:.2f} times what is in proportion")
    sizes = [
        (f"memory, {run['tested']:,} tested", f"{run['bytes_per_tested']:.0f} bytes each, where hardly any is found")
        for run in told["memory"]
    ]
    return [*times, growth, *sizes]


class Cheap:
    """A linear score over Census, next to nothing to compute, that sex moves by as much as it is told."""

    def __init__(self, frame: pd.DataFrame, effect: float) -> None:
        self._scale = frame.std().to_numpy() + 1.0
        self._mean = frame.mean().to_numpy()
        self._weights = np.random.default_rng(0).normal(size=frame.shape[1])
        self._weights[list(frame.columns).index("sex")] = effect

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        score = ((frame.to_numpy() - self._mean) / self._scale) @ self._weights
        return np.asarray(1.0 / (1.0 + np.exp(-score)))


def grown(tested: int) -> dict[str, Any]:
    """CPU seconds of the default search until about so many samples are tested, findings and all."""
    data = datasets.load("census-encoded")
    model = Cheap(data.frame, 0.3)
    audit(model, data.frame, protected=["sex"], max_queries=100_000)  # loads what is loaded once
    began = time.process_time()
    result = audit(model, data.frame, protected=["sex"], max_queries=2 * tested, seed=1)
    return {**counts_of(result), "cpu_s": time.process_time() - began}


def held(tested: int) -> dict[str, Any]:
    """Bytes a tested sample, where hardly any is a finding."""
    data = datasets.load("census-encoded")
    model = Cheap(data.frame, 1e-4)
    audit(model, data.frame, protected=["sex"], strategy="random", max_queries=100_000)
    before = held_now()
    result = audit(model, data.frame, protected=["sex"], strategy="random", max_queries=2 * tested, seed=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {**counts_of(result), "bytes_per_tested": (peak - before) / result.summary["tested"]}


def counts_of(result: Audit) -> dict[str, Any]:
    return {"tested": result.summary["tested"], "found": result.summary["found"]}


def held_now() -> int:
    """Bytes that this process holds now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
