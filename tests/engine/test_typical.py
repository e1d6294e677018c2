"""The typical share of findings: measured by trees that took no part, beside what real rows and swaps get."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.domain.people import with_swaps
from expga.jury import FEWEST, Jury


def rows_of(count, seed=0):
    """(count, 4) numbers: the second and third hang on the first."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=count)
    return np.column_stack(
        [first, first + rng.normal(0, 0.1, count), rng.normal(0, 0.1, count) - first, rng.random(count)]
    )


@pytest.fixture(scope="module")
def jury():
    return Jury.of(rows_of(3_000))


class TestJury:
    def test_fresh_rows_pass_as_often_as_it_says(self, jury):
        told = jury.judge(rows_of(3_000, seed=1))
        assert told.of_rows == pytest.approx(0.95, abs=0.02)
        assert told.share == pytest.approx(told.of_rows, abs=0.03)

    def test_swaps_pass_as_often_as_it_says(self, jury):
        swapped = with_swaps(rows_of(3_000, seed=1), np.arange(4), 3_000, np.random.default_rng(0), most=1)
        told = jury.judge(swapped)
        assert told.of_swaps < 0.6
        assert told.share == pytest.approx(told.of_swaps, abs=0.05)

    def test_findings_near_rows_that_taught_are_left_out(self):
        rows = rows_of(400)
        jury = Jury.of(rows)
        everyone = np.arange(400)
        far = rows.copy()
        far[:, 1] = np.where(rows[:, 0] > 0, -3.0, 3.0)
        taught = np.flatnonzero(jury._taught)
        assert len(taught) == 200
        mixed = np.where(np.isin(everyone, taught)[:, None], rows, far)
        assert jury.judge(mixed, everyone).share < 0.1
        assert jury.judge(mixed).share > 0.4
        assert jury.judge(rows[taught], taught) is None

    def test_the_same_rows_make_the_same_jury(self, jury):
        found = rows_of(500, seed=2)
        assert Jury.of(rows_of(3_000)).judge(found) == jury.judge(found)

    def test_few_rows_make_none(self):
        assert Jury.of(rows_of(FEWEST - 1)) is None
        assert Jury.of(np.zeros((FEWEST, 0))) is None


def applicants(count):
    data = pd.DataFrame(rows_of(count).round(2), columns=["pay", "spent", "saved", "luck"])
    return data.assign(sex=np.random.default_rng(5).choice(["f", "m"], count))


def unfair(frame):
    return (frame["pay"] + 0.4 * (frame["sex"] == "m") > 0.1).to_numpy().astype(float)


def audited(count, **options):
    return expga.audit(unfair, applicants(count), protected="sex", max_queries=3_000, seed=0, **options)


@pytest.fixture(scope="module")
def audit():
    return audited(600)


class TestAudit:
    def test_a_summary_has_it_beside_what_rows_and_swaps_get(self, audit):
        summary = audit.summary
        assert (audit.findings["distance"] > 0).any()
        assert 0.3 < summary["typical_share"] <= 1
        assert summary["typical_share_of_rows"] == pytest.approx(0.95, abs=0.04)
        assert summary["typical_share_of_swaps"] < 0.7

    def test_it_is_what_people_see_first(self, audit):
        told = dict(audit.subject.figures(audit.summary))
        assert told["typical"].startswith(f"{audit.summary['typical_share']:.1%} look like real rows")
        assert "near" not in told

    def test_of_few_rows_it_says_that_nearness_is_all_that_is_known(self):
        audit = audited(150)
        assert audit.summary["typical_share"] is audit.summary["typical_share_of_swaps"] is None
        assert audit.summary["plausible_share"] > 0
        assert any("can be learned from 200 rows or more, and here are 150" in note for note in audit.summary["notes"])
        assert "near" in dict(audit.subject.figures(audit.summary))

    def test_where_values_tell_nothing_of_each_other_a_note_says_so(self):
        rng = np.random.default_rng(0)
        frame = applicants(600).assign(spent=rng.random(600), saved=rng.random(600))
        audit = expga.audit(unfair, frame, protected="sex", max_queries=3_000)
        assert any("tell too little of each other" in note for note in audit.summary["notes"])
        assert audit.summary["typical_share"] is not None

    def test_real_rows_alone_need_no_judging(self):
        audit = audited(600, max_findings=1)
        assert audit.summary["typical_share"] is None
        assert not any("typical" in note for note in audit.summary["notes"])

    def test_an_audit_from_before_there_was_one_is_still_told(self, audit):
        old = {name: value for name, value in audit.summary.items() if not name.startswith("typical")}
        assert "near" in dict(audit.subject.figures(old))
