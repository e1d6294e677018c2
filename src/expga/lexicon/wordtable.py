"""What is known about English words: forms, senses, opposites, fixed expressions, and choices made by hand.

The table ships with the package; `expga.lexicon.wordtable_build` makes it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from expga.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

Ids: TypeAlias = npt.NDArray[np.int64]

TAGS = ("NN", "NNS", "VB", "VBP", "VBD", "VBN", "VBG", "VBZ", "JJ", "JJR", "JJS", "RB")
KINDS = {
    tag: kind
    for kind, tags in enumerate(("NN", "NNS", "VB VBP", "VBD VBN", "VBG", "VBZ", "JJ", "JJR", "JJS", "RB"))
    for tag in tags.split()
}
"""Tags that most verbs write alike are of one kind."""
SENSES = 4
"""How many of a word's senses the table keeps, most frequent first."""
PARTS = ("forms", "lemmas", "synsets", "opposites", "expressions")
_SPELLINGS = (
    ("our", "or"),
    ("is", "iz"),
    ("ys", "yz"),
    ("tre", "ter"),
    ("ogue", "og"),
    ("ll", "l"),
    ("ae", "e"),
    ("te", "ti"),
)
"""Pairs that tell British from American spelling."""
PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


@dataclass(frozen=True)
class WordTable:
    """Five columnar tables about words.

    F forms with a tag, L lemmas with a part of speech, S synsets, O pairs of opposites, E expressions.
    """

    parts: Mapping[str, pa.Table]

    def column(self, part: str, name: str) -> npt.NDArray[Any]:
        """One column of a part as an array."""
        column: npt.NDArray[Any] = self.parts[part].column(name).to_numpy()
        return column

    @cached_property
    def forms(self) -> list[str]:
        """F word forms, lower case; one that can have two tags is there twice."""
        words: list[str] = self.parts["forms"].column("form").to_pylist()
        return words

    @cached_property
    def tags(self) -> list[str]:
        """F tags."""
        return [TAGS[number] for number in self.column("forms", "tag").tolist()]

    @cached_property
    def rows(self) -> dict[tuple[str, str], int]:
        """The row of `forms` of a form and a tag."""
        return {pair: row for row, pair in enumerate(zip(self.forms, self.tags, strict=True))}

    @cached_property
    def spellings(self) -> npt.NDArray[np.intp]:
        """(F,) a number for each form, the same one for two spellings of a word."""
        return np.unique([_plain(form) for form in self.forms], return_inverse=True)[1]

    @cached_property
    def shares(self) -> dict[str, dict[str, int]]:
        """For each form its tags with their weights in percent, the dominant one first."""
        found: dict[str, dict[str, int]] = {}
        for form, tag, share in zip(self.forms, self.tags, self.column("forms", "share").tolist(), strict=True):
            found.setdefault(form, {})[tag] = share
        return found

    @cached_property
    def bases(self) -> dict[str, str]:
        """The lemma of each form under its dominant tag."""
        lemmas = self.parts["lemmas"].column("lemma").to_pylist()
        owners = self.column("forms", "lemma").tolist()
        return {form: lemmas[owner] for form, owner in zip(reversed(self.forms), reversed(owners), strict=True)}

    @cached_property
    def mass(self) -> frozenset[str]:
        """Singular nouns that go without an article."""
        countable = self.column("lemmas", "countable")[self.column("forms", "lemma")].tolist()
        nouns = zip(self.forms, self.tags, countable, strict=True)
        return frozenset(form for form, tag, counts in nouns if tag == "NN" and not counts)

    @cached_property
    def choices(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """For some lemmas with their part of speech the only lemmas that may stand for them, chosen by hand."""
        return read_choices()

    @cached_property
    def chosen(self) -> frozenset[tuple[str, str]]:
        """Forms with a tag that have substitutes chosen by hand."""
        names, kinds = (self.parts["lemmas"].column(name).to_pylist() for name in ("lemma", "pos"))
        rich = [bool(self.choices.get(key)) for key in zip(names, kinds, strict=True)]
        owners = zip(self.forms, self.tags, self.column("forms", "lemma").tolist(), strict=True)
        return frozenset((form, tag) for form, tag, owner in owners if rich[owner])

    @cached_property
    def expressions(self) -> frozenset[str]:
        """Two to four words that WordNet has as one entry: "ice cream", "on the other hand"."""
        return frozenset(self.parts["expressions"].column("expression").to_pylist())

    @cached_property
    def openings(self) -> frozenset[str]:
        """The first two words of the longer expressions."""
        return frozenset(" ".join(words[:2]) for words in map(str.split, self.expressions) if len(words) > 2)

    @cached_property
    def senses(self) -> Ids:
        """(L, SENSES) numbers of synsets, -1 where a word has fewer senses."""
        return np.stack([self.column("lemmas", f"sense{rank}") for rank in range(SENSES)], axis=1).astype(np.int64)


def _plain(form: str) -> str:
    """The same string for two spellings of a word."""
    for one, other in _SPELLINGS:
        form = form.replace(one, other)
    return form


def load_words(folder: str | Path | None = None) -> WordTable:
    """The word table that ships, or one that `build` wrote to a folder."""
    import pyarrow.parquet as pq

    if folder is None:
        return _shipped()
    try:
        # read_table would import all of pyarrow.dataset first
        files = {part: pq.ParquetFile(Path(folder) / f"{part}.parquet") for part in PARTS}
        return WordTable({part: file.read(use_threads=False) for part, file in files.items()})
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} has no readable word table; build it again: {error}".splitlines()[0]) from error


@cache
def _shipped() -> WordTable:
    with resources.as_file(resources.files("expga.lexicon").joinpath("data", "words")) as shipped:
        return load_words(shipped)


def read_choices() -> dict[tuple[str, str], tuple[str, ...]]:
    """The choices that ship, from lines like `noun film: movie picture`."""
    lines = resources.files("expga.lexicon").joinpath("data", "choices.txt").read_text("utf-8").splitlines()
    short = {name: pos for pos, name in PARTS_OF_SPEECH.items()}
    found = {}
    for line in lines:
        if line and not line.startswith("#"):
            head, _, others = line.partition(":")
            name, lemma = head.split()
            found[lemma, short[name]] = tuple(others.split())
    return found
