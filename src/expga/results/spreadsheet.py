"""The findings for spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from expga.results.outputs import Output

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins so, a spreadsheet would execute."""


class Csv(Output):
    """`findings.csv`: a row for each pair, as `findings.parquet` has it.

    Numbers are numbers, lists are joined by "; ", and a text that a spreadsheet would take for a formula has an
    apostrophe before it.
    """

    name = "csv"
    writes = ("findings.csv",)

    def files(self, audit: Any) -> Mapping[str, bytes]:
        findings: pd.DataFrame = audit.findings
        columns = [values if _numeric(values) else values.map(_cell) for _, values in findings.items()]
        table = pd.concat(columns, axis=1).set_axis([_cell(str(name)) for name in findings.columns], axis=1)
        # All texts are quoted, so that no line break in one begins a row; the mark at the start says that it is UTF-8.
        text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        return {"findings.csv": text.encode("utf-8-sig")}


def _numeric(values: pd.Series[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(values.dtype)


def _cell(value: Any) -> Any:
    """A value as a cell that nothing executes."""
    if isinstance(value, list | tuple | np.ndarray):
        value = "; ".join(map(str, value))
    if isinstance(value, Number | np.bool_) or pd.isna(value):
        return value
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
