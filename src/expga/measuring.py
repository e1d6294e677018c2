"""Asks about all readings of real rows: who flips."""

from __future__ import annotations

import numpy as np

from expga.comparison import Comparison
from expga.contracts import BoolArray, Domain, IndexArray, IntArray
from expga.inquiry import Inquiry
from expga.models.calls import LARGEST_CALL
from expga.population import FlipRate, Population


def measure(inquiry: Inquiry, rows: IndexArray | None = None) -> Population:
    """What all readings of these rows (m,), by default of all, come to."""
    rows = np.arange(len(inquiry.domain.rows)) if rows is None else rows
    each = max(1, LARGEST_CALL // inputs_a_row(inquiry.domain))
    parts = [measured(inquiry, rows[start : start + each])[0] for start in range(0, len(rows) or 1, each)]
    return Population.joined(parts)


def inputs_a_row(domain: Domain) -> int:
    """How many inputs it takes, at most, to ask about a row in one voice."""
    alone = domain.attribute_readings.values()
    return domain.readings.count + (sum(readings.count for readings in alone) if len(alone) > 1 else 0)


def measured(inquiry: Inquiry, rows: IndexArray) -> tuple[Population, Comparison]:
    """What all readings of these rows (n,) come to, together and for each attribute alone, and row by row."""
    domain = inquiry.domain
    genomes, several = domain.rows[rows], len(domain.attribute_readings) > 1
    valid = _with_twin(domain.readings.valid(genomes))
    shown, has_twin = inquiry.loudest(genomes, valid), valid.any(axis=1)
    overall = FlipRate(int(has_twin.sum()), int(shown.flips.sum()))
    by_attribute = {}
    for name, readings in domain.attribute_readings.items():
        if several:
            twin = _with_twin(readings.valid(genomes))
            flips = inquiry.loudest(genomes, twin, readings).flips
            by_attribute[name] = FlipRate(int(twin.any(axis=1).sum()), int(flips.sum()))
        else:
            by_attribute[name] = overall
    labels_decide = inquiry.yardstick.criterion.labels_decide
    population = Population(
        total=len(domain.rows),
        asked=rows,
        no_twin=int((~has_twin).sum()),
        ties=int((shown.flips & ~shown.unfair).sum()),
        overall=overall,
        by_attribute=by_attribute,
        unfair=shown.unfair,
        gap=np.maximum(0.0, shown.gap),
        margin=shown.margins.min(axis=1) if labels_decide else np.full(len(rows), np.inf),
        pair=shown.pair,
    )
    return population, shown


def queries_of(domain: Domain, rows: IntArray) -> IndexArray:
    """(n,) how many queries it takes to measure each of these rows (n, d)."""
    alone = domain.attribute_readings.values()
    asked = [domain.readings, *(alone if len(alone) > 1 else ())]
    count = np.sum([_with_twin(some.valid(rows)).sum(axis=1) for some in asked], axis=0)
    voices = domain.readings.voices(rows)
    return np.asarray(count if voices is None else count * voices)


def _with_twin(valid: BoolArray) -> BoolArray:
    """(n, R) the valid readings of rows that have at least two; a single one proves nothing."""
    return np.asarray(valid & (valid.sum(axis=1, keepdims=True) >= 2))
