"""An averaged model never flips: whatever the model, the table, its links and what is forbidden."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
from hypothesis import event, given, settings
from hypothesis import strategies as st

from expga.criterion import Flip, as_saved
from expga.measuring import measure
from expga.repair import Averaged
from expga.repair.reader import Reader
from expga.subjects import Trying
from expga.subjects.table.subject import table_subject

often = settings(max_examples=25)

SEXES, ROLES, JOBS = ["F", "M", "X"], ["child", "husband", "wife"], ["cook", "nurse"]


class Noise:
    """A model whose answers are a hash of a row's values: as unfair as can be."""

    def __init__(self, seed, at=0.5):
        self.seed, self.at = seed, at

    def score(self, rows):
        values = rows.to_numpy(dtype=object) if isinstance(rows, pd.DataFrame) else rows
        texts = [" ".join(map(str, [self.seed, *row])) for row in values.tolist()]
        return np.array([zlib.crc32(text.encode()) / 2**32 for text in texts])


class Probable(Noise):
    classes_ = np.array(["no", "yes"])

    def predict_proba(self, rows):
        return np.column_stack([1 - self.score(rows), self.score(rows)])

    def predict(self, rows):
        return self.classes_[(self.score(rows) > self.at).astype(int)]


class Deciding(Noise):
    classes_ = np.array([False, True])

    def decision_function(self, rows):
        return 20 * self.score(rows) - 10

    def predict(self, rows):
        return self.score(rows) > 0.5


def points(seed):
    return Noise(seed).score


def three(seed):
    noise = [Noise(f"{seed} {number}") for number in range(3)]
    return lambda rows: np.column_stack([one.score(rows) for one in noise])


def labels(seed):
    return lambda rows: np.array(["low", "middle", "high"])[(3 * Noise(seed).score(rows)).astype(int)]


MODELS = {
    "probabilities": Probable,
    "probabilities and labels that contradict each other": lambda seed: Probable(seed, at=0.3),
    "decision values": Deciding,
    "the probability of one class": points,
    "scores of three classes": three,
    "labels": labels,
}


def links(column, values, labels):
    """A link that gives some of these labels a value each."""
    return st.dictionaries(st.sampled_from(labels), st.sampled_from(values), max_size=3).map(lambda of: {column: of})


@st.composite
def people(draw):
    """A frame, its protected attributes, a schema."""
    count = draw(st.integers(3, 8))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=count, max_size=count))

    frame = pd.DataFrame({"sex": column(SEXES), "role": column(ROLES), "job": column(JOBS), "age": column([3, 9, 40])})
    rules = {"sex": {"values": SEXES, "link": draw(st.lists(links("role", ROLES, SEXES), max_size=2))}}
    if draw(st.booleans()):
        rules["age"] = {"values": [5, 40], "link": draw(st.lists(links("role", ROLES, ["5", "40"]), max_size=1))}
    if draw(st.booleans()):
        married = {"role": {"yes": "husband", "no": draw(st.sampled_from(["child", "wife"]))}}
        rules["married"] = {"values": ["yes", "no"], "link": [married]}
    some = {"sex": SEXES, "role": ROLES, "job": JOBS}
    condition = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in some.items()})
    forbid = draw(st.lists(condition.filter(len), max_size=3))
    return frame, list(rules), {"forbid": forbid, "protected": rules, "unseen": True}


@st.composite
def numbers(draw):
    """An array, its protected attributes, a schema."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    array = rng.integers(0, 4, (draw(st.integers(2, 8)), 4)).astype(draw(st.sampled_from([float, int])))
    rules = {"x0": {"values": [0, 1, 2]}, "x1": {"values": [1, 3], "link": [{"x2": {"1": 0, "3": 2}}]}}
    protected = draw(st.sampled_from([["x0"], ["x1"], ["x0", "x1"]]))
    forbid = draw(st.sampled_from([[], [{"x0": 1, "x3": 2}], [{"x2": {"min": 2}, "x3": {"max": 1}}]]))
    return array, protected, {"forbid": forbid, "protected": {name: rules[name] for name in protected}, "unseen": True}


def averaged(data, X, protected, schema):
    """An average of a random model with random shares, and how it reads rows."""
    model = MODELS[data.draw(st.sampled_from(sorted(MODELS)), label="kind")](data.draw(st.integers(0, 999)))
    threshold = None
    if isinstance(model, Noise) or model is points:
        threshold = data.draw(st.sampled_from([None, 0.3, 0.8]), label="threshold")
    subject = table_subject(model, X, protected, schema, "data", Trying(positive=None, threshold=threshold))
    settings_ = {
        **subject.settings,
        "protected": protected,
        "rules": subject.rules,
        "positive": None if subject.positive is None else subject.model.classes[subject.positive],
        "threshold": threshold,
        "criterion": as_saved(Flip()),
        "numbered": True,
        "classes": list(subject.model.classes),
    }
    reader = Reader.of(settings_)
    count = subject.domain.readings.count
    shares = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=count, max_size=count).map(np.array))
    if shares is not None:
        shares = shares / shares.sum() if shares.sum() else None
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=reader.settings["features"])
    return Averaged.of(model, reader, frame, shares), reader, frame


def never_flips(average, reader, frame):
    wrapped, positive = reader.wrapped(average, frame)
    population = measure(reader.inquiry(wrapped, positive, frame))
    event(f"rows with twins: {population.overall.rows > 0}")
    assert population.overall.flipped == 0
    assert (population.gap == 0).all()
    return True


def one_by_one(average, reader, frame):
    """Whether every reading of every row gets the same answer when it is all that is asked."""
    domain = reader.subject.domain(frame)
    for row in domain.rows[:3, None]:
        readings = np.flatnonzero(domain.readings.valid(row)[0])
        said = {average.predict(domain.decode(domain.readings.read(row, np.array([r]))))[0] for r in readings}
        assert len(said) <= 1
    return True


@often
@given(st.data())
def test_on_frames(data):
    frame, protected, schema = data.draw(people())
    average, reader, frame = averaged(data, frame, protected, schema)
    assert never_flips(average, reader, frame)
    assert one_by_one(average, reader, frame)


@often
@given(st.data())
def test_on_arrays(data):
    array, protected, schema = data.draw(numbers())
    average, reader, frame = averaged(data, array, protected, schema)
    assert never_flips(average, reader, frame)
    assert one_by_one(average, reader, frame)


def test_the_models_themselves_flip():
    """Or else there would be nothing to average."""
    frame = pd.DataFrame({"sex": ["F", "M"] * 20, "age": range(40)})
    for make in MODELS.values():
        subject = table_subject(make(1), frame, ["sex"], None, "data", Trying())
        said = [subject.model.ask(frame.assign(sex=sex)).labels for sex in ("F", "M")]
        assert 5 < (said[0] != said[1]).sum() < 40
