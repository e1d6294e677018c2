"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated, Any

import typer

ModelOption = Annotated[str, typer.Option(help="A .joblib, .pkl or .skops file, or package.module:attribute.")]
PickleOption = Annotated[bool, typer.Option("--allow-pickle", help="Load model files that can run any code.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with what was begun in the same folder.")]
OverwriteOption = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace earlier results in the same folder, once the new ones are complete."),
]
TrustOption = Annotated[str, typer.Option(help="Types that a .skops file may hold, separated by commas.")]


def names_of(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def share_of(text: str | None) -> Any:
    """A number where it is one; whatever else it is, those who take it know what to say."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
