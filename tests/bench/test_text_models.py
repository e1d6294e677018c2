"""The paper's text models, trained once and kept on disk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from expga.bench import textmodels
from expga.datasets import TextData
from expga.errors import InputError


@pytest.fixture
def data():
    """(60,) texts in which one word is the verdict, a third of them for testing."""
    texts = [f"film {number} is a {'joy' if number % 2 else 'bore'}" for number in range(60)]
    return TextData("tiny", texts, np.arange(60) % 2, np.arange(60) % 3 > 0)


def test_a_model_is_tested_on_what_it_was_not_trained_on(data, tmp_path):
    turned = replace(data, labels=np.where(data.train, data.labels, 1 - data.labels))
    assert textmodels.trained(data, "lr", cache_dir=tmp_path).accuracy == 1
    assert textmodels.trained(turned, "lr", cache_dir=tmp_path).accuracy == 0


def test_the_same_is_not_trained_twice(data, tmp_path):
    first = textmodels.trained(data, "lr", cache_dir=tmp_path)
    again = textmodels.trained(data, "lr", cache_dir=tmp_path)
    assert (again.accuracy, again.seconds) == (first.accuracy, first.seconds)
    assert again.model.predict(data.texts).tolist() == first.model.predict(data.texts).tolist()
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("change", "seed"),
    [
        ({}, 1),
        ({"labels": 1 - np.arange(60) % 2}, 0),
        ({"train": np.arange(60) % 3 > 1}, 0),
        ({"texts": [f"film {number} is a {'joy' if number % 2 else 'flop'}" for number in range(60)]}, 0),
    ],
)
def test_something_else_is(data, tmp_path, change, seed):
    textmodels.trained(data, "lr", cache_dir=tmp_path)
    textmodels.trained(replace(data, **change), "lr", seed, cache_dir=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_the_network_starts_from_vectors(data, tmp_path):
    pytest.importorskip("torch")
    vectors = (["joy", "bore"], np.eye(2, 8, dtype=np.float32))
    plain, given = (textmodels.trained(data, "cnn", vectors=start, cache_dir=tmp_path) for start in (None, vectors))
    assert (plain.model.weights_[0].shape[1], given.model.weights_[0].shape[1]) == (100, 8)


def test_an_unknown_model_says_which_there_are(data, tmp_path):
    with pytest.raises(InputError, match="There is no text model 'bert'; choose one of: lr, cnn"):
        textmodels.trained(data, "bert", cache_dir=tmp_path)
