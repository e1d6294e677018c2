"""The average over all protected values: what it says, what it takes, and that a file holds it."""

from __future__ import annotations

import json

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier

import expga
from expga.criterion import Flip, as_saved
from expga.errors import InputError
from expga.models import wrap
from expga.models.load import load_model
from expga.models.save import SavedModel
from expga.repair import Averaged
from expga.repair.reader import Reader
from expga.subjects import Trying
from expga.subjects.table.subject import table_subject


def reader_of(model, X, protected, schema=None, positive=None, threshold=None):
    """How an audit of X would read rows, as a file of it says."""
    subject = table_subject(model, X, protected, schema, "data", Trying(positive=positive, threshold=threshold))
    settings = {
        **subject.settings,
        "protected": list(protected),
        "rules": subject.rules,
        "positive": None if subject.positive is None else subject.model.classes[subject.positive],
        "threshold": threshold,
        "criterion": as_saved(Flip()),
        "numbered": True,
        "classes": list(subject.model.classes),
    }
    return Reader.of(json.loads(json.dumps(settings)))


def average_of(model, X, protected=("sex",), shares=None, **rules):
    reader = reader_of(model, X, protected, **rules)
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=reader.settings["features"])
    return Averaged.of(model, reader, rows, None if shares is None else np.array(shares))


@pytest.fixture
def frame():
    return pd.DataFrame({"sex": ["F", "M", "F", "M"], "age": [20, 40, 60, 80], "job": list("abab")})


def score(rows):
    return rows["age"].to_numpy() / 100 + 0.1 * (rows["sex"] == "M").to_numpy()


class Rule:
    """An estimator around `score`, with the methods asked for."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, *methods, at=0.5):
        self.at = at
        for name in methods:
            setattr(self, name, getattr(self, f"_{name}"))

    def predict(self, rows):
        return self.classes_[(score(rows) > self.at).astype(int)]

    def _predict_proba(self, rows):
        return np.column_stack([1 - score(rows), score(rows)])

    def _decision_function(self, rows):
        return score(rows) - self.at


class TestWhatItSays:
    def test_probabilities_are_averaged(self, frame):
        average = average_of(Rule("predict_proba"), frame)
        np.testing.assert_allclose(average.predict_proba(frame)[:, 1], [0.25, 0.45, 0.65, 0.85])
        assert average.predict(frame).tolist() == ["no", "no", "yes", "yes"]
        assert not hasattr(average, "decision_function")

    def test_readings_count_by_their_shares(self, frame):
        average = average_of(Rule("predict_proba"), frame, shares=[0.2, 0.8])
        np.testing.assert_allclose(average.predict_proba(frame)[:, 1], [0.28, 0.48, 0.68, 0.88])

    def test_decision_values_are_averaged(self, frame):
        average = average_of(Rule("decision_function"), frame)
        np.testing.assert_allclose(average.decision_function(frame), [-0.25, -0.05, 0.15, 0.35], atol=1e-12)
        assert average.predict(frame).tolist() == ["no", "no", "yes", "yes"]
        assert not hasattr(average, "predict_proba")

    @pytest.mark.parametrize("methods", [(), ("predict_proba",)])
    def test_labels_are_votes_where_there_are_no_scores_or_they_do_not_decide(self, frame, methods):
        average = average_of(Rule(*methods, at=0.65), frame, shares=[0.3, 0.7])
        assert average.kind == "votes"
        np.testing.assert_allclose(average.predict_proba(frame)[:, 1], [0, 0, 0.7, 1])
        assert average.predict(frame).tolist() == ["no", "no", "yes", "yes"]

    def test_a_classifier_with_a_threshold_of_its_own_keeps_it(self, points):
        X, y = points
        model = FixedThresholdClassifier(LogisticRegression(), threshold=0.2).fit(X, y)
        average = average_of(model, X, ["x1"])
        twins = np.array([model.predict(np.column_stack([X[:, 0], np.full(60, value), X[:, 2]])) for value in (0, 1)])
        agreed = twins[0] == twins[1]
        assert 0 < agreed.sum() < 60
        assert (average.predict(X) == twins[0])[agreed].all()

    def test_several_classes(self, frame):
        def model(rows):
            low, high = 1 - score(rows), score(rows)
            return np.column_stack([low, 0.6 * np.ones(len(rows)), high])

        average = average_of(model, frame)
        assert average.predict(frame).tolist() == [0, 1, 2, 2]
        np.testing.assert_allclose(average.predict_proba(frame)[1], [0.55, 0.6, 0.45])

    @pytest.mark.parametrize(
        ("positive", "threshold", "labels"),
        [("yes", 0.6, "nnyy"), ("yes", 0.7, "nnny"), ("no", 0.5, "nnyy"), ("no", 0.3, "nnny"), ("yes", 0.25, "yyyy")],
    )
    def test_the_users_threshold_decides(self, frame, positive, threshold, labels):
        average = average_of(Rule("predict_proba"), frame, positive=positive, threshold=threshold)
        assert "".join(label[0] for label in average.predict(frame)) == labels
        wrapped, number = Reader.of(average.settings).wrapped(average, frame)
        answers = wrapped.ask(frame)
        assert "".join(wrapped.classes[label][0] for label in answers.labels) == labels
        np.testing.assert_allclose(answers.scores, average.predict_proba(frame))
        assert wrapped.classes[number] == positive

    def test_decision_values_may_have_a_threshold_too(self, frame):
        average = average_of(Rule("decision_function"), frame, threshold=0.3)
        assert average.predict(frame).tolist() == ["no", "no", "no", "yes"]
        wrapped, _ = Reader.of(average.settings).wrapped(average, frame)
        assert wrapped.ask(frame).labels.tolist() == [0, 0, 0, 1]

    def test_points_on_a_scale_of_ones_own_have_a_threshold_too(self, frame):
        average = average_of(lambda rows: 1_000 * score(rows), frame, threshold=500)
        assert average.predict(frame).tolist() == [0, 0, 1, 1]
        wrapped, _ = Reader.of(average.settings).wrapped(average, frame)
        assert wrapped.ask(frame).labels.tolist() == [0, 0, 1, 1]

    def test_a_row_that_no_reading_is_possible_for_is_answered_too(self, frame):
        average = average_of(Rule("predict_proba"), frame, schema={"forbid": [{"age": 40}]})
        np.testing.assert_allclose(average.predict_proba(frame)[:, 1], [0.25, 0.4, 0.65, 0.85])

    def test_only_possible_readings_count(self, frame):
        average = average_of(Rule("predict_proba"), frame, schema={"forbid": [{"age": 40, "sex": "F"}]})
        np.testing.assert_allclose(average.predict_proba(frame)[:, 1], [0.25, 0.5, 0.65, 0.85])

    def test_linked_columns_move_along(self):
        frame = pd.DataFrame({"sex": ["F", "M"], "role": ["wife", "husband"], "age": [30, 30]})
        link = {"protected": {"sex": {"link": [{"role": {"F": "wife", "M": "husband"}}]}}}
        asked = []

        def model(rows):
            asked.extend(zip(rows["sex"], rows["role"], strict=True))
            return np.full(len(rows), 0.3)

        average = average_of(model, frame, schema=link)
        asked.clear()
        average.predict(frame)
        assert set(asked) == {("F", "wife"), ("M", "husband")}


class TestOtherRows:
    def test_values_that_were_never_seen(self, frame):
        average = average_of(Rule("predict_proba"), frame)
        rows = pd.DataFrame({"sex": ["X", None, "F"], "age": [10.5, 90.0, 7.0], "job": ["new", None, "a"]})
        np.testing.assert_allclose(average.predict_proba(rows)[:, 1], [0.155, 0.95, 0.12])

    def test_one_row_is_enough_in_any_order_of_columns_among_others(self, frame):
        average = average_of(Rule("predict_proba"), frame)
        row = frame.iloc[[2]].assign(more=1)[["more", "job", "age", "sex"]]
        np.testing.assert_allclose(average.predict_proba(row)[:, 1], [0.65])

    def test_no_rows_have_no_answers(self, frame):
        for methods in ("predict_proba", "decision_function"):
            average = average_of(Rule(methods), frame)
            assert average.predict(frame[:0]).tolist() == []
            assert len(getattr(average, methods)(frame[:0])) == 0

    def test_arrays(self, points):
        X, y = points
        model = LogisticRegression().fit(X, y)
        average = average_of(model, X, ["x1"])
        twins = [model.predict_proba(np.column_stack([X[:, 0], np.full(60, value), X[:, 2]])) for value in (0.0, 1.0)]
        np.testing.assert_allclose(average.predict_proba(X), np.mean(twins, axis=0), atol=1e-9)
        assert average.predict(X[:0]).tolist() == []

    def test_a_missing_column_is_one_sentence(self, frame):
        average = average_of(Rule("predict_proba"), frame)
        with pytest.raises(InputError, match="The rows lack the column 'age', which the model takes"):
            average.predict(frame.drop(columns="age"))

    @pytest.mark.parametrize("shape", [(2, 2), (2, 4), (3,), (0,)])
    def test_an_array_of_another_shape_is_one_sentence(self, points, shape):
        average = average_of(LogisticRegression().fit(*points), points[0], ["x1"])
        with pytest.raises(InputError, match=r"have the shape .*; the model takes 3 columns"):
            average.predict(np.zeros(shape))

    def test_a_label_that_the_model_never_said_before(self, frame):
        def model(rows):
            return np.where(rows["age"] > 99, "old", np.where(rows["sex"] == "M", "m", "f"))

        average = average_of(model, frame, shares=[0.4, 0.6])
        rows = frame.assign(age=[100, 20, 100, 30])
        assert average.predict(rows).tolist() == ["old", "m", "old", "m"]
        np.testing.assert_allclose(average.predict_proba(rows), [[0, 0], [0.4, 0.6]] * 2)


class Hirer:
    """A model that a file can hold: it takes men from 30 on."""

    def __call__(self, rows):
        return np.where((rows["sex"] == "M") & (rows["age"] > 30), "yes", "no")


class TestFiles:
    def saved(self, average, folder):
        saved = SavedModel.of(average)
        (folder / saved.name).write_bytes(saved.content)
        name, trust = saved.name, saved.trust
        return name, load_model(str(folder / name), allow_pickle=True, trust=trust)

    @pytest.mark.parametrize("kind", [LogisticRegression, RidgeClassifier])
    @pytest.mark.parametrize("threshold", [None, 0.7])
    def test_skops(self, tmp_path, points, kind, threshold):
        X, y = points
        schema = {"forbid": [{"x0": 3, "x1": 1}], "protected": {"x1": {"values": [0, 1], "link": [{"x0": {"1": 8}}]}}}
        average = average_of(kind().fit(X, y), X, ["x1"], [0.3, 0.7], threshold=threshold, schema=schema)
        name, again = self.saved(average, tmp_path)
        assert name == "model.skops"
        assert again.predict(X).tolist() == average.predict(X).tolist()
        source = "predict_proba" if kind is LogisticRegression else "decision_function"
        np.testing.assert_array_equal(getattr(again, source)(X), getattr(average, source)(X))
        assert load_refuses(tmp_path / name)

    def test_a_frames_column_names_come_back(self, tmp_path, model, people):
        average = average_of(model, people)
        _, again = self.saved(average, tmp_path)
        assert again.feature_names_in_.tolist() == people.columns.tolist()
        np.testing.assert_array_equal(again.predict_proba(people), average.predict_proba(people))
        assert expga.audit(again, people.assign(more=1), protected="sex", max_queries=200).population.flipped == 0

    def test_joblib(self, tmp_path, frame):
        average = average_of(Hirer(), frame)
        joblib.dump(average, tmp_path / "model.joblib")
        again = load_model(str(tmp_path / "model.joblib"), allow_pickle=True)
        assert again.predict(frame).tolist() == average.predict(frame).tolist()

    def test_what_no_file_can_hold_is_one_sentence(self, tmp_path, frame):
        with pytest.raises(InputError, match=r"^The model cannot be saved to a file: .*lambda") as raised:
            SavedModel.of(average_of(lambda rows: score(rows), frame))
        assert "\n" not in str(raised.value)
        assert list(tmp_path.iterdir()) == []


def load_refuses(path):
    with pytest.raises(InputError, match=r"--trust .*expga\.repair\.averaged\.Averaged"):
        load_model(str(path))
    return True


def test_a_label_that_scores_know_nothing_of_has_none():
    """A model may say a label for the first time when it is asked about other rows than it was tried on."""

    class Surprising:
        classes_ = np.array([0, 1])

        def predict(self, rows):
            return np.where(rows["x"] > 5, 2, rows["x"] > 2).astype(int)

        def predict_proba(self, rows):
            return np.tile([0.75, 0.25], (len(rows), 1))

    model, _ = wrap(Surprising(), pd.DataFrame({"x": [1, 2, 3, 4]}))
    answers = model.ask(pd.DataFrame({"x": [1, 3, 9]}))
    assert answers.labels.tolist() == [0, 1, 2]
    assert answers.scores.tolist() == [[0.75, 0.25, 0.0]] * 3
