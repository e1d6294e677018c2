"""Plurals of English nouns, by rule."""

from __future__ import annotations

ENDINGS = {"wife": "wives", "child": "children", "thief": "thieves", "passerby": "passersby", "hero": "heroes"}
"""Nouns that bend in their own way, alone or at the end of a compound."""
REGULAR = ("german", "human", "norman", "ottoman", "roman", "shaman", "talisman")
"""Their -man is no man."""
ALIKE = ("ese", "ois")
HARD = ("iarch", "narch", "czech")
"""Their -ch is a k."""
VOWELS = frozenset("aeiou")


def plural(noun: str) -> str:
    """The plural of a noun or of a compound whose last word it is; `daughter-in-law` bends its first word."""
    first, joint, rest = noun.partition("-in-")
    if joint:
        return plural(first) + joint + rest
    lower = noun.lower()
    for ending, bent in ENDINGS.items():
        if lower.endswith(ending):
            return noun[: -len(ending)] + bent
    if lower.endswith("man") and not lower.endswith(REGULAR):
        return noun[:-2] + "en"
    if lower.endswith(ALIKE):
        return noun
    if lower.endswith(("s", "x", "z", "ch", "sh")) and not lower.endswith(HARD):
        return noun + "es"
    if lower.endswith("y") and lower[-2:-1] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"
