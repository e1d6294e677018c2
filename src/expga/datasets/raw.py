"""The raw tables, with readable columns and values; each has its target as a column."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from expga.datasets.carried import open_file

if TYPE_CHECKING:
    import pandas as pd

_CENSUS_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
]

_CREDIT_COLUMNS = [
    "status",
    "duration",
    "credit_history",
    "purpose",
    "credit_amount",
    "savings",
    "present_employment",
    "installment_rate",
    "status_sex",
    "other_debtors",
    "present_residence",
    "property",
    "age",
    "installment_plans",
    "housing",
    "number_of_credits",
    "job",
    "people_liable",
    "telephone",
    "foreign_worker",
    "credit",
]


def read_census(split: str) -> pd.DataFrame:
    """Adult as published, shape (n, 15); what the file marks `?` is missing."""
    import pandas as pd

    if split == "all":
        return pd.concat([read_census("train"), read_census("test")], ignore_index=True)
    with open_file("adult.data.xz" if split == "train" else "adult.test.xz") as file:
        frame = pd.read_csv(
            file,
            compression="xz",
            names=_CENSUS_COLUMNS,
            skipinitialspace=True,
            skiprows=1 if split == "test" else 0,  # a remark about cross-validation
            na_values="?",
            keep_default_na=False,
        )
    # The labels of the test file end in a full stop.
    frame["income"] = frame["income"].str.rstrip(".")
    return frame


def read_credit(_split: str) -> pd.DataFrame:
    """German Credit with its codes spelled out, shape (1000, 22)."""
    import pandas as pd

    with open_file("german.data.xz") as file:
        frame = pd.read_csv(
            file,
            compression="xz",
            sep=" ",
            names=_CREDIT_COLUMNS,
            dtype={"credit": str},  # a code like the others, though it looks like a number
            keep_default_na=False,
        )
    with open_file("german.values.json") as file:
        meanings = json.load(file)
    for column, meaning in meanings.items():
        frame[column] = frame[column].map(meaning)
        if column not in ("telephone", "foreign_worker"):
            frame[column] = frame[column].str.strip()
    return _split_personal_status(frame)


def _split_personal_status(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace `status_sex`, such as "male : single", by the columns `sex` and `marital`."""
    place = list(frame.columns).index("status_sex")
    parts = frame.pop("status_sex").str.split(" : ", expand=True)
    frame.insert(place, "sex", parts[0])
    frame.insert(place + 1, "marital", parts[1])
    return frame


def read_bank(_split: str) -> pd.DataFrame:
    """The small sample of Bank Marketing, shape (4521, 17)."""
    import pandas as pd

    with open_file("bank-4521.csv.gz") as file:
        frame = pd.read_csv(file, compression="gzip", keep_default_na=False)
    return frame.drop(columns="id").rename(columns={"y": "subscribed"})
