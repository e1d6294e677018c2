"""The exceptions that users meet: one sentence each, saying what is wrong, where, and what to do."""

from __future__ import annotations

from typing import Any


class ExpgaError(Exception):
    """Anything this library raises on purpose."""


class InputError(ExpgaError):
    """What the user handed over cannot be used as it is."""


class ModelError(InputError):
    """The model failed, or answered with something that is not a prediction."""

    audit: Any = None
    """What was found before a model failed in the middle of a search: an `expga.Audit`."""


class StoreError(ExpgaError):
    """The disk or the database failed; what was kept before is still there."""

    audit: Any = None
    """What was found before: an `expga.Audit`."""
