"""Models as files."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from expga.errors import InputError
from expga.importing import loading
from expga.inputs import reason

NAMES = ("model.skops", "model.joblib")


@dataclass(frozen=True, slots=True)
class SavedModel:
    """A model as the content of a file."""

    name: str
    """Of the file: `model.skops` where skops can hold the model, else `model.joblib`."""
    trust: list[str]
    """The types that loading a .skops file must be told to trust."""
    content: bytes

    @classmethod
    def of(cls, model: Any) -> SavedModel:
        """A model in the safest format that holds it."""
        try:
            return cls(NAMES[0], *_as_skops(model))
        except Exception:  # a model of any class can fail in any way, and there is another format for those
            return cls(NAMES[1], [], _as_joblib(model))

    def safely(self) -> Any:
        """The model, if loading it can run no code; else None."""
        from skops.io import loads

        if self.name != NAMES[0] or self.trust:
            return None
        with loading("The model that was kept cannot be loaded"):
            return loads(self.content)


def _as_joblib(model: Any) -> bytes:
    import joblib

    file = io.BytesIO()
    try:
        joblib.dump(model, file, compress=1)
    except Exception as error:  # whatever the model holds has its own ways to refuse
        raise InputError(f"The model cannot be saved to a file: {type(error).__name__}: {reason(error)}.") from error
    return file.getvalue()


def _as_skops(model: Any) -> tuple[list[str], bytes]:
    """The types that it needs trust for, and a file that was seen to load again."""
    from skops.io import dumps, get_untrusted_types, loads

    content = dumps(model)
    trust = sorted(get_untrusted_types(data=content))
    loads(content, trusted=trust)
    return trust, content
