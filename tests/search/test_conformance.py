"""What every strategy owes, in each of its manners, with the realism bound and without it.

A new one is tested by being in STRATEGIES.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.search import of_kind
from expga.search.exhaustive import Exhaustive

QUERIES = {"batched": 2_000, "faithful": 500, "faithful with questions": 3_000}
SAMPLES = {"batched": 1_920, "faithful": 400}
GENERATIONS = {"batched": 300, "faithful": 10_000}
"""One sample at a time costs a model call each."""
RUNS = [(name, manner) for name, kind in of_kind("table").items() for manner in kind.manners]


@pytest.fixture(scope="module", params=RUNS, ids="-".join)
def run(request):
    return request.param


@pytest.fixture(scope="module")
def name(run):
    return run[0]


@pytest.fixture(scope="module")
def manner(run):
    return run[1]


@pytest.fixture(scope="module", autouse=True)
def _any_domain_is_small():
    """So that what would refuse these people for being too many combinations owes the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exhaustive, "limit", 10**9)
        yield


@pytest.fixture(scope="module", params=["data", "domain"])
def realism(request):
    return request.param


@pytest.fixture(scope="module")
def most(name, manner):
    """What an audit may ask: more where a strategy asks about much besides its samples."""
    return QUERIES["faithful with questions" if manner == "faithful" and name in ("sg", "adf") else manner]


@pytest.fixture(scope="module")
def audit(people, schema, biased, offered, name, manner, most, realism):
    """Audits by queries and not by the clock: of the biased rule, unless another is given."""

    def run(model=biased, frame=people, **options):
        settings = {"protected": "sex", "schema": schema, "max_queries": most} | options
        return expga.audit(offered(model, name), frame, strategy=name, manner=manner, realism=realism, **settings)

    return run


@pytest.fixture(scope="module")
def result(audit):
    return audit()


@pytest.fixture(scope="module")
def seen(watch, domain_of, people, biased, name, manner, realism):
    return watch(name, domain_of(people, realism), biased, batches=np.inf, manner=manner, samples=SAMPLES[manner])


class TestTrust:
    def test_the_same_seed_and_budget_find_the_same(self, audit, result):
        pd.testing.assert_frame_equal(audit().findings, result.findings)
        assert len(result.findings) > 10

    def test_another_seed_finds_others(self, audit, result):
        assert not result.findings.equals(audit(seed=1).findings)

    def test_every_finding_holds_when_the_model_is_asked_directly(self, result, biased):
        first, second = (biased(side).to_numpy() for side in result.twins())
        assert ((first > 0.5) != (second > 0.5)).all()
        assert (np.minimum(np.abs(first - 0.5), np.abs(second - 0.5)) > 1e-6).all()
        np.testing.assert_allclose(result.findings["score"], first)
        np.testing.assert_allclose(result.findings["score__twin"], second)
        np.testing.assert_allclose(result.findings["gap"], np.abs(first - second))
        assert result.findings["label"].tolist() == (first > 0.5).astype(int).tolist()

    def test_twins_differ_in_what_is_protected_and_nowhere_else(self, result):
        first, second = result.twins()
        assert (first["sex"] != second["sex"]).all()
        pd.testing.assert_frame_equal(first.drop(columns="sex"), second.drop(columns="sex"))

    def test_no_two_findings_are_equal_but_for_what_is_protected(self, result):
        first, _ = result.twins()
        assert not first.drop(columns="sex").duplicated().any()

    def test_a_model_that_ignores_the_attribute_is_never_accused(self, audit, fair):
        result = audit(model=fair)
        assert len(result.findings) == 0
        assert result.summary["tested"] > 100
        assert result.population.rate == 0


class TestBudget:
    @pytest.mark.parametrize("queries", [2, 3, 41, 501])
    def test_no_query_more_than_allowed(self, audit, queries):
        assert audit(max_queries=queries).summary["queries"]["total"] <= queries

    def test_not_even_where_a_single_row_has_more_readings(self, audit):
        summary = audit(protected=["sex", "job", "age"], schema=None, max_queries=25).summary
        assert summary["queries"]["total"] <= 25

    @pytest.mark.parametrize("queries", [5, 6, 10, 20])
    def test_the_least_of_explanations_is_done_without(self, audit, queries):
        assert audit(max_queries=queries, explainer="lime").summary["queries"]["total"] <= queries

    def test_hardly_a_query_fewer(self, result, seen, most):
        """But for a question to the model that the rest of the budget does not cover: that is all or nothing."""
        assert result.summary["stop_reason"] == "queries"
        assert result.summary["queries"]["total"] >= most - 1 - max(seen.probed, default=0)

    def test_every_question_to_the_model_is_counted(self, audit, biased):
        asked = []

        def counting(frame):
            asked.append(len(frame))
            return biased(frame)

        summary = audit(model=counting).summary
        assert sum(asked) == summary["queries"]["total"]

    def test_a_number_of_findings_ends_it_to_the_letter(self, audit):
        result = audit(max_findings=7, max_queries=100_000)
        assert len(result.findings) == 7
        assert result.summary["stop_reason"] == "findings"


class TestLimits:
    def test_what_is_protected_or_immutable_stays_the_anchors(self, seen):
        fixed = ~seen.domain.mutable
        np.testing.assert_array_equal(seen.genomes[:, fixed], seen.domain.rows[seen.anchor][:, fixed])
        moved = (seen.genomes != seen.domain.rows[seen.anchor]).any(axis=0)
        np.testing.assert_array_equal(moved, seen.domain.mutable)

    def test_an_anchor_is_a_row_within_bounds(self, seen, people):
        assert np.isin(seen.anchor, seen.domain.anchors).all()
        assert len(seen.domain.anchors) < len(people)

    def test_nothing_leaves_its_bounds(self, seen):
        assert seen.domain.frame(seen.genomes)["age"].between(25, 60).all()

    def test_findings_stay_within_bounds_and_keep_immutables(self, result, people):
        findings = result.findings
        assert findings["age"].between(25, 60).all()
        assert findings["town"].tolist() == people["town"].loc[findings["anchor"]].tolist()

    def test_only_without_realism_anything_leaves_its_radius(self, seen, realism):
        distance = seen.domain.distance(seen.genomes, seen.domain.rows[seen.anchor])
        assert (distance.max() > seen.domain.reach + 1e-9) == (realism == "domain")

    def test_a_finding_without_distance_is_its_anchor(self, result, people):
        real = people.loc[result.findings["anchor"]].drop(columns="sex").reset_index(drop=True)
        same = (result.twins()[0].drop(columns="sex").fillna(-1) == real.fillna(-1)).all(axis=1)
        assert (result.findings["distance"] == 0).tolist() == same.tolist()

    def test_a_finding_with_realism_lies_within_the_radius_that_is_reported(self, result, realism):
        radius = result.summary["radius"] if realism == "data" else np.inf
        assert result.findings["distance"].max() <= radius + 1e-9

    def test_only_without_realism_new_values_come_up(self, result, people, realism):
        real = all(result.findings[column].isin(people[column]).all() for column in ("age", "job", "hours", "debt"))
        assert real == (realism == "data")


class TestSearch:
    def test_every_individual_is_checked(self, seen):
        known = set()
        for batch, verdict in zip(seen.batches, seen.verdicts, strict=True):
            proposed = set(seen.domain.keys(batch.genomes))
            assert set(seen.domain.keys(batch.genomes[verdict.tested])) == proposed - known
            known |= proposed

    def test_it_finds_what_is_there(self, seen):
        assert seen.found > 30

    def test_it_spreads_over_many_rows(self, seen, name, manner):
        if manner == "faithful" and name in ("sg", "adf"):
            pytest.skip("it digs around its first hit for long, as its paper has it")
        assert len(set(seen.anchor)) > len(seen.domain.anchors) / 2

    def test_labels_alone_are_enough(self, audit, biased):
        result = audit(model=lambda frame: np.where(biased(frame) > 0.5, "hired", "rejected"))
        first, second = (biased(side).to_numpy() for side in result.twins())
        assert ((first > 0.5) != (second > 0.5)).all()
        assert len(result.findings) > 10

    def test_several_attributes_are_crossed(self, audit, biased):
        result = audit(protected=["sex", "job"], max_queries=1_500)
        first, second = result.twins()
        assert ((biased(first) > 0.5) != (biased(second) > 0.5)).all()
        assert not first.drop(columns=["sex", "job"]).duplicated().any()
        assert len(result.findings) > 10


class TestTheEnd:
    def test_a_tiny_domain_is_searched_to_its_end(self, audit):
        frame = pd.DataFrame({"sex": ["F", "M"] * 4, "a": [0, 0, 0, 0, 1, 1, 1, 1], "b": [0, 0, 1, 1, 0, 0, 1, 1]})

        def rule(rows):
            return rows["a"] + rows["b"] + (rows["sex"] == "M") > 1

        summary = audit(rule, frame, schema=None, max_queries=20_000).summary
        assert summary["stop_reason"] == "exhausted"
        assert (summary["tested"], summary["found"]) == (4, 2)

    def test_nothing_to_change_leaves_the_rows_themselves(self, audit, people):
        immutable = {"features": {column: {"immutable": True} for column in people if column != "sex"}}
        result = audit(schema=immutable, explainer=None, max_queries=20_000)
        assert result.summary["stop_reason"] == "exhausted"
        assert result.summary["tested"] == len(people.drop(columns="sex").drop_duplicates())
        assert (result.findings["distance"] == 0).all()

    def test_a_single_row_is_enough_to_start_from(self, audit, people):
        schema = {"protected": {"sex": {"values": ["Female", "Male"]}}}
        summary = audit(frame=people.head(1), schema=schema, max_queries=2_000).summary
        assert summary["stop_reason"] in ("exhausted", "queries")
        assert summary["tested"] >= 1

    def test_samples_without_a_twin_do_not_keep_it_going(self, audit, name, manner):
        """No query is ever spent on them, so no budget of queries would end it."""
        if name == "exhaustive":
            pytest.skip("goes on to the last of millions; does as much in its own tests, on a small table")
        schema = {"forbid": [{"sex": "Female"}]}
        summary = audit(schema=schema, explainer=None, max_generations=GENERATIONS[manner]).summary
        assert (summary["stop_reason"], summary["tested"]) == ("exhausted", 0)
        assert summary["population"]["rows_without_twin"] == 150
