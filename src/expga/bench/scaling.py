"""Whether cost grows with the queries and nothing else, and what a tested sample costs in memory."""

from __future__ import annotations

import resource
import time
from typing import Any

import numpy as np
import pandas as pd

from expga import datasets
from expga.api import audit


class Cheap:
    """A linear score over Census, next to nothing to compute, that sex moves by next to nothing."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._scale = frame.std().to_numpy() + 1.0
        self._mean = frame.mean().to_numpy()
        self._weights = np.random.default_rng(0).normal(size=frame.shape[1])
        self._weights[frame.columns.get_loc("sex")] = 1e-4

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        score = ((frame.to_numpy() - self._mean) / self._scale) @ self._weights
        return np.asarray(1.0 / (1.0 + np.exp(-score)))


def run(tested: int) -> dict[str, Any]:
    """Searches until about so many samples are tested."""
    data = datasets.load("census-encoded")
    model = Cheap(data.frame)
    audit(model, data.frame, protected=["sex"], strategy="random", max_queries=100_000)  # what is there to load
    held = _held()
    began = time.process_time()
    result = audit(model, data.frame, protected=["sex"], strategy="random", max_queries=2 * tested, seed=1)
    cpu = time.process_time() - began
    findings = len(result.findings) * (4 * data.frame.shape[1] + 8 * 7)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "tested": result.summary["tested"],
        "found": result.summary["found"],
        "cpu_s": cpu,
        "bytes_per_tested": (peak - held - findings) / result.summary["tested"],
    }


def _held() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
