"""Rows of any kind: taken, and put together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.errors import InputError
from expga.subjects import ListOfRows
from expga.subjects.table.frames import joined


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


def test_a_list_is_taken_by_number_and_put_together():
    assert ListOfRows().take(["a", "b", "c"], np.array([2, 0])) == ["c", "a"]
    assert ListOfRows().joined([["a"], [], ["b", "c"]]) == ["a", "b", "c"]


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
