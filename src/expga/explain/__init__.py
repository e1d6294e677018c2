"""Which genes of a row, or words of a text, weigh most in the model's decision on it."""

from __future__ import annotations

from expga.contracts import Explainer
from expga.errors import InputError

__all__ = ["explainer", "text_explainer"]


SHARE = 0.15
"""The most of a budget of queries that LIME's shared neighbourhood may take."""


FEWEST = 50
"""Samples below which a neighbourhood explains nothing."""


def explainer(name: str, most_queries: int | None = None) -> Explainer:
    """The explainer of that name, "lime" or "shap", for a run of at most so many queries."""
    if name == "lime":
        from expga.explain.lime import SAMPLES, Lime

        affordable = SAMPLES if most_queries is None else int(SHARE * most_queries)
        return Lime(min(SAMPLES, max(FEWEST, affordable)))
    if name == "shap":
        from expga.explain.shap import Shap

        return Shap()
    raise _unknown(name)


def text_explainer(name: str) -> Explainer:
    """The explainer of texts of that name, "lime" or "shap"."""
    if name == "lime":
        from expga.explain.text_lime import TextLime

        return TextLime()
    if name == "shap":
        from expga.explain.text_shap import TextShap

        return TextShap()
    raise _unknown(name)


def _unknown(name: str) -> InputError:
    return InputError(f"There is no explainer {name!r}; choose gap, lime, shap or none.")
