"""A reader of WordNet 3.0's database files, from a folder or a tar archive."""

from __future__ import annotations

import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from expga.errors import InputError
from expga.inputs import regular_file

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
HYPERNYMS, HYPONYMS, INSTANCE = ("@", "@i"), ("~", "~i"), ("@i",)

Key: TypeAlias = tuple[str, int]
"""Part of speech (n, v, a or r) and offset of a synset."""


class Synset(NamedTuple):
    """Words that share a meaning, as they are written, and where its pointers lead."""

    words: tuple[str, ...]
    pointers: tuple[tuple[str, Key], ...]
    """(symbol, target)"""


class WordNet:
    """Lemmas, senses and relations of English words.

    Args:
        path: a folder with `data.noun`, `index.noun` and so on, or a tar archive that holds them.

    Raises:
        InputError: the files are missing or are not WordNet's.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._synsets: dict[Key, Synset] = {}
        self._senses: dict[tuple[str, str], tuple[int, ...]] = {}
        self._tagged: dict[tuple[str, str], int] = {}
        self._written: set[str] = set()
        files = dict(_files(self.path))
        missing = [f"{kind}.{name}" for name in FILES.values() for kind in ("data", "index")]
        if missing := [name for name in missing if name not in files]:
            raise InputError(f"{path} has no WordNet file {missing[0]}; give the folder or archive of WordNet 3.0.")
        try:
            for pos, name in FILES.items():
                self._read_data(pos, files[f"data.{name}"])
                self._read_index(pos, files[f"index.{name}"])
        except (ValueError, IndexError) as error:
            raise InputError(f"The WordNet files in {path} are damaged; give those of WordNet 3.0.") from error

    def pos(self, word: str) -> tuple[str, ...]:
        """The parts of speech of a word (in lower case), out of n, v, a, r."""
        return tuple(pos for pos in FILES if (word.replace(" ", "_"), pos) in self._senses)

    def senses(self, word: str, pos: str) -> tuple[Key, ...]:
        """The synsets of a word (in lower case), the most frequent first."""
        return tuple((pos, offset) for offset in self._senses.get((word.replace(" ", "_"), pos), ()))

    def tagged(self, word: str, pos: str) -> int:
        """How many of the word's senses of this kind occur in WordNet's tagged texts at all."""
        return self._tagged.get((word.replace(" ", "_"), pos), 0)

    def words(self, key: Key) -> tuple[str, ...]:
        """The words of a synset, as they are written."""
        return self._synsets[key].words

    def common(self, word: str) -> bool:
        """Whether the word is written just so, with a small first letter where it has one here."""
        return word in self._written

    def hypernyms(self, key: Key) -> tuple[Key, ...]:
        """The synsets directly above."""
        return self._targets(key, HYPERNYMS)

    def instance(self, key: Key) -> bool:
        """Whether the synset is one individual, such as a king, and no kind of thing."""
        return bool(self._targets(key, INSTANCE))

    def below(self, roots: Iterable[Key]) -> set[Key]:
        """The roots and everything under them."""
        return self._closure(roots, HYPONYMS)

    def above(self, roots: Iterable[Key]) -> set[Key]:
        """The roots and everything over them."""
        return self._closure(roots, HYPERNYMS)

    def _targets(self, key: Key, symbols: tuple[str, ...]) -> tuple[Key, ...]:
        return tuple(target for symbol, target in self._synsets[key].pointers if symbol in symbols)

    def _closure(self, roots: Iterable[Key], symbols: tuple[str, ...]) -> set[Key]:
        seen: set[Key] = set()
        waiting = list(roots)
        while waiting:
            key = waiting.pop()
            if key not in seen:
                seen.add(key)
                waiting.extend(self._targets(key, symbols))
        return seen

    def _read_data(self, pos: str, text: str) -> None:
        for line in _entries(text):
            fields = line.partition(" | ")[0].split()
            count = int(fields[3], 16)
            words = tuple(word.partition("(")[0].replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
            start = 5 + 2 * count
            rows = [fields[at : at + 4] for at in range(start, start + 4 * int(fields[start - 1]), 4)]
            pointers = tuple((symbol, (_plain(target), int(offset))) for symbol, offset, target, _ in rows)
            self._synsets[pos, int(fields[0])] = Synset(words, pointers)
            self._written.update(words)

    def _read_index(self, pos: str, text: str) -> None:
        senses: dict[tuple[str, str], tuple[int, ...]] = defaultdict(tuple)
        for line in _entries(text):
            fields = line.split()
            count = int(fields[2])
            senses[fields[0], pos] = tuple(map(int, fields[-count:]))
            self._tagged[fields[0], pos] = int(fields[-count - 1])
        self._senses.update(senses)


def _plain(pos: str) -> str:
    return "a" if pos == "s" else pos


def _entries(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line and not line.startswith(" "))


def _files(path: Path) -> Iterator[tuple[str, str]]:
    wanted = {f"{kind}.{name}" for name in FILES.values() for kind in ("data", "index")}
    try:
        if path.is_dir():
            for file in sorted(path.rglob("*.*")):
                if file.name in wanted and file.is_file():
                    yield file.name, file.read_text(encoding="latin-1")
            return
        with tarfile.open(regular_file(path, "WordNet archive")) as archive:
            for member in archive:
                name = Path(member.name).name
                stream = archive.extractfile(member) if name in wanted else None
                if stream is not None:
                    yield name, stream.read().decode("latin-1")
    except OSError as error:
        raise InputError(f"WordNet cannot be read from {path}: {error.strerror or error}.") from error
    except (tarfile.TarError, EOFError) as error:
        raise InputError(f"{path} is neither a folder nor a tar archive of WordNet's files.") from error
