"""What the schema overrides, what it forbids, and what it says when it cannot be followed."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from expga.domain.schema import Schema, read_schema
from expga.errors import InputError


def values(domain, column):
    """The values that a search may give a column."""
    feature = domain.features[domain.columns.index(column)]
    return feature.values[feature.allowed].tolist()


def feature(domain, column):
    return domain.features[domain.columns.index(column)]


class TestOverrides:
    def test_a_type_replaces_the_inferred_one(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"age": {"type": "categorical"}}})
        assert feature(domain, "age").kind == "categorical"

    def test_listed_values_are_all_that_a_search_may_use(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"job": {"values": ["cook", "nurse", "baker"], "unseen": True}}})
        assert values(domain, "job") == ["baker", "cook", "nurse"]

    def test_an_empty_text_is_a_value_like_any_other(self, domain_of):
        frame = pd.DataFrame({"sex": ["F", "M"] * 3, "job": ["", "cook", "nurse"] * 2})
        domain = domain_of(frame, schema={"features": {"job": {"values": ["", "cook"]}}})
        assert values(domain, "job") == ["", "cook"]

    def test_listed_numbers_may_be_written_as_text(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"gain": {"values": ["0", 5]}}})
        assert values(domain, "gain") == [0.0, 5.0]

    def test_bounds_limit_what_a_search_may_use(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"age": {"min": 30, "max": 40}}})
        assert values(domain, "age") == sorted(set(people.age[people.age.between(30, 40)]))

    def test_without_realism_every_integer_within_bounds_has_a_code(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"age": {"min": 10, "max": 99}}}, realism="domain")
        assert values(domain, "age") == list(range(10, 100))

    def test_without_realism_continuous_values_reach_both_bounds(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"hours": {"min": 0, "max": 80}}}, realism="domain")
        found = values(domain, "hours")
        assert (min(found), max(found)) == (0.0, 80.0)
        assert len(found) >= 1_000

    def test_missing_stays_possible_whatever_the_bounds(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"debt": {"min": 10, "max": 20}}})
        assert np.isnan(values(domain, "debt")).sum() == 1

    def test_immutable_genes_are_not_for_the_search(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"age": {"immutable": True}}})
        assert [c for c, free in zip(domain.columns, domain.mutable, strict=True) if not free] == ["age", "sex"]

    def test_a_toml_file_says_the_same_as_a_mapping(self, tmp_path):
        path = tmp_path / "schema.toml"
        path.write_text(
            '[features.age]\ntype = "integer"\nmin = 17\n\n[[forbid]]\njob = "nurse"\nage = { max = 18 }\n\n'
            '[protected.sex]\nvalues = ["F", "M"]\n[[protected.sex.link]]\nrole = { F = "Wife", M = "Husband" }\n',
            encoding="utf-8",
        )
        mapping = {
            "features": {"age": {"type": "integer", "min": 17}},
            "forbid": [{"job": "nurse", "age": {"max": 18}}],
            "protected": {"sex": {"values": ["F", "M"], "link": [{"role": {"F": "Wife", "M": "Husband"}}]}},
        }
        assert read_schema(path) == read_schema(mapping) == read_schema(read_schema(mapping))

    def test_no_schema_is_an_empty_one(self):
        assert read_schema(None) == Schema() == read_schema({})


class TestAnchors:
    def test_rows_outside_the_bounds_are_no_anchors(self, domain_of, people):
        domain = domain_of(people, schema={"features": {"age": {"max": 60}, "job": {"values": ["cook", "nurse"]}}})
        inside = (people.age <= 60) & people.job.isin(["cook", "nurse"])
        assert domain.anchors.tolist() == np.flatnonzero(inside).tolist()

    def test_a_protected_value_outside_its_bounds_bars_no_row(self, domain_of, people):
        domain = domain_of(people, ["age"], schema={"features": {"age": {"max": 60}}})
        assert len(domain.anchors) == len(people)

    def test_all_rows_outside_is_an_error(self, domain_of, people):
        schema = {"features": {"age": {"min": 30, "max": 50}, "hours": {"values": [-1.0], "unseen": True}}}
        with pytest.raises(InputError, match=r"No row of the data lies within the schema's bounds; widen them\."):
            domain_of(people, schema=schema)


class TestForbidden:
    def test_values_lists_and_ranges_are_all_conditions(self, domain_of):
        frame = pd.DataFrame(
            {
                "sex": ["F", "M"] * 4,
                "job": list("aabbccdd"),
                "age": [20, 20, 30, 30, 40, 40, 50, 50],
            }
        )
        schema = {
            "forbid": [
                {"job": "a", "sex": "F"},
                {"job": ["b", "c"], "age": {"min": 30}, "sex": "M"},
                {"age": {"max": 40, "min": 40}},
                {"age": 50, "sex": ["F", "M"]},
            ]
        }
        domain = domain_of(frame, schema=schema)
        expected = [[0, 1]] * 2 + [[1, 0]] * 2 + [[0, 0]] * 4
        assert domain.readings.valid(domain.rows).astype(int).tolist() == expected

    def test_forbidding_the_empty_text_forbids_nothing_else(self, domain_of):
        frame = pd.DataFrame({"sex": ["F", "M"] * 3, "job": ["", "cook", "nurse"] * 2})
        domain = domain_of(frame, schema={"forbid": [{"job": "", "sex": "F"}]})
        assert domain.readings.valid(domain.rows)[:3].tolist() == [[False, True], [True, True], [True, True]]

    @pytest.mark.parametrize("groups", [1, 64, 65, 130])
    def test_any_number_of_combinations_is_checked_to_the_last(self, domain_of, groups):
        frame = pd.DataFrame({"sex": ["F", "M"] * 100, "number": range(200)})
        domain = domain_of(frame, schema={"forbid": [{"number": n, "sex": "F"} for n in range(groups)]})
        valid = domain.readings.valid(domain.rows)
        assert valid[:, 1].all()
        assert valid[:, 0].tolist() == [number >= groups for number in range(200)]

    def test_missing_meets_no_range(self, domain_of):
        frame = pd.DataFrame({"sex": ["F", "M"], "debt": [np.nan, 5.0]})
        domain = domain_of(frame, schema={"forbid": [{"debt": {"min": 0}, "sex": "F"}]})
        assert domain.readings.valid(domain.rows).tolist() == [[True, True], [False, True]]


SENTENCES = [
    (
        {"fetures": {}},
        "The schema has an unknown entry 'fetures'; it may have features, forbid, protected, one_hot, unseen, rules.",
    ),
    ({"features": {"age": {"typ": 1}}}, "features.age has an unknown entry 'typ'; it may have type, values,"),
    ({"features": {"age": {"type": "number"}}}, "The schema gives 'age' the type 'number'; choose one of categorical,"),
    ({"features": {"age": {"min": 9, "max": 2}}}, "The schema's min of 'age', 9, is above its max, 2."),
    ({"features": {"age": {"min": "9"}}}, "The schema's min of 'age' must be a number, not '9'."),
    ({"features": {"age": {"max": True}}}, "The schema's max of 'age' must be a number, not True."),
    ({"features": {"job": {"values": "cook"}}}, "The schema's features.job.values must be a list, not 'cook'."),
    ({"features": {"age": 7}}, "The schema's features.age must be a table of names and values, not 7."),
    (
        {"features": {"wage": {}}},
        "The schema names the column 'wage', which the data does not have; its columns are",
    ),
    ({"forbid": [{"wage": 1}]}, "The schema names the column 'wage'"),
    ({"forbid": [{}]}, "The schema's forbid has an empty entry; name at least one column in it."),
    ({"forbid": [{"job": {"min": 3}}]}, "The schema forbids a range of 'job', which is not a number."),
    ({"forbid": [{"age": {"above": 3}}]}, "The forbidden range of 'age' has an unknown entry 'above'"),
    (
        {"features": {"job": {"type": "integer"}}},
        "The schema calls 'job' integer, but its values are not numbers; leave its type out",
    ),
    (
        {"features": {"age": {"values": [1.5], "unseen": True}}},
        "The schema gives 'age' values that do not fit its dtype int64: [1.5].",
    ),
    ({"features": {"age": {"min": 500}}}, "The schema's bounds leave 'age' no value at all."),
    (
        {"protected": {"sex": {"values": ["Male"], "bins": [1, 2, 3]}}},
        "The schema gives protected 'sex' both values",
    ),
    ({"protected": {"age": {"bins": [1, 2]}}}, "The bins of protected 'age' must be at least three rising numbers."),
    (
        {"protected": {"age": {"bins": [1, "2", 3]}}},
        "The bins of protected 'age' must be at least three rising numbers.",
    ),
    ({"protected": {"age": {"bins": [3, 2, 1]}}}, "The bins of protected 'age' must be at least three rising numbers."),
    ({"protected": {"rank": {"values": [1, 2]}}}, "The schema protects 'rank', which is no column of the data; an"),
    ({"protected": {"sex": {"link": [{"job": {"Other": "cook"}}]}}}, "The link of 'sex' with 'job' names the reading"),
    ({"protected": {"sex": {"link": [{"role": {"Male": "x"}}]}}}, "The schema names the column 'role'"),
    (
        {"protected": {"sex": {"values": ["Male"]}}},
        "The protected column 'sex' has only the value 'Male'; a twin",
    ),
]


@pytest.mark.parametrize(("schema", "sentence"), SENTENCES, ids=[sentence[:60] for _, sentence in SENTENCES])
def test_a_schema_that_cannot_be_followed_says_why(domain_of, people, schema, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        domain_of(people, schema=schema)


def test_a_bound_on_a_category_is_called_a_bound(domain_of, people):
    with pytest.raises(InputError, match="'job'") as raised:
        domain_of(people, schema={"features": {"job": {"min": 3}}})
    assert "forbid" not in str(raised.value)


@pytest.mark.parametrize("realism", ["data", "domain"])
def test_values_that_do_not_fit_the_dtype_are_an_error(domain_of, realism):
    frame = pd.DataFrame({"sex": ["F", "M"] * 2, "size": pd.Series([1, 2, 3, 4], dtype="int8")})
    with pytest.raises(InputError, match="'size' values that do not fit its dtype int8"):
        domain_of(frame, schema={"features": {"size": {"values": [1, 2, 300], "unseen": True}}}, realism=realism)


def test_bounds_wider_than_the_dtype_are_an_error_and_no_traceback(domain_of):
    frame = pd.DataFrame({"sex": ["F", "M"] * 2, "size": pd.Series([1, 2, 3, 4], dtype="int8")})
    with pytest.raises(InputError, match="'size'"):
        domain_of(frame, schema={"features": {"size": {"max": 300}}}, realism="domain")


def test_a_category_that_the_dtype_does_not_have_is_an_error(domain_of):
    frame = pd.DataFrame({"sex": ["F", "M"] * 2, "job": pd.Categorical(["cook", "nurse"] * 2)})
    with pytest.raises(InputError, match="'job' values that do not fit its dtype category"):
        domain_of(frame, schema={"features": {"job": {"values": ["cook", "baker"], "unseen": True}}})


@pytest.mark.parametrize("dtype", ["object", "str", "category", "int64"])
def test_a_value_that_is_a_list_is_an_error(domain_of, dtype):
    column = pd.Series([1, 2, 3, 4]).astype(dtype)
    frame = pd.DataFrame({"sex": ["F", "M"] * 2, "rank": column})
    with pytest.raises(InputError, match="'rank'"):
        domain_of(frame, schema={"features": {"rank": {"values": [[1, 2], [3]]}}})


class TestFiles:
    def test_a_missing_schema_file_is_named(self, tmp_path):
        with pytest.raises(InputError, match=r"There is no schema file .*nowhere\.toml"):
            read_schema(tmp_path / "nowhere.toml")

    def test_a_damaged_schema_file_is_named(self, tmp_path):
        path = tmp_path / "damaged.toml"
        path.write_text("[features", encoding="utf-8")
        with pytest.raises(InputError, match=r"The schema file .*damaged\.toml is not valid TOML"):
            read_schema(path)


class TestTables:
    """Tables that no domain can be fitted to."""

    def test_no_rows(self, domain_of, people):
        with pytest.raises(InputError, match="The data has no rows"):
            domain_of(people[:0])

    def test_a_column_twice(self, domain_of, people):
        with pytest.raises(InputError, match="The column 'job' stands twice in the data"):
            domain_of(people.rename(columns={"age": "job"}))

    def test_a_protected_column_that_is_not_there(self, domain_of, people):
        with pytest.raises(InputError, match="The protected column 'race' is not in the data; its columns are age"):
            domain_of(people, ["race"])

    def test_no_protected_column(self, domain_of, people):
        with pytest.raises(InputError, match="No protected attribute was named"):
            domain_of(people, [])

    def test_a_protected_column_twice(self, domain_of, people):
        with pytest.raises(InputError, match="A protected attribute is named twice"):
            domain_of(people, ["sex", "sex"])

    def test_one_protected_value_only(self, domain_of, people):
        with pytest.raises(InputError, match="The protected column 'sex' has only the value 'Male'; a twin"):
            domain_of(people[people.sex == "Male"])

    def test_a_protected_column_of_missing_values_only(self, domain_of, people):
        with pytest.raises(InputError, match="The protected column 'sex' has no value at all"):
            domain_of(people.assign(sex=None))

    def test_nothing_but_protected_columns(self, domain_of, people):
        with pytest.raises(InputError, match="nothing is left to search"):
            domain_of(people[["sex", "age"]], ["sex", "age"])

    def test_infinite_values(self, domain_of, people):
        with pytest.raises(InputError, match="The column 'hours' has infinite values"):
            domain_of(people.assign(hours=np.inf))

    def test_values_that_cannot_be_compared(self, domain_of, people):
        with pytest.raises(InputError, match="The column 'job' holds lists or other values that cannot be compared"):
            domain_of(people.assign(job=[["cook"]] * len(people)))

    def test_complex_numbers(self, domain_of, people):
        with pytest.raises(InputError, match="The column 'hours' holds complex numbers"):
            domain_of(people.assign(hours=1j))
