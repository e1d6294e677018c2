"""What a table and its protected attributes must be before anything is made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from expga.domain.schema import Schema
from expga.errors import InputError
from expga.inputs import or_meant

MOST_COLUMNS = 10_000


def check_columns(columns: pd.Index[Any], where: str) -> None:
    """Raises unless the columns can be told apart by their names, and are not too many to search."""
    if columns.nlevels > 1:
        raise InputError(f"The columns of {where} have names of several levels; join them into one.")
    if twice := [name for name, count in Counter(map(str, columns)).items() if count > 1]:
        raise InputError(f"The column {twice[0]!r} stands twice in {where}; rename one of them.")
    if len(columns) > MOST_COLUMNS:
        raise InputError(
            f"There are {len(columns):,} columns in {where}, and an audit takes {MOST_COLUMNS:,} at most; "
            "give those that the model uses."
        )


def check_protected(names: Sequence[str], rows: int, protected: Sequence[str], schema: Schema) -> None:
    """Raises unless there are rows with these columns, and each protected attribute is one of them or of the schema."""
    if not rows:
        raise InputError("The data has no rows; an audit needs at least two.")
    if not protected:
        raise InputError("No protected attribute was named; give at least one column, such as sex.")
    if len(set(protected)) < len(protected):
        raise InputError("A protected attribute is named twice; name each once.")
    schema.check_columns(names)
    schema.check_attributes(names)
    for name in protected:
        rule = schema.protected.get(name)
        if name not in names and (rule is None or not rule.links or rule.values is None):
            several = [part.strip() for part in name.split(",")]
            raise InputError(
                f"The protected column {name!r} is not in the data; give several as a list, {several}."
                if len(several) > 1 and set(several) <= set(names)
                else f"The protected column {name!r} is not in the data; {or_meant(name, names)}"
            )
