"""Schemas, lexicons, graphs and vectors that nobody should have written."""

from __future__ import annotations

import functools
import gzip
import io
from typing import Any, TypeAlias

import numpy as np

from campaign.case import Case, Step
from campaign.case import words as words_of
from campaign.odd import CELLS, NAMES, TEXTS, chance, damaged, pick
from campaign.people import ANY, csv, letters, table
from campaign.toml import ODD_VALUES, document

NAME = "rules"
Rng: TypeAlias = np.random.Generator
LEAVES_A_FILE = "open('ran.txt', 'w').close()"
REPLAY = Step(("replay", "out", "--model", "anyone:model", "--fail-under", "1"), codes=(0, 2))


class Rules:
    """Mostly schemas, and what goes with texts."""

    name = NAME
    total = 30_000
    at_once = 40

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 6, number])
        make = rng.choice(5, p=[0.45, 0.3, 0.06, 0.07, 0.12])
        return (_of_schema, _of_lexicon, _of_graph, _of_vectors, _of_lexicon_and_texts)[make](rng)


def _case(files: dict[str, bytes], words: tuple[str, ...], about: str, *more: Step) -> Case:
    return Case(NAME, files, (Step(words, codes=(0, 2)), *more), ("tidy", "unasked"), about=about)


def _of_schema(rng: Rng) -> Case:
    protected = str(rng.choice(["sex", "age", "hours", "job", "sex,age", "sex,job", "sex,status", "job,hours,sex"]))
    files = {
        "people.csv": csv(table(int(rng.choice([12, 40])))),
        "anyone.py": ANY.encode(),
        "rules.toml": document(rng, schema(rng)),
    }
    words = [*words_of("audit --model anyone:model --data people.csv --target hired --schema rules.toml")]
    words += ["--protected", protected, "--out", "out", "--max-queries", "60"]
    if chance(rng, 0.4):
        words += ["--realism", "domain"]
    if chance(rng, 0.3):
        words += ["--strategy", str(rng.choice(["random", "aequitas", "sg", "exhaustive", "expga-published"]))]
    return _case(files, tuple(words), "a schema", *([REPLAY] if chance(rng, 0.3) else []))


def schema(rng: Rng) -> dict[str, Any]:
    """Rules for people, most of which can be followed."""
    columns = ["age", "sex", "job", "hours"]
    rules: dict[str, Any] = {}
    if chance(rng, 0.7):
        rules["features"] = {
            str(name): _feature(rng, str(name)) for name in rng.permutation(columns)[: rng.integers(1, 4)]
        }
    if chance(rng, 0.5):
        rules["forbid"] = [
            {str(name): _condition(rng, str(name)) for name in rng.permutation(columns)[: rng.integers(1, 3)]}
            for _ in range(int(rng.integers(1, 4)))
        ]
    if chance(rng, 0.8):
        names = rng.permutation([*columns, *(["status"] if chance(rng, 0.1) else [])])[: rng.integers(1, 4)]
        rules["protected"] = {str(name): _reading(rng, str(name)) for name in names}
    return rules


def _values(rng: Rng, name: str) -> list[Any]:
    known: dict[str, tuple[Any, ...]] = {
        "age": (18, 25, 40, 69, 70, 17, 100, "25", 25.0),
        "sex": ("female", "male", "other", "", "Male"),
        "job": ("cook", "clerk", "pilot", "nurse"),
        "hours": (20.0, 38, 38.5, 60, "38", -5),
        "status": ("single", "married"),
    }
    return [pick(rng, known[name]) for _ in range(int(rng.integers(0, 5)))]


def _feature(rng: Rng, name: str) -> dict[str, Any]:
    rule: dict[str, Any] = {}
    if chance(rng, 0.4):
        rule["type"] = str(rng.choice(["categorical", "boolean", "integer", "continuous"]))
    if chance(rng, 0.4):
        rule["values"] = _values(rng, name)
    if chance(rng, 0.4):
        rule["min"] = pick(rng, (-1e300, 0, 17, 18, 30, 70, 1_000, 0.5))
    if chance(rng, 0.4):
        rule["max"] = pick(rng, (1e300, 0, 17, 30, 69, 70, 100, 1e9, 2**53))
    if chance(rng, 0.2):
        rule["immutable"] = chance(rng, 0.8)
    return rule


def _condition(rng: Rng, name: str) -> Any:
    match int(rng.integers(3)):
        case 0:
            return pick(rng, [*_values(rng, name), "x"])
        case 1:
            return _values(rng, name)
        case _:
            return {"min": int(rng.integers(-10, 80)), "max": int(rng.integers(-10, 80))}


def _reading(rng: Rng, name: str) -> dict[str, Any]:
    rule: dict[str, Any] = {}
    if chance(rng, 0.5):
        rule["values"] = _values(rng, name)
    if chance(rng, 0.05 if rule else 0.4) and name in ("age", "hours"):
        good, odd = ([17, 30, 45, 70], [0, 30, 100], [0, 40, 1e9]), ([0, 1, 2], [1e9, 2e9, 3e9], [20, 20, 20], [1, 2])
        rule["bins"] = pick(rng, (*good, *odd, list(range(300))))
    if chance(rng, 0.3):
        rule["link"] = [
            {
                pick(rng, ("job", "sex", "age", "hours", "nope")): {
                    str(value): pick(rng, CELLS) for value in _values(rng, name)
                }
            }
            for _ in range(int(rng.integers(1, 3)))
        ]
    return rule


def lexicon(rng: Rng) -> dict[str, Any]:
    """Words to add, most of which can be added."""

    def word() -> str:
        return str(pick(rng, ("zorb", "Zelda", "queen", "king", "he", "the", "a", "ice cream", "kettle", *CELLS[-20:])))

    lists: dict[str, Any] = {}
    if chance(rng, 0.3):
        lists["ignore"] = [word() for _ in range(int(rng.integers(0, 4)))]
    if chance(rng, 0.7):
        lists["gender"] = {
            "pairs": [[word(), word()] for _ in range(int(rng.integers(0, 3)))],
            "names": {"female": [word()], "male": [word()]},
            "related": {"male": [word()]},
            "modifiers": {"female": word()},
            "reads": {"female": [[word(), word()]]},
            "cased": [word()],
        }
    if chance(rng, 0.3):
        lists["country"] = {
            "words": {pick(rng, ("mexico", "atlantis")): {"adjective": [word()], "read": {"place": [word()]}}}
        }
    if chance(rng, 0.3):
        lists["person"] = {"words": [word()], "plurals": [word()], "bare": [word()], "noun": [word()]}
    if chance(rng, 0.5):
        groups = [word() for _ in range(int(rng.integers(1, 4)))]
        lists["orientation"] = {"groups": groups, "pairs": {"noun": [[word()] * len(groups)], "adjective": [groups]}}
    return lists


def _show(rng: Rng) -> str:
    return str(pick(rng, ("actress", "zorb", "queen", "Zelda", "he", "ice cream", *TEXTS[:20], *NAMES)))


def _shown(rng: Rng, name: str, content: bytes, about: str) -> Case:
    word = _show(rng).replace("\x00", "")
    return _case({name: content}, ("lexicon", "show", "--lexicon", name, "--", word), about)


def _read(rng: Rng, files: dict[str, bytes], option: str, name: str, about: str) -> Case:
    frame = letters(int(rng.choice([6, 12])))
    if chance(rng, 0.3):
        frame["letter"] += " " + pick(rng, TEXTS)
    words = [*words_of("audit --model anyone:model --data letters.csv --text-column letter --out out --max-queries 60")]
    words += ["--protected", str(rng.choice(["gender", "orientation", "country", "gender,orientation"])), option, name]
    files = {**files, "letters.csv": csv(frame), "anyone.py": ANY.encode()}
    return _case(files, tuple(words), about, *([REPLAY] if chance(rng, 0.3) else []))


def _of_lexicon(rng: Rng) -> Case:
    return _shown(rng, "words.toml", document(rng, lexicon(rng)), "a lexicon")


def _of_lexicon_and_texts(rng: Rng) -> Case:
    return _read(rng, {"words.toml": document(rng, lexicon(rng))}, "--lexicon", "words.toml", "a lexicon for texts")


@functools.cache
def _edges() -> list[tuple[Any, ...]]:
    from expga.lexicon import load

    return [
        tuple(edge) for edge in load().edges if "gender" in edge.tail or edge.head.startswith(("gender", "person"))
    ][:80]


def _of_graph(rng: Rng) -> Case:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from expga.lexicon.graph import _schema

    rows = [list(edge) for edge in _edges()]
    for _ in range(int(rng.integers(0, 6))):
        row, column = rows[int(rng.integers(len(rows)))], int(rng.integers(8))
        row[column] = pick(rng, (*rows[int(rng.integers(len(rows)))][:8], *CELLS, *NAMES))
    if chance(rng, 0.2):
        rows = rows[: int(rng.integers(3))]
    if chance(rng, 0.2):
        rows = [rows[number] for number in rng.permutation(len(rows))]
    file = io.BytesIO()
    graph = pa.table([list(column) for column in zip(*rows, strict=True)] or [[]] * 11, schema=_schema())
    if chance(rng, 0.1):
        graph = graph.drop_columns([graph.column_names[int(rng.integers(11))]])
    pq.write_table(graph, file)
    content = damaged(rng, file.getvalue()) if chance(rng, 0.15) else file.getvalue()
    if chance(rng, 0.7):
        return _shown(rng, "graph.parquet", content, "a graph")
    return _read(rng, {"graph.parquet": content}, "--lexicon", "graph.parquet", "a graph for texts")


def _of_vectors(rng: Rng) -> Case:
    if chance(rng, 0.4):
        return _read(rng, {"vectors.npz": _archive(rng)}, "--vectors", "vectors.npz", "vectors in an archive")
    words = ["loved", "hated", "kettle", "lamp", "small", "noisy", "the", "morning", "trip", "phone", "praised"]
    size = int(rng.choice([1, 2, 5]))
    lines = [" ".join([word, *(f"{number:.3f}" for number in rng.normal(size=size))]) for word in words]
    for _ in range(int(rng.integers(0, 4))):
        place = int(rng.integers(len(lines)))
        odd = pick(rng, ODD_VALUES)
        lines[place] = pick(
            rng, (f"{odd} 1 2", f"the {odd}", "", "the", f"{len(lines)} {size}", lines[place] + " 1", f"{odd}")
        )
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    if chance(rng, 0.2):
        content = damaged(rng, content)
    if chance(rng, 0.2):
        packed = gzip.compress(content, mtime=0)
        packed = damaged(rng, packed) if chance(rng, 0.5) else packed
        return _read(rng, {"v.gz": packed}, "--vectors", "v.gz", "packed vectors")
    return _read(rng, {"vectors.txt": content}, "--vectors", "vectors.txt", "vectors")


class _Runs:
    """A pickle of it leaves a file behind when it is loaded."""

    def __reduce__(self) -> Any:
        return exec, (LEAVES_A_FILE,)


def _archive(rng: Rng) -> bytes:
    words = "loved\nhated\nkettle\nlamp\nsmall"
    odd: dict[str, tuple[Any, Any]] = {
        "fine": (words, rng.normal(size=(5, 3))),
        "another number": (words, rng.normal(size=(4, 3))),
        "flat": (words, rng.normal(size=5)),
        "nothing": ("", np.zeros((0, 3))),
        "no width": (words, np.zeros((5, 0))),
        "nan": (words, np.full((5, 3), np.nan)),
        "large": (words, np.full((5, 3), 1e300)),
        "integers": (words, np.arange(15).reshape(5, 3)),
        "booleans": (words, np.ones((5, 3), dtype=bool)),
        "complex": (words, np.ones((5, 3), dtype=complex)),
        "text": (words, np.full((5, 3), "a")),
        "objects": (words, np.array([[_Runs()] * 3] * 5, dtype=object)),
        "words of objects": (np.array(_Runs(), dtype=object), rng.normal(size=(5, 3))),
        "a list of words": (np.array(words.split("\n")), rng.normal(size=(5, 3))),
        "halves": (words, rng.normal(size=(5, 3)).astype(np.float16)),
    }
    told, vectors = odd[str(rng.choice(list(odd)))]
    file = io.BytesIO()
    names = ("words", "vectors") if chance(rng, 0.95) else ("words", "other")
    np.savez_compressed(file, allow_pickle=True, **{names[0]: told, names[1]: vectors})
    content = file.getvalue()
    if chance(rng, 0.1):
        content = content.replace(b"(5, 3)", b"(5,3" + b"0" * 9 + b")")
    return damaged(rng, content) if chance(rng, 0.25) else content
