"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

ModelOption = Annotated[str, typer.Option(help="A .joblib, .pkl or .skops file, or package.module:attribute.")]
PickleOption = Annotated[bool, typer.Option("--allow-pickle", help="Load model files that can run any code.")]
TrustOption = Annotated[str, typer.Option(help="Types that a .skops file may hold, separated by commas.")]


def names_of(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
