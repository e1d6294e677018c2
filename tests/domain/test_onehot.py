"""Columns of 0 and 1 that are one feature: recognised, declared, denied; read and written as the model takes them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder

from expga.domain.folding import Folding
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.errors import InputError

ROWS = 300


@pytest.fixture(scope="module")
def plain():
    """(300, 5) people before anybody made 0 and 1 of them."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": rng.choice(["Female", "Male"], ROWS),
            "marital_status": rng.choice(["Never_married", "Married", "Divorced"], ROWS, p=[0.4, 0.4, 0.2]),
            "age": rng.integers(18, 80, ROWS),
            "has_car": rng.integers(0, 2, ROWS),
            "has_boat": rng.integers(0, 2, ROWS),
        }
    )


def groups_of(frame, protected=("age",), schema=None):
    """By feature, the values it has."""
    folding = Folding.of(frame, protected, read_schema(schema))
    return {name: group.values for name, group in folding.groups.items()}


MARITAL = ["Divorced", "Married", "Never_married"]


class TestRecognising:
    @pytest.mark.parametrize("sign", ["_", "=", ".", "__"])
    def test_by_names_that_begin_alike(self, plain, sign):
        assert groups_of(pd.get_dummies(plain, prefix_sep=sign)) == {
            "sex": ["Female", "Male", None],
            "marital_status": [*MARITAL, None],
        }

    @pytest.mark.parametrize("dtype", [bool, "uint8", float, "Int64"])
    def test_in_every_dtype(self, plain, dtype):
        assert list(groups_of(pd.get_dummies(plain, dtype=dtype))) == ["sex", "marital_status"]

    def test_where_one_level_was_dropped_a_row_may_have_none(self, plain):
        assert groups_of(pd.get_dummies(plain, drop_first=True)) == {
            "marital_status": ["Married", "Never_married", "none of these"]
        }

    def test_a_single_column_is_one_where_that_feature_shall_be_protected(self, plain):
        assert groups_of(pd.get_dummies(plain, drop_first=True), ["sex"])["sex"] == ["Male", "not Male"]

    def test_in_what_a_transformer_makes(self, plain):
        columns = make_column_transformer(
            (OneHotEncoder(sparse_output=False), ["sex", "marital_status"]), remainder="passthrough"
        )
        frame = columns.set_output(transform="pandas").fit_transform(plain)
        assert next(iter(frame.columns)) == "onehotencoder__sex_Female"
        assert groups_of(frame) == {"sex": ["Female", "Male", None], "marital_status": [*MARITAL, None]}

    def test_beside_each_other_where_columns_have_no_names(self, plain):
        array = pd.get_dummies(plain, dtype=float).to_numpy()
        frame = pd.DataFrame(array, columns=[f"x{number}" for number in range(array.shape[1])])
        assert list(groups_of(frame)) == ["x3/x4", "x5/x6/x7"]

    def test_where_they_were_scaled(self, plain):
        frame = pd.get_dummies(plain, dtype=float)
        scaled = (frame - frame.mean()) / frame.std()
        assert list(groups_of(scaled)) == ["sex", "marital_status"]
        domain = domain_on(scaled, ["sex"], None)
        pd.testing.assert_frame_equal(domain.taken(domain.rows), scaled)
        again = domain_on(scaled.iloc[:5], ["sex"], domain.pinned().as_dict())
        pd.testing.assert_frame_equal(again.taken(again.rows), scaled.iloc[:5].reset_index(drop=True))

    def test_not_where_rows_have_several(self, plain):
        assert groups_of(plain) == {}

    def test_not_where_it_may_be_chance(self):
        rng = np.random.default_rng(0)
        rare = {f"has_{what}": (rng.permutation(ROWS) < 3).astype(int) for what in ("boat", "yacht", "jet")}
        frame = pd.DataFrame({**rare, "age": np.arange(ROWS)})
        assert frame.iloc[:, :3].sum(axis=1).max() == 1
        assert groups_of(frame) == {}

    def test_not_where_something_else_stands_in_them(self, plain):
        frame = pd.get_dummies(plain, dtype=float)
        frame.loc[5, "sex_Male"] = 0.5
        frame.loc[6, "marital_status_Married"] = np.nan
        frame.loc[7, "marital_status_Divorced"] = 2
        assert groups_of(frame) == {}

    def test_a_name_that_is_taken_is_not_taken_twice(self, plain):
        frame = pd.get_dummies(plain).assign(sex=np.arange(ROWS))
        assert groups_of(frame)["sex_Female/sex_Male"] == ["Female", "Male", None]


class TestTheSchema:
    def test_denies_one_or_all(self, plain):
        frame = pd.get_dummies(plain)
        assert list(groups_of(frame, schema={"one_hot": {"sex": False}})) == ["marital_status"]
        assert groups_of(frame, schema={"one_hot": {"*": False}}) == {}

    def test_declares_one_and_names_the_value_of_none(self, plain):
        frame = pd.get_dummies(plain, drop_first=True)
        columns = ["marital_status_Married", "marital_status_Never_married"]
        rule = {"marital": {"columns": columns, "none": "Divorced"}}
        assert groups_of(frame, schema={"one_hot": rule}) == {"marital": ["Married", "Never_married", "Divorced"]}

    def test_of_a_declared_one_a_row_with_none_is_missing(self, plain):
        frame = pd.get_dummies(plain)
        frame.loc[3, ["sex_Female", "sex_Male"]] = False
        domain = domain_on(frame, ["sex"], {"one_hot": {"sex": ["sex_Female", "sex_Male"]}})
        assert domain.readings.labels == ({"sex": "Female"}, {"sex": "Male"})
        assert domain.taken(domain.rows[3:4])[["sex_Female", "sex_Male"]].to_numpy().tolist() == [[False, False]]

    def test_its_conditions_on_columns_hold_for_the_feature(self, plain):
        frame = pd.get_dummies(plain)
        domain = domain_on(frame, ["sex"], {"forbid": [{"sex_Male": 1, "marital_status_Married": True}]})
        valid = domain.readings.valid(domain.rows)
        assert (valid[:, 1] == (plain["marital_status"] != "Married").to_numpy()).all()
        assert valid[:, 0].all()

    SENTENCES: tuple[tuple[dict[str, object], str], ...] = (
        ({"one_hot": {"sex": ["sex_Female", "sex_None"]}}, "of the column 'sex_None', which the data does not have"),
        ({"one_hot": {"sex": ["sex_Male", "sex_Male"]}}, "names the column 'sex_Male' twice"),
        ({"one_hot": {"age": ["sex_Male"]}}, "makes 'age', which is a column already"),
        ({"one_hot": {"a": ["age", "has_car"]}}, "The column 'age' of 'a' must hold 0 or 1, and it has"),
        ({"one_hot": {"a": ["has_boat", "has_car"]}}, "has several of the columns of 'a' (has_boat, has_car)"),
        ({"one_hot": {"sex": "sex_Male"}}, "The schema's one_hot.sex must be a list"),
        ({"one_hot": {"sex": {"columns": ["sex_Male"], "cells": [[1, 0]]}}}, "must be two rising numbers for each"),
        ({"one_hot": {"sex": {"columns": ["sex_Male"], "cells": [[0, 1]] * 2}}}, "must be two rising numbers for each"),
        ({"one_hot": {"sex": []}}, "one_hot.sex must be a list of columns, or false"),
        ({"one_hot": {"sex": {"columns": ["sex_Male"], "none": 3}}}, "one_hot.sex.none must be a name"),
        (
            {"features": {"sex_Male": {"immutable": True}}},
            "a rule for 'sex_Male', which is a part of the feature 'sex'",
        ),
        ({"protected": {"sex_Male": {"values": [0, 1]}}}, "write it for 'sex', with the values Female, Male"),
    )

    @pytest.mark.parametrize(("schema", "sentence"), SENTENCES, ids=[sentence[:40] for _, sentence in SENTENCES])
    def test_what_cannot_be_followed_is_one_sentence(self, plain, schema, sentence):
        with pytest.raises(InputError) as told:
            domain_on(pd.get_dummies(plain), ["sex"], schema)
        assert sentence in str(told.value)

    def test_spelled_out_reads_other_rows_in_the_same_way(self, plain):
        frame = pd.get_dummies(plain)
        pinned = domain_on(frame, ["sex"], None).pinned().as_dict()
        other = frame.iloc[:6].assign(has_boat=1 - frame["has_car"].iloc[:6])  # which now exclude each other
        domain = domain_on(other, ["sex"], pinned)
        assert [str(column) for column in domain.columns] == ["age", "has_car", "has_boat", "sex", "marital_status"]


def domain_on(frame, protected, schema, realism="data"):
    return TabularDomain(frame, protected, read_schema(schema), realism)


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("dtype", [bool, float, "Int64"])
def test_rows_come_back_as_they_were(plain, drop, dtype):
    frame = pd.get_dummies(plain, drop_first=drop, dtype=dtype)
    domain = domain_on(frame, ["sex"], None)
    pd.testing.assert_frame_equal(domain.taken(domain.rows), frame)
    assert type(domain.decode(domain.rows)) is pd.DataFrame
    assert (domain.decode(domain.rows).to_numpy() == frame.to_numpy()).all()


def test_out_of_what_was_saved_rows_come_back_as_well(plain):
    frame = pd.get_dummies(plain, drop_first=True)
    domain = domain_on(frame, ["sex"], None)
    again = Folding.saved([str(column) for column in frame.columns], domain.folding.record())
    pd.testing.assert_frame_equal(again.unfolded(domain.folding.folded(frame)), frame)


@pytest.mark.parametrize("realism", ["data", "domain"])
def test_whatever_is_bred_has_one_column_of_each_feature(plain, realism):
    frame = pd.get_dummies(plain)
    domain = domain_on(frame, ["sex"], None, realism)
    rng = np.random.default_rng(0)
    bred = domain.mutated(domain.rows, rng.random(domain.rows.shape) < 0.5, rng)
    reading = rng.integers(0, domain.readings.count, len(bred))
    rows = domain.taken(domain.readings.read(bred, reading))
    for feature in ("sex_", "marital_status_"):
        assert (rows.filter(like=feature).sum(axis=1) == 1).all()


def test_a_column_that_is_a_part_stands_for_its_feature(plain):
    domain = domain_on(pd.get_dummies(plain), ["sex_Male", "sex_Female"], None)
    assert list(domain.attribute_readings) == ["sex"]
    (whole, part) = domain.notes()
    assert whole == (
        "Columns of 0 and 1 of which a row has one at most are read as one feature: "
        "sex (sex_Female, sex_Male), marital_status (3 columns)."
    )
    assert part == "sex_Male and sex_Female are parts of the feature sex, which is protected as a whole."
