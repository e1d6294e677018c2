"""How typical findings are, as somebody measures it who took no part in the search.

Gradient-boosted trees learn from one half of the real rows to tell them from rows in which a few values were swapped
for those of other rows. What 95% of the other half pass is the bar, and the share of findings that pass it is theirs.
The search's own judge (`expga.domain.people`) has other swaps, another half, another seed and other means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.contracts import BoolArray, FloatArray, IndexArray
from expga.domain.people import with_swaps

FEWEST = 200
"""Rows, half of which teach: of fewer there is no telling."""
MOST = 20_000
"""Rows of which one half teaches and the other sets the bar; as many with swapped values are learned from."""
MOST_CELLS = 600_000
"""Of those rows: of many columns fewer rows teach, for trees take as long as there are cells."""
EACH = 20
"""Rows with swapped values that are made of each real one, at most."""
PERCENTILE = 5.0
JUDGED = 2_000
"""Findings, or rows with swapped values, that are judged."""
TREES, RATE = 60, 0.2


@dataclass(frozen=True, slots=True)
class Typical:
    """Shares of what was judged that passed the bar."""

    share: float
    """Of the findings."""
    of_rows: float
    """Of real rows that neither taught nor set the bar: 95%, more or less."""
    of_swaps: float
    """Of real rows with one value of another row. The lower, the more a high share of findings says."""


class Jury:
    """Trees, and the bar that they set."""

    def __init__(self, rows: FloatArray) -> None:
        """Learns from real rows.

        Args:
            rows: (N, genes) where they lie, in what is not protected; `FEWEST` or more.
        """
        rng = np.random.default_rng([20, 0])
        most = max(FEWEST, min(MOST, MOST_CELLS // max(1, rows.shape[1])))
        order = rng.permutation(len(rows))[:most]
        self._taught: BoolArray = np.isin(np.arange(len(rows)), order[: len(order) // 2])
        taught, self._others = rows[order[: len(order) // 2]], rows[order[len(order) // 2 :]]
        self._places = np.arange(rows.shape[1])
        swapped = with_swaps(taught, self._places, min(most // 2, EACH * len(taught)), rng)
        self._trees = _trees(taught, swapped)
        self._told = self._scores(self._others)
        self._bar = float(np.percentile(self._told, PERCENTILE))

    @classmethod
    def of(cls, rows: FloatArray) -> Jury | None:
        """A jury of rows (N, genes); None where they are too few."""
        return cls(rows) if len(rows) >= FEWEST and rows.shape[1] else None

    def judge(self, found: FloatArray, anchor: IndexArray | None = None) -> Typical | None:
        """What share of findings (n, genes) passes, of a sample of them, beside what real rows and swaps get.

        Those near a row that taught are left out: it is known to be real, and so is half of what they are. Their
        anchors (n,) tell; None: these are other rows. None comes back where no finding is left.
        """
        rng = np.random.default_rng([20, 1])
        swapped = with_swaps(self._others, self._places, JUDGED, rng, most=1)
        left = np.arange(len(found)) if anchor is None else np.flatnonzero(~self._taught[anchor])
        if not len(left) or not len(swapped):
            return None
        return Typical(self._share(found[rng.permutation(left)[:JUDGED]]), self._of_rows(), self._share(swapped))

    def _share(self, some: FloatArray) -> float:
        return float((self._scores(some) >= self._bar).mean())

    def _of_rows(self) -> float:
        """Of each half of those that set the bar, the share that passes the bar that the other half sets."""
        halves = self._told[::2], self._told[1::2]
        return float(
            np.mean([(one >= np.percentile(other, PERCENTILE)).mean() for one, other in (halves, halves[::-1])])
        )

    def _scores(self, some: FloatArray) -> FloatArray:
        with _one_thread():
            return np.asarray(self._trees.decision_function(some), dtype=np.float64)


def _trees(real: FloatArray, swapped: FloatArray) -> Any:
    """Trees that tell real rows (n, genes), as often as it takes to balance them, from others (m, genes)."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    real = np.resize(real, (max(len(real), len(swapped)), real.shape[1]))  # weights would take much longer
    which = np.repeat([1, 0], [len(real), len(swapped)])
    trees = HistGradientBoostingClassifier(max_iter=TREES, learning_rate=RATE, early_stopping=False, random_state=20)
    with _one_thread():
        return trees.fit(np.concatenate([real, swapped]), which)


def _one_thread() -> Any:
    """Several threads wait for each other over trees this small, on a busy machine for longer than one takes."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)
