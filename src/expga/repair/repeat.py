"""One repeat of a repair: split, fit, repair in every way, measure."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from expga.errors import InputError
from expga.repair.case import Case
from expga.repair.dosage import PAIRS_WEIGH, as_many_as_it_takes, best_count
from expga.repair.evidence import Exam, search_near
from expga.repair.options import Options
from expga.repair.pairs import Pairs, pairs_of, split
from expga.repair.recipe import Recipe
from expga.repair.ways import Added, Material, Repaired, found_samples, repaired
from expga.subjects import kind_named

ROUND_QUERIES = 200_000
"""Of the audit before each further round."""

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
        subject = case.reader.subject
        rows = subject.take(case.rows, train)
        fitted = case.given < len(case.truth)
        seed = None if number == 0 else options.seed + number
        self._tell("Fitting the model as it was")
        before = case.model
        if recipe is not None and not fitted:
            before = recipe.fit(subject.inputs(rows), case.labels[train], None, seed)
        light = recipe is not None and recipe.weights is not None and options.weight is None and options.share is None
        self.material = Material(
            case.reader,
            recipe or Recipe(_no_fit, None),
            rows,
            case.labels[train],
            train,
            before,
            case.pairs.some(mine),
            subject.shares(rows),
            options.relabel,
            options.weight,
            PAIRS_WEIGH if light else None,
            seed,
        )
        strategy = case.pairs.audit.summary["strategy"]
        self.exam = Exam(
            case.reader,
            case.classes,
            rows,
            subject.take(case.rows, test),
            case.truth[test],
            case.pairs.some(held),
            tuple(dict.fromkeys((strategy, *kind_named(case.reader.settings["kind"]).other_searches))),
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
        made, count = self._first_round(way)
        if way in ("findings", "both"):
            share = count / len(self.train)
        curve = [self.exam.of(made.model)]
        earlier: list[Added] = []
        for number in range(1, rounds if share is not None else 1):
            self._tell(f"Round {number + 1} of {rounds}")
            fresh = self._found_again(made.model, number)
            if not len(fresh):
                break
            earlier.append(found_samples(way, material, fresh, count, self.rng))
            made = repaired(way, material, count, self.rng, earlier)
            curve.append(self.exam.of(made.model))
        return made, curve, share

    def _first_round(self, way: str) -> tuple[Repaired, int]:
        """The model repaired once, and how many found pairs that took."""
        share, rows, subject = self.options.share, len(self.train), self.case.reader.subject
        usual = subject.usual_pairs(len(self.case.pairs), rows)
        if share == "auto" and way in ("findings", "both"):
            case, options = self.case, self.options
            truth = case.truth[self.train]
            count = best_count(way, self.material, truth, case.classes, options.max_loss, self.rng, self._tell)
        elif share is None and way == "both" and subject.pairs_grow:
            return as_many_as_it_takes(self.material, usual, self.rng, self._tell)
        elif isinstance(share, Real):
            count = max(1, round(share * rows))
        else:
            count = usual
        return repaired(way, self.material, count, self.rng), count

    def _found_again(self, model: Any, number: int) -> Pairs:
        """Findings against the newest model, near rows that repaired before."""
        reader = self.case.reader
        rows, strategy = self.material.rows, self.exam.strategies[0]
        found = search_near(reader, model, rows, strategy, ROUND_QUERIES, self.options.seed + number)
        pairs = pairs_of(found, reader.subject.rows(model, reader.subject.data(rows))[1])
        pairs = Pairs(pairs.audit, self.train[pairs.anchor])
        return pairs.some(np.flatnonzero(self.repairing[pairs.anchor]))


def _no_fit(_: int | None) -> Any:
    raise InputError('The model cannot be fitted again; repair it by "average", which fits nothing.')
