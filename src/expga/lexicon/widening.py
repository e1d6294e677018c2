"""Words that GloVe puts beside those of the graph, let in where more than nearness speaks for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from expga.lexicon.embeddings import Vectors
from expga.lexicon.graph import BOTH, PERSON, READ, RELATED_TO, Edge
from expga.lexicon.hierarchy import Hierarchy, stems

SOURCE = "glove"
NEAR = 0.7
"""The cosine from which a word is near."""
WITNESSES = 2
"""Near words of one group that must agree."""
CHUNK = 512


def widened(vectors: Vectors, known: Sequence[Edge], hierarchy: Hierarchy) -> list[Edge]:
    """The edges that tie new words to the words of the graph that they are near to.

    Nearness alone lets in anything that is talked about in the same breath: `children` beside `elderly`, `oslo`
    beside `norway`. So the usual sense of a new word must be a person in WordNet, and of the near words
    the nearest must be backed by another of its group (persons without a group count as one). The plural of a word
    that is there goes with it.
    """
    groups = _groups(known)
    listed = {edge.head for edge in known}
    members = [word for word in groups if word in vectors.index]
    if not members:
        return []
    rows = vectors.unit[[vectors.index[word] for word in members]]
    found = []
    for start in range(0, len(vectors.words), CHUNK):
        names = vectors.words[start : start + CHUNK]
        cosines = vectors.unit[start : start + CHUNK] @ rows.T
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
