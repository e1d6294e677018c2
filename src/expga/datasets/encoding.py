"""The integer encoding of Census on which the fairness-testing literature reports its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expga.datasets.carried import read_schema
from expga.datasets.raw import read_census

if TYPE_CHECKING:
    import pandas as pd

_MISSING = 100

_STEPS = {"age": 10, "fnlwgt": 20_000, "capital_gain": 1_000, "capital_loss": 100}

_LITERATURE_BOUNDS = {
    "age": (1, 9),
    "workclass": (0, 7),
    "fnlwgt": (0, 39),
    "education": (0, 15),
    "marital_status": (0, 6),
    "occupation": (0, 13),
    "relationship": (0, 5),
    "race": (0, 4),
    "sex": (0, 1),
    "capital_gain": (0, 99),
    "capital_loss": (0, 39),
    "hours_per_week": (0, 99),
    "native_country": (0, 39),
}


def read_encoded_census(split: str) -> pd.DataFrame:
    """Census as integers, shape (n, 14): 13 features and `income`.

    Amounts are counted in whole steps, categories are numbered in the order in which the schema of
    census lists them, and what is missing is 100. `education_num` is left out.
    """
    frame = read_census(split).drop(columns="education_num")
    for column, step in _STEPS.items():
        frame[column] //= step
    for column, feature in read_schema("census")["features"].items():
        if feature["type"] == "categorical":
            codes = {value: code for code, value in enumerate(feature["values"])}
            frame[column] = frame[column].map(codes).fillna(_MISSING).astype("int64")
    frame["income"] = (frame["income"] == ">50K").astype("int64")
    return frame


def literature_bounds() -> dict[str, dict[str, Any]]:
    """The bounds within which the literature searches the encoded Census.

    They stand in for `schema["features"]` to reproduce published numbers, and for nothing else:
    every column counts as an integer, and 2,427 rows of the train split lie outside (every row with
    a missing value, the largest weights and losses, and one country).
    """
    return {column: {"type": "integer", "min": low, "max": high} for column, (low, high) in _LITERATURE_BOUNDS.items()}
