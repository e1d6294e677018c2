"""Values that no row has: a slip of the pen, unless the schema says that they are meant."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import expga
from expga.domain.schema import read_schema
from expga.errors import InputError

SLIPS = [
    (
        {"protected": {"sex": {"values": ["Female", "Mal"]}}},
        "gives 'sex' the value 'Mal', which no row has; did you mean 'Male'",
    ),
    ({"protected": {"sex": {"values": ["female", "Male"]}}}, "value 'female', which no row has; did you mean 'Female'"),
    (
        {"protected": {"sex": {"values": ["Female ", "Male"]}}},
        "value 'Female ', which no row has; did you mean 'Female'",
    ),
    (
        {"protected": {"sex": {"link": [{"job": {"Male": "smth", "Female": "cook"}}]}}},
        "'smth', which no row has; did you mean 'smith'",
    ),
    ({"features": {"job": {"values": ["cook", "nrse"]}}}, "'nrse', which no row has; did you mean 'nurse'"),
    (
        {"features": {"job": {"values": ["cook", "Zar"]}}},
        "'Zar', which no row has; name one of clerk, cook, nurse, smith",
    ),
    ({"forbid": [{"job": "nurse", "sex": "Mail"}]}, "'Mail', which no row has; did you mean 'Male'"),
    ({"forbid": [{"job": ["nurse", "cok"], "sex": "Male"}]}, "'cok', which no row has; did you mean 'cook'"),
    (
        {"protected": {"age": {"values": [25, 450]}}},
        "gives 'age' the value 450, which no row has; name one from 19 to 78",
    ),
    ({"protected": {"age": {"values": ["25", "4o"]}}}, "gives 'age' the value '4o', which no row has; name one from"),
    ({"forbid": [{"age": 7, "sex": "Male"}]}, "gives 'age' the value 7, which no row has"),
    (
        {"features": {"jobb": {}}},
        "names the column 'jobb', which the data does not have; its columns are age, sex, job",
    ),
    ({"features": {"jobb": {}}}, "did you mean 'job'?"),
]
NO_SLIPS = [
    {"protected": {"age": {"values": [25, 45.5, "60"]}}, "features": {"age": {"type": "continuous"}}},
    {"protected": {"sex": {"values": ["Female", "Male"], "link": [{"job": {"Male": "smith"}}]}}},
    {"features": {"gain": {"values": ["0", 286]}, "debt": {"values": [3, 4.0]}}},
    {"features": {"age": {"min": 0, "max": 200}}, "forbid": [{"age": {"min": 100}}]},
]


@pytest.mark.parametrize(("schema", "sentence"), SLIPS, ids=[sentence[:40] for _, sentence in SLIPS])
def test_a_value_that_no_row_has_is_an_error(domain_of, people, schema, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        domain_of(people, schema=schema)


def test_a_protected_column_that_is_not_there_has_one_that_is_near(domain_of, people):
    with pytest.raises(InputError, match=r"'Sex' is not in the data; .*: did you mean 'sex'"):
        domain_of(people, ["Sex"])


@pytest.mark.parametrize("schema", NO_SLIPS, ids=range(len(NO_SLIPS)))
def test_values_within_the_range_of_a_number_or_written_another_way_are_none(domain_of, people, schema):
    if "age" in schema.get("protected", {}):
        people = people.assign(age=people.age.astype(float))
    domain_of(people, schema=schema)


@pytest.mark.parametrize("says", [{"unseen": True}, {"features": {"sex": {"unseen": True}}}], ids=["of all", "of one"])
def test_it_may_be_meant(domain_of, people, says):
    domain = domain_of(people, schema={**says, "protected": {"sex": {"values": ["Female", "Mal"]}}})
    assert domain.readings.labels == ({"sex": "Female"}, {"sex": "Mal"})


def test_of_one_column_it_may_not_though_of_all_others(domain_of, people):
    schema = {
        "unseen": True,
        "features": {"sex": {"unseen": False}},
        "protected": {"sex": {"values": ["Female", "Mal"]}},
    }
    with pytest.raises(InputError, match="did you mean 'Male'"):
        domain_of(people, schema=schema)


def test_a_category_that_the_dtype_declares_is_no_slip(domain_of, people):
    women = people[people.sex == "Female"].astype({"sex": pd.CategoricalDtype(["Female", "Male"])})
    domain = domain_of(women, schema={"protected": {"sex": {"values": ["Female", "Male"]}}})
    assert domain.readings.count == 2


def test_what_was_learnt_of_all_rows_is_read_with_few(domain_of, people):
    schema = domain_of(people, ["sex", "job"]).pinned()
    again = read_schema(json.loads(json.dumps(schema.as_dict())))
    assert again == schema
    assert domain_of(people.head(2), ["sex", "job"], again).readings.count == 8


def test_a_number_listed_for_a_column_of_texts_is_no_second_value(domain_of):
    frame = pd.DataFrame({"sex": ["F", "M"] * 4, "code": pd.Series(list("12341234"), dtype=object)})
    domain = domain_of(frame, schema={"features": {"code": {"values": [1, 2]}}}, realism="domain")
    values = domain.features[1].values
    assert values.tolist() == ["1", "2", "3", "4"]
    assert values[domain.features[1].allowed].tolist() == ["1", "2"]


@pytest.mark.parametrize("name", ["census", "credit", "bank", "census-encoded"])
def test_a_schema_that_ships_is_spelt_right_and_reads_few_rows_too(domain_of, name):
    data = expga.datasets.load(name)
    protected = list(read_schema(data.schema).protected) or ["age"]
    domain_of(data.frame.sample(100, random_state=0), protected[:1], data.schema)
    strict = {**read_schema(data.schema).as_dict(), "unseen": False}
    assert np.isfinite(domain_of(data.frame, protected[:1], strict).rows).all()
