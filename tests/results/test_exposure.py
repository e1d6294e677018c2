"""How many rows a few believable changes would make flip: never more than there are, in a domain where all is known."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

import expga
from expga.budget import Budget
from expga.closing import Closing
from expga.domain import reaching
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.domain.text import TextDomain
from expga.exposure import MOST_CELLS, Exposure, cells_within, exposure, near_anchors, seconds_within
from expga.findings import Findings
from expga.population import FlipRate, Population
from expga.subjects.showing import exposed
from expga.subjects.table.findings import fewest_changes

JOBS = ["cook", "nurse", "smith"]
ENOUGH = 1 << 24


def people(count=160):
    """(count, 8) with few values, and a title that goes with the sex of some."""
    rng = np.random.default_rng(1)
    sex = rng.choice(["f", "m"], count)
    title = np.where(rng.random(count) < 0.3, "Dr", np.where(sex == "f", "Ms", "Mr"))
    town = rng.choice(["A", "B"], count)
    numbers = {"shifts": rng.integers(0, 5, count), "pay": rng.choice([10.0, 20.0, 40.0, 80.0], count)}
    age, home, job = rng.integers(20, 29, count), rng.choice(list("abcd"), count), rng.choice(JOBS, count)
    return pd.DataFrame({"sex": sex, "title": title, "age": age, "town": town, "home": home, "job": job, **numbers})


SCHEMA = {
    "features": {"town": {"immutable": True}, "shifts": {"max": 3}},
    "protected": {"sex": {"link": [{"title": {"f": "Ms", "m": "Mr"}}]}, "age": {"values": [21, 25]}},
}


def model(frame):
    """Asks more shifts of women who are no doctors, of those above 24 in one town, and looks at jobs as well."""
    asked = 2.0 * (frame["sex"] == "f") * (frame["title"] != "Dr") + (frame["age"] > 24) * (frame["town"] == "A")
    have = (
        frame["shifts"]
        + frame["pay"].map({10.0: 0, 20.0: 1, 40.0: 0, 80.0: 1.5})
        + (frame["job"] == "cook")
        + (frame["home"] == "a")
        - 4.6
    )
    return 1 / (1 + np.exp(-(have - asked)))


class World:
    """A domain with every discriminatory sample in it, and for each row by how few changes it becomes one."""

    def __init__(self, protected):
        self.domain = domain = TabularDomain(people(), protected, read_schema(SCHEMA), "data")
        codes = [domain.choices(gene) for gene in np.flatnonzero(domain.mutable)]
        combinations = np.array(list(product(*codes)), dtype=np.int32)
        self.every = np.repeat(np.arange(len(domain.rows)), len(combinations))
        genomes = domain.rows[self.every]
        genomes[:, domain.mutable] = np.tile(combinations, (len(domain.rows), 1))
        said = np.stack([model(domain.decode(genomes_of)) > 0.5 for genomes_of in self._read(genomes)])
        valid = domain.readings.valid(genomes).T
        first, other = (np.where(valid, said == side, False) for side in (True, False))
        unfair = first.any(axis=0) & other.any(axis=0)
        real = domain.rows[self.every]
        within_reach = unfair & domain.admits(genomes, self.every)
        changes = np.where(within_reach, (genomes != real)[:, domain.mutable].sum(axis=1), np.inf)
        fewest = np.minimum.reduceat(changes, np.arange(0, len(genomes), len(combinations)))
        kept = np.flatnonzero(within_reach)
        pair = np.column_stack([first.argmax(axis=0), other.argmax(axis=0)])[kept]
        scores = np.tile([0.9, 0.1], (len(kept), 1))
        self.findings = Findings(genomes[kept], self.every[kept], pair, np.tile([1, 0], (len(kept), 1)), scores)
        as_it_is = np.where(domain.readings.valid(domain.rows), self._flips(domain.rows), -1)
        self.unfair = (as_it_is == 1).any(axis=1) & (as_it_is == 0).any(axis=1)
        self.truth = np.where(self.unfair, 0, fewest)

    def _read(self, genomes):
        readings = self.domain.readings
        return [readings.read(genomes, np.full(len(genomes), number)) for number in range(readings.count)]

    def _flips(self, genomes):
        return np.column_stack([model(self.domain.decode(read)) > 0.5 for read in self._read(genomes)]).astype(int)

    def population(self, asked):
        """What asking about these rows would tell."""
        unfair, none = self.unfair[asked], np.zeros(len(asked))
        return Population(
            len(self.domain.rows), asked, 0, 0, FlipRate(len(asked), int(unfair.sum())), {}, unfair, none, none, none
        )

    def exposure(self, asked, findings, cells=ENOUGH):
        def fewest(*some):
            return fewest_changes(self.domain, *some)

        return exposure(self.domain, self.population(asked), findings, fewest, cells)


@pytest.fixture(scope="module")
def world():
    return World(["sex"])


@pytest.fixture(scope="module")
def everyone(world):
    return np.arange(len(world.domain.rows))


class TestWhoIsNear:
    @pytest.mark.parametrize("protected", [["sex"], ["age"], ["age", "sex"]], ids=", ".join)
    def test_it_is_as_the_domain_says_pair_by_pair(self, protected):
        """Near a row, a sample is what it is with the row's own protected values, and under the twins asked about."""
        world = World(protected)
        domain, rng = world.domain, np.random.default_rng(0)
        rows = rng.permutation(len(domain.rows))[:70]
        some = world.findings.those(rng.permutation(len(world.findings))[:40])
        found = reaching.fewest_changes(domain, rows, some.genomes, some.pair)
        expected = np.full(len(rows), np.inf)
        asked = [domain.readings.read(some.genomes, some.pair[:, side]) for side in (0, 1)]
        for place, row in enumerate(rows):
            sample = np.where(domain.mutable, some.genomes, domain.rows[row])
            its = np.stack(world._read(sample))
            same = [(its == twin).all(axis=2).any(axis=0) for twin in asked]
            near = domain.admits(sample, np.full(len(sample), row)) & same[0] & same[1]
            expected[place] = np.where(near, (sample != domain.rows[row]).sum(axis=1), np.inf).min()
        np.testing.assert_array_equal(found, expected)
        assert 0 < np.isfinite(expected).sum() < len(rows)

    def test_none_where_there_is_no_finding(self, world, everyone):
        none = Findings.none(world.domain.rows.shape[1])
        assert np.isinf(fewest_changes(world.domain, everyone, none, ENOUGH)).all()

    def test_whoever_is_more_than_the_linked_column_says_stays_so(self, world):
        """No finding about a Ms and a Mr is one about a doctor, who has that title as either."""
        doctor = np.flatnonzero(world.domain.frame(world.domain.rows)["title"] == "Dr")
        titled = world.findings.those(np.flatnonzero(~np.isin(world.findings.anchor, doctor)))
        assert np.isinf(reaching.fewest_changes(world.domain, doctor, titled.genomes, titled.pair)).all()

    def test_of_a_finding_all_rows_learn_and_its_own_whatever_is_compared(self, world, everyone):
        own = near_anchors(world.domain, everyone, world.findings)
        np.testing.assert_array_equal(fewest_changes(world.domain, everyone, world.findings, 0), own)
        few = world.findings.those(np.unique(world.findings.anchor, return_index=True)[1][::4])
        found = fewest_changes(world.domain, everyone, few, ENOUGH)
        assert np.isfinite(found).sum() > np.isfinite(near_anchors(world.domain, everyone, few)).sum() == len(few)

    def test_numbers_far_out_are_no_nearer_to_each_other_for_rounding(self):
        """In single precision a billion and nine more are one number."""
        rng = np.random.default_rng(0)
        pay = np.concatenate([rng.integers(0, 10, 400), [10**9, 10**9 + 9]])
        frame = pd.DataFrame({"sex": rng.choice(["f", "m"], 402), "pay": pay, "hours": rng.integers(0, 10, 402)})
        frame.loc[400:, "hours"] = 5
        domain = TabularDomain(frame, ["sex"], read_schema({}), "data")
        assert domain.distance(domain.rows[[400]], domain.rows[[401]])[0] > domain.reach
        found = reaching.fewest_changes(domain, np.array([401, 400]), domain.rows[[400]], np.array([[0, 1]]))
        assert found.tolist() == [np.inf, 0]

    def test_in_many_tiles_it_is_the_same(self, world, everyone, monkeypatch):
        some = world.findings.first(500)
        whole = fewest_changes(world.domain, everyone, some, ENOUGH)
        monkeypatch.setattr(reaching, "TILE", (7, 11))
        np.testing.assert_array_equal(fewest_changes(world.domain, everyone, some, ENOUGH), whole)

    def test_without_a_bound_of_the_search_it_is_still_the_reach_of_rows(self, world, everyone):
        unbounded = TabularDomain(people(), ["sex"], read_schema(SCHEMA), "domain")
        far = world.findings.those(np.flatnonzero(world.findings.anchor == world.findings.anchor[0]))
        far = Findings(far.genomes, np.full(len(far), 5), far.pair, far.labels, far.scores)
        near = world.domain.admits(np.where(world.domain.mutable, far.genomes, world.domain.rows[5]), far.anchor)
        assert not near.all()
        found = fewest_changes(unbounded, everyone, far.those(np.flatnonzero(~near)), ENOUGH)
        assert np.isinf(found[5])


class TestABound:
    def test_all_findings_tell_the_truth(self, world, everyone):
        told = world.exposure(everyone, world.findings)
        assert told.changes == {
            int(number): int((world.truth == number).sum()) for number in np.unique(world.truth[world.truth < np.inf])
        }
        assert told.as_they_are == world.unfair.sum() > 5
        assert told.as_they_are < told.after(1).flipped < told.within_reach < told.rows

    @pytest.mark.parametrize("share", [1.0, 0.02])
    def test_holds_in_repeated_audits(self, world, share):
        """Of rows drawn at random, whatever was found, be it all; of all there are, and after few changes."""
        rng, rows = np.random.default_rng(4), world.domain.rows
        held = np.zeros((300, 3), dtype=bool)
        for run in held:
            asked = rng.permutation(len(rows))[:30]
            found = world.findings.those(np.flatnonzero(rng.random(len(world.findings)) < share))
            told = world.exposure(asked, found)
            bounds = [told.after(1).at_least, told.after(2).at_least, told.at_least]
            run[:] = bounds <= np.array([(world.truth <= few).mean() for few in (1, 2, 9)])
        assert (held.mean(axis=0) >= 0.95).all()

    def test_holds_whatever_the_search_made_of_the_rows(self, world):
        """Also where it searched around no other rows than those that it was measured on."""
        rng, truth = np.random.default_rng(5), np.isfinite(world.truth).mean()
        held = []
        for _ in range(200):
            asked = rng.permutation(len(world.domain.rows))[:30]
            around = world.findings.those(np.flatnonzero(np.isin(world.findings.anchor, asked)))
            held.append(world.exposure(asked, around).at_least <= truth)
        assert np.mean(held) >= 0.95

    def test_what_is_not_looked_at_makes_it_lower_and_no_less_true(self, world, everyone, monkeypatch):
        whole = world.exposure(everyone, world.findings)
        found = fewest_changes(world.domain, everyone, world.findings, ENOUGH)
        few_cells = fewest_changes(world.domain, everyone, world.findings, len(everyone) * 8 * 3)
        assert (few_cells >= found).all()
        monkeypatch.setattr("expga.exposure.MOST_FINDINGS", 40)
        fewest = world.exposure(everyone, world.findings)
        for most in range(5):
            assert fewest.after(most).flipped <= whole.after(most).flipped
        assert fewest.within_reach < whole.within_reach

    def test_findings_near_the_rows_that_are_looked_at_come_first(self, world, monkeypatch):
        row = np.flatnonzero(np.isin(np.arange(len(world.unfair)), world.findings.anchor) & ~world.unfair)[:1]
        monkeypatch.setattr("expga.exposure.MOST_FINDINGS", 1)
        assert world.exposure(row, world.findings, cells=0).within_reach == 1

    def test_of_few_cells_fewer_rows_are_looked_at(self, world, everyone):
        assert world.exposure(everyone, world.findings, cells=8 * 30 * 31).rows == 30

    def test_findings_that_nobody_would_believe_do_not_count(self, world, everyone, monkeypatch):
        none = world.exposure(everyone, Findings.none(world.domain.rows.shape[1]))
        monkeypatch.setattr(TabularDomain, "typical", lambda _, genomes: np.zeros(len(genomes), dtype=bool))
        assert world.exposure(everyone, world.findings) == none
        assert (none.within_reach, none.as_they_are) == (world.unfair.sum(),) * 2

    def test_rows_without_a_twin_are_none_of_those_looked_at(self, world, everyone, monkeypatch):
        valid = world.domain.readings.valid
        only_women = lambda genomes: valid(genomes) & np.array([True, False])  # noqa: E731
        monkeypatch.setattr(world.domain.readings, "valid", only_women)
        assert world.exposure(everyone, world.findings) is None


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    out = tmp_path_factory.mktemp("exposure") / "out"
    return expga.audit(model, people(), protected="sex", schema=SCHEMA, max_queries=1_600, out=out), out


class TestAudits:
    def test_say_it_and_keep_it(self, audit, world):
        found, out = audit
        told = found.exposure
        truth = [np.isfinite(world.truth).sum(), (world.truth <= 1).sum(), world.unfair.sum()]
        assert told.rows == found.population.rows
        assert told.as_they_are == found.population.flipped
        assert told.rows == len(world.truth)
        assert truth[2] < told.after(1).flipped <= truth[1]
        assert told.within_reach <= truth[0]
        assert expga.Audit.load(out).exposure == told
        kept = json.loads((out / "summary.json").read_text())["exposure"]
        assert kept["at_least"] == told.at_least == told.ci95[0] == kept["ci95"][0]
        assert kept["changes"] == {str(number): count for number, count in told.changes.items()}
        assert kept["at_least_after"]["1"] == told.after(1).at_least
        first, second, *_ = str(found).split("\n")
        assert "get another label when only sex changes" in first
        assert second.startswith("At least ")
        assert "one or two believable changes" in second

    def test_are_equal_where_queries_end_them(self, audit):
        again = expga.audit(model, people(), protected="sex", schema=SCHEMA, max_queries=1_600)
        assert again.exposure == audit[0].exposure

    def test_say_nothing_of_a_model_that_does_not_always_answer_alike(self):
        rng = np.random.default_rng(0)
        noisy = expga.audit(
            lambda frame: np.clip(model(frame) + rng.normal(0, 0.1, len(frame)), 0, 1),
            people(),
            protected="sex",
            schema=SCHEMA,
            max_queries=1_500,
        )
        assert noisy.summary["placebo"]["answers"] == "random"
        assert noisy.exposure is None
        assert "believable" not in str(noisy)

    def test_say_nothing_where_no_row_was_measured(self):
        assert expga.audit(model, people(), protected="sex", schema=SCHEMA, max_queries=2).exposure is None

    def test_of_texts_count_those_around_a_text(self, monkeypatch):
        late, sold = "{} said that the old train was very late on a rainy morning.", "{} sold it."
        texts = [text.format(who) for text in (late, sold) for who in ("He", "She", "It")]

        def model(inputs):
            return [0.9 if text.startswith("He ") and text not in texts else 0.1 for text in inputs]

        audit = expga.audit(model, texts, protected="gender", strategy="random", max_queries=400)
        assert (audit.exposure.rows, audit.exposure.changes) == (4, {1: 2})
        assert set(audit.findings["anchor"]) == {0, 1}
        assert "one or two words changed" in str(audit)
        monkeypatch.setattr(TextDomain, "near", lambda _, genomes, __: np.zeros(len(genomes), dtype=bool))
        unbounded = expga.audit(model, texts, protected="gender", strategy="random", max_queries=400, realism="domain")
        assert len(unbounded.findings)
        assert unbounded.exposure.changes == {}

    def test_of_any_kind_count_those_around_a_row(self, world, everyone):
        some = world.findings.first(50)
        told = exposure(world.domain, world.population(everyone), some, None, ENOUGH)
        near = np.isfinite(near_anchors(world.domain, everyone, some))
        assert sorted(np.flatnonzero(near)) == sorted(set(some.anchor))
        assert told.within_reach == (near | world.unfair).sum()


class TestTime:
    def test_is_a_share_of_what_there_is_and_no_matter_where_queries_are_counted(self):
        assert cells_within(Budget(seconds=1.0)) < cells_within(Budget(seconds=2.0)) < MOST_CELLS
        assert cells_within(Budget(seconds=0.1, queries=100)) == cells_within(Budget()) == MOST_CELLS
        assert cells_within(Budget(seconds=3_600.0)) == MOST_CELLS
        assert seconds_within(Budget(seconds=1.0)) == pytest.approx(0.02)
        assert seconds_within(Budget(seconds=3_600.0)) < 0.3

    def test_is_part_of_what_closing_takes(self):
        assert Closing(lambda _: None, 0.25).seconds(Findings.none(3), 1) == 0.25


class TestWords:
    @staticmethod
    def told(rows, changes):
        summary = {"exposure": Exposure(rows, changes).as_dict()}
        return exposed(summary, "rows", "one or two believable changes", "have one near")

    def test_few_changes_first_then_all_there_is(self):
        (told,) = self.told(1_000, {0: 41, 1: 87, 2: 56, 3: 700})
        assert told == (
            "At least 16.1% do, or would with one or two believable changes (of 1,000 looked at, another 8.7% with one "
            "and 5.6% with two); at least 86.2% do, or have one near. A longer search can only find more."
        )

    def test_a_bound_is_never_rounded_up(self):
        lower = Exposure(1_000, {1: 189}).at_least
        assert 0.1659 < lower < 0.166
        assert self.told(1_000, {1: 189})[0].startswith("At least 16.5% ")

    def test_a_search_that_found_little_says_nothing_of_the_others(self):
        (told,) = self.told(225, {0: 9, 1: 2})
        assert told.startswith("How many more would with one or two believable changes, what was found does not tell")
        assert told.endswith("A longer search can only find more.")

    def test_a_search_that_found_nothing_says_that_nothing_is_known(self):
        assert self.told(225, {0: 9}) == [
            "How many more rows would after a few changes is not known: the search found none."
        ]

    def test_nothing_where_nothing_was_measured_or_an_older_version_did_not_know(self):
        assert exposed({"exposure": None}, "rows", "", "") == exposed({}, "rows", "", "") == []
