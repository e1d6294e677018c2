"""The picture of methods at several numbers of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expga.bench.pictures import COLOURS, SPARE, STYLE, Picture, plain_numbers, rendered
from expga.importing import optional

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from expga.bench.summary import Results

PICTURE = Picture(
    "findings-over-queries",
    "Findings over queries",
    "What was bred at each number of queries, all phases of a run together: each point is from runs of its own, the "
    "geometric mean over the cells of their medians; a cell in which nothing was bred counts as one finding. Both axes "
    "are logarithmic. Of all models together those methods are shown that run on each of them.",
)


def draw(results: Results) -> dict[Picture, dict[str, bytes]]:
    """Draws the picture, as PNG and SVG, if there is anything to see."""
    curves = [curve for curve in results["summary"]["curves"] if curve["bred"]]
    if not curves:
        return {}
    matplotlib = optional("matplotlib")
    matplotlib.use("Agg")
    with matplotlib.rc_context(STYLE):
        return {PICTURE: rendered(_figure(curves))}


def _figure(curves: list[dict[str, Any]]) -> Figure:
    """A panel for all models, and one for each; a line for each method."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        1,
        len(curves),
        figsize=(1.2 + 2.6 * len(curves), 2.9),
        squeeze=False,
        layout="constrained",
        sharex=True,
        sharey=True,
    )
    lines = {}
    for panel, curve in zip(panels.flat, curves, strict=True):
        for method, bred in curve["bred"].items():
            colour = COLOURS.get(method, SPARE)
            (lines[method],) = panel.plot(
                curve["queries"], bred, color=colour, label=method, linewidth=1.4, marker="o", markersize=3
            )
        panel.set_xscale("log")
        panel.set_yscale("log")
        cells = "1 cell" if curve["cells"] == 1 else f"{curve['cells']} cells"
        panel.set_title(f"{curve['models']} · {cells}", loc="left")
        panel.grid(True, color="#e6e6e6", linewidth=0.5)
        panel.set_axisbelow(True)
        panel.set_xlabel("queries")
    panels[0, 0].set_ylabel("findings bred")
    for panel in panels.flat:  # once all lines are drawn: panels share their axes
        plain_numbers(panel.xaxis)
        plain_numbers(panel.yaxis)
    figure.legend(handles=list(lines.values()), loc="outside upper center", ncols=len(lines), handlelength=1.6)
    return figure
