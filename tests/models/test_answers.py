"""Whatever a model may return: taken for what it is, or one sentence."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import Enum
from itertools import count, repeat

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import expga
from expga.errors import InputError, ModelError
from expga.models import learn, wrap
from expga.models.answers import checked, rounded, units

P = np.array([0.1, 0.9, 0.4, 0.6])
YES = ["no", "yes", "no", "yes"]
DAYS = [dt.date(2020, 1, 1), dt.date(2021, 1, 1)] * 2


class TestTaken:
    @pytest.mark.parametrize(
        "raw",
        [
            sparse.csr_matrix(P.reshape(-1, 1)),
            sparse.csc_array(P.reshape(-1, 1)),
            sparse.csr_matrix(P.reshape(-1, 1)).todense(),
            np.ma.masked_array(P),
            pd.Series(P),
            pd.Series(P, index=list("abcd")),
            pd.Series(P, dtype="Float64"),
            pd.Series(P)[[2, 0, 3, 1]],
            pd.DataFrame({"p": P})[::-1],
            P.astype(object),
            [Decimal("0.1"), Decimal("0.9"), Decimal("0.4"), Decimal("0.6")],
            [[0.1], [0.9], [0.4], [0.6]],
            P.astype(np.longdouble),
        ],
        ids=str,
    )
    def test_numbers(self, raw):
        values = checked(raw, 4, "The model")
        assert values.dtype.kind == "f"
        np.testing.assert_allclose(values, P)

    @pytest.mark.parametrize(
        "make", [iter, lambda values: (value for value in values), lambda values: map(float, values)]
    )
    def test_iterators(self, make):
        assert checked(make(P.tolist()), 4, "The model").tolist() == P.tolist()

    @pytest.mark.parametrize(
        "raw",
        [
            YES,
            tuple(YES),
            np.array(YES),
            np.array(YES, dtype=object),
            pd.Series(YES, dtype="category"),
            pd.Series(YES, dtype="string"),
            pd.Series(YES)[::-1],
            pd.Categorical(YES),
        ],
        ids=lambda raw: type(raw).__name__,
    )
    def test_texts(self, raw):
        assert checked(raw, 4, "The model").tolist() == YES

    def test_whole_numbers_that_may_be_missing_but_are_not(self):
        assert checked(pd.Series([1, 0, 1, 1], dtype="Int64"), 4, "The model").dtype.kind == "i"
        assert checked(pd.Series([True, False] * 2, dtype="boolean"), 4, "The model").dtype == bool

    @pytest.mark.parametrize(
        "raw", [DAYS, np.array(DAYS, dtype="datetime64[D]"), pd.Series(pd.to_datetime(DAYS))], ids=type
    )
    def test_days_are_labels(self, raw):
        wrapped, _ = wrap(lambda inputs: raw[: len(inputs)], P)
        assert [str(label)[:10] for label in wrapped.classes] == ["2020-01-01", "2021-01-01"]
        assert wrapped.ask(P).labels.tolist() == [0, 1, 0, 1]


class TestRefused:
    @pytest.mark.parametrize(
        ("raw", "told"),
        [
            (None, "None for 4 rows"),
            (np.array(0.5), r"the shape \(\)"),
            ("yes", r"the shape \(\)"),
            ({"a": 1}, r"the shape \(\)"),
            ({0.1, 0.2, 0.3, 0.4}, r"the shape \(\)"),
            (count(), r"the shape \(5,\) for 4 rows"),
            (repeat("yes"), r"the shape \(5,\) for 4 rows"),
            ([[1], [1, 2], [], [3]], "lists of different lengths"),
            (P + 1j, "values of the type complex128"),
            (P.astype(object) + 1j, "values of the type complex"),
            (np.zeros(4, dtype=[("a", int)]), "values of the type"),
            (np.ma.masked_array(P, [0, 1, 0, 1]), "masked values for 2 of 4 rows"),
            (pd.Series([1, None, 0, 1], dtype="Int64"), "NaN or infinite values for 1 of 4 rows"),
            (pd.Series(["a", None, "b", "b"], dtype="category"), "missing values for 1 of 4 rows"),
            (["yes", None, "no", None], "missing values for 2 of 4 rows"),
            (["yes", float("nan"), "no", "no"], "missing values for 1 of 4 rows"),
            (pd.to_datetime(["2020-01-01", None, None, None]), "missing values for 3 of 4 rows"),
            ([Decimal("Infinity"), Decimal(1), Decimal(1), Decimal(1)], "NaN or infinite values for 1 of 4"),
            ([10**30, 1, 2, 3], "whole number of more than 64 bits"),
            (["yes", 1, "no", 2], "values of the type int and str"),
            ([b"yes", "yes", b"no", "no"], "values of the type bytes and str"),
            ([Enum("Verdict", "yes no").yes] * 4, "values of the type Verdict"),
            ([object()] * 4, "values of the type object"),
            (np.array([[1], [2, 3], [], None, 1], dtype=object)[:-1], "missing values|values of the type"),
        ],
        ids=map(str, range(24)),
    )
    def test_in_one_sentence(self, raw, told):
        with pytest.raises(ModelError, match=rf"^The model returned (a )?[^\n]*({told})[^\n]*$"):
            checked(raw, 4, "The model")

    def test_labels_of_an_estimator_that_are_none(self):
        class Odd:
            classes_ = ["no", None]  # noqa: RUF012

            def predict(self, inputs):
                return ["no"] * len(inputs)

        with pytest.raises(InputError, match="The model's classes_ returned missing values for 1 of 2 rows"):
            learn(Odd(), P)

    @pytest.mark.parametrize("estimator", [True, False])
    def test_labels_that_no_file_can_hold(self, estimator):
        class Halves:
            def predict(self, inputs):
                return ["yes", "\ud800"] * (len(inputs) // 2)

        if estimator:
            Halves.classes_ = ["yes", "\ud800"]
        with pytest.raises(ModelError, match=r"the label '\\ud800', which is no text that a file can hold"):
            learn(Halves(), P)

    def test_a_plain_list_of_classes_is_no_second_output(self):
        class Plain:
            classes_ = ["no", "yes"]  # noqa: RUF012

            def predict(self, inputs):
                return np.where(inputs > 0.5, "yes", "no")

        assert list(wrap(Plain(), P)[0].classes) == ["no", "yes"]

    def test_a_model_that_wants_to_end_the_program(self):
        def model(_):
            raise SystemExit(0)

        with pytest.raises(ModelError, match=r"^The model failed on 4 rows: SystemExit: 0$"):
            learn(model, P)


class TestRounding:
    def one(self, scores, whole=1.0):
        scores = np.asarray(scores, dtype=float)
        return rounded(scores, units(scores, whole))

    def rows(self, scores):
        scores = np.asarray(scores, dtype=float)
        return rounded(scores, units(scores)[:, np.newaxis])

    @pytest.mark.parametrize("tie", [0.5, 0.25, 0.125, 1.0, 0.1, 1 / 3, 0.0])
    def test_scores_that_differ_by_the_order_of_a_sum_become_the_same(self, tie):
        near = tie + np.array([-3e-16, -1e-16, 0.0, 1e-16, 3e-16])
        assert len(set(self.one(near).tolist())) == 1
        others = np.column_stack([near, np.full(5, 0.07), 0.9 * near])
        assert len(np.unique(self.rows(others), axis=0)) == 1

    def test_halves_and_other_simple_fractions_stay_as_they_are(self):
        simple = np.arange(0, 1025) / 1024
        np.testing.assert_array_equal(self.one(simple), simple)

    def test_nothing_moves_far(self):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=(1_000, 3)) * 10.0 ** rng.integers(-200, 200, (1_000, 1))
        moved = np.abs(self.rows(scores) - scores)
        assert (moved <= 2**-30 * np.abs(scores).max(axis=1, keepdims=True)).all()

    def test_both_sides_of_two_classes_are_rounded_alike(self):
        p = np.random.default_rng(1).random(10_000)
        both = self.rows(np.column_stack([1 - p, p]))
        np.testing.assert_array_equal(both.sum(axis=1), 1.0)
        np.testing.assert_array_equal(both[:, 1], self.one(p))

    def test_decision_values_of_any_size_keep_their_side(self):
        values = np.array([1e-290, -1e-290, 1e-20, -1e-20, 1e300, -1e300, 0.0])
        np.testing.assert_allclose(self.one(values, whole=0.0), values, rtol=1e-9)

    def test_small_likelihoods_keep_their_order(self):
        answers = wrap(lambda inputs: np.tile([1e-40, 2e-40], (len(inputs), 1)), P)[0].ask(P)
        assert answers.labels.tolist() == [1] * 4
        assert (answers.margins > 0).all()


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {"sex": rng.choice(["f", "m"], 200), "age": rng.integers(18, 70, 200), "hours": rng.integers(1, 60, 200)}
    )


OPTIONS = {"protected": "sex", "max_queries": 4_000, "seed": 2}
FEW = {**OPTIONS, "max_queries": 600}


class TestEqualRuns:
    def test_noise_of_the_last_bits_does_not_decide_what_is_asked(self, people):
        noise = np.random.default_rng(0)

        def model(frame):
            # Few levels, so that ties are everywhere: at the boundary, between rows, between gaps.
            score = np.round((frame["age"] + 7 * (frame["sex"] == "m") + frame["hours"] / 4) / 110, 2).to_numpy()
            exact = np.column_stack([1 - score, score])
            return exact + noise.uniform(-1e-16, 1e-16, exact.shape)

        first, other = (expga.audit(model, people, **OPTIONS).findings for _ in range(2))
        assert len(first) > 100
        pd.testing.assert_frame_equal(first, other, check_exact=True)


class TestInputs:
    """A model may do with what it is given as it likes."""

    def test_a_frame_that_is_changed_changes_nothing_else(self, people):
        def spoils(frame):
            said = np.where(frame["age"] + 8 * (frame["sex"] == "m") > 40, "yes", "no")
            frame["age"] = 0
            frame["sex"] = "f"
            del frame["hours"]
            return said

        before = people.copy()
        wrap(spoils, people)[0].ask(people)
        pd.testing.assert_frame_equal(people, before)
        found = expga.audit(spoils, people, **FEW)
        assert expga.replay(found, spoils) == (len(found.findings),) * 2
        assert len(found.findings) > 0

    def test_an_array_too_also_between_two_questions_about_the_same_rows(self, people):
        class Spoils:
            classes_ = np.array([0, 1])

            def predict(self, rows):
                said = (rows[:, 1] + 8 * rows[:, 0] > 40).astype(int)
                rows[:] = 0
                return said

            def predict_proba(self, rows):
                score = rows[:, 1] / 100
                rows[:] = 1
                return np.column_stack([1 - score, score])

        numbers = people.assign(sex=people["sex"] == "m").astype(int).to_numpy()
        before = numbers.copy()
        options = {**FEW, "protected": "x0"}
        found = expga.audit(Spoils(), numbers, **options)
        assert expga.replay(found, Spoils()) == (len(found.findings),) * 2
        assert len(found.findings) > 0
        np.testing.assert_array_equal(numbers, before)

    def test_texts_too(self):
        def spoils(texts):
            said = ["good" if "he" in text.split() else "bad" for text in texts]
            texts.clear()
            return said

        letters = [f"I think he is the best of all {i} teachers ." for i in range(20)]
        found = expga.audit(spoils, letters, protected="gender", max_queries=300)
        assert expga.replay(found, spoils) == (len(found.findings),) * 2
        assert len(found.findings) > 0
        assert all("teachers" in text for text in letters)

    def test_answers_in_the_order_of_another_index_find_their_rows(self, people):
        def sorts(frame):
            ordered = frame.sort_values("age")
            return ordered["age"] / 100

        wrapped, _ = wrap(sorts, people)
        np.testing.assert_allclose(
            wrapped.ask(people.sample(50, random_state=1)).scores[:, 1],
            people.sample(50, random_state=1)["age"] / 100,
            atol=1e-9,
        )


class TestLabelsFromFiles:
    """JSON makes texts of bytes and dates, and the labels are theirs all the same."""

    @pytest.mark.parametrize(
        "labels",
        [
            [b"no", b"yes"],
            DAYS[:2],
            [dt.datetime(2020, 1, 1, 5), dt.datetime(2021, 1, 1, 6)],
            np.array(["2020-01-01", "2021-06-01"], dtype="datetime64[ns]"),
            [False, True],
            [3.0, 7.0],
            ["no", "yes"],
        ],
        ids=lambda labels: f"{type(labels[0]).__name__}",
    )
    @pytest.mark.parametrize("named", [False, True])
    def test_every_pair_holds_after_saving_and_loading(self, people, tmp_path, labels, named):
        def model(frame):
            old = (frame["age"] + 8 * (frame["sex"] == "m") > 40).to_numpy().astype(int)
            return labels[old] if isinstance(labels, np.ndarray) else [labels[number] for number in old]

        positive = str(learn(model, people[:60]).model.classes[0]) if named else None
        found = expga.audit(model, people[:60], out=tmp_path, positive=positive, **FEW)
        again = expga.Audit.load(tmp_path)
        assert expga.replay(again, model) == (len(found.findings),) * 2
        assert len(found.findings) > 0

    def test_a_text_stands_for_the_label_that_it_was(self):
        learnt = learn(
            lambda inputs: np.where(inputs > 0.5, b"yes", b"no"),
            P[:1],
            positive="b'yes'",
            classes=["b'yes'", "b'no'", "b'maybe'"],
        )
        assert learnt.model.ask(P).labels.tolist() == [1, 0, 1, 0]
        assert (list(learnt.model.classes), learnt.positive) == ([b"yes", b"no", "b'maybe'"], 0)

    def test_an_estimator_has_its_own(self, people, tmp_path):
        class Dated:
            classes_ = np.array(["2020-01-01", "2021-06-01"], dtype="datetime64[ns]")

            def predict(self, frame):
                return self.classes_[(frame["age"] + 8 * (frame["sex"] == "m") > 40).to_numpy().astype(int)]

        found = expga.audit(Dated(), people[:60], out=tmp_path, **FEW)
        assert expga.replay(expga.Audit.load(tmp_path), Dated()) == (len(found.findings),) * 2
        assert len(found.findings) > 0
