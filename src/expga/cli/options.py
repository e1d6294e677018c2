"""Options that several commands have, and numbers that any may."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from expga.errors import InputError

LARGEST = 2**63 - 1
"""Counts beyond this fit into no file."""
LARGEST_SEED = 2**31 - 1
"""Libraries take seeds up to 2**32, and repeats count on from the first."""


def _within_reason(value: Any) -> Any:
    """A number that can be worked with, or None."""
    if isinstance(value, float) and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number to work with.")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise typer.BadParameter(f"a number of {len(str(value))} digits is more than can be counted.")
    return value


def _seed(value: int) -> int:
    if value > LARGEST_SEED:
        raise typer.BadParameter(f"a seed is a number from 0 to {LARGEST_SEED}.")
    return value


ModelOption = Annotated[str, typer.Option(help="A .joblib, .pkl or .skops file, or package.module:attribute.")]
CriterionOption = Annotated[
    str | None, typer.Option("--criterion", help="What counts as different: flip, gap, or package.module:Name.")
]
PickleOption = Annotated[bool, typer.Option("--allow-pickle", help="Load model files that can run any code.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with what was begun in the same folder.")]
OverwriteOption = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace earlier results in the same folder, once the new ones are complete."),
]
TimeoutOption = Annotated[
    str | None,
    typer.Option(
        "--call-timeout", help="The most time for one call of the model, such as 10s; it then runs in its own process."
    ),
]
TrustOption = Annotated[str, typer.Option(help="Types that a .skops file may hold, separated by commas.")]
SeedOption = Annotated[int, typer.Option(help="Of all randomness.", callback=_seed)]
RunsSeedOption = Annotated[
    int, typer.Option("--seed", help="Of the data's halves and the models; runs count on from it.", callback=_seed)
]


def number(what: str) -> Any:
    """An option that is a number within reason."""
    return typer.Option(help=what, callback=_within_reason)


def names_of(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def numbers_of(option: str, text: str) -> list[int]:
    """Whole numbers from 1 that are separated by commas."""
    told = names_of(text)
    if wrong := [name for name in told if not (name.isdecimal() and len(name) < 20 and 0 < int(name) <= LARGEST)]:
        raise InputError(f"{option} takes whole numbers from 1, separated by commas; {wrong[0]!r} is none.")
    return [int(name) for name in told]


def share_of(text: str | None) -> Any:
    """A number where it is one; whatever else it is, those who take it know what to say."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def rank_of(text: str | None) -> Any:
    """A whole number where it is one; whatever else it is, those who take it know what to say."""
    try:
        rank = None if text is None else int(text)
    except ValueError:
        return text
    return text if rank is not None and rank > LARGEST else rank
