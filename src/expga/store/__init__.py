"""Where long work is kept while it goes on, and what of a folder is ours."""

from expga.store.arrays import pack, unpack
from expga.store.records import decoded, decoding, kept, kept_plan, plan_record
from expga.store.shelf import Shelf
from expga.store.store import NAME, Store, damaged

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
