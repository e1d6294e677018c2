"""The folder that an audit is kept in while it runs, and that its results go to: begun, taken up, filled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from expga.account import Account
from expga.errors import InputError, StoreError
from expga.ledger import counters_of, placebo_of
from expga.models import FirstAnswers, Known
from expga.placebo import Placebo
from expga.plain import as_json
from expga.request import Request
from expga.results import KIND, Audit, Output, Outputs, files_of, names_of, outputs_of, parquet_of
from expga.store import Shelf, Store, kept, kept_plan, plan_record
from expga.subjects import Subject


class AuditFolder:
    """One, or none: then nothing is kept."""

    def __init__(self, shelf: Shelf | None, outputs: Sequence[Output], resume: bool) -> None:
        self._shelf, self._outputs, self._resume = shelf, outputs, resume
        self.known: Known | None = None
        """What an earlier part of the run knew of its model."""

    @classmethod
    @contextmanager
    def open(
        cls, out: str | Path | None, outputs: Outputs, *, resume: bool, overwrite: bool, inputs: Sequence[Path]
    ) -> Iterator[AuditFolder]:
        """The folder for the results and these outputs; what fails before anything was measured leaves it as it was."""
        written = outputs_of(outputs)
        if out is None:
            if resume:
                raise InputError("There is nothing to resume without a folder; say where the run was kept with `out`.")
            if written:
                raise InputError(f"There is no folder for the output {written[0].name}; say where with `out`.")
            yield cls(None, (), False)
            return
        shelf = Shelf.open(Path(out), names_of(written), KIND, resume=resume, overwrite=overwrite, inputs=inputs)
        try:
            yield cls(shelf, written, resume)
        finally:
            shelf.leave()

    @property
    def store(self) -> Store | None:
        """Where findings are kept while the run goes on."""
        return None if self._shelf is None else self._shelf.store

    def account(self, most_queries: int | None, most_seconds: float | None, began: float, repeats: int = 1) -> Account:
        """What the run has used, before it was taken up too."""
        account = Account(most_queries, most_seconds, began, repeats=repeats)
        if self._shelf is not None and self._resume:
            kept_plan(self._shelf.store)  # so that a run of another version is refused by its plan
            before = counters_of(self._shelf.store)
            account.take_up(before.elapsed, before.queries, before.model_s)
            self.known = Known(before.classes, before.positive) if before.runs else None
        return account

    @contextmanager
    def run(self, request: Request, subject: Subject) -> Iterator[None]:
        """A run in the store, new or taken up; a new one that fails before anything was measured leaves no trace."""
        if self._shelf is None:
            yield
            return
        store = self._shelf.store
        ours = json.loads(as_json({**request.settings(subject), "data": subject.fingerprint()}))
        if self._resume:
            self._check_same(self._shelf, ours, request, subject)
            if store.done:
                store.again()
        else:
            store.begin(KIND, {"plan": plan_record(ours), "model": subject.first_answers.packed()})
        try:
            yield
        except BaseException:
            if not self._resume and store.get("population") is None:
                store.abandon()
            raise

    def _check_same(self, shelf: Shelf, ours: dict[str, Any], request: Request, subject: Subject) -> None:
        """Whether a run was begun with the same plan, data and model."""
        theirs = kept_plan(shelf.store)
        name = next((name for name, value in ours.items() if theirs.get(name) != value), None)
        if name is not None:
            other = f"other data or another {request.kind.rules_are}"
            what = other if name == "data" else f"{name} {theirs.get(name)!r}, not {ours[name]!r}"
            raise InputError(f"The run in {shelf.folder} was started with {what}; resume it with the same.")
        first = kept(shelf.store, "model", FirstAnswers.unpacked)
        known = [] if self.known is None else [str(label) for label in self.known.classes]
        same_classes = [str(label) for label in subject.model.classes[: len(known)]] == known
        if first is None or not same_classes or not _alike(subject.first_answers, first, placebo_of(shelf.store)):
            raise InputError(
                f"The run in {shelf.folder} was started with a model that answers otherwise on the same rows; "
                "resume it with that one, or start anew."
            )

    def write(self, findings: pd.DataFrame) -> None:
        """What becomes of findings where they are written; by this one learns how long it takes."""
        if self._shelf is not None:
            parquet_of(findings)

    def publish(self, result: Audit) -> None:
        """Writes all files of an audit, together."""
        if self._shelf is None:
            return
        try:
            self._shelf.publish(files_of(result, self._outputs), {})
        except StoreError as error:  # the disk is full, say, or an output failed: what was found can still be used
            error.audit = result
            raise


def _alike(ours: FirstAnswers, first: FirstAnswers, placebo: Placebo | None) -> bool:
    """Whether one model may have given both answers: the same, or as far apart as its own whims make them."""
    if placebo is None or not placebo.varies:
        return ours.same_as(first)
    return placebo.explains(*ours.relabelled(first))
