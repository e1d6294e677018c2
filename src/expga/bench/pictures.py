"""The pictures of a bench: findings over time and over queries, and where findings lie among real rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from expga.bench.experiments import EXPERIMENTS, OWN
from expga.bench.plan import Cell
from expga.bench.statistics import Course
from expga.contracts import FloatArray
from expga.importing import optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from expga.bench.summary import Results

VERMILLION, BLACK, BLUE, GREEN, PURPLE, ORANGE, SKY = (
    "#D55E00",
    "#000000",
    "#0072B2",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
)
"""Okabe and Ito's colours, which colour-blind readers can tell apart."""
COLOURS = {
    "expga": VERMILLION,
    "expga-published": ORANGE,
    "random": SKY,
    "aequitas": BLUE,
    "sg": GREEN,
    "adf": PURPLE,
    "mtnlp": BLACK,
}
SPARE = "#999999"
ARM_COLOURS = (VERMILLION, BLUE, GREEN, PURPLE, SKY, BLACK, ORANGE, SPARE)
REAL = "#cfcfcf"
FRAME = "#bbbbbb"
SHORT_AXIS = 1_000.0
"""The ratio of its ends up to which a logarithmic axis has ticks between the powers of ten."""
GRID_POINTS = 120
STYLE: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "svg.fonttype": "none",
    "svg.hashsalt": "expga",
    "legend.frameon": False,
}
SHADES = 64
"""Colours of a PNG: as many as look alike, in a file of a third of the size."""
RENDERING: dict[str, Any] = {"png": {"dpi": 160}, "svg": {"metadata": {"Date": None}}}
"""How each file of a picture is written, by suffix."""

Scale = Literal["seconds", "queries"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Positions = Callable[[str], FloatArray | None]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture; `name` is the stem of its files."""

    name: str
    title: str
    caption: str


def draw(results: Results, positions: Positions) -> dict[Picture, dict[str, bytes]]:
    """Draws all pictures that the runs allow, as PNG and SVG.

    Args:
        results: what the runs told.
        positions: those of a cell's findings or of real rows by their name, None where there are none.
    """
    matplotlib = optional("matplotlib")
    matplotlib.use("Agg")
    cells = [Cell.of(told) for told in results["plan"]]
    courses: dict[str, list[Course]] = {}
    for run in results["runs"]:
        courses.setdefault(run["cell"], []).append(Course.of(run))
    drawn = {}
    with matplotlib.rc_context(STYLE):
        for name, what, some in _groups([cell for cell in cells if cell.name in courses]):
            for scale in _scales(some):
                drawn[_course_picture(name, what, scale, some)] = rendered(_courses(some, courses, scale))
            for picture in _place_pictures(name, what, some):
                if (figure := _places(some, positions)) is not None:
                    drawn[picture] = rendered(figure)
    return drawn


def names(cells: Sequence[Cell]) -> list[str]:
    """Of all pictures that there may be of a plan."""
    pictures = [
        picture
        for name, what, some in _groups(cells)
        for picture in (
            *(_course_picture(name, what, scale, some) for scale in _scales(some)),
            *_place_pictures(name, what, some),
        )
    ]
    return [picture.name for picture in pictures]


def _groups(cells: Sequence[Cell]) -> list[tuple[str, str, list[Cell]]]:
    """The cells that share a picture: a file name, words for it, and the cells; an ablation has one a recipe."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        recipe = cell.strategy if cell.arm else ""
        groups.setdefault((cell.experiment, recipe), []).append(cell)
    return [
        ("-".join(filter(None, key)), EXPERIMENTS[key[0]].words + (f" of {key[1]}" if key[1] else ""), some)
        for key, some in groups.items()
    ]


def _course_picture(name: str, what: str, scale: Scale, cells: Sequence[Cell]) -> Picture:
    own = EXPERIMENTS[cells[0].experiment].clock if scale == "seconds" else OWN
    return Picture(
        f"findings-over-{scale}-{name}",
        f"Findings over {scale}, {what}",
        f"Median over the runs, with the range between the least and the most; both axes are logarithmic. What counts "
        f"is a method's own {'time' if scale == 'seconds' else 'queries'}: {own}.",
    )


def _scales(cells: Sequence[Cell]) -> tuple[Scale, ...]:
    """Both, unless nothing but queries ends a run: then they are what is compared."""
    return SCALES if any(cell.seconds is not None for cell in cells) else ("queries",)


def _place_pictures(name: str, what: str, cells: Sequence[Cell]) -> list[Picture]:
    """One of methods, and none of the arms of an ablation, which differ in how fast they find."""
    if any(cell.arm for cell in cells):
        return []
    picture = Picture(
        f"pca-{name}",
        f"Where findings lie, {what}",
        "Up to 1,000 random findings of the first run of each method in colour, 1,000 real rows in grey behind: the "
        "first two principal components of the real rows, features standardised. Points at an edge lie beyond it.",
    )
    return [picture]


def rendered(figure: Figure) -> dict[str, bytes]:
    """A figure as PNG and SVG, by suffix."""
    import matplotlib.pyplot as plt

    files = {}
    for suffix, options in RENDERING.items():
        content = BytesIO()
        figure.savefig(content, format=suffix, bbox_inches="tight", **options)
        files[suffix] = content.getvalue()
    plt.close(figure)
    return files | {"png": _in_few_colours(files["png"])}


def _in_few_colours(content: bytes) -> bytes:
    """A PNG once more, with a palette."""
    from PIL import Image

    small = BytesIO()
    Image.open(BytesIO(content)).convert("RGB").quantize(SHADES, dither=Image.Dither.NONE).save(
        small, format="png", optimize=True
    )
    return small.getvalue()


def _courses(cells: list[Cell], courses: dict[str, list[Course]], scale: Scale) -> Figure:
    """A panel for each data set, attribute (down) and model (across), a line for each method."""
    import matplotlib.pyplot as plt

    pairs = list(dict.fromkeys((cell.data, cell.attribute) for cell in cells))
    models = list(dict.fromkeys(cell.model for cell in cells))
    colours = _colours(cells)
    figure, panels = plt.subplots(
        len(pairs),
        len(models),
        figsize=(1.2 + 2.6 * len(models), 0.7 + 1.75 * len(pairs)),
        squeeze=False,
        layout="constrained",
        sharex=True,
        sharey="row",
    )
    for (row, column), panel in np.ndenumerate(panels):
        place = (*pairs[row], models[column])
        for cell in cells:
            if (cell.data, cell.attribute, cell.model) == place:
                _line(panel, courses[cell.name], scale, colours[_label(cell)], cell.manner == "faithful")
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(" · ".join(place), loc="left")
        panel.grid(True, color="#e6e6e6", linewidth=0.5)
        panel.set_axisbelow(True)
        if column == 0:
            panel.set_ylabel("findings")
        if row == len(pairs) - 1:
            panel.set_xlabel(scale)
    for panel in panels.flat:  # once all lines are drawn: panels share their axes
        plain_numbers(panel.xaxis)
        plain_numbers(panel.yaxis)
    _legend(figure, cells, colours)
    return figure


def plain_numbers(axis: Any) -> None:
    """Ticks at 1, 2 and 5 of each power of ten on a short axis, at its powers on a long one, as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < SHORT_AXIS * low else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axis.set_minor_formatter(NullFormatter())


def _short(value: float) -> str:
    """10k instead of 10,000."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _label(cell: Cell) -> str:
    return cell.arm or cell.strategy


def _colours(cells: list[Cell]) -> dict[str, str]:
    labels = list(dict.fromkeys(_label(cell) for cell in cells))
    if any(cell.arm for cell in cells):
        return dict(zip(labels, ARM_COLOURS, strict=False))
    return {label: COLOURS.get(label, SPARE) for label in labels}


def _line(panel: Axes, runs: list[Course], scale: str, colour: str, faithful: bool) -> None:
    """The median of the runs over a common axis, and the range that they span."""
    axes = [np.asarray(getattr(run, scale), dtype=float) for run in runs]
    known = [(axis, np.asarray(run.found)) for axis, run in zip(axes, runs, strict=True) if len(axis)]
    if not known:
        return
    first = max(min(axis[axis > 0].min(initial=np.inf) for axis, _ in known), 1e-3)
    last = min(axis[-1] for axis, _ in known)  # beyond, the runs that are left are no median of all
    if not np.isfinite(first) or last <= first:
        return
    grid = np.geomspace(first, last, GRID_POINTS)
    table = np.array([_read(axis, found, grid) for axis, found in known], dtype=float)
    if not (table > 0).any():
        return
    table[table <= 0] = np.nan  # a logarithm has no zero
    middle = np.nanmedian(np.where(np.isnan(table), 0, table), axis=0)
    middle[middle <= 0] = np.nan
    some = ~np.isnan(table).all(axis=0)
    low, high = np.nanmin(table[:, some], axis=0), np.nanmax(table[:, some], axis=0)
    panel.fill_between(grid[some], low, high, color=colour, alpha=0.15, linewidth=0)
    panel.plot(grid, middle, color=colour, linewidth=1.4, linestyle="--" if faithful else "-")


def _read(axis: FloatArray, found: FloatArray, grid: FloatArray) -> FloatArray:
    """(g,) findings at each point of the grid: those of the last snapshot not later."""
    place = np.searchsorted(axis, grid, side="right")
    return np.asarray(np.where(place > 0, found[np.maximum(place - 1, 0)], 0))


def _legend(figure: Figure, cells: list[Cell], colours: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=colour, linewidth=1.8, label=label) for label, colour in colours.items()]
    if any(cell.manner == "faithful" for cell in cells):
        handles.append(Line2D([], [], color="#555555", linewidth=1.4, linestyle="--", label="faithful manner"))
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 4), handlelength=1.6)


def _places(cells: list[Cell], positions: Positions) -> Figure | None:
    """A panel for each method (across) and each data set and attribute (down), on the first model of each."""
    import matplotlib.pyplot as plt

    first = next(iter(dict.fromkeys(cell.model for cell in cells)))
    shown = [cell for cell in cells if cell.manner == "batched" and cell.model == first]
    known = {cell.name: rows for cell in shown if (rows := positions(cell.name)) is not None}
    shown = [cell for cell in shown if cell.name in known]
    if not shown:
        return None
    pairs = list(dict.fromkeys((cell.data, cell.attribute) for cell in shown))
    labels = list(dict.fromkeys(_label(cell) for cell in shown))
    colours = _colours(cells)
    figure, panels = plt.subplots(
        len(pairs),
        len(labels),
        figsize=(0.6 + 1.75 * len(labels), 0.4 + 1.75 * len(pairs)),
        squeeze=False,
        layout="constrained",
        sharex="row",
        sharey="row",
    )
    for row, pair in enumerate(pairs):
        real = positions(f"real--{pair[0]}--{pair[1]}")
        assert real is not None  # kept together with those of findings
        view = _View(real)
        found = {_label(cell): view.seen(known[cell.name]) for cell in shown if (cell.data, cell.attribute) == pair}
        edges = view.edges(list(found.values()))
        for column, label in enumerate(labels):
            panel = panels[row, column]
            panel.scatter(*np.clip(view.real, *edges).T, s=2, color=REAL, linewidths=0, rasterized=True)
            if label in found and len(found[label]):
                points = np.clip(found[label], *edges)
                panel.scatter(*points.T, s=2.5, color=colours[label], alpha=0.55, linewidths=0, rasterized=True)
            panel.set_xticks([])
            panel.set_yticks([])
            panel.spines[:].set(visible=True, color=FRAME)
            if row == 0:
                panel.set_title(label)
            if column == 0:
                panel.set_ylabel(f"{pair[0]} · {pair[1]}\n{first}")
    return figure


class _View:
    """The plane on which real rows spread most."""

    def __init__(self, real: FloatArray) -> None:
        self._mean = real.mean(axis=0)
        spread = real.std(axis=0)
        self._scale = np.where(spread > 0, spread, 1.0)
        self._axes = np.linalg.svd((real - self._mean) / self._scale, full_matrices=False)[2][:2]
        self.real = self.seen(real)

    def seen(self, rows: FloatArray) -> FloatArray:
        """(n, 2) rows (n, genes) on that plane."""
        return np.asarray((rows - self._mean) / self._scale @ self._axes.T)

    def edges(self, found: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """The part of the plane to show: nearly all of the real rows and of each method's findings."""
        some = [np.percentile(points, [1, 99], axis=0) for points in [self.real, *found] if len(points)]
        low, high = np.min([ends[0] for ends in some], axis=0), np.max([ends[1] for ends in some], axis=0)
        margin = 0.05 * (high - low)
        return low - margin, high + margin
