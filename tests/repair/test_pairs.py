"""Pairs that were found: split by the row behind them, chosen from many rows, labelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import expga
from expga.errors import InputError
from expga.repair.pairs import HELD_OUT, Pairs, pairs_of, split, spread
from expga.repair.repairs import found_samples
from expga.results import Audit

often = settings(max_examples=50)


def pairs_near(anchor):
    return Pairs(Audit({}, pd.DataFrame(index=range(len(anchor)))), np.array(anchor, dtype=np.intp))


@st.composite
def splits(draw):
    """Findings near some of a few rows, rows that may repair, and rows that are alike; and a seed."""
    rows = draw(st.integers(1, 12))
    anchor = draw(st.lists(st.integers(0, rows - 1), max_size=40))
    alike = draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))
    barred = draw(st.sets(st.integers(0, 5), max_size=4))
    may = np.array([number not in barred for number in alike])
    return pairs_near(anchor), may, np.array(alike, dtype=np.uint64), draw(st.integers(0, 99))


class TestSplit:
    @often
    @given(splits())
    def test_no_row_nor_its_like_is_on_both_sides(self, drawn):
        pairs, may, alike, seed = drawn
        mine, held, _ = split(pairs, may, alike, np.random.default_rng(seed))
        assert not set(alike[pairs.anchor[mine]]) & set(alike[pairs.anchor[held]])
        assert sorted([*mine, *held]) == list(range(len(pairs)))

    @often
    @given(splits())
    def test_rows_that_may_not_repair_never_do(self, drawn):
        pairs, may, alike, seed = drawn
        mine, _, repairing = split(pairs, may, alike, np.random.default_rng(seed))
        assert may[pairs.anchor[mine]].all()
        assert not (repairing & ~may).any()
        assert set(alike[repairing]) == set(alike[pairs.anchor[mine]])

    @often
    @given(splits())
    def test_half_of_the_rows_that_may_repair_do(self, drawn):
        pairs, may, alike, seed = drawn
        mine, _, _ = split(pairs, may, alike, np.random.default_rng(seed))
        could = len(set(alike[pairs.anchor[may[pairs.anchor]]]))
        assert len(set(alike[pairs.anchor[mine]])) == (could + 1) // 2

    def test_no_more_are_kept_for_testing_than_it_takes(self):
        pairs = pairs_near(np.arange(3 * HELD_OUT))
        may = np.ones(3 * HELD_OUT, dtype=bool)
        mine, held, _ = split(pairs, may, np.arange(3 * HELD_OUT, dtype=np.uint64), np.random.default_rng(0))
        assert (len(mine), len(held)) == (1.5 * HELD_OUT, HELD_OUT)
        assert held.max() > 2 * HELD_OUT

    def test_the_seed_decides(self):
        pairs, may, alike = pairs_near(range(20)), np.ones(20, dtype=bool), np.arange(20, dtype=np.uint64)
        one, again, other = (split(pairs, may, alike, np.random.default_rng(seed))[0].tolist() for seed in (0, 0, 1))
        assert one == again != other


class TestSpread:
    @often
    @given(st.lists(st.integers(0, 6), max_size=40), st.integers(0, 50), st.integers(0, 99))
    def test_no_row_gives_two_more_than_one_that_has_more_to_give(self, anchor, count, seed):
        anchor = np.array(anchor, dtype=np.intp)
        chosen = spread(anchor, count, np.random.default_rng(seed))
        assert len(chosen) == len(set(chosen)) == min(count, len(anchor))
        given_, there = (np.bincount(some, minlength=7) for some in (anchor[chosen], anchor))
        could_give_more = given_[given_ < there]
        assert not len(could_give_more) or given_.max() <= could_give_more.min() + 1

    def test_any_of_a_rows_findings_may_be_the_one(self):
        anchor = np.zeros(5, dtype=np.intp)
        assert {spread(anchor, 1, np.random.default_rng(seed))[0] for seed in range(40)} == set(range(5))


class TestNames:
    """Findings name the row behind them as the user does, or by its number."""

    @pytest.fixture
    def frame(self):
        return pd.DataFrame({"sex": ["F", "M"] * 4, "age": range(20, 28)})

    def audited(self, frame):
        return expga.audit(lambda rows: (rows["sex"] == "M").to_numpy() * 0.8, frame, protected="sex", max_queries=60)

    @pytest.mark.parametrize(
        "index",
        [
            pytest.param(range(8), id="numbers"),
            pytest.param(list("hgfedcba"), id="names"),
            pytest.param([7, 6, 5, 4, 3, 2, 1, 0], id="numbers in another order"),
            pytest.param([3] * 8, id="one name for all"),
        ],
    )
    def test_they_lead_to_the_row(self, frame, index):
        frame.index = index
        audit = self.audited(frame)
        pairs = pairs_of(audit, frame.index)
        exact = audit.findings["distance"].to_numpy() == 0
        assert exact.sum() > 3
        assert (audit.findings["age"].to_numpy() == frame["age"].to_numpy()[pairs.anchor])[exact].all()

    def test_numbers_stay_numbers_whatever_the_rows_are_called_later(self, frame):
        audit = self.audited(frame)
        assert pairs_of(audit, list("abcdefgh")).anchor.tolist() == audit.findings["anchor"].tolist()
        assert pairs_of(audit, [7, 6, 5, 4, 3, 2, 1, 0]).anchor.tolist() == audit.findings["anchor"].tolist()

    @pytest.mark.parametrize("index", [list("abcdefgx"), list("aaaaaaaa"), list("abc")])
    def test_names_that_are_not_there_are_one_sentence(self, frame, index):
        audit = self.audited(frame.set_axis(list("abcdefgh")))
        with pytest.raises(InputError, match="names rows that these data do not have"):
            pairs_of(audit, index)

    def test_numbers_beyond_the_rows_are_one_sentence(self, frame):
        with pytest.raises(InputError, match="names rows that these data do not have"):
            pairs_of(self.audited(frame), range(3))


class TestLabels:
    """Two findings: a woman of 31 near a row of 50, and a man of 48 near one of 20."""

    LABELS = np.array([0, 0, 1, 0])

    @pytest.fixture
    def rows(self):
        return pd.DataFrame(
            {"sex": ["F", "M", "F", "M"], "age": [20, 30, 50, 46], "job": ["cook"] * 4}, index=list("abcd")
        )

    @pytest.fixture
    def labels_of(self, rows, material_of):
        def model(frame):
            return frame["age"].to_numpy() / 100 + 0.3 * (frame["sex"] == "M").to_numpy()

        def make(relabel, shares=None, **options):
            audit = expga.audit(model, rows, protected="sex", max_queries=40, **options)
            findings = pd.DataFrame(
                {"sex": ["F", "M"], "age": [31, 48], "job": "cook", "sex__twin": ["M", "F"], "anchor": ["c", "a"]}
            )
            material = material_of(
                Audit(audit.summary, findings),
                rows,
                self.LABELS,
                model,
                relabel=relabel,
                shares=None if shares is None else np.array(shares),
            )
            added, labels = found_samples(material, material.pairs, 2, np.random.default_rng(0))[:2]
            assert added["sex"].value_counts().to_dict() == {"F": 2, "M": 2}
            by_age = {(age, label) for age, label in zip(added["age"].tolist(), labels.tolist(), strict=True)}
            assert len(by_age) == 2  # twins have the same age, and the same label
            return dict(sorted(by_age))

        return make

    def test_majority_is_the_models_mean_over_all_readings(self, labels_of):
        assert labels_of("majority") == {31: 0, 48: 1}  # 0.31 and 0.61, 0.48 and 0.78

    def test_majority_counts_readings_as_often_as_rows_have_them(self, labels_of):
        assert labels_of("majority", [0.1, 0.9]) == {31: 1, 48: 1}
        assert labels_of("majority", [1.0, 0.0]) == {31: 0, 48: 0}

    @pytest.mark.parametrize(("threshold", "labels"), [(0.45, {31: 1, 48: 1}), (0.7, {31: 0, 48: 0})])
    def test_majority_decides_at_the_users_own_threshold(self, labels_of, threshold, labels):
        assert labels_of("majority", threshold=threshold) == labels

    def test_nearest_is_the_label_of_the_nearest_real_row(self, labels_of):
        assert labels_of("nearest") == {31: 0, 48: 0}  # those of 30 and 46

    def test_original_is_the_label_of_the_row_behind(self, labels_of):
        assert labels_of("original") == {31: 1, 48: 0}

    def test_rows_are_known_by_the_number_that_they_were_audited_under(self, material_of, people):
        material = material_of(relabel="original")
        some = np.random.default_rng(0).permutation(80)[:60]
        near = material.pairs.some(np.flatnonzero(np.isin(material.pairs.anchor, some)))
        names = np.array([f"label {number}" for number in some], dtype=object)
        part = replace(material, rows=people.iloc[some], labels=names, numbers=some)
        labels = found_samples(part, near, len(near), np.random.default_rng(0)).labels
        one, other = labels[: len(near)].tolist(), labels[len(near) :].tolist()
        assert one == other
        assert sorted(one) == sorted(f"label {number}" for number in near.anchor)


def test_nearest_works_with_columns_that_are_called_by_numbers(material_of, points):
    X, y = pd.DataFrame(points[0]), points[1]
    model = LogisticRegression().fit(X.to_numpy(), y)
    audit = expga.audit(model, X, protected="1", max_queries=200)
    material = material_of(audit, X, y, model, relabel="nearest")
    rows, labels = found_samples(material, material.pairs, 5, np.random.default_rng(0))[:2]
    assert rows.columns.tolist() == [0, 1, 2]
    near = [int(np.argmin(np.abs(points[0][:, [0, 2]] - row[[0, 2]]).sum(axis=1))) for row in rows.to_numpy()]
    assert (labels == y[near]).mean() >= 0.8
