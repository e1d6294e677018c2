"""Audits of predictions that are numbers: measured, searched, told, saved and replayed in their own unit."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import expga
from expga.errors import InputError

OPTIONS = {"protected": "sex", "max_queries": 2_000}


class Pay(LinearRegression):
    """Women lose 5,400 from the age of 40 on; a regressor by its tags."""

    def predict(self, frame):
        lost = (frame["sex"] == "female") & (frame["age"] >= 40)
        return 20_000 + 300 * frame["age"] - 5_400 * lost


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], 200),
            "age": rng.integers(20, 60, 200),
            "hours": rng.integers(1, 60, 200),
        }
    )


@pytest.fixture(scope="module")
def audit(people):
    return expga.audit(Pay(), people, min_gap=5_000, **OPTIONS)


def test_the_population_is_measured_by_the_gap(audit, people):
    assert audit.population.flipped == (people["age"] >= 40).sum()
    share = f"{audit.population.rate:.2%}"
    told = f"{share} of 200 real rows get a prediction that differs by at least 5,000 when only sex changes (95%"
    assert str(audit).startswith(told)


def test_findings_have_predictions_and_no_labels(audit):
    assert list(audit.findings.columns[4:]) == ["score", "score__twin", "gap", "anchor", "distance"]
    assert len(audit.findings) > 50
    np.testing.assert_allclose(audit.findings["gap"], 5_400, rtol=1e-8)
    np.testing.assert_allclose(audit.findings["score"], Pay().predict(audit.findings), rtol=1e-8)


def test_sentences_speak_of_predictions(audit):
    real, supposed, *_ = audit.sentences(2)
    age = int(audit.findings["age"][0])
    assert age >= 40
    assert " is predicted " in real
    assert " would be predicted " in supposed
    for sentence in (real, supposed):
        one, other = (float(number.replace(",", "")) for number in re.findall(r"\d\d,\d{3}", sentence))
        assert abs(one - other) == 5_400
        assert "score" not in sentence


def test_every_pair_holds_when_asked_again_also_after_saving(audit, tmp_path):
    kept = expga.Audit.load(audit.save(tmp_path / "out"))
    assert expga.replay(kept, Pay()) == (len(audit.findings),) * 2
    assert expga.replay(kept, lambda frame: Pay().predict(frame) * 0.9)[0] == 0
    assert kept.sentences() == audit.sentences()


def test_a_run_is_taken_up_again(people, tmp_path):
    options = {"protected": "sex", "min_gap": 5_000, "max_findings": 20, "out": tmp_path, "max_queries": 2_000}
    expga.audit(Pay(), people, **options)
    more = expga.audit(Pay(), people, resume=True, **{**options, "max_findings": 40})
    assert len(more.findings) == 40


@pytest.mark.parametrize("unit", [1.0, 1e-9])
def test_the_gap_itself_is_large_enough_and_the_unit_may_be_tiny(people, unit):
    def model(frame):
        return -unit * Pay().predict(frame)

    found = expga.audit(model, people, min_gap=5_400 * unit, **OPTIONS)
    assert found.population.flipped == (people["age"] >= 40).sum()
    assert len(found.findings) > 50


def test_a_gap_that_nothing_reaches_is_told_with_the_widest_there_is(people):
    (note,) = expga.audit(Pay(), people, min_gap=9_000, **OPTIONS).summary["notes"]
    assert note == "Nothing counted as different; the widest gap between the twins of a real row was 5400."


@pytest.mark.parametrize(
    ("strategy", "told"),
    [("sg", "sg follows labels, and this model predicts numbers; choose"), ("adf", "this model predicts numbers, not")],
)
def test_strategies_that_need_labels_are_refused(people, strategy, told):
    with pytest.raises(InputError, match=told):
        expga.audit(Pay(), people, min_gap=5_000, strategy=strategy, **OPTIONS)


@pytest.mark.parametrize("strategy", ["expga-published", "random", "aequitas", "exhaustive"])
def test_the_others_find_pairs_that_hold(people, strategy):
    found = expga.audit(Pay(), people, min_gap=5_000, strategy=strategy, **OPTIONS)
    assert expga.replay(found, Pay()) == (len(found.findings),) * 2
    assert len(found.findings) > 50


def test_they_are_not_repaired(audit, people):
    with pytest.raises(InputError, match="The audit is of predictions that are numbers, and repairs are for labels"):
        expga.retrain(Pay(), people, Pay().predict(people), audit)


def test_texts_too():
    letters = [f"I think {who} is the best of all {i} teachers ." for i in range(20) for who in ("he", "she")]

    def model(texts):
        return [100.0 + 40 * text.startswith("I think he") for text in texts]

    found = expga.audit(model, letters, protected="gender", min_gap=20, max_queries=400)
    assert expga.replay(found, model) == (len(found.findings),) * 2
    assert list(found.findings.columns[-5:]) == ["score", "score__twin", "gap", "anchor", "distance"]
    assert found.findings["score"].tolist() == found.findings["word"].map({"he": 140, "she": 100}).tolist()
    assert "100.00% of 40 real texts that mention gender get a prediction that differs by at least 20 when" in str(
        found
    )
    assert re.search("predicted (140 with “he” and 100 with “she”|100 with “she” and 140 with “he”): “", str(found))
