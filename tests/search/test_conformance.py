"""Every strategy of ours is held to what all owe. A new one is tested by being in STRATEGIES."""

from __future__ import annotations

from expga.search import of_kind
from expga.testing import Conformance, Target, tables, texts

FLAGS = {
    ("table", "expga-published"): {"queries": {"faithful": 1_000}},
    ("table", "sg"): {"queries": {"batched": 3_000, "faithful": 3_000}},
    ("table", "adf"): {"queries": {"batched": 2_500, "faithful": 1_500}, "digs": ("faithful",)},
    ("table", "exhaustive"): {"small_domains_only": True},
    ("text", "expga"): {"digs": ("batched",)},
    ("text", "expga-published"): {"digs": ("batched", "faithful")},
    ("text", "mtnlp"): {"queries": {"faithful": 3_000}},
}
"""What some of them cost or lack, by kind and name."""


def ours(kind):
    return [Target(strategy, **FLAGS.get((kind, name), {})) for name, strategy in of_kind(kind).items()]


class TestOnTables(Conformance):
    target = ours("table")
    subjects = (tables(),)


class TestOnTexts(Conformance):
    target = ours("text")
    subjects = (texts(),)
