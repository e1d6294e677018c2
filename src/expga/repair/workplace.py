"""A repair's work while it goes on: repeats that are done stay done, whatever happens next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from expga.errors import InputError
from expga.models.save import NAMES, SavedModel
from expga.plain import as_json
from expga.repair.record import repeat_of
from expga.repair.result import FILES, KIND
from expga.store import NAME, Shelf, damaged, decoded, kept, kept_plan, plan_record


class Workplace:
    """The folder of a repair, and the repeats in its store."""

    def __init__(
        self, folder: Path, plan: dict[str, Any], resume: bool, overwrite: bool, inputs: Sequence[Path]
    ) -> None:
        self.shelf = Shelf.open(folder, FILES, KIND, resume=resume, overwrite=overwrite, inputs=inputs)
        self._repairs, self._chosen = list(plan["repairs"]), str(plan["repair"])
        self.repaired: Any = None
        """The model of the first repeat, if it was made just now."""
        store = self.shelf.store
        if not resume:
            store.begin(KIND, {"plan": plan_record(plan)})
            return
        try:
            theirs = kept_plan(store)
            other = next((name for name, value in plan.items() if theirs.get(name) != value), None)
            if other is not None:
                raise InputError(f"The repair in {folder} was started with other {other}; resume it with the same.")
        except BaseException:
            self.shelf.leave()
            raise
        if store.done:
            store.again()

    def done(self, number: int) -> dict[str, Any] | None:
        """What a repeat came to, if it is done."""
        read = partial(repeat_of, repairs=self._repairs, chosen=self._chosen)
        return kept(self.shelf.store, f"repeat-{number}", read)

    def keep(self, number: int, told: dict[str, Any], model: Any) -> dict[str, Any]:
        """Keeps what a repeat came to, of the first one the model as well."""
        records = {f"repeat-{number}": as_json(told)}
        if number == 0:
            self.repaired, saved = model, SavedModel.of(model)
            records |= {"model": saved.content, "model-file": as_json([saved.name, saved.trust])}
        self.shelf.store.put(records)
        return told

    def model(self) -> SavedModel:
        """The model of the first repeat, as the content of a file."""
        store = self.shelf.store
        told = kept(store, "model-file", partial(decoded, kind=tuple[str, list[str]]))
        content = store.get("model")
        if told is None or content is None:
            raise damaged(store.path or Path(NAME), "the model of a repeat that is done is missing")
        if told[0] not in NAMES:
            raise damaged(store.path or Path(NAME), f"no model of ours is called {told[0]!r}")
        return SavedModel(*told, content)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        store = self.shelf.store
        try:
            if error is not None and not store.done:
                self._stopped(error, len(store.names("repeat-")))
        finally:
            self.shelf.leave()

    def _stopped(self, error: BaseException, repeats: int) -> None:
        """Says what is kept where there is something; else what was there before is there again."""
        if not repeats:
            self.shelf.store.abandon()
            return
        told = "1 repeat is" if repeats == 1 else f"{repeats} repeats are"
        error.add_note(f"{told} kept in {self.shelf.folder}, and --resume goes on from there")
