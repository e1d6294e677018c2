"""Finds rules that no row breaks, although many would if their columns had nothing to do with each other.

Of many columns there are very many pairs, so a few rows say first which pairs are worth a look at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray
from expga.domain.features import Feature
from expga.domain.rules import AtMost, Holding, holding, yes_of
from expga.domain.schema import Rule, RuleKind

BROKEN, NOTICED = 20.0, 0.05
"""Rows, and the share of rows, that would break a rule by chance: with fewer, that none does says little."""
SCREENED = (256, 2_048)
"""Rows by which pairs are screened, once and again."""
MOST = 2_000
"""Pairs of each kind that all rows are looked at for, the clearest ones."""
FLAGS = 4_000
"""Flags beyond which none are compared."""
SAME = 1e-6

Found: TypeAlias = tuple[RuleKind, tuple[int, ...]]


def regularities(rows: IntArray, features: Sequence[Feature], genes: Sequence[int]) -> list[Rule]:
    """The rules about some genes that none of the rows (N, d) breaks."""
    order = np.random.default_rng([11, 0]).permutation(len(rows))
    varied = [gene for gene in genes if features[gene].kind != "identifier" and np.ptp(rows[:, gene])]
    numeric = [gene for gene in varied if features[gene].numeric]
    sums = list(_sums(rows, order, features, numeric))
    added = [set(three) for three in sums]  # where a total happens to tell its parts, it is their sum all the same
    determined = _determined(rows, order, varied)
    telling = _reduced([two for two in determined if not any(three.issuperset(two) for three in added)])
    implied = {*telling, *(two[::-1] for two in telling)}
    implied |= {(part, total) for *parts, total in sums for part in parts}
    orders = _shortest([two for two in _ordered(rows, order, features, numeric) if two not in implied])
    found: list[Found] = [
        *(("at_most", two) for two in orders),
        *(("determines", two) for two in telling),
        *(("sums", three) for three in sums),
        *(("exclusive", two) for two in _apart(rows, features, varied)),
    ]
    return [Rule(kind, tuple(str(features[gene].name) for gene in its)) for kind, its in found]


def _enough(share: FloatArray, rows: int) -> BoolArray:
    return np.asarray((share >= NOTICED) & (share * rows >= BROKEN))


def _ordered(
    rows: IntArray, order: IndexArray, features: Sequence[Feature], genes: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Pairs of numbers of which the first is at most the second in every row, and is not when rows are mixed."""
    some, mixed = rows[order[: SCREENED[0]]], rows[order[::-1][: SCREENED[0]]]
    there = _numbers(some, features, genes)
    elsewhere = _numbers(mixed, features, genes)
    found: list[tuple[float, int, int]] = []
    for place, gene in enumerate(genes):
        never: BoolArray = np.asarray(~(there[:, place, None] > there).any(axis=0))
        share = (elsewhere[:, place, None] > there).mean(axis=0)
        never[place] = False
        others = np.flatnonzero(never & _enough(share, len(rows))).tolist()
        found += [(float(share[other]), gene, genes[other]) for other in others]
    found.sort(reverse=True)
    for _, one, other in found[:MOST]:
        rule = AtMost((one, other), features[one].numbers, features[other].numbers)
        if not any(rule.broken(rows[part]).any() for part in (order[: SCREENED[1]], slice(None))):
            yield one, other


def _numbers(rows: IntArray, features: Sequence[Feature], genes: Sequence[int]) -> FloatArray:
    """(n, k) the values of some genes."""
    columns = [features[gene].numbers.take(rows[:, gene]) for gene in genes]
    return np.column_stack(columns) if columns else np.zeros((len(rows), 0))


def _determined(rows: IntArray, order: IndexArray, genes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of genes of which the value of the first tells that of the second.

    By chance a row would break that which is not the first of its value, and differs from another one in the second.
    """
    if len(genes) < 2:
        return
    counts = [np.bincount(rows[:, gene]) for gene in genes]
    repeated = np.array([1.0 - np.count_nonzero(count) / len(rows) for count in counts])
    differs = np.array([1.0 - float(np.square(count / len(rows)).sum()) for count in counts])
    all_genes = np.array(genes)
    for place, gene in enumerate(genes):
        if repeated[place] < 0.5:
            continue
        others = np.flatnonzero(_enough(repeated[place] * differs, len(rows)) & (np.arange(len(genes)) != place))
        for some in (*(order[:most] for most in SCREENED if most < len(order)), order):
            if not len(others):
                break
            others = others[_tells(rows, some, gene, all_genes[others])]
        for other in all_genes[others].tolist():
            yield gene, other


def _tells(rows: IntArray, some: IndexArray, gene: int, others: IndexArray) -> BoolArray:
    """(k,) whether a gene tells these others (k,) in some rows."""
    column = rows[some, gene]
    by_value = some[np.argsort(column, kind="stable")]
    alike = np.flatnonzero(np.diff(rows[by_value, gene]) == 0)
    one, following = rows[by_value[alike][:, None], others], rows[by_value[alike + 1][:, None], others]
    return np.asarray((one == following).all(axis=0))


def _reduced(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of which the first tells the second, less those that follow: of genes that tell each other one leads."""
    told = set(pairs)
    leader = {
        one: min([one, *(other for first, other in pairs if first == one and (other, one) in told)]) for one, _ in pairs
    }
    kept = [
        (one, other)
        for one, other in pairs
        if (other, one) not in told and leader[one] == one and leader.get(other, other) == other
    ]
    both = [two for one, first in leader.items() if one != first for two in ((first, one), (one, first))]
    return [*both, *_shortest(kept)]


def _shortest(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of a relation less those that follow from two others."""
    after: dict[int, set[int]] = {}
    for one, other in pairs:
        after.setdefault(one, set()).add(other)
    return [
        (one, other)
        for one, other in pairs
        if (one in after.get(other, ())) or not any(other in after.get(between, ()) for between in after[one] - {other})
    ]


def _sums(
    rows: IntArray, order: IndexArray, features: Sequence[Feature], genes: Sequence[int]
) -> Iterator[tuple[int, int, int]]:
    """Numbers of which the third is the sum of the two before.

    Where that is so it is also so of each column's sum with random weights, which is one number a column.
    """
    some = rows[order[: SCREENED[1]]]
    whole = [
        gene for gene in genes if not np.isnan(features[gene].numbers[some[:, gene]]).any() and _varies(rows, gene)
    ]
    if len(whole) < 3 or len(rows) < BROKEN / NOTICED:
        return
    numbers = _numbers(some, features, whole)
    size = np.sqrt(np.square(numbers).sum(axis=0))
    weighed = np.random.default_rng([11, 1]).standard_normal(len(some)) @ numbers
    rising = np.argsort(weighed, kind="stable")
    found = 0
    for place, one in enumerate(whole):
        added = weighed[place] + weighed[place + 1 :]
        slack = SAME * (size[place] + size[place + 1 :])
        first = np.searchsorted(weighed[rising], added - slack)
        beyond = np.searchsorted(weighed[rising], added + slack, side="right")
        for step in np.flatnonzero(beyond > first).tolist():
            for total in rising[first[step] : beyond[step]].tolist():
                genes_of = one, whole[place + 1 + step], whole[total]
                if len(set(genes_of)) == 3 and found < MOST and _holds("sums", genes_of, features, rows):
                    found += 1
                    yield genes_of


def _varies(rows: IntArray, gene: int) -> bool:
    shares = np.bincount(rows[:, gene]) / len(rows)
    return bool(_enough(1.0 - np.square(shares).sum(), len(rows)))


def _apart(rows: IntArray, features: Sequence[Feature], genes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of flags that no row has both of."""
    flags = [(gene, yes) for gene in genes if (yes := yes_of(features[gene])) is not None][:FLAGS]
    if len(flags) < 2:
        return
    has = np.column_stack([yes.take(rows[:, gene]) for gene, yes in flags]).astype(np.float32)
    together, count = has.T @ has, has.sum(axis=0)
    by_chance = np.outer(count, count) / len(rows)
    for one, other in np.argwhere(np.triu((together == 0) & (by_chance >= BROKEN), 1)).tolist()[:MOST]:
        yield flags[one][0], flags[other][0]


def _holds(kind: RuleKind, genes: tuple[int, ...], features: Sequence[Feature], rows: IntArray) -> bool:
    rule: Holding = holding(Rule(kind, ()), genes, features, rows)
    return not rule.broken(rows).any()
