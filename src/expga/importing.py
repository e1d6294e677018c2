"""Things by the name under which Python imports them, `package.module:Name`."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from expga.errors import InputError, is_theirs, reason_of


def imported(source: str, what: str) -> Any:
    """What stands under `package.module:Name`; what is installed comes first, the working folder last.

    Args:
        source: the name.
        what: how to call it in an error, such as "The model".
    """
    module_name, _, attribute = source.partition(":")
    with loading(f"{what} {source!r} cannot be imported"):
        here = os.getcwd()
        if here not in sys.path:
            sys.path.append(here)  # last, so that a file lying there never stands in for a library
        module: Any = importlib.import_module(module_name)
        found = module
        for part in attribute.split("."):
            if not hasattr(found, part):
                origin = getattr(module, "__file__", None) or "the standard library"
                raise InputError(f"The module {module_name!r}, from {origin}, has no {attribute!r}.")
            found = getattr(found, part)
    return found


@contextmanager
def loading(failed: str) -> Iterator[None]:
    """Loading runs code of the user's, which can raise anything and call sys.exit()."""
    try:
        yield
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise InputError(f"{failed}: {reason_of(error)}") from error
