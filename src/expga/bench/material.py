"""What a bench works on: data of a kind of subject, the models that are trained on them, and who does the runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from expga.errors import InputError
from expga.importing import located

if TYPE_CHECKING:
    from expga.bench.retrain.given import Givens
    from expga.bench.session import Session

Pairs = tuple[tuple[str, str], ...]
"""Data sets, each with a protected attribute."""

LOCAL = Path("../shared/data/local")
"""Where the data sets lie that may not come with the project."""
FILES = {"sst": "sst.tsv.gz", "imdb": "imdb50k.tsv.gz"}


class Material(Protocol):
    """Everything in which data of one kind differ from those of another; nobody else asks which they are."""

    name: ClassVar[str]
    """In the plural, for sentences and files."""
    kind: ClassVar[str]
    """Of subject, as strategies name it."""
    pairs: ClassVar[Pairs]
    """What methods are compared on."""
    models: ClassVar[tuple[str, ...]]
    with_gradients: ClassVar[tuple[str, ...]] = ()
    """Models that offer gradients."""
    repaired: ClassVar[Pairs]
    """What repairs are compared on: the paper's own."""
    repaired_models: ClassVar[tuple[str, ...]]
    no_repairs: ClassVar[tuple[str, ...]] = ()
    """Repairs that it cannot have."""

    @property
    def data(self) -> tuple[str, ...]:
        """The data sets."""
        return tuple(dict.fromkeys(name for name, _ in self.pairs))

    @abstractmethod
    def available(self, name: str, folder: Path) -> bool:
        """Whether a data set is there: in a package, or in the folder of those that do not come with the project."""
        ...

    @abstractmethod
    def session(self) -> type[Session]:
        """Who does the runs that compare methods."""
        ...

    @abstractmethod
    def givens(self) -> type[Givens]:
        """Who makes what the runs that compare repairs begin with."""
        ...


class Tables(Material):
    """The paper's tables; sex is what it calls gender."""

    name = "tables"
    kind = "table"
    pairs = (
        ("census", "sex"),
        ("census", "age"),
        ("census", "race"),
        ("credit", "sex"),
        ("credit", "age"),
        ("bank", "age"),
    )
    models = ("mlp", "forest", "svm")
    with_gradients = ("mlp",)
    repaired = pairs
    repaired_models = ("mlp", "forest")

    def available(self, name: str, folder: Path) -> bool:  # noqa: ARG002 - all of them come with the project
        return True

    def session(self) -> type[Session]:
        from expga.bench.table_session import TableSession

        return TableSession

    def givens(self) -> type[Givens]:
        from expga.bench.retrain.given import GivenTables

        return GivenTables


class Texts(Material):
    """The paper's texts, and film reviews that anyone can install."""

    name = "texts"
    kind = "text"
    repaired = tuple((data, attribute) for data in FILES for attribute in ("gender", "country"))
    pairs = (*repaired, ("movie-reviews", "gender"), ("movie-reviews", "country"))
    models = ("lr", "cnn")
    repaired_models = models
    no_repairs = ("drop",)  # there is no column

    def available(self, name: str, folder: Path) -> bool:
        if name in FILES:
            return (folder / FILES[name]).is_file()
        return located("movie_reviews") is not None

    def session(self) -> type[Session]:
        from expga.bench.text_session import TextSession

        return TextSession

    def givens(self) -> type[Givens]:
        from expga.bench.retrain.given import GivenTexts

        return GivenTexts


TABLES, TEXTS = Tables(), Texts()
MATERIALS: tuple[Material, ...] = (TABLES, TEXTS)


def material_of(data: str) -> Material:
    """What a data set is made of."""
    return next(material for material in MATERIALS if data in material.data)


def check_available(names: Sequence[str], folder: Path) -> None:
    """Data that was asked for by name must be there; what is left out by default is only listed as absent."""
    for name in names:
        material = material_of(name)
        if not material.available(name, folder):
            there = [other for other in material.data if material.available(other, folder)]
            raise InputError(f"The {material.name} of {name} are not there; available: {', '.join(there) or 'none'}.")
