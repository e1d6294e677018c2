"""An audit as Python has it: its table, its files, its words."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import expga
from expga.api import replay
from expga.errors import InputError


@pytest.fixture(scope="module")
def mixed():
    """(90, 9) a column of every dtype that a user may have."""
    rng = np.random.default_rng(8)
    count = 90
    holes = np.arange(count) % 9 == 0
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["female", "male"], count)),
            "age": pd.array(rng.integers(18, 70, count), dtype="Int64"),
            "job": pd.array(rng.choice(["cook", "clerk"], count), dtype="string"),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], count).astype(object),
            "grade": pd.Categorical(rng.choice(["a", "b", "c"], count), categories=["c", "b", "a", "d"], ordered=True),
            "hours": rng.normal(38, 8, count).astype("float32"),
            "debt": pd.array(np.where(rng.random(count) < 0.5, 1.5, 99.25), dtype="Float64"),
            "citizen": rng.random(count) < 0.5,
            "member": pd.array(rng.random(count) < 0.5, dtype="boolean"),
        },
        index=[f"person {i}" for i in range(count)],
    ).assign(
        age=lambda frame: frame["age"].mask(holes),
        job=lambda frame: frame["job"].mask(np.roll(holes, 1)),
        member=lambda frame: frame["member"].mask(np.roll(holes, 2)),
        grade=lambda frame: frame["grade"].mask(np.roll(holes, 3)),
    )


class Watchful:
    """A model that insists on the frame that it was trained on."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, frame):
        self.dtypes = frame.dtypes

    def predict_proba(self, frame):
        pd.testing.assert_series_equal(frame.dtypes, self.dtypes)
        good = (frame["sex"] == "male").to_numpy() & (frame["hours"] > 30).to_numpy()
        score = np.where(good, 0.8, 0.3) + 0.05 * frame["age"].isna().to_numpy()
        return np.column_stack([1 - score, score])

    def predict(self, frame):
        return self.classes_[self.predict_proba(frame).argmax(axis=1)]


@pytest.fixture
def audit(mixed):
    return expga.audit(Watchful(mixed), mixed, protected="sex", max_queries=1_000)


class TestTable:
    def test_columns_have_the_dtypes_of_the_data(self, audit, mixed):
        pd.testing.assert_series_equal(audit.findings[mixed.columns].dtypes, mixed.dtypes)
        assert audit.findings["sex__twin"].dtype == mixed["sex"].dtype
        assert len(audit.findings) > 0

    def test_missing_values_are_values_of_their_own(self, audit):
        assert audit.findings["age"].isna().any()
        assert not audit.findings["age"].isna().all()

    def test_anchors_are_the_index_of_the_data(self, audit, mixed):
        assert set(audit.findings["anchor"]) <= set(mixed.index)

    def test_first_comes_the_reading_that_the_anchor_really_has(self, audit, mixed):
        real = mixed.loc[audit.findings["anchor"], "sex"].astype(str).to_numpy()
        assert (audit.findings["sex"].astype(str).to_numpy() == real).all()

    def test_twins_are_what_the_model_answered(self, audit, mixed):
        model = Watchful(mixed)
        first, second = audit.twins()
        assert (model.predict(first) == audit.findings["label"]).all()
        assert (model.predict(second) == audit.findings["label__twin"]).all()
        assert replay(audit, model) == (len(audit.findings), len(audit.findings))


class TestFiles:
    def test_findings_come_back_with_all_their_dtypes(self, audit, tmp_path):
        loaded = expga.Audit.load(audit.save(tmp_path / "deep" / "folder"))
        pd.testing.assert_frame_equal(loaded.findings, audit.findings)

    def test_numbers_come_back_as_they_were(self, audit, tmp_path):
        loaded = expga.Audit.load(audit.save(tmp_path))
        assert loaded.summary == audit.summary
        assert loaded.population == audit.population
        assert loaded.sentences() == audit.sentences()
        written = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
        assert {name: written[name] for name in audit.summary} == audit.summary

    def test_the_model_holds_to_pairs_from_a_file(self, audit, mixed, tmp_path):
        loaded = expga.Audit.load(audit.save(tmp_path))
        assert replay(loaded, Watchful(mixed)) == (len(audit.findings), len(audit.findings))

    def test_no_findings_come_back_as_none(self, mixed, tmp_path):
        fair = expga.audit(lambda frame: frame["citizen"], mixed, protected="sex", max_queries=500)
        loaded = expga.Audit.load(fair.save(tmp_path))
        assert list(loaded.findings.columns) == list(fair.findings.columns)
        assert (len(loaded.findings), loaded.sentences()) == (0, [])

    def test_a_missing_value_among_objects_comes_back_as_the_one_it_was(self, mixed, tmp_path):
        def model(frame):
            unknown = np.array([isinstance(town, float) for town in frame["town"]])
            return np.where(unknown & (frame["sex"] == "male"), 0.9, 0.1)

        towns = np.where(mixed["citizen"], mixed["town"].to_numpy(dtype=object), np.nan)
        data = mixed.assign(town=pd.Series(towns, index=mixed.index, dtype=object))
        audit = expga.audit(model, data, protected="sex", max_queries=1_000)
        loaded = expga.Audit.load(audit.save(tmp_path))
        assert len(audit.findings) > 0
        assert replay(loaded, model) == replay(audit, model) == (len(audit.findings), len(audit.findings))

    def test_a_folder_that_is_not_there_is_an_error(self, tmp_path):
        with pytest.raises(InputError, match=r"nowhere.*summary\.json"):
            expga.Audit.load(tmp_path / "nowhere")

    def test_without_a_folder_nothing_is_written(self, unfair, people, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        expga.audit(unfair, people, protected="sex", max_queries=500)
        assert list(tmp_path.iterdir()) == []


class TestWords:
    def test_say_whose_row_it_is_and_what_each_twin_gets(self, audit):
        sentences = audit.sentences()
        assert len(sentences) == 3
        for sentence in sentences:
            assert sentence.startswith("Row person ")
            assert sentence.endswith(".")
            assert {"yes", "no"} <= set(sentence.replace(",", " ").split())
            assert " as female " in sentence
            assert " as male " in sentence
            assert "(score for yes: " in sentence

    def test_are_each_of_another_row(self, audit):
        rows = [sentence.split()[2].strip(",") for sentence in audit.sentences()]
        assert len(set(rows)) == 3

    def test_are_as_many_as_asked_for(self, audit):
        assert len(audit.sentences(1)) == 1
        assert audit.sentences(0) == []

    def test_say_what_was_changed_and_to_what(self, people):
        def model(frame):
            return np.where((frame["sex"] == "male") & (frame["hours"] > 200), 0.9, 0.1)

        schema = {"features": {"hours": {"max": 300}, "age": {"immutable": True}, "job": {"immutable": True}}}
        audit = expga.audit(model, people, protected="sex", max_queries=2_000, realism="domain", schema=schema)
        anchor = audit.summary["examples"][0]["anchor"]
        sentence = audit.sentences(1)[0]
        assert sentence.startswith(f"Row {anchor}, had ")
        assert f" instead of {people.loc[anchor, 'hours']:g}" in sentence
        assert " hours " in sentence


class TestRealism:
    def test_of_the_data_shows_only_values_that_some_row_has(self, unfair, people):
        found = expga.audit(unfair, people, protected="sex", max_queries=3_000, realism="data").findings
        for column in people:
            assert set(found[column]) <= set(people[column])

    def test_of_the_data_stays_within_the_reach_of_real_rows(self, unfair, people):
        audit = expga.audit(unfair, people, protected="sex", max_queries=3_000)
        assert (audit.findings["distance"] > 0).any()
        assert audit.findings["distance"].max() <= audit.summary["radius"]

    def test_of_the_domain_finds_values_that_no_row_has_within_the_bounds(self, unfair, people):
        rare = people[people["age"] % 5 == 0]
        audit = expga.audit(unfair, rare, protected="sex", max_queries=3_000, realism="domain")
        found = audit.findings
        assert set(found["age"]) - set(rare["age"])
        assert set(found["hours"]) - set(rare["hours"])
        assert found["age"].between(rare["age"].min(), rare["age"].max()).all()
        assert found["hours"].between(rare["hours"].min(), rare["hours"].max()).all()
        assert audit.summary["radius"] is None

    def test_of_the_domain_reaches_the_bounds_of_the_schema(self, unfair, people):
        schema = {"features": {"age": {"min": 10, "max": 95}}}
        found = expga.audit(
            unfair, people, protected="sex", max_queries=6_000, realism="domain", schema=schema
        ).findings
        assert found["age"].max() > people["age"].max()
        assert found["age"].max() <= 95


def test_a_summary_says_once_which_combinations_are_not_asked(people, unfair, tmp_path):
    columns = {f"group{number}": np.roll(np.arange(150) % 8, number).astype(str) for number in range(4)}
    frame, said = people.assign(**columns), "have 8,192 combinations; a random 256 of them are asked."
    options = {"protected": ["sex", *columns], "out": tmp_path / "out", "seed": 1}
    first = expga.audit(unfair, frame, **options, max_queries=6_000)
    assert first.summary["notes"][:1] == [f"sex, group0, group1, group2 and group3 {said}"]
    assert first.summary["population"]["flipped"] > 0
