"""Individual fairness testing: does a model treat two people differently who differ only in a protected attribute?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from expga.api import audit, replay
    from expga.repair import Retrained, retrain
    from expga.results import Audit

__all__ = ["Audit", "Retrained", "audit", "datasets", "replay", "retrain"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Imports a front door when it is first used, so that `expga --help` need not wait for pandas."""
    import importlib

    if name in ("audit", "replay"):
        return getattr(importlib.import_module("expga.api"), name)
    if name in ("retrain", "Retrained"):
        return getattr(importlib.import_module("expga.repair"), name)
    if name == "Audit":
        return importlib.import_module("expga.results").Audit
    if name == "datasets":
        return importlib.import_module("expga.datasets")
    raise AttributeError(f"module 'expga' has no attribute {name!r}")
