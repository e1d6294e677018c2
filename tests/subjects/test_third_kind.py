"""A kind of subject that the package does not know, written outside of it: short sequences that begin with a symbol.

It is audited, saved, replayed and repaired without a line of the package knowing of it.
"""

from __future__ import annotations

import hashlib
from functools import partial

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError
from expga.subjects import KINDS, ListOfRows, Subject
from expga.subjects.settings import Settings, typed
from expga.testing import Conformance, Specimen

SYMBOLS = 5
"""Those behind the first, 0 to 4; the first, 0 or 1, is protected."""


class Either:
    """Two readings: with the one symbol in front, or the other."""

    count = possible = 2
    labels = ({"symbol": "0"}, {"symbol": "1"})

    def read(self, genomes, reading):
        twins = genomes.copy()
        twins[:, 0] = reading
        return twins

    def valid(self, genomes):
        return np.ones((len(genomes), 2), dtype=bool)

    def own(self, _):
        return None

    def voices(self, _):
        return None

    def speak(self, genomes, _):
        return genomes


class Space:
    """Sequences as genomes: they are their own codes. Two places may differ from a real one's."""

    realism, radius = "data", 0.5

    def __init__(self, sequences):
        self.rows = np.array(sequences, dtype=np.int32)
        self.anchors = np.arange(len(self.rows))
        self.protected = np.arange(self.rows.shape[1]) == 0
        self.mutable = ~self.protected
        self.readings = Either()
        self.attribute_readings = {"symbol": self.readings}
        self._weights = np.random.default_rng(0).integers(1, 2**63, self.rows.shape[1], dtype=np.uint64) | np.uint64(1)

    def prepare(self, enough):
        pass

    def scale(self, _):
        return np.arange(SYMBOLS, dtype=np.float64)

    def notes(self):
        return ["Sequences are toys."]

    def decode(self, genomes):
        return [tuple(genome) for genome in genomes.tolist()]

    def keys(self, genomes):
        return (genomes[:, 1:].astype(np.uint64) + np.uint64(1)) @ self._weights[1:]

    def distance(self, genomes, others):
        return (genomes[:, 1:] != others[:, 1:]).mean(axis=1)

    def admits(self, genomes, anchor):
        known = ((genomes[:, 1:] >= 0) & (genomes[:, 1:] < SYMBOLS)).all(axis=1)
        real = self.rows[anchor]
        return known & (genomes[:, 0] == real[:, 0]) & (self.distance(genomes, real) <= self.radius)

    def typical(self, genomes):
        return np.ones(len(genomes), dtype=bool)

    def within_reach(self, genomes, anchor, rng):
        real, kept = self.rows[anchor], genomes.copy()
        for row in np.flatnonzero(self.distance(genomes, real) > self.radius):
            places = rng.permutation(np.flatnonzero(genomes[row] != real[row]))
            kept[row, places[2:]] = real[row, places[2:]]
        return kept

    def mates(self, genomes, anchor, rng):
        mate = rng.integers(0, len(self.rows), len(genomes))
        return np.column_stack([genomes[:, :1], self.rows[mate, 1:]]), anchor

    def donors(self, genomes, rng):
        return np.column_stack([genomes[:, :1], rng.integers(0, SYMBOLS, (len(genomes), genomes.shape[1] - 1))])

    def mutated(self, genomes, mask, rng):
        return np.where(mask, self.donors(genomes, rng), genomes)

    def groups(self, _):
        return [str(symbol) for symbol in self.rows[:, 0]]


class SavedSequences(ListOfRows):
    averages_exactly, no_attribute, pairs_grow = True, "A sequence needs its first symbol.", False

    def __init__(self, settings):
        self.settings = settings

    def check(self, findings):
        if not {"one", "other"} <= set(findings):
            raise InputError("There are no sequences in findings.parquet; audit again.")

    def results(self):
        names = ("label", "label__twin", "score", "score__twin", "gap", "anchor", "distance")
        return dict(zip(names, names, strict=True))

    def twins(self, findings):
        return tuple([tuple(row) for row in findings[side]] for side in ("one", "other"))

    def asked(self, findings):
        return self.twins(findings), (np.ones(len(findings), dtype=np.intp),) * 2

    def sentence(self, example):
        return f"Sequence {example['anchor']} is told from its twin."

    def headline(self, summary):
        return [f"{summary['population']['rate']:.1%} of the sequences flip."]

    def figures(self, summary):
        return [("length", str(summary["length"]))]

    def rows(self, _, X):
        return [tuple(row) for row in X], pd.RangeIndex(len(X))

    def hashes(self, rows):
        return np.array([hash(row) & (2**63 - 1) for row in rows], dtype=np.uint64)

    def fingerprint(self, rows):
        return hashlib.sha256(repr([tuple(row) for row in rows]).encode()).hexdigest()

    def options(self):
        return {}

    def domain(self, rows):
        return Space(rows)

    def shared(self, rows):
        return self.domain(rows), Space(rows).rows

    def usual_pairs(self, found, _):
        return found


class Sequences:
    name, called, options, rules_are = "sequence", "sequences", ("alphabet",), "alphabet"
    usual_epsilon = None

    def recognises(self, X, _):
        return isinstance(X, list) and bool(X) and isinstance(X[0], tuple)

    def subject(self, model, X, protected, realism, options, trying):  # noqa: ARG002
        space = Space(X)
        ours = SavedSequences({})

        def frame(findings, classes, _):
            sides = [space.decode(space.readings.read(findings.genomes, findings.pair[:, side])) for side in (0, 1)]
            return pd.DataFrame(
                {
                    "one": pd.Series([list(row) for row in sides[0]], dtype=object),
                    "other": pd.Series([list(row) for row in sides[1]], dtype=object),
                    "label": [classes[label] for label in findings.labels[:, 0]],
                    "label__twin": [classes[label] for label in findings.labels[:, 1]],
                    "score": findings.scores[:, 0],
                    "score__twin": findings.scores[:, 1],
                    "gap": findings.gap,
                    "anchor": findings.anchor,
                    "distance": space.distance(findings.genomes, space.rows[findings.anchor]),
                }
            )

        return Subject(
            domain=space,
            learnt=trying.of(model, X),
            settings={"kind": self.name},
            rules={},
            numbered=True,
            rows=lambda: ours.fingerprint(X),
            fingerprint=lambda: ours.fingerprint(X),
            frame=frame,
            examples=lambda findings, _: [{"anchor": int(a), "changes": []} for a in findings.anchor[:3]],
            figures=lambda _: {"length": space.rows.shape[1]},
        )

    def gradients(self, *_):
        return None

    def saved(self, settings):
        return SavedSequences(typed(settings, Settings))


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setitem(KINDS._added, "sequence", [Sequences])


def some_sequences():
    rng = np.random.default_rng(2)
    return [(int(rng.integers(2)), *map(int, rng.integers(0, SYMBOLS, 4))) for _ in range(120)]


@pytest.fixture
def sequences():
    return some_sequences()


def model(inputs, front=3):
    """Likes large symbols, and a 1 in front."""
    return [1 / (1 + np.exp(-(sum(row[1:]) + front * row[0] - 9.2))) for row in inputs]


def rest(sequence):
    return sequence[1:]


class TestStrategies(Conformance):
    target = ("expga", "random")
    subjects = (
        Specimen(
            kind="sequence",
            rows=some_sequences(),
            protected=["symbol"],
            biased=model,
            fair=partial(model, front=0),
            unprotected=rest,
            realisms=("data",),
            queries={"batched": 600, "faithful": 600},
        ),
    )


@pytest.fixture
def audit(sequences, tmp_path):
    return expga.audit(model, sequences, protected=["symbol"], max_queries=1_000, out=tmp_path / "out")


def test_it_is_audited(audit, sequences):
    flips = [model([(0, *row[1:])])[0] <= 0.5 < model([(1, *row[1:])])[0] for row in sequences]
    measured = expga.audit(model, sequences, protected=["symbol"], max_queries=10_000).population
    assert (measured.rows, measured.flipped) == (120, sum(flips))
    assert len(audit.findings) > 30
    assert audit.exposure.within_reach > audit.exposure.as_they_are > 0
    assert audit.summary["strategy"] == "expga"
    assert "Sequences are toys." in audit.summary["notes"]


def test_it_is_saved_and_replayed(audit, tmp_path):
    kept = expga.Audit.load(tmp_path / "out")
    assert expga.replay(kept, model) == (len(audit.findings),) * 2
    assert expga.replay(kept, lambda inputs: [0.9] * len(inputs))[0] == 0
    assert kept.sentences()[0].startswith("Sequence ")


def test_it_is_shown(audit, tmp_path, capsys):
    from expga.cli.showing import show

    show(audit, tmp_path / "out")
    told = capsys.readouterr().out
    assert "of the sequences flip." in told
    assert "length" in told


def test_a_model_that_varies_is_known_for_it_and_its_noise_is_no_finding(sequences, tmp_path):
    rng = np.random.default_rng(0)

    def random(inputs, front=0.0):
        return np.clip(model(inputs, front) + rng.normal(0, 0.1, len(inputs)), 0, 1)

    noise = expga.audit(random, sequences, protected=["symbol"], max_queries=2_000, out=tmp_path / "noise")
    assert noise.summary["placebo"]["answers"] == "random"
    assert noise.summary["dropped"] > 20
    assert noise.summary["found"] <= 2 * noise.summary["left_by_noise"] + 3
    assert noise.population.at_least == 0
    assert "Asked twice as they are, " in str(noise)
    biased = expga.audit(partial(random, front=3), sequences, protected=["symbol"], max_queries=3_000, repeats=3)
    assert biased.population.at_least > 0
    assert biased.summary["found"] > 10


def test_it_is_repaired_by_averaging(audit, sequences):
    labels = np.array([int(score > 0.5) for score in model(sequences)])
    fairer = expga.retrain(model, sequences, labels, audit, repair="average", repeats=1, max_queries=300)
    again = expga.audit(fairer.model, sequences, protected=["symbol"], max_queries=1_000)
    assert again.population.flipped == 0
    assert len(again.findings) == 0
    assert fairer.summary["kind"] == "sequence"
    assert fairer.summary["repairs"]["average"]["after"]["flips_test"]["mean"] == 0


def test_it_is_resumed(audit, sequences, tmp_path):
    more = expga.audit(model, sequences, protected=["symbol"], max_queries=3_000, out=tmp_path / "out", resume=True)
    assert len(more.findings) > len(audit.findings)


def test_options_of_other_kinds_mean_nothing_to_it(sequences):
    with pytest.raises(InputError, match="The option schema has no meaning for sequences; leave it out"):
        expga.audit(model, sequences, protected=["symbol"], schema={})
    with pytest.raises(InputError, match="An audit has no option colour; leave it out"):
        expga.audit(model, sequences, protected=["symbol"], colour="red")
    with pytest.raises(InputError, match="The strategy sg is for tables; on sequences choose one of expga, random"):
        expga.audit(model, sequences, protected=["symbol"], strategy="sg")


def test_a_summary_of_a_kind_that_is_gone_is_told(audit, tmp_path, monkeypatch):
    monkeypatch.delitem(KINDS._added, "sequence")
    assert len(audit.findings)
    with pytest.raises(InputError, match="of a kind that is not known here, 'sequence'"):
        expga.Audit.load(tmp_path / "out")
