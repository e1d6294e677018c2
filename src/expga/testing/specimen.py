"""What strategies are tried on: a small subject of some kind, with all that is particular to its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from expga.contracts import BoolArray, Domain, FloatArray, IndexArray, IntArray, Manner, Realism
from expga.results import Audit

Scorer: TypeAlias = Callable[[Any], FloatArray]
"""Rows as a model takes them in, scores (n,) from 0 to 1 out: above a half, a row is positive."""


@dataclass(frozen=True, kw_only=True)
class Variation:
    """The same subject once more, but for what is given here."""

    rows: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of an audit."""
    biased: Scorer | None = None


@dataclass(frozen=True, kw_only=True)
class Ending(Variation):
    """A subject with so few samples that a search comes to its end."""

    tested: tuple[int, int]
    """How many samples there are to test, at least and at most."""
    found: tuple[int, int]
    """How many of them are discriminatory, at least and at most."""
    fixed: bool = False
    """Whether nothing can be changed, so that its samples are the real rows."""


@dataclass(frozen=True, kw_only=True)
class Specimen:
    """A subject to try strategies on.

    A kind of one's own needs the fields without defaults, and does well to say more: what a demand needs and is not
    given leaves that demand out, with a reason. What a field cannot say is a method to write anew.
    """

    kind: str
    """The name of its kind, as `expga.subjects.KINDS` has it."""
    rows: Any
    """Some 100 rows, some of which the model treats differently from their twins."""
    protected: Sequence[str]
    biased: Scorer
    """Treats some rows differently from their twins, so that a few hundred queries find some thirty samples."""
    fair: Scorer
    """Ignores what is protected."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of every audit, such as a schema."""
    unprotected: Callable[[Any], Any] | None = None
    """What of a row, as one of the sides of `Audit.twins`, no reading changes; it must have a hash."""
    realisms: tuple[Realism, ...] = ("data", "domain")
    """What its kind knows of, the usual one first."""
    queries: Mapping[Manner, int] = field(default_factory=lambda: {"batched": 2_000, "faithful": 800})
    """The usual budget, in which most strategies find thirty samples."""
    gradients: Callable[[Any], FloatArray] | None = None
    """(n, columns) what a biased model that offers gradients says of them, for strategies that need gradients."""
    small: Specimen | None = None
    """The same with some thousand samples in all, for strategies that test small domains only."""
    crossed: Variation | None = None
    """With several protected attributes."""
    dear: Sequence[Variation] = ()
    """Where a single sample, or an explanation, takes all of a small budget."""
    alone: Variation | None = None
    """A single row."""
    many: Variation | None = None
    """Many rows, each with few samples around it."""
    twinless: Variation | None = None
    """Where no sample has a twin."""
    around: Callable[[], AbstractContextManager[Any]] = nullcontext
    """What to be inside of while an audit runs."""

    def endings(self, realism: Realism) -> Sequence[Ending]:  # noqa: ARG002 - few kinds have any
        """Subjects with so few samples that a search comes to its end."""
        return ()

    def told(self, audit: Audit, scorer: Scorer) -> tuple[FloatArray, FloatArray]:
        """(n,) and (n,) what a model says when it is asked directly about both sides of every finding."""
        one, other = audit.twins()
        return np.asarray(scorer(one)), np.asarray(scorer(other))

    def check_twins(self, audit: Audit) -> None:
        """Fails unless twins differ in what is protected and nowhere else, and no two findings but for that."""
        one, other = audit.twins()
        assert all(a != b for a, b in zip(one, other, strict=True))
        if self.unprotected is not None:
            kept, twins = ([self.unprotected(row) for row in side] for side in (one, other))
            assert kept == twins
            assert len(set(kept)) == len(kept)

    def check_findings(self, audit: Audit) -> None:
        """Fails unless findings say truly how they came from their anchors, and keep what they must."""

    def check_proposed(self, domain: Any, genomes: IntArray, anchor: IndexArray) -> None:
        """Fails unless genomes (n, d) near their anchors (n,) mean rows that may be asked about."""

    def strange(self, audit: Audit) -> BoolArray | None:  # noqa: ARG002 - distances tell enough of most kinds
        """(n,) the findings with values that only the realism "domain" allows; None: their distance tells them."""
        return None

    def reach(self, domain: Domain) -> float:
        """The furthest that the realism "data" lets an individual be from its anchor."""
        return domain.radius
