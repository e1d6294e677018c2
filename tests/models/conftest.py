"""Points with two or three classes, and estimators fitted to them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification


@pytest.fixture(scope="session")
def points():
    """(300, 4) and their classes as text, of which there are so many."""

    def make(classes=2):
        X, y = make_classification(
            300,
            4,
            n_informative=4,
            n_redundant=0,
            n_classes=classes,
            flip_y=0.2,
            n_clusters_per_class=1,
            random_state=0,
        )
        return X, np.array(["bad", "good", "great"])[y]

    return make


@pytest.fixture(scope="session")
def labels_of():
    """The user's own labels that answers stand for."""

    def read(wrapped, answers):
        return [wrapped.classes[number] for number in answers.labels]

    return read
