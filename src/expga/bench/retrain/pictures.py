"""The pictures of repairs: who still flips, what it costs in accuracy, and what further rounds bring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from expga.bench.material import MATERIALS
from expga.bench.pictures import (
    BLACK,
    BLUE,
    FRAME,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    SPARE,
    STYLE,
    VERMILLION,
    Picture,
    rendered,
)
from expga.bench.summary import runs_by_cell
from expga.importing import optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from expga.bench.summary import Results

Row = dict[str, Any]
COLOURS = {
    "findings": ORANGE,
    "twins": BLUE,
    "both": VERMILLION,
    "average": GREEN,
    "drop": PURPLE,
    "reweigh": SKY,
    "reduction": BLACK,
}
PLACE_COLOURS = (VERMILLION, BLUE, GREEN, PURPLE, ORANGE, SKY, BLACK, SPARE)
MARKERS = {"census": "o", "credit": "s", "bank": "^", "sst": "D", "imdb": "v"}
DASHES: dict[str, Any] = {"mlp": "-", "forest": "--", "cnn": "-", "lr": "--"}
BEFORE = "#8a8a8a"
GRID = "#e6e6e6"
ROUND_PANELS = (
    ("flips_test", "test rows that flip, %", 100.0),
    ("held_out", "held-out findings that flip, %", 100.0),
    ("findings_per_query", "found by {strategy} in 1,000 queries", 1_000.0),
    ("accuracy", "change of test accuracy, points", 100.0),
)
"""Figure, title, and what it is multiplied by; all but the last are from 0 to far above, so their axes are bent."""


def draw(results: Results) -> dict[Picture, dict[str, bytes]]:
    """Draws all pictures that the runs allow, as PNG and SVG."""
    matplotlib = optional("matplotlib")
    matplotlib.use("Agg")
    rows, runs = results["summary"]["cells"], runs_by_cell(results["runs"])
    drawn = {}
    with matplotlib.rc_context(STYLE):
        apart = {one.name: [row for row in rows if row["material"] == one.name] for one in MATERIALS}
        for name, some in apart.items():
            if some:
                drawn[_flips_picture(name)] = rendered(_flips(some, runs))
        if rows:
            drawn[PRICE] = rendered(_price(rows))
        for name, some in apart.items():
            if longer := [row for row in some if len(row["curve"]) > 1]:
                drawn[_rounds_picture(name, longer[0]["repair"])] = rendered(_rounds(longer))
    return drawn


NAMES = ("accuracy-and-flips", *(f"{what}-{one.name}" for what in ("flips", "rounds") for one in MATERIALS))
"""Of all pictures that there may be."""
PRICE = Picture(
    "accuracy-and-flips",
    "What repairs cost in accuracy, and what they bring",
    "A point for each cell and repair: the change of test accuracy in points, and of the share of test rows that flip, "
    "by what it was. Points at an edge lie beyond it.",
)


def _flips_picture(name: str) -> Picture:
    return Picture(
        f"flips-{name}",
        f"Real rows that flip before and after each repair, {name}",
        "The share of test rows, to which no model was fitted, whose label changes with the protected attribute; rings "
        "and dots are means over the runs.",
    )


def _rounds_picture(name: str, repair: str) -> Picture:
    return Picture(
        f"rounds-{name}",
        f"Several rounds of audit and repair, {name}",
        f"The repair `{repair}`: before it, and after each round, which adds what an audit of the newest model found; "
        "means over the runs.",
    )


def _measured(row: Row) -> dict[str, dict[str, Any]]:
    """The figures after each repair that was measured."""
    return {name: made["after"] for name, made in row["repairs"].items() if "after" in made}


def _flips(rows: list[Row], runs: dict[str, list[Row]]) -> Figure:
    """A panel for each data set and attribute (down) and model (across), a line for each repair."""
    import matplotlib.pyplot as plt

    pairs = list(dict.fromkeys((row["data"], row["attribute"]) for row in rows))
    models = list(dict.fromkeys(row["model"] for row in rows))
    repairs = list(dict.fromkeys(name for row in rows for name in _measured(row)))
    figure, panels = plt.subplots(
        len(pairs),
        len(models),
        figsize=(1.4 + 3.0 * len(models), 0.5 + (0.55 + 0.2 * len(repairs)) * len(pairs)),
        squeeze=False,
        layout="constrained",
        sharey=True,
    )
    by_place = {(row["data"], row["attribute"], row["model"]): row for row in rows}
    for (down, across), panel in np.ndenumerate(panels):
        place = (*pairs[down], models[across])
        panel.set_title(" · ".join(place), loc="left")
        panel.set_yticks(range(len(repairs)), repairs)
        panel.set_ylim(len(repairs) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        panel.spines["left"].set_visible(False)
        panel.grid(True, axis="x", color=GRID, linewidth=0.5)
        panel.set_axisbelow(True)
        if place in by_place:
            row = by_place[place]
            _dumbbells(panel, row, repairs, [run["figures"]["repairs"] for run in runs[row["cell"]]])
        if down == len(pairs) - 1:
            panel.set_xlabel("test rows that flip, %")
    _sides(figure, max(len(runs[row["cell"]]) for row in rows) > 1)
    return figure


def _sides(figure: Figure, several: bool) -> None:
    """What rings, dots and, with several runs, strokes are."""
    from matplotlib.lines import Line2D

    look: Any = {"linestyle": "", "color": BEFORE, "markersize": 5}
    handles = [
        Line2D([], [], marker="o", markerfacecolor="white", label="before", **look),
        Line2D([], [], marker="o", markeredgewidth=0, label="after the repair", **look),
    ]
    if several:
        handles.append(Line2D([], [], marker="|", label="in one run", **look))
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), handletextpad=0.1)


def _dumbbells(panel: Axes, row: Row, repairs: list[str], runs: list[Row]) -> None:
    """A line for each repair, from the model before to the model after, and a stroke for each run."""
    before = 100 * (row["before"]["flips_test"]["mean"] or 0.0)
    most = before
    for place, name in enumerate(repairs):
        told = _measured(row).get(name, {}).get("flips_test")
        if told is None or told["mean"] is None:
            continue
        after, colour = 100 * told["mean"], COLOURS.get(name, SPARE)
        panel.plot([before, after], [place, place], color=colour, linewidth=1.6, alpha=0.45, solid_capstyle="butt")
        each = [100 * run[name]["after"]["flips_test"] for run in runs] if len(runs) > 1 else []
        panel.plot(each, [place] * len(each), "|", color=colour, markersize=5, markeredgewidth=0.9)
        panel.plot(before, place, "o", markersize=4.5, markerfacecolor="white", markeredgecolor=BEFORE, zorder=3)
        panel.plot(after, place, "o", markersize=5.5, color=colour, markeredgewidth=0, zorder=4, clip_on=False)
        panel.annotate(
            f"{after:.2g}" if after < 10 else f"{after:.0f}",
            (after, place),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize=6,
            color=colour,
        )
        most = max([most, after, *each])
    panel.set_xlim(0, 1.05 * most or 1.0)


def _priced(row: Row) -> Iterator[tuple[str, str, float, float]]:
    """Each repair, the data, the change of accuracy in points, and that of flips in hundredths of what they were."""
    before = row["before"]
    for name, after in _measured(row).items():
        flips, were = _mean(after, "flips_test"), _mean(before, "flips_test")
        if were > 0 and not np.isnan(flips):
            change = _mean(after, "accuracy") - _mean(before, "accuracy")
            yield name, row["data"], 100 * change, 100 * (flips / were - 1)


def _price(rows: list[Row]) -> Figure:
    """Accuracy across, flips down, tables and texts in one panel."""
    import matplotlib.pyplot as plt

    points = [point for row in rows for point in _priced(row)]
    figure, panel = plt.subplots(figsize=(5.2, 3.9), layout="constrained")
    least = max(-10.0, min((x for _, _, x, _ in points), default=-1.0)) - 0.5
    most = min(10.0, max((x for _, _, x, _ in points), default=1.0)) + 0.5
    top = min(150.0, max((y for *_, y in points), default=0.0)) + 8.0
    panel.set(xlim=(min(least, -0.5), max(most, 0.5)), ylim=(-108.0, max(top, 8.0)))
    panel.axhline(0, color=FRAME, linewidth=0.8)
    panel.axvline(0, color=FRAME, linewidth=0.8)
    for name, data, x, y in points:
        panel.plot(
            np.clip(x, *panel.get_xlim()),
            np.clip(y, *panel.get_ylim()),
            MARKERS.get(data, "o"),
            color=COLOURS.get(name, SPARE),
            markersize=5.5,
            alpha=0.75,
            markeredgewidth=0,
            clip_on=False,
            zorder=3,
        )
    panel.set_xlabel("change of test accuracy, points")
    panel.set_ylabel("change of test rows that flip, %")
    _keys(figure, dict.fromkeys(name for name, *_ in points), dict.fromkeys(data for _, data, *_ in points))
    return figure


def _keys(figure: Figure, names: dict[str, None], data: dict[str, None]) -> None:
    from matplotlib.lines import Line2D

    def point(marker: str, colour: str, label: str) -> Line2D:
        return Line2D([], [], linestyle="", marker=marker, color=colour, label=label, markersize=5.5, markeredgewidth=0)

    repairs = [point("o", COLOURS.get(name, SPARE), name) for name in names]
    shapes = [point(MARKERS.get(name, "o"), BEFORE, name) for name in data]
    look: Any = {"alignment": "left", "handletextpad": 0.3}
    figure.legend(handles=repairs, title="repair", loc="outside right upper", **look)
    figure.legend(handles=shapes, title="data", loc="outside right lower", **look)


def _rounds(rows: list[Row]) -> Figure:
    """A panel for each figure, a line for each cell."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator, SymmetricalLogLocator

    searched = next(name for name in rows[0]["before"] if name.endswith(".findings_per_query"))
    strategy = searched.rpartition(".")[0]
    places = list(dict.fromkeys((row["data"], row["attribute"]) for row in rows))
    colours = dict(zip(places, PLACE_COLOURS, strict=False))
    figure, panels = plt.subplots(2, 2, figsize=(6.6, 4.4), layout="constrained", sharex=True)
    for panel, (name, title, times) in zip(panels.flat, ROUND_PANELS, strict=True):
        for row in rows:
            values = [_mean(step, searched if name == "findings_per_query" else name) for step in _steps(row)]
            line = times * (np.array(values) - (values[0] if name == "accuracy" else 0.0))
            look: Any = {
                "color": colours.get((row["data"], row["attribute"]), SPARE),
                "linestyle": DASHES.get(row["model"], ":"),
            }
            panel.plot(line, linewidth=1.3, marker="o", markersize=3, **look)
        panel.set_title(title.format(strategy=strategy), loc="left")
        panel.grid(True, color=GRID, linewidth=0.5)
        panel.set_axisbelow(True)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        if name == "accuracy":
            panel.axhline(0, color=FRAME, linewidth=0.8)
        else:
            panel.set_yscale("symlog", linthresh=1.0)
            panel.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1.0, subs=[1.0, 2.0, 5.0]))
            panel.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            panel.set_ylim(bottom=0)
    for panel in panels[1]:
        panel.set_xlabel("rounds (0: before)")
    _round_keys(figure, rows, colours)
    return figure


def _steps(row: Row) -> list[dict[str, Any]]:
    return [row["before"], *row["curve"]]


def _mean(figures: dict[str, Any], name: str) -> float:
    mean = figures[name]["mean"]
    return np.nan if mean is None else float(mean)


def _round_keys(figure: Figure, rows: list[Row], colours: dict[tuple[str, str], str]) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=colour, linewidth=1.6, label=" · ".join(two)) for two, colour in colours.items()]
    handles += [
        Line2D([], [], color="#555555", linewidth=1.3, linestyle=DASHES.get(model, ":"), label=model)
        for model in dict.fromkeys(row["model"] for row in rows)
    ]
    figure.legend(handles=handles, loc="outside right upper")
