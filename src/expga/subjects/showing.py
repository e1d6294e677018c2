"""What all kinds say alike of an audit, and demand alike of its findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

import pandas as pd

from expga.criterion import Gap
from expga.errors import InputError
from expga.exposure import Exposure
from expga.subjects.columns import LABELS
from expga.subjects.saying import listed, value
from expga.subjects.settings import Settings


def rate_of(summary: Mapping[str, Any], whom: str, changing: str) -> str:
    """The flip rate in a sentence.

    Args:
        summary: of the audit.
        whom: it is a rate of.
        changing: what changes, with its verb.
    """
    population = summary["population"]
    low, high = population["ci95"]
    return (
        f"{population['rate']:.2%} of {whom} get {_another(summary['settings'])} when only {changing} "
        f"(95% interval {low:.2%} to {high:.2%}){_against_noise(population)}."
    )


CALLED = {1: "one", 2: "two"}
"""Numbers of changes that are few, and told one by one."""


def exposed(summary: Mapping[str, Any], rows: str, few: str, reach: str) -> list[str]:
    """How many rows do as those of the flip rate, as they are or after a few changes; follows that sentence.

    Args:
        summary: of the audit.
        rows: what they are.
        few: one change or two.
        reach: what rows do that are within reach of such a sample.
    """
    if (told := summary.get("exposure")) is None:
        return []
    exposure = Exposure.told(told)
    if exposure.within_reach == exposure.as_they_are:
        return [f"How many more {rows} would after a few changes is not known: the search found none."]
    each = [f"{exposure.share(number):.1%} with {called}" for number, called in CALLED.items()]
    looked_at = f"of {exposure.rows:,} looked at, another {listed(each)}"
    first, all_of_it = exposure.after(max(CALLED)), exposure.after()
    if first.at_least > exposure.share(0):
        surely = f"At least {_floor(first.at_least)} do, or would with {few} ({looked_at})"
    else:
        surely = f"How many more would with {few}, what was found does not tell ({looked_at})"
    if all_of_it.flipped > first.flipped:
        surely += f"; at least {_floor(all_of_it.at_least)} do, or {reach}"
    return [f"{surely}. A longer search can only find more."]


def _floor(share: float) -> str:
    """A share that something is at least, which rounding must not raise."""
    return f"{floor(1000 * share) / 1000:.1%}"


def _against_noise(rate: Mapping[str, Any]) -> str:
    """How a flip rate compares with what it would be by noise alone, as the end of a sentence."""
    noise = rate.get("by_noise")
    if noise is None or not rate["flipped"]:
        return ""
    if rate["at_least"] > 0:
        return f", where noise alone would make it {noise['rate']:.2%}: at least {rate['at_least']:.2%} are beyond that"
    high = noise["ci95"][1]
    return f", which is not clearly more than noise alone would make it ({noise['rate']:.2%}, at most {high:.2%})"


def placebo_of(summary: Mapping[str, Any]) -> list[str]:
    """How often rows disagree with themselves, where that was measured."""
    placebo = summary.get("placebo")
    if not placebo or not placebo["rows"]:
        return []
    low, high = placebo["ci95"]
    return [
        f"Asked twice as they are, {placebo['rate']:.2%} of {placebo['rows']:,} get {_another(summary['settings'])} "
        f"(95% interval {low:.2%} to {high:.2%})."
    ]


def found(summary: Mapping[str, Any], row: str) -> str:
    """How many real rows are findings as they are, and how many more samples were bred near real ones, at what price.

    Args:
        summary: of the audit.
        row: what one of them is.
    """
    as_they_are, bred, each = summary["found_as_they_are"], summary["bred"], summary["queries_per_finding"]
    flip = f"{row} that flips as it is" if as_they_are == 1 else f"{row}s that flip as they are"
    samples = "discriminatory sample" if bred == 1 else "discriminatory samples"
    near = " near real ones" if summary["settings"]["realism"] == "data" else ""
    if each is None:
        return f"Found {_number(as_they_are)} real {flip}, and bred no more {samples}{near}."
    price = f"at {each:.1f} queries" + (" each" if bred > 1 else "")
    return f"Found {_number(as_they_are)} real {flip}, and bred {bred:,} more {samples}{near}, {price}."


def _number(count: int) -> str:
    return f"{count:,}" if count else "no"


def unconfirmed(summary: Mapping[str, Any]) -> list[str]:
    """What became of samples that differed at first and not when they were asked about again, if there are any."""
    dropped = summary.get("dropped", 0)
    if not dropped:
        return []
    return [
        f"{dropped:,} more differed at first and not each time that they were asked about again; of such, noise alone "
        f"would leave about {summary['left_by_noise']:,.0f} among those found, at most."
    ]


def varies(summary: Mapping[str, Any]) -> bool:
    """Whether the model was seen to answer the same question in two ways."""
    return bool(summary.get("placebo", {}).get("moved", 0))


def varying(summary: Mapping[str, Any]) -> str:
    """What else to say of pairs that do not hold, if the model was seen not to always answer alike."""
    if not varies(summary):
        return ""
    return (
        f" The model did not always answer alike when it was audited: {summary['placebo']['rate']:.2%} of the rows "
        "that it was asked about twice disagreed with "
        "themselves, so that a pair may fail to hold by noise alone, though it held each time it was asked about then."
    )


def _another(settings: Mapping[str, Any]) -> str:
    """What a row gets that is treated differently."""
    criterion, positive = settings["criterion"], settings["positive"]
    if not settings.get("scored", True):
        return "another label"
    what = criterion["what"] if settings["classes"] else "prediction"
    if criterion["name"] != Gap.name:
        return f"another {what}"
    of = "" if positive is None else f" for {value(positive)}"
    return f"a {what}{of} that differs by at least {criterion['arguments']['min_gap']:,.10g}"


def score_of(settings: Mapping[str, Any], labels: Sequence[Any] | None) -> Any:
    """The label that the scores of an example are given for: the positive one, or that of its first twin.

    Args:
        settings: of the audit.
        labels: of both twins; None: the model predicts numbers.
    """
    return settings["positive"] if settings["positive"] is not None or labels is None else labels[0]


def nothing_known(row: str) -> str:
    """What to say where no row could be asked about under two readings."""
    return f"Nothing is known of the real {row}s: no {row} that was asked about has two readings that are possible."


def each_alone(summary: Mapping[str, Any]) -> list[str]:
    """The flip rate of each attribute alone, where there are several."""
    told = []
    for name, rate in summary["by_attribute"].items():
        low, high = rate["ci95"]
        known = f"{rate['rate']:.2%} ({low:.2%} to {high:.2%})" if rate["rows"] else "nothing known"
        told.append(f"{name} alone: {known}{_against_noise(rate)}")
    return told if len(told) > 1 else []


def spread(summary: Mapping[str, Any], rows: str) -> str:
    """Near how many real rows the findings lie."""
    near, most = summary["distinct_anchors"], summary["largest_anchor_share"]
    return f"near {near:,} real {rows}, none with more than {most:.1%} of them"


def check(findings: pd.DataFrame, expected: Sequence[str], results: Mapping[str, str], settings: Settings) -> None:
    """Raises unless the findings are of the shape that their settings speak of.

    Args:
        findings: as they were read.
        expected: columns.
        results: what those of results are called.
        settings: of the audit.
    """
    names = [str(column) for column in findings.columns]
    if wrong := next((name for name in expected if names.count(name) != 1), None):
        raise InputError(f"findings.parquet has {names.count(wrong)} columns {wrong!r}, not one; audit again.")
    labels = [results[name] for name in LABELS if name in results]
    numbers = [name for result, name in results.items() if name not in labels and result != "anchor"]
    if other := next((name for name in numbers if findings[name].dtype.kind != "f"), None):
        raise InputError(f"the column {other!r} of findings.parquet does not hold numbers; audit again.")
    anchor = findings[results["anchor"]]
    if settings["numbered"] and anchor.dtype.kind != "i":
        raise InputError(f"the column {anchor.name!r} of findings.parquet does not hold numbers of rows; audit again.")
    said = {str(value) for name in labels for value in findings[name].unique()}
    if not said <= set(map(str, settings["classes"])):
        raise InputError("findings.parquet has labels that the model does not know; audit again.")
