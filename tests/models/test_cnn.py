"""The text CNN: it learns, it computes what a convolution does, and it behaves like a scikit-learn classifier."""

from __future__ import annotations

import copy
import sys

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from expga.errors import InputError
from expga.models import wrap
from expga.models.cnn import TextCNN


@pytest.fixture(scope="module")
def reviews():
    """(400,) short texts whose verdict is in two words that stand together, and the verdicts."""
    rng = np.random.default_rng(0)
    filler = np.array(["the", "film", "is", "plot", ",", "actor", "scene"])
    texts, verdicts = [], []
    for number in range(400):
        good = bool(number % 2)
        words = rng.choice(filler, rng.integers(3, 12)).tolist()
        words[1:1] = ["not", "bad" if good else "good"] if number % 4 < 2 else ["very", "good" if good else "bad"]
        texts.append(" ".join(words))
        verdicts.append("good" if good else "poor")
    return texts, np.array(verdicts)


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def fitted(reviews):
    pytest.importorskip("torch")
    return TextCNN(filters=20, epochs=12, rarest=1).fit(*reviews)


def by_the_book(torch, model, text):
    """(k,) the probabilities for one text from torch's own convolution, with all windows that begin at a word."""
    words, filters, bias, dense, offset = (torch.from_numpy(weight) for weight in model.weights_)
    encoded = model.vocabulary_.encode([text], model.longest)
    padded = torch.from_numpy(encoded.padded(np.array([0]), model.window - 1)).long()
    kernel = filters.reshape(words.shape[1], model.window, model.filters).permute(2, 0, 1).contiguous()
    features = torch.nn.functional.conv1d(words[padded].transpose(1, 2), kernel, bias)
    return (features.amax(2).relu() @ dense + offset).softmax(1)[0].numpy()


@pytest.mark.usefixtures("torch")
class TestLearning:
    def test_it_learns_what_only_two_words_together_say(self, fitted, reviews):
        texts, verdicts = reviews
        assert (fitted.predict(texts) == verdicts).mean() > 0.95
        assert fitted.predict(["the plot is very bad", "the plot is not bad"]).tolist() == ["poor", "good"]

    def test_it_starts_from_the_vectors_given(self, reviews):
        vectors = np.random.default_rng(1).normal(size=(3, 8)).astype(np.float32)
        model = TextCNN((["zebra", "film", "not"], vectors), filters=4, epochs=0).fit(*reviews)
        rows = model.weights_[0][[model.vocabulary_.numbers[word] for word in ("zebra", "film", "not")]]
        np.testing.assert_allclose(rows / rows.std(), vectors / vectors.std(), rtol=1e-5)

    def test_words_that_no_text_holds_keep_their_vectors(self, reviews):
        vectors = np.random.default_rng(1).normal(size=(2, 8)).astype(np.float32)
        before, after = (
            TextCNN((["zebra", "film"], vectors), filters=4, epochs=epochs).fit(*reviews).weights_[0]
            for epochs in (0, 2)
        )
        np.testing.assert_array_equal(before[2], after[2])
        assert (before[3] != after[3]).any()

    def test_every_word_is_trained_where_nothing_is_padded(self):
        before, after = (
            TextCNN(filters=20, window=1, epochs=epochs).fit(["good", "bad"] * 20, [1, 0] * 20).weights_[0]
            for epochs in (0, 2)
        )
        assert (before != after).any(axis=1).tolist() == [False, False, True, True]

    def test_padding_stays_zero(self, fitted):
        assert not fitted.weights_[0][0].any()


@pytest.mark.usefixtures("torch")
class TestPredicting:
    @pytest.mark.parametrize(
        "text", ["the film is not good , actor", "good", "", "not", "zebra crossing", "very bad " * 300]
    )
    def test_it_is_a_convolution(self, torch, fitted, text):
        np.testing.assert_allclose(fitted.predict_proba([text])[0], by_the_book(torch, fitted, text), rtol=1e-4)

    def test_a_text_is_judged_alike_in_any_company(self, fitted, reviews):
        texts = [*reviews[0], "", "good", "the scene " * 500]
        together = fitted.predict_proba(texts)
        np.testing.assert_allclose(together[::-1], fitted.predict_proba(texts[::-1]), atol=1e-6)
        alone = np.concatenate([fitted.predict_proba([text]) for text in texts[-10:]])
        np.testing.assert_allclose(together[-10:], alone, atol=1e-6)

    def test_padding_is_never_the_strongest_answer(self, torch, fitted):
        model = copy.deepcopy(fitted)
        model.weights_[2] += 1  # now answers below zero count as well
        texts = ["film", "plot is", "the film is not good , actor"]
        expected = [by_the_book(torch, model, text) for text in texts]
        np.testing.assert_allclose(model.predict_proba(texts), expected, rtol=1e-4)

    def test_what_follows_the_longest_is_not_read(self, reviews):
        model = TextCNN(filters=4, epochs=1, longest=3).fit(*reviews)
        same, other = model.predict_proba(["the film is", "the film is very good"])
        np.testing.assert_allclose(same, other, rtol=1e-6)

    def test_no_texts_get_no_answers(self, fitted):
        assert fitted.predict_proba([]).shape == (0, 2)

    def test_windows_of_one_word(self, torch, reviews):
        model = TextCNN(filters=4, epochs=1, window=1).fit(*reviews)
        np.testing.assert_allclose(model.predict_proba(["a film"])[0], by_the_book(torch, model, "a film"), rtol=1e-5)

    def test_behind_the_contract(self, fitted, reviews, labels_of):
        wrapped, positive = wrap(fitted, reviews[0])
        assert (list(wrapped.classes), positive) == (["good", "poor"], 1)
        assert labels_of(wrapped, wrapped.ask(reviews[0])) == fitted.predict(reviews[0]).tolist()


@pytest.mark.usefixtures("torch")
class TestManners:
    def test_the_seed_decides(self, reviews):
        model = TextCNN(filters=5, epochs=2, random_state=3)
        once = model.fit(*reviews).predict_proba(reviews[0])
        np.testing.assert_array_equal(once, clone(model).fit(*reviews).predict_proba(reviews[0]))
        other = clone(model).set_params(random_state=4).fit(*reviews).predict_proba(reviews[0])
        assert np.abs(once - other).max() > 1e-3

    def test_texts_that_count_nothing_teach_nothing(self, reviews):
        texts, labels = reviews
        wrong = np.where(labels == "good", "poor", "good")
        both, said = [*texts, *texts], np.concatenate([labels, wrong])
        weights = np.repeat([1.0, 0.0], len(texts))
        assert (TextCNN(filters=20, epochs=12, rarest=1).fit(both, said, weights).predict(texts) == labels).mean() > 0.9
        assert (
            TextCNN(filters=20, epochs=12, rarest=1).fit(both, said, weights[::-1]).predict(texts) == labels
        ).mean() < 0.1

    def test_equal_weights_are_none(self, reviews):
        one, other = (
            TextCNN(filters=5, epochs=2).fit(*reviews, weight) for weight in (None, np.full(len(reviews[0]), 0.3))
        )
        np.testing.assert_allclose(one.predict_proba(reviews[0]), other.predict_proba(reviews[0]), atol=1e-5)

    @pytest.mark.parametrize("weights", [[1.0], 0.0, -1.0, np.inf, np.nan])
    def test_weights_that_make_no_sense(self, reviews, weights):
        given = weights if isinstance(weights, list) else [1.0, *[weights] * (len(reviews[0]) - 1)]
        given = [0.0] * len(reviews[0]) if weights == 0.0 else given
        with pytest.raises(InputError, match=r"Sample weights must be \d+ numbers, one a text, none below 0"):
            TextCNN(filters=5, epochs=2).fit(*reviews, given)

    def test_fitting_again_forgets(self, fitted, reviews):
        model = clone(fitted).set_params(epochs=3)
        first = model.fit(*reviews).predict_proba(reviews[0])
        turned = np.where(reviews[1] == "good", "poor", "good")
        assert np.abs(model.fit(reviews[0], turned).predict_proba(reviews[0]) - first).max() > 0.1

    def test_generators_and_threads_are_left_alone(self, torch, reviews):
        before = (torch.get_rng_state(), torch.get_num_threads())
        torch.set_num_threads(2)
        try:
            TextCNN(filters=4, epochs=1).fit(*reviews).predict(reviews[0])
            assert torch.get_num_threads() == 2
        finally:
            torch.set_num_threads(before[1])
        assert torch.equal(torch.get_rng_state(), before[0])

    def test_a_pickle_answers_alike_and_holds_nothing_of_torchs(self, fitted, reviews, tmp_path):
        expected = fitted.predict_proba(reviews[0])
        joblib.dump(fitted, tmp_path / "cnn.joblib")
        assert b"torch" not in (tmp_path / "cnn.joblib").read_bytes()
        np.testing.assert_array_equal(joblib.load(tmp_path / "cnn.joblib").predict_proba(reviews[0]), expected)

    def test_three_classes(self, reviews):
        verdicts = np.arange(len(reviews[0])) % 3
        model = TextCNN(filters=4, epochs=1).fit(reviews[0], verdicts)
        np.testing.assert_allclose(model.predict_proba(reviews[0]).sum(axis=1), 1, rtol=1e-6)


class TestErrors:
    def test_without_torch_it_says_what_to_install(self, monkeypatch, reviews):
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(InputError, match=r'the package torch; install it with pip install "expga\[torch\]"\.$'):
            TextCNN().fit(*reviews)

    @pytest.mark.usefixtures("torch")
    @pytest.mark.parametrize("labels", [[1, 1, 1], [0, 1]])
    def test_labels_that_do_not_fit(self, labels):
        with pytest.raises(InputError, match=r"There are 3 texts with \d labels of \d classes to train on; give one"):
            TextCNN().fit(["a", "b", "c"], labels)

    @pytest.mark.parametrize("texts", ["one text", ["good", None], [["good"]]])
    def test_what_is_no_list_of_texts(self, fitted, texts):
        with pytest.raises(InputError, match="This model reads a list of texts; give it strings only"):
            fitted.predict(texts)

    def test_before_it_is_trained(self):
        with pytest.raises(NotFittedError):
            TextCNN().predict(["good"])
