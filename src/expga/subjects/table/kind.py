"""Tables as a kind of subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypedDict

import numpy as np
import pandas as pd

from expga.contracts import FloatArray, GradientsOf, IndexArray, IntArray, KeyArray, Realism
from expga.domain.folding import Folding, SavedOneHot
from expga.domain.neighbours import nearest_of
from expga.domain.schema import FeatureRule, read_schema
from expga.domain.tabular import TabularDomain
from expga.errors import InputError
from expga.models import gradients_of
from expga.subjects import showing
from expga.subjects.columns import Names
from expga.subjects.fingerprint import fingerprint_of, row_hashes
from expga.subjects.kind import Rows, one_each
from expga.subjects.settings import Settings, typed
from expga.subjects.subject import Subject, Trying
from expga.subjects.table.frames import joined
from expga.subjects.table.sentences import sentence
from expga.subjects.table.subject import table_of, table_subject, unnamed_columns

PUBLISHED_SHARE = 0.1
"""The published share of found pairs in the training rows."""

NEAR = "have a sample that does as near as real rows are to each other"


class TableRules(TypedDict):
    """How rows of a table are read."""

    schema: dict[str, Any]


class TableSettings(Settings):
    """Settings of an audit of a table."""

    rules: TableRules
    as_array: bool
    takes: list[str]
    """The columns that the model takes."""
    one_hot: list[SavedOneHot]
    """Features that stand in several of them."""
    features: list[str]
    covered: list[str]


class SavedTable:
    """A table that was audited, out of what was saved of it."""

    averages_exactly: ClassVar[bool] = True
    no_attribute: ClassVar[str | None] = None
    pairs_grow: ClassVar[bool] = True

    def __init__(self, settings: TableSettings) -> None:
        self.settings = settings
        self._names = Names.of(settings)
        self._folding = Folding.saved(settings["takes"], settings["one_hot"])

    def check(self, findings: pd.DataFrame) -> None:
        """Raises unless the findings have the columns that they must."""
        expected = [*self.settings["features"], *self._names.twins.values(), *self._names.results.values()]
        showing.check(findings, expected, self._names.results, self.settings)

    def results(self) -> Mapping[str, str]:
        """What the columns of results are called."""
        return self._names.results

    def twins(self, findings: pd.DataFrame) -> tuple[Rows, Rows]:
        """The two sides of every pair, each as a frame of what the model takes."""
        first = findings[self.settings["features"]].copy()
        second = first.copy()
        for column, name in self._names.twins.items():
            second[column] = findings[name]
        return self._folding.unfolded(first), self._folding.unfolded(second)

    def asked(self, findings: pd.DataFrame) -> tuple[tuple[Any, Any], tuple[IndexArray, IndexArray]]:
        """What the model was asked about either side of every pair, in one voice each."""
        one, other = (self.inputs(side) for side in self.twins(findings))
        return (one, other), (one_each(len(findings)),) * 2

    def sentence(self, example: Mapping[str, Any]) -> str:
        """One of the examples of a summary in words."""
        return sentence(**example, of=showing.score_of(self.settings, example["labels"]))

    def headline(self, summary: Mapping[str, Any]) -> list[str]:
        """How unfair the model is."""
        population = summary["population"]
        if not population["rows"]:
            return [showing.nothing_known("row")]
        attributes = " and ".join(summary["protected"])
        change = "change" if len(summary["protected"]) > 1 else "changes"
        whom = "real rows"
        if population["sampled"]:
            whom = f"a random sample of {population['rows']:,} of {population['total_rows']:,} real rows"
        else:
            whom = f"{population['rows']:,} real rows"
        lines = [
            showing.rate_of(summary, whom, f"{attributes} {change}"),
            *showing.exposed(summary, "rows", "one or two believable changes", NEAR),
            *showing.each_alone(summary),
        ]
        if population["rows_without_twin"]:
            lines.append(f"Left out, for want of a possible twin: {population['rows_without_twin']:,}.")
        return lines

    def found(self, summary: Mapping[str, Any]) -> str:
        """What the search came to, in a sentence."""
        return showing.found(summary, "row")

    def figures(self, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What there is to say of the findings as a whole."""
        near, typical = summary["plausible_share"], summary.get("typical_share")
        told = [("spread", showing.spread(summary, "rows"))]
        if typical is not None:
            beside = (
                f"{summary['typical_share_of_rows']:.0%} of real rows, {summary['typical_share_of_swaps']:.0%} of rows"
            )
            told.append(("typical", f"{typical:.1%} look like real rows, as do {beside} with one value swapped"))
        elif near is not None:
            told.append(("near", f"{near:.1%} have another real row as near as real rows are"))
        return told

    def rows(self, model: Any, X: Any) -> tuple[Rows, pd.Index[Any]]:
        """What a user hands over, as a frame of the columns that were audited."""
        frame, _ = table_of(model, X, [])
        names, known = [str(column) for column in frame.columns], self.settings["takes"]
        if names != known:
            missing = [name for name in known if name not in names] or [name for name in names if name not in known]
            what = f"{missing[0]!r} is only in one of them" if missing else "they come in another order"
            raise InputError(f"The audit is of other columns than these data: {what}; audit this table first.")
        return frame, frame.index

    def asked_about(self, X: Any) -> Rows:
        """What anybody asks a repaired model about, as a frame of the columns that it takes."""
        names = self.settings["takes"]
        if not isinstance(X, pd.DataFrame):
            array = np.asarray(X)
            if array.ndim != 2 or array.shape[1] != len(names):
                raise InputError(f"The rows have the shape {array.shape}; the model takes {len(names)} columns.")
            return pd.DataFrame(array, columns=names)
        by_name = {str(column): column for column in X.columns}
        if lacking := [name for name in names if name not in by_name]:
            raise InputError(f"The rows lack the column {lacking[0]!r}, which the model takes.")
        return X[[by_name[name] for name in names]]

    def take(self, rows: Rows, numbers: IndexArray) -> Rows:
        """Some rows by their numbers (n,)."""
        return rows.iloc[numbers]

    def joined(self, parts: Sequence[Rows]) -> Rows:
        """Several, in the columns and dtypes of the first."""
        return joined(parts)

    def hashes(self, rows: Rows) -> KeyArray:
        """(n,) of each row's values."""
        return row_hashes(rows)

    def fingerprint(self, rows: Rows) -> str:
        """The same for the same rows in the same order under the same column names."""
        return fingerprint_of(rows)

    def inputs(self, rows: Rows) -> Any:
        """The rows as the model takes them."""
        return rows.to_numpy() if self.settings["as_array"] else rows

    def data(self, rows: Rows) -> Any:
        """The rows as an audit takes them: an array if that is what the user gave, whose columns have no names."""
        return self.inputs(rows) if list(rows.columns) == unnamed_columns(rows.shape[1]) else rows

    def options(self) -> dict[str, Any]:
        """The schema, with all that was inferred from the table spelled out."""
        return {"schema": self.settings["rules"]["schema"]}

    def domain(self, rows: Rows) -> TabularDomain:
        """The rows with their readings; nothing else of the schema than types bounds them."""
        schema = read_schema(self.settings["rules"]["schema"])
        types = {name: FeatureRule(type=rule.type) for name, rule in schema.features.items()}
        unbounded = replace(schema, features=types, unseen=True)
        return TabularDomain(rows, self.settings["protected"], unbounded, "data", self.settings["as_array"])

    def shared(self, rows: Rows) -> tuple[TabularDomain, IntArray]:
        """Rows as genomes (N, d) that have the same readings as those of their twins."""
        domain = self.domain(rows)
        return domain, domain.readings.shared(domain.rows)

    def made(self, domain: Any, genomes: IntArray) -> Rows:
        """Genomes (n, d) as a frame."""
        return domain.taken(genomes)

    def nearest(self, rows: Rows, samples: Rows) -> IndexArray | None:
        """(n,) the number of the row nearest to each sample."""
        domain = self.domain(rows)
        there, here = domain.positions(domain.rows), domain.positions_of(samples.set_axis(domain.folding.takes, axis=1))
        return nearest_of(here, there, categorical=domain.categorical[domain.compared])

    def shares(self, rows: Rows) -> FloatArray | None:
        """(R,) how often each reading is that of a row; None where none is."""
        domain = self.domain(rows)
        reading = domain.nearest_reading(domain.readings)
        counts = np.bincount(reading[reading >= 0], minlength=domain.readings.count)
        return np.asarray(counts / counts.sum()) if counts.sum() else None

    def usual_pairs(self, found: int, rows: int) -> int:  # noqa: ARG002 - as published
        """A share of the rows."""
        return max(1, round(PUBLISHED_SHARE * rows))


class Table:
    """Rows and columns: a frame or an array."""

    name: ClassVar[str] = "table"
    called: ClassVar[str] = "a table"
    options: ClassVar[tuple[str, ...]] = ("schema",)
    rules_are: ClassVar[str] = "schema"
    usual_epsilon: ClassVar[int | None] = None

    def recognises(self, X: Any, options: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """A frame or an array; whatever else it is, a table has a sentence for it."""
        return True

    def subject(
        self,
        model: Any,
        X: Any,
        protected: Sequence[str],
        realism: Realism,
        options: Mapping[str, Any],
        trying: Trying,
    ) -> Subject:
        """The subject that a user's frame or array, schema and model make."""
        return table_subject(model, X, protected, options.get("schema"), realism, trying)

    def gradients(self, model: Any, subject: Subject) -> GradientsOf | None:
        """The model's gradients, gene by gene; of two classes."""
        if len(subject.model.classes) != 2:
            return None
        return gradients_of(model, subject.domain, subject.positive)  # type: ignore[arg-type]  # a table has columns

    def saved(self, settings: Mapping[str, Any]) -> SavedTable:
        """How the audit with these settings read its rows."""
        return SavedTable(typed(settings, TableSettings))
