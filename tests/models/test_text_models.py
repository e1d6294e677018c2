"""Models that read texts, behind the contract: pipelines, callables on a list of strings, and their failures."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from expga.errors import ModelError
from expga.inquiry import answers_of
from expga.models import wrap

TEXTS = ["a joy", "a bore", "what a joy this is", "what a bore this is", "joy , joy", "bore , bore"]
VERDICTS = ["good", "bad"] * 3


class TestPipelines:
    @pytest.mark.parametrize("last", [LogisticRegression(), LinearSVC()])
    def test_the_label_is_what_predict_says(self, labels_of, last):
        pipeline = make_pipeline(TfidfVectorizer(), last).fit(TEXTS, VERDICTS)
        wrapped, positive = wrap(pipeline, TEXTS)
        answers = wrapped.ask([*TEXTS, "joy to this"])
        assert (list(wrapped.classes), positive) == (["bad", "good"], 1)
        assert labels_of(wrapped, answers) == [*VERDICTS, "good"]
        assert (answers.margins > 0).all()

    def test_probabilities_are_its_own(self):
        pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, VERDICTS)
        wrapped, _ = wrap(pipeline, TEXTS)
        np.testing.assert_allclose(wrapped.ask(TEXTS).scores, pipeline.predict_proba(TEXTS))

    def test_texts_without_a_known_word_get_an_answer(self):
        pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, VERDICTS)
        wrapped, _ = wrap(pipeline, TEXTS)
        answers = wrapped.ask(["", "чудо"])
        np.testing.assert_allclose(answers.scores[0], answers.scores[1])


class TestCallables:
    def test_they_get_a_list_of_strings(self):
        received = []

        def model(texts):
            received.append(texts)
            return [0.9 if "joy" in text else 0.2 for text in texts]

        wrapped, positive = wrap(model, TEXTS)
        assert wrapped.ask(TEXTS[:2]).labels.tolist() == [1, 0]
        assert positive == 1
        assert received == [TEXTS, TEXTS[:2]]

    def test_labels_as_strings(self, labels_of):
        wrapped, _ = wrap(lambda texts: ["good" if "joy" in text else "bad" for text in texts], TEXTS)
        assert labels_of(wrapped, wrapped.ask(TEXTS)) == VERDICTS

    @pytest.mark.parametrize("columns", [1, 2])
    def test_tensors_that_carry_gradients(self, columns):
        torch = pytest.importorskip("torch")
        dense = torch.nn.Linear(1, 1)
        with torch.no_grad():
            dense.weight.fill_(2.0)
            dense.bias.fill_(-1.0)

        def model(texts):
            scores = dense(torch.tensor([[float("joy" in text)] for text in texts])).sigmoid()
            return scores if columns == 1 else torch.cat([1 - scores, scores], dim=1)

        wrapped, positive = wrap(model, TEXTS)
        answers = wrapped.ask(TEXTS)
        assert (list(wrapped.classes), positive) == ([0, 1], 1)
        assert answers.labels.tolist() == [1, 0] * 3
        np.testing.assert_allclose(answers.scores.sum(axis=1), 1, rtol=1e-6)


class TestFailures:
    def test_a_model_that_fails_on_a_later_batch(self):
        def model(texts):
            if len(texts) > 6:
                raise MemoryError("no room\nfor so many")
            return np.full(len(texts), 0.3)

        wrapped, _ = wrap(model, TEXTS)
        with pytest.raises(ModelError, match=r"^The model failed on 12 rows: MemoryError: no room for so many$"):
            answers_of(wrapped, TEXTS + TEXTS)

    def test_a_model_that_returns_nan_for_some_texts(self):
        def model(texts):
            return np.array([len(text) / 20 if text else np.nan for text in texts])

        wrapped, _ = wrap(model, TEXTS)
        with pytest.raises(ModelError, match="The model returned NaN or infinite values for 2 of 4 rows"):
            wrapped.ask(["", "joy", "", "bore"])

    def test_one_answer_for_the_whole_list(self):
        with pytest.raises(ModelError, match=r"The model returned the shape \(\) for 6 rows"):
            wrap(lambda _: 0.7, TEXTS)
