"""`python -m expga.bench`: the cost of explaining, and how cost grows. Methods are compared by `expga bench`."""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console

from expga.bench import explaining, scaling
from expga.files import write_text

STEPS = (2_500_000, 10_000_000)
PARTS = ("explaining", "scaling")


def main() -> None:
    """Runs what was asked for and writes each result as it comes."""
    parser = argparse.ArgumentParser(prog="python -m expga.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--out", type=Path, default=Path("bench-results"))
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]}; choose from {', '.join(PARTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    console = Console(width=160)
    if "explaining" in options.parts:
        _keep(options.out / "explaining.json", told := _apart(explaining.run), console)
        console.print(f"LIME: {told['times_faster']:.0f} times the package's speed")
    if "scaling" in options.parts:
        small, large = (_apart(scaling.growth, tested) for tested in STEPS)
        growth = large["cpu_s"] / small["cpu_s"] / (large["tested"] / small["tested"])
        light = [_apart(scaling.memory, tested) for tested in STEPS]
        _keep(options.out / "scaling.json", {"runs": [small, large], "growth": growth, "memory": light}, console)


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Runs something in a process of its own, so that memory and caches are its own too."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _keep(path: Path, told: dict[str, Any], console: Console) -> None:
    write_text(path, json.dumps(told, indent=2) + "\n")
    console.print_json(json.dumps(told))


if __name__ == "__main__":
    main()
