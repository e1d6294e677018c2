"""Models of other libraries, and models from files: each make is an object that knows its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expga.errors import InputError
from expga.importing import loading
from expga.registry import Registry, lacking, made


@dataclass(frozen=True, slots=True)
class Permission:
    """What the user allows when a model is loaded."""

    any_code: bool = False
    """Files that can run any code."""
    types: tuple[str, ...] = ()
    """Types beyond those that are known to be safe."""


class Adapter:
    """Knows one make of models: it turns them into something that predicts, or loads them from files, or both.

    One that inherits from this owes a name, and what it does. The user's model is never changed.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    """Of the files that it loads, the usual one first."""
    runs_code: bool = True
    """Whether these files can run any code while they are loaded: then they are, only where the user allows it."""

    def recognises(self, model: Any) -> bool:  # noqa: ARG002 - none
        """Whether a model that a user hands over is of this make."""
        return False

    def adapted(self, model: Any) -> Any:
        """A new object that predicts as this model does.

        An estimator has `predict` and `classes_`, with `predict_proba` or `decision_function` if it gives scores, and
        `gradients(X)` if it has some; or it is a callable on what `X` is.
        """
        return model

    def loads(self, source: str) -> bool:
        """Whether what a user names is for this adapter to load."""
        return Path(source).suffix in self.suffixes

    def load(self, source: str, permission: Permission) -> Any:  # noqa: ARG002 - it loads none
        """The model that is there; asked only what it loads, and only what is permitted."""
        raise InputError(
            f"The adapter {self.name} names files, such as {source}, and has no load; give it that method."
        )


ADAPTERS = Registry(
    "adapters",
    {
        "joblib": ["expga.models.adapters.pickles:Joblib"],
        "pickle": ["expga.models.adapters.pickles:Pickle"],
        "skops": ["expga.models.adapters.skops:Skops"],
    },
)


def adapters() -> Iterator[Adapter]:
    """All there are, ours first; of one name, those of others."""
    for name, thing in ADAPTERS.all():
        adapter = made(thing, "adapter")
        if not isinstance(adapter, Adapter) or lacking(adapter, ("name",)):
            lack = "has no name" if isinstance(adapter, Adapter) else "is no expga.models.Adapter"
            raise InputError(f"The adapter {name} {lack}; let its class inherit from it, with a name.")
        yield adapter


def adapted(model: Any) -> Any:
    """A user's model as something that predicts; as it is where no adapter knows it."""
    for adapter in adapters():
        with loading(f"The adapter {adapter.name} failed on the model, a {type(model).__name__}"):
            if adapter.recognises(model):
                return adapter.adapted(model)
    return model
