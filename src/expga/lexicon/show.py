"""What the lexicon knows of one word, in lines for a reader."""

from __future__ import annotations

from dataclasses import dataclass

from expga.lexicon.lexicon import GraphPath, Lexicon, Sense

SHOWN = 5
"""Counterparts named per sense, and groups of an attribute with many."""


@dataclass(frozen=True, slots=True)
class Described:
    """A word as the lexicon sees it; each entry is one line."""

    word: str
    senses: tuple[str, ...]
    """What the word tells, with its counterparts or modifiers."""
    paths: tuple[str, ...]
    """How the graph ties it to each attribute."""


def described(lexicon: Lexicon, word: str) -> Described:
    """The senses, counterparts and paths of a word; all empty for a word that tells nothing."""
    lower = " ".join(word.lower().split())
    senses = lexicon.senses(lower)
    lines = [_sense(lexicon, lower, sense) if sense.group else _modified(lexicon, lower, sense) for sense in senses]
    return Described(lower, tuple(lines), tuple(_path(path) for path in _shortest(lexicon.paths(lower))))


def _sense(lexicon: Lexicon, word: str, sense: Sense) -> str:
    groups = [group for group in lexicon.groups(sense.attribute) if group != sense.group]
    offered = [lexicon.counterparts(sense, group)[:SHOWN] for group in groups]
    named = [words if len(groups) == 1 else words[:1] for words in offered if words]
    words = [other for group in named for other in group]
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    found = f"{', '.join(words[:SHOWN])}{more}" if words else "no counterpart"
    return f"{sense.attribute}: {sense.group}, {sense.form} ↔ {found}{_conditions(lexicon, word, sense)}"


def _conditions(lexicon: Lexicon, word: str, sense: Sense) -> str:
    beside = lexicon.beside_person(word)
    stated = {"with a capital": sense.cased, "as a noun": sense.noun, "in front of a person": beside}
    holding = [text for text, holds in stated.items() if holds]
    return f"; only {' and '.join(holding)}" if holding else ""


def _modified(lexicon: Lexicon, word: str, sense: Sense) -> str:
    modifiers = [f"{modifier} {word}" for modifier in lexicon.modifiers(sense.attribute).values()]
    return (
        f"{sense.attribute}: a person, {sense.form}: "
        + " ↔ ".join(modifiers[:2])
        + (f" and {len(modifiers) - 2} more" if len(modifiers) > 2 else "")
        + _conditions(lexicon, word, sense)
    )


def _shortest(paths: list[GraphPath]) -> list[GraphPath]:
    """Through each way out of the word, the paths to the attribute it reaches first; persons reach all alike."""
    seen: dict[tuple[str, str], GraphPath] = {}
    for path in paths:
        seen.setdefault((path[0].tail, path[0].source), path)
    reached = {path[-1].tail for path in seen.values()}
    further = {path[-1].tail: path for path in reversed(paths) if path[-1].tail not in reached}
    return [*seen.values(), *reversed(further.values())]


def _path(path: GraphPath) -> str:
    start = _node(path[0].head)
    return start + "".join(f" —{edge.relation} ({edge.source})→ {_node(edge.tail)}" for edge in path)


def _node(node: str) -> str:
    """A node's name for readers: the group or the WordNet sense without its prefix."""
    return node.partition(":")[2] or node
