"""How a model is fitted again, without touching the one that was given."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from expga.contracts import FloatArray
from expga.errors import InputError
from expga.inputs import reason
from expga.models import adapted, attribute
from expga.subjects import Values

Fit = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Fits a new model to inputs and labels, always in the same way."""

    make: Callable[[int | None], Fit]
    """Given a seed, or None for the model's own, what fits a new model."""
    weights: str | None
    """The argument that takes sample weights, if there is one."""

    def fit(self, inputs: Any, labels: Values, weights: FloatArray | None = None, seed: int | None = None) -> Any:
        """A new model.

        Args:
            inputs: n of them, as the model takes them.
            labels: (n,)
            weights: (n,) how much each counts; only where the recipe takes weights.
            seed: for models with a random state, another one than the user's.
        """
        from sklearn.exceptions import ConvergenceWarning

        given = {} if weights is None or self.weights is None else {self.weights: weights}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # trained as long as its owner trains it
                return self.make(seed)(inputs, labels, **given)
        except InputError:
            raise
        except Exception as error:  # a user's code can raise anything
            why = f"{type(error).__name__}: {reason(error)}"
            raise InputError(f"The model cannot be fitted to these rows: {why}.") from error


def recipe_of(model: Any, fit: Callable[..., Any] | None, seed: int = 0) -> Recipe:
    """How this model is fitted: by the user's own function, as a scikit-learn estimator, or as a copy of it.

    Args:
        model: as the user gave it.
        fit: the user's own function, if there is one.
        seed: for estimators that leave their random state to chance.
    """
    if fit is not None:
        if not callable(fit):
            raise InputError("The argument fit must be a function of inputs and labels that returns a new model.")
        return Recipe(lambda _: _by_function(fit), _takes_weights(fit))
    if not callable(attribute(model, "fit")):
        raise InputError(
            f"The model, a {type(model).__name__}, cannot be fitted again: it has no fit method; give a function "
            'fit(X, y) that returns a new model, or repair by "average", which fits nothing.'
        )
    if callable(attribute(model, "get_params")):
        return Recipe(lambda other: _anew(model, seed, other).fit, _weights_of(model))
    return Recipe(lambda _: _refit(copy.deepcopy(model)), _takes_weights(model.fit))


def _by_function(fit: Callable[..., Any]) -> Fit:
    def fitted(inputs: Any, labels: Values, **given: Any) -> Any:
        made = adapted(fit(inputs, labels, **given))
        if not (callable(getattr(made, "predict", None)) or callable(made)):
            raise InputError(
                f"The function fit returned a {type(made).__name__}, which cannot predict; return the model."
            )
        return made

    return fitted


def _refit(model: Any) -> Fit:
    def fitted(inputs: Any, labels: Values, **given: Any) -> Any:
        model.fit(inputs, labels, **given)
        return model

    return fitted


def _anew(model: Any, seed: int, other: int | None) -> Any:
    """The estimator as it was before it was fitted, with another random state if there is one.

    One without a random state gets the seed: what it would draw is not ours to tell apart from a repair.
    """
    from sklearn.base import clone

    fresh = clone(model)
    params = fresh.get_params(deep=True).items()
    states = {name: own for name, own in params if name.rpartition("__")[2] == "random_state"}
    fresh.set_params(
        **{name: seed if other is None else other for name, own in states.items() if own is None or other is not None}
    )
    return fresh


def _weights_of(model: Any) -> str | None:
    """The argument of an estimator's or a pipeline's fit that takes sample weights."""
    steps = getattr(model, "steps", None)
    if steps:
        inner = _weights_of(steps[-1][1])
        return None if inner is None else f"{steps[-1][0]}__{inner}"
    return _takes_weights(getattr(model, "fit", None))


def _takes_weights(fit: Any) -> str | None:
    try:
        return "sample_weight" if "sample_weight" in inspect.signature(fit).parameters else None
    except (TypeError, ValueError):  # some built-in functions have no signature
        return None
