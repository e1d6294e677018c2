"""The schemas against the data: bounds hold, forbids are hardly broken, links lead somewhere."""

from __future__ import annotations

import re
from importlib import resources

import pandas as pd
import pytest

from expga.datasets import load, names


@pytest.fixture(scope="module", params=names())
def dataset(request):
    return load(request.param, "all")


def meets(column, condition):
    """Which of a column's rows meet a forbid's condition: a value, a list of them, or a range."""
    if isinstance(condition, dict):
        low, high = condition.get("min", -float("inf")), condition.get("max", float("inf"))
        return column.between(low, high)
    return column.isin(condition if isinstance(condition, list) else [condition])


def breaks(frame, forbid):
    """Which rows meet all of a forbid's conditions."""
    return pd.concat([meets(frame[name], what) for name, what in forbid.items()], axis=1).all(axis=1)


def read_as(dataset, protected, reading):
    """The frame with every `protected` set to `reading`, and linked columns changed with it."""
    frame = dataset.frame.copy()
    changed = set()
    frame[protected] = reading
    for link in dataset.schema["protected"][protected].get("link", []):
        for column, group in link.items():
            rows = [i for i in frame.index[frame[column].isin(group.values())] if i not in changed]
            frame.loc[rows, column] = group[str(reading)]
            changed.update(rows)
    return frame


def test_every_value_is_allowed(dataset):
    for name, feature in dataset.schema["features"].items():
        column = dataset.frame[name].dropna()
        if "values" in feature:
            assert set(column) == set(feature["values"]), name
            assert len(feature["values"]) == column.nunique(), name
        elif feature["type"] == "integer":
            assert column.between(feature["min"], feature["max"]).all(), name


def test_forbids_and_links_speak_of_allowed_values(dataset):
    features = dataset.schema["features"]
    conditions = [pair for forbid in dataset.schema["forbid"] for pair in forbid.items()]
    links = [
        (column, list(group.values()))
        for protected in dataset.schema["protected"].values()
        for link in protected.get("link", [])
        for column, group in link.items()
    ]

    for column, condition in conditions + links:
        if "values" in features[column]:
            chosen = condition if isinstance(condition, list) else [condition]
            assert set(chosen) <= set(features[column]["values"])


def test_forbids_are_broken_by_as_many_real_rows_as_the_file_says(dataset):
    file = resources.files("expga.datasets").joinpath("files", f"{dataset.name}.toml")
    stated = re.findall(r"# real rows: (\d+)\n\[\[forbid\]\]", file.read_text())

    counted = [int(breaks(dataset.frame, forbid).sum()) for forbid in dataset.schema["forbid"]]
    assert counted == [int(count) for count in stated]
    assert max(counted) <= 3


@pytest.mark.parametrize("name", ["census", "census-encoded", "credit"])
def test_either_reading_of_sex_breaks_no_forbid(name):
    dataset = load(name, "all")

    for reading in dataset.schema["protected"]["sex"]["values"]:
        reread = read_as(dataset, "sex", reading)
        for forbid in dataset.schema["forbid"]:
            if "sex" in forbid:
                assert not breaks(reread, forbid).any()


def test_own_reading_of_sex_changes_no_credit_row():
    credit = load("credit")

    for reading in ("female", "male"):
        own = credit.frame["sex"] == reading
        assert read_as(credit, "sex", reading)[own].equals(credit.frame[own])


def test_forbids_make_education_and_its_rank_one_fact():
    census = load("census")
    grid = (
        census.frame[["education"]]
        .drop_duplicates()
        .merge(census.frame[["education_num"]].drop_duplicates(), how="cross")
    )
    forbidden = pd.Series(False, index=grid.index)
    for forbid in census.schema["forbid"]:
        if "education_num" in forbid:
            forbidden |= breaks(grid, forbid)

    real = set(census.frame[["education", "education_num"]].itertuples(index=False, name=None))
    assert set(grid[~forbidden].itertuples(index=False, name=None)) == real


def test_bank_forbids_keep_earlier_contacts_consistent():
    bank = load("bank")
    columns = ["pdays", "previous", "poutcome"]
    grid = pd.DataFrame({"pdays": [-1, 1]}).merge(pd.DataFrame({"previous": [0, 1]}), how="cross")
    grid = grid.merge(pd.DataFrame({"poutcome": ["unknown", "success"]}), how="cross")
    forbidden = pd.Series(False, index=grid.index)
    for forbid in bank.schema["forbid"]:
        if forbid.keys() <= set(columns):
            forbidden |= breaks(grid, forbid)

    allowed = list(grid[~forbidden].itertuples(index=False, name=None))
    assert allowed == [(-1, 0, "unknown"), (1, 1, "success")]
