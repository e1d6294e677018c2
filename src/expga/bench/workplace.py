"""A bench's work while it goes on: runs that are done stay done, whatever happens next."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import expga
from expga.bench.plan import Cell
from expga.errors import InputError
from expga.plain import as_json
from expga.store import Shelf, damaged, kept_plan, pack, plan_record, unpack

if TYPE_CHECKING:
    from expga.contracts import FloatArray

KIND = "bench"

Loss = Literal["failed", "absent"]


class Workplace:
    """The folder of a bench, and the plan, the runs and what went wrong in its store."""

    def __init__(
        self,
        folder: Path,
        cells: Sequence[Cell],
        names: Sequence[str],
        *,
        resume: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Takes a folder for a bench.

        Args:
            folder: made if it is not there.
            cells: the plan.
            names: of the files that the results will have.
            resume: go on with the same plan.
            overwrite: an earlier bench may be replaced, once this one is complete.

        Raises:
            InputError: what is there is not ours, damaged, of another plan, or of other versions.
        """
        self.folder = folder
        self.cells = cells
        self.facts = facts()
        self.shelf = Shelf.open(folder, names, KIND, resume=resume, overwrite=overwrite)
        self._begun_here = not resume
        plan = {"facts": self.facts, "cells": [cell.as_dict() for cell in cells]}
        try:
            if resume:
                self._go_on(plan)
            else:
                self.shelf.store.begin(KIND, {"plan": plan_record(plan)})
            self._done = set(self.shelf.store.names("run-"))
        except BaseException:
            self.shelf.leave()
            raise

    def _go_on(self, plan: dict[str, Any]) -> None:
        store = self.shelf.store
        for name in store.names():
            store.get(name)  # what is damaged is better known before hours of further work
        theirs = kept_plan(store)
        try:
            begun = {cell["name"]: cell for cell in theirs["cells"]}
            difference = _difference(begun, dict(theirs["facts"]), json.loads(json.dumps(plan)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise damaged(store.path or self.folder, "its plan is no plan of a bench") from error
        if difference:
            raise InputError(f"The bench in {self.folder} was begun with {difference}; resume it with the same.")
        if store.done:
            store.again()

    @property
    def notes(self) -> list[str]:
        """What there is to say of the store."""
        return self.shelf.store.notes

    @property
    def done(self) -> int:
        """How many runs are."""
        return len(self._done)

    def missing(self, cell: Cell) -> list[int]:
        """The numbers of the runs that are not done."""
        return [repeat for repeat in range(cell.repeats) if _run(cell, repeat) not in self._done]

    def runs(self, cell: Cell) -> list[dict[str, Any]]:
        """What those of a cell told that are done, in their order."""
        names = [_run(cell, repeat) for repeat in range(cell.repeats)]
        return [json.loads(self._get(name)) for name in names if name in self._done]

    def keep(self, cell: Cell, repeat: int, told: bytes, positions: Mapping[str, FloatArray]) -> None:
        """Keeps what a run told, as JSON, and positions by name; what had gone wrong before is forgotten."""
        name = _run(cell, repeat)
        packed = {f"positions-{of}": pack({"positions": values}) for of, values in positions.items()}
        self.shelf.store.put({name: told, _lost(cell): b"null", **packed})
        self._done.add(name)

    def lose(self, cell: Cell, kind: Loss, reason: str) -> None:
        """Keeps why a cell has no runs, or no more of them."""
        self.shelf.store.put({_lost(cell): as_json({"kind": kind, "reason": reason})})

    def reason(self, cell: Cell, kind: Loss) -> str | None:
        """Why a cell was lost, if it was, and in this way."""
        told = json.loads(self.shelf.store.get(_lost(cell)) or b"null")
        return None if told is None or told["kind"] != kind else str(told["reason"])

    def positions(self, name: str) -> FloatArray | None:
        """(n, genes) positions that were kept under this name."""
        packed = self.shelf.store.get(f"positions-{name}")
        return None if packed is None else unpack(packed)["positions"].astype(float)

    def publish(self, files: Mapping[str, bytes]) -> None:
        """Ends the bench with the files of its results, the one that readers look for last."""
        self.shelf.publish(files, {})

    def _get(self, name: str) -> bytes:
        return self.shelf.store.get(name) or b"null"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._begun_here and not self._done:
            self.shelf.store.abandon()
        self.shelf.leave()


def facts() -> dict[str, str]:
    """What results depend on besides the plan."""
    libraries = ("numpy", "pandas", "scikit-learn", "scipy", "shap")
    return {
        "expga": expga.__version__,
        "python": platform.python_version(),
        **{name: _version(name) for name in libraries},
    }


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # of an extra
        return "none"


def _difference(begun: dict[str, Any], versions: dict[str, str], ours: dict[str, Any]) -> str | None:
    for name, version in ours["facts"].items():
        if versions.get(name) != version:
            return f"{name} {versions.get(name)}, not {version}"
    wanted = {cell["name"]: cell for cell in ours["cells"]}
    for name in [*begun, *wanted]:
        if name not in wanted:
            return f"the cell {name}, which is not in this plan"
        if name not in begun:
            return f"no cell {name}"
        for field, value in wanted[name].items():
            if begun[name].get(field) != value:
                return f"{field} {begun[name].get(field)}, not {value}"
    return None


def _run(cell: Cell, repeat: int) -> str:
    return f"run-{cell.name}--{repeat}"


def _lost(cell: Cell) -> str:
    return f"lost-{cell.name}"
