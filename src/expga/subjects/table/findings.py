"""Findings of a table, as a table of the user's own values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from expga import metrics
from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray, Model
from expga.domain import reaching
from expga.domain.decoding import frame_of
from expga.domain.tabular import TabularDomain
from expga.exposure import near_anchors
from expga.findings import Findings
from expga.jury import FEWEST, Jury
from expga.subjects.columns import Names, anchor_of, or_none, result_columns, results_of, said_of, telling, turned

TOO_FEW = (
    "How typical findings are of real rows can be learned from {fewest} rows or more, and here are {rows:,}; what is "
    "known is how near they lie to real rows."
)
NO_JUDGE = (
    "The values of a row tell too little of each other to learn which samples are typical of real rows; the search "
    "goes by how near they lie to real rows."
)
AT_ONCE = 1_048_576
"""Cells that are looked at together."""
GENES = 16
"""Genes whose codes are set apart together: those of one finding that lie side by side."""


def findings_frame(domain: TabularDomain, findings: Findings, classes: list[Any], ordered: bool) -> pd.DataFrame:
    """The findings as a table of the user's own values.

    Args:
        domain: to decode with.
        findings: n pairs.
        classes: the model's labels, by class number; none where it predicts numbers.
        ordered: put the reading that the anchor really has first (scores must be those of one class).
    """
    readings, genomes = domain.readings, findings.genomes
    if ordered and len(findings):
        findings = turned(findings, _other_is_real(domain, findings))
    first, other = (np.ascontiguousarray(findings.pair[:, side]) for side in (0, 1))
    columns, twins = [], {}
    for start in range(0, genomes.shape[1], GENES):
        for gene, codes in enumerate(np.ascontiguousarray(genomes[:, start : start + GENES].T), start):
            if gene in readings.maps:
                twins[gene] = domain.column(gene, readings.read_gene(gene, codes, other))
                codes = readings.read_gene(gene, codes, first)
            columns.append(domain.column(gene, codes))
    distance = _by_part(domain, findings, domain.distance).astype(np.float64)
    results = result_columns(findings, classes, domain.index, distance)
    called = _names(domain, classes)
    names = [*map(str, domain.columns), *called.twins.values(), *(called.results[name] for name in results)]
    return frame_of([*columns, *(twins[gene] for gene in sorted(twins)), *results.values()], names)


def _other_is_real(domain: TabularDomain, findings: Findings) -> BoolArray:
    """(n,) whether the second reading of a pair is the one that its anchor really has."""
    real = np.ones(len(findings), dtype=bool)
    for gene in domain.readings.genes:
        second = domain.readings.read_gene(gene, findings.genomes[:, gene], findings.pair[:, 1])
        real &= second == domain.rows[findings.anchor, gene]
    return real


def _by_part(
    domain: TabularDomain, findings: Findings, of: Callable[[IntArray, IntArray], Any]
) -> np.ndarray[Any, Any]:
    """(n,) something of findings and the rows that they are near, some at a time: copies of millions take room."""
    rows = max(1, AT_ONCE // findings.genomes.shape[1])
    parts = [slice(start, start + rows) for start in range(0, max(1, len(findings)), rows)]
    return np.concatenate([of(findings.genomes[part], domain.rows[findings.anchor[part]]) for part in parts])


def _names(domain: TabularDomain, classes: Sequence[Any]) -> Names:
    names = [str(column) for column in domain.columns]
    return Names.beside(names, [names[gene] for gene in sorted(domain.readings.genes)], results_of(classes))


def examples(domain: TabularDomain, model: Model, findings: Findings, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The most telling findings, spelled out."""

    def differs(genomes: IntArray, real: IntArray) -> BoolArray:
        return np.asarray((genomes != real) & ~domain.protected)

    changes = _by_part(domain, findings, lambda genomes, real: differs(genomes, real).sum(axis=1))
    picks = telling(findings, changes, findings.gap)
    rows = domain.rows[findings.anchor[picks]]
    changed, real = differs(findings.genomes[picks], rows), domain.frame(rows)
    names = [str(column) for column in domain.columns]
    attributes = [gene for gene in sorted(domain.readings.genes) if names[gene] in domain.attribute_readings]
    shown = attributes or sorted(domain.readings.genes)
    called = _names(domain, model.classes)
    result, twin_of = called.results, called.twins

    def told(place: int) -> dict[str, Any]:
        genes = np.flatnonzero(changed[place])

        def cell(column: str) -> Any:  # a whole row would be of one type, which makes floats of numbers
            return frame[column].iloc[picks[place]]

        return {
            **anchor_of(domain.index, cell(result["anchor"])),
            "changes": {names[g]: [or_none(real.iloc[:, int(g)].iloc[place]), or_none(cell(names[g]))] for g in genes},
            "readings": {names[g]: [or_none(cell(names[g])), or_none(cell(twin_of[names[g]]))] for g in shown},
            **said_of({column: cell(column) for column in result.values()}, result, model),
        }

    return [told(place) for place in range(len(picks))]


def fewest_changes(domain: TabularDomain, rows: IndexArray, findings: Findings, cells: int) -> FloatArray:
    """(m,) by how few changes each row (m,) becomes a finding within its reach, whichever row that was found near.

    Its own are all looked at, of the others so many that no more cells than this are compared.
    """
    near = findings.those(np.flatnonzero(reaching.within(domain, findings.genomes, domain.rows[findings.anchor])))
    some = near.first(cells // max(1, len(rows) * domain.rows.shape[1]))
    elsewhere = reaching.fewest_changes(domain, rows, some.genomes, some.pair.astype(np.intp))
    return np.minimum(near_anchors(domain, rows, near), elsewhere)


def figures(domain: TabularDomain, jury: Callable[[], Jury | None], findings: Findings) -> dict[str, Any]:
    """What a summary says of findings near rows of a table."""
    bred = _bred(domain, findings)
    told = None
    if len(bred) and (sits := jury()) is not None:
        told = sits.judge(domain.positions(findings.genomes[bred]), findings.anchor[bred].astype(np.intp))
    return {
        "typical_share": None if told is None else told.share,
        "typical_share_of_rows": None if told is None else told.of_rows,
        "typical_share_of_swaps": None if told is None else told.of_swaps,
        "plausible_share": metrics.plausible_share(domain, findings.genomes, findings.anchor),
        "clone_share": metrics.clone_share(findings.genomes, domain.protected, domain.compared),
        "radius": domain.reach if domain.realism == "data" else None,
    }


def remarks(domain: TabularDomain, findings: Findings) -> list[str]:
    """What users should know of how the findings were kept typical and measured, where that could not be done."""
    if not len(_bred(domain, findings)):
        return []
    if len(domain.rows) < FEWEST:
        return [TOO_FEW.format(rows=len(domain.rows), fewest=FEWEST)]
    return [] if domain.realism == "domain" or domain.judged else [NO_JUDGE]


def _bred(domain: TabularDomain, findings: Findings) -> IndexArray:
    """The findings that differ from a real row."""
    return np.flatnonzero(~findings.as_they_are(domain))
