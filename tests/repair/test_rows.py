"""Rows of any kind: taken, put together, put in another order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.errors import InputError
from expga.repair.rows import joined, shuffled, take


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            0: np.array([1, 2, 3], dtype=np.int8),
            "b": pd.Categorical(["x", "y", "x"]),
            "c": np.array([0.5, np.nan, 2.5], dtype=np.float32),
        },
        index=[7, 8, 9],
    )


def test_some_are_taken_by_number(frame):
    assert take(frame, np.array([2, 0])).index.tolist() == [9, 7]
    assert take(["a", "b", "c"], np.array([2, 0])) == ["c", "a"]


def test_texts_follow_each_other():
    assert joined([["a"], [], ["b", "c"]]) == ["a", "b", "c"]


def test_all_parts_take_the_columns_and_dtypes_of_the_first(frame):
    other = pd.DataFrame({"0": [4.0], "b": ["y"], "c": [1]})
    both = joined([frame, other])
    assert both.columns.tolist() == [0, "b", "c"]
    assert both.dtypes.tolist() == frame.dtypes.tolist()
    assert both.index.tolist() == [0, 1, 2, 3]
    assert both.iloc[3].tolist() == [4, "y", 1.0]


def test_a_float_may_lose_the_digits_that_the_dtype_has_no_room_for(frame):
    both = joined([frame, frame.assign(c=np.array([0.1, 0.2, np.nan]))])
    np.testing.assert_array_equal(both["c"][3:], np.array([0.1, 0.2, np.nan], dtype=np.float32))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (0, [1.5, 2.0, 3.0]),
        (0, [1.0, np.nan, 3.0]),
        (0, [300, 1, 2]),
        (0, ["1", "2", "3"]),
        ("b", ["x", "z", "y"]),
        ("c", ["high", "low", "low"]),
    ],
)
def test_what_does_not_fit_is_one_sentence_instead_of_another_value(frame, column, values):
    other = frame.copy()
    other[column] = values
    with pytest.raises(InputError, match=f"The column {column!r} is .* in some rows, and .* that do not fit"):
        joined([frame, other])


def test_labels_move_with_their_rows(frame):
    labels = np.array(["a", "b", "c"])
    rows, moved, order = shuffled(frame, labels, np.random.default_rng(3))
    assert sorted(order) == [0, 1, 2]
    assert rows.index.tolist() == [0, 1, 2]
    assert moved.tolist() == labels[order].tolist()
    pd.testing.assert_frame_equal(rows, frame.iloc[order].reset_index(drop=True))
    texts, moved, order = shuffled(["x", "y", "z"], labels, np.random.default_rng(3))
    assert [texts[place] + moved[place] for place in np.argsort(order)] == ["xa", "yb", "zc"]
