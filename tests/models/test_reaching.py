"""Models that take several calls at once: what they are asked, in which order, and what becomes of one that fails."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest

from expga.errors import InputError, ModelError, UnusableModelError
from expga.models import in_this_process, learn
from expga.models.calls import call
from expga.models.reaching import FEWEST_ROWS, MOST_AT_ONCE, calls_at_once

PATIENCE = 60
"""Seconds that a call waits for the others, however busy the machine is."""


class Model:
    """Answers with a number a row, and keeps what it was given."""

    def __init__(self, calls, together=0, answer=None):
        self.concurrent_calls = calls
        self.given = []
        self._answer = answer or (lambda rows: np.asarray(rows, dtype=float).ravel() / 1_000)
        self._meeting = threading.Barrier(together) if together else None

    def __call__(self, rows):
        if self._meeting is not None:
            self._meeting.wait(PATIENCE)
        self.given.append(rows)
        return self._answer(rows)

    def score(self, rows):
        return self(rows)


def asked(model, rows, method=None):
    return call(in_this_process(model, method), rows, "The model")


def test_calls_go_on_at_once():
    model = Model(4, together=4)
    assert asked(model, np.arange(100)).tolist() == (np.arange(100) / 1_000).tolist()
    assert sorted(map(len, model.given)) == [25] * 4


@pytest.mark.parametrize(("calls", "rows", "parts"), [(1, 100, 1), (3, 100, 3), (8, 20, 5), (8, 7, 1), (8, 0, 1)])
def test_how_many_hangs_on_the_rows_alone(calls, rows, parts):
    model = Model(calls)
    asked(model, np.arange(rows))
    assert len(model.given) == parts
    assert all(len(given) >= FEWEST_ROWS for given in model.given) or parts == 1
    assert sorted(np.concatenate(model.given).tolist()) == list(range(rows))


@pytest.mark.parametrize("rows", [pd.DataFrame({"x": np.arange(50)}), np.arange(50), [*range(50)]])
def test_each_call_has_rows_of_its_own(rows):
    model = Model(5)
    told = asked(model, rows)
    assert told.tolist() == (np.arange(50) / 1_000).tolist()
    for given in model.given:
        if isinstance(given, pd.DataFrame):
            assert given.index.tolist() == [*range(10)]
            given["x"] = -1
        else:
            given[0] = -1
    assert np.asarray(rows).ravel().tolist() == [*range(50)]


def test_a_model_may_change_and_reorder_what_it_is_given():
    def backwards(frame):
        frame["x"] += 1
        return frame["x"][::-1]

    told = asked(Model(4, answer=backwards), pd.DataFrame({"x": np.arange(20)}))
    assert told.tolist() == [*range(1, 21)]


def test_of_several_that_fail_the_first_counts_and_all_are_waited_for():
    done = []

    def failing(rows):
        done.append(len(rows))
        raise ValueError(f"row {rows[0]}")

    with pytest.raises(ModelError, match=r"^The model failed on 10 rows: ValueError: row 0$"):
        asked(Model(4, answer=failing), np.arange(40))
    assert done == [10] * 4


def test_one_that_exits_does_not_end_the_audit():
    def leaving(_):
        raise SystemExit(0)

    with pytest.raises(ModelError, match="SystemExit"):
        asked(Model(2, answer=leaving), np.arange(40))


def test_answers_of_the_wrong_length_are_one_sentence():
    with pytest.raises(ModelError, match="returned"):
        asked(Model(2, answer=lambda _: [0.5]), np.arange(40))


def test_labels_get_the_numbers_that_they_get_in_one_call_after_the_other():
    def label(rows):
        return [f"class {row // 10}" for row in rows]

    one, many = (learn(Model(calls, answer=label), [*range(60)]).model for calls in (1, 6))
    assert list(one.classes) == list(many.classes)
    assert one.ask([*range(60)]).labels.tolist() == many.ask([*range(60)]).labels.tolist()


class TestHowManyAModelTakes:
    def test_is_one_where_it_says_nothing(self):
        assert calls_at_once(lambda rows: rows) == 1

    def test_is_said_by_the_object_whose_method_it_is(self):
        assert calls_at_once(Model(3).score) == 3

    def test_is_said_by_a_function(self):
        def model(rows):
            return rows

        model.concurrent_calls = np.int64(5)
        assert calls_at_once(model) == 5

    @pytest.mark.parametrize("said", [0, -1, 2.5, "8", True, MOST_AT_ONCE + 1, [4]])
    def test_is_a_whole_number(self, said):
        with pytest.raises(InputError, match=r"concurrent_calls.*a whole number from 1 to"):
            calls_at_once(Model(said))

    def test_may_fail_to_be_said(self):
        class Odd:
            @property
            def concurrent_calls(self):
                raise RuntimeError("no idea")

            def __call__(self, rows):
                return rows

        with pytest.raises(UnusableModelError, match="no idea"):
            calls_at_once(Odd())


def test_a_method_is_asked_at_once_as_well():
    model = Model(3, together=3)
    assert asked(model, np.arange(30), "score").tolist() == (np.arange(30) / 1_000).tolist()
    assert isinstance(in_this_process(model, "score"), partial)
