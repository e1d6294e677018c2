"""The models that demonstrations and benchmarks audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from expga.datasets import Dataset


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
