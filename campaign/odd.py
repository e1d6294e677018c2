"""Odd things to hand to a command: names, cells, bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

ESCAPES = (
    "\x1b[2J\x1b[31mred",
    "\x1b]0;title\x07",
    "a\x08\x08b",
    "\x9b1A",
    "\u202egnp.exe",
    "\u2066hidden\u2069",
    "\x7f",
)
RESULTS = ("label", "label__twin", "score", "score__twin", "gap", "anchor", "distance", "expga__label", "expga__score")
NAMES = (
    *RESULTS,
    *("age__twin", "sex__twin", "text", "text__twin", "word", "changed", "names", "hired", "sex", "age", "Sex", "sex "),
    *("", " ", "0", "-1", "Unnamed: 0", "index", "level_0", "__index_level_0__", "nan", "None", "NaN", "1e400", "self"),
    *(
        "\U0001f98a",
        "\u00e9",
        "e\u0301",
        "\ufeffage",
        "\u00a0",
        "\u200d",
        "\U0010ffff",
        "a,b",
        'a"b',
        "a'b",
        "a;b",
        "\\",
        "%s",
        "{0}",
    ),
    *("a\nb", "a\r\nb", "a\tb", "[bold red]x[/]", "[/]", "../up", "__class__", "class", "x" * 3_000, *ESCAPES),
)
CELLS = (
    *(
        "",
        " ",
        "NA",
        "nan",
        "None",
        "null",
        "<NA>",
        "inf",
        "-inf",
        "Infinity",
        "1e400",
        "-1e400",
        "1e-400",
        "-0",
        "0x10",
    ),
    *("9" * 25, "-" + "9" * 25, "9" * 400, "1_000", "1,5", "1.", ".5", "1e5", "+3", "--3", "9223372036854775808"),
    *(
        "true",
        "False",
        "yes",
        "2020-01-01",
        "2020-01-01T00:00:00Z",
        "0001-01-01",
        "24:61",
        "P1D",
        "1+2j",
        "[1, 2]",
        "{}",
    ),
    *(
        "=cmd()",
        "\U0001f98a",
        "\u00e9",
        "e\u0301",
        "\ufeff",
        "\u00a0",
        "\u200b",
        "[bold]x",
        "[/]",
        "a\nb",
        'a"b',
        "a,b",
        "\\",
    ),
    *("|", "he|she", "\u2192", "\x00", "x" * 20_000, *ESCAPES),
)
NUMBERS = (0, -1, 1, 1e308, -1e308, 1e-320, 2**53 + 1, 2**63 - 1, -(2**63), 0.1, 1e15, 1e300, 255, 1e5)
TEXTS = (
    *("", " ", ".", "...!?,;:", "he", "He", "HE", "she.", "my wife and her husband and their father", "maria", "MARIA"),
    *("Maria|John", "he|she said", "the king's queen", "actor/actress", "Mr. Mrs. Ms.", "a master's degree", "an hour"),
    *(
        "\U0001f98a she \U0001f98a",
        "he\u0301 said",
        "\u201che\u201d said \u2018she\u2019",
        "he\u200dshe",
        "\u202ehe said\u202c",
        "he\x00she",
        "he\x1b[31m she",
    ),
    *(
        "he " * 400,
        "she " + "x" * 30_000,
        "he\nshe\r\n\ther",
        "\ufeffhe",
        "h\u0435 said",
        "He's she'd they've",
        "he-she",
        "@he #she",
    ),
    *(
        "he, he, he and she, she and him and her",
        "the man" + "!" * 3_000,
        "\u4ed6\u8bf4",
        "\u0434\u0435\u0432\u043e\u0447\u043a\u0430",
        "1 2 3 4",
        "a\u2028b he",
        "\x85he",
        "[bold]he[/] → she",
    ),
)
WORDS = (
    *(
        "",
        " ",
        "-",
        "--",
        "-1",
        "0",
        "1",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "1e-999",
        "9" * 30,
        "0x10",
        "1_0",
        "1.5",
        "true",
    ),
    *(
        "auto",
        "none",
        "None",
        "all",
        "NaN",
        "\U0001f98a",
        "\u00e9",
        "\u202eabc",
        "a,b",
        ",",
        ",,",
        ", ,",
        "a\nb",
        "\x1b[31m",
        "\\",
        "\\x1b",
    ),
    *(
        "/",
        ".",
        "..",
        "~",
        "/dev/null",
        "/dev/zero",
        "/proc/self/mem",
        "x" * 300,
        "x" * 5_000,
        "[bold]x[/]",
        "%s%n",
        "{}",
        "'",
        '"',
    ),
    *(
        "sex",
        "sex,sex",
        "sex,age",
        "age",
        "gender",
        "hired",
        "job",
        "people.csv",
        "out",
        "--help",
        "--out",
        "audit",
        "10s",
        "1h30m",
    ),
)


def pick(rng: np.random.Generator, things: Any) -> Any:
    """One of them."""
    return things[int(rng.integers(len(things)))]


def chance(rng: np.random.Generator, share: float) -> bool:
    return bool(rng.random() < share)


def damaged(rng: np.random.Generator, content: bytes) -> bytes:
    """Content with some of its bytes flipped, inserted, cut, doubled or moved."""
    told = bytearray(content)
    for _ in range(int(rng.choice([1, 1, 1, 2, 5, 30]))):
        size = len(told)
        at = int(rng.integers(size + 1))
        stop = min(size, at + int(rng.choice([1, 2, 8, 64, 1_000])))
        match int(rng.integers(6)):
            case 0 if at < size:
                told[at] ^= 1 << int(rng.integers(8))
            case 1:
                told[at:at] = rng.bytes(int(rng.choice([1, 2, 16])))
            case 2:
                del told[at:stop]
            case 3:
                told[at:at] = told[at:stop]
            case 4:
                told[at:at] = pick(rng, CELLS).encode()
            case _ if chance(rng, 0.3):
                del told[at:]
    return bytes(told)
