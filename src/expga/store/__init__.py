"""Where long work is kept while it goes on, and what of a folder is ours."""

from expga.store.arrays import pack, unpack
from expga.store.form import NAME
from expga.store.records import decoded, decoding, kept, kept_plan, plan_record
from expga.store.saying import damaged
from expga.store.shelf import Shelf
from expga.store.store import Store

__all__ = [
    "NAME",
    "Shelf",
    "Store",
    "damaged",
    "decoded",
    "decoding",
    "kept",
    "kept_plan",
    "pack",
    "plan_record",
    "unpack",
]
