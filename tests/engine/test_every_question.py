"""Every question counts: rows counted inside a model are those of the summary, and never more than allowed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError
from expga.search import of_kind
from expga.search.exhaustive import Exhaustive

BUDGETS = [1, 2, 7, 8, 20, 100, 1_000]


class Counted:
    """The rows that a model was asked about, each once for every function that was handed it."""

    def __init__(self):
        self.asked = 0

    def hires(self, frame):
        """How likely a person is to be hired."""
        self.asked += len(frame)
        worth = frame["age"] + 12 * (frame["sex"] == "male") + (frame["hours"].fillna(38) - 38) / 4
        return (1 / (1 + np.exp(-(worth - 45) / 6))).to_numpy()


class Probability(Counted):
    def __call__(self, frame):
        return self.hires(frame)


class Words(Counted):
    def __call__(self, frame):
        return np.where(self.hires(frame) > 0.5, "hired", "rejected")


class Levels(Counted):
    def __call__(self, frame):
        return np.digitize(self.hires(frame), [0.2, 0.5, 0.8])


class ThreeScores(Counted):
    def __call__(self, frame):
        high = self.hires(frame)
        return np.column_stack([(1 - high) * 0.6, np.full(len(high), 0.4), high * 0.6])


class OnlyPredict(Counted):
    classes_ = np.array(["no", "yes"])

    def predict(self, frame):
        return self.classes_[(self.hires(frame) > 0.5).astype(int)]


class Estimator(OnlyPredict):
    """Its scores decide, which only asking both of many rows can show."""

    def predict_proba(self, frame):
        high = self.hires(frame)
        return np.column_stack([1 - high, high])


class OfItsOwnMind(Estimator):
    """Its scores do not decide."""

    def predict(self, frame):
        return self.classes_[(self.hires(frame) > 0.7).astype(int)]

    def decision_function(self, frame):
        return self.hires(frame) - 0.5


class WithGradients(Probability):
    """Gradients for those that follow them."""

    def gradients(self, frame):
        self.asked += len(frame)
        return np.tile([float(pd.api.types.is_numeric_dtype(dtype)) for dtype in frame.dtypes], (len(frame), 1))


MODELS = [Probability, Words, Levels, ThreeScores, OnlyPredict, Estimator, OfItsOwnMind]


def within(model, X, most, **options):
    """What was asked of a model is what the summary says, and no more than allowed."""
    settings = {"protected": "sex", "max_queries": most, **options}
    try:
        queries = expga.audit(model, X, **settings).summary["queries"]
    except InputError as error:
        # Functions of the same row are one question: without an answer from each, nothing is known of the model.
        return model.asked == 0 and most < 3 and f"{most}, does not cover the first question to the model" in str(error)
    phases = ("trial", "placebo", "population", "explain", "search")
    return model.asked == queries["total"] == sum(queries[phase] for phase in phases) <= most


@pytest.mark.parametrize("most", BUDGETS)
class TestBudgetsHold:
    @pytest.mark.parametrize("kind", MODELS)
    def test_for_models_of_any_kind(self, people, kind, most):
        assert within(kind(), people, most)

    @pytest.mark.parametrize("kind", [Probability, Estimator, OfItsOwnMind])
    def test_where_gaps_count(self, people, kind, most):
        assert within(kind(), people, most, min_gap=0.05)

    @pytest.mark.parametrize("kind", [Words, Estimator])
    def test_with_several_attributes(self, people, kind, most):
        assert within(kind(), people, most, protected=["sex", "job"])

    @pytest.mark.parametrize("kind", [Probability, Estimator, OfItsOwnMind])
    @pytest.mark.parametrize("explainer", ["lime", "shap"])
    def test_where_rows_are_explained(self, people, kind, explainer, most):
        assert within(kind(), people, most, explainer=explainer)

    def test_where_values_are_missing(self, people, most):
        gaps = people.assign(hours=people["hours"].mask(np.arange(150) == 40))
        assert within(Estimator(), gaps, most)


@pytest.mark.parametrize("most", [8, 20, 100, 1_000])
@pytest.mark.parametrize("strategy", of_kind("table"))
def test_budgets_hold_for_every_strategy(people, strategy, most, monkeypatch):
    monkeypatch.setattr(Exhaustive, "limit", 10**9)
    kinds = [WithGradients] if of_kind("table")[strategy].needs_gradients else [Words, Estimator]
    for kind in kinds:
        assert within(kind(), people, most, strategy=strategy)


def liked(counted, texts):
    counted.asked += len(texts)
    return np.array(
        [0.5 + 0.3 * (" he " in text) + 0.15 * ("Maria" in text) - 0.2 * ("hated" in text) for text in texts]
    )


class Reader(Counted):
    def __call__(self, texts):
        return liked(self, texts)


class ReadingEstimator(OnlyPredict):
    def predict(self, texts):
        return self.classes_[(liked(self, texts) > 0.5).astype(int)]

    def predict_proba(self, texts):
        high = liked(self, texts)
        return np.column_stack([1 - high, high])


@pytest.mark.parametrize("most", BUDGETS)
@pytest.mark.parametrize("strategy", of_kind("text"))
def test_budgets_hold_for_texts_with_names(letters, strategy, most):
    for kind in (Reader, ReadingEstimator):
        assert within(kind(), letters[:40], most, protected="gender", strategy=strategy)


@pytest.mark.parametrize(("most", "asked"), [(1, 1), (2, 1), (3, 3), (8, 8)])
def test_what_a_tiny_budget_is_spent_on(people, most, asked):
    """Half of it on the trial at most, but for its first row; then on a row of the population, then on the search."""
    model = Probability()
    summary = expga.audit(model, people, protected="sex", max_queries=most).summary
    assert model.asked == asked
    assert summary["queries"]["trial"] == max(1, most // 2)
    assert summary["population"]["rows"] == (1 if most > 2 else 0)
    assert summary["stop_reason"] == "queries"


@pytest.mark.parametrize(("kind", "takes"), [(Estimator, 2), (OfItsOwnMind, 3)])
def test_a_budget_below_the_first_question_is_refused(people, kind, takes):
    model = kind()
    with pytest.raises(InputError, match=f"The budget of queries, 1, does not .* takes up to {takes}; give more"):
        expga.audit(model, people, protected="sex", max_queries=1)
    assert model.asked == 0


@pytest.mark.parametrize("most", [100, 1_000, 100_000])
def test_a_trial_takes_a_small_share(people, most):
    summary = expga.audit(Probability(), people, protected="sex", max_queries=most, max_generations=1).summary
    assert summary["queries"]["trial"] == {100: 8, 1_000: 50, 100_000: 150}[most]


def test_what_is_asked_twice_counts_where_it_is_asked(people):
    """After a trial of 25 rows, both functions are asked about 125 more: as many as 150 rows take, then only one."""
    summary = expga.audit(Estimator(), people, protected="sex", max_queries=1_000).summary
    assert summary["queries"]["trial"] == 50
    assert summary["queries"]["population"] > 2 * summary["population"]["rows"]


def test_seconds_inside_the_model_are_told_by_phase(people):
    summary = expga.audit(Estimator(), people, protected="sex", max_queries=300, explainer=None).summary
    assert set(summary["model_s_by_phase"]) == {"trial", "placebo", "population", "explain", "search"}
    assert summary["model_s_by_phase"]["trial"] > 0
    assert summary["model_s"] == pytest.approx(sum(summary["model_s_by_phase"].values()))


class TestTakenUpAgain:
    @pytest.mark.parametrize("more", [0, 5, 40, 400])
    def test_a_run_keeps_to_its_budget_but_for_the_row_that_it_knows_the_model_by(self, people, tmp_path, more):
        model = Estimator()
        first = expga.audit(model, people, protected="sex", max_queries=300, out=tmp_path).summary["queries"]
        again = expga.audit(model, people, protected="sex", max_queries=300 + more, out=tmp_path, resume=True).summary[
            "queries"
        ]
        assert model.asked == again["total"] <= max(300 + more, first["total"] + 2)
        assert again["trial"] > first["trial"]

    def test_labels_keep_their_numbers_whatever_the_trial_shows(self, people, tmp_path):
        """Findings are kept with the numbers of labels, and a rare label may be met late, or early the next time."""

        def model(frame):
            return np.where(
                frame["age"] > 66, "aged", np.where((frame["sex"] == "male") & (frame["age"] > 30), "x", "b")
            )

        options = {"protected": "sex", "realism": "domain", "out": tmp_path}
        before = expga.audit(model, people, max_queries=150, **options)
        after = expga.audit(model, people, max_queries=3_000, resume=True, **options)
        old = after.findings[: len(before.findings)]
        assert len(old) > 0
        assert old["label"].tolist() == before.findings["label"].tolist()
        assert expga.replay(after, model) == (len(after.findings),) * 2
        classes = [audit.summary["settings"]["classes"] for audit in (before, after)]
        assert classes[1][: len(classes[0])] == classes[0]
