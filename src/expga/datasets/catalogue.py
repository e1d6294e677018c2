"""Which datasets there are, and loading one by its name."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from expga.datasets import raw
from expga.datasets.carried import read_schema
from expga.datasets.encoding import read_encoded_census
from expga.errors import InputError
from expga.importing import loading
from expga.inputs import in_short, listed
from expga.registry import Registry, lacking, made

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table of people, what became of them, and what is known about its columns.

    Attributes:
        name: The name it is loaded by.
        frame: The features only, one row per person.
        target: The label of each row of `frame`, under the same index.
        positive: The favourable label.
        protected: The columns whose change should not change a decision.
        schema: Types, bounds, forbidden combinations and linked columns, as plain data; a fresh
            copy for every load.
        description: What a row is, how many there are, what the target is, and whom to credit.
    """

    name: str
    frame: pd.DataFrame
    target: pd.Series[Any]
    positive: str | int
    protected: tuple[str, ...]
    schema: dict[str, Any]
    description: str


class Source(Protocol):
    """Where a data set comes from. A class that inherits from this one owes how to load it."""

    splits: tuple[str, ...] = ("train", "all")
    """The parts that it can be asked for."""

    @abstractmethod
    def load(self, split: str) -> Dataset:
        """One of these parts."""
        ...


@dataclass(frozen=True, slots=True)
class _Shipped:
    """One that comes with the library; `read` takes a split and gives features and target in one table."""

    name: str
    read: Callable[[str], pd.DataFrame]
    splits: tuple[str, ...]
    target: str
    positive: str | int
    description: str

    def load(self, split: str) -> Dataset:
        """The table, with its schema read anew."""
        frame = self.read(split)
        target = frame.pop(self.target)
        schema = read_schema(self.name)
        return Dataset(
            name=self.name,
            frame=frame,
            target=target,
            positive=self.positive,
            protected=tuple(schema["protected"]),
            schema=schema,
            description=self.description,
        )


CENSUS = _Shipped(
    name="census",
    read=raw.read_census,
    splits=("train", "test", "all"),
    target="income",
    positive=">50K",
    description=(
        "Each row is a person aged 17 or more in the US census of 1994: 32,561 to train on and "
        "16,281 to test on. The target says whether they earn more than 50,000 dollars a year. "
        "Source: Adult, Barry Becker and Ronny Kohavi (1996), UCI Machine Learning Repository, "
        "CC BY 4.0."
    ),
)

CENSUS_ENCODED = _Shipped(
    name="census-encoded",
    read=read_encoded_census,
    splits=("train", "test", "all"),
    target="income",
    positive=1,
    description=(
        "The rows of census, 32,561 to train on and 16,281 to test on, as the integers that "
        "the fairness-testing literature works on: categories are numbered, age is in decades, "
        "and amounts are in steps. The target is 1 for more than 50,000 dollars a year. "
        "Source: Adult, Barry Becker and Ronny Kohavi (1996), UCI Machine Learning Repository, "
        "CC BY 4.0; encoded here."
    ),
)

CREDIT = _Shipped(
    name="credit",
    read=raw.read_credit,
    splits=("train", "all"),
    target="credit",
    positive="good",
    description=(
        "Each of the 1,000 rows is an applicant for credit at a German bank. The target says "
        "whether they were a good or a bad risk. Source: Statlog (German Credit Data), "
        "Hans Hofmann (1994), UCI Machine Learning Repository, CC BY 4.0; codes spelled out, "
        "and sex split from marital status, here."
    ),
)

BANK = _Shipped(
    name="bank",
    read=raw.read_bank,
    splits=("train", "all"),
    target="subscribed",
    positive="yes",
    description=(
        "Each of the 4,521 rows is a client whom a Portuguese bank called to offer a term "
        "deposit. The target says whether they subscribed. Source: Bank Marketing (the small "
        "sample), S. Moro, P. Rita and P. Cortez (2014), UCI Machine Learning Repository, "
        "CC BY 4.0."
    ),
)

DATASETS = Registry(
    "datasets",
    {
        "census": ["expga.datasets.catalogue:CENSUS"],
        "census-encoded": ["expga.datasets.catalogue:CENSUS_ENCODED"],
        "credit": ["expga.datasets.catalogue:CREDIT"],
        "bank": ["expga.datasets.catalogue:BANK"],
    },
)


def names() -> tuple[str, ...]:
    """The names that `load` knows: ours, and those of other installed packages."""
    return tuple(DATASETS.names())


def load(name: str | type[Source] | Source, split: str = "train") -> Dataset:
    """Load a data set.

    Args:
        name: One of `names()`, `package.module:Name`, or a source of yours, a class or an object.
        split: "train", "test" or "all". A data set that its source does not split has no "test",
            and "train" is all of it.

    Raises:
        InputError: There is no such data set, or it has no such split.
    """
    source = made(DATASETS.given(name)[0], "data set")
    called = f"The data set {in_short(name)}"
    if owed := lacking(source, ("load", "splits")):
        raise InputError(f"{called} has no {owed}; let its class inherit from expga.datasets.Source, or add it.")
    if split not in source.splits:
        raise InputError(f"{called} has no split {split!r}; choose one of {listed(source.splits)}.")
    with loading(f"{called} cannot be loaded"):
        found = source.load(split)
    if not isinstance(found, Dataset):
        raise InputError(f"{called} is a {type(found).__name__}; its load must return an expga.datasets.Dataset.")
    return found
