"""Things by name: those that come with the package, and those that other installed packages offer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from typing import Any

from expga.errors import InputError
from expga.importing import imported, loading
from expga.inputs import in_short, listed


class Registry:
    """Of one sort of thing: strategies, explainers, criteria, repairs, adapters, data sets, outputs, kinds.

    Ours are imported when they are asked for. A package that offers more names them as entry points of the group
    `expga.` and the sort; several things may share a name if they are for different kinds of subject.
    """

    def __init__(self, sort: str, ours: Mapping[str, Sequence[str]]) -> None:
        """Ours, each as `package.module:Name`.

        Args:
            sort: in the plural, as the group of entry points has it.
            ours: by name.
        """
        self.sort = sort
        self._ours = ours
        self._added: dict[str, list[Any]] = {}

    def add(self, name: str, thing: Any) -> None:
        """Knows one more thing for as long as this process lives."""
        self._added.setdefault(name, []).append(thing)

    def remove(self, name: str) -> None:
        """Knows nothing any more of what was added under a name."""
        self._added.pop(name, None)

    def names(self) -> list[str]:
        """Of all there are, ours first."""
        others = sorted(one.name for one in offered(self.sort))
        return list(dict.fromkeys([*self._ours, *others, *self._added]))

    def named(self, name: str, choices: Callable[[], Sequence[str]] | None = None) -> list[Any]:
        """All things of that name, those added last first and ours last: others may stand in for ours.

        Args:
            name: of a thing.
            choices: what a user may choose from where that is less, or more, than all names.
        """
        found = [*reversed(self._added.get(name, ()))]
        for other in offered(self.sort).select(name=name):
            with loading(f"What an installed package offers as {name!r} of expga.{self.sort} cannot be imported"):
                found.append(other.load())
        for ours in self._ours.get(name, ()):
            module, _, attribute = ours.partition(":")
            found.append(getattr(import_module(module), attribute))
        if not found:
            raise InputError(
                f"There is no {self.one} {in_short(name)}; choose one of {listed((choices or self.names)())}."
            )
        return found

    def all(self) -> Iterator[tuple[str, Any]]:
        """Every thing, with its name."""
        for name in self.names():
            for thing in self.named(name):
                yield name, thing

    def given(self, thing: Any, choices: Callable[[], Sequence[str]] | None = None) -> list[Any]:
        """What a user means: something by its name or as `package.module:Name`, or the thing itself."""
        if not isinstance(thing, str):
            return [thing]
        if ":" in thing and thing not in self.names():
            return [imported(thing, f"The {self.one}")]
        return self.named(thing, choices)

    @property
    def one(self) -> str:
        """What one of them is called."""
        return _ONE.get(self.sort, self.sort.removesuffix("s"))


_ONE = {"strategies": "strategy", "criteria": "criterion", "datasets": "data set"}


@cache
def offered(sort: str) -> EntryPoints:
    """What installed packages offer; looked up once, since that reads the description of every package."""
    return entry_points(group=f"expga.{sort}")


def made(thing: Any, sort: str) -> Any:
    """An object, of a class one with its usual parameters."""
    if not isinstance(thing, type):
        return thing
    try:
        return thing()
    except TypeError as error:
        raise InputError(
            f"The {sort} {thing.__name__} needs arguments ({error}); give an object of it instead of the class."
        ) from error


def lacking(thing: Any, names: Sequence[str]) -> str | None:
    """The first of these attributes that a thing does not have."""
    return next((name for name in names if not hasattr(thing, name)), None)
