"""TOML as it should be, and as it should not."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import numpy as np

from campaign.odd import CELLS, NAMES, chance, damaged, pick

Rng: TypeAlias = np.random.Generator


class Raw(str):
    """What stands in a file just so."""

    __slots__ = ()


ODD_VALUES: tuple[Any, ...] = (
    *(
        Raw(word)
        for word in ("nan", "inf", "-inf", "1e999", "-1e999", "1e-999", "0x7f", "0o7", "0b1", "1_000", "-0.0", "+5")
    ),
    *(Raw(word) for word in ("2020-01-01", "2020-01-01T00:00:00Z", "07:32:00", "1979-05-27T00:32:00.999999-07:00")),
    *(Raw("9" * digits) for digits in (19, 20, 25, 400, 5_000)),
    *(
        Raw(word)
        for word in (
            "",
            "nope",
            "'",
            '"',
            '"""\na\n"""',
            "'''a'''",
            '"\\ud800"',
            '"\\U0010ffff"',
            '"\\x"',
            "[",
            "{",
            "[1,,2]",
        )
    ),
    *(Raw("[" * depth + "]" * depth) for depth in (2, 90, 3_000)),
    *(Raw("{a=" * depth + "1" + "}" * depth) for depth in (2, 90, 3_000)),
    *(0, 1, -1, 2, 1.5, -1.5, 1e308, 2**53 + 1, 2**63 - 1, -(2**63), True, False),
    *([], {}, [1], ["a"], [1, "a"], [[1], [2]], [True, False], [1.5, Raw("nan")], {"a": 1}, {"": ""}, [{}], [{"a": 1}]),
    *(
        [1, 2, 3],
        [3, 2, 1],
        [1, 1, 1],
        [1.0, Raw("inf"), 3.0],
        list(range(300)),
        ["x" * 5_000],
        {"min": 1},
        {"max": "a"},
    ),
    *CELLS,
)


def toml(value: Any) -> str:
    """A value in TOML, tables inline."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_text(name)} = {toml(of)}" for name, of in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)


def document(rng: Rng, tables: dict[str, Any]) -> bytes:
    """A file of these tables, after one or two odd things have been done to them, or to the file itself."""
    for _ in range(int(rng.choice([0, 1, 2, 4], p=[0.45, 0.35, 0.15, 0.05]))):
        changed = _changed(rng, tables)
        tables = changed if isinstance(changed, dict) else {pick(rng, list(tables) or NAMES): changed}
    lines = [f"{_text(name)} = {toml(value)}" for name, value in tables.items()]
    if chance(rng, 0.03):
        lines.append("[" + ".".join(["a"] * int(rng.choice([3, 300, 3_000]))) + "]")
    if chance(rng, 0.03):
        lines.append(pick(rng, lines) if lines else "")
    content = ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
    if chance(rng, 0.02):
        content = content.decode(errors="replace").encode("utf-16")
    return damaged(rng, content) if chance(rng, 0.06) else content


def _changed(rng: Rng, value: Any) -> Any:
    """A value with something odd somewhere inside it."""
    if isinstance(value, dict) and value:
        name = pick(rng, list(value))
        match int(rng.integers(10)):
            case 0:
                return {other: of for other, of in value.items() if other != name}
            case 1:
                return {**value, pick(rng, NAMES): pick(rng, ODD_VALUES)}
            case 2:
                return {pick(rng, NAMES) if other == name else other: of for other, of in value.items()}
            case 3:
                return {**value, name: pick(rng, ODD_VALUES)}
            case _:
                return {**value, name: _changed(rng, value[name])}
    if isinstance(value, list) and value and chance(rng, 0.7):
        place = int(rng.integers(len(value)))
        match int(rng.integers(4)):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return [*value, value[place]]
            case _:
                return [_changed(rng, of) if number == place else of for number, of in enumerate(value)]
    return pick(rng, ODD_VALUES)
