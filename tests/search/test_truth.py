"""Searches against the truth: all that is discriminatory in a small domain, found by trying everything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.search import of_kind

AFTER = (500, 2_000, 8_000)
LEAST = {
    ("expga", "data"): (0.03, 0.15, 0.65),
    ("expga", "domain"): (0.025, 0.12, 0.6),
    ("expga-published", "data"): (0.04, 0.2, 0.65),
    ("expga-published", "domain"): (0.04, 0.14, 0.6),
    ("random", "data"): (0.025, 0.14, 0.6),
    ("random", "domain"): (0.03, 0.12, 0.5),
    ("aequitas", "data"): (0.05, 0.22, 0.5),
    ("aequitas", "domain"): (0.025, 0.14, 0.55),
    ("aequitas-random", "data"): (0.05, 0.22, 0.5),
    ("aequitas-random", "domain"): (0.025, 0.14, 0.55),
    ("aequitas-semi-directed", "data"): (0.05, 0.22, 0.5),
    ("aequitas-semi-directed", "domain"): (0.025, 0.14, 0.55),
    ("adf", "data"): (0.03, 0.05, 0.45),
    ("adf", "domain"): (0.025, 0.06, 0.45),
    ("sg", "data"): (0.0, 0.001, 0.08),
    ("sg", "domain"): (0.0, 0.001, 0.08),
}
"""By strategy and realism, the share of the truth found after so many queries: some 80% of what was measured."""
RUNS = [(name, manner) for name, kind in of_kind("table").items() for manner in kind.manners if name != "exhaustive"]


def coverage(found, truth):
    """The share of all that is true that was found, both by keys; what is found but not true is no matter here."""
    return float(np.isin(np.unique(truth), found).mean())


@pytest.fixture(scope="module")
def clerks():
    """(200, 5) sex, age, job, debt and shifts: 6,000 combinations, not counting sex."""
    rng = np.random.default_rng(2)
    values = {"sex": (0, 2), "age": (30, 50), "job": (0, 3), "debt": (0, 10), "shifts": (0, 10)}
    return pd.DataFrame({name: rng.integers(*bounds, 200) for name, bounds in values.items()})


@pytest.fixture(scope="module")
def rule():
    """One that looks at everything, and at sex near the boundary only."""

    def worth(rows):
        sex, age, job, debt, shifts = rows.T
        return 1 / (1 + np.exp(-(age - 2 * debt + shifts + 4 * (job == 1) + 2 * sex - 37.5) / 5))

    return worth


@pytest.fixture(scope="module", params=["data", "domain"])
def realism(request):
    return request.param


@pytest.fixture(scope="module")
def domain(clerks, realism):
    schema = read_schema({"features": {"job": {"type": "categorical"}}})
    return TabularDomain(clerks, ["sex"], schema, realism, as_array=True)


@pytest.fixture(scope="module")
def truth(watch, domain, rule):
    everything = watch("exhaustive", domain, rule, batches=np.inf, batch_size=1_000)
    assert everything.exhausted
    return everything


def test_everything_is_every_combination_or_every_one_within_reach(truth, domain, rule, realism):
    """By brute force: each combination of values, and whether any row has it within its reach."""
    values = [domain.choices(gene).tolist() for gene in range(1, 5)]
    combinations = np.array([(0, *rest) for rest in product(*values)], dtype=np.int32)
    assert len(combinations) == 6_000
    reached = np.zeros(len(combinations), dtype=bool)
    for anchor in domain.anchors.tolist() if realism == "data" else [0]:
        whose = np.full(len(combinations), anchor)
        reached |= (domain.within_reach(combinations, whose, np.random.default_rng(0)) == combinations)[:, 1:].all(
            axis=1
        )
    assert len(truth.genomes) == reached.sum()
    np.testing.assert_array_equal(np.sort(domain.keys(truth.genomes)), np.sort(domain.keys(combinations[reached])))
    women, men = (rule(domain.frame(combinations[reached]).assign(sex=sex).to_numpy()) > 0.5 for sex in (0, 1))
    unfair = combinations[reached][women != men]
    np.testing.assert_array_equal(np.sort(domain.keys(truth.found_within())), np.sort(domain.keys(unfair)))


@pytest.mark.parametrize(("name", "manner"), RUNS, ids=map("-".join, RUNS))
def test_a_search_finds_nothing_but_the_truth_and_much_of_it(
    watch, domain, rule, truth, realism, name, manner, record_property
):
    after = AFTER if manner == "batched" else AFTER[:2]  # one by one the last take long
    seen = watch(name, domain, rule, batches=np.inf, batch_size=256, manner=manner, queries=after[-1])
    all_keys = domain.keys(truth.found_within())
    assert np.isin(domain.keys(seen.found_within()), all_keys).all()
    covered = [round(coverage(domain.keys(seen.found_within(queries)), all_keys), 3) for queries in after]
    record_property("coverage", covered)
    print(f"{name} {manner} {realism}: {covered} of {len(all_keys)}")
    assert all(share >= floor for share, floor in zip(covered, LEAST[name, realism], strict=False)), covered
