"""Records as they come back: each of the form that this version writes, or a sentence on what it is instead."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from expga.errors import InputError
from expga.plain import as_json
from expga.store.form import NAME
from expga.store.saying import damaged
from expga.store.store import Store

FORMAT = 2
"""Of the plan, and of what goes with it."""
PLAN = "plan"
Decoded = TypeVar("Decoded")


class _Format(msgspec.Struct):
    """What a plan of any version says."""

    format: int


class _Plan(_Format, forbid_unknown_fields=True):
    """What was to be done."""

    settings: dict[str, Any]


def plan_record(settings: Mapping[str, Any]) -> bytes:
    """A plan, plain values only, as it is kept."""
    return as_json({"format": FORMAT, "settings": settings})


def kept_plan(store: Store) -> dict[str, Any]:
    """The plan of the run in a store, which must be of this version."""
    told = store.get(PLAN) or b"{}"
    try:
        known = decoded(told, _Format).format
    except (msgspec.MsgspecError, ValueError, RecursionError):
        known = None
    if known != FORMAT:
        which = "without a format" if known is None else f"of format {known}"
        raise InputError(
            f"The {store.kind} in {store.folder} was begun by another version of expga (its plan is {which}, this one "
            f"writes {FORMAT}); go on with that version, or start anew in another folder."
        )
    with decoding(store, PLAN):
        return decoded(told, _Plan).settings


def decoded(told: bytes, kind: type[Decoded]) -> Decoded:
    """JSON as something of this type; numbers in it may be of any size."""
    return msgspec.convert(json.loads(told), kind)


def kept(store: Store, name: str, decode: Callable[[bytes], Decoded]) -> Decoded | None:
    """A record of the run, if it is there."""
    told = store.get(name)
    if told is None:
        return None
    with decoding(store, name):
        return decode(told)


@contextmanager
def decoding(store: Store, name: str) -> Iterator[None]:
    """Turns what a record of another form leads to into one sentence."""
    try:
        yield
    except (msgspec.MsgspecError, struct.error, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"its record {name!r} is not one that this version of expga writes: {type(error).__name__}: {error}"
        raise damaged(store.path or Path(NAME), reason) from error
