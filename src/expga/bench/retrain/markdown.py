"""Markdown tables of repairs; each takes what `results.json` has and returns lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from expga.bench.markdown import NONE, number, seconds, share, table
from expga.bench.paper import ELSEWHERE

Row = dict[str, Any]
PLACE = ("data", "attribute", "model")
PAPERS_REPAIR = "findings"
GROUPS = {"demographic_parity_difference": "parity diff", "equalized_odds_difference": "odds diff"}

Write = Callable[[dict[str, Any] | None], str]
"""Of a figure with its interval."""


def table_nine(rows: list[Row]) -> list[str]:
    """Table 9, by the published repair and by ours, with the paper's own numbers below in italics."""
    heads = (
        "data | attribute | model | repair | added | accuracy before | after | findings that flip before | after | "
        "DSS before | after | times | SUR before | after | fall"
    )
    lines = []
    for row in rows:
        both = dict.fromkeys((PAPERS_REPAIR, row["repair"]))
        repairs = {name: row["repairs"].get(name, {}).get("paper") for name in both}
        lines += [[*place(row), name, *_nine(told)] for name, told in repairs.items() if told is not None]
        if (paper := row["published"]) is not None:
            figures = _nine({**paper, "still": [1.0, paper["still"]]})
            lines.append(["", "", "", f"*{ELSEWHERE}*", *(f"*{figure}*" for figure in figures)])
    return table([head.strip() for head in heads.split("|")], lines)


def place(row: Row) -> list[str]:
    return [row[name] for name in PLACE]


def _nine(told: dict[str, Any]) -> list[str]:
    dss, sur = told["seconds_per_finding"], told["success_rate"]
    return [
        share(told["added"]),
        *(share(value) for value in (*told["accuracy"], *told["still"])),
        *("nothing found" if value is None else seconds(value) for value in dss),
        number(dss[1] / dss[0]) if all(dss) else NONE,
        *(share(value) for value in sur),
        share(1 - sur[1] / sur[0]) if sur[0] and sur[1] is not None else NONE,
    ]


def side_by_side(row: Row) -> list[str]:
    """Every repair of a cell below the model as it was."""
    columns = list(_columns(row))
    measured = {"before": row["before"]} | {
        name: made["after"] | {f"change.{name}": told for name, told in made["change"].items()}
        for name, made in row["repairs"].items()
        if "after" in made
    }
    lines = [
        [name, *(write(figures.get(figure)) for _, figure, write in columns)] for name, figures in measured.items()
    ]
    return table(["repair", *(head for head, _, _ in columns)], lines)


def _columns(row: Row) -> Iterator[tuple[str, str, Write]]:
    yield "accuracy", "accuracy", _percent(1)
    yield "change, pt", "change.accuracy", _plain(1, 100)
    yield "balanced", "balanced_accuracy", _percent(1)
    yield "AUC", "auc", _plain(3)
    yield "held-out flip", "held_out", _percent(1)
    yield "train rows flip", "flips_train", _percent(2)
    yield "test rows flip", "flips_test", _percent(2)
    yield "change, pt", "change.flips_test", _plain(2, 100)
    for name in row["before"]:
        who, _, kind = name.rpartition(".")
        if kind == "findings_per_query":
            yield f"{who} / 1,000", name, _plain(1, 1_000)
    for name in row["before"]:
        if (kind := name.rpartition(".")[2]) in GROUPS:
            yield GROUPS[kind], name, _plain(3)
    yield "pairs", "pairs", _plain(0)
    yield "rows added", "rows_added", _plain(0)
    yield "seconds", "seconds", _plain(1)


def _percent(digits: int) -> Write:
    return lambda told: _with_reach(told, digits, 100.0, "%")


def _plain(digits: int, times: float = 1.0) -> Write:
    return lambda told: _with_reach(told, digits, times, "")


def _with_reach(told: dict[str, Any] | None, digits: int, times: float, sign: str) -> str:
    """A mean, and how far its 95% interval reaches to either side."""
    if told is None or told["mean"] is None:
        return NONE
    text = f"{times * told['mean']:,.{digits}f}{sign}"
    if told["ci95"] is None:
        return text
    reach = times * (told["ci95"][1] - told["mean"])
    return text if f"{reach:.{digits}f}" == f"{0:.{digits}f}" else f"{text} ± {reach:,.{digits}f}"


def span(values: Sequence[float | None], form: str, sign: str = "") -> str:
    """From the least to the most of shares, in hundredths."""
    known = [100 * value for value in values if value is not None]
    ends = dict.fromkeys(f"{end:{form}}{sign}" for end in (min(known), max(known))) if known else (NONE,)
    return " to ".join(ends)


def worse_table(worse: Sequence[dict[str, Any]]) -> list[str]:
    """Where a repair did harm."""
    return table(
        [*PLACE, "repair", "what grew", "before", "after", "in runs"],
        (
            [
                *place(one),
                *(one[name] for name in ("repair", "what")),
                *(f"{100 * one[name]:.2f}%" for name in ("before", "after")),
                f"{one['runs']} of {one['of']}",
            ]
            for one in worse
        ),
    )
