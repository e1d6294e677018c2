"""Models from files: what can run code loads only when that is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from expga.errors import InputError
from expga.importing import imported, loading
from expga.inputs import regular_file


def load_model(source: str, *, allow_pickle: bool = False, trust: Sequence[str] = ()) -> Any:
    """A model from a .joblib, .pkl or .skops file, or from `package.module:attribute`.

    Args:
        source: the file, or the name of something importable: what is installed comes first, the working folder last.
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
        return imported(source, "The model")
    raise InputError(
        f"The model {source!r} is neither a .joblib, .pkl or .skops file nor of the form package.module:attribute."
    )


def _check_file(path: Path) -> None:
    regular_file(path, "model file")


def _from_pickle(path: Path) -> Any:
    import joblib

    with loading(f"The model file {path} cannot be loaded"):
        try:
            return joblib.load(path)
        except ModuleNotFoundError as error:
            if error.name is None:
                raise
            raise InputError(f"The model in {path} needs the package {error.name!r}; install it first.") from error


def _from_skops(path: Path, trust: Sequence[str]) -> Any:
    from skops.io import get_untrusted_types
    from skops.io import load as load_skops

    with loading(f"The model file {path} cannot be loaded"):
        unknown = sorted(set(get_untrusted_types(file=path)) - set(trust))
        if not unknown:
            return load_skops(path, trusted=list(trust))
    raise InputError(
        f"The model file {path} holds types outside the safe list: {', '.join(unknown)}; "
        f"if you trust them, add --trust {','.join(unknown)}"
    )
