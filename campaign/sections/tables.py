"""Tables and texts that nobody should have handed over, as CSV and as Parquet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from campaign import frames
from campaign.case import Case, Step
from campaign.odd import CELLS, NAMES, TEXTS, chance, damaged, pick
from campaign.people import ANY, csv, letters, parquet, table

NAME = "tables"
STRATEGIES = (
    "expga",
    "expga-published",
    "random",
    "aequitas",
    "aequitas-semi-directed",
    "aequitas-random",
    "sg",
    "exhaustive",
)
TEXT_STRATEGIES = ("expga", "expga-published", "random", "mtnlp", "sg")
Bytes = Callable[[np.random.Generator, bytes], bytes]


class Tables:
    """A table is made, one to three things are done to it, and it is audited; what was found must hold."""

    name = NAME
    total = 35_000
    at_once = 25

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 5, number])
        if chance(rng, 0.25):
            return self._of_texts(rng)
        frame, told = table(int(rng.choice([1, 2, 3, 12, 40, 60], p=[0.02, 0.02, 0.02, 0.34, 0.3, 0.3]))), []
        target, protected = "hired", "sex"
        for _ in range(int(rng.integers(0, 4))):
            if not frame.shape[1]:
                break
            name = str(pick(rng, list(frames.CHANGES)))
            frame, target, protected = frames.CHANGES[name](rng, frame, target, protected)
            told.append(name)
        if chance(rng, 0.1):
            protected = ",".join(str(name) for name in rng.permutation(list(frame.columns))[: rng.integers(1, 4)])
        file, content, how = _written(rng, frame)
        words = ["--data", file, "--target", str(target), "--protected", protected]
        return self._case(rng, {file: content}, words, ", ".join([*told, how]))

    def _of_texts(self, rng: np.random.Generator) -> Case:
        frame, column = letters(int(rng.choice([1, 2, 12, 40]))), "letter"
        texts = frame[column].tolist()
        for place in rng.integers(0, len(texts), int(rng.integers(0, 8))):
            texts[place] = pick(rng, TEXTS if chance(rng, 0.7) else CELLS)
        if chance(rng, 0.1):
            texts = [pick(rng, (str.lower, str.upper, str.title, str.swapcase))(text) for text in texts]
        if chance(rng, 0.1):
            texts = [text + " " + pick(rng, TEXTS) for text in texts]
        frame[column] = texts
        if chance(rng, 0.15):
            frame.loc[int(rng.integers(len(frame))), column] = None
        if chance(rng, 0.15):
            column = str(pick(rng, NAMES))
            frame.columns = pd.Index([column, "stars"])
        file, content, how = _written(rng, frame)
        others = ("age", "race,religion", "gender,gender", "sex")
        attribute = str(rng.choice([*["gender"] * 6, *["gender,country"] * 2, *others]))
        words = ["--data", file, "--text-column", column, "--protected", attribute]
        return self._case(rng, {file: content}, words, f"texts, {how}", TEXT_STRATEGIES)

    @staticmethod
    def _case(
        rng: np.random.Generator,
        files: dict[str, bytes],
        words: list[str],
        about: str,
        strategies: tuple[str, ...] = STRATEGIES,
    ) -> Case:
        words = ["audit", "--model", "anyone:model", *words, "--out", "out", "--max-queries", "60"]
        if chance(rng, 0.4):
            words += ["--strategy", str(pick(rng, strategies))]
        if chance(rng, 0.3):
            words += ["--realism", str(rng.choice(["data", "domain"]))]
        if chance(rng, 0.1):
            words += ["--min-gap", "0.1"]
        if chance(rng, 0.06):
            words += ["--explainer", str(rng.choice(["lime", "shap", "none"]))]
        steps = [Step(tuple(words), codes=(0, 2))]
        if chance(rng, 0.5):
            steps.append(Step(("replay", "out", "--model", "anyone:model", "--fail-under", "1"), codes=(0, 2)))
        return Case(NAME, {**files, "anyone.py": ANY.encode()}, tuple(steps), ("tidy",), about=about)


def _written(rng: np.random.Generator, frame: pd.DataFrame) -> tuple[str, bytes, str]:
    """A file's name, its content, and how it was made."""
    if chance(rng, 0.45):
        try:
            content = parquet(frame)
        except Exception:  # what Parquet does not hold is tried as CSV
            return "people.csv", _as_csv(frame), "csv instead of parquet"
        if chance(rng, 0.15):
            return "people.parquet", damaged(rng, content), "damaged parquet"
        if chance(rng, 0.35):
            how = str(pick(rng, list(frames.ARROWS)))
            return "people.parquet", frames.arrow(rng, frame, how), f"parquet of {how}"
        return "people.parquet", content, "parquet"
    content, told = _as_csv(frame), []
    for _ in range(int(rng.choice([0, 1, 2], p=[0.4, 0.4, 0.2]))):
        how = str(pick(rng, list(_BYTES)))
        content = _BYTES[how](rng, content)
        told.append(how)
    return "people.csv", content, " ".join(["csv", *told])


def _as_csv(frame: pd.DataFrame) -> bytes:
    try:
        return csv(frame)
    except UnicodeEncodeError:
        return frame.to_csv(index=False).encode("utf-8", "surrogatepass")


def _cell(rng: np.random.Generator, content: bytes) -> bytes:
    """An odd cell, unquoted, in some place where another was."""
    pieces = content.split(b",")
    pieces[int(rng.integers(len(pieces)))] = pick(rng, CELLS).encode()
    return b",".join(pieces)


def _quoted(rng: np.random.Generator, content: bytes) -> bytes:
    pieces = content.split(b",")
    place = int(rng.integers(len(pieces)))
    pieces[place] = b'"' + pick(rng, CELLS).encode().replace(b'"', b'""') + b'"'
    return b",".join(pieces)


def _header(rng: np.random.Generator, content: bytes) -> bytes:
    return bytes(pick(rng, NAMES).encode()) + b",".join([b"", *content.split(b",")[1:]])


_BYTES: dict[str, Bytes] = {
    "damaged": damaged,
    "with an odd cell": _cell,
    "with an odd cell in quotes": _quoted,
    "with an odd first name": _header,
    "with semicolons": lambda _, content: content.replace(b",", b";"),
    "with tabs": lambda _, content: content.replace(b",", b"\t"),
    "with CRLF": lambda _, content: content.replace(b"\n", b"\r\n"),
    "with CR": lambda _, content: content.replace(b"\n", b"\r"),
    "with blank lines": lambda _, content: content.replace(b"\n", b"\n\n"),
    "with a BOM": lambda _, content: b"\xef\xbb\xbf" + content,
    "in UTF-16": lambda _, content: content.decode(errors="replace").encode("utf-16"),
    "in latin-1": lambda _, content: content.replace(b"male", "m\u00e2le".encode("latin-1")),
    "compressed": lambda _, content: __import__("gzip").compress(content),
    "with NUL": lambda _, content: content.replace(b"3", b"\0", 1),
    "with an open quote": lambda _, content: content.replace(b",", b',"', 1),
    "with quotes all over": lambda _, content: content.replace(b",", b'","'),
    "with a trailing comma": lambda _, content: content.replace(b"\n", b",\n"),
    "with longer lines": lambda _, content: content.replace(b"\n", b",1,2\n")[:-5],
    "with shorter lines": lambda rng, content: b"\n".join(
        line if chance(rng, 0.7) else line.rpartition(b",")[0] for line in content.split(b"\n")
    ),
    "with a comment": lambda _, content: b"# people\n" + content,
    "without a header": lambda _, content: content.partition(b"\n")[2],
    "header alone": lambda _, content: content.partition(b"\n")[0] + b"\n",
    "one row": lambda _, content: b"\n".join(content.split(b"\n")[:2]),
    "of nothing": lambda _, content: content[:0],
    "twice": lambda _, content: content + content,
    "of one column": lambda _, content: b"\n".join(line.partition(b",")[0] for line in content.split(b"\n")),
    "with a doubled name": lambda _, content: content.replace(b"job", b"age", 1),
}
