"""What repairs are made of: rows, their twins, found samples, put together and fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from expga.contracts import FloatArray, IndexArray
from expga.errors import InputError
from expga.repair.averaged import Averaged
from expga.repair.pairs import Pairs, Relabel, labels_of, spread
from expga.repair.reader import Reader, reading_weights
from expga.repair.recipe import Recipe
from expga.subjects import Rows, Values

MOST_TWINS = 10
"""Of one row, with other protected values, that are added at most: at random where there are more."""


class Added(NamedTuple):
    """Rows to fit to."""

    rows: Rows
    labels: Values
    """(n,)"""
    weights: FloatArray
    """(n,) how much each counts, where the model takes weights."""
    pairs: int = 0
    """Found pairs among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What every way to repair may use."""

    reader: Reader
    recipe: Recipe
    rows: Rows
    """The m rows that the model is fitted to."""
    labels: Values
    """(m,)"""
    numbers: IndexArray
    """(m,) what number each row has among those that were audited; -1: none."""
    before: Any
    """The model that is repaired."""
    pairs: Pairs
    """The findings that may repair."""
    shares: FloatArray | None
    """(R,) how often each reading is that of a row; None: all alike."""
    relabel: Relabel
    weight: float | None
    """How much an added row counts beside a real one; None: as much, but see `rows_twice` and `pairs_weigh`."""
    pairs_weigh: float | None
    """How much all found pairs count together in "both", beside all real rows; None: each as much as an added row."""
    seed: int | None
    """For models with a random state, another one than the user's."""


def fitted(material: Material, parts: Sequence[Added], rng: np.random.Generator) -> Any:
    """A model fitted to all of this."""
    weights = np.concatenate([part.weights for part in parts])
    subject, labels = material.reader.subject, np.concatenate([part.labels for part in parts])
    order = rng.permutation(len(labels))
    rows = subject.joined([subject.take(subject.joined([part.rows for part in parts]), order)])
    given = None if (weights == 1).all() else weights[order]
    return material.recipe.fit(subject.inputs(rows), labels[order], given, material.seed)


def light(material: Material, pairs: Sequence[Added]) -> list[Added]:
    """Found pairs, light enough to weigh no more together than they may."""
    total = sum(part.weights.sum() for part in pairs)
    if material.pairs_weigh is None or not total:
        return list(pairs)
    factor = min(1.0, material.pairs_weigh * len(material.labels) / total)
    return [part._replace(weights=factor * part.weights) for part in pairs]


def _as_one(material: Material, parts: Sequence[Added], owners: Sequence[IndexArray]) -> list[Added]:
    """Parts whose rows with the same owner (n,) count as one row together, unless the user said how much each does.

    Not every text has twins, and those that have many are not worth more than others.
    """
    if material.weight is not None or material.recipe.weights is None:
        return list(parts)
    share = 1.0 / np.maximum(1, np.bincount(np.concatenate(owners)))
    return [part._replace(weights=share[owner]) for part, owner in zip(parts, owners, strict=True)]


def _added(material: Material, rows: Rows, labels: Values, pairs: int = 0) -> Added:
    """Rows that count as much as an added row does."""
    return Added(rows, labels, np.full(len(labels), material.weight or 1.0), pairs)


def real_rows(material: Material) -> list[Added]:
    """The rows as they are."""
    return [Added(material.rows, material.labels, np.ones(len(material.labels)))]


def rows_and_twins(material: Material, rng: np.random.Generator) -> list[Added]:
    """The rows, then those with other protected values, each with the label of its row."""
    twins, owner = _others(material.reader, material.rows, 1, rng)
    return [*real_rows(material), _added(material, twins, material.labels[owner])]


def rows_twice(material: Material, rng: np.random.Generator) -> list[Added]:
    """The rows and their twins with the label of the row, and once more labelled as found pairs are.

    Fitted to true labels alone, a model learns the exceptions among them by heart, of each twin anew, and is the worse
    for it on other rows. Its own verdict, averaged over the twins, has no exceptions.
    """
    twins, owner = _others(material.reader, material.rows, 1, rng)
    same = _added(material, twins, material.labels[owner])
    labels = averaged(material).predict(material.rows) if material.relabel == "majority" else material.labels
    again = np.concatenate([np.unique(owner), owner])
    subject = material.reader.subject
    both = subject.joined([subject.take(material.rows, np.unique(owner)), twins])
    judged = _added(material, both, labels[again])
    every = np.arange(len(labels))
    return [
        *_as_one(material, [*real_rows(material), same], [every, owner]),
        *_as_one(material, [judged], [again]),
    ]


def found_samples(
    material: Material, pairs: Pairs, count: int, rng: np.random.Generator, *, all_twins: bool = False
) -> Added:
    """Some findings with one label: both twins, as published, or also all their other twins.

    A pair shows two protected values of several. Shown only these, a model can grow less fair between the others.
    """
    chosen = pairs.some(spread(pairs.anchor, count, rng))
    labels = labels_of(
        chosen,
        material.relabel,
        lambda rows: averaged(material).predict(rows),
        material.reader,
        material.rows,
        material.labels,
        material.numbers,
    )
    subject = material.reader.subject
    pair = subject.joined([material.rows[:0], *chosen.sides()])
    numbers = np.arange(len(chosen))
    if not all_twins or not len(chosen):
        return _added(material, pair, np.concatenate([labels, labels]), len(chosen))
    others, owner = _others(material.reader, pair, 2, rng)
    owner = np.concatenate([numbers, numbers, owner])
    added = _added(material, subject.joined([pair, others]), labels[owner], len(chosen))
    return _as_one(material, [added], [owner])[0]


def _others(reader: Reader, rows: Rows, sides: int, rng: np.random.Generator) -> tuple[Rows, IndexArray]:
    """Twins (m,) of samples with protected values other than those given, and the sample (m,) of each.

    Args:
        reader: how rows are read.
        rows: n samples; or n samples, then n twins of theirs.
        sides: 1 or 2 of these.
        rng: decides which, where there are too many.
    """
    domain = reader.subject.domain(rows)
    given, readings = np.split(domain.rows, sides), domain.readings
    other = readings.valid(given[0])
    for number in range(readings.count):
        read = readings.read(given[0], np.full(len(other), number))
        for genomes in given:
            other[:, number] &= (read != genomes).any(axis=1)
    turn = np.where(other, rng.random(other.shape), 2.0)
    chosen = other & (turn.argsort(axis=1).argsort(axis=1) < MOST_TWINS)
    owner, reading = np.nonzero(chosen)
    twins = readings.read(given[0][owner], reading)
    if (voices := readings.voices(twins)) is not None:
        twins = readings.speak(twins, rng.integers(0, voices))
    return reader.subject.made(domain, twins), owner


def averaged(material: Material) -> Averaged:
    """The model as it is, asked about all protected values."""
    return Averaged.of(material.before, material.reader, material.rows, material.shares)


def without_attribute(material: Material, rng: np.random.Generator) -> Averaged:
    """A model fitted to rows that all have the same protected value, and shown that value ever after.

    To a learner a column without variety is no column; dropped from the table it would break pipelines that name it.
    """
    subject = material.reader.subject
    if subject.no_attribute is not None:
        raise InputError(subject.no_attribute)
    domain, genomes = subject.shared(material.rows)
    one = np.eye(domain.readings.count)[0 if material.shares is None else np.argmax(material.shares)]
    reading = reading_weights(domain.readings, genomes, one).argmax(axis=1)
    plain = subject.joined([material.rows[:0], subject.made(domain, domain.readings.read(genomes, reading))])
    order = rng.permutation(len(material.labels))
    rows = subject.joined([subject.take(plain, order)])
    model = material.recipe.fit(subject.inputs(rows), material.labels[order], None, material.seed)
    return Averaged.of(model, material.reader, material.rows, one)


def reweighed(material: Material, rng: np.random.Generator) -> Any:
    """Rows weighted until protected groups and labels are independent; drawn by these weights if none are taken."""
    group, label = group_numbers(material), pd.factorize(material.labels)[0]
    both = pd.factorize(group * (label.max() + 1) + label)[0]
    expected = np.bincount(group)[group] * np.bincount(label)[label] / len(label)
    weights = expected / np.bincount(both)[both]
    recipe, inputs = material.recipe, material.reader.subject.inputs
    if recipe.weights is not None:
        return recipe.fit(inputs(material.rows), material.labels, weights, material.seed)
    drawn = rng.choice(len(label), len(label), p=weights / weights.sum())
    return recipe.fit(
        inputs(material.reader.subject.take(material.rows, drawn)), material.labels[drawn], None, material.seed
    )


def group_numbers(material: Material) -> IndexArray:
    """(m,) which combination of protected groups each row belongs to."""
    domain = material.reader.subject.domain(material.rows)
    names = [domain.groups(attribute) for attribute in material.reader.protected]
    return np.asarray(pd.factorize(pd.Series(list(zip(*names, strict=True))))[0])
