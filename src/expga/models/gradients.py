"""Gradients of the models that offer them, gene by gene: by how much the log-odds rise with one step up.

What is known: scikit-learn's MLP and logistic regression, and any model with a method `gradients(X)`, which returns
for each row (n, columns) the gradient of the log-odds of its second class (the positive one, where it has no
`classes_`) with respect to the numbers that it takes. Each of them alone, or as the last step of a pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from expga.contracts import Columns, FloatArray, GradientsOf, IndexArray, IntArray
from expga.errors import ModelError
from expga.models.calls import call

Gradient: TypeAlias = Callable[[Any], FloatArray]
"""A model's inputs (n, columns) in, the gradient (n, columns) of its second class's log-odds out."""


def _logistic(values: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(values))


SHIFTED_ROWS = 65_536
"""Rows that a pipeline transforms at once, at most."""

Layer: TypeAlias = Callable[[FloatArray], FloatArray]

_ACTIVATIONS: dict[str, tuple[Layer, Layer]] = {
    "identity": (lambda x: x, np.ones_like),
    "relu": (lambda x: np.maximum(x, 0.0), lambda out: np.asarray(out > 0, dtype=np.float64)),
    "tanh": (np.tanh, lambda out: 1.0 - out**2),
    "logistic": (_logistic, lambda out: out * (1.0 - out)),
}
"""By name: what it makes of a layer (n, units), and its derivative, from what it made."""


def gradients_of(model: Any, domain: Columns, positive: int | None) -> GradientsOf | None:
    """By how much the positive class's log-odds rise when a gene goes one step up; None: there are no gradients.

    At the upper bound of a gene it is the step down, with the sign turned. Genes that a search may not change, and
    columns that are no numbers, have gradients of 0; a pipeline's have others where it turns them into numbers.

    Args:
        model: the user's own, of any make.
        domain: what the genomes live in.
        positive: the number of the positive class; None where no one score decides.
    """
    from sklearn.pipeline import Pipeline

    transformers: list[Any] = []
    while isinstance(model, Pipeline):
        if len(model.steps) > 1:
            transformers.append(model[:-1])
        model = model.steps[-1][1]
    gradient = _gradient_of(model)
    if gradient is None or positive is None:
        return None
    sign = 1.0 if positive == 1 else -1.0
    if transformers:
        return lambda genomes: sign * _transformed(partial(_through, transformers), gradient, domain, genomes)
    return lambda genomes: sign * _column_by_column(gradient, domain, genomes)


def _gradient_of(model: Any) -> Gradient | None:
    """The gradient of one estimator with two classes, None where it has none."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    if hasattr(model, "classes_") and len(model.classes_) != 2:
        return None
    if callable(getattr(model, "gradients", None)):
        return partial(_checked, model.gradients)
    if isinstance(model, MLPClassifier) and model.n_outputs_ == 1:
        return partial(_of_mlp, model)
    if isinstance(model, LogisticRegression):
        return lambda X: np.repeat(np.asarray(model.coef_, dtype=np.float64), len(X), axis=0)
    return None


def _checked(gradients: Callable[[Any], Any], X: Any) -> FloatArray:
    """(n, columns) what the model's own method says, or an error that says what is wrong with it."""
    values = np.asarray(call(gradients, X, "The model's gradients"), dtype=np.float64)
    if values.shape != X.shape:
        raise ModelError(f"The model's gradients have the shape {values.shape}; they should have {tuple(X.shape)}.")
    if not np.isfinite(values).all():
        raise ModelError("The model's gradients hold NaN or infinite values.")
    return values


def _of_mlp(mlp: Any, X: Any) -> FloatArray:
    """(n, columns) by back-propagation from the last layer's one unit, whose input is the log-odds."""
    activate, derivative = _ACTIVATIONS[mlp.activation]
    out: FloatArray = np.asarray(X, dtype=np.float64)
    local: list[FloatArray] = []
    for weights, bias in zip(mlp.coefs_[:-1], mlp.intercepts_[:-1], strict=True):
        out = activate(out @ weights + bias)
        local.append(derivative(out))
    back: FloatArray = np.repeat(mlp.coefs_[-1].T, len(out), axis=0)
    for weights, slope in zip(reversed(mlp.coefs_[:-1]), reversed(local), strict=True):
        back = (back * slope) @ weights.T
    return back


def _shifts(domain: Columns, genomes: IntArray) -> tuple[IntArray, FloatArray]:
    """Each gene (n, d) of the genomes one step up, down at the upper bound; and +1 (n, d), or -1 there."""
    steps = domain.mutable.astype(np.int32)
    up = domain.shifted(genomes, steps)
    at_top = up == genomes
    return np.where(at_top, domain.shifted(genomes, -steps), up), np.where(at_top, -1.0, 1.0)


def _column_by_column(gradient: Gradient, domain: Columns, genomes: IntArray) -> FloatArray:
    """(n, d) gradients where each gene stands in columns of its own of what the gradient is of."""
    shifted, sign = _shifts(domain, genomes)
    inputs = domain.decode(genomes)
    steps = np.nan_to_num(_numbers(domain.decode(shifted)) - _numbers(inputs))
    rise = np.zeros(genomes.shape[::-1])
    np.add.at(rise, domain.behind, (gradient(inputs) * steps).T)
    return rise.T * sign


def _numbers(inputs: Any) -> FloatArray:
    """(n, columns) the numbers among the inputs, 0 in columns that hold none."""
    if isinstance(inputs, np.ndarray) and inputs.dtype != object:
        return inputs.astype(np.float64)
    frame = inputs if isinstance(inputs, pd.DataFrame) else pd.DataFrame(inputs).infer_objects()
    numbers = np.zeros(frame.shape)
    for place, (_, column) in enumerate(frame.items()):
        if pd.api.types.is_numeric_dtype(column.dtype):
            numbers[:, place] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _transformed(
    transform: Callable[[Any], FloatArray], gradient: Gradient, domain: Columns, genomes: IntArray
) -> FloatArray:
    """(n, d) gradients through transformers, by the chain rule: the gradient times what a step does to its inputs."""
    genes = np.flatnonzero(domain.mutable)
    gradients = np.zeros(genomes.shape)
    at_once = max(1, SHIFTED_ROWS // max(1, len(genes)))
    for start in range(0, len(genomes) if len(genes) else 0, at_once):
        some = genomes[start : start + at_once]
        shifted, sign = _shifts(domain, some)
        inputs = transform(domain.decode(some))
        moved = transform(domain.decode(_one_by_one(some, shifted, genes)))
        steps = moved.reshape(len(some), len(genes), -1) - inputs[:, None]
        gradients[start : start + at_once, genes] = np.einsum("ngc,nc->ng", steps, gradient(inputs)) * sign[:, genes]
    return gradients


def _one_by_one(genomes: IntArray, shifted: IntArray, genes: IndexArray) -> IntArray:
    """(n g, d) each genome (n, d) with one of the genes (g,) shifted at a time."""
    rows = np.repeat(genomes, len(genes), axis=0)
    rows[np.arange(len(rows)), np.tile(genes, len(genomes))] = shifted[:, genes].ravel()
    return rows


def _through(transformers: list[Any], inputs: Any) -> FloatArray:
    """(n, columns) what comes out of one transformer after the other, dense."""
    for transformer in transformers:
        inputs = transformer.transform(inputs)
    return np.asarray(inputs.toarray() if hasattr(inputs, "toarray") else inputs, dtype=np.float64)
