"""Models from files: what can run code loads only when that is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from expga.errors import InputError
from expga.importing import imported, loading, missing
from expga.inputs import regular_file
from expga.models.adapters import Adapter, Permission, adapters


def load_model(source: str, *, allow_pickle: bool = False, trust: Sequence[str] = ()) -> Any:
    """A model from a file that an adapter loads, such as .joblib, .pkl or .skops, or from `package.module:attribute`.

    Args:
        source: the file, or the name of something importable: what is installed comes first, the working folder last.
        allow_pickle: load files that can run any code.
        trust: names of types that a .skops file may hold beyond skops' own safe list.
    """
    known = list(adapters())
    for adapter in known:
        with loading(f"The adapter {adapter.name} failed on the name {source!r}"):
            loads = adapter.loads(source)
        if loads:
            return _loaded(adapter, source, Permission(allow_pickle, tuple(trust)))
    if ":" in source:
        return imported(source, "The model")
    *others, last = dict.fromkeys(adapter.suffixes[0] for adapter in known if adapter.suffixes)
    raise InputError(
        f"The model {source!r} is neither a {', '.join(others)} or {last} file nor of the form "
        "package.module:attribute."
    )


def _loaded(adapter: Adapter, source: str, permission: Permission) -> Any:
    path = Path(source)
    if path.suffix in adapter.suffixes:
        regular_file(path, "model file")
    if adapter.runs_code and not permission.any_code:
        raise InputError(
            f"Loading {path} can run any code inside it; add --allow-pickle if you trust where it comes from."
        )
    with loading(f"The model file {path} cannot be loaded"), _all_installed(path):
        return adapter.load(source, permission)


@contextmanager
def _all_installed(path: Path) -> Iterator[None]:
    """A package that is missing is named."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None:
            raise
        raise missing(error.name.partition(".")[0], f"The model in {path} needs") from error
