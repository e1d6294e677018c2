"""What is read of a column, and how often."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.domain.features import coded
from expga.domain.schema import Schema
from expga.domain.tabular import TabularDomain
from expga.domain.telltale import telltales

COLUMNS = {
    "floats": pd.Series([2.5, np.nan, -0.0, 0.0, 2.5]),
    "half": pd.Series([1.5, np.nan, 1.5], dtype="float16"),
    "whole": pd.Series([3, 1, 3]),
    "nullable": pd.Series([3, None, 3], dtype="Int64"),
    "text": pd.Series(["b", None, "a", "b"]),
    "objects": pd.Series([1, "1", None, np.nan, pd.NA, 1.0], dtype=object),
    "categories": pd.Series(["y", "x", None, "y"], dtype="category"),
    "bytes": pd.Series([b"b", b"a", b"b"]),
    "times": pd.to_datetime(pd.Series(["2020-01-02", None, "2020-01-02"])),
    "zoned": pd.to_datetime(pd.Series(["2020-01-02", None])).dt.tz_localize("UTC"),
    "booleans": pd.Series([True, False, True]),
    "nothing": pd.Series([], dtype=float),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_its_values_and_which_of_them_each_row_has(name):
    column = COLUMNS[name]
    values, codes = coded(column)
    assert values.dtype == column.dtype
    assert not values.dropna().duplicated().any()
    assert values.isna().sum() <= 1
    again = values.take(codes).reset_index(drop=True)
    known = column.notna()
    assert (again.notna() == known).all()
    assert (again[known] == column[known]).all()


def test_every_column_is_read_once(monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{number}": rng.normal(size=50) for number in range(20)}).assign(
        sex=rng.choice(["f", "m"], 50)
    )
    read = []
    factorize = pd.factorize
    monkeypatch.setattr(pd, "factorize", lambda *given, **more: read.append(1) or factorize(*given, **more))
    TabularDomain(frame, ["sex"], Schema(), "data")
    assert len(read) == frame.shape[1] + 1  # that of the protected column too, for its readings


def test_columns_without_repeats_are_no_telltales_and_not_looked_at(monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["f", "m"], 600), "a": rng.normal(size=600)})
    frame["told"] = frame["sex"] + "!"
    domain = TabularDomain(frame, ["sex"], Schema(), "data")
    looked = []
    monkeypatch.setattr(
        "expga.domain.telltale._exceptions", lambda column, _: looked.append(len(np.unique(column))) or 0
    )
    telltales(domain.rows, domain.features, 0, domain.readings.genes)
    assert set(looked) == {2}
    monkeypatch.undo()
    assert telltales(domain.rows, domain.features, 0, domain.readings.genes) == ["told"]
