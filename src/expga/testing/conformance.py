"""What every strategy owes, whatever it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args

import numpy as np
import pandas as pd
import pytest

from expga.api import replay
from expga.contracts import FloatArray
from expga.results import Audit
from expga.testing.case import Case, Extent, Target, cases_of
from expga.testing.specimen import Specimen

Demand = TypeVar("Demand", bound=Callable[..., None])

FOUND = 30
"""A search that works finds more than this with its usual budget, ..."""
SOME = 10
"""... and more than this where things are harder for it."""
TINY = (2, 3, 41)
LEAST = (4, 9, 10, 25)
"""Budgets that an explanation, or a sample under all names or readings, may be too dear for."""
UNTIL = 0.75
"""The share of its budget after which a run is interrupted: it is in its search by then."""


def in_each_manner(demand: Demand) -> Demand:
    """Made in each manner and with each realism of a target, but not with each in each."""
    demand.__dict__["extent"] = "in each manner"
    return demand


def once(demand: Demand) -> Demand:
    """Made once of a target, in its usual manner."""
    demand.__dict__["extent"] = "once"
    return demand


class Conformance:
    """The demands as tests of pytest: a class that inherits from this one says what they are made of.

    from expga.testing import Conformance, tables, texts

    class TestMine(Conformance):
        target = Mine
        subjects = [tables(), texts()]
    """

    target: Any
    """A strategy: its class, an object or a name; or a `Target`, which says what it costs or lacks; or a list."""
    subjects: Sequence[Specimen]
    """What it is tried on."""

    _cases: ClassVar[list[Case]]

    @classmethod
    def cases(cls) -> list[Case]:
        """The same objects for every demand, so that they share their runs."""
        if "_cases" not in vars(cls):
            given = cls.target if isinstance(cls.target, list | tuple) else [cls.target]
            targets = [one if isinstance(one, Target) else Target(one) for one in given]
            cls._cases = cases_of(targets, cls.subjects)
        return cls._cases

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Makes each demand as often as tells something new."""
        if "case" in metafunc.fixturenames:
            rank = get_args(Extent).index
            wanted = rank(getattr(metafunc.function, "extent", "everywhere"))
            chosen = [case for case in self.cases() if rank(case.extent) <= wanted]
            metafunc.parametrize("case", chosen, ids=map(_called, chosen), scope="class")

    # Trust: what is found is true, and can be found again.

    @in_each_manner
    def test_the_same_seed_and_budget_find_the_same(self, case: Case) -> None:
        pd.testing.assert_frame_equal(case.audit().findings, case.run.audit.findings)

    @in_each_manner
    def test_another_seed_finds_others(self, case: Case) -> None:
        if case.target.ignores_seed:
            pytest.skip("it draws nothing at random")
        others = case.audit(seed=1, max_findings=SOME).findings
        assert not case.run.audit.findings[:SOME].equals(others)

    def test_every_finding_holds_when_the_model_is_asked_directly(self, case: Case) -> None:
        """Its twins differ in what is protected and nowhere else, and no two findings are equal but for that."""
        audit = case.run.audit
        one, other = case.specimen.told(audit, case.specimen.biased)
        assert (_positive(one) != _positive(other)).all()
        assert (np.minimum(np.abs(one - 0.5), np.abs(other - 0.5)) > 1e-6).all()
        np.testing.assert_allclose(audit.column("score").astype(float), one)
        np.testing.assert_allclose(audit.column("score__twin").astype(float), other)
        np.testing.assert_allclose(audit.column("gap").astype(float), np.abs(one - other))
        assert audit.column("label").tolist() == _positive(one).astype(int).tolist()
        assert replay(audit, case.specimen.biased) == (len(one), len(one))
        case.specimen.check_twins(audit)
        case.specimen.check_findings(audit)

    @in_each_manner
    def test_a_model_that_ignores_the_attribute_is_never_accused(self, case: Case) -> None:
        audit = case.audit(case.asked(case.specimen.fair))
        assert len(audit.findings) == 0
        assert audit.population.rate == 0
        assert audit.summary["queries"]["population"] + audit.summary["queries"]["search"] > 100

    # The budget: it is kept, and it is used.

    @in_each_manner
    def test_no_more_is_asked_than_the_budget_allows(self, case: Case) -> None:
        for queries in TINY:
            model = case.asked()
            total = case.audit(model, max_queries=queries).summary["queries"]["total"]
            assert model.rows == total <= queries

    @once
    def test_not_even_where_a_single_question_is_dear(self, case: Case) -> None:
        for variation in case.specimen.dear:
            for queries in LEAST:
                model = case.asked()
                assert case.audit(model, variation, max_queries=queries).summary["queries"]["total"] <= queries
                assert model.rows <= queries

    def test_every_question_is_counted_and_the_budget_is_used(self, case: Case) -> None:
        """But for what the rest of the budget does not cover: a question to the model is all or nothing."""
        summary = case.run.audit.summary
        assert case.run.asked == summary["queries"]["total"] <= case.queries
        assert summary["stop_reason"] == "queries"
        assert case.queries - summary["queries"]["total"] < case.run.seen.wanted_last

    @in_each_manner
    def test_a_number_of_findings_ends_it_to_the_letter(self, case: Case) -> None:
        audit = case.audit(max_findings=7, max_queries=100_000)
        assert len(audit.findings) == 7
        assert audit.summary["stop_reason"] == "findings"

    @once
    def test_an_interrupted_run_keeps_what_it_found_and_goes_on_from_there(self, case: Case, tmp_path: Path) -> None:
        whole, until = case.run.audit.findings, UNTIL * case.queries
        try:
            cut = case.audit(case.asked(most=until), out=tmp_path)
        except KeyboardInterrupt:
            pytest.fail("the interruption came through")
        assert cut.summary["stop_reason"] == "interrupted"
        assert len(cut.findings) < len(whole)
        pd.testing.assert_frame_equal(cut.findings, whole[: len(cut.findings)])
        done = case.audit(out=tmp_path, resume=True)
        assert cut.summary["queries"]["total"] < done.summary["queries"]["total"] <= case.queries
        pd.testing.assert_frame_equal(done.findings[: len(cut.findings)], cut.findings)
        case.specimen.check_twins(done)

    # Limits: it asks about what it may, near real rows.

    def test_it_asks_about_what_it_may_and_about_nothing_twice(self, case: Case) -> None:
        seen = case.run.seen
        domain, genomes, anchor = seen.domain, seen.genomes, seen.anchor
        assert not (domain.mutable & domain.protected).any()
        fixed = ~domain.mutable
        np.testing.assert_array_equal(genomes[:, fixed], domain.rows[anchor][:, fixed])
        assert np.isin(anchor, domain.anchors).all()
        case.specimen.check_proposed(domain, genomes, anchor)
        assert case.run.audit.summary["refused"] == 0
        known: set[int] = set()
        for batch, verdict in seen.judged:
            proposed = set(domain.keys(batch.genomes).tolist())
            assert sorted(domain.keys(batch.genomes[verdict.tested]).tolist()) == sorted(proposed - known)
            known |= proposed

    def test_only_without_realism_it_goes_beyond_what_real_rows_show(self, case: Case) -> None:
        audit, seen = case.run.audit, case.run.seen
        reach = case.specimen.reach(seen.domain) + 1e-9
        distance = seen.domain.distance(seen.genomes, seen.domain.rows[seen.anchor])
        assert (distance.max() > reach) == (case.realism == "domain")
        strange = case.specimen.strange(audit)
        assert strange is None or strange.any() == (case.realism == "domain")
        assert case.realism == "domain" or audit.column("distance").max() <= reach

    # The search: it finds what is there, whatever the model answers with.

    def test_it_finds_what_is_there_and_spreads(self, case: Case) -> None:
        seen = case.run.seen
        assert len(case.run.audit.findings) > FOUND
        moved = (seen.genomes != seen.domain.rows[seen.anchor]).any(axis=0)
        np.testing.assert_array_equal(moved, seen.domain.mutable)
        if case.manner not in case.target.digs:
            assert len(set(seen.anchor.tolist())) > len(seen.seeds) / 2

    @once
    def test_labels_alone_are_enough(self, case: Case) -> None:
        audit = case.audit(case.asked(lambda rows: np.where(_positive(case.specimen.biased(rows)), "yes", "no")))
        assert {*audit.column("label"), *audit.column("label__twin")} == {"yes", "no"}
        one, other = case.specimen.told(audit, case.specimen.biased)
        assert (_positive(one) != _positive(other)).all()
        assert len(audit.findings) > SOME

    @in_each_manner
    def test_several_attributes_are_crossed(self, case: Case) -> None:
        if case.specimen.crossed is None:
            pytest.skip("the subject has one attribute only")
        audit = case.audit(None, case.specimen.crossed)
        one, other = case.specimen.told(audit, case.specimen.biased)
        assert (_positive(one) != _positive(other)).all()
        case.specimen.check_twins(audit)
        assert len(audit.findings) > SOME

    @once
    def test_decision_values_are_enough(self, case: Case) -> None:
        if case.strategy().needs_gradients:
            pytest.skip("it needs gradients, which this model does not offer")
        machine = _Machine(case.specimen)
        self._holds(case.audit(machine), machine)

    @once
    def test_three_classes_are_told_apart(self, case: Case) -> None:
        if case.strategy().needs_gradients:
            pytest.skip("it needs gradients, which there are of two classes only")

        def model(rows: Any) -> FloatArray:
            high = np.asarray(case.specimen.biased(rows))
            return np.column_stack([(1 - high) * 0.6, np.full(len(high), 0.4), high * 0.6])

        audit = case.audit(model)
        self._holds(audit, model)
        assert {1, 2} <= {*audit.column("label"), *audit.column("label__twin")}

    @once
    def test_another_threshold_counts(self, case: Case) -> None:
        audit = case.audit(threshold=0.8)
        one, other = case.specimen.told(audit, case.specimen.biased)
        assert ((one >= 0.8) != (other >= 0.8)).all()
        assert len(audit.findings) > SOME

    @once
    def test_a_gap_counts_where_it_is_to_count(self, case: Case) -> None:
        audit = case.audit(min_gap=0.1)
        one, other = case.specimen.told(audit, case.specimen.biased)
        assert (np.abs(one - other) >= 0.1).all()
        assert (_positive(one) == _positive(other)).any()
        assert len(audit.findings) > SOME

    # The end: it comes where there is nothing left to ask about.

    @in_each_manner
    def test_it_ends_where_nothing_new_is_left(self, case: Case) -> None:
        endings = case.specimen.endings(case.realism)
        if not endings:
            pytest.skip("the subject has no version with few samples")
        for ending in endings:
            audit = case.audit(None, ending, max_queries=50_000)
            assert audit.summary["stop_reason"] == "exhausted"
            assert ending.tested[0] <= audit.summary["tested"] <= ending.tested[1]
            assert ending.found[0] <= len(audit.findings) <= ending.found[1]
            assert not ending.fixed or (audit.column("distance") == 0).all()

    @once
    def test_a_single_row_is_enough_to_start_from(self, case: Case) -> None:
        if case.specimen.alone is None:
            pytest.skip("the subject has no version with a single row")
        summary = case.audit(None, case.specimen.alone).summary
        assert summary["stop_reason"] in ("exhausted", "queries")
        assert summary["tested"] >= 1

    @once
    def test_many_rows_are_searched_around(self, case: Case) -> None:
        if case.specimen.many is None:
            pytest.skip("the subject has no version with many rows")
        summary = case.audit(None, case.specimen.many, max_queries=4_000).summary
        assert summary["queries"]["total"] <= 4_000
        assert summary["found"] > FOUND

    @in_each_manner
    def test_samples_without_a_twin_do_not_keep_it_going(self, case: Case) -> None:
        """No query is ever spent on them, so no budget of queries would end it."""
        if case.specimen.twinless is None:
            pytest.skip("of this kind there is none without a twin")
        most = 300 if case.manner == "batched" else 10_000
        summary = case.audit(None, case.specimen.twinless, explainer=None, max_generations=most).summary
        assert (summary["stop_reason"], summary["tested"]) == ("exhausted", 0)

    def _holds(self, audit: Audit, model: Any) -> None:
        assert replay(audit, model) == (len(audit.findings),) * 2
        assert len(audit.findings) > SOME


class _Machine:
    """The biased model as one that has decision values and labels of its own."""

    classes_ = ("no", "yes")

    def __init__(self, specimen: Specimen) -> None:
        self._biased = specimen.biased

    def decision_function(self, rows: Any) -> FloatArray:
        score = np.asarray(self._biased(rows))
        return 5 * np.log(score / (1 - score))

    def predict(self, rows: Any) -> Any:
        return np.array(self.classes_)[_positive(self._biased(rows)).astype(int)]


def _positive(scores: Any) -> Any:
    """(n,) whether the biased model says yes."""
    return np.asarray(scores) > 0.5


def _called(case: Case) -> str:
    return "-".join([case.strategy().name, case.specimen.kind, case.manner, case.realism])
