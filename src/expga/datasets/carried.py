"""The files that the package carries."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import IO, Any


def open_file(file_name: str) -> IO[bytes]:
    """Open a file of the package's `files` folder for reading."""
    return resources.files("expga.datasets").joinpath("files", file_name).open("rb")


def read_schema(name: str) -> dict[str, Any]:
    """The schema of the dataset `name`, read anew so that callers may change their copy."""
    with open_file(f"{name}.toml") as file:
        return tomllib.load(file)
