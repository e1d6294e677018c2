"""Distances, computed by hand from raw values: between rows, to the nearest row, and from an anchor."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

COVERED = ["sex"]


def differences(column, ones, others):
    """(n,) METHODS section 7, for one column: the values themselves, not their codes."""
    if column.dtype.kind not in "if":
        return (ones.to_numpy() != others.to_numpy()).astype(float)
    known = column.dropna()
    low, high = np.percentile(known, [5, 95])
    scale = (high - low) or (known.max() - known.min()) or 1.0
    apart = np.minimum(np.abs(ones.to_numpy() - others.to_numpy()) / scale, 1.0)
    both, neither = (
        ones.isna().to_numpy() & others.isna().to_numpy(),
        ones.isna().to_numpy() != others.isna().to_numpy(),
    )
    return np.where(both, 0.0, np.where(neither, 1.0, apart))


def by_hand(frame, ones, others):
    """(n,) the mean over the columns that no reading covers."""
    free = [name for name in frame if name not in COVERED]
    return np.mean([differences(frame[name], ones[name], others[name]) for name in free], axis=0)


@pytest.fixture(scope="module")
def scattered():
    """Genomes anywhere in a domain, with an anchor each."""

    def draw(domain, count=4_000):
        rng = np.random.default_rng(3)
        genomes = np.column_stack([rng.choice(domain.choices(gene), count) for gene in range(len(domain.features))])
        return genomes, rng.choice(domain.anchors, count)

    return draw


class TestDistance:
    def test_it_is_the_mean_of_scaled_differences(self, domain_of, people):
        domain = domain_of(people)
        rng = np.random.default_rng(0)
        ones, others = rng.integers(0, len(people), (2, 500))
        expected = by_hand(people, people.iloc[ones], people.iloc[others])
        np.testing.assert_allclose(domain.distance(domain.rows[ones], domain.rows[others]), expected, atol=1e-12)
        assert expected.max() > 0.5

    def test_a_column_that_hardly_varies_is_scaled_by_its_range(self, domain_of, people):
        assert np.percentile(people.gain, 5) == np.percentile(people.gain, 95) == 0
        rich, poor = int(people.gain.argmax()), int(people.gain.argmin())
        domain = domain_of(people[["sex", "gain"]])
        assert domain.distance(domain.rows[[rich]], domain.rows[[poor]]) == pytest.approx(1.0)

    def test_what_a_reading_covers_does_not_count(self, domain_of, people):
        domain = domain_of(people)
        twins = [domain.readings.read(domain.rows, np.full(len(people), reading)) for reading in (0, 1)]
        assert (twins[0] != twins[1]).any()
        assert (domain.distance(*twins) == 0).all()

    def test_values_that_the_data_never_shows_are_scaled_by_the_data(self, domain_of, people):
        schema = {"features": {"age": {"min": 0, "max": 1_000}}}
        domain = domain_of(people, schema=schema, realism="domain")
        oldest = domain.rows[:1].copy()
        near = domain.rows[:1].copy()
        oldest[0, 0], near[0, 0] = domain.features[0].codes_of([1_000, people.age[0] + 1])
        width = np.subtract(*np.percentile(people.age, [95, 5]))
        assert domain.distance(oldest, domain.rows[:1]) == pytest.approx(1 / 5)
        assert domain.distance(near, domain.rows[:1]) == pytest.approx(1 / width / 5)


class TestRadius:
    def test_it_is_the_99th_percentile_of_nearest_neighbour_distances(self, domain_of, people):
        domain = domain_of(people)
        nearest = []
        for row in range(len(people)):
            others = people.drop(index=row)
            itself = people.iloc[[row] * len(others)]
            nearest.append(by_hand(people, itself, others).min())
        assert domain.radius == pytest.approx(np.percentile(nearest, 99), abs=1e-6)
        assert 0 < domain.radius < 1

    def test_categories_of_many_values_are_measured_alike(self, domain_of):
        rng = np.random.default_rng(5)
        frame = pd.DataFrame(
            {"sex": ["F", "M"] * 100, "town": rng.integers(0, 90, 200).astype(str), "age": rng.integers(18, 80, 200)}
        )
        domain = domain_of(frame)
        nearest = [by_hand(frame, frame.iloc[[row] * 199], frame.drop(index=row)).min() for row in range(len(frame))]
        assert domain.radius == pytest.approx(np.percentile(nearest, 99), abs=1e-6)

    def test_the_unbounded_domain_has_no_radius(self, domain_of, people):
        assert domain_of(people, realism="domain").radius == np.inf
        assert domain_of(people, realism="domain").reach == pytest.approx(domain_of(people).radius)

    def test_a_single_row_has_no_neighbour_to_reach(self, domain_of):
        frame = pd.DataFrame({"sex": ["F"], "age": [3]})
        domain = domain_of(frame, schema={"unseen": True, "protected": {"sex": {"values": ["F", "M"]}}})
        assert domain.radius == 0.0


class TestWithinReach:
    def test_nothing_gets_further_than_the_radius(self, domain_of, people, scattered, rng):
        domain = domain_of(people)
        genomes, anchor = scattered(domain)
        kept = domain.within_reach(genomes, anchor, rng)
        before, after = (domain.distance(some, domain.rows[anchor]) for some in (genomes, kept))
        assert (before > domain.radius).mean() > 0.5
        assert after.max() <= domain.radius
        assert (after > 0).mean() > 0.5

    def test_what_is_near_enough_stays_untouched(self, domain_of, people, rng):
        """In a table in which nearly every row has a double, so that no anchor stands alone."""
        doubled = people.loc[people.index.repeat([2] * 110 + [1] * 10)].reset_index(drop=True)
        domain = domain_of(doubled)
        anchor, donor = rng.integers(0, 220, (2, 4_000))
        mask = np.arange(len(domain.features)) == rng.integers(0, len(domain.features), (4_000, 1))
        genomes = np.where(mask, domain.rows[donor], domain.rows[anchor])
        distance = domain.distance(genomes, domain.rows[anchor])
        near = distance < domain.radius - 1e-4
        assert 0.1 < (near & (distance > 0)).mean() < 0.9
        np.testing.assert_array_equal(domain.within_reach(genomes, anchor, rng)[near], genomes[near])

    def test_every_gene_is_its_own_or_its_anchors(self, domain_of, people, scattered, rng):
        domain = domain_of(people)
        genomes, anchor = scattered(domain)
        kept = domain.within_reach(genomes, anchor, rng)
        assert ((kept == genomes) | (kept == domain.rows[anchor])).all()
        np.testing.assert_array_equal(kept[:, domain.protected], genomes[:, domain.protected])

    def test_every_gene_has_a_chance_to_stay(self, domain_of, people, scattered, rng):
        domain = domain_of(people)
        genomes, anchor = scattered(domain)
        kept = domain.within_reach(genomes, anchor, rng)
        stays = ((kept == genomes) & (genomes != domain.rows[anchor])).any(axis=0)
        assert domain.radius > 1 / 5
        assert stays[domain.mutable].all()

    def test_where_real_rows_repeat_nothing_moves(self, domain_of, scattered, rng):
        frame = pd.DataFrame({"sex": ["F", "M"] * 20, "age": [20, 20, 30, 30] * 10, "job": ["a", "a", "b", "b"] * 10})
        domain = domain_of(frame)
        genomes, anchor = scattered(domain)
        kept = domain.within_reach(genomes, anchor, rng)
        assert domain.radius == 0.0
        np.testing.assert_array_equal(kept[:, domain.mutable], domain.rows[anchor][:, domain.mutable])

    def test_the_bound_holds_far_out_in_a_long_tail(self, domain_of, scattered, rng):
        """A few fortunes a million times larger than the rest, yet a whole scale apart from each other."""
        count = 200
        wealth = np.random.default_rng(2).random(count)
        wealth[:6] = 3e7 + 0.4 * np.arange(6)
        frame = pd.DataFrame({"sex": ["F", "M"] * 100, "wealth": wealth, "age": np.tile(np.arange(20, 40), 10)})
        domain = domain_of(frame)
        genomes, _ = scattered(domain)
        anchor = np.arange(len(genomes)) % 6
        kept = domain.within_reach(genomes, anchor, rng)
        assert domain.distance(kept, domain.rows[anchor]).max() <= domain.radius + 1e-9

    def test_the_unbounded_domain_moves_nothing_back(self, domain_of, people, scattered, rng):
        domain = domain_of(people, realism="domain")
        genomes, anchor = scattered(domain)
        np.testing.assert_array_equal(domain.within_reach(genomes, anchor, rng), genomes)
