"""The results page of repairs: what each repair came to, table 9, all of them side by side, and harm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from expga.bench.outcome import files_of, names_of
from expga.bench.page import lost, missing, shown
from expga.bench.paper import ELSEWHERE, SOURCE
from expga.bench.pictures import Picture
from expga.bench.plan import OUR_REPAIR, Cell
from expga.bench.retrain import pictures
from expga.bench.retrain.given import SAMPLED
from expga.bench.retrain.markdown import side_by_side, span, table_nine, worse_table
from expga.bench.retrain.summary import ROWS, summarise
from expga.bench.summary import Results, gather

if TYPE_CHECKING:
    from expga.bench.workplace import Workplace


def names(cells: Sequence[Cell]) -> list[str]:  # noqa: ARG001 - a page like the other
    """Of all files that `present` may write for a plan."""
    return names_of(pictures.NAMES)


def present(place: Workplace) -> Results:
    """Sums up a bench of repairs, draws its pictures and writes its page, and publishes all of it."""
    results = gather(place, summarise)
    drawn = pictures.draw(results)
    place.publish(files_of(results, page(results, list(drawn)), drawn))
    return results


def page(results: Results, drawn: Sequence[Picture]) -> str:
    """The page as Markdown; every number in it is in `results.json`."""
    rows = results["summary"]["cells"]
    lines = ["# Results of `expga bench retrain`", "", *_verdict(results), *_what_was_run(results)]
    if rows:
        lines += [*_table_nine(rows), *_side_by_side(rows), *_worse(results["summary"])]
    lines += [*shown(drawn), *missing(results), "## How to read this", "", *HOW_TO_READ.strip().splitlines(), ""]
    return "\n".join(lines).rstrip() + "\n"


def _verdict(results: Results) -> list[str]:
    rows, worse = results["summary"]["cells"], results["summary"]["worse"]
    lines = ["## Verdict", ""]
    for name in dict.fromkeys(name for row in rows for name in row["repairs"]):
        made = [row["repairs"][name] for row in rows if "after" in row["repairs"].get(name, {})]
        if made:
            lines.append(f"- `{name}` in {len(made)} cells: {_came_to(made)}.")
    flips = [one for one in worse if one["what"] in ROWS.values()]
    lines += [
        f"- Cases in which a repair made it worse: {len(flips)} of real rows that flip, {len(worse) - len(flips)} of "
        "differences between groups; see [below](#where-a-repair-made-it-worse).",
        "",
    ]
    return [*lines, *lost(results)]


def _came_to(made: list[dict[str, Any]]) -> str:
    """The least and the most that a repair did, over the cells."""
    accuracy, flips = ([one["change"][name]["mean"] for one in made] for name in ("accuracy", "flips_test"))
    still = [one["after"]["held_out"]["mean"] for one in made]
    return (
        f"test accuracy changes by {span(accuracy, '+z.1f')} points, the share of test rows that flip by "
        f"{span(flips, '+z.2f')} points; of held-out findings {span(still, 'z.1f', '%')} still flip"
    )


def _what_was_run(results: Results) -> list[str]:
    cells = [Cell.of(told) for told in results["plan"]]
    options: list[dict[str, Any]] = [dict(cell.options) for cell in cells]
    audits = dict.fromkeys((cell.model, cell.queries) for cell in cells)
    repeats, seeds = (dict.fromkeys(getattr(cell, name) for cell in cells) for name in ("repeats", "seed"))
    versions = ", ".join(f"{name} {version}" for name, version in results["facts"].items())
    first = options[0]
    share = first["share"]
    return [
        "## What was run",
        "",
        f"- {len(cells)} cells, {len(results['runs'])} of {sum(cell.repeats for cell in cells)} runs done; runs a "
        f"cell: {', '.join(map(str, repeats))}, seed {', '.join(map(str, seeds))}. Every run begins anew: other halves "
        "of the table, another model, another audit.",
        "- Tables in the literature's encoding, cut in half: one half to fit to and to audit, the other to test on. "
        f"Texts: their own parts for training and testing{_sampled(cells)}.",
        "- An audit by `expga` near real rows, with "
        + ", ".join(f"{queries:,} queries ({model})" for model, queries in audits if queries is not None)
        + ". Half of the rows behind findings repair, with all of their findings; up to 1,000 findings near the others "
        "are kept aside to test on.",
        f"- Pairs added: {'as each repair has it' if share is None else share}; rounds of `{first['repair']}`: "
        f"{first['rounds']}. Fresh searches: {first['max_queries']:,} queries each, around test rows.",
        f"- Versions: {versions}.",
        f"- Numbers in italics are {ELSEWHERE}: {SOURCE}, other machines, other implementations, rows within bounds "
        "instead of near real ones. They stand beside ours for orientation.",
        "",
    ]


def _sampled(cells: list[Cell]) -> str:
    told = [
        f"of {name} {train:,} random texts to train and {test:,} to test on, since reading all of them so often would "
        "take too long"
        for name, (train, test) in SAMPLED.items()
        if any(cell.data == name for cell in cells)
    ]
    return "; " + "; ".join(told) if told else ""


def _table_nine(rows: list[dict[str, Any]]) -> list[str]:
    return [
        "## Table 9 of the paper",
        "",
        "`findings` is the published repair: found pairs are added, as many as a tenth of the training rows (of texts "
        f"half of those found). `{OUR_REPAIR}` is ours: found samples and real rows with all protected values. Added "
        "are pairs by training rows; findings that flip are those kept aside; DSS and SUR are of a fresh search by "
        "`expga`.",
        "",
        *table_nine(rows),
    ]


def _side_by_side(rows: list[dict[str, Any]]) -> list[str]:
    lines = ["## Every repair side by side", "", "Means over the runs, with the reach of a 95% interval.", ""]
    for row in rows:
        lines += [
            f"### {row['data']}, {row['attribute']}, {row['model']}",
            "",
            f"{row['found']:,.0f} findings, {row['repairing']:,.0f} of them may repair, {row['held_out']:,.0f} are "
            f"kept aside; {row['train_rows']:,.0f} rows to fit to, {row['test_rows']:,.0f} to test on.",
            "",
            *side_by_side(row),
            *(f"- not measured: {name}: {made['failed']}" for name, made in row["repairs"].items() if "failed" in made),
        ]
        lines += [""] if lines[-1] else []
    return lines


def _worse(summary: dict[str, Any]) -> list[str]:
    lines = ["## Where a repair made it worse", ""]
    if not summary["worse"]:
        return [*lines, "Nowhere: after no repair do more real rows flip, and no difference between groups grew.", ""]
    return [
        *lines,
        "More real rows flip than before, or a difference between groups grew by more than a point.",
        "",
        *worse_table(summary["worse"]),
    ]


HOW_TO_READ = """
- **findings**, **twins**: the model is fitted again with found pairs, or with twins of real rows (each with the label
  of its row). **both**: with found samples and real rows in all their protected values, the latter with their own label
  and once more with the old model's verdict, averaged over these values. **average**: the old model's scores, averaged
  over all protected values. **drop**:
  fitted without the protected column. On tables nothing can flip after the last two, by construction; whether other
  columns stand in for the attribute shows in the differences between groups only.
- **held-out flip**: of findings that repaired nothing, near rows that repaired nothing, how many still flip.
  **train / test rows flip**: of real rows; of those fitted to 10,000 random ones at most. The test rows are what
  counts: no model was fitted to them.
- **expga / 1,000** and the like: what a fresh search around test rows finds in 1,000 queries. `random`, `aequitas` and
  `mtnlp` took no part in any repair.
- **parity diff**, **odds diff**: demographic parity and equalised odds differences between the groups of the protected
  attribute, as fairlearn has them. A repair of individuals need not make them smaller.
- **change, pt**: of the column before it, in points; the interval is of the change within runs, where the models before
  and after share all rows.
- **seconds**: fitting only. **pairs**, **rows added**: to the training rows.
- **DSS** seconds a finding (the median over the runs), **SUR** findings by samples tested. **times**: DSS after by DSS
  before. A fall is a share of what was.
- With few runs intervals are wide; with one there are none.
"""
