"""SHAP on models whose Shapley values are known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from expga.explain import shap as room
from expga.explain.shap import Shap


def importance(setting, rows, seed=0):
    return Shap().importance(setting.ask, setting.domain, rows, np.random.default_rng(seed))


def additive(frame):
    """Three classes: the second is the label where the job says so, and each has columns of its own."""
    first = 0.2 + 0.05 * (frame["age"] > 45) + 0.001 * frame["town"]
    second = 0.5 * (frame["job"] == 0) + 0.1 * (frame["hours"] > 40) + 0.02 * frame["sex"]
    return np.column_stack([first, second, np.zeros(len(frame))])


def test_an_additive_model_gives_each_gene_its_own_part(people, setting):
    case = setting(people, additive)
    rows = case.domain.rows[:60]
    picks = np.random.default_rng(0).choice(len(people), size=10, replace=False)
    parts = pd.DataFrame(
        {
            "age": 0.05 * (people["age"] > 45),
            "sex": 0.02 * people["sex"],
            "job": 0.5 * (people["job"] == 0),
            "hours": 0.1 * (people["hours"] > 40),
            "gain": 0.0,
            "town": 0.001 * people["town"],
        }
    )
    second = case.ask(rows).labels == 1
    assert 10 < second.sum() < 50
    mine = np.where(second[:, np.newaxis], [0, 1, 1, 1, 1, 0], [1, 0, 0, 0, 1, 1])
    expected = np.abs(parts[:60] - parts.iloc[picks].mean()) * mine
    np.testing.assert_allclose(importance(case, rows), expected, atol=1e-9)  # scores are rounded


def test_one_seed_gives_one_answer(people, setting):
    case = setting(people, lambda frame: np.column_stack([frame["age"] * frame["hours"], frame["gain"] * 9.0]))
    rows = case.domain.rows[:5]
    assert (importance(case, rows, seed=3) == importance(case, rows, seed=3)).all()
    assert (importance(case, rows, seed=3) != importance(case, rows, seed=4)).any()


def test_numpys_own_random_numbers_are_left_as_they_were(people, setting):
    case = setting(people, additive)
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.random(3)  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    importance(case, case.domain.rows[:3])
    assert (np.random.random(3) == expected).all()  # noqa: NPY002


def test_queries_are_never_more_than_foretold(people, setting):
    case = setting(people, additive)
    importance(case, case.domain.rows[:20])
    bound = Shap().queries(case.domain, 20)
    assert bound == 20 * (1 + 10 * (2 * 6 + 1))
    assert bound / 2 < case.queries <= bound


def test_queries_reach_the_bound_where_a_row_shares_nothing_with_the_background(setting):
    frame = pd.DataFrame({"sex": range(40), "wage": range(40), "hours": range(40)}).astype({"sex": str})
    case = setting(frame, lambda rows: np.column_stack([rows["wage"], rows["hours"]]) / 40.0)
    picks = np.random.default_rng(0).choice(40, size=10, replace=False)
    rows = np.delete(case.domain.rows, picks, axis=0)[:4]
    importance(case, rows)
    assert case.queries == Shap().queries(case.domain, 4)


def test_the_background_is_no_larger_than_the_data(people, setting):
    case = setting(people[:4], additive)
    importance(case, case.domain.rows)
    assert case.queries <= Shap().queries(case.domain, 4) == 4 * (1 + 4 * 13)


def test_rows_are_asked_about_together_whatever_the_size_of_a_call(people, setting, monkeypatch):
    case = setting(people, additive)
    rows = case.domain.rows[:7]
    whole = importance(case, rows)
    assert len(case.asked) == 1
    monkeypatch.setattr(room, "CELLS", 2 * 10 * 13 * 6)
    np.testing.assert_allclose(importance(case, rows), whole, atol=1e-12)
    assert len(case.asked) == 1 + 4


def test_a_row_like_its_whole_background_has_no_weights(people, setting, monkeypatch):
    monkeypatch.setattr(room, "BACKGROUND", 1)
    case = setting(people, additive)
    pick = np.random.default_rng(0).choice(len(people), size=1, replace=False)
    assert (importance(case, case.domain.rows[pick]) == 0).all()
    assert (importance(case, np.delete(case.domain.rows, pick, axis=0)[:20]) > 0).any()


def test_no_rows_are_no_work(people, setting):
    case = setting(people, additive)
    assert importance(case, case.domain.rows[:0]).shape == (0, 6)
    assert case.queries == 0


def test_a_missing_value_is_a_value_like_any_other(people, setting):
    frame = people.assign(hours=people["hours"].where(np.arange(len(people)) % 10 > 0))
    case = setting(frame, lambda rows: np.column_stack([rows["hours"].isna() * 1.0, rows["age"] * 0.0 + 0.5]))
    assert importance(case, case.domain.rows[:1]).argmax() == frame.columns.get_loc("hours")
