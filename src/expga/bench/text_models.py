"""The text models of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from expga.errors import InputError

if TYPE_CHECKING:
    from expga.datasets.reviews import TextData
    from expga.models.cnn import Vectors

TextModel = Literal["lr", "cnn"]


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model, and how well it did on the texts it was not trained on."""

    model: Any
    accuracy: float


def text_model(kind: TextModel, seed: int, vectors: Vectors | None = None) -> Any:
    """One of the paper's models, untrained: a logistic regression (l2) on TF-IDF, or the text CNN."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from expga.models.cnn import TextCNN

    if kind == "cnn":
        return TextCNN(vectors, random_state=seed)
    if kind == "lr":
        words = TfidfVectorizer(sublinear_tf=True, min_df=2)
        return make_pipeline(words, LogisticRegression(random_state=seed))
    raise InputError(f"There is no text model {kind!r}; choose one of: lr, cnn.")


def vectors_for(model: str) -> Any:
    """What a network of texts starts from; None for other models."""
    from expga.lexicon.embeddings import load_vectors

    if model != "cnn":
        return None
    vectors = load_vectors()
    return vectors.words, vectors.unit


def trained(data: TextData, kind: TextModel, seed: int = 0, *, vectors: Vectors | None = None) -> Trained:
    """A model of the paper trained on `data`.

    Args:
        data: the texts; the model is trained on those for training and tested on the others.
        kind: "lr" or "cnn".
        seed: of the training.
        vectors: words and their vectors for the CNN to start from.
    """
    model = text_model(kind, seed, vectors)
    texts = np.array(data.texts, dtype=object)
    model.fit(texts[data.train].tolist(), data.labels[data.train])
    right = model.predict(texts[~data.train].tolist()) == data.labels[~data.train]
    return Trained(model, float(right.mean()))
