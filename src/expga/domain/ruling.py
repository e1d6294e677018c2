"""The rules of a table: those that its schema names, and those that none of its rows breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expga.contracts import BoolArray, IntArray
from expga.domain.features import Feature
from expga.domain.regularities import regularities
from expga.domain.rules import Holding, Rules, holding
from expga.domain.schema import RowRules, Rule
from expga.errors import InputError
from expga.inputs import in_short

TOLD = 6
"""Rules that a note has room for."""


def rules_of(
    declared: RowRules,
    rows: IntArray,
    features: Sequence[Feature],
    genes: Sequence[int],
    mutable: BoolArray,
    unseen: bool,
) -> Rules:
    """All rules of a table.

    Args:
        declared: what its schema says of them.
        rows: (N, d) of the table.
        features: by gene.
        genes: those that a rule may speak of; one that speaks of others is none.
        mutable: (d,) genes that may be mended.
        unseen: whether the schema is for more rows than these, which may break what it names.

    Raises:
        InputError: the rows break what it names.
    """
    place = {str(features[gene].name): gene for gene in genes}
    named, left_out = [], []
    for rule in declared.named:
        if not set(rule.columns) <= set(place):
            continue
        try:
            named.append((rule, _named(rule, [place[column] for column in rule.columns], features, rows)))
        except InputError:
            if not unseen:
                raise
            left_out.append(rule)
    known = {(rule.kind, rule.columns) for rule, _ in named}
    found = regularities(rows, features, genes) if declared.find else []
    found = [rule for rule in found if (rule.kind, rule.columns) not in known and not _off(rule, declared)]
    held_too = [holding(rule, [place[column] for column in rule.columns], features, rows) for rule in found]
    return Rules([*(held for _, held in named), *held_too], rows, mutable, found, [*_notes(found, left_out)])


def _named(rule: Rule, genes: Sequence[int], features: Sequence[Feature], rows: IntArray) -> Holding:
    """A rule about these genes, which all rows (N, d) keep."""
    held = holding(rule, genes, features, rows)
    if not (broken := held.broken(rows)).any():
        return held
    raise InputError(
        f"The schema's rules say that {said(rule)}, which {int(broken.sum()):,} of {len(rows):,} rows break, first "
        f"the row number {int(broken.argmax()):,}, counted from 0; mend the rows or the rules."
    )


def _off(rule: Rule, declared: RowRules) -> bool:
    return any(set(columns) <= set(rule.columns) for columns in declared.off)


def said(rule: Rule) -> str:
    """A rule in words."""
    names = [in_short(column)[1:-1] for column in rule.columns]
    if rule.kind == "at_most":
        return f"{names[0]} is at most {names[1]}"
    if rule.kind == "determines":
        return f"{names[0]} tells {names[1]}"
    if rule.kind == "sums":
        return f"{names[-1]} is {' + '.join(names[:-1])}"
    return f"a row is one of {', '.join(names)} at most"


def _said_once(rule: Rule, both: set[tuple[str, ...]]) -> str:
    """A rule in words, where its way back is not said too."""
    if rule.kind == "determines" and rule.columns in both:
        return f"{rule.columns[0]} and {rule.columns[1]} tell each other"
    return said(rule)


def _notes(found: Sequence[Rule], left_out: Sequence[Rule]) -> Iterator[str]:
    if found:
        both = {rule.columns[::-1] for rule in found if rule.kind == "determines"}
        told = [
            _said_once(rule, both) for rule in found if rule.columns not in both or rule.columns <= rule.columns[::-1]
        ]
        more = f", and {len(told) - TOLD:,} more" if len(told) > TOLD else ""
        yield (
            f"No row breaks these rules, and no typical sample does: {'; '.join(told[:TOLD])}{more}. "
            "The schema's rules can add some, and switch any off."
        )
    for rule in left_out[:TOLD]:
        yield f"The schema's rules say that {said(rule)}, which does not hold in these rows; that is left out."
