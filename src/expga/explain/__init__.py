"""Which genes of a row, or words of a text, weigh most in the model's decision on it."""

from __future__ import annotations

from typing import Any

from expga.contracts import Explainer
from expga.errors import InputError
from expga.registry import Registry, lacking, made

EXPLAINERS = Registry(
    "explainers",
    {
        "lime": ["expga.explain.lime:Lime", "expga.explain.text_lime:TextLime"],
        "shap": ["expga.explain.shap:Shap", "expga.explain.text_shap:TextShap"],
    },
)
_OWED = ("queries", "ranks", "kinds")


def explainer(given: Any, kind: str, most_queries: int | None = None) -> Explainer:
    """The explainer that a user means, by name, class or object.

    Args:
        given: a name, `package.module:Name`, a class, or an object as `expga.contracts.Explainer` describes it.
        kind: the name of the kind of subject that it is for.
        most_queries: the most that the run may ask, for those that can do with fewer.
    """
    candidates = EXPLAINERS.given(given, lambda: ["gap", *EXPLAINERS.names(), "none"])
    fitting = [one for one in candidates if kind in getattr(one, "kinds", ()) or not getattr(one, "kinds", ())]
    if not fitting:
        raise InputError(f"The explainer {given} is for another kind of subject than a {kind}; choose gap.")
    chosen = fitting[0]
    within = getattr(chosen, "within", None)
    chosen = within(most_queries) if isinstance(chosen, type) and within is not None else made(chosen, "explainer")
    if name := lacking(chosen, _OWED):
        raise InputError(
            f"The explainer {type(chosen).__name__} has no {name}; let its class inherit from "
            "expga.contracts.Explainer, or add it."
        )
    found: Explainer = chosen
    return found
