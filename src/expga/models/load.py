"""Models from files: what can run code loads only when that is allowed."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from expga.errors import InputError


def load_model(source: str, *, allow_pickle: bool = False, trust: Sequence[str] = ()) -> Any:
    """A model from a .joblib, .pkl or .skops file, or from `package.module:attribute`.

    Args:
        source: the file, or the name of something importable.
        allow_pickle: load files that can run any code.
        trust: names of types that a .skops file may hold beyond skops' own safe list.
    """
    path = Path(source)
    if path.suffix in (".joblib", ".pkl", ".pickle"):
        _check_file(path)
        if not allow_pickle:
            raise InputError(
                f"Loading {path} can run any code inside it; add --allow-pickle if you trust where it comes from."
            )
        return _from_pickle(path)
    if path.suffix == ".skops":
        _check_file(path)
        return _from_skops(path, trust)
    if ":" in source:
        return _from_import(source)
    raise InputError(
        f"The model {source!r} is neither a .joblib, .pkl or .skops file nor of the form package.module:attribute."
    )


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"There is no model file {path}.")


def _from_pickle(path: Path) -> Any:
    import joblib

    try:
        return joblib.load(path)
    except ModuleNotFoundError as error:
        raise InputError(f"The model in {path} needs the package {error.name!r}; install it first.") from error
    except Exception as error:  # unpickling runs arbitrary code, so it can raise anything
        raise InputError(f"The model file {path} cannot be loaded: {type(error).__name__}: {error}") from error


def _from_skops(path: Path, trust: Sequence[str]) -> Any:
    from skops.io import get_untrusted_types
    from skops.io import load as load_skops

    try:
        unknown = sorted(set(get_untrusted_types(file=path)) - set(trust))
        if not unknown:
            return load_skops(path, trusted=list(trust))
    except Exception as error:  # a damaged archive fails in many ways
        raise InputError(f"The model file {path} cannot be loaded: {type(error).__name__}: {error}") from error
    raise InputError(
        f"The model file {path} holds types outside the safe list: {', '.join(unknown)}; "
        f"if you trust them, add --trust {','.join(unknown)}"
    )


def _from_import(source: str) -> Any:
    module_name, _, attribute = source.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # a module runs whatever it says
        raise InputError(f"The model {source!r} cannot be imported: {type(error).__name__}: {error}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InputError(f"The module {module_name!r} has no {attribute!r}.")
        found = getattr(found, part)
    return found
