"""What a repair should reach, cell by cell and on average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from expga.bench.plan import OUR_REPAIR

LOSS, LOSS_BY_DATA, TEXT_LOSS = 0.01, {"credit": 0.02}, 0.015
"""Of test accuracy: at most."""
STILL, TEXT_STILL = 0.05, 0.10
"""Of findings that took no part in a repair, those that may still flip."""
ROWS_FALL = 0.65
SEARCH_FALL, SEARCH_FALL_AVERAGE = 0.60, 0.70
"""By how much flips of test rows, and findings a query, fall at least."""
EXACT_LOSS = 0.005
"""Of test accuracy, for the mean over all protected values."""
LEAST_RATIO = 0.01
"""A fall beyond 99% counts as one of 99% in averages, so that a search that found nothing does not decide alone."""
NOISE = 1e-9

Unit = Literal["points", "share", "fall"]


@dataclass(frozen=True, slots=True)
class Target:
    """A figure and what it should be."""

    name: str
    way: str
    unit: Unit
    value: float | None
    """None where it was not measured, or there was nothing to fall."""
    limit: float

    @property
    def met(self) -> bool | None:
        """Whether a fall is large enough, or anything else small enough."""
        if self.value is None:
            return None
        over = self.value - self.limit
        return over >= -NOISE if self.unit == "fall" else over <= NOISE


def targets_of(row: Mapping[str, Any]) -> list[Target]:
    """What the repairs of a cell should reach; nothing for those that were not measured.

    On texts accuracy and held-out findings have targets; the rest is measured there, and shown, all the same.
    """
    told = []
    before, ways = row["before"], {way: made["after"] for way, made in row["ways"].items() if "after" in made}
    if (after := ways.get(OUR_REPAIR)) is not None:
        still = TEXT_STILL if row["texts"] else STILL
        told += [
            Target("accuracy lost", OUR_REPAIR, "points", loss(before, after), _loss_allowed(row)),
            Target("held-out findings that flip", OUR_REPAIR, "share", after["held_out"]["mean"], still),
        ]
        if row["texts"]:
            return told
        told.append(
            Target("fall of test rows that flip", OUR_REPAIR, "fall", fall(before, after, "flips_test"), ROWS_FALL)
        )
        told += [
            Target(f"fall of what {who} finds", OUR_REPAIR, "fall", fall(before, after, figure), SEARCH_FALL)
            for who, figure in searches(before)
        ]
    if not row["texts"] and (after := ways.get("average")) is not None:
        told.append(Target("anything that flips", "average", "share", _any_flips(after), 0.0))
        told.append(Target("accuracy lost", "average", "points", loss(before, after), EXACT_LOSS))
    return told


def averages(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """By search, the fall of findings a query on geometric average over the tables' cells."""
    ratios: dict[str, list[float]] = {}
    for row in (row for row in rows if not row["texts"]):
        after = row["ways"].get(OUR_REPAIR, {}).get("after")
        for who, figure in searches(row["before"]) if after is not None else ():
            fell = fall(row["before"], after, figure)
            if fell is not None:
                ratios.setdefault(who, []).append(max(LEAST_RATIO, 1 - fell))
    falls = {who: 1 - float(np.exp(np.mean(np.log(some)))) for who, some in ratios.items()}
    return [
        Target(f"fall of what {who} finds", OUR_REPAIR, "fall", fell, SEARCH_FALL_AVERAGE)
        for who, fell in falls.items()
    ]


def searches(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The strategies that searched, and the name of their figure."""
    parts = [(name.rpartition("."), name) for name in figures]
    return [(who, name) for (who, _, kind), name in parts if kind == "findings_per_query"]


def loss(before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    """Of accuracy."""
    return float(before["accuracy"]["mean"] - after["accuracy"]["mean"])


def fall(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> float | None:
    """As a share of what a figure was; None where it was nothing."""
    old, new = before[name]["mean"], after[name]["mean"]
    return 1 - new / old if old and new is not None else None


def _loss_allowed(row: Mapping[str, Any]) -> float:
    return TEXT_LOSS if row["texts"] else LOSS_BY_DATA.get(row["data"], LOSS)


def _any_flips(after: Mapping[str, Any]) -> float:
    """The largest share of anything that flips: rows, findings kept aside, samples of fresh searches."""
    names = ("flips_train", "flips_test", "held_out")
    shares = [told["mean"] for name, told in after.items() if name in names or name.endswith(".success_rate")]
    return float(max(share for share in shares if share is not None))
