"""What each dataset holds: sizes, labels, columns, and rows copied by hand from the raw files."""

from __future__ import annotations

import functools
import subprocess
import sys
from dataclasses import FrozenInstanceError

import pandas as pd
import pytest

from expga.datasets import DATASETS, Dataset, Source, load, names
from expga.errors import InputError


@functools.cache
def loaded(name, split="train"):
    """A dataset that tests share and only look at."""
    return load(name, split)


def test_names_are_the_four_datasets():
    assert names() == ("census", "census-encoded", "credit", "bank")


@pytest.mark.parametrize(
    ("name", "split", "shape", "positives"),
    [
        ("census", "train", (32_561, 14), 7_841),
        ("census", "test", (16_281, 14), 3_846),
        ("census", "all", (48_842, 14), 11_687),
        ("census-encoded", "train", (32_561, 13), 7_841),
        ("census-encoded", "test", (16_281, 13), 3_846),
        ("census-encoded", "all", (48_842, 13), 11_687),
        ("credit", "train", (1_000, 21), 700),
        ("credit", "all", (1_000, 21), 700),
        ("bank", "train", (4_521, 16), 521),
        ("bank", "all", (4_521, 16), 521),
    ],
)
def test_size_and_class_balance(name, split, shape, positives):
    dataset = loaded(name, split)

    assert dataset.frame.shape == shape
    assert (dataset.target == dataset.positive).sum() == positives
    assert dataset.target.nunique() == 2
    assert dataset.frame.index.equals(pd.RangeIndex(shape[0]))
    assert dataset.target.index.equals(dataset.frame.index)


@pytest.mark.parametrize(
    ("name", "target", "positive", "protected"),
    [
        ("census", "income", ">50K", ("sex", "race", "age")),
        ("census-encoded", "income", 1, ("sex", "race", "age")),
        ("credit", "credit", "good", ("sex", "age")),
        ("bank", "subscribed", "yes", ("age",)),
    ],
)
def test_target_and_protected_columns(name, target, positive, protected):
    dataset = loaded(name)

    assert dataset.name == name
    assert dataset.target.name == target
    assert target not in dataset.frame.columns
    assert dataset.positive == positive
    assert dataset.protected == protected


@pytest.mark.parametrize("name", names())
def test_description_credits_the_source(name):
    description = loaded(name).description

    assert "UCI" in description
    assert "CC BY 4.0" in description


def test_first_row_of_census():
    assert loaded("census").frame.iloc[0].to_dict() == {
        "age": 39,
        "workclass": "State-gov",
        "fnlwgt": 77516,
        "education": "Bachelors",
        "education_num": 13,
        "marital_status": "Never-married",
        "occupation": "Adm-clerical",
        "relationship": "Not-in-family",
        "race": "White",
        "sex": "Male",
        "capital_gain": 2174,
        "capital_loss": 0,
        "hours_per_week": 40,
        "native_country": "United-States",
    }


def test_census_test_split_has_neither_its_junk_line_nor_full_stops():
    census = loaded("census", "test")

    assert census.frame.loc[0, ["age", "education", "race"]].to_list() == [25, "11th", "Black"]
    assert set(census.target) == {"<=50K", ">50K"}


@pytest.mark.parametrize(
    ("split", "missing"),
    [
        ("train", {"workclass": 1_836, "occupation": 1_843, "native_country": 583}),
        ("test", {"workclass": 963, "occupation": 966, "native_country": 274}),
    ],
)
def test_census_question_marks_are_missing(split, missing):
    frame = loaded("census", split).frame
    counts = frame.isna().sum()

    assert counts[counts > 0].to_dict() == missing
    assert not (frame == "?").any(axis=None)


@pytest.mark.parametrize("name", ["census-encoded", "credit", "bank"])
def test_nothing_is_missing_elsewhere(name):
    assert not loaded(name).frame.isna().any(axis=None)


@pytest.mark.parametrize("name", names())
def test_columns_have_the_type_that_the_schema_says(name):
    dataset = loaded(name)

    assert list(dataset.schema["features"]) == list(dataset.frame.columns)
    for column, feature in dataset.schema["features"].items():
        if feature["type"] == "boolean":
            assert dataset.frame[column].dtype == "bool"
        elif feature["type"] == "integer" or name == "census-encoded":
            assert dataset.frame[column].dtype == "int64"
        else:
            assert pd.api.types.is_string_dtype(dataset.frame[column].dropna())


def test_first_row_of_credit():
    assert loaded("credit").frame.iloc[0].to_dict() == {
        "status": "... < 0 DM",
        "duration": 6,
        "credit_history": "critical account/ other credits existing (not at this bank)",
        "purpose": "radio/television",
        "credit_amount": 1169,
        "savings": "unknown/ no savings account",
        "present_employment": ".. >= 7 years",
        "installment_rate": 4,
        "sex": "male",
        "marital": "single",
        "other_debtors": "none",
        "present_residence": 4,
        "property": "real estate",
        "age": 67,
        "installment_plans": "none",
        "housing": "own",
        "number_of_credits": 2,
        "job": "skilled employee/ official",
        "people_liable": 1,
        "telephone": True,
        "foreign_worker": True,
    }


def test_credit_splits_sex_from_marital_status():
    pairs = loaded("credit").frame[["sex", "marital"]].value_counts().to_dict()

    assert pairs == {
        ("male", "single"): 548,
        ("female", "divorced/separated/married"): 310,
        ("male", "married/widowed"): 92,
        ("male", "divorced/separated"): 50,
    }


def test_credit_values_have_no_trailing_spaces():
    assert "0 <= ... < 200 DM" in set(loaded("credit").frame["status"])


def test_first_row_of_bank():
    bank = loaded("bank")

    assert bank.frame.iloc[0].to_dict() == {
        "age": 30,
        "job": "unemployed",
        "marital": "married",
        "education": "primary",
        "default": "no",
        "balance": 1787,
        "housing": "no",
        "loan": "no",
        "contact": "cellular",
        "day": 19,
        "month": "oct",
        "duration": 79,
        "campaign": 1,
        "pdays": -1,
        "previous": 0,
        "poutcome": "unknown",
    }
    assert bank.target[0] == "no"


def test_unknown_name_says_which_there_are():
    with pytest.raises(InputError, match=r"no data set 'adult'; choose one of census, census-encoded, credit, bank\."):
        load("adult")


@pytest.mark.parametrize("name", ["credit", "bank"])
def test_a_dataset_in_one_piece_has_no_test_split(name):
    with pytest.raises(InputError, match=rf"'{name}' has no split 'test'; choose one of train, all\."):
        load(name, "test")


def test_unknown_split_says_which_there_are():
    with pytest.raises(InputError, match=r"'validation'; choose one of train, test, all\."):
        load("census", "validation")


def test_dataset_is_frozen_but_its_schema_is_the_callers_own():
    dataset = load("bank")
    dataset.schema["features"].clear()

    assert load("bank").schema["features"]
    with pytest.raises(FrozenInstanceError):
        dataset.name = "other"


def test_importing_the_datasets_leaves_pandas_alone():
    program = f"import sys; sys.path = {sys.path!r}; import expga.datasets; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "pandas" not in run.stdout.split()


class Loans(Source):
    """Somebody else's."""

    splits = ("all",)

    def load(self, split):
        frame = pd.DataFrame({"age": [20, 30], "sex": ["f", "m"]})
        return Dataset("loans", frame, pd.Series(["no", "yes"]), "yes", ("sex",), {}, f"Loans, {split}.")


@pytest.mark.parametrize("given", [Loans, Loans()])
def test_a_source_of_ones_own_is_loaded_by_class_or_object(given):
    assert load(given, "all").description == "Loans, all."


def test_one_that_is_registered_goes_by_its_name(monkeypatch):
    monkeypatch.setitem(DATASETS._added, "loans", [Loans])
    assert "loans" in names()
    assert load("loans", "all").protected == ("sex",)
    with pytest.raises(InputError, match=r"The data set 'loans' has no split 'train'; choose one of all\."):
        load("loans")


def test_one_by_its_module():
    assert load("expga.datasets.catalogue:BANK").name == "bank"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (object(), "has no load; let its class inherit from expga.datasets.Source"),
        (type("Numbers", (Source,), {"load": lambda *_: 5})(), "is a int; its load must return"),
        (type("Broken", (Source,), {"load": lambda *_: 1 / 0})(), "cannot be loaded: ZeroDivisionError"),
    ],
)
def test_what_is_no_data_set_is_told_in_one_sentence(given, told):
    with pytest.raises(InputError, match=f"^The data set .* {told}"):
        load(given)
