"""Which datasets there are, and loading one by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from expga.datasets import raw
from expga.datasets.carried import read_schema
from expga.datasets.encoding import read_encoded_census
from expga.errors import InputError

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


@dataclass(frozen=True, slots=True)
class _Entry:
    """How to make one dataset; `read` takes a split and gives features and target in one table."""

    read: Callable[[str], pd.DataFrame]
    splits: tuple[str, ...]
    target: str
    positive: str | int
    description: str


_ENTRIES = {
    "census": _Entry(
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
    ),
    "census-encoded": _Entry(
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
    ),
    "credit": _Entry(
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
    ),
    "bank": _Entry(
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
    ),
}


def names() -> tuple[str, ...]:
    """The names that `load` knows."""
    return tuple(_ENTRIES)


def load(name: str, split: str = "train") -> Dataset:
    """Load a dataset that comes with the library.

    Args:
        name: One of `names()`.
        split: "train", "test" or "all". A dataset that its source does not split has no "test",
            and "train" is all of it.

    Raises:
        InputError: There is no such dataset, or it has no such split.
    """
    entry = _ENTRIES.get(name)
    if entry is None:
        raise InputError(f"There is no dataset {name!r}; choose one of: {', '.join(_ENTRIES)}.")
    if split not in entry.splits:
        choices = ", ".join(entry.splits)
        raise InputError(f"The dataset {name!r} has no split {split!r}; choose one of: {choices}.")
    frame = entry.read(split)
    target = frame.pop(entry.target)
    schema = read_schema(name)
    return Dataset(
        name=name,
        frame=frame,
        target=target,
        positive=entry.positive,
        protected=tuple(schema["protected"]),
        schema=schema,
        description=entry.description,
    )
