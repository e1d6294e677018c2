"""The encoded Census is the literature's."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from expga.datasets import literature_bounds, load

PAPER_ENCODED = Path(__file__).parents[3] / "shared" / "data" / "local" / "paper-encoded"


@pytest.fixture(scope="module")
def census():
    return load("census-encoded")


@pytest.mark.parametrize(
    ("row", "features", "income"),
    [
        # 39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White,
        # Male, 2174, 0, 40, United-States, <=50K
        (0, [3, 5, 3, 0, 2, 8, 3, 0, 1, 2, 0, 40, 0], 0),
        # 28, Private, 338409, Bachelors, 13, Married-civ-spouse, Prof-specialty, Wife, Black,
        # Female, 0, 0, 40, Cuba, <=50K
        (4, [2, 0, 16, 0, 0, 5, 0, 4, 0, 0, 0, 40, 12], 0),
        # 40, Private, 121772, Assoc-voc, 11, Married-civ-spouse, Craft-repair, Husband,
        # Asian-Pac-Islander, Male, 0, 0, 40, ?, >50K
        (14, [4, 0, 6, 6, 0, 1, 2, 1, 1, 0, 0, 40, 100], 1),
        # 54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, Asian-Pac-Islander,
        # Male, 0, 0, 60, South, >50K
        (27, [5, 100, 9, 1, 0, 100, 2, 1, 1, 0, 0, 60, 10], 1),
    ],
)
def test_rows_encoded_by_hand(census, row, features, income):
    assert census.frame.iloc[row].to_list() == features
    assert census.target[row] == income


def test_columns_are_those_of_census_without_education_num(census):
    raw_columns = list(load("census").frame.columns)
    raw_columns.remove("education_num")

    assert list(census.frame.columns) == raw_columns


def test_missing_values_are_100(census):
    counts = (census.frame[["workclass", "occupation", "native_country"]] == 100).sum()

    assert counts.to_list() == [1_836, 1_843, 583]


def test_literature_bounds_leave_2427_rows_out(census):
    bounds = literature_bounds()
    outside = pd.Series(False, index=census.frame.index)
    for column, feature in bounds.items():
        outside |= ~census.frame[column].between(feature["min"], feature["max"])

    assert list(bounds) == list(census.frame.columns)
    assert outside.sum() == 2_427


@pytest.mark.shared
@pytest.mark.skipif(not PAPER_ENCODED.exists(), reason="the literature's tables are not here")
def test_every_row_agrees_with_the_literatures_table(census):
    published = pd.read_csv(PAPER_ENCODED / "census.csv")

    rebuilt = census.frame.assign(income=census.target)
    assert rebuilt.to_numpy().tolist() == published.to_numpy().tolist()
