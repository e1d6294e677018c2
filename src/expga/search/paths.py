"""Paths of decision trees as conditions on genes, and inputs that meet them.

Conditions speak of ranks: a gene's choices, the codes that a search may use, are numbered from 0, so that whatever a
schema leaves out, a path is a box. Shapes: m paths, d genes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np

from expga.contracts import BoolArray, Columns, IntArray
from expga.importing import optional


@dataclass(frozen=True, slots=True)
class Condition:
    """One fork of a path. Two are equal where they demand the same, however sure the tree was."""

    gene: int
    below: bool
    """Whether the gene's rank is at most the cut, or above it."""
    cut: int
    confidence: float = field(compare=False)
    """The share of the samples at this fork that go this way."""

    def negated(self) -> Condition:
        """The other way at the same fork."""
        return Condition(self.gene, not self.below, self.cut, 1.0 - self.confidence)


Path: TypeAlias = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A path not taken, and what an input must meet to take it."""

    path: Path
    needed: Path
    """The part of the path that the input which it branches off does not keep to by itself."""

    @property
    def confidence(self) -> float:
        """The mean over the whole path."""
        return sum(condition.confidence for condition in self.path) / len(self.path)


def local_branches(path: Path, free: BoolArray) -> Iterator[Branch]:
    """Each single condition negated, all others kept: only its gene has to move.

    Args:
        path: the path of an input.
        free: (d,) genes whose conditions may be negated.
    """
    for place, condition in enumerate(path):
        if free[condition.gene]:
            other = (*path[:place], condition.negated(), *path[place + 1 :])
            yield Branch(other, tuple(one for one in other if one.gene == condition.gene))


def global_branches(path: Path, free: BoolArray, least_confidence: float) -> Iterator[Branch]:
    """Each prefix with its next condition negated, up to the first condition that is less confident.

    Args:
        path: the path of an input.
        free: (d,) genes whose conditions count at all.
        least_confidence: of a condition, as the input meets it.
    """
    prefix: Path = ()
    for condition in path:
        if not free[condition.gene]:
            continue
        if condition.confidence < least_confidence:
            return
        other = (*prefix, condition.negated())
        yield Branch(other, other)
        prefix = (*prefix, condition)


class Choices:
    """The codes that a search may use, by gene, and their ranks."""

    def __init__(self, domain: Columns) -> None:
        self._codes = [domain.choices(gene) for gene in range(domain.rows.shape[1])]
        self.sizes: IntArray = np.array([len(codes) for codes in self._codes], dtype=np.int32)

    def ranks(self, genomes: IntArray) -> IntArray:
        """(n, d) the rank of each gene of genomes (n, d); of a code that is no choice the next one's."""
        columns = [np.searchsorted(codes, genomes[:, gene]) for gene, codes in enumerate(self._codes)]
        return np.minimum(np.column_stack(columns), self.sizes - 1).astype(np.int32)

    def codes(self, ranks: IntArray) -> IntArray:
        """(n, d) the code of each rank (n, d)."""
        return np.column_stack([codes[ranks[:, gene]] for gene, codes in enumerate(self._codes)]).astype(np.int32)

    def path(self, tree: Any, genome: IntArray) -> Path:
        """The way of a genome (d,) through a fitted scikit-learn tree over codes."""
        forks = tree.tree_
        path: list[Condition] = []
        node = 0
        while forks.children_left[node] != forks.children_right[node]:
            gene, threshold = int(forks.feature[node]), float(forks.threshold[node])
            below = bool(genome[gene] <= threshold)
            onward = int((forks.children_left if below else forks.children_right)[node])
            cut = int(np.searchsorted(self._codes[gene], threshold, side="right")) - 1
            confidence = float(forks.n_node_samples[onward] / forks.n_node_samples[node])
            path.append(Condition(gene, below, cut, confidence))
            node = onward
        return tuple(path)

    def boxes(self, paths: Sequence[Path]) -> tuple[IntArray, IntArray]:
        """(m, d) the lowest and the highest rank of each gene that paths (m,) allow; none where they cross."""
        low = np.zeros((len(paths), len(self.sizes)), dtype=np.int32)
        high = np.tile(self.sizes - 1, (len(paths), 1))
        flat = [(place, one.gene, one.cut, one.below) for place, path in enumerate(paths) for one in path]
        place, gene, cut, below = np.array(flat, dtype=np.int32).reshape(-1, 4).T
        under, over = below == 1, below == 0
        np.minimum.at(high, (place[under], gene[under]), cut[under])
        np.maximum.at(low, (place[over], gene[over]), cut[over] + 1)
        return low, high

    def meets(self, ranks: IntArray, paths: Sequence[Path]) -> BoolArray:
        """(m,) whether each of ranks (m, d) meets its path."""
        low, high = self.boxes(paths)
        return np.asarray(((ranks >= low) & (ranks <= high)).all(axis=1))


class Solver(Protocol):
    """Finds inputs for paths."""

    def solve(self, ranks: IntArray, paths: Sequence[Path]) -> tuple[IntArray, BoolArray]:
        """For each of ranks (m, d) one that meets its path (m,) and keeps all genes of which that says nothing.

        Returns:
            The solutions (m, d), and where there is one (m,).
        """
        ...


class BoxSolver:
    """Solves all paths at once by their boxes: each gene goes as far as it must, and no further."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices

    def solve(self, ranks: IntArray, paths: Sequence[Path]) -> tuple[IntArray, BoolArray]:
        """As `Solver` has it."""
        low, high = self._choices.boxes(paths)
        return np.clip(ranks, low, high), np.asarray((low <= high).all(axis=1))


class Z3Solver:
    """Solves paths one by one with z3, whatever value of a gene it comes up with."""

    def __init__(self, choices: Choices) -> None:
        z3 = optional("z3")
        self._genes = [z3.Int(f"gene{gene}") for gene in range(len(choices.sizes))]
        self._solver = z3.Solver()
        self._satisfied = z3.sat
        for gene, size in zip(self._genes, choices.sizes.tolist(), strict=True):
            self._solver.add(gene >= 0, gene < size)

    def solve(self, ranks: IntArray, paths: Sequence[Path]) -> tuple[IntArray, BoolArray]:
        """As `Solver` has it."""
        solutions, solved = ranks.copy(), np.zeros(len(paths), dtype=bool)
        for place, path in enumerate(paths):
            self._solver.push()
            for one in path:
                gene = self._genes[one.gene]
                self._solver.add(gene <= one.cut if one.below else gene > one.cut)
            if self._solver.check() == self._satisfied:
                solved[place] = True
                found = self._solver.model()
                for moved in {one.gene for one in path}:
                    solutions[place, moved] = found.eval(self._genes[moved]).as_long()
            self._solver.pop()
        return solutions, solved
