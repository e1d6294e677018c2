"""Words that GloVe puts beside those of the graph, let in where more than nearness speaks for them."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from expga.errors import InputError
from expga.lexicon.graph import BOTH, PERSON, READ, RELATED_TO, Edge
from expga.lexicon.hierarchy import Hierarchy, stems

SOURCE = "glove"
NEAR = 0.7
"""The cosine from which a word is near."""
WITNESSES = 2
"""Near words of one group that must agree."""
CHUNK = 512

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Words and their vectors (n, d), each of unit length."""

    words: dict[str, int]
    values: Floats
    names: list[str] = field(repr=False)

    @staticmethod
    def read(path: Path) -> Vectors:
        """Vectors from GloVe's text format, or from .npz with `words` (joined by newlines) and `vectors`.

        Raises:
            InputError: the file is missing, or is neither.
        """
        try:
            if path.suffix == ".npz":
                with np.load(path, allow_pickle=False) as archive:
                    names = str(archive["words"]).split("\n")
                    values = archive["vectors"].astype(np.float32)
            else:
                rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines() if line]
                names = [row[0] for row in rows]
                values = np.array([row[1:] for row in rows], dtype=np.float32)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise InputError(f"The word vectors {path} cannot be read; give a GloVe text file or an .npz.") from error
        if values.ndim != 2 or len(values) != len(names) or not values.size:
            raise InputError(f"The word vectors {path} do not have one row for each word; give another file.")
        values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)
        return Vectors({name: row for row, name in enumerate(names)}, values, names)


def widened(vectors: Vectors, known: Sequence[Edge], hierarchy: Hierarchy) -> list[Edge]:
    """The edges that tie new words to the words of the graph that they are near to.

    Nearness alone lets in anything that is talked about in the same breath: `children` beside `elderly`, `oslo`
    beside `norway`. So the usual sense of a new word must be a person in WordNet, and of the near words
    the nearest must be backed by another of its group (persons without a group count as one). The plural of a word
    that is there goes with it.
    """
    groups = _groups(known)
    listed = {edge.head for edge in known}
    members = [word for word in groups if word in vectors.words]
    if not members:
        return []
    rows = vectors.values[[vectors.words[word] for word in members]]
    found = []
    for start in range(0, len(vectors.names), CHUNK):
        names = vectors.names[start : start + CHUNK]
        cosines = vectors.values[start : start + CHUNK] @ rows.T
        for at in np.flatnonzero((cosines >= NEAR).any(axis=1)):
            word = names[at]
            if word in listed or not word.isalpha() or not hierarchy.is_person(word):
                continue
            order = np.argsort(-cosines[at], kind="stable")
            near = [members[i] for i in order if cosines[at, i] >= NEAR]
            agreeing = [other for other in near if groups[other] == groups[near[0]]]
            if len(agreeing) >= WITNESSES:
                singular = [stem for stem in stems(word) if stem in listed]
                found.append(Edge(word, RELATED_TO, (singular or near)[0], SOURCE))
    return found


def _groups(known: Sequence[Edge]) -> dict[str, str]:
    """The group that each word of the graph stands for, where it is only one."""
    found: dict[str, set[str]] = {}
    for edge in known:
        if edge.use in (BOTH, READ) and edge.form != "given":
            found.setdefault(edge.head, set()).add(edge.tail)
    return {word: next(iter(nodes)) for word, nodes in found.items() if len(nodes) == 1 or nodes == {PERSON}}
