"""What rows are called: each finding and each sentence leads back to the user's own row."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import expga
from expga.repair.pairs import pairs_of

COUNT = 60
DAYS = pd.date_range("2020-01-01", periods=COUNT)
CALLED = {
    "numbers from 0": pd.RangeIndex(COUNT),
    "numbers of a part": pd.Index(np.random.default_rng(0).permutation(900)[:COUNT]),
    "halves": pd.Index(np.arange(COUNT) + 0.5),
    "texts": pd.Index([f"p{number}" for number in range(COUNT)]),
    "dates": DAYS,
    "dates of a zone": DAYS.tz_localize("Europe/Berlin"),
    "months": pd.period_range("2000-01", periods=COUNT, freq="M"),
    "categories": pd.CategoricalIndex([f"k{number}" for number in range(COUNT)]),
}
NO_NAMES = {
    "the same for two rows": (pd.Index(np.arange(COUNT) // 2), "has the same name for several rows"),
    "the same for half of them": (pd.Index(["a", "b"] * (COUNT // 2)), "has the same name for several rows"),
    "of two levels": (pd.MultiIndex.from_product([["a", "b"], range(COUNT // 2)]), "has several levels"),
    "lacking": (pd.Index([None, *np.arange(1.0, COUNT)]), "has a row without a name"),
    "of two types": (pd.Index([f"p{n}" if n % 2 else n for n in range(COUNT)], dtype=object), "mixes names"),
}


@pytest.fixture(scope="module")
def rows():
    """(60, 3) whole numbers, no two rows alike."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"sex": np.arange(COUNT) % 2, "age": rng.permutation(COUNT) + 20, "hours": rng.integers(1, 60, COUNT)}
    )


@pytest.fixture(scope="module")
def audited(rows, tmp_path_factory):
    """An audit of the rows under an index, saved and loaded."""

    def run(index):
        frame = rows.set_axis(index)
        audit = expga.audit(
            lambda X: 1 / (1 + np.exp(-(X["age"] - 50.3 + 9 * X["sex"]) / 9)),
            frame,
            protected=["sex"],
            max_queries=1_200,
            seed=0,
        )
        folder = tmp_path_factory.mktemp("audit")
        audit.save(folder)
        return frame, audit, expga.Audit.load(folder)

    return run


def is_behind(rows, findings):
    """Whether findings that change nothing else are these rows."""
    return bool((rows.to_numpy() == findings[list(rows.columns)].to_numpy()).all())


def told(audit):
    """Each example of a summary, and what is said of it."""
    return [(example, audit.subject.sentence(example)) for example in audit.summary["examples"]]


@pytest.mark.parametrize("index", CALLED.values(), ids=CALLED)
def test_a_finding_names_its_row_as_the_user_does(audited, index):
    frame, *both = audited(index)
    for audit in both:
        as_they_are = audit.findings[audit.findings["distance"] == 0]
        assert len(as_they_are) > 5
        assert is_behind(frame.loc[list(as_they_are["anchor"])], as_they_are)
        assert not [note for note in audit.summary["notes"] if "index" in note]


@pytest.mark.parametrize("index", CALLED.values(), ids=CALLED)
def test_a_sentence_names_its_row_as_the_user_does(audited, index):
    frame, _, audit = audited(index)
    called = {f"Row {name}": place for place, name in enumerate(index)}
    for example, sentence in told(audit):
        name = next(name for name in called if sentence.startswith((f"{name} gets", f"{name}, had")))
        row = frame.iloc[called[name]]
        assert all(row[column] == old for column, (old, _) in example["changes"].items())
        assert row["sex"] in example["readings"]["sex"]


@pytest.mark.parametrize(("index", "why"), NO_NAMES.values(), ids=NO_NAMES)
def test_where_the_index_names_no_single_row_it_is_the_place(audited, index, why):
    frame, *both = audited(index)
    for audit in both:
        as_they_are = audit.findings[audit.findings["distance"] == 0]
        assert len(as_they_are) > 5
        assert is_behind(frame.iloc[as_they_are["anchor"]], as_they_are)
        assert [note for note in audit.summary["notes"] if why in note and "X.iloc[anchor]" in note]
        for example, sentence in told(audit):
            place = int(re.match(r"The (\d+)(st|nd|rd|th) row[ ,]", sentence)[1])
            row = frame.iloc[place - 1]
            assert place - 1 == example["anchor"]
            assert all(row[column] == old for column, (old, _) in example["changes"].items())


@pytest.mark.parametrize(
    "index", [*CALLED.values(), *(index for index, _ in NO_NAMES.values())], ids=[*CALLED, *NO_NAMES]
)
def test_a_repair_finds_the_rows_again(audited, index):
    frame, audit, loaded = audited(index)
    as_they_are = loaded.findings["distance"] == 0
    anchor = pairs_of(loaded, frame.index).anchor
    np.testing.assert_array_equal(anchor, pairs_of(audit, frame.index).anchor)
    assert is_behind(frame.iloc[anchor[as_they_are]], loaded.findings[as_they_are])


def test_whole_numbers_are_said_as_whole_numbers(audited):
    _, audit, _ = audited(CALLED["numbers from 0"])
    assert {type(example["anchor"]) for example, _ in told(audit)} == {int}
    assert not [sentence for _, sentence in told(audit) if re.search(r"\d\.0 ", sentence)]
