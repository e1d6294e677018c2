"""What is handed over to be repaired: whose audit it is, which rows, which labels; and one sentence where it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import expga
from expga.errors import InputError
from expga.repair.case import case_of
from expga.results import Audit


def refuses(*given, match, X_test=None, y_test=None):
    with pytest.raises(InputError, match=match) as raised:
        case_of(*given, X_test, y_test)
    assert "\n" not in str(raised.value)
    return True


class TestRows:
    def test_the_rows_of_the_audit_are_taken_as_they_are(self, model, people, hired, found):
        case = case_of(model, people, hired, found, None, None)
        assert (case.given, len(case.rows), case.classes) == (80, 80, ["no", "yes"])
        assert case.truth.tolist() == (hired == "yes").astype(int).tolist()
        assert case.labels.tolist() == hired.tolist()
        assert case.notes == ()
        names = [f"row {1_000 + number}" for number in case.pairs.anchor]
        assert names == found.findings["anchor"].tolist()

    def test_columns_that_the_model_does_not_take_are_left_out(self, model, people, hired, found):
        wide = people.assign(more=1)[["more", "hours", "sex", "role", "age"]]
        assert list(case_of(model, wide, hired, found, None, None).rows.columns) == list(people.columns)

    def test_a_loaded_audit_is_as_good(self, tmp_path, model, people, hired, found):
        loaded = Audit.load(found.save(tmp_path / "audit"))
        case = case_of(model, people, hired, loaded, None, None)
        assert case.pairs.anchor.tolist() == case_of(model, people, hired, found, None, None).pairs.anchor.tolist()

    def test_test_rows_follow_those_to_fit_to(self, model, people, hired, found, others):
        case = case_of(model, people, hired, found, *others)
        assert (case.given, len(case.rows)) == (80, 120)
        train, test = case.split(0.5, 0, 0)
        assert train.tolist() == list(range(80))
        assert test.tolist() == list(range(80, 120))
        assert case.labels[80:].tolist() == others[1].tolist()

    @pytest.mark.parametrize("ignore", [False, True])
    @pytest.mark.parametrize("names", ["their own", "numbers", "one for all"])
    def test_the_audit_may_be_of_both_kinds_of_rows(self, model, people, hired, others, ignore, names):
        X, X_test = people, others[0]
        if names != "their own":
            index = {"numbers": np.arange, "one for all": np.zeros}[names]
            X, X_test = (rows.set_axis(index(len(rows)).astype(int)) for rows in (X, X_test))
        both = pd.concat([X, X_test], ignore_index=ignore)
        audit = expga.audit(model, both, protected="sex", max_queries=400)
        case = case_of(model, X, hired, audit, X_test, others[1])
        exact = audit.findings["distance"].to_numpy() == 0
        assert (case.pairs.anchor[exact] >= 80).any()
        for name in ("age", "hours", "role"):
            behind = both[name].to_numpy()[case.pairs.anchor]
            assert (behind == audit.findings[name].to_numpy())[exact].all()

    def test_arrays(self, plain, points):
        model, audit = plain
        case = case_of(model, *points, audit, None, None)
        assert case.reader.subject.inputs(case.rows).shape == (60, 3)
        assert (case_of(model, pd.DataFrame(points[0]), points[1], audit_of(model, points[0]), None, None).given) == 60

    def test_a_non_unique_index(self, model, people, hired):
        twice = people.set_axis(["same"] * 80)
        audit = expga.audit(model, twice, protected="sex", max_queries=300)
        case = case_of(model, twice, hired, audit, None, None)
        assert len(set(case.pairs.anchor)) > 5


def audit_of(model, X):
    """An audit of an array as a frame whose columns are numbers."""
    return expga.audit(model, pd.DataFrame(X), protected="1", max_queries=200)


class TestOtherRows:
    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda X: X.iloc[::-1], id="in another order"),
            pytest.param(lambda X: X.iloc[:70], id="fewer"),
            pytest.param(lambda X: pd.concat([X, X[:1]]), id="more"),
            pytest.param(lambda X: X.assign(hours=X["hours"] + 0.1), id="of other values"),
            pytest.param(lambda X: X.replace("husband", "alone"), id="of other names"),
        ],
    )
    def test_they_are_refused(self, model, people, hired, found, change):
        X = change(people)
        message = f"of other rows, or of these in another order: it has 80 rows, the data {len(X)}; give the rows"
        assert refuses(model, X, np.resize(hired, len(X)), found, match=message)

    def test_test_rows_do_not_make_up_for_it(self, model, people, hired, found, others):
        assert refuses(model, people[:70], hired[:70], found, X_test=others[0], y_test=others[1], match="of other rows")

    def test_another_index_on_the_same_rows(self, model, people, hired, found):
        assert refuses(model, people.reset_index(drop=True), hired, found, match="names rows that these data do not")


class TestOtherColumns:
    def test_one_that_the_model_lacks(self, model, people, hired, found):
        assert refuses(model, people.drop(columns="age"), hired, found, match="trained on the column 'age'")

    @pytest.mark.parametrize(
        ("change", "what"),
        [
            (lambda X: X.rename(columns={"x0": "weight"}), "'x0' is only in one of them"),
            (lambda X: X.assign(x3=1.0), "'x3' is only in one of them"),
            (lambda X: X[["x1", "x0", "x2"]], "they come in another order"),
        ],
    )
    def test_the_audit_is_of_others(self, points, change, what):
        X = pd.DataFrame(points[0], columns=["x0", "x1", "x2"])

        def model(rows):
            return (rows.to_numpy()[:, 1] > 0).astype(float)

        audit = expga.audit(model, X, protected="x1", max_queries=200)
        message = f"of other columns than these data: {what}; audit this table first"
        assert refuses(model, change(X), points[1], audit, match=message)


class TestAnotherModel:
    def test_one_that_answers_differently(self, model, people, hired, found):
        other = clone(model).fit(people, hired[::-1])
        message = r"of another model: of \d+ pairs that it recorded, this one answers \d+ differently; audit this model"
        assert refuses(other, people, hired, found, match=message)

    def test_one_with_other_scores_for_the_same_labels(self, people, hired):
        def model(rows):
            return np.where(rows["sex"] == "male", 0.9, 0.1)

        def surer(rows):
            return np.where(rows["sex"] == "male", 0.95, 0.1)

        audit = expga.audit(model, people, protected="sex", max_queries=300)
        y = (hired == "yes").astype(int)
        assert case_of(model, people, y, audit, None, None)
        assert refuses(surer, people, y, audit, match="of another model")

    def test_one_that_varies_is_known_by_its_labels_in_most_pairs(self, people, hired):
        drawn = np.random.default_rng(0)

        def shaken(rows, men="male"):
            return np.clip(np.where(rows["sex"] == men, 0.65, 0.35) + drawn.normal(0, 0.05, len(rows)), 0, 1)

        audit = expga.audit(shaken, people, protected="sex", max_queries=1_000)
        y = (hired == "yes").astype(int)
        assert case_of(shaken, people, y, audit, None, None)
        assert refuses(lambda rows: shaken(rows, "female"), people, y, audit, match="of another model")

    def test_one_of_other_classes(self, model, people, hired, found):
        other = clone(model).fit(people, np.where(hired == "yes", "in", "out"))
        assert refuses(other, people, hired, found, match="The model has no class 'yes'")

    def test_one_that_fails(self, people, hired, found):
        def broken(_):
            raise RuntimeError("no power")

        assert refuses(broken, people, hired, found, match="RuntimeError: no power")


class TestAudits:
    def test_one_that_found_nothing(self, people, hired):
        audit = expga.audit(lambda rows: np.full(len(rows), 0.3), people, protected="sex", max_queries=100)
        assert refuses(None, people, hired, audit, match="found nothing .*; there is nothing to repair")

    @pytest.mark.parametrize("lacking", ["rules", "rows", "numbered"])
    def test_one_of_an_earlier_version(self, model, people, hired, found, lacking):
        settings = {name: value for name, value in found.summary["settings"].items() if name != lacking}
        old = Audit({**found.summary, "settings": settings}, found.findings)
        assert refuses(model, people, hired, old, match="by an earlier version, .*; audit the model again")


class TestLabels:
    @pytest.mark.parametrize("shape", [list, np.array, pd.Series, pd.Categorical])
    def test_they_come_in_many_shapes(self, model, people, hired, found, shape):
        case = case_of(model, people, shape(hired), found, None, None)
        assert case.labels.tolist() == hired.tolist()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda y: y[:-1], "80 rows and 79 labels in y; give one label a row"),
            (lambda y: np.append(y, "no"), "80 rows and 81 labels in y"),
            (lambda y: [None, None, *y[2:]], "2 of 80 labels in y are missing; drop those rows"),
            (lambda y: pd.Series(y).where(np.arange(80) > 4), "5 of 80 labels in y are missing"),
            (lambda y: y.reshape(-1, 1), r"in y have the shape \(80, 1\); give one label a row"),
            (lambda y: pd.DataFrame({"y": y}), r"in y have the shape \(80, 1\)"),
            (lambda _: None, r"in y have the shape \(\)"),
            (lambda y: np.where(y == "yes", "maybe", y), "holds 'maybe', which the model never says: it knows no, yes"),
            (lambda y: (y == "yes").astype(int), r"holds .*, which the model never says: it knows no, yes; give the"),
            (lambda y: np.full(len(y), "no"), "holds only 'no'; a model is fitted to at least two labels"),
        ],
    )
    def test_others_are_refused(self, model, people, hired, found, change, message):
        assert refuses(model, people, change(hired), found, match=message)

    def test_those_of_test_rows_are_checked_too(self, model, people, hired, found, others):
        X, y = others
        assert refuses(model, people, hired, found, X_test=X, y_test=y[1:], match="40 rows and 39 labels in y_test")
        assert refuses(model, people, hired, found, X_test=X, y_test=np.full(40, "x"), match="holds 'x'")
        assert refuses(model, people, hired, found, X_test=X, match="need both X_test and y_test")
        assert refuses(model, people, hired, found, y_test=y, match="need both X_test and y_test")

    def test_labels_that_the_model_hardly_predicts_are_noted(self, model, people, hired, found):
        case = case_of(model, people, np.roll(hired, 1)[::-1], found, None, None)
        assert "hardly better than guessing" in case.notes[0]


class TestTestRows:
    def test_none(self, model, people, hired, found):
        assert refuses(model, people, hired, found, X_test=people[:0], y_test=[], match="X_test has no rows")

    def test_of_another_dtype(self, model, people, hired, found, others):
        X, y = others
        whole = X.assign(age=X["age"].astype(float))
        assert case_of(model, people, hired, found, whole, y).rows["age"].dtype == people["age"].dtype
        assert refuses(model, people, hired, found, X_test=X.assign(age=X["age"] + 0.5), y_test=y, match="'age' is int")
        holes = X.assign(age=X["age"].where(X["age"] > 30))
        assert refuses(model, people, hired, found, X_test=holes, y_test=y, match="'age' is int64 in some rows, and f")


@pytest.fixture(scope="module")
def case(model, people, hired, found):
    return case_of(model, people, hired, found, None, None)


class TestSplit:
    def test_rows_are_set_aside_with_the_same_labels_on_both_sides(self, case):
        train, test = case.split(0.25, 0, 0)
        assert sorted([*train, *test]) == list(range(80))
        assert len(test) == 20
        assert abs(case.truth[test].mean() - case.truth.mean()) < 0.03

    def test_each_repeat_and_seed_sets_others_aside(self, case):
        splits = {(repeat, seed): tuple(case.split(0.25, repeat, seed)[1]) for repeat in (0, 1) for seed in (0, 1)}
        assert len(set(splits.values())) == 4
        assert splits[1, 1] == tuple(case.split(0.25, 1, 1)[1])

    @pytest.mark.parametrize("share", [0.001, 0.999])
    def test_a_share_that_leaves_a_side_without_labels_is_one_sentence(self, case, share):
        with pytest.raises(InputError, match=f"Of 80 rows a share of {share:g} cannot be set aside"):
            case.split(share, 0, 0)

    def test_a_label_of_one_row_may_be_on_either_side(self, case):
        truth = case.truth.copy()
        truth[0] = 2
        train, test = replace(case, truth=truth).split(0.25, 0, 0)
        assert len(train) + len(test) == 80

    def test_a_row_that_is_just_like_a_test_row_may_not_repair(self, case):
        alike = np.arange(80, dtype=np.uint64)
        alike[[3, 70]] = 7  # like row 7
        train, test = np.array([0, 1, 2, 3, 4, 5]), np.array([70, 71])
        may = replace(case, alike=alike).may_repair(train, test)
        assert np.flatnonzero(may).tolist() == [0, 1, 2, 4, 5]

    def test_what_is_alike_goes_by_values(self, model, people, hired):
        twice = pd.concat([people, people[:10]])
        audit = expga.audit(model, twice, protected="sex", max_queries=300)
        case = case_of(model, twice, np.concatenate([hired, hired[:10]]), audit, None, None)
        assert case.alike[80:].tolist() == case.alike[:10].tolist()
        assert len(set(case.alike)) == 80
