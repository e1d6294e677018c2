"""The results page: what was run, who is ahead, every table and picture, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from math import comb
from typing import TYPE_CHECKING, Any

from expga.bench import pictures
from expga.bench.answers import answered, compared
from expga.bench.experiments import EXPERIMENTS
from expga.bench.markdown import (
    LITERATURE,
    MODEL_TABLES,
    MORE,
    OURS,
    count,
    equal_table,
    long_table,
    number,
    paper_table,
    seconds,
    share,
    statistics_table,
    table,
    text_table,
)
from expga.bench.outcome import files_of, names_of
from expga.bench.paper import ELSEWHERE, SOURCE
from expga.bench.pictures import Picture
from expga.bench.plan import Cell
from expga.bench.summary import Results, gather

if TYPE_CHECKING:
    from expga.bench.workplace import Workplace

SURE = 0.05
AROUND = 120
"""Letters of a text that are shown on either side of a word."""
WRITTEN = {"DSS": seconds, "queries a finding": number, "SUR": share, "DSN": count}


def names(cells: Sequence[Cell]) -> list[str]:
    """Of all files that `present` may write for a plan."""
    return names_of(pictures.names(cells))


def present(place: Workplace) -> Results:
    """Sums up a bench, draws its pictures and writes its page, and publishes all of it."""
    results = gather(place)
    drawn = pictures.draw(results, place.positions)
    place.publish(files_of(results, page(results, list(drawn)), drawn))
    return results


def page(results: Results, drawn: Sequence[Picture]) -> str:
    """The page as Markdown; every number in it is in `results.json`."""
    summary = results["summary"]
    experiments = [name for name in EXPERIMENTS if _rows(results, name)]
    lines = ["# Results of `expga bench`", ""]
    lines += _verdict(results, experiments)
    lines += _what_was_run(results)
    sections = {"reproduction": _reproduction, "ours": _ours, "text": _texts, "ablation": _ablation}
    for name in experiments:
        lines += [f"## {EXPERIMENTS[name].title}", "", *sections[name](results)]
    lines += _statistics(summary)
    lines += shown(drawn)
    lines += missing(results)
    lines += _how_to_read()
    return "\n".join(lines).rstrip() + "\n"


def _verdict(results: Results, experiments: list[str]) -> list[str]:
    summary = results["summary"]
    lines = ["## Verdict", ""]
    for experiment in experiments:
        title, leader = EXPERIMENTS[experiment].title, EXPERIMENTS[experiment].leader
        if not leader:
            lines += [f"**{title}**", "", *(f"- {sentence}" for sentence in answered(summary["ablation"])), ""]
            continue
        lines += [f"**{title}** (ExpGA is `{leader}` here; all methods batched).", ""]
        for name, told in summary["ahead"][experiment].items():
            first = sorted(told["first"].items(), key=lambda two: -two[1])
            ahead = ", ".join(f"{method} in {places}" for method, places in first)
            lines.append(f"- By {name}, first of {told['places']} cells: {ahead or 'nobody'}.")
        repeats = max(row["of"] for row in _rows(results, experiment))
        lines += [_surely(experiment, summary["places"], repeats), "", *_beaten(summary["ahead"][experiment])]
    return [*lines, *lost(results)]


def lost(results: Results) -> list[str]:
    """A sentence on cells that are not there, if any."""
    counts = len(results["failed"]), len(results["absent"])
    if not any(counts):
        return []
    return [f"{counts[0]} cells failed and {counts[1]} are absent: see [below](#absent-and-failed-cells).", ""]


def _surely(experiment: str, places: list[dict[str, Any]], repeats: int) -> str:
    """How often ExpGA is ahead or behind by DSS beyond chance."""
    against = [one for place in places if place["experiment"] == experiment for one in place["against"]]
    sure = [one for one in against if one.get("p_value") is not None and one["p_value"] < SURE]
    ahead = sum(one["a12"] > 0.5 for one in sure)
    sentence = (
        f"- By DSS against each other method, {len(against)} comparisons: ExpGA is ahead in {ahead} and behind in "
        f"{len(sure) - ahead} with p < {SURE}; the rest may be chance."
    )
    if repeats == 1:
        return f"- By DSS against each other method, {len(against)} comparisons of one run a side: no word on chance."
    least = 2 / comb(2 * repeats, repeats)
    return sentence if least < SURE else f"{sentence} With {repeats} runs a side, p cannot be below {least:.2g}."


def _beaten(ahead: dict[str, Any]) -> list[str]:
    """Where a method is before ExpGA, plainly."""
    rows = [
        [
            name,
            *(entry[key] for key in ("data", "attribute", "model", "method")),
            WRITTEN[name](entry["value"]),
            WRITTEN[name](entry["expga"]),
        ]
        for name, told in ahead.items()
        for entry in told["beats_expga"]
    ]
    if not rows:
        return ["No method beats ExpGA in any of these cells by any of these measures.", ""]
    heads = ["by", "data", "attribute", "model", "method", "its value", "ExpGA's"]
    return ["**Where a method beats ExpGA:**", "", *table(heads, rows)]


def _what_was_run(results: Results) -> list[str]:
    cells = [Cell.of(told) for told in results["plan"]]
    budgets = dict.fromkeys(_budget(cell) for cell in cells)
    repeats = dict.fromkeys(cell.repeats for cell in cells)
    seeds = dict.fromkeys(cell.seed for cell in cells)
    versions = ", ".join(f"{name} {version}" for name, version in results["facts"].items())
    return [
        "## What was run",
        "",
        f"- {len(cells)} cells, {len(results['runs'])} of {sum(cell.repeats for cell in cells)} runs done, one at a "
        "time, the cells in processes of their own.",
        f"- Budget of a run: {'; '.join(budgets)}, with measuring the population, which gets 30% at most. Runs a "
        f"cell: {', '.join(map(str, repeats))}.",
        f"- One model for all runs of a cell, trained with the seed {', '.join(map(str, seeds))}; the runs differ in "
        "the seed of the search only.",
        f"- Versions: {versions}.",
        f"- Numbers in italics are {ELSEWHERE}: {SOURCE}, other machines, other implementations, an hour a run on "
        "tables. They stand beside ours for orientation; ratios between the two say little about either.",
        "",
    ]


def _budget(cell: Cell) -> str:
    parts = []
    if cell.seconds is not None:
        parts.append(f"{cell.seconds:g} s")
    if cell.queries is not None:
        parts.append(f"{cell.queries:,} queries")
    return " and ".join(parts)


def _rows(results: Results, experiment: str) -> list[dict[str, Any]]:
    return [row for row in results["summary"]["cells"] if row["experiment"] == experiment]


def _reproduction(results: Results) -> list[str]:
    rows = _rows(results, "reproduction")
    lines = [
        '`realism="domain"`: anything within bounds is a sample, as the literature has it. Census is in the '
        "literature's encoding and bounds; Credit and Bank are ordinal-encoded, every column a range of integers. "
        "Each data set is cut in half: models are trained and searched on one half. Samples are distinct without the "
        "protected attribute in every method alike. The best DSS and SUR of a row are bold.",
        "",
    ]
    for model in dict.fromkeys(row["model"] for row in rows):
        some = [row for row in rows if row["model"] == model and not _faithful(row)]
        lines += [f"### {MODEL_TABLES.get(model, 'Table')} of the paper: {model}", "", *paper_table(some)]
    if slow := [row for row in rows if _faithful(row)]:
        lines += [
            "### One walk at a time",
            "",
            "The faithful manner, as the papers have it, on Census sex. DSS is for the manner, not for the method.",
            "",
            *long_table(slow, (*OURS[:4], *OURS[5:7], *MORE)),
        ]
    lines += [
        "### More figures of these runs",
        "",
        "The literature's counting: ExpGA's published code keeps the protected value when it tells samples apart, its "
        "rivals do not; so here each sample of ExpGA counts once for every protected value that it was asked under, "
        "and each sample of the others once.",
        "",
        *long_table([row for row in rows if not _faithful(row)], (*LITERATURE, *MORE)),
    ]
    return lines


def _faithful(row: dict[str, Any]) -> bool:
    return bool(row["manner"] == "faithful")


def _ours(results: Results) -> list[str]:
    return [
        '`realism="data"`: every sample stays within reach of a real row, for every method. ExpGA is our own recipe.',
        "",
        *long_table(_rows(results, "ours"), OURS),
    ]


def _texts(results: Results) -> list[str]:
    rows = _rows(results, "text")
    accuracy = dict.fromkeys((row["data"], row["model"], row["accuracy"]) for row in rows)
    told = ", ".join(f"{data} {model} {share(right)}" for data, model, right in accuracy)
    return [
        "Tables 6 to 8 of the paper. Up to 1,000 random texts of a data set that can be read in two ways; DSS is the "
        "whole audit (lexicon, substitutes, population, search) by DSN; counted are findings of which no text supplies "
        f"more than 5%. Accuracy of the models on texts kept for testing: {told}.",
        "",
        *text_table(rows),
        *_to_read(results),
    ]


def _to_read(results: Results) -> list[str]:
    """Random findings of ExpGA's first run in each cell: whether they are natural is for a reader to say."""
    leaders = {cell.name: cell for cell in map(Cell.of, results["plan"]) if cell.strategy == EXPERIMENTS["text"].leader}
    lines = [
        "### Findings to read",
        "",
        "Random ones of ExpGA's first run; beside them the other words that changed.",
        "",
    ]
    for run in results["runs"]:
        if run["cell"] in leaders and run["repeat"] == 0 and run.get("examples"):
            cell = leaders[run["cell"]]
            lines += [f"**{cell.data}, {cell.attribute}, {cell.model}**", ""]
            lines += [f"- {_pair_to_read(example)}" for example in run["examples"]]
            lines.append("")
    return lines


def _pair_to_read(example: dict[str, Any]) -> str:
    """Where a text tells the group, the pair of words, and what else was replaced; nothing in it is markup."""
    word, text = example["word"], " ".join(example["text"].split())
    at = max(0, text.find(word.split(", ")[0]))
    start, end = max(0, at - AROUND), at + AROUND
    shown = f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"
    also = f" ({'; '.join(example['changed'])})" if example["changed"] else ""
    told = f"{shown} — {word} → {example['word__twin']}: {example['label']} → {example['label__twin']}{also}"
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", escape(told, quote=False))


def _ablation(results: Results) -> list[str]:
    return compared(results["summary"]["ablation"])


def _statistics(summary: dict[str, Any]) -> list[str]:
    places = [place for place in summary["places"] if EXPERIMENTS[place["experiment"]].leader]
    lines = []
    if against := statistics_table(places):
        lines += [
            "## Statistics",
            "",
            "ExpGA against each other method by DSS, over the runs: p of the two-sided Mann-Whitney U test, and "
            "Vargha-Delaney's Â12, how likely a run of ExpGA is to be the faster one (0.5: no difference).",
            "",
            *against,
        ]
    for manner, words in (("batched", ""), ("faithful", ", one walk at a time")):
        if equal := equal_table(places, manner):
            lines += [
                f"## Equal time and equal queries{words}",
                "",
                "Median findings at the time, and at the number of queries, that every run of every method in the cell "
                "reached: *by time / by queries*, read off the same runs.",
                "",
                *equal,
            ]
    return lines


def shown(drawn: Sequence[Picture]) -> list[str]:
    """The section of pictures."""
    lines = ["## Pictures", ""] if drawn else []
    for picture in drawn:
        lines += [
            f"### {picture.title}",
            "",
            f"![{picture.title}]({picture.name}.png)",
            "",
            picture.caption,
            "",
        ]
    return lines


def missing(results: Results) -> list[str]:
    """The section of cells that failed, are absent or incomplete."""
    lines = ["## Absent and failed cells", ""]
    for loss in ("absent", "failed"):
        lines += [f"- {loss}: `{one['cell']}`: {one['reason']}" for one in results[loss]]
    short = [row for row in results["summary"]["cells"] if row["runs"] < row["of"]]
    lines += [f"- incomplete: `{row['cell']}`: {row['runs']} of {row['of']} runs" for row in short]
    return [*lines, ""] if len(lines) > 2 else [*lines, "None: every cell of the plan ran to its end.", ""]


def _how_to_read() -> list[str]:
    return ["## How to read this", "", *HOW_TO_READ.strip().splitlines(), ""]


HOW_TO_READ = """
- **TSN** distinct samples tested, **DSN** distinct discriminatory ones, **DSS** seconds a finding, **SUR** = DSN / TSN.
  Distinct means without the protected attribute. Every figure is the median over the runs of a cell.
- The **time** of a method is explaining and searching; measuring the population is part of it only where seeds are
  chosen by it (`expga`), learning which rows lie near each other never is. On texts it is the whole audit.
- **bred**: findings that are no real rows as they are. **queries/finding**: model queries for explaining and searching,
  by those; 2 is the floor. **all in**: every query, the population's too, by DSN. **in model**: share of the search's
  time inside the model.
- **typical**: findings, other than real rows, that trees taught by one half of the rows kept aside take for real, at a
  bar that 95% of the other half pass. **plausible**: findings as near to a row kept aside as 99% of real rows are.
  **AUC**: of trees that try to tell findings from discriminatory rows kept aside (0.5: they cannot; –: too few of
  either). All on 2,000 findings at most, of the first run only where they are slow.
- **clones**: findings that differ from another in one feature. **anchors**: real rows that findings lie near.
  **counted**: findings of which no anchor supplies more than 1%. **top anchor**: the largest share of one.
- **distance**: mean distance between random pairs of 1,000 findings. **grid**: share of the values that real rows show,
  feature by feature, numbers in ten steps, which those findings show too.
- A search's success rate says how good the *search* is. How unfair the *model* is says the **flip rate** of real rows,
  and nothing else.
- Every number is in `results.json`: `plan` has the cells, `runs` each run with its figures and its curve (phase,
  seconds, queries, tested, found), `summary` the medians.
"""
