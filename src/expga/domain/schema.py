"""A user's word on the data: types, bounds, immutables, forbidden combinations, protected readings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from expga.errors import InputError
from expga.inputs import in_short, or_meant, read_toml

Kind: TypeAlias = Literal["categorical", "boolean", "integer", "continuous", "identifier"]
KINDS: tuple[Kind, ...] = ("categorical", "boolean", "integer", "continuous", "identifier")


@dataclass(frozen=True, slots=True)
class FeatureRule:
    """What the schema says of one column; None: inferred from the data."""

    type: Kind | None = None
    values: tuple[Any, ...] | None = None
    min: float | None = None
    max: float | None = None
    immutable: bool | None = None
    unseen: bool | None = None
    """Whether the schema may name values of it that no row has; None: as it says of all columns."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A set of values of one column: the values listed, or those in the range."""

    column: str
    values: tuple[Any, ...] | None = None
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A column that changes with a protected attribute: one value for each reading's name."""

    column: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProtectedRule:
    """How a protected attribute is read: at these values or one value a bin, with linked columns."""

    values: tuple[Any, ...] | None = None
    bins: tuple[float, ...] | None = None
    links: tuple[Link, ...] = ()
    as_it_is: bool | None = None
    """Whether each row is also read at the value that it has; None: of a number that has more values than these."""


@dataclass(frozen=True, slots=True)
class OneHotRule:
    """Columns of 0 and 1 that are one feature."""

    columns: tuple[str, ...]
    none: str | None = None
    """The value of a row that has 0 in all of them; None: it is missing there."""
    cells: tuple[tuple[float, float], ...] | None = None
    """What stands in each column for 0 and for 1, where that is something else."""


RuleKind: TypeAlias = Literal["at_most", "determines", "sums", "exclusive"]
RULES: tuple[RuleKind, ...] = ("at_most", "determines", "sums", "exclusive")


@dataclass(frozen=True, slots=True)
class Rule:
    """What no row breaks: the first number is at most the second, the first column tells the second, the last number
    is the sum of the others, or a row has one of these flags at most."""

    kind: RuleKind
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowRules:
    """Rules between columns."""

    find: bool = True
    """Whether those that no row breaks are looked for, besides those named."""
    named: tuple[Rule, ...] = ()
    off: tuple[tuple[str, ...], ...] = ()
    """Columns between which none is looked for."""


@dataclass(frozen=True, slots=True)
class Schema:
    """All rules, by column and by protected attribute."""

    features: Mapping[str, FeatureRule] = field(default_factory=dict)
    forbid: tuple[tuple[Condition, ...], ...] = ()
    protected: Mapping[str, ProtectedRule] = field(default_factory=dict)
    one_hot: Mapping[str, OneHotRule | None] = field(default_factory=dict)
    """By name, features that stand in several columns; None: there is none of that name, or of any ("*")."""
    unseen: bool = False
    """Whether it may name values that no row has, such as one that is made for more rows than these."""
    rules: RowRules = field(default_factory=RowRules)

    def as_dict(self) -> dict[str, Any]:
        """The rules as `read_schema` takes them, in values that JSON has."""
        return {
            **({"unseen": True} if self.unseen else {}),
            "features": {name: _given(asdict(rule)) for name, rule in self.features.items()},
            "forbid": [{c.column: _meant(c) for c in group} for group in self.forbid],
            "protected": {
                name: {
                    **_given({"values": rule.values, "bins": rule.bins, "as_it_is": rule.as_it_is}),
                    "link": [{link.column: dict(link.values)} for link in rule.links],
                }
                for name, rule in self.protected.items()
            },
            "one_hot": {name: False if rule is None else _given(asdict(rule)) for name, rule in self.one_hot.items()},
            "rules": {
                "find": self.rules.find,
                **{kind: [list(rule.columns) for rule in self.rules.named if rule.kind == kind] for kind in RULES},
                "off": [list(columns) for columns in self.rules.off],
            },
        }

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raises unless every column the schema names is there."""
        named = {
            *self.features,
            *(condition.column for group in self.forbid for condition in group),
            *(link.column for rule in self.protected.values() for link in rule.links),
            *(column for rule in self.rules.named for column in rule.columns),
            *(column for columns in self.rules.off for column in columns),
        }
        missing = sorted(named - set(columns))
        if missing:
            raise InputError(
                f"The schema names the column {missing[0]!r}, which the data does not have; "
                f"{or_meant(missing[0], columns)}"
            )

    def check_attributes(self, columns: Sequence[str]) -> None:
        """Raises unless every attribute the schema protects can be read."""
        for name, rule in self.protected.items():
            if name not in columns and (rule.values is None or not rule.links):
                raise InputError(
                    f"The schema protects {name!r}, which is no column of the data; "
                    "an attribute without a column needs values and links."
                )


def _given(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in rule.items() if value is not None
    }


def _meant(condition: Condition) -> Any:
    if condition.values is not None:
        return list(condition.values)
    return _given({"min": condition.min, "max": condition.max})


def read_schema(source: Schema | Mapping[str, Any] | str | Path | None) -> Schema:
    """A schema from a mapping, a TOML file, or nothing at all."""
    if source is None:
        return Schema()
    if isinstance(source, Schema):
        return source
    if isinstance(source, Mapping):
        return _schema(source)
    if isinstance(source, str | Path):
        return _schema(read_toml(source, "schema file"))
    raise InputError(f"The schema is a {type(source).__name__}; give a mapping or the path of a TOML file.")


def _schema(source: Mapping[str, Any]) -> Schema:
    _known(source, "The schema", "features", "forbid", "protected", "one_hot", "unseen", "rules")
    one_hot = _mapping(source.get("one_hot", {}), "one_hot")
    features = _mapping(source.get("features", {}), "features")
    protected = _mapping(source.get("protected", {}), "protected")
    return Schema(
        features={str(name): _feature(str(name), rule) for name, rule in features.items()},
        forbid=tuple(_forbid(group) for group in _list(source.get("forbid", ()), "forbid")),
        protected={str(name): _protected(str(name), rule) for name, rule in protected.items()},
        one_hot={str(name): _one_hot(str(name), rule) for name, rule in one_hot.items()},
        unseen=bool(_truth(source, "unseen", "all columns")),
        rules=_rules(source.get("rules", {})),
    )


def _feature(name: str, source: Any) -> FeatureRule:
    rule = _mapping(source, f"features.{name}")
    _known(rule, f"features.{name}", "type", "values", "min", "max", "immutable", "unseen")
    kind = rule.get("type")
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise InputError(f"The schema gives {name!r} the type {in_short(kind)}; choose one of {', '.join(KINDS)}.")
    low, high = _number(rule, "min", name), _number(rule, "max", name)
    if low is not None and high is not None and low > high:
        raise InputError(f"The schema's min of {name!r}, {low:g}, is above its max, {high:g}.")
    values = rule.get("values")
    return FeatureRule(
        type=kind,
        values=None if values is None else _plain(_list(values, f"features.{name}.values"), name),
        min=low,
        max=high,
        immutable=_truth(rule, "immutable", repr(name)),
        unseen=_truth(rule, "unseen", repr(name)),
    )


def _forbid(source: Any) -> tuple[Condition, ...]:
    group = _mapping(source, "forbid")
    if not group:
        raise InputError("The schema's forbid has an empty entry; name at least one column in it.")
    return tuple(_condition(str(column), value) for column, value in group.items())


def _condition(column: str, value: Any) -> Condition:
    if isinstance(value, Mapping):
        _known(value, f"The forbidden range of {column!r}", "min", "max")
        return Condition(column, None, _number(value, "min", column), _number(value, "max", column))
    if isinstance(value, list | tuple | set):
        return Condition(column, _plain(tuple(value), column))
    return Condition(column, _plain((value,), column))


def _protected(name: str, source: Any) -> ProtectedRule:
    rule = _mapping(source, f"protected.{name}")
    _known(rule, f"protected.{name}", "values", "bins", "as_it_is", "link")
    if "values" in rule and "bins" in rule:
        raise InputError(f"The schema gives protected {name!r} both values and bins; keep one.")
    values, bins = rule.get("values"), rule.get("bins")
    if bins is not None and not _rising(_list(bins, f"protected.{name}.bins")):
        raise InputError(f"The bins of protected {name!r} must be at least three rising numbers.")
    return ProtectedRule(
        values=None if values is None else _plain(_list(values, f"protected.{name}.values"), name),
        bins=None if bins is None else tuple(_float(edge, f"bins of protected {name!r}") for edge in bins),
        links=tuple(
            _link(str(column), named)
            for link in _list(rule.get("link", ()), f"protected.{name}.link")
            for column, named in _mapping(link, f"protected.{name}.link").items()
        ),
        as_it_is=_truth(rule, "as_it_is", f"protected {name!r}"),
    )


def _one_hot(name: str, source: Any) -> OneHotRule | None:
    """Columns, a mapping with the value of none of them, or false."""
    if source is False:
        return None
    rule = source if isinstance(source, Mapping) else {"columns": source}
    _known(rule, f"one_hot.{name}", "columns", "none", "cells")
    columns, none = _list(rule.get("columns", ()), f"one_hot.{name}"), rule.get("none")
    cells = None if rule.get("cells") is None else _cells(name, rule["cells"], len(columns))
    if name == "*" or not columns or not all(isinstance(column, str) for column in columns):
        raise InputError(
            f"The schema's one_hot.{name} must be a list of columns, or false where there is no such feature; "
            '"*" = false is for all that are not named.'
        )
    if none is not None and not isinstance(none, str):
        raise InputError(f"The schema's one_hot.{name}.none must be a name for rows with none of the columns.")
    return OneHotRule(tuple(columns), none, cells)


def _cells(name: str, source: Any, count: int) -> tuple[tuple[float, float], ...]:
    """The two numbers in each of so many columns."""
    cells = _list(source, f"one_hot.{name}.cells")
    pairs = [_list(pair, f"one_hot.{name}.cells") for pair in cells]
    numbers = all(isinstance(cell, int | float) and not isinstance(cell, bool) for pair in pairs for cell in pair)
    if len(pairs) != count or not numbers or not all(len(pair) == 2 and pair[0] < pair[1] for pair in pairs):
        raise InputError(
            f"The schema's one_hot.{name}.cells must be two rising numbers for each column, for no and for yes."
        )
    return tuple((_float(no, f"one_hot.{name}.cells"), _float(yes, f"one_hot.{name}.cells")) for no, yes in pairs)


def _rules(source: Any) -> RowRules:
    """A mapping, or false where none are to be found and none are named."""
    if source is False:
        return RowRules(find=False)
    rules = _mapping(source, "rules")
    _known(rules, "rules", "find", *RULES, "off")
    named = [Rule(kind, _columns(columns, kind)) for kind in RULES for columns in _list(rules.get(kind, ()), kind)]
    find = _truth(rules, "find", "rules")
    return RowRules(
        find=find is not False,
        named=tuple(named),
        off=tuple(_columns(columns, "off") for columns in _list(rules.get("off", ()), "rules.off")),
    )


def _columns(source: Any, kind: str) -> tuple[str, ...]:
    """The different columns of a rule: two, or more where that can be."""
    columns = tuple(_list(source, f"rules.{kind}"))
    least, most = {"sums": (3, len(columns)), "exclusive": (2, len(columns)), "off": (1, len(columns))}.get(
        kind, (2, 2)
    )
    texts = all(isinstance(column, str) for column in columns)
    if not texts or len(set(columns)) < len(columns) or not least <= len(columns) <= most:
        many = f"{least} different columns" if most == least else f"{least} or more different columns"
        raise InputError(f"The schema's rules.{kind} must be lists of {many} each, not {in_short(list(columns))}.")
    return columns


def _link(column: str, source: Any) -> Link:
    named = _mapping(source, f"link {column}")
    return Link(column, dict(zip(map(str, named), _plain(tuple(named.values()), column), strict=True)))


def _plain(values: Sequence[Any], column: str) -> tuple[Any, ...]:
    """The values, once each of them is known to be one that a cell can have."""
    for value in values:
        if isinstance(value, tuple | frozenset) or getattr(value, "__hash__", None) is None:
            raise InputError(
                f"The schema gives {column!r} the value {in_short(value)}, which is a list or a table of values."
            )
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            raise InputError(
                f"The schema gives {column!r} the value {in_short(value)}, which has more digits than a column of "
                "numbers holds; if its cells are text, write it in quotes."
            )
    return tuple(values)


def _rising(edges: Sequence[Any]) -> bool:
    numbers = all(isinstance(edge, int | float) and not isinstance(edge, bool) for edge in edges)
    return numbers and len(edges) >= 3 and all(edge < following for edge, following in pairwise(edges))


def _known(source: Mapping[str, Any], where: str, *names: str) -> None:
    unknown = [str(name) for name in source if name not in names]
    if unknown:
        raise InputError(f"{where} has an unknown entry {unknown[0]!r}; it may have {', '.join(names)}.")


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"The schema's {where} must be a table of names and values, not {in_short(value)}.")
    return cast(Mapping[str, Any], value)


def _list(value: Any, where: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise InputError(f"The schema's {where} must be a list, not {in_short(value)}.")
    return value


def _truth(rule: Mapping[str, Any], name: str, column: str) -> bool | None:
    value = rule.get(name)
    if value is not None and not isinstance(value, bool):
        raise InputError(f"The schema's {name} of {column} must be true or false, not {in_short(value)}.")
    return value


def _number(rule: Mapping[str, Any], name: str, column: str) -> float | None:
    value = rule.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"The schema's {name} of {column!r} must be a number, not {in_short(value)}.")
    number = _float(value, f"{name} of {column!r}")
    if not math.isfinite(number):
        raise InputError(f"The schema's {name} of {column!r} is {number}; leave it out where there is no bound.")
    return number


def _float(value: int | float, where: str) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise InputError(f"The schema's {where} has too many digits for a number; round it.") from error
