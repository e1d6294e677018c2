"""Pickled models, whose files can run any code."""

from __future__ import annotations

from typing import Any

from expga.models.adapters import Adapter, Permission


class Joblib(Adapter):
    """What joblib has dumped."""

    name = "joblib"
    suffixes: tuple[str, ...] = (".joblib",)

    def load(self, source: str, permission: Permission) -> Any:  # noqa: ARG002 - there is one, and it was given
        import joblib

        return joblib.load(source)


class Pickle(Joblib):
    """What pickle has: joblib reads it too."""

    name = "pickle"
    suffixes = (".pkl", ".pickle")
