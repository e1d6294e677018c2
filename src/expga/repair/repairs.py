"""Repairs of a model: objects, each of which fits a new one to the same material."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.errors import InputError
from expga.importing import require
from expga.registry import Registry, lacking, made
from expga.repair.averaged import Averaged
from expga.repair.mixture import Mixture, reduction
from expga.repair.pairs import Pairs
from expga.repair.parts import (
    Added,
    Material,
    averaged,
    fitted,
    found_samples,
    group_numbers,
    light,
    real_rows,
    reweighed,
    rows_and_twins,
    rows_twice,
    without_attribute,
)


@dataclass(frozen=True, slots=True)
class Repaired:
    """A new model, how many pairs and rows were added for it, and how long it took."""

    model: Any
    pairs: int
    rows: int
    seconds: float


class Repair(ABC):
    """A way to repair a model. One that inherits from this owes a name and a `fit`; the rest is what most do."""

    name: str
    refits: bool = True
    """Whether the model is fitted again."""
    exact: bool = False
    """Whether nothing flips afterwards where averages over all readings are exact."""
    takes_pairs: bool = False
    """Whether found pairs are added, so that it matters how many, and further rounds find others."""
    grows: bool = False
    """Whether so many of them are added that few findings still flip."""

    @abstractmethod
    def fit(self, material: Material, rng: np.random.Generator) -> Any:
        """A new model; the one that is repaired stays as it is.

        Args:
            material: rows, findings, the recipe.
            rng: of all that is left to chance.
        """

    def repaired(
        self, material: Material, count: int, rng: np.random.Generator, more: Sequence[Added] = ()
    ) -> Repaired:
        """The repaired model, and what it took.

        Args:
            material: rows, findings, the recipe.
            count: how many found pairs to add, at most.
            rng: decides which, and the order of the rows.
            more: pairs of earlier rounds, to be added as well.
        """
        began = time.perf_counter()
        model, pairs, rows = self._made(material, count, rng, more)
        return Repaired(model, pairs, rows, time.perf_counter() - began)

    def found(self, material: Material, pairs: Pairs, count: int, rng: np.random.Generator) -> Added:
        """Some findings as rows to fit to."""
        return found_samples(material, pairs, count, rng)

    def _made(
        self,
        material: Material,
        count: int,  # noqa: ARG002 - of pairs, which most do not take
        rng: np.random.Generator,
        more: Sequence[Added],  # noqa: ARG002
    ) -> tuple[Any, int, int]:
        """The model, and how many pairs and rows were added for it."""
        return self.fit(material, rng), 0, 0


class Findings(Repair):
    """Found pairs beside the rows: the published way."""

    name = "findings"
    takes_pairs = True

    def fit(self, material: Material, rng: np.random.Generator) -> Any:
        return self._made(material, len(material.pairs), rng, ())[0]

    def rows(self, material: Material, rng: np.random.Generator) -> list[Added]:  # noqa: ARG002 - it draws nothing
        """The rows as they are."""
        return real_rows(material)

    def pairs(self, material: Material, pairs: Sequence[Added]) -> Sequence[Added]:  # noqa: ARG002
        """Found pairs as heavy as they are added."""
        return pairs

    def _made(
        self, material: Material, count: int, rng: np.random.Generator, more: Sequence[Added]
    ) -> tuple[Any, int, int]:
        rows = self.rows(material, rng)
        pairs = [*more, self.found(material, material.pairs, count, rng)] if self.takes_pairs else []
        model = fitted(material, [*rows, *self.pairs(material, pairs)], rng)
        added = sum(len(part.labels) for part in (*rows, *pairs)) - len(material.labels)
        return model, sum(part.pairs for part in pairs), added


class Twins(Findings):
    """The rows, and the same with other protected values."""

    name = "twins"
    takes_pairs = False

    def rows(self, material: Material, rng: np.random.Generator) -> list[Added]:
        """The rows, then their twins."""
        return rows_and_twins(material, rng)


class Both(Findings):
    """Rows with all their protected values, and found samples with all of theirs."""

    name = "both"
    grows = True

    def rows(self, material: Material, rng: np.random.Generator) -> list[Added]:
        """The rows and their twins, as labelled and as judged."""
        return rows_twice(material, rng)

    def found(self, material: Material, pairs: Pairs, count: int, rng: np.random.Generator) -> Added:
        """Some findings with all of their twins."""
        return found_samples(material, pairs, count, rng, all_twins=True)

    def pairs(self, material: Material, pairs: Sequence[Added]) -> Sequence[Added]:
        """Found pairs, light enough to weigh no more together than they may."""
        return light(material, pairs)


class Average(Repair):
    """The model as it is, asked about all protected values."""

    name = "average"
    refits = False
    exact = True

    def fit(self, material: Material, rng: np.random.Generator) -> Averaged:  # noqa: ARG002 - it draws nothing
        return averaged(material)


class Drop(Repair):
    """A model fitted to rows that all have the same protected value, and shown that value ever after.

    To a learner a column without variety is no column; dropped from the table it would break pipelines that name it.
    """

    name = "drop"
    exact = True

    def fit(self, material: Material, rng: np.random.Generator) -> Averaged:
        return without_attribute(material, rng)


class Reweigh(Repair):
    """Rows weighted until protected groups and labels are independent; drawn by these weights if none are taken."""

    name = "reweigh"

    def fit(self, material: Material, rng: np.random.Generator) -> Any:
        return reweighed(material, rng)


class Reduction(Repair):
    """A mixture of models that fairlearn's exponentiated gradient finds, under demographic parity."""

    name = "reduction"

    def __init__(self) -> None:
        require("fairlearn")

    def fit(self, material: Material, rng: np.random.Generator) -> Mixture:  # noqa: ARG002 - it draws nothing
        labels, groups = material.labels, group_numbers(material)
        return reduction(material.recipe, material.reader, material.rows, labels, groups, material.seed)


def repairs_of(repair: Any, compare: Sequence[Any] | str) -> tuple[str, dict[str, Repair]]:
    """The name of the repair that a user means; and that and those compared with it, in their usual order.

    Args:
        repair: a name, `package.module:Name`, a class or an object that inherits from `Repair`.
        compare: some of these, or "all" of ours.
    """
    named = [repair, *(REPAIRS.names() if compare == "all" else [compare] if isinstance(compare, str) else compare)]
    repairs = [_repair(one) for one in named]
    found = {one.name: one for one in reversed(repairs)}
    order = dict.fromkeys([*(name for name in REPAIRS.names() if name in found), *found])
    return repairs[0].name, {name: found[name] for name in order}


def _repair(given: Any) -> Repair:
    repair = made(REPAIRS.given(given)[0], "repair")
    if not isinstance(repair, Repair) or lacking(repair, ("name",)):
        lack = "has no name" if isinstance(repair, Repair) else "is no expga.repair.Repair"
        raise InputError(f"The repair {type(repair).__name__} {lack}; let its class inherit from it, with a name.")
    return repair


REPAIRS = Registry(
    "repairs",
    {
        name: [f"expga.repair.repairs:{name.title()}"]
        for name in ("findings", "twins", "both", "average", "drop", "reweigh", "reduction")
    },
)
