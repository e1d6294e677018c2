"""The files that a bench leaves: pictures, every figure, and the page that shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from expga.bench.pictures import RENDERING, Picture
from expga.plain import as_json

if TYPE_CHECKING:
    from expga.bench.summary import Results

FIGURES, PAGE = "results.json", "results.md"


def names_of(pictures: Iterable[str]) -> list[str]:
    """The names of all files of a bench in which these pictures may be drawn."""
    return [*(f"{name}.{suffix}" for name in pictures for suffix in RENDERING), FIGURES, PAGE]


def files_of(results: Results, page: str, pictures: Mapping[Picture, Mapping[str, bytes]]) -> dict[str, bytes]:
    """The content of each file of a bench, the page last.

    Args:
        results: all figures.
        page: as Markdown.
        pictures: the content of each picture by suffix.
    """
    drawn = {f"{one.name}.{suffix}": content for one, files in pictures.items() for suffix, content in files.items()}
    return {**drawn, FIGURES: as_json(results, indent=1), PAGE: page.encode()}
