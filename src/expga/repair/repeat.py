"""One repeat of a repair: split, fit, repair in every way, measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from expga.contracts import TIE, FloatArray, IndexArray
from expga.domain.tabular import TabularDomain
from expga.errors import InputError
from expga.repair.case import Case
from expga.repair.evidence import Exam, asked, search_near
from expga.repair.options import Options
from expga.repair.pairs import Pairs, pairs_of, split
from expga.repair.recipe import Recipe
from expga.repair.rows import take
from expga.repair.ways import Added, Material, Repaired, found_pairs, repaired

SHARE = 0.1
"""The published share of found pairs in the training rows."""
FEWEST_PAIRS = 10_000
"""Added by default where so many were found: it is their number that counts, whatever the size of the table."""
SHARES = (0.1, 0.5, 2.0, 10.0)
"""What `share="auto"` tries."""
VALIDATION = 0.25
"""Of the training rows, what the shares are judged on."""
ROUND_QUERIES = 200_000
"""Of the audit before each further round."""
OTHERS = {"table": ("random", "aequitas"), "text": ("random", "mtnlp")}
"""Searches that have no part in a repair."""

Tell = Callable[[str], None]


class Repeat:
    """All of it once: split, fit, repair in every way, measure."""

    def __init__(self, case: Case, recipe: Recipe | None, options: Options, number: int, tell: Tell) -> None:
        self.case, self.options, self.number = case, options, number
        self.rng = np.random.default_rng([options.seed, number])
        self._progress = tell
        train, test = case.split(options.test_share, number, options.seed)
        self.train = train
        mine, held, self.repairing = split(case.pairs, case.may_repair(train, test), case.alike, self.rng)
        if not len(mine):
            raise InputError(
                "All findings lie near rows set aside for testing; give test rows of their own, or audit longer."
            )
        rows = take(case.rows, train)
        fitted = case.given < len(case.truth)
        seed = None if number == 0 else options.seed + number
        self._tell("Fitting the model as it was")
        before = case.model
        if recipe is not None and not fitted:
            before = recipe.fit(case.reader.inputs(rows), case.labels[train], None, seed)
        self.material = Material(
            case.reader,
            recipe or Recipe(_no_fit, None),
            rows,
            case.labels[train],
            train,
            before,
            case.pairs.some(mine),
            _shares(case, train),
            options.relabel,
            options.weight,
            seed,
        )
        strategy = case.pairs.audit.summary["strategy"]
        kind = case.reader.settings["kind"]
        self.exam = Exam(
            case.reader,
            case.classes,
            rows,
            take(case.rows, test),
            case.truth[test],
            case.pairs.some(held),
            tuple(dict.fromkeys((strategy, *OTHERS[kind]))),
            options.max_queries,
            options.seed + number,
        )

    def run(self) -> tuple[dict[str, Any], Any]:
        """What was measured, and the model repaired in the way that was asked for."""
        self._tell("Measuring the model before the repair")
        told: dict[str, Any] = {
            "repeat": self.number,
            "train": len(self.train),
            "test": len(self.exam.truth),
            "repairing": len(self.material.pairs),
            "held_out": len(self.exam.held_out),
            "before": self.exam.of(self.material.before),
            "ways": {},
        }
        model: Any = None
        for way in self.options.ways:
            asked_for = way == self.options.repair
            self._tell(f"Repairing by {way}")
            try:
                made, curve, share = self._repaired(way, self.options.rounds if asked_for else 1)
            except InputError as error:
                if asked_for:
                    raise
                told["ways"][way] = {"failed": str(error)}
                continue
            told["ways"][way] = {
                **curve[-1],
                "pairs": made.pairs,
                "rows_added": made.rows,
                "seconds": made.seconds,
                "share": share,
                "rounds": curve,
            }
            model = made.model if asked_for else model
        return told, model

    def _tell(self, text: str) -> None:
        of = self.options.repeats
        self._progress(f"{text} ({self.number + 1} of {of})" if of > 1 else text)

    def _repaired(self, way: str, rounds: int) -> tuple[Repaired, list[dict[str, Any]], float | None]:
        """The repaired model, and what was measured of it after each round."""
        material, share = self.material, None
        count = self._count(way)
        if way in ("findings", "both"):
            if self.options.share == "auto":
                count = self._best_count(way)
            share = count / len(self.train)
        made = repaired(way, material, count, self.rng)
        curve = [self.exam.of(made.model)]
        earlier: list[Added] = []
        for number in range(1, rounds if share is not None else 1):
            self._tell(f"Round {number + 1} of {rounds}")
            fresh = self._found_again(made.model, number)
            if not len(fresh):
                break
            earlier.append(found_pairs(material, fresh, count, self.rng))
            made = repaired(way, material, count, self.rng, earlier)
            curve.append(self.exam.of(made.model))
        return made, curve, share

    def _count(self, way: str) -> int:
        """Found pairs to add: as many as were asked for, or the usual number; the published share in its own way."""
        share, rows = self.options.share, len(self.train)
        if isinstance(share, Real):
            return max(1, round(share * rows))
        if self.case.reader.texts:
            return len(self.case.pairs) // 2
        return max(1, round(SHARE * rows)) if way == "findings" else max(round(SHARE * rows), FEWEST_PAIRS)

    def _best_count(self, way: str) -> int:
        """The number of pairs with the fairest model within the loss that is allowed, judged on training rows only."""
        material, reader = self.material, self.case.reader
        order = self.rng.permutation(len(self.train))
        aside, kept = np.sort(order[: round(VALIDATION * len(order))]), np.sort(order[round(VALIDATION * len(order)) :])
        near = np.isin(material.pairs.anchor, self.train[kept])
        part = replace(
            material,
            rows=take(material.rows, kept),
            labels=material.labels[kept],
            numbers=material.numbers[kept],
            pairs=material.pairs.some(np.flatnonzero(near)),
        )
        judged = take(material.rows, aside)
        truth = self.case.truth[self.train[aside]]

        def figures(model: Any) -> tuple[float, float]:
            wrapped, positive = reader.wrapped(model, judged)
            answers, _ = asked(wrapped, reader.inputs(judged), self.case.classes)
            return float((answers.labels == truth).mean()), reader.population(
                wrapped, positive, judged
            ).overall.rate or 0.0

        before = part.recipe.fit(reader.inputs(part.rows), part.labels, None, part.seed)
        right, _ = figures(before)
        best: tuple[float, int] | None = None
        last = 0
        for share in SHARES:
            count = round(share * len(self.train))
            if min(count, len(part.pairs)) <= last:  # there are no more pairs than the last share had
                break
            last = min(count, len(part.pairs))
            self._tell(f"Trying a share of {share:g}")
            accuracy, flips = figures(repaired(way, part, round(share * len(kept)), self.rng).model)
            if right - accuracy <= self.options.max_loss + TIE and (best is None or flips < best[0]):
                best = flips, count
        return round(SHARES[0] * len(self.train)) if best is None else best[1]

    def _found_again(self, model: Any, number: int) -> Pairs:
        """Findings against the newest model, near rows that repaired before."""
        reader = self.case.reader
        rows, strategy = self.material.rows, self.exam.strategies[0]
        found = search_near(reader, model, rows, strategy, ROUND_QUERIES, self.options.seed + number)
        index = range(len(self.train)) if isinstance(rows, list) else rows.index
        pairs = pairs_of(found, index)
        pairs = Pairs(pairs.audit, self.train[pairs.anchor])
        return pairs.some(np.flatnonzero(self.repairing[pairs.anchor]))


def _shares(case: Case, train: IndexArray) -> FloatArray | None:
    """(R,) how often each reading is that of a row; None for texts, whose readings are not of the row alone."""
    domain = case.reader.domain(take(case.rows, train))
    if not isinstance(domain, TabularDomain):
        return None
    reading = domain.nearest_reading(domain.readings)
    counts = np.bincount(reading[reading >= 0], minlength=domain.readings.count)
    return np.asarray(counts / counts.sum()) if counts.sum() else None


def _no_fit(_: int | None) -> Any:
    raise InputError('The model cannot be fitted again; repair it by "average", which fits nothing.')
