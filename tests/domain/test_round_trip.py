"""A table survives encoding and decoding: values, dtypes, columns and their order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

COLUMNS = {
    "object": pd.Series(["b", "a", "c"] * 4, dtype=object),
    "object of numbers": pd.Series([1, "a", 2.5] * 4, dtype=object),
    "object of booleans": pd.Series([True, False, True] * 4, dtype=object),
    "object of bytes": pd.Series([b"\xff", b"a", b"\x00\xfe"] * 4, dtype=object),
    "str": pd.Series(["b", "a", "c"] * 4, dtype="str"),
    "string": pd.Series(["b", "a", "c"] * 4, dtype="string"),
    "category": pd.Series(pd.Categorical(["b", "a", "c"] * 4)),
    "category with unused ones": pd.Series(pd.Categorical(["b", "a"] * 6, categories=["z", "b", "a", "y"])),
    "ordered category": pd.Series(pd.Categorical(["low", "high"] * 6, categories=["low", "mid", "high"], ordered=True)),
    "category of numbers": pd.Series(pd.Categorical([10, 9, 100] * 4)),
    "bool": pd.Series([True, False, False] * 4),
    "nullable boolean": pd.Series([True, False, False] * 4, dtype="boolean"),
    "nullable integer": pd.Series([3, 1, 2] * 4, dtype="Int64"),
    "nullable float": pd.Series([3.5, 0.1, 2.0] * 4, dtype="Float64"),
    **{size: pd.Series([3, -100, 127] * 4, dtype=size) for size in ("int8", "int16", "int32", "int64")},
    "unsigned": pd.Series([3, 0, 255] * 4, dtype="uint8"),
    "large integers": pd.Series([2**62, 2**62 + 1, -(2**62)] * 4),
    "half precision": pd.Series([0.1, 3.25, -7] * 4, dtype="float16"),
    "single precision": pd.Series([0.1, 3.25, -7] * 4, dtype="float32"),
    "double precision": pd.Series([0.1 + 0.2, 0.3, 1e300] * 4),
    "datetime": pd.Series(pd.to_datetime(["2020-02-29", "1999-12-31", "2020-03-01"] * 4)),
    "datetime in seconds": pd.Series(np.array(["2020-02-29", "1999-12-31"] * 6, dtype="datetime64[s]")),
    "datetime with a zone": pd.Series(pd.to_datetime(["2020-02-29", "1999-12-31"] * 6).tz_localize("UTC")),
    "object with None": pd.Series(["b", None, "c"] * 4, dtype=object),
    "object with NaN": pd.Series(["b", np.nan, "c"] * 4, dtype=object),
    "str with missing": pd.Series(["b", None, "c"] * 4, dtype="str"),
    "string with missing": pd.Series(["b", None, "c"] * 4, dtype="string"),
    "category with missing": pd.Series(pd.Categorical(["b", None, "c"] * 4)),
    "float with missing": pd.Series([0.5, np.nan, 2.5] * 4),
    "float with nothing else": pd.Series([np.nan] * 12),
    "nullable integer with missing": pd.Series([3, None, 2] * 4, dtype="Int64"),
    "nullable float with missing": pd.Series([3.5, None, 2.0] * 4, dtype="Float64"),
    "nullable boolean with missing": pd.Series([True, None, False] * 4, dtype="boolean"),
    "datetime with missing": pd.Series(pd.to_datetime(["2020-02-29", None, "2020-03-01"] * 4)),
}


def beside_a_sex(column):
    return pd.DataFrame({"column": column, "sex": ["F", "M"] * 6})


@pytest.mark.parametrize("realism", ["data", "domain"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_as_it_was(domain_of, name, realism):
    frame = beside_a_sex(COLUMNS[name])
    domain = domain_of(frame, realism=realism)
    pd.testing.assert_frame_equal(domain.frame(domain.rows), frame, check_exact=True)
    pd.testing.assert_frame_equal(domain.decode(domain.rows), frame, check_exact=True)


def test_a_mixed_table_comes_back_in_its_own_order(domain_of, people):
    domain = domain_of(people)
    back = domain.decode(domain.rows)
    assert list(back.columns) == list(people.columns)
    pd.testing.assert_frame_equal(back, people, check_exact=True)


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_a_table_of_one_number_type_comes_back_as_it_was(domain_of, dtype):
    frame = pd.DataFrame({"sex": [0, 1, 1, 0], "age": [30, 50, 20, 70], "debt": [9, 9, 1, 4]}).astype(dtype)
    domain = domain_of(frame)
    pd.testing.assert_frame_equal(domain.decode(domain.rows), frame, check_exact=True)


def test_column_names_need_not_be_text(domain_of):
    frame = pd.DataFrame({0: [0, 1, 1, 0], 1: [3, 5, 7, 9]})
    domain = domain_of(frame, ["0"])
    pd.testing.assert_frame_equal(domain.decode(domain.rows), frame)


def test_a_frame_of_another_index_is_decoded_row_by_row(domain_of):
    frame = pd.DataFrame({"sex": ["F", "M", "F"], "age": [30, 50, 20]}, index=[7, 3, 5])
    domain = domain_of(frame)
    pd.testing.assert_frame_equal(domain.decode(domain.rows[[2, 0]]), frame.iloc[[2, 0]].reset_index(drop=True))


@pytest.mark.parametrize(
    "array",
    [
        np.array([[0, 30], [1, 50], [1, 20]]),
        np.array([[0, 0.1], [1, np.nan], [1, 1e300]]),
        np.array([[0, 0.1], [1, 0.7], [1, 0.3]], dtype=np.float32),
        np.array([[False, True], [True, True], [True, False]]),
        np.array([["F", 30], ["M", None], ["M", 20.5]], dtype=object),
    ],
    ids=["integers", "floats", "single precision", "booleans", "objects"],
)
def test_an_array_comes_back_as_an_array(domain_of, array):
    domain = domain_of(pd.DataFrame(array, columns=["sex", "x"]), as_array=True)
    back = domain.decode(domain.rows)
    assert isinstance(back, np.ndarray)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def test_missing_is_a_value_of_its_own(domain_of):
    domain = domain_of(beside_a_sex(COLUMNS["float with missing"]))
    codes = domain.rows[:, 0]
    assert len(set(codes[1::3])) == 1
    assert not set(codes[1::3]) & set(codes[0::3])
    assert domain.features[0].values.isna().sum() == 1


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("object", "categorical"),
        ("str", "categorical"),
        ("category of numbers", "categorical"),
        ("datetime with a zone", "categorical"),
        ("bool", "boolean"),
        ("nullable boolean with missing", "boolean"),
        ("int8", "integer"),
        ("nullable integer with missing", "integer"),
        ("single precision", "continuous"),
        ("nullable float", "continuous"),
        ("datetime with missing", "continuous"),
    ],
)
def test_kinds_follow_from_the_dtype(domain_of, name, kind):
    assert domain_of(beside_a_sex(COLUMNS[name])).features[0].kind == kind


def test_floats_that_are_all_whole_count_as_integers(domain_of):
    whole = pd.Series([1.0, np.nan, 3.0] * 4)
    assert domain_of(beside_a_sex(whole)).features[0].kind == "integer"
    assert domain_of(beside_a_sex(whole + 0.5)).features[0].kind == "continuous"
