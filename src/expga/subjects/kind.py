"""A kind of subject, a table or texts, is an object: nobody else asks which kind something is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from expga.contracts import Domain, FloatArray, GradientsOf, IndexArray, IntArray, KeyArray, Realism
from expga.errors import InputError
from expga.registry import Registry
from expga.subjects import showing
from expga.subjects.subject import Subject, Trying

Rows: TypeAlias = Any
"""Rows of a user in the form that their kind has inside: a frame, a list of texts."""
Values: TypeAlias = npt.NDArray[Any]
"""(n,) labels, in the user's own values."""


class Kind(Protocol):
    """What can be audited: how it is recognised, what its audits take, and how they are shown and taken up again."""

    name: ClassVar[str]
    """As summaries have it."""
    called: ClassVar[str]
    """What a user handed over, in a word or two: "a table"."""
    options: ClassVar[tuple[str, ...]]
    """Options of an audit that only this kind understands."""
    rules_are: ClassVar[str]
    """What else than the data decides how rows are read: "schema"."""
    usual_epsilon: ClassVar[int | None]
    """The rank within which a protected part lets a row in; None: calibrated."""

    def recognises(self, X: Any, options: Mapping[str, Any]) -> bool:
        """Whether this is the kind of what a user handed over, with these options."""
        ...

    def subject(
        self,
        model: Any,
        X: Any,
        protected: Sequence[str],
        realism: Realism,
        options: Mapping[str, Any],
        trying: Trying,
    ) -> Subject:
        """The subject that a user's data and model make."""
        ...

    def gradients(self, model: Any, subject: Subject) -> GradientsOf | None:
        """The gradients that the user's model offers, if it does."""
        ...

    def saved(self, settings: Mapping[str, Any]) -> Saved:
        """How the audit with these settings, as a summary has them, read its rows.

        Raises:
            InputError: they are not settings of this kind.
        """
        ...


class Saved(Protocol):
    """An audit's subject once more, out of what was saved of it."""

    settings: Mapping[str, Any]

    # What the audit found.

    def check(self, findings: pd.DataFrame) -> None:
        """Raises unless the findings have the columns that they must, with values that can be meant."""
        ...

    def results(self) -> Mapping[str, str]:
        """What the columns are called that hold `label`, `label__twin`, `score`, `score__twin`, `gap`, `anchor`,
        `distance`."""
        ...

    def twins(self, findings: pd.DataFrame) -> tuple[Rows, Rows]:
        """The two sides of every pair."""
        ...

    def asked(self, findings: pd.DataFrame) -> tuple[tuple[Any, Any], tuple[IndexArray, IndexArray]]:
        """What the model was asked about either side of every pair, and in how many voices each."""
        ...

    def sentence(self, example: Mapping[str, Any]) -> str:
        """One of the examples of a summary in words."""
        ...

    def headline(self, summary: Mapping[str, Any]) -> list[str]:
        """How unfair the model is: one sentence, then what there is to add."""
        ...

    def found(self, summary: Mapping[str, Any]) -> str:
        """What the search came to, in a sentence."""
        ...

    def figures(self, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What there is to say of the findings as a whole, each with its name."""
        ...

    # Rows of the user's.

    def rows(self, model: Any, X: Any) -> tuple[Rows, pd.Index[Any]]:
        """What a user hands over as rows, checked against those of the audit, and what the user calls them."""
        ...

    def asked_about(self, X: Any) -> Rows:
        """What anybody asks a repaired model about, as rows."""
        ...

    def take(self, rows: Rows, numbers: IndexArray) -> Rows:
        """Some rows by their numbers (n,)."""
        ...

    def joined(self, parts: Sequence[Rows]) -> Rows:
        """Several, one after the other."""
        ...

    def hashes(self, rows: Rows) -> KeyArray:
        """(n,) the same number for rows that are alike."""
        ...

    def fingerprint(self, rows: Rows) -> str:
        """The same for the same rows in the same order."""
        ...

    def inputs(self, rows: Rows) -> Any:
        """The rows as the model takes them."""
        ...

    def data(self, rows: Rows) -> Any:
        """The rows as an audit takes them."""
        ...

    def options(self) -> dict[str, Any]:
        """What an audit of other rows must be told to read them in the same way."""
        ...

    # Rows and their readings.

    def domain(self, rows: Rows) -> GroupedDomain:
        """The rows with their readings. Nothing is bounded: any row may come."""
        ...

    def shared(self, rows: Rows) -> tuple[Domain, IntArray]:
        """A domain, and in it each of N rows as a genome (N, d) that has the same readings as those of its twins."""
        ...

    def made(self, domain: Domain, genomes: IntArray) -> Rows:
        """Genomes (n, d) as rows."""
        ...

    def nearest(self, rows: Rows, samples: Rows) -> IndexArray | None:
        """(n,) the number of the row nearest to each sample; None where nobody knows."""
        ...

    def shares(self, rows: Rows) -> FloatArray | None:
        """(R,) how often each reading is that of a row; None where readings are not of the row alone."""
        ...

    # Repairs.

    averages_exactly: ClassVar[bool]
    """Whether a model that is averaged over all readings can never flip."""
    no_attribute: ClassVar[str | None]
    """Why there is no protected attribute that a model could do without; None: there is one."""
    pairs_grow: ClassVar[bool]
    """Whether found pairs are added until few findings still flip."""

    def usual_pairs(self, found: int, rows: int) -> int:
        """How many of the found pairs are added to so many rows to begin with."""
        ...


class GroupedDomain(Domain, Protocol):
    """A domain that knows the protected groups of its rows."""

    def groups(self, attribute: str) -> list[str | None]:
        """(N,) the group that each row is of; None: of none."""
        ...


class ListOfRows:
    """What rows owe that are a list: texts, sequences, anything with an equality."""

    def found(self, summary: Mapping[str, Any]) -> str:
        return showing.found(summary, "row")

    def take(self, rows: Rows, numbers: IndexArray) -> Rows:
        return [rows[number] for number in numbers]

    def joined(self, parts: Sequence[Rows]) -> Rows:
        return [row for part in parts for row in part]

    def asked_about(self, X: Any) -> Rows:
        return list(X)

    def inputs(self, rows: Rows) -> Any:
        return rows

    def data(self, rows: Rows) -> Any:
        return rows

    def nearest(self, rows: Rows, samples: Rows) -> IndexArray | None:  # noqa: ARG002 - of lists nothing is known
        return None

    def shares(self, rows: Rows) -> FloatArray | None:  # noqa: ARG002
        return None

    def made(self, domain: Domain, genomes: IntArray) -> Rows:
        return domain.decode(genomes)


KINDS = Registry("kinds", {"text": ["expga.subjects.text:Text"], "table": ["expga.subjects.table:Table"]})
"""Whoever recognises an input first has it; a table is what nobody else knows."""


def kind_of(X: Any, options: Mapping[str, Any]) -> Kind:
    """The kind of what a user handed over; options of other kinds say that something was misunderstood."""
    kinds: list[Kind] = [kind() for name, kind in KINDS.all() if name != "table"]
    found = next((kind for kind in kinds if kind.recognises(X, options)), None) or kind_named("table")
    for name, value in options.items():
        if value is not None and name not in found.options:
            if not any(name in kind.options for kind in (*kinds, kind_named("table"))):
                raise InputError(f"An audit has no option {name}; leave it out.")
            raise InputError(f"The option {name} has no meaning for {found.called}; leave it out.")
    return found


def kind_named(name: Any) -> Kind:
    """The kind that a summary names."""
    if not isinstance(name, str) or name not in KINDS.names():
        raise InputError(f"summary.json is of a kind that is not known here, {name!r}.")
    kind: Kind = KINDS.named(name)[0]()
    return kind


def saved(settings: Mapping[str, Any]) -> Saved:
    """How the audit with these settings read its rows."""
    return kind_named(settings.get("kind")).saved(settings)


def one_each(count: int) -> IndexArray:
    """(count,) one voice for each."""
    return np.ones(count, dtype=np.intp)
