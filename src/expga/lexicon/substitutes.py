"""Words that can stand for a word: near it in vector space, kin to it in WordNet, and never its opposite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from expga.contracts import BoolArray, IndexArray
from expga.lexicon.embeddings import Vectors
from expga.lexicon.tagging import rigid
from expga.lexicon.wordtable import TAGS, Ids, WordTable

_FLOORS = np.array([0.45, 0.65, 0.56, 0.7, 0.74, 0.8], dtype=np.float32)
"""The least cosine by kinship: a shared synset, one above the other, one cluster of adjectives, siblings under one
hypernym, adjectives without kin, other words without kin."""
_WARY = 0.1
"""By how much nearer a substitute must be for words of four senses or more, and verbs; for verbs, moreover, only words
that share a synset come in."""
_DOMINANT = 60
"""Percent of a form's uses that must have the wanted tag."""
_PAIRS_AT_ONCE = 1 << 21


class Substitutes:
    """Finds substitutes for words with a tag.

    Some words have substitutes chosen by hand, and no others; a word with an empty choice stays as it is. A substitute
    of any other word has the same tag, which is its usual one, and is a word of its own, not another spelling. The
    less kin it is to the word in WordNet, the nearer it must be. Nouns keep their countability, verbs their objects,
    all words the sign of their valence. Opposites are out, and opposites of synonyms.

    Args:
        vectors: where nearness is measured.
        table: what is known about words.
        banned: whether a lower-case word may not be put in.
        most: how many substitutes a word gets at most.
        least_similarity: the least cosine, whatever the kinship.
    """

    def __init__(
        self,
        vectors: Vectors,
        table: WordTable,
        banned: Callable[[str], bool],
        most: int = 8,
        least_similarity: float = 0.4,
    ) -> None:
        self._vectors = vectors
        self._table = table
        self._banned = banned
        self._most = most
        self._least = least_similarity
        forms = table.forms
        self._vector = np.array([vectors.index.get(form, -1) for form in forms])
        self._lemma: Ids = table.column("forms", "lemma").astype(np.int64)
        self._lemmas: list[str] = table.parts["lemmas"].column("lemma").to_pylist()
        self._pos: list[str] = table.parts["lemmas"].column("pos").to_pylist()
        self._tag = table.column("forms", "tag")
        self._share = table.column("forms", "share")
        self._valence = table.column("forms", "valence").astype(np.int64)
        self._parent = np.append(table.column("synsets", "parent").astype(np.int64), -1)
        self._group = np.append(table.column("synsets", "group").astype(np.int64), -1)
        self._spelling = table.spellings
        self._opposites = np.unique(self._keys(table.column("opposites", "group"), table.column("opposites", "other")))
        self._loose = np.isin(self._pos, ("a", "r"))
        self._strict: BoolArray = (np.array(self._pos) == "v")[self._lemma]
        self._many: BoolArray = (table.senses[:, -1] >= 0)[self._lemma]
        self._candidates: dict[str, IndexArray] = {}

    def find(self, wanted: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
        """For each pair of a lower-case word and its tag the substitutes, best first; often none."""
        found: list[tuple[str, ...]] = [()] * len(wanted)
        by_tag: dict[str, list[tuple[int, int]]] = {}
        for number, (word, tag) in enumerate(wanted):
            row = self._table.rows.get((word, tag))
            if row is None or rigid(word):
                continue
            lemma = int(self._lemma[row])
            choices = self._table.choices.get((self._lemmas[lemma], self._pos[lemma]))
            if choices is not None:
                found[number] = self._chosen(choices, self._pos[lemma], tag)
            elif self._vector[row] >= 0:
                by_tag.setdefault(tag, []).append((number, row))
        for tag, places in by_tag.items():
            numbers, rows = (np.array(column) for column in zip(*places, strict=True))
            candidates = self._candidates_for(tag)
            if not len(candidates):
                continue
            step = max(1, _PAIRS_AT_ONCE // len(candidates))
            for start in range(0, len(rows), step):
                self._find_among(rows[start : start + step], numbers[start : start + step], candidates, found)
        return found

    def _chosen(self, choices: Sequence[str], pos: str, tag: str) -> tuple[str, ...]:
        """The forms under a tag of lemmas chosen by hand."""
        forms = [self._inflected.get((lemma, pos, tag), "") for lemma in choices]
        usable = [form for form in forms if form in self._vectors.index and not rigid(form) and not self._banned(form)]
        return tuple(usable[: self._most])

    @cached_property
    def _inflected(self) -> dict[tuple[str, str, str], str]:
        """The form of a lemma with its part of speech under a tag."""
        owners = zip(self._lemma.tolist(), self._table.tags, self._table.forms, strict=True)
        return {(self._lemmas[owner], self._pos[owner], tag): form for owner, tag, form in owners}

    def _candidates_for(self, tag: str) -> IndexArray:
        """(c,) the rows of forms that may be put in under a tag."""
        if tag not in self._candidates:
            usable = (self._tag == TAGS.index(tag)) & (self._share >= _DOMINANT) & (self._vector >= 0)
            rows = np.flatnonzero(usable)
            forms = self._table.forms
            self._candidates[tag] = np.array(
                [row for row in rows.tolist() if not rigid(forms[row]) and not self._banned(forms[row])], dtype=np.intp
            )
        return self._candidates[tag]

    def _find_among(
        self, rows: IndexArray, numbers: IndexArray, candidates: IndexArray, found: list[tuple[str, ...]]
    ) -> None:
        """Fills in `found` at `numbers` (n,) for the words at `rows` (n,), from `candidates` (c,)."""
        unit = self._vectors.unit
        cosine = unit[self._vector[rows]] @ unit[self._vector[candidates]].T
        word, other = np.nonzero(cosine >= self._least)
        near = cosine[word, other]
        kin = self._kinship(rows[word], candidates[other])
        strict = self._strict[rows[word]]
        good = (near >= _FLOORS[kin] + _WARY * (self._many[rows[word]] | strict)) & ((kin == 0) | ~strict)
        word, other, near, kin = word[good], other[good], near[good], kin[good]
        good = self._compatible(rows[word], candidates[other])
        word, other, near, kin = word[good], other[good], near[good], kin[good]
        order = np.lexsort((other, -(near - 0.05 * kin), word))
        forms = self._table.forms
        picked: dict[int, list[str]] = {}
        for place in order.tolist():
            number, form = int(numbers[word[place]]), forms[candidates[other[place]]]
            mine = picked.setdefault(number, list(found[number]))
            if len(mine) < self._most and form not in mine:
                mine.append(form)
        for number, substitutes in picked.items():
            found[number] = tuple(substitutes)

    def _kinship(self, rows: IndexArray, others: IndexArray) -> npt.NDArray[np.intp]:
        """(m,) how near of kin the others are to the words: a place in `_FLOORS`.

        The usual sense of each counts, and for a shared synset also the second sense of the word.
        """
        mine = self._table.senses[self._lemma[rows], :2]
        first, other_first = mine[:, 0], self._table.senses[self._lemma[others], 0]
        above, other_above = self._parent[first], self._parent[other_first]
        same = (mine == other_first[:, None]).any(axis=1)
        line = (above == other_first) | (first == other_above)
        loose = self._loose[self._lemma[rows]]
        siblings = (above == other_above) & (above >= 0)
        return np.select([same, line, siblings & loose, siblings, loose], range(5), 5)

    def _compatible(self, rows: IndexArray, others: IndexArray) -> BoolArray:
        """(m,) whether grammar and meaning allow the other for the word."""
        mine, theirs = self._lemma[rows], self._lemma[others]
        fine: BoolArray = self._spelling[rows] != self._spelling[others]
        countable = self._table.column("lemmas", "countable")
        fine &= countable[mine] == countable[theirs]
        uses, wide_uses = self._table.column("lemmas", "uses"), self._table.column("lemmas", "wide_uses")
        fine &= (uses[mine] & ~wide_uses[theirs]) == 0
        valence, other_valence = self._valence[rows], self._valence[others]
        fine &= valence * other_valence >= 0
        groups = self._group[self._table.senses[mine]][:, :, None]
        other_groups = self._group[self._table.senses[theirs]][:, None, :]
        opposite = np.isin(self._keys(groups, other_groups), self._opposites)
        fine &= ~opposite.any(axis=(1, 2))
        return fine

    def _keys(self, groups: npt.NDArray[np.integer], others: npt.NDArray[np.integer]) -> Ids:
        """One number for each pair of groups."""
        keys: Ids = (groups.astype(np.int64) << 32) + others
        return keys
