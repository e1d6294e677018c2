"""The one language of word lists: the shipped core and a user's additions are written in it (docs/lexicon.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from expga.errors import InputError
from expga.inputs import in_short, listed
from expga.lexicon.graph import BOTH, DISTINCT_FROM, IS_A, MODIFIER, PERSON, READ, RELATED_TO, WRITE, Edge, group_node
from expga.lexicon.plurals import plural

LISTS = ("pairs", "reads", "words", "names", "related")
MARKS = {"cased": "cased", "noun": "noun", "beside_person": "beside"}
KEYS = ("groups", "modifiers", *LISTS, *MARKS, "uncased")
PRONOUNS = ("subject", "object", "possessive", "possessive-pronoun", "reflexive")
PRONOUN_FAMILY = "he"
FAMILIES = {"country": "nation", "religion": "believer"}
"""What the words of an attribute are one family of, where its own name is not the natural one."""
PLURAL_FORMS = {"singular": "people", "building": "buildings", "book": "books", "leader": "leaders"}
ARTICLES = ("a", "an")


class Entries:
    """Reads word lists into edges.

    Args:
        groups: the groups of each attribute that is known already.
        source: what the edges name as their source.
    """

    def __init__(self, groups: Mapping[str, tuple[str, ...]], source: str) -> None:
        self.groups = dict(groups)
        self.source = source

    def edges(self, lists: Mapping[str, Any]) -> list[Edge]:
        """The edges of one file.

        Raises:
            InputError: the lists do not have the shape that docs/lexicon.md describes.
        """
        found: list[Edge] = []
        for name, table in lists.items():
            if not str(name).strip() or type(name) is not str:
                raise InputError(f"The word list has the key {in_short(name)}; give the name of an attribute.")
            if name == "ignore":
                _words(table, "ignore")
            elif name == PERSON:
                found += self._person(_table(table, PERSON))
            else:
                found += self._attribute(name, _table(table, name))
        if article := next((edge.head for edge in found if edge.head in ARTICLES), None):
            raise InputError(f"The word list has the article {article!r}, which goes with the word behind it; drop it.")
        return list(dict.fromkeys(found))

    def _person(self, table: Mapping[str, Any]) -> list[Edge]:
        _known(table, PERSON, ("words", "plurals", "bare", "noun"))
        listed = {key: _words(table.get(key, []), f"{PERSON}.{key}") for key in ("words", "plurals", "bare", "noun")}
        verbs = set(listed["noun"])
        forms = [(form, written, word in verbs) for word in listed["words"] for form, written in _numbers(word)]
        forms += [("plural", word, word in verbs) for word in listed["plurals"]]
        return [Edge(word.lower(), IS_A, PERSON, self.source) for word in listed["bare"]] + [
            Edge(written.lower(), IS_A, PERSON, self.source, written, PERSON, form, READ, noun=noun)
            for form, written, noun in forms
        ]

    def _attribute(self, name: str, table: Mapping[str, Any]) -> list[Edge]:
        _known(table, name, KEYS)
        found = self._declared(name, table)
        _words(table.get("uncased", []), f"{name}.uncased")
        flags = {
            flag: {word.lower() for word in _words(table.get(key, []), f"{name}.{key}")} for key, flag in MARKS.items()
        }
        for group, written, family, form, use in self._members(name, table):
            lower = written.lower()
            marks = {flag: lower in words for flag, words in flags.items()}
            node = group_node(name, group)
            found.append(Edge(lower, IS_A, node, self.source, written, family, form, use, **marks))
        for group, words in self._by_group(name, "related", table).items():
            node = group_node(name, group)
            found += [Edge(word.lower(), RELATED_TO, node, self.source) for word in _words(words, f"{name}.related")]
        return found

    def _declared(self, name: str, table: Mapping[str, Any]) -> list[Edge]:
        """The edges that make an attribute and its groups, and name its modifiers."""
        found: list[Edge] = []
        if "groups" in table:
            groups = self._new_groups(name, table["groups"])
            found.append(Edge(PERSON, RELATED_TO, name, self.source))
            found += [Edge(group_node(name, group), RELATED_TO, name, self.source) for group in groups]
            first = group_node(name, groups[0])
            found += [Edge(group_node(name, group), DISTINCT_FROM, first, self.source) for group in groups[1:]]
        elif name not in self.groups:
            raise InputError(
                f"The word list speaks of {name!r}, which is no attribute; "
                f"use one of {listed(self.groups)}, or give {name}.groups to make it one."
            )
        for group, word in self._modifiers(name, table).items():
            node = group_node(name, group)
            found.append(Edge(word.lower(), RELATED_TO, node, self.source, word, MODIFIER, MODIFIER, WRITE))
        return found

    def _new_groups(self, name: str, listed: Any) -> tuple[str, ...]:
        if name in self.groups:
            raise InputError(f"The groups of {name!r} are given already; leave out {name}.groups.")
        if ":" in name:
            raise InputError(f"The attribute {name!r} has a colon in its name; give it another.")
        groups = tuple(_words(listed, f"{name}.groups"))
        if len(groups) < 2 or len(set(groups)) < len(groups):
            raise InputError(f"{name}.groups must name at least two different groups.")
        self.groups[name] = groups
        return groups

    def _modifiers(self, name: str, table: Mapping[str, Any]) -> dict[str, str]:
        """By group: what is given; where the attribute is new, else the group's adjective or its own name."""
        given = self._by_group(name, "modifiers", table)
        if unfit := [word for word in given.values() if not isinstance(word, str) or not word.strip()]:
            raise InputError(f"{name}.modifiers must give one word for each group, not {in_short(unfit[0])}.")
        if "groups" not in table:
            return dict(given)
        listed = self._by_group(name, "words", table)
        usual = {} if listed else {group: group for group in self.groups[name]}
        for group, forms in listed.items():
            where = f"{name}.words.{group}"
            forms = _table(forms, where)
            if words := [word for key in ("adjective", "demonym") for word in _words(forms.get(key, []), where)]:
                usual[group] = words[0]
        return usual | dict(given)

    def _members(self, name: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, str]]:
        """(group, word as written, family, form, use) of every word that stands in texts."""
        yield from self._pairs(name, table.get("pairs", []))
        for group, rows in self._by_group(name, "reads", table).items():
            yield from self._reads(name, group, rows)
        for group, forms in self._by_group(name, "words", table).items():
            yield from _forms(name, group, _table(forms, f"{name}.words.{group}"))
        for group, names in self._by_group(name, "names", table).items():
            for word in _words(names, f"{name}.names.{group}"):
                yield group, word, "name", "given", BOTH

    def _pairs(self, name: str, pairs: Any) -> Iterator[tuple[str, str, str, str, str]]:
        groups = self.groups[name]
        tables = _table(pairs, f"{name}.pairs") if isinstance(pairs, Mapping) else {"noun": pairs}
        for form, rows in tables.items():
            where = f"{name}.pairs"
            checked = [_row(row, where, len(groups), groups) for row in _list(rows, where)]
            for family, shape, row in _shapes(form, checked):
                for group, word in zip(groups, row, strict=True):
                    yield group, word, family, shape, BOTH

    def _reads(self, name: str, group: str, rows: Any) -> Iterator[tuple[str, str, str, str, str]]:
        """A word that is found in texts and replaced by the others of its row, but never put in itself."""
        others = [other for other in self.groups[name] if other != group]
        tables = _table(rows, f"{name}.reads.{group}") if isinstance(rows, Mapping) else {"noun": rows}
        for form, given in tables.items():
            where = f"{name}.reads.{group}"
            checked = [_row(row, where, len(others) + 1, (group, *others)) for row in _list(given, where)]
            for family, shape, row in _shapes(form, checked):
                yield group, row[0], family, shape, READ
                for other, word in zip(others, row[1:], strict=True):
                    yield other, word, family, shape, WRITE

    def _by_group(self, name: str, key: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """A table by group, of groups that exist."""
        by_group = _table(table.get(key, {}), f"{name}.{key}")
        groups = self.groups[name]
        if unknown := [group for group in by_group if group not in groups]:
            raise InputError(f"{name}.{key} names the group {unknown[0]!r}; the groups are {_some(groups)}.")
        return by_group


def _numbers(noun: str) -> tuple[tuple[str, str], ...]:
    return ("singular", noun), ("plural", plural(noun))


def _shapes(form: str, rows: list[tuple[str, ...]]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(family, form, words) of each row; nouns come in two numbers, the plural by rule where no row gives it."""
    if form != "noun":
        yield from ((PRONOUN_FAMILY if form in PRONOUNS else row[-1].lower(), form, row) for row in rows)
        return
    plurals = {row: tuple(plural(word) for word in row) for row in rows}
    given = set(plurals.values()) & set(rows)
    for row in rows:
        if row not in given:
            family = row[-1].lower()
            yield family, "singular", row
            yield family, "plural", plurals[row]


def _forms(name: str, group: str, forms: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, str]]:
    """The first word of a form is put into texts, the others (and all those under `read`) are only found."""
    where = f"{name}.words.{group}"
    listed = {key: _words(words, f"{where}.{key}") for key, words in forms.items() if key != "read"}
    read = {key: _words(words, f"{where}.read.{key}") for key, words in _table(forms.get("read", {}), where).items()}
    for kept in (listed, read):
        if demonyms := kept.pop("demonym", []):
            kept["adjective"] = [*kept.get("adjective", []), *demonyms]
            kept["singular"] = [*kept.get("singular", []), *demonyms]
        for singular, many in PLURAL_FORMS.items():
            if kept.get(singular) and many not in kept:
                kept[many] = [plural(word) for word in kept[singular]]
    family = FAMILIES.get(name, name)
    for form, words in listed.items():
        yield from ((group, word, family, form, BOTH if i == 0 else READ) for i, word in enumerate(words))
    for form, words in read.items():
        yield from ((group, word, family, form, READ) for word in words)


def _row(row: Any, where: str, size: int, groups: tuple[str, ...]) -> tuple[str, ...]:
    words = tuple(_words(row, where))
    if len(words) != size:
        raise InputError(f"{where} has {in_short(list(words))}; each row must hold {size} words, for {_some(groups)}.")
    return words


def _known(table: Mapping[str, Any], where: str, keys: tuple[str, ...]) -> None:
    if unknown := [key for key in table if key not in keys]:
        raise InputError(f"{where} has the unknown key {unknown[0]!r}; it may have {', '.join(keys)}.")


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where} must be a table, not {in_short(value)}.")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise InputError(f"{where} must be a list, not {in_short(value)}.")
    return list(value)


def _words(value: Any, where: str) -> list[str]:
    words = _list(value, where)
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"{where} must be a list of words, but holds {in_short(word)}.")
    return [" ".join(word.split()) for word in words]


def _some(groups: tuple[str, ...]) -> str:
    return ", ".join(groups[:6]) + (f" and {len(groups) - 6} more" if len(groups) > 6 else "")
