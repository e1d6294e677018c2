"""A repair's work while it goes on: repeats that are done stay done, whatever happens next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from expga.errors import InputError
from expga.models.save import SavedModel
from expga.repair.result import FILES, KIND, _plain
from expga.store import Shelf


class Workplace:
    """The folder of a repair, and the repeats in its store."""

    def __init__(
        self, folder: Path, plan: dict[str, Any], resume: bool, overwrite: bool, inputs: Sequence[Path]
    ) -> None:
        self.shelf = Shelf.open(folder, FILES, KIND, resume=resume, overwrite=overwrite, inputs=inputs)
        self.repaired: Any = None
        """The model of the first repeat, if it was made just now."""
        store = self.shelf.store
        if not resume:
            store.begin(KIND, {"plan": json.dumps(plan).encode()})
            return
        theirs = json.loads(store.get("plan") or b"{}")
        other = next((name for name, value in plan.items() if theirs.get(name) != value), None)
        if other is not None:
            self.shelf.leave()
            raise InputError(f"The repair in {folder} was started with other {other}; resume it with the same.")
        if store.done:
            store.again()

    def done(self, number: int) -> dict[str, Any] | None:
        """What a repeat came to, if it is done."""
        told = self.shelf.store.get(f"repeat-{number}")
        return None if told is None else dict(json.loads(told))

    def keep(self, number: int, told: dict[str, Any], model: Any) -> dict[str, Any]:
        """Keeps what a repeat came to, of the first one the model as well."""
        records = {f"repeat-{number}": json.dumps(told, default=_plain).encode()}
        if number == 0:
            self.repaired, saved = model, SavedModel.of(model)
            records |= {"model": saved.content, "model-file": json.dumps([saved.name, saved.trust]).encode()}
        self.shelf.store.put(records)
        return told

    def model(self) -> SavedModel:
        """The model of the first repeat, as the content of a file."""
        name, trust = json.loads(self.shelf.store.get("model-file") or b'["", []]')
        return SavedModel(name, trust, self.shelf.store.get("model") or b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        store = self.shelf.store
        if error is not None and not store.done and not store.names("repeat-"):
            store.abandon()
        self.shelf.leave()
