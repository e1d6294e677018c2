"""What the graph says about words: whom they tell something about, and what may stand in their place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from expga.errors import InputError
from expga.inputs import read_toml
from expga.lexicon.entries import Entries
from expga.lexicon.graph import (
    BOTH,
    DISTINCT_FROM,
    MODIFIER,
    NOTHING,
    PERSON,
    READ,
    RELATED_TO,
    WRITE,
    Edge,
    read_graph,
)

SHIPPED = Path(__file__).parent / "data" / "graph.parquet"
NAMES = 25
"""Names offered per group: enough that no single one decides."""
PERSON_FORMS = frozenset({"singular", "plural", "people", "leader", "leaders"})
REACH = 12
"""The longest path that still ties a word to an attribute; WordNet's own chains to a person are shorter."""

GraphPath = tuple[Edge, ...]
"""The edges from a word to an attribute, in order."""


@dataclass(frozen=True, slots=True)
class Sense:
    """One way in which a word tells of an attribute."""

    attribute: str
    group: str
    """Empty for a word that names a person and only takes a modifier."""
    family: str
    """Words of one family and form in different groups are counterparts."""
    form: str
    cased: bool = False
    """Counts only when written with a capital."""
    noun: bool = False
    """Counts only where the context shows a noun."""


class Lexicon:
    """The graph, laid out for reading texts.

    Args:
        edges: the graph, preferred words first.
        ignore: words that shall not count.
    """

    def __init__(self, edges: Iterable[Edge], ignore: Iterable[str] = ()) -> None:
        self.edges = tuple(edges)
        self.ignored = frozenset(word.lower() for word in ignore)
        self._out: dict[str, list[Edge]] = defaultdict(list)
        self._groups: dict[str, list[str]] = {}
        self._modifiers: dict[str, dict[str, str]] = defaultdict(dict)
        self._senses: dict[str, dict[Sense, None]] = defaultdict(dict)
        self._written: dict[tuple[str, str, str, str], dict[str, None]] = defaultdict(dict)
        self._beside: set[str] = set()
        self._people: set[str] = {PERSON}
        self._take_in()
        self.attributes: tuple[str, ...] = tuple(self._groups)
        self._reaching = self._all_reaching()
        self._add_person_senses()
        self.longest: int = max((word.count(" ") + 1 for word in self._senses), default=1)

    def groups(self, attribute: str) -> tuple[str, ...]:
        """The groups of an attribute, the best known first.

        Raises:
            InputError: there is no such attribute.
        """
        if attribute not in self._groups:
            known = ", ".join(self.attributes)
            raise InputError(
                f"The lexicon knows no words of {attribute!r}, only of {known}; add them with a word list."
            )
        return tuple(self._groups[attribute])

    def senses(self, word: str) -> tuple[Sense, ...]:
        """What a word (in lower case) tells, the usual sense first; empty where it tells nothing."""
        return tuple(self._senses.get(word, ()))

    def counterparts(self, sense: Sense, group: str) -> tuple[str, ...]:
        """The words of the same family and form in another group, best first, as written in mid-sentence."""
        offered = tuple(self._written.get((sense.attribute, group, sense.family, sense.form), ()))
        return offered[:NAMES]

    def modifiers(self, attribute: str) -> dict[str, str]:
        """By group: what is put in front of a word for a person."""
        given = self._modifiers.get(attribute, {})
        return {group: given[group] for group in self.groups(attribute) if group in given}

    def beside_person(self, word: str) -> bool:
        """Whether the word counts only directly in front of a word for a person: `old`, `black`."""
        return word in self._beside

    def person(self, word: str) -> bool:
        """Whether the word names a person or people, so that an adjective in front of it speaks of them."""
        return word in self._people

    def sensitive(self, word: str) -> bool:
        """Whether a path leads from the word to any attribute, in any spelling of it."""
        lower = word.lower()
        return lower in self._reaching and lower not in self.ignored

    def paths(self, word: str) -> list[GraphPath]:
        """The shortest paths from a word to each attribute: one by each edge that leaves the word."""
        if not self.sensitive(word):
            return []
        found: dict[GraphPath, None] = {}
        for edge in self._out.get(word.lower(), ()):
            if edge.use != WRITE:
                for rest in self._shortest(edge.tail, frozenset({edge.head})):
                    found[(_bare(edge), *rest)] = None
        return sorted(found, key=lambda path: self.attributes.index(path[-1].tail))

    def _take_in(self) -> None:
        for edge in self.edges:
            attribute, _, group = edge.head.partition(":")
            if group and edge.relation == RELATED_TO and edge.tail == attribute:
                self._groups.setdefault(attribute, []).append(group)
        for edge in self.edges:
            if edge.relation != DISTINCT_FROM:
                self._out[edge.head].append(edge)
            if edge.head in self.ignored:
                continue
            if edge.tail == PERSON:
                self._people.add(edge.head)
            if edge.use != NOTHING and edge.tail != PERSON:
                self._take_in_word(edge)

    def _take_in_word(self, edge: Edge) -> None:
        attribute, _, group = edge.tail.partition(":")
        if edge.family == MODIFIER:
            self._modifiers[attribute][group] = edge.written
            return
        if edge.use in (BOTH, WRITE):
            self._written[attribute, group, edge.family, edge.form][edge.written] = None
        if edge.use in (BOTH, READ):
            self._senses[edge.head][Sense(attribute, group, edge.family, edge.form, edge.cased, edge.noun)] = None
            if edge.beside:
                self._beside.add(edge.head)
            if edge.form in PERSON_FORMS:
                self._people.add(edge.head)

    def _add_person_senses(self) -> None:
        """A word for a person takes the modifier of every attribute that it tells nothing about by itself."""
        for edge in self.edges:
            if edge.tail == PERSON and edge.use == READ and edge.head not in self.ignored:
                known = self._senses[edge.head]
                told = {sense.attribute for sense in known if sense.group}
                for attribute in self.attributes:
                    if attribute not in told:
                        known[Sense(attribute, "", PERSON, edge.form, edge.cased, edge.noun)] = None

    def _all_reaching(self) -> frozenset[str]:
        """The nodes from which a path leads to an attribute: a search against the edges, from the attributes."""
        into: dict[str, list[str]] = defaultdict(list)
        for edge in self.edges:
            if edge.relation != DISTINCT_FROM and edge.use != WRITE:
                into[edge.tail].append(edge.head)
        seen = set(self.attributes)
        layer = set(seen)
        for _ in range(REACH):
            layer = {head for node in layer for head in into[node]} - seen
            seen |= layer
        return frozenset(node for node in seen if ":" not in node) - frozenset(self.attributes)

    def _shortest(self, node: str, passed: frozenset[str]) -> list[GraphPath]:
        """The shortest path from a node to each attribute that it reaches."""
        best: dict[str, GraphPath] = {node: ()}
        layer = [node]
        for _ in range(REACH):
            following: list[str] = []
            for at in layer:
                for edge in self._out.get(at, ()):
                    if edge.use == NOTHING and edge.tail not in best and edge.tail not in passed:
                        best[edge.tail] = (*best[at], edge)
                        following.append(edge.tail)
                    elif edge.use in (BOTH, READ) and edge.tail not in best:
                        best[edge.tail] = (*best[at], _bare(edge))
                        following.append(edge.tail)
            layer = following
        return [best[attribute] for attribute in self.attributes if attribute in best]


def _bare(edge: Edge) -> Edge:
    """The assertion alone, so that two forms of one word make one path."""
    return Edge(edge.head, edge.relation, edge.tail, edge.source)


def load(
    additions: str | Path | Mapping[str, Any] | bytes | None = None,
    graph: str | Path | bytes | None = None,
) -> Lexicon:
    """The shipped lexicon, or that of another graph file, with a user's words added.

    Args:
        additions: a TOML file as docs/lexicon.md describes, or its content; a .parquet file, or bytes, are a graph.
        graph: a file that `expga lexicon build` wrote, or its bytes; None: the shipped one.

    Raises:
        InputError: a file cannot be read, or does not say what it should.
    """
    if isinstance(additions, bytes) or (isinstance(additions, str | Path) and Path(additions).suffix == ".parquet"):
        additions, graph = None, additions
    if graph is None and additions is None:
        return _shipped()
    base = _shipped() if graph is None else Lexicon(read_graph(graph))
    if additions is None:
        return base
    if not isinstance(additions, Mapping | str | Path):
        raise InputError(f"The lexicon is a {type(additions).__name__}; give a mapping or the path of a TOML file.")
    lists = additions if isinstance(additions, Mapping) else read_toml(additions, "word list")
    entries = Entries({name: base.groups(name) for name in base.attributes}, "user")
    added = entries.edges(lists)
    return Lexicon([*base.edges, *added], lists.get("ignore", ()))


@cache
def _shipped() -> Lexicon:
    return Lexicon(read_graph(SHIPPED))
