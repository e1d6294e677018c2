"""Large tables, narrow and wide ones: whether a budget of time is kept, how soon something is found, and memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga.api import audit
from expga.bench.apart import apart
from expga.bench.costs.scaling import counts_of, held_now
from expga.engine import LEARNING
from expga.plan import Snapshot

TABLES = (
    (100, 2, "linear", 5.0),
    (100, 1_000, "linear", 10.0),
    (1_000, 1_000, "linear", 10.0),
    (10_000, 20, "pipeline", 10.0),
    (50_000, 50, "linear", 10.0),
    (50_000, 500, "linear", 8.0),
    (50_000, 500, "pipeline", 30.0),
    (1_000_000, 2, "linear", 30.0),
    (1_000_000, 8, "linear", 30.0),
    (1_000_000, 8, "linear, to files", 30.0),
    (1_000_000, 8, "pipeline", 30.0),
    (1_000_000, 8, "20 ms a call", 30.0),
)
"""Rows, columns, model, and the budget in seconds."""
PAUSE = 0.02
FITTED = 20_000
"""Rows that a pipeline is fitted to."""
HEAD = (
    "rows × columns",
    "model",
    "budget",
    "took",
    "CPU",
    "in the model",
    "first finding (CPU)",
    "found",
    "table",
    "until the search",
    "at most",
)


def measure(_: Path) -> dict[str, Any]:
    """An audit of each table, in a process of its own."""
    return {"tables": [apart(audited, *table) for table in TABLES]}


def shown(told: dict[str, Any]) -> list[tuple[str, str]]:
    """A line for each table."""
    return list(map(_told, told["tables"]))


def audited(rows: int, columns: int, kind: str, seconds: float) -> dict[str, Any]:
    """One audit by the clock: how long it took, when it first found something, and bytes beyond what was there."""
    frame = made_table(rows, columns)
    model = model_of(kind, frame)
    audit(model, frame.iloc[:300], protected="group", max_queries=2_000)  # loads what is loaded once
    seen: dict[str, float] = {}
    before = held_now()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from here
    began, cpu = time.perf_counter(), time.process_time()

    def watch(now: Snapshot) -> None:
        if now.found:
            seen.setdefault("first_s", time.perf_counter() - began)
            seen.setdefault("first_cpu_s", time.process_time() - cpu)
        if now.phase == "search" and "learnt" in seen:
            seen.setdefault("learnt_bytes", _peak() - before)
        if now.phase == LEARNING:
            seen["learnt"] = 1.0

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out" if kind.endswith("to files") else None
        result = audit(model, frame, protected="group", budget=seconds, progress=watch, out=out)
        took, took_cpu = time.perf_counter() - began, time.process_time() - cpu
    return {
        "rows": rows,
        "columns": columns,
        "model": kind,
        "budget_s": seconds,
        "took_s": took,
        "cpu_s": took_cpu,
        "model_s": result.summary["model_s"],
        "first_s": seen.get("first_s"),
        "first_cpu_s": seen.get("first_cpu_s"),
        "measured": result.population.rows,
        "flipped": result.population.flipped,
        **counts_of(result),
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


def row_of(run: dict[str, Any]) -> str:
    """What an audit took, as a row of a table in Markdown; see `HEAD`."""
    size = f"{run['rows']:,} × {run['columns']:,}"
    first = "–" if run["first_s"] is None else f"{run['first_s']:.2f} s ({run['first_cpu_s']:.2f} s)"
    memory = ["–" if run[name] is None else f"{run[name] / 1e6:.0f} MB" for name in ("learnt_bytes", "peak_bytes")]
    seconds = [f"{run[name]:.1f} s" for name in ("took_s", "cpu_s", "model_s")]
    table = f"{run['table_bytes'] / 1e6:.0f} MB"
    return _line([size, run["model"], f"{run['budget_s']:g} s", *seconds, first, f"{run['found']:,}", table, *memory])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


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


def model_of(kind: str, frame: pd.DataFrame) -> Any:
    if kind != "pipeline":
        return linear if kind.startswith("linear") else unhurried
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


if __name__ == "__main__":
    print(_line(HEAD), _line(["---"] * len(HEAD)), sep="\n")
    for one in TABLES:
        print(row_of(apart(audited, *one)), flush=True)
