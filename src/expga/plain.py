"""Values of users and of libraries as JSON has them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """A value of numpy's as Python's own, anything else that JSON has no word for as text."""
    return value.item() if isinstance(value, np.generic) else str(value)


def as_json(told: Any, indent: int | None = None) -> bytes:
    """What a file or a record holds; indented for people, with the end of the last line."""
    return (json.dumps(told, indent=indent, default=plain) + ("\n" if indent is not None else "")).encode()
