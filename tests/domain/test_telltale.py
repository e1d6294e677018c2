"""Columns that say the same as a protected one, which no reading covers: a note names them."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def told(people, domain_of):
    """What is said of a table with more columns."""

    def notes(schema=None, protected=("sex",), **columns):
        return domain_of(people.assign(**columns), protected, {"rules": False, **(schema or {})}).notes()

    return notes


def code(people):
    return people["sex"].map({"Female": 2, "Male": 1})


def test_a_second_column_of_the_same_is_named(told, people):
    (note,) = told(gender=code(people), title=people["sex"].map({"Female": "Ms", "Male": "Mr"}))
    assert note.startswith("In every row gender, title tell the sex, and no reading changes them: twins are people")


def test_so_is_one_that_says_more(told, people):
    (note,) = told(role=people["sex"].str.cat(people["job"]))
    assert note.startswith("In every row role tells the sex, and no reading changes it")


def test_not_if_a_single_row_differs(told, people):
    column = code(people)
    column.iloc[0] = 3 - column.iloc[0]
    assert told(gender=column) == []


def test_not_if_readings_change_it(told, people):
    link = {"protected": {"sex": {"link": [{"gender": {"Female": 2, "Male": 1}}]}}}
    assert told(link, gender=code(people)) == []


def test_not_if_each_row_has_a_value_of_its_own(told, people):
    assert not any("tells" in note for note in told(measured=np.arange(len(people)) + 0.5))


def test_nor_if_it_may_be_chance(told, people):
    column = np.where(np.arange(len(people)) < 8, people["sex"], "unknown" + people.index.astype(str))
    assert not any("tells" in note for note in told(rare=column))


def test_numbers_tell_too(told, people):
    (note,) = told(protected=("age",), born=2026 - people["age"])
    assert "born tells the age" in note
