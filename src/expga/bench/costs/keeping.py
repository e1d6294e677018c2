"""What it costs to keep findings while they are found."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

from expga import datasets
from expga.api import audit
from expga.bench.apart import apart
from expga.bench.costs.scaling import Cheap
from expga.store import Store

PACE = 50_000
"""Findings a second, more than most models allow: the share is also told for them."""
QUERIES = 3_000_000


def measure(folder: Path) -> dict[str, Any]:
    """What writing takes of a run whose results go there."""
    told: dict[str, Any] = apart(share, folder)
    return told


def shown(told: dict[str, Any]) -> list[tuple[str, str]]:
    """The share of time, as measured and at a high pace."""
    return [
        (f"writing at {told['found_per_s']:,.0f} findings a second", f"{told['share']:.1%} of the time"),
        (f"writing at {PACE:,} findings a second", f"{told[f'share_at_{PACE}_per_s']:.1%} of the time"),
        ("the longest transaction", f"{told['longest_s']:.3f} s"),
    ]


def share(folder: Path) -> dict[str, Any]:
    """The share of time that writing takes in a run of a fast model, and at 50,000 findings a second."""
    data = datasets.load("census-encoded")
    model = Cheap(data.frame, 1.0)
    audit(model, data.frame, protected=["sex"], max_queries=100_000)  # loads what is loaded once
    writing: list[float] = []
    put = Store.put

    def timed(*given: Any) -> None:
        began = time.perf_counter()
        put(*given)
        writing.append(time.perf_counter() - began)

    with tempfile.TemporaryDirectory(dir=folder) as place, mock.patch.object(Store, "put", timed):
        result = audit(model, data.frame, protected=["sex"], max_queries=QUERIES, seed=1, out=Path(place) / "out")
    found, elapsed = result.summary["found"], result.summary["elapsed_s"]
    return {
        "found": found,
        "found_per_s": found / elapsed,
        "transactions": len(writing),
        "longest_s": max(writing),
        "share": sum(writing) / elapsed,
        f"share_at_{PACE}_per_s": PACE * sum(writing) / found,
    }
