"""What a search asks of a domain: other anchors, other values, and the identity of a sample."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

DRAWS = 20_000


class TestNear:
    def test_a_neighbour_is_another_anchor(self, domain_of, people, rng):
        domain = domain_of(people, schema={"features": {"age": {"max": 60}}})
        anchor = rng.choice(domain.anchors, DRAWS)
        near = domain.near(anchor, rng)
        assert (near != anchor).all()
        assert np.isin(near, domain.anchors).all()
        assert len(domain.anchors) < len(people)

    def test_every_anchor_can_be_a_neighbour(self, domain_of, people, rng):
        domain = domain_of(people)
        assert len(set(domain.near(np.zeros(DRAWS, dtype=np.intp), rng))) > len(people) // 2

    def test_neighbours_lie_nearer_than_random_rows(self, domain_of, people, rng):
        domain = domain_of(people)
        anchor, random = rng.choice(domain.anchors, (2, DRAWS))
        near = domain.near(anchor, rng)
        rows = domain.rows
        assert (
            domain.distance(rows[near], rows[anchor]).mean() < 0.9 * domain.distance(rows[random], rows[anchor]).mean()
        )

    @pytest.mark.parametrize("count", [2, 3, 4])
    def test_few_rows_are_each_others_neighbours(self, domain_of, people, rng, count):
        frame = people.head(count).assign(sex=(["Female", "Male"] * 2)[:count])
        domain = domain_of(frame)
        anchor = rng.integers(0, count, DRAWS)
        assert (domain.near(anchor, rng) != anchor).all()


class TestStrangers:
    @pytest.fixture
    def domain(self, domain_of, people):
        schema = {"features": {"age": {"min": 30, "max": 60}, "job": {"values": ["cook", "nurse", "smith"]}}}
        return domain_of(people, schema=schema, realism="domain")

    def test_every_other_allowed_value_is_reached_and_never_the_same(self, domain, rng):
        for gene, feature in enumerate(domain.features):
            allowed = np.flatnonzero(feature.allowed)
            if len(allowed) > 100:
                continue
            for value in allowed:
                drawn = domain.bounds.strangers(np.full(DRAWS, gene), np.full(DRAWS, value, dtype=np.int32), rng)
                assert set(drawn) == set(allowed) - {value}, feature.name

    def test_the_largest_of_many_values_is_reached(self, domain, rng):
        gene = domain.columns.index("hours")
        allowed = np.flatnonzero(domain.features[gene].allowed)
        assert len(allowed) > 1_000
        drawn = domain.bounds.strangers(np.full(DRAWS, gene), np.full(DRAWS, allowed[-3], dtype=np.int32), rng)
        assert drawn.max() == allowed[-1]

    def test_near_numbers_are_more_likely(self, domain, rng):
        gene = domain.columns.index("age")
        middle = domain.features[gene].codes_of([45])[0]
        steps = np.abs(
            domain.bounds.strangers(np.full(DRAWS, gene), np.full(DRAWS, middle, dtype=np.int32), rng) - middle
        )
        odds = np.bincount(steps)[1:15]
        assert odds[:3].sum() > 2 * odds[-3:].sum()

    def test_categories_are_all_alike(self, domain, rng):
        gene = domain.columns.index("job")
        cook = domain.features[gene].codes_of(["cook"])[0]
        drawn = domain.bounds.strangers(np.full(DRAWS, gene), np.full(DRAWS, cook, dtype=np.int32), rng)
        odds = np.unique(drawn, return_counts=True)[1] / DRAWS
        np.testing.assert_allclose(odds, 0.5, atol=0.03)

    def test_where_there_is_no_other_value_it_stays(self, domain_of, rng):
        frame = pd.DataFrame({"sex": ["F", "M"] * 2, "same": [7] * 4})
        domain = domain_of(frame, realism="domain")
        assert set(domain.bounds.strangers(np.ones(50, dtype=np.intp), np.zeros(50, dtype=np.int32), rng)) == {0}


class TestDraw:
    @pytest.mark.parametrize("column", ["age", "job"])
    def test_every_allowed_value_comes_equally_often(self, domain_of, people, rng, column):
        schema = {"features": {"age": {"min": 30, "max": 40}, "job": {"values": ["cook", "nurse", "smith"]}}}
        domain = domain_of(people, schema=schema, realism="domain")
        gene = domain.columns.index(column)
        drawn, counts = np.unique(domain.bounds.draw(gene, DRAWS, rng), return_counts=True)
        allowed = np.flatnonzero(domain.features[gene].allowed)
        assert drawn.tolist() == allowed.tolist()
        np.testing.assert_allclose(counts / DRAWS, 1 / len(allowed), rtol=0.15)


class TestKeys:
    def test_twins_share_their_key(self, domain_of, people):
        domain = domain_of(people, ["sex", "job"])
        for reading in range(domain.readings.count):
            twins = domain.readings.read(domain.rows, np.full(len(people), reading))
            np.testing.assert_array_equal(domain.keys(twins), domain.keys(domain.rows))

    def test_linked_columns_are_no_part_of_the_key(self, domain_of):
        frame = pd.DataFrame({"sex": ["M", "F"] * 2, "role": ["Husband", "Wife", "Son", "Son"], "age": [4, 4, 5, 5]})
        domain = domain_of(frame, schema={"protected": {"sex": {"link": [{"role": {"M": "Husband", "F": "Wife"}}]}}})
        keys = domain.keys(domain.rows)
        assert keys[0] == keys[1]
        assert keys[2] == keys[3]
        assert keys[0] != keys[2]

    def test_samples_that_differ_in_any_other_gene_have_other_keys(self, domain_of, rng):
        frame = pd.DataFrame({name: np.arange(200) for name in ("sex", "a", "b", "c")})
        domain = domain_of(frame)
        genomes = rng.integers(0, 200, (100_000, 4)).astype(np.int32)
        assert len(np.unique(domain.keys(genomes))) == len(np.unique(genomes[:, 1:], axis=0))
        assert len(np.unique(genomes[:, 1:], axis=0)) > 90_000

    def test_a_key_is_the_same_in_any_batch(self, domain_of, people):
        domain = domain_of(people)
        one_by_one = np.concatenate([domain.keys(domain.rows[[row]]) for row in range(len(people))])
        np.testing.assert_array_equal(domain.keys(domain.rows), one_by_one)


class TestBins:
    def test_numbers_fall_into_quartiles_and_missing_into_a_bin_of_its_own(self, domain_of, people):
        domain = domain_of(people)
        bins = domain.bins(domain.rows)
        age = np.searchsorted(np.percentile(people.age, [25, 50, 75]), people.age)
        np.testing.assert_array_equal(bins[domain.columns.index("age")], age)
        debt = bins[domain.columns.index("debt")]
        assert set(debt[people.debt.isna()]).isdisjoint(debt[people.debt.notna()])
        assert len(set(debt)) == 5

    def test_categories_are_their_own_bins(self, domain_of, people):
        domain = domain_of(people)
        job = domain.columns.index("job")
        np.testing.assert_array_equal(domain.bins(domain.rows)[job], domain.rows[:, job])


class TestShifted:
    @pytest.fixture
    def domain(self, domain_of):
        frame = pd.DataFrame(
            {
                "sex": ["Female", "Male"] * 3,
                "age": [20, 30, 30, 50, 60, 90],
                "job": ["clerk", "cook", "cook", None, "nurse", "clerk"],
                "debt": [1.0, 2.0, 7.0, np.nan, 2.0, 7.0],
            }
        )
        return domain_of(frame, schema={"features": {"age": {"min": 30, "max": 60}}})

    def test_genes_go_to_the_next_value_that_is_allowed(self, domain):
        rows = domain.rows[[1, 2, 4]]
        up = domain.frame(domain.shifted(rows, np.array([0, 1, 0, 1])))
        assert up["age"].tolist() == [50, 50, 60]
        assert up["debt"].tolist() == [7.0, 7.0, 7.0]

    def test_nothing_leaves_its_bounds(self, domain):
        low, high = (domain.frame(domain.shifted(domain.rows[[1, 2, 4]], np.full(4, s))) for s in (-9, 9))
        assert (low["age"] == 30).all()
        assert (high["age"] == 60).all()
        assert (high["debt"] == 7.0).all()

    def test_a_number_that_is_missing_stays_so_a_category_is_one_of_many(self, domain):
        row = domain.rows[[3]]
        down = domain.frame(domain.shifted(row, np.full(4, -1)))
        assert down["debt"].isna().all()
        assert down["job"].tolist() == ["nurse"]

    def test_each_goes_its_own_way(self, domain):
        rows = domain.rows[[1, 4]]
        moved = domain.frame(domain.shifted(rows, np.array([[0, 1, -1, 0], [0, -1, 0, -1]])))
        assert moved["age"].tolist() == [50, 50]
        assert moved["job"].tolist() == ["clerk", "nurse"]
        assert moved["debt"].tolist() == [2.0, 1.0]
        assert moved["sex"].tolist() == ["Male", "Female"]


def test_choices_are_the_codes_within_bounds_rising(domain_of, people):
    schema = {"features": {"age": {"min": 30, "max": 60}, "job": {"values": ["cook", "smith"]}}}
    domain = domain_of(people, schema=schema, realism="domain")
    age, job = domain.choices(domain.columns.index("age")), domain.choices(domain.columns.index("job"))
    assert domain.features[domain.columns.index("age")].values[age].tolist() == list(range(30, 61))
    assert domain.features[domain.columns.index("job")].values[job].tolist() == ["cook", "smith"]
