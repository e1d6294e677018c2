"""Results of millions of findings: no more copies than need be, and figures of a sample."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from expga import metrics
from expga.domain.schema import Schema
from expga.domain.tabular import TabularDomain
from expga.findings import Findings
from expga.subjects import columns
from expga.subjects.columns import telling
from expga.subjects.table.findings import examples, findings_frame


@pytest.fixture(scope="module")
def domain():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"sex": rng.choice(["f", "m"], 500), "a": rng.integers(0, 40, 500), "b": rng.integers(0, 40, 500) / 4}
    )
    return TabularDomain(frame, ["sex"], Schema(), "data")


def some(domain, count):
    """Findings in which one gene or none is another row's."""
    rng = np.random.default_rng(1)
    anchor = rng.integers(0, len(domain.rows), count)
    genomes = domain.rows[anchor]
    changed = rng.random(count) < 0.5
    genomes[changed, 1] = rng.permutation(genomes[:, 1])[changed]
    pair, labels = (
        np.tile(np.array([[0, 1]], dtype=np.int32), (count, 1)),
        rng.permuted(np.tile(np.array([[0, 1]], dtype=np.int32), (count, 1)), axis=1),
    )
    return Findings(genomes, anchor.astype(np.int32), pair, labels, rng.random((count, 2)))


def test_take_little_more_memory_than_their_frame(domain):
    findings = some(domain, 200_000)
    tracemalloc.start()
    frame = findings_frame(domain, findings, [0, 1], True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    held = sum(column.dtype.itemsize for _, column in frame.items() if column.dtype.kind in "if") * len(frame)
    assert peak < 2 * held


def test_each_row_shows_its_genome_under_both_readings(domain):
    findings = some(domain, 300)
    frame = findings_frame(domain, findings, ["no", "yes"], True)
    assert list(frame) == ["sex", "a", "b", "sex__twin", *columns.RESULTS]
    real = domain.frame(domain.rows[findings.anchor])
    assert (frame["sex"] == real["sex"]).all()
    assert (frame["sex"] != frame["sex__twin"]).all()
    assert (frame[["a", "b"]] == domain.frame(findings.genomes)[["a", "b"]]).all(axis=None)
    assert np.array_equal(frame["distance"], domain.distance(findings.genomes, domain.rows[findings.anchor]))
    swapped = (frame["sex"] == "m").to_numpy()
    first = np.where(swapped, findings.labels[:, 1], findings.labels[:, 0])
    assert frame["label"].tolist() == np.array(["no", "yes"])[first].tolist()
    assert (frame.dtypes[["anchor", "score"]] == ["int64", "float64"]).all()


def test_clones_are_looked_up_among_all(monkeypatch):
    rows = pd.DataFrame(np.random.default_rng(0).integers(0, 3_000, (4_000, 2)))
    alike = rows[0].groupby(rows[1]).transform("size").gt(1) | rows[1].groupby(rows[0]).transform("size").gt(1)
    genomes = rows.assign(sex=np.arange(4_000) % 2).to_numpy(dtype=np.int32)
    given = genomes, np.array([False, False, True]), np.array([True, True, False])
    assert 0.5 < alike.mean() < 1.0
    assert metrics.clone_share(*given) == pytest.approx(alike.mean())
    monkeypatch.setattr(metrics, "LOOKED_UP", 500)
    assert metrics.clone_share(*given) == pytest.approx(alike.mean(), abs=0.05)
    monkeypatch.setattr(metrics, "MOST_LOOKED_UP", 3)
    assert metrics.clone_share(*given) in (0.0, 1.0)  # of one


@pytest.mark.parametrize("among", [0, 1, 7, 100, 10_000])
def test_the_most_telling_are_found_among_the_best(among, monkeypatch):
    rng = np.random.default_rng(0)
    worth = rng.integers(0, 20, 3_000) / 20
    anchor = np.where(worth > 0.9, 0, rng.integers(0, 40, 3_000)).astype(np.int32)
    two = np.zeros((3_000, 2), dtype=np.int32)
    findings, changes = Findings(two, anchor, two, two, two * 1.0), rng.integers(0, 4, 3_000)
    expected = telling(findings, changes, worth)
    monkeypatch.setattr(columns, "AMONG", among)
    assert telling(findings, changes, worth) == expected
    assert len(expected) == 3 * columns.EACH


def test_changes_are_counted_part_by_part(domain, monkeypatch):
    class Answering:
        classes = ("no", "yes")

    findings = some(domain, 400)
    frame = findings_frame(domain, findings, ["no", "yes"], True)
    whole = examples(domain, Answering(), findings, frame)
    monkeypatch.setattr("expga.subjects.table.findings.AT_ONCE", 30)
    monkeypatch.setattr("expga.subjects.table.findings.GENES", 2)
    assert examples(domain, Answering(), findings, frame) == whole
    assert findings_frame(domain, findings, ["no", "yes"], True).equals(frame)
    assert len({len(example["changes"]) for example in whole}) == 2
