"""Pairs that an audit found: split by the row behind them, chosen, labelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, IndexArray
from expga.domain.neighbours import nearest_of
from expga.domain.tabular import TabularDomain
from expga.errors import InputError
from expga.repair.reader import Reader, mean_scores
from expga.repair.rows import Rows, Values
from expga.results import Audit

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
    column = _column(audit)
    index = pd.Index(index)
    anchor = index.get_indexer(pd.Index(column)) if index.is_unique else column.to_numpy(dtype=np.intp)
    if len(anchor) and (anchor.min() < 0 or anchor.max() >= len(index)):
        raise InputError("The audit names rows that these data do not have; give the rows that were audited.")
    return Pairs(audit, np.asarray(anchor, dtype=np.intp))


def _column(audit: Audit) -> pd.Series[Any]:
    from expga.results.columns import result_name

    return audit.findings[result_name("anchor", audit.summary["settings"].get("features", []))]


def split(pairs: Pairs, may_repair: BoolArray, rng: np.random.Generator) -> tuple[IndexArray, IndexArray, BoolArray]:
    """Numbers of the pairs that repair and of those only for testing, and which rows those may come from (N,).

    Half of the rows behind findings go to either side, with all of their findings: neighbours of one row are often
    clones of each other, and a clone of what repaired a model is no test of it.

    Args:
        pairs: all findings.
        may_repair: (N,) the rows that findings may repair from: those that the model may be fitted to.
        rng: decides.
    """
    rows = np.unique(pairs.anchor[may_repair[pairs.anchor]])
    repairing = np.zeros(len(may_repair), dtype=bool)
    repairing[rng.permutation(rows)[: (len(rows) + 1) // 2]] = True
    mine = repairing[pairs.anchor]
    held = rng.permutation(np.flatnonzero(~mine))[:HELD_OUT]
    held_rows = may_repair & ~repairing
    held_rows[pairs.anchor[held]] = True
    return np.flatnonzero(mine), np.sort(held), held_rows


def spread(anchor: IndexArray, count: int, rng: np.random.Generator) -> IndexArray:
    """(m,) numbers of up to `count` findings, from as many of the rows (n,) behind them as can be."""
    order = rng.permutation(len(anchor))
    turn = pd.Series(anchor[order]).groupby(anchor[order]).cumcount().to_numpy()
    return np.asarray(order[np.argsort(turn, kind="stable")][:count])


def labels_of(
    pairs: Pairs,
    relabel: Relabel,
    reader: Reader,
    model: Any,
    classes: Values,
    rows: Rows,
    labels: Values,
    numbers: IndexArray,
    shares: Any,
) -> Values:
    """(n,) one label for both twins of each pair.

    Args:
        pairs: n findings.
        relabel: "majority": what the model says when asked about all protected values, on average; "nearest": the
            label of the nearest real row; "original": that of the row behind the finding.
        reader: how rows are read.
        model: the one to ask.
        classes: (k,) its labels.
        rows: the m real rows that it was fitted to.
        labels: (m,) theirs.
        numbers: (m,) what number each has among the audited rows, by which findings name the row behind them.
        shares: (R,) how much each reading counts, or None.
    """
    first, _ = pairs.sides()
    if relabel == "majority":
        wrapped, _ = reader.wrapped(model, first)
        said: Values = classes[mean_scores(reader, wrapped, first, shares).argmax(axis=1)]
        return said
    domain = reader.domain(rows) if relabel == "nearest" else None
    if isinstance(domain, TabularDomain) and isinstance(first, pd.DataFrame):
        there = domain.positions(domain.rows)
        near = nearest_of(domain.positions_of(first), there, categorical=domain.categorical[~domain.protected])
        return np.asarray(labels[near])
    place = np.full(int(max(numbers.max(), pairs.anchor.max())) + 1, -1)
    place[numbers] = np.arange(len(numbers))
    return np.asarray(labels[place[pairs.anchor]])
