"""The models that demonstrations and benchmarks audit."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from expga.datasets import Dataset

SVM_ROWS = 8_000
MLP_EPOCHS = 30


def census_forest(census: Dataset, seed: int) -> Any:
    """A forest on the raw Census table, as one would train it: categories one-hot, numbers as they are."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((hot, make_column_selector(dtype_exclude="number")), remainder="passthrough")
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=seed, n_jobs=-1)
    return make_pipeline(columns, forest).fit(census.frame, census.target)


def literature_model(kind: str, X: pd.DataFrame, y: pd.Series[Any], seed: int) -> Any:
    """One of the paper's models: an MLP of five layers of 128, a forest of 100 trees, an RBF SVM."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    if kind == "forest":
        return RandomForestClassifier(100, random_state=seed).fit(X, y)
    if kind == "svm":
        return make_pipeline(StandardScaler(), SVC()).fit(X[:SVM_ROWS], y[:SVM_ROWS])
    mlp = MLPClassifier((128,) * 5, max_iter=MLP_EPOCHS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as long as the literature trains, not to the end
        return make_pipeline(StandardScaler(), mlp).fit(X, y)
