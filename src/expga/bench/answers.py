"""What an ablation answers: each part of ExpGA with and without, in sentences and tables."""

from __future__ import annotations

from math import inf

import numpy as np

from expga.bench.markdown import NONE, Row, count, number, p_value, seconds, share, table


def compared(told: list[Row]) -> list[str]:
    """A table for each question, with a row for each cell."""
    lines = [
        "Each question compares two arms that differ in one thing. Ratios are of the second arm to the first, "
        "geometric means over the cells: above 1, the first is faster, or asks less.",
        "",
    ]
    for question, recipe, arms in dict.fromkeys((one["question"], one["recipe"], tuple(one["arms"])) for one in told):
        some = [one for one in told if (one["question"], one["recipe"], tuple(one["arms"])) == (question, recipe, arms)]
        lines += [f"### {question} (`{recipe}`: {arms[0]} against {arms[1]})", "", *_arms_table(some, arms)]
    return lines


def _arms_table(some: list[Row], arms: tuple[str, ...]) -> list[str]:
    figures = (
        ("DSS", "seconds_per_finding", seconds),
        ("queries/finding", "queries_per_finding", number),
        ("typical", "typical_share", share),
        ("SUR", "success_rate", share),
        ("plausible", "plausible_share", share),
        ("DSN", "found", count),
        ("bred", "bred", count),
    )
    heads = ["data", "attribute", "model"]
    for head, _, _ in figures:
        heads += [f"{head}, {arms[0]}", arms[1]]
    return table(
        [*heads, "p (DSS)", "Â12"],
        (
            [
                *(one[name] for name in ("data", "attribute", "model")),
                *(write(value) for _, figure, write in figures for value in one[figure]),
                p_value(one.get("p_value")),
                number(one.get("a12")),
            ]
            for one in some
        ),
    )


def answered(told: list[Row]) -> list[str]:
    """One sentence a question."""
    sentences = []
    for question, recipe, arms in dict.fromkeys((one["question"], one["recipe"], tuple(one["arms"])) for one in told):
        some = [one for one in told if (one["question"], one["recipe"], tuple(one["arms"])) == (question, recipe, arms)]
        known = [_endless(one["seconds_per_finding"]) for one in some if any(one["seconds_per_finding"])]
        ahead = sum(first < second for first, second in known)
        sentences.append(
            f"{question} In `{recipe}`, {arms[0]} finds faster than {arms[1]} in {ahead} of {len(known)} cells; DSS "
            f"{_ratio(some, 'seconds_per_finding')} times, queries a finding {_ratio(some, 'queries_per_finding')} "
            f"times as much with {arms[1]}{_typical(some, arms)}."
        )
    return sentences


def _typical(some: list[Row], arms: tuple[str, ...]) -> str:
    """How typical of real rows what both arms bred is, as the end of a sentence: the mean over the cells that know."""
    known = [one["typical_share"] for one in some if None not in one["typical_share"]]
    if not known:
        return ""
    first, second = np.mean(known, axis=0)
    return f"; typical are {share(first)} with {arms[0]} and {share(second)} with {arms[1]}"


def _endless(costs: list[float | None]) -> list[float]:
    """Where nothing was found, a finding costs more than any."""
    return [inf if cost is None else cost for cost in costs]


def _ratio(some: list[Row], figure: str) -> str:
    logs = [np.log(one[figure][1] / one[figure][0]) for one in some if all(one[figure])]
    return number(float(np.exp(np.mean(logs)))) if logs else NONE
