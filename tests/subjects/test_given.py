"""Data and protected attributes in the forms that users have them in: taken for what they are, or one sentence."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

import expga
from expga.errors import InputError
from expga.request import names_of

ROWS = np.array([[sex, age] for sex in (0, 1) for age in range(20, 50)])
FRAME = pd.DataFrame(ROWS, columns=["sex", "age"])


def model(rows):
    return np.asarray(rows)[:, 1] + 8 * np.asarray(rows)[:, 0] > 40


class TestProtected:
    @pytest.mark.parametrize(
        "given",
        [["b", "a"], ("b", "a"), pd.Index(["b", "a"]), pd.Series(["b", "a"]), np.array(["b", "a"]), {"b": 0, "a": 1}],
        ids=lambda given: type(given).__name__,
    )
    def test_names_in_any_list_keep_their_order(self, given):
        assert names_of(given) == ["b", "a"]

    def test_those_of_a_set_have_one_that_is_always_the_same(self):
        assert names_of({"c", "a", "b"}) == names_of(frozenset("cab")) == ["a", "b", "c"]

    @pytest.mark.parametrize("given", [None, 0.5])
    def test_what_is_no_name_is_told(self, given):
        with pytest.raises(InputError, match=rf"^The protected attributes are {given}; give their names as a list"):
            expga.audit(model, FRAME, protected=given, max_queries=100)

    @pytest.mark.parametrize("given", [0, [0], np.int64(0), "0", ["x0"]], ids=repr)
    def test_a_column_of_an_array_may_be_called_by_its_number(self, given):
        found = expga.audit(model, ROWS, protected=given, max_queries=400)
        assert found.summary["protected"] == found.summary["settings"]["protected"] == ["x0"]
        assert "when only x0 changes" in str(found)
        assert expga.replay(found, model)[1] == len(found.findings) > 0

    def test_one_that_is_not_there_is_told(self):
        with pytest.raises(InputError, match=r"The protected column '9' is not in the data; its columns are x0, x1\."):
            expga.audit(model, ROWS, protected=[9], max_queries=100)

    def test_several_in_one_text_are_told_apart(self):
        with pytest.raises(
            InputError, match=r"'sex, age' is not in the data; give several as a list, \['sex', 'age'\]"
        ):
            expga.audit(model, FRAME, protected="sex, age", max_queries=100)

    def test_of_texts_as_well(self):
        with pytest.raises(
            InputError, match=r"does not know the attribute 'gender,age'; choose .* \(several as a list"
        ):
            expga.audit(len, ["he", "she"], protected="gender,age", max_queries=100)


class TestData:
    @pytest.mark.parametrize(
        ("given", "told"),
        [
            (pa.Table.from_pandas(FRAME), r"is a pyarrow Table; give X\.to_pandas\(\), and, for a model that takes no"),
            (SimpleNamespace(to_pandas=None), r"SimpleNamespace; give X\.to_pandas\(\)"),
            (sparse.csr_matrix(ROWS), r"is a scipy csr_matrix, which is sparse; give X\.toarray\(\)"),
            (FRAME.to_dict("list"), r"is a dict; give it as pandas\.DataFrame\(X\)"),
            (FRAME.to_dict("records"), r"has the shape \(60,\); it must be a table .* such as a pandas\.DataFrame"),
            (FRAME.to_records(index=False), r"is a structured array; give it as pandas\.DataFrame\(X\)"),
            (FRAME.to_numpy().astype([("sex", int)])[:, 0], "is a structured array"),
            (FRAME["age"], "The data holds the int 20 where a text is expected"),
            ([[1, 2], [3]], "has rows of different lengths"),
            ("people.csv", "is a str; it must be a table"),
            (None, "is a NoneType; it must be a table"),
            (5, "is a int; it must be a table"),
        ],
        ids=range(12),
    )
    def test_what_is_no_table_is_told_with_what_to_do(self, given, told):
        with pytest.raises(InputError, match=rf"^The data [^\n]*{told}|^{told}"):
            expga.audit(model, given, protected="sex", max_queries=100)

    def test_lists_are_a_table(self):
        found = expga.audit(model, ROWS.tolist(), protected=0, max_queries=400)
        assert found.population.flipped == expga.audit(model, ROWS, protected=0, max_queries=400).population.flipped > 0

    def test_numbers_beside_texts_in_lists_stay_numbers(self):
        def rule(rows):
            assert all(isinstance(age, int) for age in rows[:, 1])
            return np.array([age + 8 * (sex == "m") > 40 for sex, age in rows])

        people = [["fm"[sex], age] for sex, age in ROWS.tolist()]
        assert expga.audit(rule, people, protected=0, max_queries=400).population.flipped > 0
