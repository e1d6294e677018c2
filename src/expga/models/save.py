"""Models to files, each written in one move."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from expga.errors import InputError


def save_model(model: Any, folder: Path) -> tuple[str, list[str]]:
    """Writes `model.skops` where skops can hold the model, else `model.joblib`.

    Returns:
        The name of the file, and the types that loading a .skops file must be told to trust.
    """
    beside = folder / f".model.{os.getpid()}"
    try:
        try:
            trust = _as_skops(model, beside)
            name = "model.skops"
        except Exception:  # a model of any class can fail in any way, and there is another format for those
            _as_joblib(model, beside)
            trust, name = [], "model.joblib"
        beside.replace(folder / name)
    finally:
        beside.unlink(missing_ok=True)
    for other in {"model.skops", "model.joblib"} - {name}:
        (folder / other).unlink(missing_ok=True)
    return name, trust


def _as_joblib(model: Any, path: Path) -> None:
    import joblib

    try:
        joblib.dump(model, path, compress=1)
    except Exception as error:  # whatever the model holds has its own ways to refuse
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"The model cannot be saved to a file: {type(error).__name__}: {reason}") from error


def _as_skops(model: Any, path: Path) -> list[str]:
    """Writes a file that was seen to load again; the types it needs trust for."""
    from skops.io import dump, get_untrusted_types, load

    dump(model, path)
    trust = sorted(get_untrusted_types(file=path))
    load(path, trusted=trust)
    return trust
