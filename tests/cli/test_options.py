"""What the options of `expga audit` do: where a run ends, what counts, which label scores are of, exit codes."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression


def said(run):
    """What a report says, without its frames and line ends."""
    return " ".join(run.stdout.replace("│", " ").split())


class TestWhereARunEnds:
    @pytest.mark.parametrize("most", [7, 100, 601, 2_048])
    @pytest.mark.parametrize("strategy", ["expga", "random"])
    def test_no_more_queries_than_allowed_and_no_pair_fewer(self, desk, unfair, strategy, most):
        summary = desk.audit(unfair, strategy=strategy, max_queries=most, realism="domain").summary
        assert summary["stop_reason"] == "queries"
        assert most - 2 < summary["queries"]["total"] <= most

    @pytest.mark.parametrize("most", [100, 333])
    def test_samples_of_many_readings_keep_to_the_queries_allowed_as_well(self, desk, unfair, most):
        run = desk.audit(unfair, strategy="expga-published", protected="sex,age", realism="data", max_queries=most)
        assert run.summary["queries"]["total"] <= most

    def test_a_budget_below_one_row_of_many_readings_is_kept_or_refused(self, desk, unfair):
        run = desk.audit(unfair, protected="sex,age", max_queries=10)
        assert run.code == 2 or run.summary["queries"]["total"] <= 10

    def test_a_rest_that_no_whole_sample_fits_in_ends_the_run_by_its_queries(self, desk, unfair):
        run = desk.audit(unfair, strategy="expga-published", realism="data", protected="job", max_queries=203)
        assert run.summary["stop_reason"] == "queries"
        assert 203 - 4 < run.summary["queries"]["total"] <= 203

    def test_every_query_of_the_model_is_counted(self, desk, unfair):
        sizes = []

        def counting(frame):
            sizes.append(len(frame))
            return unfair(frame)

        summary = desk.audit(counting, max_queries=900).summary
        assert sum(sizes) == summary["queries"]["total"]

    @pytest.mark.parametrize("most", [1, 17, 130])
    def test_exactly_as_many_findings_as_asked_for(self, desk, binary, most):
        run = desk.audit(binary, max_queries=5_000, max_findings=most)
        assert run.summary["stop_reason"] == "findings"
        assert len(run.findings) == run.summary["found"] == most

    def test_as_many_generations_as_asked_for(self, desk, unfair):
        tested = [
            desk.audit(unfair, max_queries=20_000, max_generations=most, realism="domain").summary for most in (1, 3)
        ]
        assert [summary["stop_reason"] for summary in tested] == ["generations", "generations"]
        assert tested[0]["tested"] < tested[1]["tested"]
        for summary, most in zip(tested, (1, 3), strict=True):  # a batch is 1% of the queries
            assert 0 < summary["queries"]["search"] <= most * 200

    def test_a_budget_of_time(self, desk, unfair, clock):
        def model(frame):
            clock.now += 0.01
            return unfair(frame)

        summary = desk.audit(model, max_queries=None, budget="0.3s", realism="domain").summary
        assert summary["stop_reason"] == "time"
        assert 0.3 <= summary["elapsed_s"] < 0.32
        assert summary["found"] > 0

    def test_whichever_limit_comes_first(self, desk, unfair):
        run = desk.audit(unfair, budget="10m", max_queries=5_000, max_generations=1_000, max_findings=3)
        assert run.summary["stop_reason"] == "findings"

    @pytest.mark.parametrize("strategy", ["expga", "expga-published", "random"])
    def test_a_domain_with_nothing_left_to_test(self, desk, strategy):
        tiny = desk.people[["sex", "job", "hired"]]
        run = desk.audit(
            lambda frame: np.where(frame["sex"] == "male", 0.9, 0.1),
            data=desk.data(tiny),
            strategy=strategy,
            realism="domain",
            explainer="none",
            max_queries=100_000,
        )
        assert run.summary["stop_reason"] == "exhausted"
        assert sorted(run.findings["job"]) == sorted(tiny["job"].unique())


class TestWhatCounts:
    def test_the_users_threshold_replaces_the_models_own(self, desk, binary):
        run = desk.audit(binary, threshold=0.8, max_queries=1_500)
        found = run.findings
        assert len(found) > 0
        assert (found["label"] == np.where(found["score"] >= 0.8, "yes", "no")).all()
        assert (found["label__twin"] == np.where(found["score__twin"] >= 0.8, "yes", "no")).all()
        assert (found["label"] != found["label__twin"]).all()
        assert (found[["score", "score__twin"]].min(axis=1) > 0.5).any()  # no finding by the model's own rule

    def test_the_threshold_is_of_the_positive_label(self, desk, binary):
        found = desk.audit(binary, threshold=0.8, positive="no", max_queries=1_500).findings
        assert len(found) > 0
        assert (found["label"] == np.where(found["score"] >= 0.8, "no", "yes")).all()

    def test_the_population_is_measured_by_the_threshold_too(self, desk, binary):
        summary = desk.audit(binary, threshold=0.8, max_queries=2_000).summary
        hired = [binary.predict_proba(desk.people.assign(sex=sex))[:, 1] >= 0.8 for sex in ("female", "male")]
        assert summary["population"]["flipped"] == int((hired[0] != hired[1]).sum())

    def test_a_threshold_of_a_decision_value_need_be_no_probability(self, desk, models):
        found = desk.audit(models["decision"], threshold=-0.2).findings
        assert len(found) > 0
        assert (found["label"] == np.where(found["score"] >= -0.2, "yes", "no")).all()

    def test_a_smallest_gap_counts_scores_instead_of_labels(self, desk, binary):
        run = desk.audit(binary, min_gap=0.2, max_queries=2_000)
        found = run.findings
        scores = [binary.predict_proba(desk.people.assign(sex=sex))[:, 1] for sex in ("female", "male")]
        assert len(found) > 0
        assert (found["gap"] > 0.2).all()
        assert (found["label"] == found["label__twin"]).any()
        assert run.summary["population"]["flipped"] == int((np.abs(scores[0] - scores[1]) >= 0.2).sum())
        assert "get a score for yes that differs by at least 0.2" in " ".join(run.stdout.split())

    def test_a_smallest_gap_lets_a_regressor_in_and_the_gate_counts_it(self, desk):
        pay = LinearRegression()
        pay.predict = lambda frame: 31_000 + 5_400.0 * (frame["sex"] == "male") + frame["age"]
        refused = desk.audit(pay)
        assert refused.code == 2
        assert "The model is a regressor, LinearRegression, which predicted numbers from 31" in refused.stderr
        assert "min_gap" in refused.stderr
        run = desk.audit(pay, min_gap=5_000, fail_over=0.9)
        assert run.code == 1
        assert "100.00%" in run.stdout
        assert "get a prediction that differs by at least 5,000" in said(run)
        assert desk.audit(pay, min_gap=6_000, fail_over=0).code == 0

    def test_scores_are_of_the_label_called_positive(self, desk, binary):
        features = [column for column in desk.people if column != "hired"]
        for label in ("yes", "no"):
            found = desk.audit(binary, positive=label).findings
            assert len(found) > 0
            score = binary.predict_proba(found[features])[:, list(binary.classes_).index(label)]
            assert np.allclose(found["score"], score)
            assert ((found["score"] > 0.5) == (found["label"] == label)).all()

    def test_a_number_may_be_the_positive_label(self, desk, models):
        numbers = OneAndTwo(models["binary"])
        found = desk.audit(numbers, positive="1").findings
        assert len(found) > 0
        assert ((found["score"] > 0.5) == (found["label"] == 1)).all()


class TestExitCode:
    def test_0_when_it_ran_whatever_it_found(self, desk, unfair):
        assert desk.audit(unfair).code == 0

    def test_1_when_the_rates_lower_bound_is_above_the_limit(self, desk, unfair):
        run = desk.audit(unfair, fail_over=0.9)
        assert run.code == 1
        assert run.summary["population"]["ci95"][0] > 0.9
        assert "Over the limit" in run.stdout
        assert run.stderr == ""

    def test_0_when_only_the_rate_is_above_the_limit(self, desk, binary):
        population = desk.audit(binary, max_queries=2_000).summary["population"]
        limit = (population["ci95"][0] + population["rate"]) / 2
        assert desk.audit(binary, max_queries=2_000, fail_over=limit).code == 0

    def test_0_for_a_fair_model_under_the_strictest_limit(self, desk, fair):
        assert desk.audit(fair, fail_over=0).code == 0

    def test_0_for_a_model_that_flips_by_chance_alone(self, desk):
        """Its lower bound is above the limit, but no higher than noise makes it."""
        drawn = np.random.default_rng(0)
        run = desk.audit(lambda rows: drawn.choice([0.1, 0.9], len(rows)), max_queries=2_000, fail_over=0.3)
        assert run.code == 0
        assert run.summary["population"]["ci95"][0] > 0.3
        assert "is not clearly more than noise alone would make it" in said(run)
        assert "The model is random" in said(run)

    def test_1_for_one_that_is_unfair_beyond_it(self, desk, unfair):
        drawn = np.random.default_rng(0)

        def shaken(rows):
            return np.clip(unfair(rows) + drawn.normal(0, 0.1, len(rows)), 0, 1)

        run = desk.audit(shaken, max_queries=2_000, fail_over=0.3)
        assert run.code == 1
        assert run.summary["placebo"]["answers"] == "random"

    def test_2_for_bad_input_even_under_a_limit(self, desk, unfair):
        assert desk.audit(unfair, protected="gender", fail_over=0).code == 2


class TestModelsByFile:
    @pytest.mark.parametrize("ending", ["joblib", "pkl"])
    def test_a_pickle_loads_where_that_is_allowed(self, desk, binary, ending):
        path = desk.folder / f"model.{ending}"
        joblib.dump(binary, path)
        run = desk.audit(str(path), allow_pickle=True)
        assert run.code == 0
        assert len(run.findings) > 0

    def test_a_skops_file_of_safe_types_loads_as_it_is(self, desk, binary):
        from skops.io import dump

        dump(binary, desk.folder / "model.skops")
        assert desk.audit(str(desk.folder / "model.skops")).summary["found"] > 0

    def test_a_skops_file_of_other_types_loads_with_trust(self, desk, grown_forest):
        run = desk.audit(str(grown_forest), trust="sklearn.tree._tree.Tree, some.other.Type")
        assert run.code == 0
        assert run.summary["queries"]["total"] > 0

    def test_a_model_of_numpy_arrays_is_given_arrays(self, desk, people):
        from sklearn.tree import DecisionTreeClassifier

        numbers = people[["age", "hours"]].assign(sex=(people["sex"] == "male").astype(int))
        tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers.to_numpy(), people["hired"])
        run = desk.audit(tree, data=desk.data(numbers.assign(hired=people["hired"])))
        found = run.findings
        assert list(found.columns[:4]) == ["age", "hours", "sex", "sex__twin"]
        assert (tree.predict(found[["age", "hours", "sex"]].to_numpy()) == found["label"]).all()
        assert len(found) > 0


@pytest.mark.parametrize("explainer", ["gap", "lime", "none"])
@pytest.mark.parametrize("strategy", ["expga", "expga-published", "random"])
def test_every_strategy_runs_with_every_choice_of_seeds(desk, unfair, strategy, explainer):
    run = desk.audit(unfair, strategy=strategy, explainer=explainer, max_queries=1_500)
    assert run.code == 0
    assert run.summary["strategy"] == strategy
    assert run.summary["found"] > 0
    assert (run.summary["queries"]["explain"] > 0) == (explainer == "lime")


class OneAndTwo:
    """A model whose labels are numbers: 1 for no, 2 for yes."""

    def __init__(self, inner):
        self.inner = inner
        self.classes_ = np.array([1, 2])

    def predict(self, frame):
        return np.where(self.inner.predict(frame) == "yes", 2, 1)

    def predict_proba(self, frame):
        return self.inner.predict_proba(frame)
