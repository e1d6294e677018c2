"""LIME for texts against the package it stands in for, and on models whose weights are known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from lime.lime_base import LimeBase
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_distances
from sklearn.pipeline import make_pipeline

from expga.explain import wordwise as room
from expga.explain.text_lime import SAMPLES, TextLime


@pytest.fixture(scope="module")
def classifier(reviews):
    return make_pipeline(TfidfVectorizer(), LogisticRegression(C=10)).fit(*reviews)


def fit_of_the_package(kept, scores):
    """(u,) the coefficients that the package fits for the label of the first sample, in these samples (m, u)."""
    data = kept.astype(float)
    base = LimeBase(lambda distance: np.sqrt(np.exp(-(distance**2) / 25**2)))
    _, weights, _, _ = base.explain_instance_with_data(
        data,
        scores,
        cosine_distances(data, data[:1]).ravel() * 100,
        scores[0].argmax(),
        num_features=data.shape[1],
        feature_selection="none",
    )
    return np.array([weight for _, weight in sorted(weights)])


@pytest.mark.parametrize(("words", "samples"), [(1, 50), (7, 300), (60, 300), (80, 40)])
def test_the_fit_is_the_packages_on_the_same_samples(talk, words, samples):
    scores = np.random.default_rng(1).random((samples, 3))
    questions = TextLime(samples).questions(words, np.random.default_rng(0))
    theirs = fit_of_the_package(questions.kept, scores)
    case = talk([], lambda _: scores)
    np.testing.assert_allclose(questions.weights(case.ask([])), theirs, atol=1e-10)


def test_samples_lack_any_number_of_words_equally_often_and_each_word_alike():
    kept = TextLime(40_001).questions(4, np.random.default_rng(0)).kept
    assert kept[0].all()
    gone = ~kept[1:]
    shares = np.bincount(gone.sum(axis=1), minlength=5) / len(gone)
    np.testing.assert_allclose(shares, [0, 0.25, 0.25, 0.25, 0.25], atol=0.01)
    pairs = gone[gone.sum(axis=1) == 2] @ [1, 2, 4, 8]
    np.testing.assert_allclose(np.bincount(pairs)[[3, 5, 6, 9, 10, 12]] / len(pairs), 1 / 6, atol=0.02)


def explained_by_the_package(classifier, texts, seed):
    """For each text the weights of its distinct words, heaviest first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package's plots, on import
        from lime.lime_text import LimeTextExplainer
    explainer = LimeTextExplainer(random_state=seed)
    told = []
    for text in texts:
        explanation = explainer.explain_instance(
            text, classifier.predict_proba, top_labels=1, num_features=1_000, num_samples=1_000
        )
        ((label, _),) = explanation.local_exp.items()
        told.append([word for word, _ in explanation.as_list(label)])
    return told


def test_ranks_agree_with_the_package_as_it_agrees_with_itself(reviews, classifier, talk):
    texts = [text for text in reviews[0] if "act" in text][:15]
    case = talk(texts, classifier.predict_proba)

    def rank(order):
        return next(place for place, word in enumerate(order, start=1) if word in case.genders)

    once, again = (explained_by_the_package(classifier, texts, seed) for seed in (0, 1))
    theirs, other = (np.array([rank(order) for order in told]) for told in (once, again))
    ours = case.rank(TextLime(1_000))
    assert len(set(theirs)) > 3
    assert np.abs(ours - theirs).mean() <= np.abs(other - theirs).mean() + 0.3
    top = [
        text[slice(*case.spans(row)[weights.argmax()])]
        for row, (text, weights) in enumerate(zip(texts, case.explain(TextLime(1_000)), strict=True))
    ]
    assert np.mean([word == order[0] for word, order in zip(top, once, strict=True)]) >= 0.9


def test_a_linear_model_gives_each_word_its_weight(talk, linear):
    weights = {"good": 0.3, "actor": 0.2, "plain": -0.1}
    case = talk(["A good, plain actor: good!", "Zoë, one 😀 actor — très bien"], linear(weights))
    first, second = case.explain(TextLime())
    np.testing.assert_allclose(first, [0, 0.3, 0.1, 0.2, 0.3], atol=0.01)
    np.testing.assert_allclose(second, [0, 0, 0.2, 0, 0], atol=0.01)
    assert case.rank(TextLime()).tolist() == [2, 1]


def test_each_label_is_explained_by_its_own_score(talk):
    def scores(strings):
        return np.array([[("a" in text) + ("b" in text), 0.4 + ("c" in text) * 2, 0.3] for text in strings])

    case = talk(["a x b y z", "a x b y c"], scores)
    first, second = case.explain(TextLime())
    np.testing.assert_allclose(first, [1, 0, 1, 0, 0], atol=0.05)
    np.testing.assert_allclose(second, [0, 0, 0, 0, 2], atol=0.05)


def test_equal_words_are_one(talk, linear):
    case = talk(["good good good actor dull"], linear({"good": 0.3, "dull": 0.2, "actor": 0.1}))
    weights = case.explain(TextLime())[0]
    assert weights[0] == weights[1] == weights[2]
    assert case.rank(TextLime()).tolist() == [3]


def test_a_text_without_a_sensitive_word_ranks_behind_its_words(talk, linear):
    case = talk(["good film", "...", "", "good actor"], linear({"good": 0.3}))
    assert case.rank(TextLime()).tolist() == [3, 1, 1, 2]
    assert [len(weights) for weights in case.explain(TextLime())] == [2, 0, 0, 2]


def test_one_seed_gives_one_answer(reviews, classifier, talk):
    case = talk(reviews[0][:3], classifier.predict_proba)
    once, again, other = (np.concatenate(case.explain(TextLime(100), seed)) for seed in (3, 3, 4))
    assert (once == again).all()
    assert (once != other).any()


def test_texts_are_asked_about_together_whatever_the_size_of_a_call(reviews, classifier, talk, monkeypatch):
    case = talk(reviews[0][:12], classifier.predict_proba)
    whole = case.explain(TextLime(100))
    assert len(case.asked) == 1
    monkeypatch.setattr(room, "CHUNK", 500)
    parts = case.explain(TextLime(100))
    assert len(case.asked) == 1 + 3
    np.testing.assert_allclose(np.concatenate(parts), np.concatenate(whole), atol=1e-12)


def test_queries_are_never_more_than_foretold(reviews, classifier, talk):
    case = talk(reviews[0][:6], classifier.predict_proba)
    case.explain(TextLime())
    assert TextLime().queries(case, 6) == 6 * SAMPLES
    assert 4 * SAMPLES < case.queries <= 6 * SAMPLES


def test_nothing_is_asked_twice_in_a_call(talk, linear):
    case = talk(["one two", "alone", "one"], linear({}))
    case.explain(TextLime())
    assert sorted(case.asked[0]) == ["", "alone", "one", "one two", "two"]


def test_a_long_text_is_explained_too(talk, linear):
    text = " ".join(f"w{number}" for number in range(1_500)) + " actor"
    case = talk([text], linear({"actor": 0.4, "w3": 0.2}))
    assert case.rank(TextLime()).tolist() == [1]


def test_no_rows_are_no_work(talk, linear):
    case = talk([], linear({}))
    assert case.explain(TextLime()) == []
    assert case.rank(TextLime()).shape == (0,)
    assert case.queries == 0
