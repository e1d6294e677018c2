"""Whether cost grows with the queries and nothing else, what a tested sample costs in memory, and large tables."""

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
from expga.engine import LEARNING
from expga.plan import Snapshot
from expga.results import Audit

STEPS = (2_500_000, 10_000_000)
"""Samples that are tested."""
TABLES = (
    (100, 2, "linear", 5.0),
    (100, 1_000, "linear", 5.0),
    (50_000, 50, "linear", 10.0),
    (50_000, 500, "linear", 8.0),
    (1_000_000, 8, "linear", 30.0),
    (1_000_000, 8, "pipeline", 30.0),
    (1_000_000, 8, "20 ms a call", 30.0),
)
"""Rows, columns, model, and the budget in seconds."""
PAUSE = 0.02
FITTED = 20_000
"""Rows that a pipeline is fitted to."""


def measure(_: Path) -> dict[str, Any]:
    """CPU time and memory at both steps; `growth` is 1 where time grows in proportion to what is tested."""
    small, large = (apart(grown, tested) for tested in STEPS)
    return {
        "runs": [small, large],
        "growth": large["cpu_s"] / small["cpu_s"] / (large["tested"] / small["tested"]),
        "memory": [apart(held, tested) for tested in STEPS],
        "tables": [apart(audited, *table) for table in TABLES],
    }


def shown(told: dict[str, Any]) -> list[tuple[str, str]]:
    """Time and memory at each step."""
    times = [(f"a search that tests {run['tested']:,}", f"{run['cpu_s']:.1f} s of CPU") for run in told["runs"]]
    growth = ("growth", f"{told['growth']:.2f} times what is in proportion")
    sizes = [
        (f"memory, {run['tested']:,} tested", f"{run['bytes_per_tested']:.0f} bytes each, where hardly any is found")
        for run in told["memory"]
    ]
    return [*times, growth, *sizes, *map(_told, told["tables"])]


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
    return {**_counts(result), "cpu_s": time.process_time() - began}


def held(tested: int) -> dict[str, Any]:
    """Bytes a tested sample, where hardly any is a finding."""
    data = datasets.load("census-encoded")
    model = Cheap(data.frame, 1e-4)
    audit(model, data.frame, protected=["sex"], strategy="random", max_queries=100_000)
    before = _held()
    result = audit(model, data.frame, protected=["sex"], strategy="random", max_queries=2 * tested, seed=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {**_counts(result), "bytes_per_tested": (peak - before) / result.summary["tested"]}


def audited(rows: int, columns: int, kind: str, seconds: float) -> dict[str, Any]:
    """One audit by the clock: how long it took, when it first found something, and bytes beyond what was there."""
    frame = made_table(rows, columns)
    model = _model(kind, frame)
    audit(model, frame.iloc[:300], protected="group", max_queries=2_000)  # loads what is loaded once
    seen: dict[str, float] = {}
    before = _held()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from here
    began = time.perf_counter()

    def watch(now: Snapshot) -> None:
        if now.found:
            seen.setdefault("first_s", time.perf_counter() - began)
        if now.phase == "search" and "learnt" in seen:
            seen.setdefault("learnt_bytes", _peak() - before)
        if now.phase == LEARNING:
            seen["learnt"] = 1.0

    cpu = time.process_time()
    result = audit(model, frame, protected="group", budget=seconds, progress=watch)
    return {
        "rows": rows,
        "columns": columns,
        "model": kind,
        "budget_s": seconds,
        "took_s": time.perf_counter() - began,
        "cpu_s": time.process_time() - cpu,
        "first_s": seen.get("first_s"),
        "measured": result.population.rows,
        "flipped": result.population.flipped,
        **_counts(result),
        "table_bytes": int(frame.memory_usage(deep=True).sum()),
        "learnt_bytes": seen.get("learnt_bytes"),
        "peak_bytes": _peak() - before,
    }


def _told(run: dict[str, Any]) -> tuple[str, str]:
    first = "nothing found" if run["first_s"] is None else f"first finding after {run['first_s']:.1f} s"
    memory = ", ".join(
        f"{run[name] / 1e6:.0f} MB {when}"
        for name, when in (("learnt_bytes", "when the search begins"), ("peak_bytes", "at most"))
        if run[name] is not None
    )
    return (
        f"{run['rows']:,} × {run['columns']:,}, {run['model']}",
        f"{run['took_s']:.1f} s of {run['budget_s']:.0f} s, {first}, {run['found']:,} found; {memory}",
    )


def made_table(rows: int, columns: int) -> pd.DataFrame:
    """Numbers, whole numbers and categories in turn, after a group and a score."""
    rng = np.random.default_rng(0)
    made = {"group": rng.choice(["a", "b"], rows), "score": rng.normal(size=rows)}
    for number in range(2, columns):
        kinds = (rng.choice(["p", "q", "r", "s"], rows), rng.integers(0, 50, rows), rng.normal(size=rows))
        made[f"x{number}"] = kinds[number % len(kinds)]
    return pd.DataFrame(made)


def linear(frame: pd.DataFrame) -> np.ndarray:
    """A score that the group moves."""
    score = frame["score"].to_numpy() + 0.3 * (frame["group"].to_numpy() == "a")
    return np.asarray(1.0 / (1.0 + np.exp(-score)))


def unhurried(frame: pd.DataFrame) -> np.ndarray:
    """The same, as an endpoint answers."""
    time.sleep(PAUSE)
    return linear(frame)


def _model(kind: str, frame: pd.DataFrame) -> Any:
    if kind != "pipeline":
        return linear if kind == "linear" else unhurried
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    some = frame.iloc[:FITTED]
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        (StandardScaler(), make_column_selector(dtype_include="number")),
    )
    return make_pipeline(columns, LogisticRegression()).fit(some, linear(some) > 0.5)


def _peak() -> int:
    """The most bytes that this process held at once since the count began."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1]) * 1024


def _counts(result: Audit) -> dict[str, Any]:
    return {"tested": result.summary["tested"], "found": result.summary["found"]}


def _held() -> int:
    """Bytes that this process holds now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
