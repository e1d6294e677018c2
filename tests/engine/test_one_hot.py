"""Whole audits of tables of 0 and 1: rates as brute force has them, people who have one sex each, pairs that hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.results import Audit


@pytest.fixture(scope="module")
def people():
    """(600, 7) of 0 and 1, and an age."""
    rng = np.random.default_rng(5)
    plain = pd.DataFrame(
        {
            "sex": rng.choice(["Female", "Male"], 600),
            "job": rng.choice(["clerk", "cook", "nurse", "smith"], 600),
            "age": rng.integers(18, 80, 600),
        }
    )
    return pd.get_dummies(plain)


def score(frame):
    """Men are favoured, and whoever has no sex, or two, even more."""
    sexes = frame["sex_Male"].astype(int) + frame["sex_Female"].astype(int)
    return 1 / (1 + np.exp(-(0.08 * (frame["age"] - 50) + frame["sex_Male"] + frame["job_cook"] + 3 * (sexes != 1))))


@pytest.fixture(scope="module")
def audit(people):
    return expga.audit(score, people, protected=["sex_Male"], max_queries=6_000, realism="domain")


def test_the_flip_rate_is_that_of_exchanging_both_columns(people, audit):
    twins = people.assign(sex_Male=people["sex_Female"], sex_Female=people["sex_Male"])
    flips = (score(people) > 0.5) != (score(twins) > 0.5)
    assert (audit.population.rows, audit.population.flipped) == (600, flips.sum())
    assert audit.summary["protected"] == ["sex"]
    assert any("read as one feature: sex (sex_Female, sex_Male), job (4 columns)" in n for n in audit.summary["notes"])


def test_every_sample_has_one_sex_and_one_job(audit):
    assert audit.summary["found"] > 30
    for asked in audit.asked()[0]:
        assert (asked[["sex_Female", "sex_Male"]].sum(axis=1) == 1).all()
        assert (asked.filter(like="job_").sum(axis=1) == 1).all()


def test_findings_show_values_and_no_columns_of_them(audit):
    assert set(audit.findings["sex"]) | set(audit.findings["sex__twin"]) == {"Female", "Male"}
    assert "sex_Male" not in audit.findings
    assert " as Female " in str(audit)


def test_pairs_that_were_saved_hold(audit, tmp_path):
    audit.save(tmp_path)
    again = Audit.load(tmp_path)
    assert expga.replay(again, score) == (audit.summary["found"],) * 2
    pd.testing.assert_frame_equal(again.asked()[0][0], audit.asked()[0][0])


def test_a_model_that_is_averaged_over_the_feature_cannot_flip(people, audit):
    labels = np.where(score(people) > 0.5, 1, 0)
    fairer = expga.retrain(
        score, people, labels, audit, repair="average", repeats=1, max_queries=60, fit=lambda *_: score
    )
    assert fairer.summary["runs"][0]["repairs"]["average"]["flips_test"]["flipped"] == 0


def test_gradients_are_of_features(people):
    from sklearn.linear_model import LogisticRegression

    labels = (score(people) > 0.5).astype(int)
    model = LogisticRegression(max_iter=1_000).fit(people.astype(float), labels)
    audit = expga.audit(model, people.astype(float), protected=["sex"], strategy="adf", max_queries=3_000)
    assert audit.summary["found"] > 30
    assert expga.replay(audit, model) == (audit.summary["found"],) * 2


@pytest.mark.parametrize("name", expga.datasets.names())
def test_nothing_of_the_data_sets_is_taken_for_it(name):
    from expga.domain.onehot import recognised

    assert recognised(expga.datasets.load(name).frame, {}, ["sex"]) == []
