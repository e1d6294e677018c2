"""The floor plan: what the rooms hand to each other, and nothing that needs more than numpy.

A strategy proposes a `Batch`, the oracle answers with a `Verdict`; or it asks about a `Probe`, or for `Gradients`.
Models answer with `Answers`.
Shapes: n samples, d genes, R readings, k classes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int32]
IndexArray: TypeAlias = npt.NDArray[np.intp]
KeyArray: TypeAlias = npt.NDArray[np.uint64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]

Realism: TypeAlias = Literal["data", "domain"]
Asking: TypeAlias = Literal["pair", "all"]
Manner: TypeAlias = Literal["batched", "faithful"]
"""Many walks at once, or one after the other as the paper of a strategy has it."""

TIE = 1e-6
"""A deciding score this close to its boundary is a tie: which side it falls on is rounding."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What a strategy proposes: genomes to be judged together with their twins."""

    genomes: IntArray
    """(n, d)"""
    anchor: IndexArray
    """(n,) the real row that each one stays near, a row number of `Domain.rows`."""
    pair: IndexArray | None = None
    """(n, 2) the readings most likely to disagree, for an oracle that asks only two."""

    def __len__(self) -> int:
        return len(self.genomes)


@dataclass(frozen=True, slots=True)
class Probe:
    """Genomes to be scored as they are, without twins: a strategy's question, answered with `Answers`."""

    genomes: IntArray
    """(n, d)"""

    def __len__(self) -> int:
        return len(self.genomes)


@dataclass(frozen=True, slots=True)
class Gradients:
    """Genomes at which a strategy asks for gradients: answered with (n, d), by how much the deciding log-odds
    rise when a gene goes one step up. Each genome counts as one query."""

    genomes: IntArray
    """(n, d)"""

    def __len__(self) -> int:
        return len(self.genomes)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the oracle answers about a batch of n samples, m of which it asked the model about."""

    novel: BoolArray
    """(n,) the first time this key is seen."""
    tested: IndexArray
    """(m,) the samples asked about: novel, with at least two valid readings. All that follows is about them."""
    unfair: BoolArray
    """(m,) two of the readings asked disagree."""
    complete: BoolArray
    """(m,) every valid reading was asked: only then is "not unfair" a proof."""
    gap: FloatArray
    """(m,) the largest score gap among the readings asked: the fitness."""
    pair: IndexArray
    """(m, 2) the two readings behind `gap`."""
    labels: IndexArray
    """(m, 2) the labels of that pair, as class numbers."""
    scores: FloatArray
    """(m, 2) the scores of that pair."""
    cut: bool
    """Whether samples were left untested for want of queries."""

    @property
    def found(self) -> IndexArray:
        """The discriminatory samples of the batch."""
        return self.tested[self.unfair]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model says about n inputs."""

    labels: IndexArray
    """(n,) class numbers; 0 where there are no labels."""
    scores: FloatArray
    """(n, k) one score a class: probabilities, decision values, or 0 and 1 where there are only labels; (n, 1) numbers
    where there are none."""
    margins: FloatArray
    """(n,) distance of the deciding score from the decision boundary; infinite where there are no labels."""


class Model(Protocol):
    """A model as a black box."""

    @property
    def classes(self) -> Sequence[Any]:
        """The k labels, in the user's own values; none where it predicts numbers that are compared as they are."""

    def ask(self, inputs: Any) -> Answers:
        """Answers for inputs as `Domain.decode` makes them."""


class Criterion(Protocol):
    """What counts as treating two readings differently. Pairs come as labels (n, 2), scores (n, 2), margins (n, 2)."""

    @property
    def name(self) -> str: ...

    @property
    def labels_decide(self) -> bool:
        """Whether only pairs with different labels can be unfair, so that of two classes one score decides. Where they
        need not differ, it is the widest gap between scores that is looked at."""

    @property
    def what(self) -> str:
        """What changes, in a word: "label", "score"."""

    def flips(self, labels: IndexArray, scores: FloatArray) -> BoolArray:
        """(n,) what the model's own answers say."""

    def unfair(self, labels: IndexArray, scores: FloatArray, margins: FloatArray) -> BoolArray:
        """(n,) those that do not hang on rounding: only they make findings."""

    def settings(self) -> dict[str, Any]:
        """What makes the same criterion again, by its arguments, in values that JSON has."""


Heard: TypeAlias = tuple[IntArray, Answers]
"""Genomes (n, d) as they were put to the model, each under one reading, and what it said of them."""

Ask: TypeAlias = Callable[[IntArray], Answers]
"""Genomes (n, d) in, answers out: the model behind the domain, with every query counted."""

GradientsOf: TypeAlias = Callable[[IntArray], FloatArray]
"""Genomes (n, d) in, gradients (n, d) out: what answers `Gradients` where a model offers gradients."""


class Readings(Protocol):
    """The versions of a sample that differ only in protected attributes."""

    @property
    def count(self) -> int:
        """R, the number of readings that are asked about."""

    @property
    def possible(self) -> int:
        """How many there are: more than are asked about where attributes have very many combinations."""

    def read(self, genomes: IntArray, reading: IndexArray) -> IntArray:
        """(n, d) each genome under the reading (n,) asked for."""

    def valid(self, genomes: IntArray) -> BoolArray:
        """(n, R) readings that break no constraint and repeat no other reading."""

    def own(self, genomes: IntArray) -> IndexArray | None:
        """(n,) the reading under which each genome stays as it is, -1 where there is none; None: nobody asks.

        One of the two that a sample is asked about, where the sample has it, and of two that disagree.
        """

    def voices(self, genomes: IntArray) -> IndexArray | None:
        """(n,) in how many voices a reading of each genome is asked about; None: in one each.

        Where names stand for a group, each name is a voice, and the majority speaks for the reading.
        """

    def speak(self, genomes: IntArray, voice: IndexArray) -> IntArray:
        """(n, d) each genome in the voice (n,) asked for."""


class Domain(Protocol):
    """The space that genomes live in, fitted to the user's data."""

    @property
    def rows(self) -> IntArray:
        """(N, d) the real rows, as genomes."""

    @property
    def anchors(self) -> IndexArray:
        """(A,) numbers of the rows that a search may start from."""

    @property
    def protected(self) -> BoolArray:
        """(d,) genes that a reading covers."""

    @property
    def mutable(self) -> BoolArray:
        """(d,) genes that a search may change."""

    @property
    def readings(self) -> Readings:
        """Every combination of the protected attributes' readings."""

    @property
    def attribute_readings(self) -> Mapping[str, Readings]:
        """The readings of each protected attribute alone, by its name."""

    @property
    def realism(self) -> Realism: ...

    @property
    def radius(self) -> float:
        """The furthest that an individual may be from its anchor."""

    def notes(self) -> list[str]:
        """What a summary should say of how it reads rows."""

    def scale(self, gene: int) -> FloatArray:
        """(v,) where each code of a gene lies among its others: numbers by their size, NaN what is none."""

    def prepare(self, enough: Callable[[], bool]) -> None:
        """Learns now what a search would otherwise wait for at its first batch.

        Args:
            enough: asked after each step; where it says so, what can do with less does. It may raise, to end it.
        """

    def decode(self, genomes: IntArray) -> Any:
        """What the model expects, for genomes (n, d)."""

    def keys(self, genomes: IntArray) -> KeyArray:
        """(n,) a hash of the genes that no reading covers: the identity of a sample."""

    def distance(self, genomes: IntArray, others: IntArray) -> FloatArray:
        """(n,) the distance of each genome (n, d) to its other (n, d)."""

    def admits(self, genomes: IntArray, anchor: IndexArray) -> BoolArray:
        """(n,) whether each genome (n, d) may be asked about near its anchor (n,): its values are known ones within
        bounds, what may not change is as it was, and it lies no further away than the radius."""

    def typical(self, genomes: IntArray) -> BoolArray:
        """(n,) whether each genome (n, d) looks no less real than nine in ten real rows do; all of them where too
        little is known to tell."""

    def within_reach(self, genomes: IntArray, anchor: IndexArray, rng: np.random.Generator) -> IntArray:
        """(n, d) the genomes with genes put back to their anchor's until the radius holds."""

    def mates(self, genomes: IntArray, anchor: IndexArray, rng: np.random.Generator) -> tuple[IntArray, IndexArray]:
        """For each genome (n, d) near its anchor (n,) another one that lies near: the mates, and their anchors."""

    def donors(self, genomes: IntArray, rng: np.random.Generator) -> IntArray:
        """(n, d) for each genome (n, d) one whose values it may take, from anywhere."""

    def mutated(self, genomes: IntArray, mask: BoolArray, rng: np.random.Generator) -> IntArray:
        """(n, d) the genomes with new values for the genes in the mask (n, d)."""


class Columns(Domain, Protocol):
    """A domain whose genes mean the same in every row: what explainers of tables and walks step by step need."""

    @property
    def behind(self) -> IndexArray:
        """(D,) the gene behind each column that the model takes."""

    def bins(self, genomes: IntArray) -> IntArray:
        """(d, n) which of a gene's few bins each genome (n, d) falls into: what explainers call equal."""

    def shifted(self, genomes: IntArray, steps: IntArray) -> IntArray:
        """(n, d) the genomes with each gene so many values (n, d or d) up or down, but no further than its bounds."""

    def choices(self, gene: int) -> IntArray:
        """(v,) the codes of a gene that a search may use, rising."""


class Texts(Domain, Protocol):
    """A domain whose rows are texts: what explainers of texts need."""

    def text(self, row: int) -> str:
        """The text of a row, as the user gave it."""

    def spans(self, row: int) -> IndexArray:
        """(w, 2) where each word of that text begins and ends."""

    def sensitive(self, row: int) -> BoolArray:
        """(w,) the words that a reading changes."""

    def may_change(self, rows: IndexArray) -> IndexArray:
        """(n,) how many words of each text (n,) may change."""

    def neighbours(self, rows: IndexArray) -> IntArray:
        """(m, d) every version of these texts (n,) with one word replaced, text by text."""


class Explainer(Protocol):
    """Weighs the parts of a row, columns or words, for the model's decision on it."""

    kinds: tuple[str, ...] = ()
    """The kinds of subject that it explains, by name; none: any."""

    @abstractmethod
    def queries(self, domain: Any, rows: int) -> int:
        """How many model queries it takes, at most, to explain that many rows."""

    @abstractmethod
    def ranks(self, model: Model, domain: Any, rows: IndexArray, rng: np.random.Generator) -> IndexArray:
        """(n,) for each row (n,) the best rank, from 1, of a protected part among all by their weight."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Real rows to start from, best first."""

    rows: IndexArray
    """(m,) row numbers."""
    promise: FloatArray
    """(m,) how likely a sample near the row is to be discriminatory; 1: the row itself is."""
    pair: IndexArray
    """(m, 2) the readings most likely to disagree."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a strategy may look at while it searches."""

    domain: Domain
    seeds: Seeds
    rng: np.random.Generator
    batch_size: int
    deciding: int | None = None
    """The class whose score decides between two labels; None where no one score does."""
    manner: Manner = "batched"
    queries_left: Callable[[], int | None] = lambda: None
    """How many more queries the budget allows by now; None: no limit."""
    compared: int | None = None
    """The class whose scores are compared; None where each pair has its own."""
    labels_decide: bool = True
    """Whether only pairs with different labels can be unfair; where they need not, it is gaps between scores."""
    asked: Callable[[KeyArray], BoolArray] = lambda keys: np.zeros(len(keys), dtype=bool)
    """Which samples were proposed before, by their keys (n,)."""
    heard: Callable[[], Sequence[Heard]] = tuple
    """All that the model was asked about readings, whoever asked, since this was called last; for a strategy that
    `learns`."""
    more_seeds: Callable[[], Seeds | None] = lambda: None
    """Real rows that were measured since this was called last, best first, if any were; for one that `learns`."""
    pace: Callable[[], float | None] = lambda: None
    """The seconds that an input takes the model; None: queries are what counts, and nothing may hang on the clock."""
    sizes: Callable[[], int] | None = None
    """Tells how many samples are worth asking about together by now; None: always as many."""

    @property
    def batch_size_now(self) -> int:
        """The size of the next batch: where time is what counts, what a call and a row take is learned on the way."""
        return self.batch_size if self.sizes is None else self.sizes()

    @property
    def walks(self) -> int:
        """How many walks, populations or inputs advance together; one at a time in the faithful manner."""
        return self.batch_size if self.manner == "batched" else 1


class Strategy(Protocol):
    """A way to search: `verdict = yield batch`, `answers = yield probe`, or `gradients = yield Gradients(genomes)`.

    It never calls the model. A class that inherits from this one owes a name and a search; the rest is what most do.
    """

    name: str
    asking: Asking = "pair"
    """Whether each sample is asked about under two readings or under all of them."""
    manners: tuple[Manner, ...] = ("batched",)
    """The manners that it can run in, its usual one first."""
    kinds: tuple[str, ...] = ()
    """The kinds of subject that it is for, by name; none: any, since it needs no more than a `Domain`."""
    needs_gradients: bool = False
    """Whether it works only on models that offer gradients."""
    needs_labels: bool = False
    """Whether it works only on models that give labels, and not on regressors and raw scores."""
    usual_explainer: str | None = "gap"
    """What its seeds are chosen by unless the user says otherwise; None: at random."""
    usual_realism: Realism = "data"
    """How near to real rows it stays unless the user says otherwise."""
    published_seeds: bool = False
    """Whether a rule for choosing seeds is part of the method; a comparison gives any other random ones."""
    learns: bool = False
    """Whether it wants to hear every answer of the model, those about the population included; real rows are then
    measured while it searches."""
    judges_repairs: bool = False
    """Whether its findings judge repairs in which another strategy took part."""

    def check(self, manner: Manner) -> None:  # noqa: ARG002 - most lack nothing in any
        """Says before the model is asked anything what it lacks in a manner, such as a package: an `InputError`."""
        return

    @abstractmethod
    def search(self, context: Context) -> Generator[Batch | Probe | Gradients, Any, None]:
        """Proposes batches, and asks in between if it likes, until it has nothing new to propose."""
