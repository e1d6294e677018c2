"""The text models of the paper, trained once and kept."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from expga.errors import InputError

if TYPE_CHECKING:
    from expga.datasets.texts import TextData
    from expga.models.cnn import Vectors

TextModel = Literal["lr", "cnn"]
CACHE = Path(tempfile.gettempdir()) / "expga-bench"


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model, and how well it did on the texts it was not trained on."""

    model: Any
    accuracy: float
    seconds: float
    """How long training took."""


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


def trained(
    data: TextData,
    kind: TextModel,
    seed: int = 0,
    *,
    vectors: Vectors | None = None,
    cache_dir: str | Path = CACHE,
) -> Trained:
    """A model of the paper trained on `data`, from the cache if the same was trained before.

    Args:
        data: the texts; the model is trained on those for training and tested on the others.
        kind: "lr" or "cnn".
        seed: of the training.
        vectors: words and their vectors for the CNN to start from.
        cache_dir: a folder of pickles that nobody else can write to.
    """
    import time

    import joblib

    model = text_model(kind, seed, vectors)
    path = Path(cache_dir) / f"{data.name}-{kind}-{_key(data, model)}.joblib"
    if path.is_file():
        known: Trained = joblib.load(path)
        return known
    texts = np.array(data.texts, dtype=object)
    started = time.perf_counter()
    model.fit(texts[data.train].tolist(), data.labels[data.train])
    seconds = time.perf_counter() - started
    right = model.predict(texts[~data.train].tolist()) == data.labels[~data.train]
    result = Trained(model, float(right.mean()), seconds)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Whole or not at all: a run that is killed leaves no half of a model behind.
    part = path.with_suffix(f".{os.getpid()}")
    joblib.dump(result, part, compress=1)
    part.replace(path)
    return result


def _key(data: TextData, model: Any) -> str:
    """Changes with the texts, the parameters, and the code that trains or would be unpickled."""
    import joblib
    import sklearn

    from expga.models import cnn, tokens

    code = [Path(str(module.__file__)).read_bytes() for module in (cnn, tokens)]
    return str(joblib.hash([data.texts, data.labels, data.train, model, code, sklearn.__version__]))
