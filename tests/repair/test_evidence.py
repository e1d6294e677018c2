"""What is measured of a model: every figure against one computed by hand, or by another library."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import expga
from expga.contracts import Answers
from expga.errors import ModelError
from expga.repair import evidence
from expga.repair.evidence import Exam, asked, group_differences, quality
from expga.repair.pairs import pairs_of
from expga.repair.reader import Reader


def answers(labels, scores):
    labels = np.array(labels)
    return Answers(labels, np.array(scores, dtype=float), np.ones(len(labels)))


class TestQuality:
    def test_of_two_classes(self):
        second = np.array([0.1, 0.4, 0.35, 0.8])
        told = quality(answers([0, 0, 0, 1], np.column_stack([1 - second, second])), np.array([0, 0, 1, 1]))
        assert told == {"accuracy": 0.75, "balanced_accuracy": 0.75, "auc": 0.75}

    def test_balanced_accuracy_is_scikit_learns_even_where_a_model_says_what_nobody_is(self):
        labels, truth = np.array([2, 0, 1, 1, 0, 2]), np.array([0, 0, 1, 1, 0, 1])
        told = quality(answers(labels, np.eye(3)[labels]), truth)
        assert told["accuracy"] == pytest.approx(4 / 6)
        assert told["balanced_accuracy"] == pytest.approx((2 / 3 + 2 / 3) / 2)
        with pytest.warns(UserWarning, match="y_pred contains classes not in y_true"):
            assert told["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(truth, labels))

    def test_of_three_classes(self):
        rng = np.random.default_rng(0)
        truth = np.tile([0, 1, 2], 10)
        scores = rng.dirichlet(np.ones(3), 30)
        expected = roc_auc_score(truth, scores, multi_class="ovr")
        assert quality(answers(scores.argmax(axis=1), scores), truth)["auc"] == pytest.approx(expected)
        assert quality(answers(scores.argmax(axis=1), 7 * scores), truth)["auc"] == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("scores", "truth"),
        [
            pytest.param(np.full((4, 2), 0.5), [1, 1, 1, 1], id="one label"),
            pytest.param(np.full((4, 3), 0.5), [0, 1, 1, 0], id="a class that no row has"),
            pytest.param(np.array([[-1.0, 2, 3]] * 4), [0, 1, 2, 0], id="decision values of three classes"),
        ],
    )
    def test_there_may_be_no_auc_to_tell(self, scores, truth):
        assert quality(answers(np.zeros(4, dtype=int), scores), np.array(truth))["auc"] is None

    def test_a_row_without_any_vote_is_as_likely_of_each_class(self):
        scores = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
        told = quality(answers(scores.argmax(axis=1), scores), np.array([0, 1, 2, 0]))
        fair = np.where(scores.sum(axis=1, keepdims=True) == 0, 1 / 3, scores)
        assert told["auc"] == pytest.approx(roc_auc_score([0, 1, 2, 0], fair, multi_class="ovr"))


class TestGroups:
    """What fairlearn says of the same rows."""

    @pytest.mark.parametrize("groups", [2, 3, 7])
    @pytest.mark.parametrize("positive", [0.0, 0.05, 0.5, 1.0], ids="{:.0%} positive".format)
    def test_they_differ_as_in_fairlearn_even_where_one_has_no_positive_row(self, groups, positive):
        metrics = pytest.importorskip("fairlearn.metrics")
        rng = np.random.default_rng(groups)
        for rows in (groups, 20, 400):
            group = np.append(np.arange(groups), rng.integers(groups, size=rows - groups)).astype(str)
            truth, said = rng.random(rows) < positive, rng.random(rows) < rng.random(groups)[group.astype(int)]
            assert group_differences(said, truth, group) == {
                name: pytest.approx(getattr(metrics, name)(truth, said, sensitive_features=group))
                for name in ("demographic_parity_difference", "equalized_odds_difference")
            }


class Model:
    def __init__(self, classes, labels, scores):
        self.classes, self._answers = classes, answers(labels, scores)

    def ask(self, _):
        return self._answers


class TestNumbering:
    """A model fitted to a part of the rows may not have met all classes."""

    def test_classes_keep_their_known_numbers(self):
        model = Model(["c", "b"], [0, 1], [[0.7, 0.3], [0.2, 0.8]])
        got, number = asked(model, None, ["a", "b", "c"])
        assert number.tolist() == [2, 1]
        assert got.labels.tolist() == [2, 1]
        assert got.scores.tolist() == [[0, 0.3, 0.7], [0, 0.8, 0.2]]

    def test_a_new_class_has_a_number_of_its_own(self):
        got, _ = asked(Model(["a", "new"], [1, 0], [[0, 1], [1, 0]]), None, ["a", "b"])
        assert got.labels.tolist() == [3, 0]
        assert got.scores.shape == (2, 4)

    def test_other_names_for_all_of_them_come_in_the_same_order(self):
        got, number = asked(Model([0, 1], [1, 0], [[0.2, 0.8], [0.9, 0.1]]), None, ["no", "yes"])
        assert got.labels.tolist() == [1, 0]
        assert number.tolist() == [0, 1]


TRUTH = np.array([0, 1, 1, 0, 1, 0])


def prefers_men(rows):
    return np.where((rows["sex"] == "M") & (rows["age"] >= 30), 0.9, 0.1)


@pytest.fixture(scope="module")
def six():
    return pd.DataFrame(
        {"sex": ["F", "M", "F", "M", None, "F"], "age": [20, 40, 35, 25, 50, 60], "job": ["a"] * 5 + ["b"]}
    )


@pytest.fixture(scope="module")
def exam(six):
    train = pd.DataFrame({"sex": ["F", "M"] * 10, "age": range(22, 42), "job": ["a", "b"] * 10})
    audit = expga.audit(prefers_men, train, protected="sex", max_queries=300)
    pairs = pairs_of(audit, train.index)
    reader = Reader.of(audit.summary["settings"])
    some = pairs.some(np.arange(4))
    return Exam(
        reader=reader,
        classes=[0, 1],
        train=train,
        test=six,
        truth=TRUTH,
        held_out=some,
        strategies=("expga", "random"),
        max_queries=30,
        seed=0,
    )


@pytest.fixture(scope="module")
def told(exam):
    return exam.of(prefers_men)


class TestExam:
    """Six test rows, four findings kept aside, and a model that takes men from 30 on, of women none."""

    def test_quality_is_that_on_the_six(self, told):
        assert told["accuracy"] == pytest.approx(4 / 6)  # right about rows 0, 1, 3 and 5
        assert told["balanced_accuracy"] == pytest.approx((3 / 3 + 1 / 3) / 2)
        assert told["auc"] == pytest.approx(2 / 3)

    def test_findings_kept_aside_are_asked_about_again(self, exam, told):
        assert (told["held_out"]["rows"], told["held_out"]["flipped"]) == (4, 4)
        ages = sorted(exam.held_out.audit.findings["age"])
        halfway = (ages[1] + ages[2]) / 2

        def better(rows):
            return np.where((rows["sex"] == "M") & (rows["age"] >= halfway), 0.9, 0.1)

        assert exam.of(better)["held_out"]["flipped"] == 2

    def test_flips_are_those_of_rows_when_read_as_either_sex(self, told):
        assert told["flips_test"]["flipped"] == 4  # from 30 on
        assert told["flips_test"]["rows"] == 6
        assert told["flips_train"]["flipped"] == 12
        assert told["flips_train"]["rows"] == 20
        low, high = told["flips_test"]["ci95"]
        assert 0 < low < 4 / 6 < high < 1

    def test_how_often_a_model_disagrees_with_itself_stands_beside_it(self, exam, told):
        assert (told["placebo"]["rows"], told["placebo"]["flipped"], told["placebo"]["answers"]) == (6, 0, "alike")
        drawn = np.random.default_rng(0)
        random = replace(exam, strategies=()).of(lambda rows: drawn.choice([0.1, 0.9], len(rows)))
        assert random["placebo"]["answers"] == "random"
        assert random["placebo"]["flipped"] > 0

    def test_no_more_training_rows_are_asked_about_than_it_takes(self, exam, monkeypatch):
        monkeypatch.setattr(evidence, "MOST_ROWS", 7)
        assert exam.of(prefers_men)["flips_train"]["rows"] == 7

    def test_every_search_is_a_fresh_audit_near_the_six_within_its_queries(self, told):
        assert list(told["searches"]) == ["expga", "random"]
        for search in told["searches"].values():
            assert 0 < search["found"] <= search["tested"]
            assert 0 < search["queries"] <= 30
            assert search["findings_per_query"] == search["bred"] / search["queries"]
            assert 0 <= search["bred"] <= search["found"]
            assert search["success_rate"] == search["found"] / search["tested"]
            assert search["distinct_anchors"] <= 6

    def test_groups_differ_by_what_is_known_of_them(self, told):
        """Among women (0, 2, 5) none is taken, among men (1, 3) one of two; nobody knows of the fifth row."""
        assert told["groups"] == {
            "sex": {"demographic_parity_difference": 0.5, "equalized_odds_difference": 1.0},
        }

    def test_one_group_alone_differs_from_none(self, exam, six):
        women = replace(exam, test=six.assign(sex="F"), strategies=())
        assert women.of(prefers_men)["groups"] == {}

    def test_a_model_of_three_classes_has_no_positive_one_to_compare_groups_by(self, exam):
        def three(rows):
            return np.eye(3)[(rows["age"].to_numpy() % 3)]

        settings = {**exam.reader.settings, "positive": None, "classes": [0, 1, 2]}
        told = replace(exam, reader=Reader.of(settings), classes=[0, 1, 2], strategies=()).of(three)
        assert told["groups"] == {}

    def test_a_search_that_cannot_be_made_has_no_figures(self, exam):
        told = replace(exam, strategies=("adf", "random")).of(prefers_men)
        assert told["searches"]["random"]["found"] > 0
        assert told["searches"]["adf"]["found"] is None
        assert "gradients" in told["searches"]["adf"]["failed"]

    @pytest.mark.parametrize("most", [0, 1, 2, 4, 5, 6, 8, 9])
    def test_a_model_that_fails_at_any_time_is_one_sentence(self, exam, most):
        calls = []

        def tired(rows):
            calls.append(len(rows))
            if len(calls) > most:
                raise ValueError("too tired")
            return prefers_men(rows)

        with pytest.raises(ModelError, match="too tired"):
            replace(exam, strategies=("random",)).of(tired)
