"""Markdown tables of a bench's results; each takes what `results.json` has and returns lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from expga.bench.paper import ELSEWHERE

Row = dict[str, Any]
NONE = "–"
MODEL_TABLES = {"mlp": "Table 3", "forest": "Table 4", "svm": "Table 5"}


def count(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    return NONE if value is None else f"{value:.1%}"


def number(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(value: float | None) -> str:
    """Seconds, or thousandths of them where they are few."""
    if value is None:
        return NONE
    return f"{number(value)} s" if value >= 0.01 else f"{number(value * 1000)} ms"


def p_value(value: float | None) -> str:
    if value is None:
        return NONE
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table, the columns of words to the left and those of numbers to the right."""
    body = [list(row) for row in rows]
    if not body:
        return []
    right = [all(_numeric(row[place]) for row in body) for place in range(len(heads))]
    rule = ["--:" if numeric else "---" for numeric in right]
    return [f"| {' | '.join(line)} |" for line in ([*heads], rule, *body)] + [""]


def _numeric(text: str) -> bool:
    plain = text.strip("*_").lstrip("<-")
    return plain in ("", NONE) or plain[0].isdigit()


def best(values: Sequence[float | None], more: bool) -> float | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    return max(known) if more else min(known)


def paper_table(rows: list[Row]) -> list[str]:
    """Rows of one model as the paper has them: TSN, DSN, DSS, SUR by method, its own numbers below in italics."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    heads = ["data", "attribute", ""]
    for method in methods:
        heads += [f"{method} TSN", "DSN", "DSS", "SUR"]
    lines = []
    for pair in dict.fromkeys((row["data"], row["attribute"]) for row in rows):
        by_method = {row["method"]: row for row in rows if (row["data"], row["attribute"]) == pair}
        fastest = best([row["seconds_per_finding"] for row in by_method.values()], more=False)
        surest = best([row["success_rate"] for row in by_method.values()], more=True)
        ours, theirs = [*pair, "here"], ["", "", f"*{ELSEWHERE}*"]
        for method in methods:
            row = by_method.get(method)
            ours += _four(row, fastest, surest)
            theirs += _published_four(None if row is None else row["published"])
        lines += [ours] if all(cell == NONE for cell in theirs[3:]) else [ours, theirs]
    return table(heads, lines)


def _four(row: Row | None, fastest: float | None, surest: float | None) -> list[str]:
    if row is None:
        return [NONE] * 4
    dss, sur = row["seconds_per_finding"], row["success_rate"]
    return [
        count(row["tested"]),
        count(row["found"]),
        _bold(seconds(dss), dss is not None and dss == fastest),
        _bold(share(sur), sur is not None and sur == surest),
    ]


def _bold(text: str, bold: bool) -> str:
    return f"**{text}**" if bold else text


def _published_four(told: Row | None) -> list[str]:
    if told is None:
        return [NONE] * 4
    figures = (
        count(told["tested"]),
        count(told["found"]),
        seconds(told["seconds_per_finding"]),
        share(told["success_rate"]),
    )
    return [f"*{figure}*" for figure in figures]


Column = tuple[str, str, Callable[[float | None], str]]
"""Head, figure, and how it is written."""

MORE: tuple[Column, ...] = (
    ("queries/finding", "queries_per_finding", number),
    ("all in", "queries_all_in", number),
    ("in model", "model_share", share),
    ("typical", "typical_share", share),
    ("plausible", "plausible_share", share),
    ("AUC", "realism_auc", number),
    ("clones", "clone_share", share),
    ("distance", "mean_distance", number),
    ("grid", "grid_share", share),
)
LITERATURE: tuple[Column, ...] = (
    ("TSN, literature's counting", "literature_tested", count),
    ("DSN, literature's counting", "literature_found", count),
)
OURS: tuple[Column, ...] = (
    ("flip rate", "population_rate", share),
    ("TSN", "tested", count),
    ("DSN", "found", count),
    ("bred", "bred", count),
    ("counted", "counted", count),
    ("DSS", "seconds_per_finding", seconds),
    ("SUR", "success_rate", share),
    *MORE,
    ("anchors", "anchors", count),
    ("top anchor", "largest_anchor_share", share),
)


def long_table(rows: list[Row], columns: Sequence[Column]) -> list[str]:
    """One cell a row, with many figures."""
    heads = ["data", "attribute", "model", "method", *(head for head, _, _ in columns)]
    return table(
        heads,
        ([*(row[name] for name in ("data", "attribute", "model", "method")), *_written(row, columns)] for row in rows),
    )


def _written(row: Row, columns: Sequence[Column]) -> list[str]:
    return [write(row[figure]) for _, figure, write in columns]


def text_table(rows: list[Row]) -> list[str]:
    """The paper's tables 6 to 8, with its own numbers beside each of ours."""
    heads = (
        "data attribute model method | flip rate | TSN | published | DSN | published | counted | DSS | published "
        "| times faster | DSS, counted | SUR | published | queries/finding | in model | texts | of | top text | "
        "words changed | clones"
    )
    first, *others = (head.strip() for head in heads.split("|"))
    lines = []
    for row in rows:
        paper = row["published"] or {}
        lines.append(
            [
                *(row[name] for name in ("data", "attribute", "model", "method")),
                share(row["population_rate"]),
                count(row["tested"]),
                _italic(count(paper.get("tested"))),
                count(row["found"]),
                _italic(count(paper.get("found"))),
                count(row["counted"]),
                seconds(row["seconds_per_finding"]),
                _italic(seconds(paper.get("seconds_per_finding"))),
                number(row["times_faster"]),
                seconds(row["seconds_per_counted"]),
                share(row["success_rate"]),
                _italic(share(paper.get("success_rate"))),
                number(row["queries_per_finding"]),
                share(row["model_share"]),
                count(row["anchors"]),
                count(row["texts"]),
                share(row["largest_anchor_share"]),
                share(row["share_changed"]),
                share(row["clone_share"]),
            ]
        )
    return table([*first.split(), *others], lines)


def _italic(text: str) -> str:
    return text if text == NONE else f"*{text}*"


def statistics_table(places: list[Row]) -> list[str]:
    """ExpGA against each other method by DSS."""
    heads = ["table", "data", "attribute", "model", "ExpGA", "method"]
    return table(
        [*heads, "DSS of ExpGA", "DSS", "p", "Â12"],
        (
            [
                *(place[name] for name in ("experiment", "data", "attribute", "model")),
                against["leader"],
                against["method"],
                seconds(against["leader_dss"]),
                seconds(against["dss"]),
                p_value(against.get("p_value")),
                number(against.get("a12")),
            ]
            for place in places
            for against in place["against"]
        ),
    )


def equal_table(places: list[Row], manner: str) -> list[str]:
    """Findings of every method at the same time and at the same queries, as "by time / by queries"."""
    some = [place for place in places if manner in place["equal"]]
    methods = list(dict.fromkeys(name for place in some for name in place["equal"][manner]["found_by_time"]))
    lines = []
    for place in some:
        read = place["equal"][manner]
        both = ((read["found_by_time"].get(name), read["found_by_queries"].get(name)) for name in methods)
        lines.append(
            [
                *(place[name] for name in ("experiment", "data", "attribute", "model")),
                seconds(read["seconds"]),
                count(read["queries"]),
                *(NONE if one is None else f"{count(one)} / {count(other)}" for one, other in both),
            ]
        )
    return table(["table", "data", "attribute", "model", "time", "queries", *methods], lines)
