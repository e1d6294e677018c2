"""Each way to repair: which rows and labels it adds, how much they count, and what the model is shown."""

from __future__ import annotations

from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError
from expga.repair import REPAIRS, Averaged, repairs
from expga.repair import parts as module
from expga.repair.parts import (
    Added,
    averaged,
    fitted,
    found_samples,
    group_numbers,
    reweighed,
    rows_and_twins,
    rows_twice,
    without_attribute,
)
from expga.repair.recipe import Recipe
from expga.repair.repairs import repairs_of

WAYS = REPAIRS.names()


def way_of(name):
    return repairs_of(name, ())[1][name]


def repaired(name, *given):
    return way_of(name).repaired(*given)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


class Seen:
    """A recipe that keeps what it is given, and makes a model that says the first label."""

    def __init__(self, weights="sample_weight"):
        self.recipe = Recipe(lambda _: self._fit, weights)
        self.inputs = self.labels = self.weights = None

    def _fit(self, inputs, labels, **given):
        self.inputs, self.labels, self.weights = inputs, labels, given.get("sample_weight")
        return lambda rows: np.full(len(rows), 0.9)


def key(rows):
    """Rows as a list of tuples."""
    return list(rows.itertuples(index=False, name=None))


class TestRowsAndTwins:
    def test_every_row_is_added_with_the_other_value_and_its_own_label(self, material_of, people, hired, rng):
        rows, labels = rows_and_twins(material_of(), rng)[1][:2]
        expected = people.assign(sex=people["sex"].map({"female": "male", "male": "female"}))
        assert sorted(zip(key(rows), labels, strict=True)) == sorted(zip(key(expected), hired, strict=True))
        assert rows.dtypes.tolist() == people.dtypes.tolist()

    @pytest.fixture
    def linked(self):
        frame = pd.DataFrame(
            {
                "sex": ["F", "M", "F", "X", None],
                "role": ["wife", "husband", "child", "child", "wife"],
                "age": [20, 30, 40, 50, 60],
                "job": list("aabba"),
            }
        )
        schema = {
            "forbid": [{"sex": "M", "age": 40}],
            "protected": {"sex": {"values": ["F", "M", "X"], "link": [{"role": {"F": "wife", "M": "husband"}}]}},
        }
        return frame, schema

    def material(self, material_of, frame, protected, schema=None, labels=None):
        def model(rows):
            return (rows["age"] % 7 / 7).to_numpy() * (rows["job"] == "a").to_numpy()

        audit = expga.audit(model, frame, protected=protected, schema=schema, max_queries=60)
        labels = np.arange(len(frame)) if labels is None else labels
        return material_of(audit, frame, labels, model)

    def test_linked_columns_move_along_and_nothing_impossible_is_added(self, material_of, linked, rng):
        frame, schema = linked
        rows, labels = rows_and_twins(self.material(material_of, frame, "sex", schema), rng)[1][:2]
        assert sorted(zip(labels.tolist(), key(rows), strict=True)) == [
            (0, ("M", "husband", 20, "a")),
            (0, ("X", "wife", 20, "a")),
            (1, ("F", "wife", 30, "a")),
            (1, ("X", "husband", 30, "a")),
            (2, ("X", "child", 40, "b")),
            (3, ("F", "child", 50, "b")),
            (3, ("M", "child", 50, "b")),
            (4, ("F", "wife", 60, "a")),
            (4, ("M", "husband", 60, "a")),
            (4, ("X", "wife", 60, "a")),
        ]

    def test_of_a_number_all_readings_are_added_but_its_own(self, material_of, rng):
        frame = pd.DataFrame({"age": [20, 30, 33], "job": ["a", "b", "a"]})
        schema = {"protected": {"age": {"values": [20, 30, 40]}}, "unseen": True}
        rows, labels = rows_and_twins(self.material(material_of, frame, "age", schema), rng)[1][:2]
        assert sorted(zip(labels.tolist(), rows["age"], strict=True)) == [
            (0, 30),
            (0, 40),
            (1, 20),
            (1, 40),
            (2, 20),
            (2, 30),
            (2, 40),
        ]

    def test_no_row_gets_more_than_so_many_at_random(self, material_of, rng, monkeypatch):
        monkeypatch.setattr(module, "MOST_TWINS", 3)
        frame = pd.DataFrame({"age": range(20, 32), "job": ["a", "b"] * 6})
        schema = {"protected": {"age": {"values": list(range(20, 32))}}}
        rows, labels = rows_and_twins(self.material(material_of, frame, "age", schema), rng)[1][:2]
        assert np.bincount(labels).tolist() == [3] * 12
        assert rows["age"].nunique() > 8
        assert (rows["age"].to_numpy() != labels + 20).all()
        assert all(len(set(rows["age"][labels == label])) == 3 for label in range(12))


class TestRowsTwice:
    def test_rows_and_twins_have_the_models_verdict_over_all_values(self, material_of, people, hired, rng):
        real, same, (rows, labels, *_) = rows_twice(material_of(), rng)
        assert (key(real.rows), real.labels.tolist()) == (key(people), hired.tolist())
        assert sorted(same.labels) == sorted(hired)
        twins = people.assign(sex=people["sex"].map({"female": "male", "male": "female"}))
        assert sorted(key(rows)) == sorted([*key(people), *key(twins)])
        np.testing.assert_array_equal(labels, averaged(material_of()).predict(rows))
        assert (labels[:80] != hired).any()

    @pytest.mark.parametrize("relabel", ["original", "nearest"])
    def test_or_the_label_of_the_row(self, material_of, people, hired, rng, relabel):
        rows, labels = rows_twice(material_of(relabel=relabel), rng)[2][:2]
        assert key(rows[:80]) == key(people)
        assert labels[:80].tolist() == hired.tolist()
        assert sorted(labels[80:]) == sorted(hired)

    def test_a_row_without_twins_is_left_out(self, material_of, rng):
        frame = pd.DataFrame({"sex": ["F", "M", "F"], "age": [20, 30, 40], "job": list("aab")})

        def model(rows):
            return rows["age"].to_numpy() / 99

        audit = expga.audit(model, frame, protected="sex", schema={"forbid": [{"sex": "M", "age": 40}]}, max_queries=20)
        material = material_of(audit, frame, np.arange(3), model, relabel="original")
        rows, labels = rows_twice(material, rng)[2][:2]
        assert sorted(rows["age"]) == [20, 20, 30, 30]
        assert sorted(labels) == [0, 0, 1, 1]


class TestFoundSamples:
    def test_both_shows_the_other_values_too_with_the_same_label(self, material_of, rng):
        frame = pd.DataFrame({"age": [20, 30, 40, 50] * 3, "job": ["a", "b", "a"] * 4, "pay": range(12)})

        def model(rows):
            return (rows["age"] >= 35).to_numpy() * 0.5 + 0.3 * (rows["pay"] > 5).to_numpy()

        schema = {"protected": {"age": {"values": [20, 30, 40, 50]}}}
        audit = expga.audit(model, frame, protected="age", schema=schema, max_queries=200)
        material = material_of(audit, frame, np.arange(12) % 2, model, relabel="original")
        rows, labels, _, pairs = way_of("both").found(material, material.pairs, 6, rng)
        assert (pairs, len(rows)) == (6, 24)
        assert (rows["age"].iloc[:6].to_numpy() != rows["age"].iloc[6:12].to_numpy()).all()
        versions = rows.assign(label=labels).groupby(["job", "pay"])
        assert (versions["age"].nunique() == 4).all()
        assert (versions["label"].nunique() == 1).all()

    def test_both_adds_nothing_where_there_are_only_two(self, material_of, rng):
        assert len(way_of("both").found(material_of(), material_of().pairs, 20, rng).rows) == 40

    @pytest.mark.parametrize("name", ["findings", "both"])
    def test_of_no_findings_nothing_is_added(self, material_of, rng, name):
        none = material_of().pairs.some(np.arange(0))
        assert len(way_of(name).found(material_of(), none, 20, rng).labels) == 0

    def test_both_twins_come_with_one_label_and_differ_only_in_what_is_protected(self, material_of, rng, people):
        rows, labels = found_samples(material_of(), material_of().pairs, 20, rng)[:2]
        one, other = rows.iloc[:20], rows.iloc[20:].reset_index(drop=True)
        free = ["age", "role", "hours"]
        pd.testing.assert_frame_equal(one[free], other[free])
        assert (one["sex"] != other["sex"]).all()
        assert labels[:20].tolist() == labels[20:].tolist()
        assert set(labels) == {"no", "yes"}
        assert rows.dtypes.tolist() == people.dtypes.tolist()

    def test_they_come_from_as_many_rows_as_can_be(self, material_of, rng):
        pairs = material_of().pairs
        several = len(set(pairs.anchor))
        assert several < len(pairs)
        material = material_of(relabel="original", labels=np.arange(80))
        labels = found_samples(material, pairs, several, rng).labels
        assert len(set(labels)) == several

    def test_no_more_are_added_than_there_are(self, material_of, rng):
        pairs = material_of().pairs
        assert len(found_samples(material_of(), pairs, 10**6, rng).labels) == 2 * len(pairs)


class TestFitted:
    @pytest.mark.parametrize("weight", [1.0, 0.3])
    def test_the_model_gets_all_rows_in_a_new_order_each_with_its_label(self, material_of, rng, people, hired, weight):
        seen = Seen()
        more = Added(people.assign(hours=-1.0), np.array(["more"] * 80, dtype=object), np.full(80, weight))
        fitted(material_of(recipe=seen.recipe), [Added(people, hired, np.ones(80)), more], rng)
        everything = [*zip(key(people), hired, strict=True), *zip(key(more.rows), more.labels, strict=True)]
        got = [*zip(key(seen.inputs), seen.labels, strict=True)]
        assert sorted(got) == sorted(everything)
        assert got != everything
        if weight == 1.0:
            assert seen.weights is None
        else:
            np.testing.assert_array_equal(seen.weights, np.where(seen.labels == "more", weight, 1.0))


class Still:
    """Chance that leaves everything in its place."""

    def permutation(self, count):
        return np.arange(count)


class TestWeights:
    def weights(self, material_of, rng, name, **others):
        """Those of real rows, of rows that a way adds around them, and of found pairs; which are the last 14."""
        seen = Seen(weights=others.pop("takes", "sample_weight"))
        material = material_of(recipe=seen.recipe, **others)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(repairs, "fitted", lambda material, parts, _: fitted(material, parts, Still()))
            repaired(name, material, 7, rng)
        weights = seen.weights
        return None if weights is None else (weights[:80], weights[80:-14], weights[-14:])

    def test_a_row_and_its_twins_count_as_one_and_pairs_as_little_as_they_may(self, material_of, rng):
        real, around, found = self.weights(material_of, rng, "both", pairs_weigh=0.05)
        assert set(real) == set(around) == {0.5}
        np.testing.assert_allclose(found, 0.05 * 80 / 14)

    @pytest.mark.parametrize("most", [None, 10.0])
    def test_no_sample_counts_more_than_a_real_row(self, material_of, rng, most):
        assert set(self.weights(material_of, rng, "both", pairs_weigh=most)[2]) == {0.5}

    @pytest.mark.parametrize("name", ["findings", "both"])
    def test_the_users_weight_is_that_of_all_added_rows(self, material_of, rng, name):
        real, around, found = self.weights(material_of, rng, name, weight=2.5)
        assert (set(real), set(found)) == ({1.0}, {2.5})
        assert set(around) == ({2.5} if name == "both" else set())

    @pytest.mark.parametrize("name", ["findings", "twins"])
    def test_the_published_ways_give_none(self, material_of, rng, name):
        assert self.weights(material_of, rng, name, pairs_weigh=0.05) is None

    def test_a_model_that_takes_none_gets_none(self, material_of, rng):
        assert self.weights(material_of, rng, "both", takes=None) is None


class TestRepaired:
    @pytest.mark.parametrize(
        ("name", "pairs", "rows"), [("findings", 7, 14), ("twins", 0, 80), ("both", 7, 254), ("average", 0, 0)]
    )
    def test_it_says_what_was_added(self, material_of, rng, name, pairs, rows):
        made = repaired(name, material_of(), 7, rng)
        assert (made.pairs, made.rows) == (pairs, rows)
        assert made.seconds > 0

    def test_pairs_of_earlier_rounds_are_added_again(self, material_of, rng):
        material = material_of()
        earlier = found_samples(material, material.pairs, 3, rng)
        assert repaired("findings", material, 7, rng, [earlier]).pairs == 10
        assert repaired("both", material, 7, rng, [earlier]).rows == 240 + 20

    @pytest.mark.parametrize("name", WAYS)
    def test_the_model_that_was_given_is_as_it_was(self, material_of, rng, model, name):
        before = joblib.hash(model)
        made = repaired(name, material_of(), 10, rng)
        assert joblib.hash(model) == before
        assert made.model is not model

    @pytest.mark.parametrize("name", WAYS)
    def test_it_works_on_arrays(self, material_of, rng, plain, points, name):
        model, audit = plain
        X = pd.DataFrame(points[0], columns=["x0", "x1", "x2"])
        made = repaired(name, material_of(audit, X, points[1], model), 10, rng)
        assert set(made.model.predict(points[0])) <= {0, 1}

    @pytest.mark.parametrize("name", WAYS)
    def test_the_same_seed_repairs_the_same(self, material_of, people, name):
        one, again = (repaired(name, material_of(), 10, np.random.default_rng(3)).model for _ in range(2))
        np.testing.assert_array_equal(one.predict_proba(people), again.predict_proba(people))


class TestDrop:
    def test_the_model_sees_one_value_alone_and_nothing_can_flip(self, material_of, people, rng):
        seen = Seen()
        material = material_of(recipe=seen.recipe, shares=np.array([0.3, 0.7]))
        dropped = without_attribute(material, rng)
        assert set(seen.inputs["sex"]) == {"male"}
        assert sorted(seen.inputs["age"]) == sorted(people["age"])
        assert isinstance(dropped, Averaged)
        refitted = without_attribute(replace(material_of(), shares=np.array([0.3, 0.7])), rng)
        as_men = refitted.model.predict_proba(people.assign(sex="male"))
        for sex in ("female", "male"):
            np.testing.assert_allclose(refitted.predict_proba(people.assign(sex=sex)), as_men, atol=1e-9)

    def test_a_row_that_cannot_have_that_value_has_the_first_it_can(self, material_of, rng):
        frame = pd.DataFrame({"sex": ["F", "M", "F", "M"], "age": [20, 30, 40, 50], "job": list("abab")})

        def model(rows):
            return rows["age"].to_numpy() / 99

        schema = {"forbid": [{"sex": "M", "age": 40}, {"age": 50}]}
        audit = expga.audit(model, frame, protected="sex", schema=schema, max_queries=20)
        seen = Seen()
        material = material_of(audit, frame, np.arange(4), model, shares=np.array([0.0, 1.0]))
        without_attribute(replace(material, recipe=seen.recipe), rng)
        assert dict(zip(seen.inputs["age"], seen.inputs["sex"], strict=True)) == {20: "M", 30: "M", 40: "F", 50: "M"}


class TestReweigh:
    def test_groups_and_labels_are_independent_in_weight(self, material_of, people, hired, rng):
        seen = Seen()
        reweighed(material_of(recipe=seen.recipe), rng)
        assert key(seen.inputs) == key(people)
        weight = pd.Series(seen.weights).groupby([people["sex"].to_numpy(), hired]).sum().unstack()
        share = weight / weight.to_numpy().sum()
        expected = np.outer(share.sum(axis=1), share.sum(axis=0))
        np.testing.assert_allclose(share, expected)
        assert weight.to_numpy().sum() == pytest.approx(80)
        unweighted = pd.crosstab(people["sex"], hired, normalize=True)
        assert np.abs(unweighted - np.outer(unweighted.sum(axis=1), unweighted.sum(axis=0))).to_numpy().max() > 0.03

    def test_rows_are_drawn_where_no_weights_are_taken(self, material_of, people, hired, rng):
        many = pd.concat([people] * 40, ignore_index=True)
        seen = Seen(weights=None)
        material = replace(
            material_of(recipe=seen.recipe), rows=many, labels=np.tile(hired, 40), numbers=np.arange(len(many))
        )
        reweighed(material, rng)
        assert seen.weights is None
        assert len(seen.labels) == 3_200
        share = pd.crosstab(seen.inputs["sex"].to_numpy(), seen.labels, normalize=True)
        np.testing.assert_allclose(share, np.outer(share.sum(axis=1), share.sum(axis=0)), atol=0.02)

    def test_a_group_is_a_combination_of_all_attributes(self, material_of):
        frame = pd.DataFrame(
            {"sex": ["F", "M", "F", "M", None], "age": [20, 20, 41, 39, 20], "job": ["a", "b", "a", "b", "a"]}
        )

        def model(rows):
            return (rows["sex"] == "F").to_numpy() * 0.7

        schema = {"protected": {"age": {"values": [20, 40]}}}
        audit = expga.audit(model, frame, protected=["sex", "age"], schema=schema, max_queries=60)
        material = material_of(audit, frame, np.arange(5), model)
        assert group_numbers(material).tolist() == [0, 1, 2, 3, 4]


def test_a_text_has_no_column_to_drop(material_of, rng):
    texts = ["He left the small store", "She left the small store"] * 4

    def model(asked):
        return np.array([0.9 if "He" in text else 0.1 for text in asked])

    audit = expga.audit(model, texts, protected="gender", max_queries=60)
    material = material_of(audit, texts, np.arange(8), model)
    with pytest.raises(InputError, match="A text has no protected column to drop"):
        repaired("drop", material, 3, rng)
