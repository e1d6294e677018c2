"""`python -m expga.bench`: what explaining and keeping cost, how cost grows. Methods are compared by `expga bench`."""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console

from expga.bench import explaining, keeping, scaling
from expga.errors import ExpgaError
from expga.store import Shelf

STEPS = (2_500_000, 10_000_000)
PARTS = ("explaining", "scaling", "keeping")


def main() -> None:
    """Runs what was asked for and publishes each result as it comes."""
    parser = argparse.ArgumentParser(prog="python -m expga.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--out", type=Path, default=Path("bench-results"))
    parser.add_argument("--overwrite", action="store_true", help="replace earlier measurements in the same folder")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]}; choose from {', '.join(PARTS)}")
    try:
        _measure(options.parts, options.out, options.overwrite)
    except ExpgaError as error:
        parser.exit(error.exit_code, f"{parser.prog}: {error}\n")


def _measure(parts: Sequence[str], out: Path, overwrite: bool) -> None:
    console = Console(width=160)
    shelf = Shelf.open(out, [f"{part}.json" for part in parts], "measurement", overwrite=overwrite)
    files: dict[str, bytes] = {}

    def keep(part: str, told: dict[str, Any]) -> None:
        files[f"{part}.json"] = (json.dumps(told, indent=2) + "\n").encode()
        shelf.publish(files, {})
        console.print_json(json.dumps(told))

    try:
        if "explaining" in parts:
            keep("explaining", told := _apart(explaining.run))
            console.print(f"LIME: {told['times_faster']:.0f} times the package's speed")
        if "scaling" in parts:
            small, large = (_apart(scaling.growth, tested) for tested in STEPS)
            growth = large["cpu_s"] / small["cpu_s"] / (large["tested"] / small["tested"])
            light = [_apart(scaling.memory, tested) for tested in STEPS]
            keep("scaling", {"runs": [small, large], "growth": growth, "memory": light})
        if "keeping" in parts:
            keep("keeping", _apart(keeping.share))
    finally:
        shelf.leave()


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Runs something in a process of its own, so that memory and caches are its own too."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


if __name__ == "__main__":
    main()
