"""Builds the knowledge graph: the core, what WordNet and ConceptNet add to it, and what GloVe puts beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from expga.errors import InputError
from expga.inputs import read_toml
from expga.lexicon.conceptnet import assertions
from expga.lexicon.embeddings import load_vectors
from expga.lexicon.entries import Entries
from expga.lexicon.graph import NOTHING, Edge, write_graph
from expga.lexicon.hierarchy import Hierarchy
from expga.lexicon.widening import widened
from expga.lexicon.wordnet import WordNet

CORE = Path(__file__).parent / "data" / "core"
ORDER = ("gender", "names", "person", "country", "religion", "age", "race")


@dataclass(frozen=True, slots=True)
class Built:
    """What a build made."""

    edges: int
    words: int
    widened: tuple[str, ...]
    """The words that GloVe brought in."""


def build(
    wordnet: Path,
    out: Path,
    lists: Path | None = None,
    conceptnet: Path | None = None,
    glove: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> Built:
    """Builds a graph and writes it.

    Args:
        wordnet: WordNet 3.0's database files: a folder or a tar archive.
        out: the file to write.
        lists: a folder of further word lists (.toml), in the language of docs/lexicon.md.
        conceptnet: ConceptNet 5's assertions, .csv or .csv.gz.
        glove: word vectors: GloVe's text format, or .npz with `words` and `vectors`.
        say: told what was done, line by line; None: nobody.

    Raises:
        InputError: a file is missing or is not what it should be.
    """
    say = say or (lambda _: None)
    net = WordNet(wordnet)
    edges = _core(lists, net)
    say(f"{len(_words(edges)):,} words in the core and the lists.")
    vectors = None if glove is None else load_vectors(glove)
    hierarchy = Hierarchy(net)
    edges += hierarchy.edges(edges, None if vectors is None else vectors.index)
    say(f"{len(_words(edges)):,} with WordNet.")
    if conceptnet is not None:
        edges += assertions(conceptnet, edges)
        say(f"{len(_words(edges)):,} with ConceptNet.")
    joined: list[Edge] = [] if vectors is None else widened(vectors, edges, hierarchy)
    edges = list(dict.fromkeys([*edges, *joined]))
    if vectors is not None:
        say(f"{len(_words(edges)):,} with GloVe.")
    try:
        write_graph(edges, out)
    except OSError as error:
        raise InputError(f"The graph cannot be written to {out}: {error.strerror or error}.") from error
    return Built(
        edges=len(edges),
        words=len(_words(edges)),
        widened=tuple(dict.fromkeys(edge.head for edge in joined)),
    )


def _core(lists: Path | None, net: WordNet) -> list[Edge]:
    entries = Entries({}, "core")
    files = [CORE / f"{name}.toml" for name in ORDER]
    if lists is not None:
        further = sorted(lists.glob("*.toml"))
        if not further:
            raise InputError(f"The folder {lists} holds no word list (.toml); leave it out or give one that does.")
        files += further
    edges = []
    for file in files:
        table = read_toml(file, "word list")
        entries.source = "core" if file.parent == CORE else file.stem
        read = entries.edges(table)
        kept = {word.lower() for part in table.values() if isinstance(part, dict) for word in part.get("uncased", [])}
        edges += [edge if edge.head in kept else _with_case(edge, net) for edge in read]
    return edges


def _with_case(edge: Edge, net: WordNet) -> Edge:
    """A capitalised word that is an ordinary one in small letters counts only with its capital."""
    if edge.use == NOTHING or not edge.written[:1].isupper():
        return edge
    stems = {edge.head, edge.head.removesuffix("s")}
    return edge._replace(cased=edge.cased or any(net.common(stem) for stem in stems))


def _words(edges: Iterable[Edge]) -> set[str]:
    return {edge.head for edge in edges if ":" not in edge.head}
