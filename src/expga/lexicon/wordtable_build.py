"""Builds the word table from WordNet 3.0, a list of inflections, a lexicon of tags and one of valences.

Nothing else reads those; `data/ATTRIBUTION-words.md` says where they come from.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from expga.lexicon.wordtable import KINDS, PARTS_OF_SPEECH, SENSES, TAGS

_Key: TypeAlias = tuple[str, int]
"""Part of speech and offset: a synset's place in WordNet."""
_FRAMES = {1: 1, 2: 1, 3: 1, 8: 2, 11: 2, 9: 4, 10: 4}
"""WordNet's sentence frames that matter here: without an object, with a thing, with somebody; as bits."""


@dataclass(frozen=True, slots=True)
class _Synset:
    words: tuple[str, ...]
    """As written: only proper nouns have capitals."""
    pointers: tuple[tuple[str, str, int], ...]
    """Kind, part of speech, offset."""
    frames: Mapping[int, int]
    """What objects a verb takes, as bits, for each word number (0: all of them)."""


def _synsets(folder: Path) -> dict[_Key, _Synset]:
    found = {}
    for pos, name in PARTS_OF_SPEECH.items():
        for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue  # the licence
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            words = tuple(word.partition("(")[0] for word in fields[4 : 4 + 2 * count : 2])
            at = 4 + 2 * count
            pointers = [
                (fields[at + 1 + 4 * i], fields[at + 3 + 4 * i].replace("s", "a"), int(fields[at + 2 + 4 * i]))
                for i in range(int(fields[at]))
            ]
            frames: dict[int, int] = defaultdict(int)
            for number, word_number in _frames(fields[at + 1 + 4 * len(pointers) :]):
                frames[word_number] |= _FRAMES.get(number, 0)
            found[pos, int(fields[0])] = _Synset(words, tuple(pointers), frames)
    return found


def _frames(fields: list[str]) -> Iterator[tuple[int, int]]:
    """Pairs of frame number and word number from the end of a verb's line: `02 + 08 00 + 11 00`."""
    for place in range(1, len(fields), 3):
        yield int(fields[place + 1]), int(fields[place + 2], 16)


def _index(folder: Path) -> Iterator[tuple[str, str, int, list[int]]]:
    """Lemma (lower case), part of speech, number of senses seen in tagged text, offsets by frequency."""
    for pos, name in PARTS_OF_SPEECH.items():
        for line in (folder / f"index.{name}").read_text("utf-8").splitlines():
            if not line.startswith("  "):
                fields = line.split()
                count = int(fields[2])
                yield fields[0], pos, int(fields[-count - 1]), [int(offset) for offset in fields[-count:]]


def _group(synsets: Mapping[_Key, _Synset], key: _Key) -> _Key:
    """What opposites hold between: an adjective's cluster, the adjective behind an adverb, else the synset."""
    synset = synsets[key]
    if key[0] == "r":
        for kind, pos, offset in synset.pointers:
            if kind == "\\":
                return _group(synsets, (pos, offset))
    if key[0] == "a":
        for kind, pos, offset in synset.pointers:
            if kind == "&" and any(other == "!" for other, _, _ in synsets[pos, offset].pointers):
                return pos, offset
    return key


def _inflections(path: Path) -> dict[tuple[str, str], list[list[str]]]:
    """For each lemma and part of speech the columns of its line, each a list of spellings, best first."""
    short = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file]
    return {(line[0], short[line[1]]): [column.split("/") for column in line[2:]] for line in lines if line[1] in short}


def _tagged_forms(lemma: str, pos: str, columns: list[list[str]]) -> dict[str, str]:
    """The form of a lemma for each tag."""
    first = [column[0] for column in columns] + [""] * 4
    if pos == "n":
        return {"NN": lemma} | ({"NNS": first[0]} if first[0] != lemma else {})
    if pos == "v":
        past, participle, gerund, third = first[:4]
        forms = {"VB": lemma, "VBP": lemma, "VBD": past, "VBN": participle or past}
        return forms | {"VBG": gerund, "VBZ": third}
    return {"JJ": lemma, "JJR": first[0], "JJS": first[1]} if pos == "a" else {"RB": lemma}


def _tag_lexicon(path: Path) -> dict[str, str]:
    """The most frequent tag of each lower-case word."""
    found = {}
    for line in path.read_text("utf-8").splitlines():
        fields = line.split()
        if len(fields) >= 2 and not line.startswith(";") and fields[0] == fields[0].lower():
            found[fields[0]] = fields[1]
    return found


def _shares(weights: Mapping[str, float], usual: str | None) -> dict[str, int]:
    """Percentages for the tags of one form, the dominant one first.

    `usual` is the tag lexicon's. If it is none of the form's tags, the word mostly serves grammar ("like", "past"):
    no tag is dominant then, and all get 0.
    """
    if usual is not None and usual not in KINDS:
        return dict.fromkeys(weights, 0)
    raised = {
        tag: 3 * weight + 2 if usual is not None and KINDS[tag] == KINDS[usual] else weight
        for tag, weight in weights.items()
    }
    kinds: dict[int, float] = defaultdict(float)
    for tag, weight in raised.items():
        kinds[KINDS[tag]] = max(kinds[KINDS[tag]], weight)
    total = sum(kinds.values())
    ordered = sorted(raised, key=lambda tag: (-raised[tag], tag != usual, TAGS.index(tag)))
    return {tag: round(100 * raised[tag] / total) for tag in ordered}


def _valences(path: Path) -> dict[str, int]:
    """Mean valences in tenths."""
    lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    return {line[0]: round(10 * float(line[1])) for line in lines}


def _uses(synsets: Mapping[_Key, _Synset], keys: list[_Key], lemma: str) -> int:
    """What objects a verb takes in these senses, as bits."""
    bits = 0
    for key in keys:
        frames = synsets[key].frames
        bits |= frames.get(0, 0) | frames.get(synsets[key].words.index(lemma) + 1, 0)
    return bits


@dataclass
class _Columns:
    """The columns that grow lemma by lemma."""

    numbers: dict[_Key, int] = field(default_factory=dict)
    """Synsets in the order in which they are met."""
    lemmas: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    weights: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    """For each form its tags, weighed by the senses that its lemma has."""
    owners: dict[tuple[str, str], int] = field(default_factory=dict)
    """For each form and tag the row of its lemma."""

    def number(self, key: _Key) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def add(
        self,
        lemma: str,
        keys: list[_Key],
        weight: float,
        forms: Mapping[str, str],
        countable: bool,
        uses: tuple[int, int],
    ) -> None:
        """One lemma with its synsets by frequency and its form for each tag."""
        for tag, form in forms.items():
            if weight > self.weights[form].get(tag, 0):
                self.weights[form][tag] = weight
                self.owners[form, tag] = len(self.lemmas["lemma"])
        senses = [self.number(key) for key in keys[:SENSES]]
        senses += [-1] * (SENSES - len(senses))
        row = {"lemma": lemma, "pos": keys[0][0], "countable": countable, "uses": uses[0], "wide_uses": uses[1]}
        row |= {f"sense{rank}": sense for rank, sense in enumerate(senses)}
        for name, value in row.items():
            self.lemmas[name].append(value)


def build(
    wordnet: str | Path,
    inflections: str | Path,
    tag_lexicon: str | Path,
    valences: str | Path,
    ranks: Mapping[str, int],
    out: str | Path,
) -> None:
    """Build the word table.

    Args:
        wordnet: the folder with WordNet's `data.*` and `index.*` files.
        inflections: lemminflect's `infl_lu.csv.gz`.
        tag_lexicon: word and most frequent Penn tag a line (Brill's lexicon).
        valences: VADER's lexicon: word, tab, mean valence from -4 to 4.
        ranks: words by frequency; lemmas without a form among them are left out.
        out: the folder to write to.
    """
    synsets = _synsets(Path(wordnet))
    inflected = _inflections(Path(inflections))
    columns = _Columns()
    expressions = set()
    for lemma, pos, tagged, offsets in _index(Path(wordnet)):
        keys = [(pos, offset) for offset in offsets if lemma in synsets[pos, offset].words]
        if not keys:
            continue  # a name
        if "_" in lemma:
            if lemma.count("_") < 4 and all(word in ranks or len(word) == 1 for word in lemma.split("_")):
                expressions.add(lemma.replace("_", " "))
            continue
        forms = _tagged_forms(lemma, pos, inflected.get((lemma, pos), []))
        forms = {tag: form for tag, form in forms.items() if form.isalpha() and form.isascii() and len(form) > 2}
        if any(form in ranks for form in forms.values()):
            # A plural much rarer than its singular, or none, makes a mass noun.
            living = 10 * ranks.get(lemma, 10**6) + 3000
            countable = ranks.get(forms.get("NNS", ""), 10**7) < living
            uses = _uses(synsets, keys[:1], lemma), _uses(synsets, keys[:2], lemma)
            columns.add(lemma, keys, tagged + 0.3 * len(keys), forms, countable, uses)
    _write(
        Path(out),
        forms=_form_columns(columns, _tag_lexicon(Path(tag_lexicon)), _valences(Path(valences))),
        lemmas=columns.lemmas,
        **_synset_columns(columns, synsets),
        expressions={"expression": sorted(expressions)},
    )


def _form_columns(columns: _Columns, usual: Mapping[str, str], valence: Mapping[str, int]) -> dict[str, list[Any]]:
    forms: dict[str, list[Any]] = defaultdict(list)
    for form, tags in sorted(columns.weights.items()):
        for tag, share in _shares(tags, usual.get(form)).items():
            forms["form"].append(form)
            forms["tag"].append(TAGS.index(tag))
            forms["lemma"].append(columns.owners[form, tag])
            forms["share"].append(share)
            forms["valence"].append(valence.get(form, 0))
    return forms


def _synset_columns(columns: _Columns, synsets: Mapping[_Key, _Synset]) -> dict[str, dict[str, list[int]]]:
    """What is above each synset and which group it belongs to; the opposites among the groups."""
    kept = list(columns.numbers)  # what is nobody's sense gets a number behind these, and no row
    groups = {key: columns.number(_group(synsets, key)) for key in kept}
    opposites = sorted(
        {
            (groups[key], groups[pos, offset])
            for key in kept
            for kind, pos, offset in synsets[key].pointers
            if kind == "!" and (pos, offset) in groups and groups[key] != groups[pos, offset]
        }
    )
    parents = []
    for key in kept:
        above = [(pos, offset) for kind, pos, offset in synsets[key].pointers if kind == "@"]
        parents.append(columns.number(above[0]) if above else groups[key] if key[0] in "ar" else -1)
    return {
        "synsets": {"parent": parents, "group": list(groups.values())},
        "opposites": {"group": [one for one, _ in opposites], "other": [other for _, other in opposites]},
    }


def _write(out: Path, **parts: Mapping[str, list[Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out.mkdir(parents=True, exist_ok=True)
    for part, columns in parts.items():
        table = pa.table({name: pa.array(column) for name, column in columns.items()})
        pq.write_table(table, out / f"{part}.parquet", compression="zstd", compression_level=19)
