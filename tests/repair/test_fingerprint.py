"""What tells one set of rows from another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.subjects.fingerprint import fingerprint_of, row_hashes


@pytest.fixture
def frame():
    return pd.DataFrame({"sex": ["F", "M", "F"], "age": [20, 30, 20], "debt": [1.5, np.nan, 1.5]})


def test_equal_rows_have_equal_hashes(frame):
    one, two, three = row_hashes(frame)
    assert one == three != two
    assert row_hashes(["a", "b", "a"])[0] == row_hashes(["x", "a"])[1]
    assert len(set(row_hashes(["a", "b", ""]))) == 3
    assert row_hashes([]).tolist() == []


def test_the_index_has_no_part_in_it(frame):
    other = frame.set_axis(list("xyz"))
    assert row_hashes(other).tolist() == row_hashes(frame).tolist()
    assert fingerprint_of(other) == fingerprint_of(frame)


def test_the_same_rows_have_the_same_fingerprint(frame):
    assert fingerprint_of(frame.copy()) == fingerprint_of(frame)
    assert fingerprint_of(["a", "b"]) == fingerprint_of(("a", "b"))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda frame: frame.iloc[::-1].iloc[[1, 0, 2]], id="another order"),
        pytest.param(lambda frame: frame[:2], id="fewer"),
        pytest.param(lambda frame: frame.rename(columns={"age": "years"}), id="other names"),
        pytest.param(lambda frame: frame[["age", "sex", "debt"]], id="columns in another order"),
        pytest.param(lambda frame: frame.assign(age=[20, 31, 20]), id="another value"),
        pytest.param(lambda frame: frame.fillna(0.0), id="a value where one was missing"),
    ],
)
def test_others_have_another(frame, change):
    assert fingerprint_of(change(frame)) != fingerprint_of(frame)


@pytest.mark.parametrize("texts", [["b", "a"], ["a"], ["a", "b", ""], ["ab", ""]])
def test_other_texts_have_another(texts):
    assert fingerprint_of(texts) != fingerprint_of(["a", "b"])
