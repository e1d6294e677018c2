"""Word vectors: those that ship with the package, or a user's own GloVe file."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from expga.errors import InputError
from expga.inputs import reason, regular_file

Float32Array: TypeAlias = npt.NDArray[np.float32]

LARGEST = 1e15
"""No vector has numbers like that."""


@dataclass(frozen=True)
class Vectors:
    """Words and their directions, in the order of the file: for GloVe, by frequency."""

    words: tuple[str, ...]
    unit: Float32Array
    """(n, d) rows of unit length; a row of zeros stays one."""

    @cached_property
    def index(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}


def load_vectors(path: str | Path | None = None) -> Vectors:
    """Load word vectors.

    Args:
        path: a GloVe text file (a word and its numbers a line), plain or `.gz`, or an `.npz` with `words` (one string,
            a word a line) and `vectors` (n, d). None: the 50,000 words that ship.

    Raises:
        InputError: the file cannot be read as vectors.
    """
    if path is None:
        return _shipped()
    path = regular_file(path, "file of word vectors")
    try:
        if path.suffix == ".npz":
            with path.open("rb") as file:
                return _from_archive(file)
        with path.open("rb") as file:
            return _from_text(gzip.open(file) if path.suffix == ".gz" else file)
    except Exception as error:  # an archive that is damaged, or asks for more memory than there is, fails in many ways
        raise InputError(
            f"Cannot read word vectors from {path} ({reason(error)}); "
            "give a text file with a word and its numbers a line."
        ) from error


@cache
def _shipped() -> Vectors:
    """Those that come with the package, read once a process."""
    with resources.files("expga.lexicon").joinpath("data", "vectors.npz").open("rb") as file:
        return _from_archive(file)


def _from_archive(file: IO[bytes]) -> Vectors:
    with np.load(file, allow_pickle=False) as archive:
        words = str(archive["words"]).split("\n")
        numbers = archive["vectors"]
    if numbers.ndim != 2 or len(words) != len(numbers):
        raise ValueError(f"{len(words)} words but vectors of shape {numbers.shape}")
    if not _usable(numbers):
        raise ValueError("its vectors are not all numbers, or some are too large")
    return Vectors(tuple(words), _to_unit(numbers.astype(np.float32)))


def _from_text(lines: Iterable[bytes]) -> Vectors:
    words: dict[str, int] = {}
    rows: list[Float32Array] = []
    for number, line in enumerate(lines, start=1):
        word, _, numbers = line.strip().partition(b" ")
        try:
            row = np.array(numbers.split(), dtype=np.float64)
            text = word.decode("utf-8")
        except ValueError:
            raise ValueError(f"line {number} is not a word and numbers") from None
        if not row.size or not _usable(row):
            raise ValueError(f"line {number} is not a word and numbers, or some are too large")
        if rows and row.size != rows[0].size:
            if number == 2 and rows[0].size == 1:  # a first line "400000 300" says how much follows
                words, rows = {}, []
            else:
                raise ValueError(f"line {number} has {row.size} numbers, line 1 has {rows[0].size}")
        if text not in words:
            words[text] = len(rows)
            rows.append(row.astype(np.float32))
    if not rows:
        raise ValueError("it is empty")
    return Vectors(tuple(words), _to_unit(np.stack(rows)))


def _usable(numbers: npt.NDArray[Any]) -> bool:
    """Whether these are numbers whose squares have room in single precision; NaN is none."""
    return numbers.dtype.kind in "fiu" and bool(((numbers > -LARGEST) & (numbers < LARGEST)).all())


def _to_unit(numbers: Float32Array) -> Float32Array:
    """(n, d) the rows at unit length."""
    length = np.linalg.norm(numbers, axis=1, keepdims=True)
    unit: Float32Array = np.divide(numbers, length, out=np.zeros_like(numbers), where=length > 0)
    return unit
