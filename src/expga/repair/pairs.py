"""Pairs that an audit found: split by the row behind them, chosen, labelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, IndexArray, KeyArray
from expga.errors import InputError
from expga.repair.reader import Reader
from expga.results import Audit
from expga.subjects import Rows, Values

Relabel = Literal["majority", "nearest", "original"]
RELABELS = ("majority", "nearest", "original")
HELD_OUT = 1_000
"""Findings that a repair is tested on, where there are so many."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Findings of an audit, and the number of the row behind each."""

    audit: Audit
    anchor: IndexArray
    """(n,) numbers among the rows that were audited."""

    def __len__(self) -> int:
        return len(self.anchor)

    def some(self, numbers: IndexArray) -> Pairs:
        """A part of them, by their numbers (m,)."""
        return Pairs(Audit(self.audit.summary, self.audit.findings.iloc[numbers]), self.anchor[numbers])

    def sides(self) -> tuple[Rows, Rows]:
        """Both twins of each."""
        one, other = self.audit.twins()
        return one, other


def pairs_of(audit: Audit, index: Any) -> Pairs:
    """All findings of an audit of rows that the user calls so (N,)."""
    column = audit.column("anchor")
    index = pd.Index(index)
    if audit.summary["settings"]["numbered"]:
        anchor = column.to_numpy(dtype=np.intp)
    else:
        anchor = index.get_indexer(pd.Index(column)) if index.is_unique else np.full(len(column), -1)
    if len(anchor) and (anchor.min() < 0 or anchor.max() >= len(index)):
        raise InputError(
            "The audit names rows that these data do not have; give the rows that were audited, with the index that "
            "they had."
        )
    return Pairs(audit, np.asarray(anchor, dtype=np.intp))


def split(
    pairs: Pairs, may_repair: BoolArray, alike: KeyArray, rng: np.random.Generator
) -> tuple[IndexArray, IndexArray, BoolArray]:
    """Numbers of the pairs that repair and of those only for testing, and the rows behind those that repair (N,).

    Half of the rows behind findings go to either side, with all of their findings and all rows that are just the
    same: neighbours of one row are often clones of each other, and a clone of what repaired a model is no test of it.

    Args:
        pairs: all findings.
        may_repair: (N,) the rows that findings may repair from: those that the model may be fitted to.
        alike: (N,) the same number for rows with the same values.
        rng: decides.
    """
    rows = np.unique(alike[pairs.anchor[may_repair[pairs.anchor]]])
    repairing = may_repair & np.isin(alike, rng.permutation(rows)[: (len(rows) + 1) // 2])
    mine = repairing[pairs.anchor]
    held = rng.permutation(np.flatnonzero(~mine))[:HELD_OUT]
    return np.flatnonzero(mine), np.sort(held), repairing


def spread(anchor: IndexArray, count: int, rng: np.random.Generator) -> IndexArray:
    """(m,) numbers of up to `count` findings, from as many of the rows (n,) behind them as can be."""
    order = rng.permutation(len(anchor))
    turn = pd.Series(anchor[order]).groupby(anchor[order]).cumcount().to_numpy()
    return np.asarray(order[np.argsort(turn, kind="stable")][:count])


def labels_of(
    pairs: Pairs,
    relabel: Relabel,
    verdict: Callable[[Rows], Values],
    reader: Reader,
    rows: Rows,
    labels: Values,
    numbers: IndexArray,
) -> Values:
    """(n,) one label for both twins of each pair.

    Args:
        pairs: n findings.
        relabel: "majority": the verdict; "nearest": the label of the nearest real row, of texts the row behind the
            finding; "original": that of the row behind the finding.
        verdict: what the model says of rows when asked about all protected values, on average.
        reader: how rows are read.
        rows: the m real rows that the model was fitted to.
        labels: (m,) theirs.
        numbers: (m,) what number each has among the audited rows, by which findings name the row behind them.
    """
    first, _ = pairs.sides()
    if relabel == "majority":
        return verdict(first)
    near = reader.subject.nearest(rows, first) if relabel == "nearest" else None
    if near is not None:
        return np.asarray(labels[near])
    place = np.full(int(max(numbers.max(), pairs.anchor.max())) + 1, -1)
    place[numbers] = np.arange(len(numbers))
    return np.asarray(labels[place[pairs.anchor]])
