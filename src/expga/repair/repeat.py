"""One repeat of a repair: split, fit, repair in every way, measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from expga.errors import InputError
from expga.repair.asked import Options
from expga.repair.case import Case
from expga.repair.dosage import PAIRS_WEIGH, as_many_as_it_takes, best_count
from expga.repair.evidence import Exam, search_near
from expga.repair.pairs import Pairs, pairs_of, split
from expga.repair.parts import Added, Material
from expga.repair.recipe import Recipe
from expga.repair.repairs import Repair, Repaired
from expga.search import of_kind

ROUND_QUERIES = 200_000
"""Of the audit before each further round."""

Tell = Callable[[str], None]


class Repeat:
    """All of it once: split, fit, repair in every way, measure."""

    def __init__(
        self,
        case: Case,
        recipe: Recipe | None,
        options: Options,
        repairs: Mapping[str, Repair],
        number: int,
        tell: Tell,
    ) -> None:
        self.case, self.options, self.number = case, options, number
        self._repairs = repairs
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
            reader=case.reader,
            recipe=recipe or Recipe(_no_fit, None),
            rows=rows,
            labels=case.labels[train],
            numbers=train,
            before=before,
            pairs=case.pairs.some(mine),
            shares=subject.shares(rows),
            relabel=options.relabel,
            weight=options.weight,
            pairs_weigh=PAIRS_WEIGH if light else None,
            seed=seed,
        )
        strategy = case.pairs.audit.summary["strategy"]
        known = of_kind(case.reader.settings["kind"])
        others = [name for name, one in known.items() if getattr(one, "judges_repairs", False)]
        self.exam = Exam(
            reader=case.reader,
            classes=case.classes,
            train=rows,
            test=subject.take(case.rows, test),
            truth=case.truth[test],
            held_out=case.pairs.some(held),
            strategies=tuple(dict.fromkeys((strategy, *others))),
            max_queries=options.max_queries,
            seed=options.seed + number,
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
            "repairs": {},
        }
        model: Any = None
        for name, repair in self._repairs.items():
            asked_for = name == self.options.repair
            self._tell(f"Repairing by {name}")
            try:
                made, curve, share = self._repaired(repair, self.options.rounds if asked_for else 1)
            except InputError as error:
                if asked_for:
                    raise
                told["repairs"][name] = {"failed": str(error)}
                continue
            told["repairs"][name] = {
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

    def _repaired(self, repair: Repair, rounds: int) -> tuple[Repaired, list[dict[str, Any]], float | None]:
        """The repaired model, and what was measured of it after each round."""
        material, share = self.material, None
        made, count = self._first_round(repair)
        if repair.takes_pairs:
            share = count / len(self.train)
        curve = [self.exam.of(made.model)]
        earlier: list[Added] = []
        for number in range(1, rounds if share is not None else 1):
            self._tell(f"Round {number + 1} of {rounds}")
            fresh = self._found_again(made.model, number)
            if not len(fresh):
                break
            earlier.append(repair.found(material, fresh, count, self.rng))
            made = repair.repaired(material, count, self.rng, earlier)
            curve.append(self.exam.of(made.model))
        return made, curve, share

    def _first_round(self, repair: Repair) -> tuple[Repaired, int]:
        """The model repaired once, and how many found pairs that took."""
        share, rows, subject = self.options.share, len(self.train), self.case.reader.subject
        usual = subject.usual_pairs(len(self.case.pairs), rows)
        if share == "auto" and repair.takes_pairs:
            case, options = self.case, self.options
            truth = case.truth[self.train]
            count = best_count(repair, self.material, truth, case.classes, options.max_loss, self.rng, self._tell)
        elif share is None and repair.grows and subject.pairs_grow:
            return as_many_as_it_takes(repair, self.material, usual, self.rng, self._tell)
        elif isinstance(share, Real):
            count = max(1, round(share * rows))
        else:
            count = usual
        return repair.repaired(self.material, count, self.rng), count

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
