"""SHAP for texts on models whose Shapley values are known."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from expga.explain import wordwise as room
from expga.explain.text_shap import MOST, TextShap


def test_a_linear_model_gives_each_word_its_weight(talk, linear):
    weights = {"good": 0.3, "actor": 0.2, "plain": -0.1}
    case = talk(["A good, plain actor: good!", "actor", "Zoë, one 😀 actor — très bien"], linear(weights))
    first, second, third = case.explain(TextShap())
    np.testing.assert_allclose(first, [0, 0.3, 0.1, 0.2, 0.3], atol=1e-12)
    np.testing.assert_allclose(second, [0.2], atol=1e-12)
    np.testing.assert_allclose(third, [0, 0, 0.2, 0, 0], atol=1e-12)
    assert case.rank(TextShap()).tolist() == [2, 1, 1]


def paired(strings):
    """A model where words also count in pairs, and the second class is the label of what is said here."""
    pairs = {("not", "good"): -0.25, ("good", "actor"): 0.3, ("a", "not"): 0.05}
    parts = [set(text.split()) for text in strings]
    second = np.array(
        [0.8 + sum(value for pair, value in pairs.items() if present.issuperset(pair)) for present in parts]
    )
    return np.column_stack([1 - second, second])


def test_values_are_shapleys_where_words_count_in_pairs(talk):
    words = ["a", "not", "good", "actor"]
    exact = np.zeros(4)
    orders = list(permutations(range(4)))
    for order in orders:
        grown = [" ".join(words[word] for word in order[:count]) for count in range(5)]
        exact[list(order)] += np.diff(paired(grown)[:, 1]) / len(orders)
    (values,) = talk([" ".join(words)], paired).explain(TextShap())
    np.testing.assert_allclose(values, np.abs(exact), atol=1e-12)


def test_values_add_up_to_what_the_words_change(talk):
    def scores(strings):
        second = np.array([1 - 0.5 / (1 + len(text) ** 2) for text in strings])
        return np.column_stack([1 - second, second])

    text = "each of these words, in its turn, makes all longer"
    (values,) = talk([text], scores).explain(TextShap())
    assert values.sum() == pytest.approx(scores([text])[0, 1] - scores([",,"])[0, 1])


def test_each_label_is_explained_by_its_own_score(talk):
    def scores(strings):
        return np.array([[("a" in text) + ("b" in text), 0.4 + ("c" in text) * 2, 0.3] for text in strings])

    first, second = talk(["a x b y z", "a x b y c"], scores).explain(TextShap())
    np.testing.assert_allclose(first, [1, 0, 1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(second, [0, 0, 0, 0, 2], atol=1e-12)


def test_a_text_without_a_sensitive_word_ranks_behind_its_words(talk, linear):
    case = talk(["good film", "...", "", "good good actor"], linear({"good": 0.3}))
    assert case.rank(TextShap()).tolist() == [3, 1, 1, 2]
    assert [len(values) for values in case.explain(TextShap())] == [2, 0, 0, 3]


def cubed(strings):
    """A model that no single order of the words explains."""
    second = np.array([len(text) ** 3 % 97 / 97 for text in strings])
    return np.column_stack([1 - second, second])


def test_one_seed_gives_one_answer(reviews, talk):
    case = talk(reviews[0][:3], cubed)
    once, again, other = (np.concatenate(case.explain(TextShap(), seed)) for seed in (3, 3, 4))
    assert (once == again).all()
    assert (once != other).any()


def test_numpys_own_random_numbers_are_left_as_they_were(talk):
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.random(3)  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    talk(["a few words"], cubed).explain(TextShap())
    assert (np.random.random(3) == expected).all()  # noqa: NPY002


def test_texts_are_asked_about_together_whatever_the_size_of_a_call(reviews, talk, monkeypatch):
    case = talk(reviews[0][:12], cubed)
    whole = case.explain(TextShap())
    assert len(case.asked) == 1
    monkeypatch.setattr(room, "CHUNK", 300)
    parts = case.explain(TextShap())
    assert 4 <= len(case.asked) - 1 <= 6
    np.testing.assert_allclose(np.concatenate(parts), np.concatenate(whole), atol=1e-12)


def test_short_texts_are_gone_through_again_and_long_ones_once():
    rng = np.random.default_rng(0)
    assert [len(TextShap().questions(words, rng).kept) for words in (1, 7, 30, 60, 249)] == [99, 90, 61, 121, 499]


@pytest.mark.parametrize("words", [249, 250, 498, 1_200])
def test_queries_are_never_more_than_foretold(talk, words):
    case = talk([" ".join(f"w{number}" for number in range(words)) + "."], cubed)
    case.explain(TextShap())
    assert TextShap().queries(case, 1) == MOST
    assert MOST - 10 < case.queries <= MOST


def test_the_words_of_a_long_text_share_the_value_of_their_run(talk, linear):
    text = " ".join(f"w{number}" for number in range(498))
    case = talk([text], linear({"w10": 0.3, "w301": 0.1, "w300": 0.1}))
    (values,) = case.explain(TextShap())
    expected = np.zeros(498)
    expected[[10, 11]] = 0.15
    expected[[300, 301]] = 0.1
    np.testing.assert_allclose(values, expected, atol=1e-12)
