"""The paper's text models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from expga.bench import text_models
from expga.datasets import TextData
from expga.errors import InputError


@pytest.fixture
def data():
    """(60,) texts in which one word is the verdict, a third of them for testing."""
    texts = [f"film {number} is a {'joy' if number % 2 else 'bore'}" for number in range(60)]
    return TextData("tiny", texts, np.arange(60) % 2, np.arange(60) % 3 > 0)


def test_a_model_is_tested_on_what_it_was_not_trained_on(data):
    turned = replace(data, labels=np.where(data.train, data.labels, 1 - data.labels))
    assert text_models.trained(data, "lr").accuracy == 1
    assert text_models.trained(turned, "lr").accuracy == 0


def test_the_network_starts_from_vectors(data):
    pytest.importorskip("torch")
    vectors = (["joy", "bore"], np.eye(2, 8, dtype=np.float32))
    plain, given = (text_models.trained(data, "cnn", vectors=start) for start in (None, vectors))
    assert (plain.model.weights_[0].shape[1], given.model.weights_[0].shape[1]) == (100, 8)


def test_an_unknown_model_says_which_there_are(data):
    with pytest.raises(InputError, match="There is no text model 'bert'; choose one of: lr, cnn"):
        text_models.trained(data, "bert")
