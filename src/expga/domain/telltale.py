"""Columns that tell a protected attribute though no reading covers them: twins contradict themselves there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from expga.contracts import IntArray
from expga.domain.features import Feature
from expga.inputs import listed

BROKEN = 10.0
"""Rows that would be exceptions by chance: with fewer, that there is none says nothing."""
LOOKED_AT = 20_000
"""Rows that show it, at most."""
GLANCE = 256
"""Rows of which one is mostly an exception."""


def telltales(rows: IntArray, features: Sequence[Feature], gene: int, covered: Sequence[int]) -> list[str]:
    """The names of the columns of which each value comes with one value only of a protected one, in every row.

    Args:
        rows: (N, d) of the table.
        features: by gene.
        gene: of the protected column.
        covered: genes that change with some reading; they tell nothing.
    """
    rows = rows[np.random.default_rng(0).permutation(len(rows))[:LOOKED_AT]]
    mine = rows[:, gene]
    shuffled = np.random.default_rng(1).permutation(mine)
    others = [other for other in range(len(features)) if other not in covered]
    telling = (
        other
        for other in others
        if _repeats(rows[:, other]) >= BROKEN
        and not _exceptions(rows[:GLANCE, other], mine[:GLANCE])
        and not _exceptions(rows[:, other], mine)
        and _exceptions(rows[:, other], shuffled) >= BROKEN
    )
    return [str(features[other].name) for other in telling]


def _repeats(column: IntArray) -> int:
    """How many rows (n,) have a value that another has: no more can be exceptions, whatever one shuffles."""
    return len(column) - int(np.count_nonzero(np.bincount(column)))


def _exceptions(column: IntArray, mine: IntArray) -> int:
    """How many rows (n,) do not have the commonest protected value of their value in a column (n,)."""
    both = column.astype(np.int64) * (int(mine.max()) + 1) + mine
    pairs, counts = np.unique(both, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // (int(mine.max()) + 1), prepend=-1))
    return int(len(mine) - np.maximum.reduceat(counts, starts).sum())


def notes_on_telltales(
    rows: IntArray, features: Sequence[Feature], attributes: Sequence[str], covered: Sequence[int]
) -> list[str]:
    """What to say of columns that tell one of these attributes, where it is a column itself; see `telltales`."""
    genes = {str(feature.name): gene for gene, feature in enumerate(features)}
    told = {name: telltales(rows, features, genes[name], covered) for name in attributes if name in genes}
    return [_note(name, columns) for name, columns in told.items() if columns]


def _note(attribute: str, columns: Sequence[str]) -> str:
    """What to say of such columns."""
    one = len(columns) == 1
    return (
        f"In every row {listed(columns)} {'tells' if one else 'tell'} the {attribute}, and no reading changes "
        f"{'it' if one else 'them'}: twins are people that do not exist, and the rates say little; link "
        f"{'it' if one else 'them'} to {attribute} in the schema, or leave {'it' if one else 'them'} out of the model."
    )
