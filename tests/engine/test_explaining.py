"""Which rows a search begins with: by their gaps, by an explanation, or at random."""

from __future__ import annotations

import numpy as np
import pytest

import expga


def by_age(frame):
    """Sex hardly counts, age does."""
    score = 0.5 + (frame["age"] - 44) / 60 + 0.01 * (frame["sex"] == "male")
    return np.clip(score, 0, 1).to_numpy(dtype=float)


@pytest.mark.parametrize(
    ("explainer", "asks"), [("auto", False), ("gap", False), (None, False), ("lime", True), ("shap", True)]
)
def test_what_explaining_asks_is_counted_under_its_own_name(unfair, people, explainer, asks):
    sizes = []

    def counting(frame):
        sizes.append(len(frame))
        return unfair(frame)

    audit = expga.audit(counting, people, protected="sex", max_queries=3_000, explainer=explainer)
    queries = audit.summary["queries"]
    assert (queries["explain"] > 0) == asks
    assert queries["explain"] <= 0.2 * 3_000
    assert sum(sizes) == queries["total"] <= 3_000
    assert audit.summary["found"] > 0
    assert [note for note in audit.summary["notes"] if "How typical" not in note] == []


def test_the_published_strategy_explains_by_lime_unless_told_otherwise(unfair, people):
    audit = expga.audit(unfair, people, protected="sex", max_queries=2_000, strategy="expga-published")
    assert audit.summary["settings"]["explainer"] == "lime"
    assert audit.summary["queries"]["explain"] > 0


def test_a_rank_that_lets_no_row_in_is_noted_and_the_best_ranked_come_in(people):
    audit = expga.audit(by_age, people, protected="sex", max_queries=3_000, explainer="lime", epsilon=1)
    assert len(audit.summary["notes"]) == 1
    assert "among its first 1" in audit.summary["notes"][0]
    assert audit.summary["tested"] > 0


def test_a_rank_that_lets_all_rows_in_is_not_worth_a_note(people):
    audit = expga.audit(by_age, people, protected="sex", max_queries=3_000, explainer="lime", epsilon=4)
    assert audit.summary["notes"] == []


def test_a_budget_that_pays_for_no_explanation_is_noted_and_seeds_are_random(unfair, people):
    audit = expga.audit(unfair, people, protected="sex", max_queries=60, explainer="shap")
    assert audit.summary["queries"]["explain"] == 0
    assert "too small to explain" in audit.summary["notes"][0]


def test_the_search_begins_with_real_rows_that_flip(unfair, people):
    audit = expga.audit(unfair, people, protected="sex", max_queries=3_000, max_findings=20)
    assert (audit.findings["distance"] == 0).all()
