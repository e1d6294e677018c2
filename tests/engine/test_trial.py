"""The rows that a subject's model is tried on: few, the same for the same data, missing values among the first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError
from expga.subjects import Trying
from expga.subjects.table.subject import table_subject
from expga.subjects.text.subject import text_subject


class Few:
    """An allowance that ends a trial after its first rows."""

    def afford(self, rows, functions, shown):  # noqa: ARG002
        return 0 if shown else rows


@pytest.fixture(scope="module")
def gaps():
    """(400, 3) people, two of whose columns lack a single value each."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["f", "m"], 400), "age": rng.normal(40, 9, 400), "pay": rng.random(400)})
    frame.loc[317, "age"] = np.nan
    frame.loc[122, "pay"] = np.nan
    return frame


def subject_of(model, frame, **options):
    return table_subject(model, frame, ["sex"], None, "data", Trying(**options))


def test_missing_values_are_among_the_first_rows(gaps):
    seen = []

    def model(frame):
        seen.append(frame)
        return np.where(frame["age"] > 40, 0.9, 0.1)

    subject = subject_of(model, gaps, allowance=Few())
    (first,) = seen
    assert len(first) == 8
    assert first[["age", "pay"]].isna().sum().tolist() == [1, 1]
    assert len(subject.first_answers.labels) == 8


def test_the_rows_are_the_same_for_the_same_data(gaps):
    def answers(**options):
        return subject_of(lambda frame: frame["pay"].fillna(0.25), gaps, **options).first_answers

    assert answers().same_as(answers(allowance=Few()))


def test_a_model_that_rejects_missing_values_is_told_by_the_column(gaps):
    asked = []

    def model(frame):
        asked.append(len(frame))
        if frame["pay"].isna().any():
            raise ValueError("Input contains NaN.")
        return np.full(len(frame), 0.5)

    with pytest.raises(InputError, match="The model rejects missing values, and the column 'pay' has some; fill them"):
        subject_of(model, gaps)
    assert sum(asked) < 30


def test_a_model_that_fails_for_another_reason_is_not_told_so(gaps):
    def model(frame):
        if len(frame) > 8:
            raise ValueError("too many at once")
        return np.full(len(frame), 0.5)

    with pytest.raises(InputError, match=r"^The model failed on [0-9,]+ rows: ValueError: too many at once$"):
        subject_of(model, gaps)


def test_texts_have_a_small_first_trial_too():
    seen = []

    def model(texts):
        seen.append(len(texts))
        return [0.9 if "he" in text.split() else 0.2 for text in texts]

    letters = [f"I think he is number {i} of all ." for i in range(50)]
    subject = text_subject(
        model, letters, ["gender"], "data", Trying(allowance=Few()), text_column=None, lexicon=None, vectors=None
    )
    assert seen == [8]
    assert subject.notes == ["The model gave one and the same answer, '1', for all 8 rows that it was tried on."]


def test_notes_are_in_the_summary(gaps):
    found = expga.audit(lambda frame: np.full(len(frame), 0.3), gaps.dropna(), protected="sex", max_queries=2_000)
    (note,) = found.summary["notes"]
    assert "one and the same answer" in note
