"""Questions that are put several times: of scores the mean counts, of labels the majority, and all are counted."""

from __future__ import annotations

import numpy as np
import pytest

from expga.account import Account
from expga.errors import ModelError
from expga.models import in_this_process, learn
from expga.models.repeated import combined, repeated


def in_turn(*said):
    """A model that says one thing after the other, whatever it is asked, and forgets what it was given."""
    said = list(said)

    def model(rows):
        rows[:] = 0
        return said.pop(0)

    return model


def asked(model, times, method=None):
    return repeated(in_this_process, times)(model, method)(np.ones(3)).tolist()


class Estimator:
    def __init__(self, *said):
        self.predict = self.decision_function = in_turn(*said)


def test_scores_are_averaged():
    assert asked(in_turn([0.2, 0.9, 0.5], [0.4, 0.1, 0.5]), 2) == pytest.approx([0.3, 0.5, 0.5])
    np.testing.assert_allclose(asked(in_turn(np.eye(3), np.zeros((3, 3))), 2), np.eye(3) / 2)


def test_labels_go_with_the_majority_and_of_equals_the_first_counts():
    said = [["b", "b", "a"], ["a", "b", "b"], ["a", "c", "c"]]
    assert asked(in_turn(*said), 3) == ["a", "b", "a"]
    assert asked(in_turn([2, 1, 0], [1, 1, 2], [2, 0, 2]), 3) == [2, 1, 2]
    assert asked(in_turn([5.0, 1.0, 0.0], [1.0, 1.0, 2.0], [5.0, 0.0, 2.0]), 3) == [5, 1, 2]


def test_decision_values_are_scores_though_they_be_whole():
    said = ([3.0, -1.0, 0.0], [-2.0, -1.0, 1.0])
    assert asked(Estimator(*said), 2, "decision_function") == [0.5, -1.0, 0.5]
    assert asked(Estimator(*said), 2, "predict") == [3.0, -1.0, 0.0]


def test_each_time_the_model_gets_inputs_of_its_own():
    inputs = np.ones(2)
    seen = []

    def model(rows):
        seen.append(rows.copy())
        rows[:] = 7
        return rows[:1].repeat(2)

    repeated(in_this_process, 3)(model, None)(inputs)
    np.testing.assert_array_equal(seen, np.ones((3, 2)))


def test_an_answer_of_another_kind_is_one_sentence():
    with pytest.raises(ModelError, match=r"numbers once, and labels such as .*'a'.* another time"):
        combined([np.array([1.0, 2.0]), np.array(["a", "b"])], only_scores=False)


def test_the_label_follows_from_the_mean():
    """Two low answers against one high one, which is further away."""
    model = learn(in_turn(*[[0.4, 0.6]] * 3, [0.45, 0.1], [0.45, 0.1], [0.9, 0.1]), np.zeros(2), reach=thrice()).model
    answers = model.ask(np.zeros(2))
    np.testing.assert_allclose(answers.scores[:, 1], [0.6, 0.1])
    assert answers.labels.tolist() == [1, 0]


def thrice():
    return repeated(in_this_process, 3)


def test_every_answer_counts_as_a_query():
    account = Account(most_queries=1_000, repeats=4)
    account.through(in_this_process)(lambda rows: rows, None)(np.ones(5))
    assert account.total == 20


def test_a_trial_leaves_room_for_all_of_them():
    """Half of a budget at most goes to the first rows."""
    assert Account(most_queries=100, repeats=5).afford(8, 2, 0) == 5
