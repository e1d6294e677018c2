from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from expga.lexicon import Lexicon, Sense, load

LABELLED = Path(__file__).parent / "labelled.csv"

LEAD_IN = re.compile(
    r"a|an|the|this|these|those|that|my|your|his|her|its|our|their|some|any|no|every|each|another|two|three"
)
VERBAL = re.compile(r"to|not|I|we|you|they|it|will|would|can|could|may|might|must|should", re.IGNORECASE)


class Labelled(NamedTuple):
    """A word in a phrase, and the attributes that a careful reader says it tells of."""

    word: str
    phrase: str
    attributes: frozenset[str]


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return load()


@pytest.fixture(scope="session")
def labelled() -> list[Labelled]:
    with LABELLED.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [
            Labelled(row["word"], row["phrase"], frozenset(filter(None, row["attributes"].split(";")))) for row in rows
        ]


def told(lexicon: Lexicon, word: str, phrase: str) -> list[Sense]:
    """The senses that hold in the phrase, by a rule of thumb on the neighbours of the word."""
    found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", phrase, re.IGNORECASE)
    if found is None:
        return []
    before = re.findall(r"[\w'-]+", phrase[: found.start()].lower())
    after = re.findall(r"[\w'-]+", phrase[found.end() :].lower())
    if lexicon.beside_person(word.lower()) and not any(map(lexicon.person, after[:2])):
        return []
    capital = found.group()[0].isupper()
    return [
        sense
        for sense in lexicon.senses(word.lower())
        if (capital or not sense.cased) and (not sense.noun or _noun(before, after))
    ]


def _noun(before: list[str], after: list[str]) -> bool:
    led = any(map(LEAD_IN.fullmatch, before[-2:]))
    return led and not any(map(VERBAL.fullmatch, before[-1:])) and not any(map(LEAD_IN.fullmatch, after[:1]))


def attributes(senses: Iterable[Sense]) -> frozenset[str]:
    return frozenset(sense.attribute for sense in senses)


PERSON_TREE = """\
100 n person - ~200 ~300 ~400 ~500 ~600
200 n performer - @100 ~210
210 n actor - @200 ~220
220 n actress - @210
300 n female - @100 ~310
310 n woman - @300
400 n male - @100 ~410
410 n man - @400
500 n inhabitant - @100 ~510
510 n Mexican - @500
600 n stagehand - @100
700 n turkey - -
710 n Turkey - -
720 n film picture - -
730 v direct - +740.0101.n
740 n director - @100 +730.0101.v
750 a good - !760.0101.s
760 a bad - !750.0101.a
"""
"""A small WordNet: offset, part of speech, words, -, pointers (with the words they tie, and the target's kind)."""

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


@pytest.fixture
def small_wordnet(tmp_path: Path) -> Path:
    """A folder with `PERSON_TREE` in the format of WordNet's database files."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    data: dict[str, list[str]] = {pos: ["  1 a licence"] for pos in FILES}
    index: dict[str, dict[str, list[str]]] = {pos: {} for pos in FILES}
    for line in PERSON_TREE.splitlines():
        offset, pos, *rest = line.split()
        words, targets = " ".join(rest).split(" - ")
        pointers = [(mark[0], *(mark[1:] + ".0000.n").split(".")[:3]) for mark in targets.split() if mark != "-"]
        spelled = " ".join(f"{word} 0" for word in words.split())
        pointed = "".join(f" {symbol} {int(target):08d} {kind} {ends}" for symbol, target, ends, kind in pointers)
        data[pos].append(
            f"{int(offset):08d} 18 {pos} {len(words.split()):02x} {spelled} {len(pointers):03d}{pointed} | a gloss"
        )
        for word in words.lower().split():
            index[pos].setdefault(word, []).append(f"{int(offset):08d}")
    for pos, name in FILES.items():
        (folder / f"data.{name}").write_text("\n".join(data[pos]) + "\n")
        lines = [
            f"{word} {pos} {len(at)} 1 @ {len(at)} {len(at)} {' '.join(at)}" for word, at in sorted(index[pos].items())
        ]
        (folder / f"index.{name}").write_text("\n".join(lines) + "\n")
    return folder
