"""What a repair came to: the new model, the evidence, sentences about it, and files that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import expga
from expga.contracts import TIE
from expga.models.save import NAMES, SavedModel
from expga.plain import as_json
from expga.repair.case import Case
from expga.repair.repairs import Repair
from expga.store import Shelf

KIND = "repair"
FILES = (*NAMES, "retrain.json")

WORSE = 0.01
"""By how much a difference between groups may grow before it is worth a word."""


@dataclass(frozen=True, slots=True)
class Retrained:
    """The result of a repair.

    Attributes:
        model: the new model.
        summary: every number of `retrain.json`.
    """

    model: Any
    summary: dict[str, Any]

    def table(self) -> pd.DataFrame:
        """Figures by way to repair: "before", then each; means over the repeats."""
        return pd.DataFrame(
            {"before": _means(self.summary["before"])}
            | {name: _means(told["after"]) for name, told in self.summary["repairs"].items() if "after" in told}
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """What the repair that was asked for did, and what there is to beware of, in words."""
        return [*self.summary["sentences"], *self.summary["notes"]]

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Writes the model, as .skops where that can hold it, else .joblib, and `retrain.json`; returns the folder.

        Args:
            folder: made if it is not there.
            overwrite: whether a repair that is there may be replaced. Nothing else ever is.
        """
        shelf = Shelf.open(Path(folder), FILES, KIND, overwrite=overwrite)
        try:
            shelf.publish(self.files(SavedModel.of(self.model)), {})
        finally:
            shelf.leave()
        return Path(folder)

    def files(self, saved: SavedModel) -> dict[str, bytes]:
        """The content of each file of a repair, the one that readers look for last."""
        told = {**self.summary, "model": {"file": saved.name, "trust": saved.trust}}
        return {saved.name: saved.content, "retrain.json": as_json(told, indent=2)}


def summarise(
    case: Case, options: dict[str, Any], repairs: Mapping[str, Repair], runs: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Every number of a repair, over its repeats."""
    before = over([flat(run["before"]) for run in runs])
    measured: dict[str, Any] = {}
    for name in options["repairs"]:
        told = [run["repairs"][name] for run in runs]
        failed = next((one["failed"] for one in told if "failed" in one), None)
        if failed is not None:
            measured[name] = {"failed": failed}
            continue
        after = over([flat(one) for one in told])
        changes = over([_change(flat(run["before"]), flat(run["repairs"][name])) for run in runs])
        measured[name] = {
            "after": after,
            "change": changes,
            "pairs": int(np.median([one["pairs"] for one in told])),
            "rows_added": int(np.median([one["rows_added"] for one in told])),
            "seconds": float(np.mean([one["seconds"] for one in told])),
            "exact": repairs[name].exact and case.reader.subject.averages_exactly,
        }
    chosen = options["repair"]
    rounds = [run["repairs"][chosen]["rounds"] for run in runs]
    curve = [
        over([flat(one[number]) for one in rounds if number < len(one)]) for number in range(max(map(len, rounds)))
    ]
    return {
        "expga": expga.__version__,
        **options,
        "strategy": case.pairs.audit.summary["strategy"],
        "protected": case.reader.protected,
        "kind": case.reader.settings["kind"],
        "findings": len(case.pairs),
        "train_rows": runs[0]["train"],
        "test_rows": runs[0]["test"],
        "test_rows_given": case.given < len(case.truth),
        "repairing": runs[0]["repairing"],
        "held_out": runs[0]["held_out"],
        "before": before,
        "repairs": measured,
        "curve": curve,
        "sentences": [
            told_in_words(chosen, before, measured[chosen]),
            *_warnings(options, before, measured),
        ],
        "notes": list(case.notes),
        "runs": list(runs),
    }


def flat(evidence: Mapping[str, Any]) -> dict[str, float | None]:
    """The figures of one model that are compared, by name."""
    figures: dict[str, float | None] = {name: evidence[name] for name in ("accuracy", "balanced_accuracy", "auc")}
    figures |= {name: evidence[name]["rate"] for name in ("held_out", "flips_train", "flips_test", "placebo")}
    for strategy, found in evidence["searches"].items():
        for name in ("findings_per_query", "success_rate", "found", "seconds_per_finding", "queries_per_finding"):
            figures[f"{strategy}.{name}"] = found[name]
    for attribute, group in evidence["groups"].items():
        figures |= {f"{attribute}.{name}": value for name, value in group.items()}
    return figures


FALLS = ("held_out", "flips_train", "flips_test", "findings_per_query", "success_rate")
"""Figures whose change is told as a share of what they were; of the others it is the difference."""


def _change(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> dict[str, float | None]:
    changes: dict[str, float | None] = {}
    for name, old in before.items():
        new = after.get(name)
        if old is None or new is None:
            changes[name] = None
        elif name.rpartition(".")[2] in FALLS:
            changes[name] = (new - old) / old if old else (0.0 if new == old else None)
        else:
            changes[name] = new - old
    return changes


def over(runs: Sequence[Mapping[str, float | None]]) -> dict[str, dict[str, Any]]:
    """By figure its mean over repeats, with a 95% interval where there are several (Student's t)."""
    from scipy.stats import t

    told: dict[str, dict[str, Any]] = {}
    for name in runs[0]:
        values = [value for run in runs if (value := run.get(name)) is not None]
        mean = float(np.mean(values)) if values else None
        interval = None
        if len(values) > 1:
            reach = float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values)))
            interval = [float(np.mean(values)) - reach, float(np.mean(values)) + reach]
        told[name] = {"mean": mean, "ci95": interval, "of": len(values)}
    return told


def told_in_words(name: str, before: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    """One sentence on what a repair did."""
    after = told["after"]

    def went(name: str, digits: int = 1) -> str:
        return f"{_percent(before[name]['mean'], digits)} to {_percent(after[name]['mean'], digits)}"

    noise = ""
    if any(figures["placebo"]["mean"] for figures in (before, after)):
        noise = (
            f" Of the test rows asked twice, the share that disagree with themselves went from {went('placebo', 2)}."
        )
    return (
        f"Repaired by {name}: accuracy on the test rows went from {went('accuracy')}, the share of them that flip from "
        f"{went('flips_test', 2)}, and of the findings kept aside {_percent(after['held_out']['mean'])} still flip "
        f"({_percent(before['held_out']['mean'])} before).{noise}"
    )


def beware(name: str, before: Mapping[str, Any], told: Mapping[str, Any], max_loss: float) -> list[str]:
    """What there is to beware of in a repair, in words."""
    after, words = told["after"], []
    if _more(before["flips_test"]["mean"], after["flips_test"]["mean"]):
        words.append(
            f"{name} made real people worse off: {_percent(before['flips_test']['mean'], 2)} of the test rows flipped "
            f"before, {_percent(after['flips_test']['mean'], 2)} do now."
        )
    loss = before["accuracy"]["mean"] - after["accuracy"]["mean"]
    if loss > max_loss + TIE:
        words.append(f"{name} costs {100 * loss:.1f} points of accuracy, more than the {100 * max_loss:g} allowed.")
    return words


def at_expense_of_groups(repair: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Differences between groups that a repair of individuals made larger, in words."""
    words = []
    for name, old in before.items():
        attribute, _, kind = name.rpartition(".")
        new = after.get(name, {}).get("mean")
        if kind.endswith("_difference") and new is not None and new - old["mean"] > WORSE:
            what = kind.replace("_", " ")
            words.append(
                f"{repair} repairs individuals at the expense of groups: the {what} of {attribute} grew from "
                f"{old['mean']:.3f} to {new:.3f}."
            )
    return words


def _warnings(options: Mapping[str, Any], before: Mapping[str, Any], repairs: Mapping[str, Any]) -> list[str]:
    words = []
    for name, told in repairs.items():
        words += [f"{name} was not measured: {told['failed']}"] if "failed" in told else []
        words += beware(name, before, told, options["max_loss"]) if "after" in told else []
    words += at_expense_of_groups(options["repair"], before, repairs[options["repair"]]["after"])
    if exact := [name for name, told in repairs.items() if told.get("exact") and not told["after"]["placebo"]["mean"]]:
        words.append(
            f"{' and '.join(exact)} pass{'es' if len(exact) == 1 else ''} every flip test by construction; other "
            "columns can still stand in for the attribute, which only the differences between groups show."
        )
    return words


def _more(before: float | None, after: float | None) -> bool:
    return before is not None and after is not None and after > before


def _percent(value: float | None, digits: int = 1) -> str:
    return "nothing measured" if value is None else f"{100 * value:.{digits}f}%"


def _means(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {name: told["mean"] for name, told in figures.items()}
