"""People in a table, and a rule that judges them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, Domain, FloatArray, IndexArray, IntArray, Realism
from expga.results import Audit
from expga.testing.specimen import Ending, Specimen, Variation

YOUNGEST, OLDEST = 25, 60
SCHEMA = {"features": {"age": {"min": YOUNGEST, "max": OLDEST}, "town": {"immutable": True}}}
PEOPLE = 150
FREE = ["age", "job", "hours", "debt"]
"""The columns that a search may change."""


def people() -> pd.DataFrame:
    """(150, 6) mixed columns; some ages lie outside the schema's bounds."""
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "sex": rng.choice(["Female", "Male"], PEOPLE),
            "age": rng.integers(20, 66, PEOPLE),
            "job": rng.choice(["clerk", "cook", "nurse"], PEOPLE),
            "town": rng.choice(["east", "north", "west"], PEOPLE),
            "hours": np.round(rng.normal(40, 8, PEOPLE), 1),
            "debt": np.where(rng.random(PEOPLE) < 0.2, np.nan, rng.integers(0, 30, PEOPLE)),
        }
    )


def biased(frame: pd.DataFrame) -> FloatArray:
    """A rule for which a man is worth as much as five years more."""
    # On arrays: with a call for every sample, arithmetic on columns is most of the time.
    sex, age, job, hours = (frame[name].to_numpy() for name in ("sex", "age", "job", "hours"))
    worth = age + 5 * (sex == "Male") + (hours - 40) / 4 - 2 * (job == "cook")
    return np.asarray(1 / (1 + np.exp(-(worth - 42) / 6)))


def fair(frame: pd.DataFrame) -> FloatArray:
    """A rule that looks at anything but sex."""
    return np.asarray(1 / (1 + np.exp(-(frame["age"].to_numpy() + frame["hours"].to_numpy() - 82) / 6)))


def gradients(frame: Any) -> FloatArray:
    """(n, columns) as if a rule rose evenly with every number."""
    dtypes = frame.dtypes if isinstance(frame, pd.DataFrame) else [frame.dtype] * frame.shape[1]
    rises = [pd.api.types.is_numeric_dtype(dtype) for dtype in dtypes]
    return np.tile(np.array(rises, dtype=np.float64), (len(frame), 1))


def tables() -> Specimen:
    """150 people of six columns, for audits of what sex decides."""
    everyone = people()
    coarse = everyone.assign(hours=np.round(everyone["hours"] / 8) * 8, debt=np.round(everyone["debt"] / 10) * 10)
    return _specimen(everyone, SCHEMA, _specimen(coarse, _listed(), None))


def _listed() -> dict[str, Any]:
    """The schema, with no other hours and debts than there are: some ten thousand samples in all."""
    return {"features": {**SCHEMA["features"], "hours": {"type": "categorical"}, "debt": {"type": "categorical"}}}


def _specimen(frame: pd.DataFrame, schema: dict[str, Any], small: Specimen | None) -> Specimen:
    types = {name: {"type": rule["type"]} for name, rule in schema["features"].items() if "type" in rule}
    one = {"protected": {"sex": {"values": ["Female", "Male"]}}, "features": types, "unseen": True}
    return _People(
        kind="table",
        rows=frame,
        protected=["sex"],
        biased=biased,
        fair=fair,
        options={"schema": schema},
        gradients=gradients,
        small=small,
        crossed=Variation(options={"protected": ["sex", "job"]}),
        dear=(
            Variation(options={"explainer": "lime"}),
            Variation(options={"protected": ["sex", "job", "age"], "schema": {"features": types}}),
        ),
        alone=Variation(rows=frame.head(1), options={"schema": one}),
        twinless=Variation(options={"schema": {"forbid": [{"sex": "Female"}], "features": types}}),
    )


@dataclass(frozen=True, kw_only=True)
class _People(Specimen):
    def endings(self, realism: Realism) -> Sequence[Ending]:  # noqa: ARG002 - the same in both
        fixed = {"features": {column: {"immutable": True} for column in self.rows if column != "sex"}}
        distinct = len(self.rows.drop(columns="sex").drop_duplicates())
        tiny = pd.DataFrame({"sex": ["F", "M"] * 4, "a": [0, 0, 0, 0, 1, 1, 1, 1], "b": [0, 0, 1, 1, 0, 0, 1, 1]})

        def sum_and_sex(frame: pd.DataFrame) -> FloatArray:
            return np.asarray(frame["a"] + frame["b"] + (frame["sex"] == "M") > 1, dtype=np.float64)

        return (
            Ending(
                rows=tiny, options={"schema": None, "explainer": None}, biased=sum_and_sex, tested=(4, 4), found=(2, 2)
            ),
            Ending(
                options={"schema": fixed, "explainer": None},
                tested=(distinct, distinct),
                found=(1, distinct),
                fixed=True,
            ),
        )

    def check_twins(self, audit: Audit) -> None:
        protected = audit.summary["protected"]
        one, other = audit.twins()
        assert (one[protected] != other[protected]).any(axis=1).all()
        pd.testing.assert_frame_equal(one.drop(columns=protected), other.drop(columns=protected))
        assert not one.drop(columns=protected).duplicated().any()

    def check_findings(self, audit: Audit) -> None:
        found = audit.findings
        real = self.rows.loc[found["anchor"]].reset_index(drop=True)
        assert found["age"].between(YOUNGEST, OLDEST).all()
        assert found["town"].tolist() == real["town"].tolist()
        one = audit.twins()[0]
        same = ((one == real) | (one.isna() & real.isna())).drop(columns="sex").all(axis=1)
        assert (found["distance"] == 0).tolist() == same.tolist()

    def check_proposed(self, domain: Any, genomes: IntArray, anchor: IndexArray) -> None:
        frame = domain.decode(genomes)
        assert frame["age"].between(YOUNGEST, OLDEST).all()
        real = self.rows.iloc[anchor]
        assert frame["town"].tolist() == real["town"].tolist()
        assert frame["sex"].tolist() == real["sex"].tolist()
        assert len(domain.anchors) < len(self.rows), "some ages lie outside the bounds"

    def strange(self, audit: Audit) -> BoolArray:
        real = np.column_stack([audit.findings[column].isin(self.rows[column]) for column in FREE])
        return np.asarray(~real.all(axis=1))

    def reach(self, domain: Domain) -> float:
        return float(domain.reach)  # type: ignore[attr-defined]  # a table's domain has one in any case
