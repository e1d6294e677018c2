"""Reads ConceptNet 5's assertions: tab-separated, one a line, plain or gzipped."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from expga.errors import InputError
from expga.inputs import regular_file
from expga.lexicon.graph import IS_A, NOTHING, RELATIONS, Edge

SOURCE = "conceptnet"
WANTED = {f"/r/{relation}": relation for relation in RELATIONS}
HOME = "/c/en/"


def assertions(path: Path, known: Sequence[Edge]) -> list[Edge]:
    """The English assertions that touch words of the graph.

    A new word joins where it *is* one of the words that name a person (IsA). RelatedTo is too loose to bring words
    in, so it and DistinctFrom only tie words that tell of the same attribute already.

    Args:
        path: the assertions, .csv or .csv.gz.
        known: the graph so far.

    Raises:
        InputError: the file cannot be read, or is something else.
    """
    attributes: dict[str, set[str]] = defaultdict(set)
    nouns: set[str] = set()
    for edge in known:
        if edge.use != NOTHING:
            attributes[edge.head].add(edge.tail.partition(":")[0])
            if edge.form == "singular" and edge.tail.startswith("gender:"):
                nouns.add(edge.head)
    found: dict[Edge, None] = {}
    for head, relation, tail in _triples(path):
        if relation == IS_A:
            kept = tail in nouns and " " not in head and head not in attributes
        else:
            kept = head != tail and bool(attributes.get(head, set()) & attributes.get(tail, set()))
        if kept:
            found[Edge(head, relation, tail, SOURCE)] = None
    return list(found)


def _triples(path: Path) -> Iterator[tuple[str, str, str]]:
    """(head, relation, tail) of the English lines, in lower case."""
    read = 0
    path = regular_file(path, "ConceptNet file")
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for line in lines:
                fields = line.split("\t")
                if len(fields) != 5 or not fields[1].startswith("/r/"):
                    raise InputError(
                        f"Line {read + 1} of {path} is no ConceptNet assertion; give the file of ConceptNet 5."
                    )
                read += 1
                _, relation, head, tail, _ = fields
                if relation in WANTED and head.startswith(HOME) and tail.startswith(HOME):
                    yield _word(head), WANTED[relation], _word(tail)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"The ConceptNet file {path} cannot be read: {error}.") from error


def _word(uri: str) -> str:
    """`/c/en/film_star/n` is `film star`."""
    return uri.removeprefix(HOME).partition("/")[0].replace("_", " ")
