"""Which genes of a row weigh most in the model's decision on it."""

from __future__ import annotations

from expga.contracts import Explainer
from expga.errors import InputError

__all__ = ["explainer"]


def explainer(name: str) -> Explainer:
    """The explainer of that name, "lime" or "shap"."""
    if name == "lime":
        from expga.explain.lime import Lime

        return Lime()
    if name == "shap":
        from expga.explain.shap import Shap

        return Shap()
    raise InputError(f"There is no explainer {name!r}; choose 'lime' or 'shap'.")
