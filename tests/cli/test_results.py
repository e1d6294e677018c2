"""What `expga audit` writes: the numbers of summary.json, the pairs of findings.parquet."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

LINKED = """
[[protected.sex.link]]
family = {male = "husband", female = "wife"}
"""
RESULTS = ["label", "label__twin", "score", "score__twin", "gap", "anchor", "distance"]
KEYS = {
    "strategy": str,
    "protected": list,
    "seed": int,
    "stop_reason": str,
    "elapsed_s": float,
    "model_s": float,
    "queries": dict,
    "tested": int,
    "found": int,
    "seconds_per_finding": float,
    "success_rate": float,
    "plausible_share": float,
    "population": dict,
    "by_attribute": dict,
}
KINDS = ["binary", "multi-class", "decision", "labels"]


def twins(run, features):
    """Both sides of every pair, as the model takes them."""
    found = run.findings
    first = found[features]
    return first, first.assign(**{c: found[f"{c}__twin"] for c in features if f"{c}__twin" in found})


@pytest.fixture
def features(desk):
    return [column for column in desk.people if column != "hired"]


class TestSummary:
    def test_it_has_every_key_with_a_value_of_its_type(self, desk, binary):
        summary = desk.audit(binary, seed=7).summary
        assert {key: type(summary.get(key)) for key in KEYS} == KEYS
        assert summary["strategy"] == "expga"
        assert summary["protected"] == ["sex"]
        assert summary["seed"] == 7

    def test_its_counts_add_up(self, desk, unfair):
        run = desk.audit(unfair, max_queries=1_500)
        summary, queries = run.summary, run.summary["queries"]
        phases = ("trial", "placebo", "population", "explain", "search")
        assert set(queries) == set(summary["model_s_by_phase"]) | {"total"} == {*phases, "total"}
        assert queries["total"] == sum(queries[phase] for phase in phases)
        assert queries["population"] == 2 * summary["population"]["rows"]
        known = summary["tested"] - queries["search"] / 2  # of a row that was measured nothing is asked again
        assert 0 < known <= summary["found_as_they_are"]
        assert summary["found"] == summary["found_as_they_are"] + summary["bred"]
        assert 0 < summary["found"] == len(run.findings) <= summary["tested"]
        assert summary["success_rate"] == pytest.approx(summary["found"] / summary["tested"])
        assert summary["seconds_per_finding"] == pytest.approx(summary["elapsed_s"] / summary["found"])
        assert 0 <= summary["plausible_share"] <= 1
        assert 0 < summary["model_s"] < summary["elapsed_s"]

    def test_the_population_rate_is_the_share_of_real_rows_that_flip(self, desk, binary):
        population = desk.audit(binary, max_queries=2_000).summary["population"]
        readings = [binary.predict(desk.people.assign(sex=sex)) for sex in ("female", "male")]
        flipped = int((readings[0] != readings[1]).sum())
        low, high = population["ci95"]
        assert (population["rows"], population["flipped"]) == (120, flipped)
        assert population["rate"] == pytest.approx(flipped / 120)
        assert 0 < low < population["rate"] < high < 1

    def test_each_attribute_has_a_rate_of_its_own_beside_that_of_all_combinations(self, desk, binary):
        run = desk.audit(binary, protected="sex,job", max_queries=20_000, max_findings=50)
        sexes, jobs = ("female", "male"), ("cook", "clerk", "pilot", "nurse")
        said = {
            (sex, job): binary.predict(desk.people.assign(sex=sex, job=job) if sex else desk.people.assign(job=job))
            for sex in (*sexes, None)
            for job in jobs
        }
        by_sex = [binary.predict(desk.people.assign(sex=sex)) for sex in sexes]

        def disagree(answers):
            return float((np.stack(answers) != answers[0]).any(axis=0).mean())

        rates = {name: rate["rate"] for name, rate in run.summary["by_attribute"].items()}
        assert rates == pytest.approx({"sex": disagree(by_sex), "job": disagree([said[None, job] for job in jobs])})
        overall = disagree([said[sex, job] for sex in sexes for job in jobs])
        assert run.summary["population"]["rate"] == pytest.approx(overall)
        assert "sex alone" in run.stdout
        assert "job alone" in run.stdout

    def test_of_one_attribute_the_own_rate_is_the_rate(self, desk, binary):
        summary = desk.audit(binary).summary
        alone = summary["by_attribute"]["sex"]
        assert alone == {key: summary["population"][key] for key in alone}
        assert {"rows", "flipped", "rate", "ci95", "by_noise", "at_least"} == set(alone)

    def test_a_fair_model_has_a_rate_of_zero_and_an_empty_table_with_all_columns(self, desk, fair, features):
        run = desk.audit(fair)
        summary = run.summary
        assert run.code == 0
        assert (summary["found"], summary["success_rate"], summary["population"]["rate"]) == (0, 0.0, 0.0)
        assert summary["seconds_per_finding"] is summary["plausible_share"] is summary["typical_share"] is None
        assert list(run.findings.columns) == [*features, "sex__twin", *RESULTS]
        assert len(run.findings) == 0

    def test_rows_with_no_possible_twin_are_counted_and_leave_the_denominator(self, desk, unfair):
        schema = desk.file("s.toml", 'forbid = [{job = "nurse", sex = "male"}]')
        run = desk.audit(unfair, schema=schema, max_queries=2_000)
        nurses = int((desk.people["job"] == "nurse").sum())
        assert nurses > 0
        assert run.summary["population"]["rows_without_twin"] == nurses
        assert run.summary["population"]["rows"] == 120 - nurses
        assert f"want of a possible twin: {nurses}." in run.stdout
        assert not (run.findings["job"] == "nurse").any()


class TestFindings:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_they_have_the_columns_of_the_data_then_the_twins_then_the_answers(
        self, desk, models, features, kind, ending
    ):
        run = desk.audit(models[kind], data=desk.data(desk.people, f"people.{ending}"))
        assert run.code == 0
        assert list(run.findings.columns) == [*features, "sex__twin", *RESULTS]
        assert len(run.findings) == run.summary["found"] > 0

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_model_says_of_both_twins_what_the_table_says(self, desk, models, features, kind):
        model, run = models[kind], desk.audit(models[kind])
        found, (first, second) = run.findings, twins(run, features)
        assert (found["sex"] != found["sex__twin"]).all()
        assert (found["label"] != found["label__twin"]).all()
        assert (model.predict(first) == found["label"]).all()
        assert (model.predict(second) == found["label__twin"]).all()
        assert np.allclose(found["gap"], (found["score"] - found["score__twin"]).abs())

    @pytest.mark.parametrize("kind", KINDS)
    def test_scores_are_of_the_positive_class_or_of_the_label(self, desk, models, features, kind):
        model, run = models[kind], desk.audit(models[kind])
        found, sides = run.findings, twins(run, features)
        if kind == "binary":
            scores = [model.predict_proba(side)[:, 1] for side in sides]
        elif kind == "multi-class":
            column = np.searchsorted(model.classes_, found["label"].to_numpy(dtype=object))
            scores = [model.predict_proba(side)[np.arange(len(found)), column] for side in sides]
        elif kind == "decision":
            scores = [model.decision_function(side) for side in sides]
        else:
            scores = [(model.predict(side) == "yes").astype(float) for side in sides]
        assert np.allclose(found["score"], scores[0])
        assert np.allclose(found["score__twin"], scores[1])

    def test_linked_columns_have_a_twin_too_and_change_with_the_attribute(self, desk, binary, features):
        run = desk.audit(binary, schema=desk.file("s.toml", LINKED), max_queries=2_000)
        found = run.findings
        assert list(found.columns) == [*features, "sex__twin", "family__twin", *RESULTS]
        spouse = {"male": "husband", "female": "wife"}
        married = found[found["family"] != "alone"]
        assert len(married) > 0
        assert (married["family"] == married["sex"].map(spouse)).all()
        assert (married["family__twin"] == married["sex__twin"].map(spouse)).all()
        assert (found.loc[found["family"] == "alone", "family__twin"] == "alone").all()

    def test_they_are_distinct_without_what_a_reading_covers(self, desk, binary, features):
        run = desk.audit(binary, protected="sex,job", max_queries=3_000)
        free = [column for column in features if column not in ("sex", "job")]
        assert len(run.findings) > 50
        assert not run.findings.duplicated(free).any()

    def test_an_anchor_is_the_index_of_a_real_row_at_the_distance_given(self, desk, binary, features):
        named = desk.people.set_axis([f"person {i}" for i in range(len(desk.people))])
        found = desk.audit(binary, data=desk.data(named, "people.parquet")).findings
        free = [column for column in features if column != "sex"]
        real = named.loc[found["anchor"], free].reset_index(drop=True)
        unmoved = (found[free] == real).all(axis=1)
        assert unmoved.any()
        assert not unmoved.all()
        assert (unmoved == (found["distance"] == 0)).all()

    def test_under_the_default_realism_every_value_is_one_of_the_data(self, desk, binary, features):
        found = desk.audit(binary).findings
        for column in features:
            assert set(found[column]) <= set(desk.people[column])

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_columns_of_the_user_that_are_called_like_results_keep_their_names(self, desk, ending):
        def model(frame):
            return np.where((frame["score"] > 30) & (frame["sex"] == "male"), 0.9, 0.1)

        data = desk.people.rename(columns={"age": "score", "job": "label", "hours": "anchor"})
        found = desk.audit(model, data=desk.data(data, f"people.{ending}")).findings
        assert list(found.columns[:6]) == ["score", "sex", "family", "label", "anchor", "sex__twin"]
        assert [name.removeprefix("expga__") for name in found.columns[6:]] == RESULTS
        assert found.columns.is_unique
        assert set(found["label"]) <= set(data["label"])
        assert (found["score"] > 30).all()
        assert set(found["expga__label"]) == {0, 1}
        assert desk.replay(model).stdout.strip() == f"{len(found)} of {len(found)} pairs still hold (100.00%)."

    def test_a_column_of_the_user_that_is_called_like_a_twin_does_not_break_the_table(self, desk, unfair):
        data = desk.people.rename(columns={"job": "sex__twin"})
        run = desk.audit(unfair, data=desk.data(data))
        assert run.code == 0
        assert run.findings.columns.is_unique
        assert set(run.findings["sex__twin"]) <= set(data["sex__twin"])
        assert (
            desk.replay(unfair).stdout.strip()
            == f"{len(run.findings)} of {len(run.findings)} pairs still hold (100.00%)."
        )

    def test_missing_values_that_the_model_accepts_stay_missing(self, desk):
        def model(frame):
            return np.where(frame["hours"].isna() & (frame["sex"] == "male"), 0.9, 0.1)

        data = desk.people.assign(hours=desk.people["hours"].mask(np.arange(120) % 3 == 0))
        run = desk.audit(model, data=desk.data(data))
        assert len(run.findings) > 0
        assert run.findings["hours"].isna().all()

    def test_columns_keep_the_dtypes_of_a_parquet_file(self, desk, binary):
        kept = desk.people.astype({"job": "category", "age": "int16", "hours": "float32"})
        found = desk.audit(binary, data=desk.data(kept, "people.parquet")).findings
        for column in ("age", "sex", "family", "job", "hours"):
            assert found[column].dtype == kept[column].dtype
        assert found["sex__twin"].dtype == kept["sex"].dtype


def test_an_audit_of_the_same_folder_replaces_the_earlier_one_if_it_may(desk, binary, fair):
    first = desk.audit(binary).findings
    refused = desk.audit(fair, overwrite=None)
    assert refused.code == 2
    assert "--overwrite" in refused.stderr
    assert refused.findings.equals(first)
    second = desk.audit(fair)
    assert len(first) > 0
    assert (second.summary["found"], len(second.findings)) == (0, 0)


def test_a_numeric_attribute_is_read_as_it_is_and_at_no_more_than_eight_values(desk):
    def model(frame):
        return np.where(frame["age"] > 40, 0.9, 0.1)

    found = desk.audit(model, protected="age", max_queries=3_000).findings
    assert found["age"].tolist() == desk.people["age"].iloc[found["anchor"]].tolist()
    ages = set(found["age__twin"])
    assert 2 <= len(ages) <= 8
    assert ages <= set(desk.people["age"])


def test_both_kinds_of_file_give_the_same_audit(desk, binary):
    tables = [
        desk.audit(binary, data=desk.data(desk.people, f"people.{ending}")).findings for ending in ("csv", "parquet")
    ]
    pd.testing.assert_frame_equal(*tables)
