"""`expga.retrain` from end to end, on tables."""

from __future__ import annotations

import copy
import json

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import expga
from expga.errors import InputError
from expga.models.load import load_model
from expga.repair import REPAIRS, Averaged
from expga.results import Audit

TIMES = ("seconds", "seconds_per_finding")


def timeless(thing):
    """A summary without what a clock says."""
    if isinstance(thing, dict):
        return {name: timeless(value) for name, value in thing.items() if not str(name).endswith(TIMES)}
    return [timeless(value) for value in thing] if isinstance(thing, list | tuple) else thing


@pytest.fixture(scope="module")
def everything(retrain, plain, points):
    """Every way to repair a model of arrays, side by side."""
    return retrain(plain[0], *points, plain[1], compare="all", repeats=2)


class TestAllWays:
    def test_each_is_measured(self, everything):
        assert list(everything.summary["repairs"]) == REPAIRS.names()
        assert everything.table().columns.tolist() == ["before", *REPAIRS.names()]
        assert everything.summary["before"]["flips_test"]["mean"] > 0

    @pytest.mark.parametrize("name", ["average", "drop"])
    def test_nothing_flips_after_those_that_are_exact(self, everything, name):
        after = everything.summary["repairs"][name]["after"]
        for figure in ("flips_test", "flips_train", "held_out", "expga.found", "random.found", "aequitas.found"):
            assert after[figure]["mean"] == 0
        assert everything.summary["repairs"][name]["exact"]

    @pytest.mark.parametrize("name", ["twins", "both"])
    def test_fewer_flip_after_twins_were_added(self, everything, name):
        before, after = everything.summary["before"], everything.summary["repairs"][name]["after"]
        for figure in ("flips_test", "flips_train", "held_out"):
            assert after[figure]["mean"] < before[figure]["mean"]

    def test_figures_have_intervals_over_the_repeats(self, everything):
        told = everything.summary["repairs"]["both"]["after"]["accuracy"]
        low, high = told["ci95"]
        assert told["of"] == 2
        assert low <= told["mean"] <= high
        runs = [run["repairs"]["both"]["accuracy"] for run in everything.summary["runs"]]
        assert told["mean"] == pytest.approx(np.mean(runs))

    def test_the_model_is_the_one_that_was_asked_for(self, everything, points):
        assert isinstance(everything.model, LogisticRegression)
        assert set(everything.model.predict(points[0])) == {0, 1}

    def test_only_ways_with_findings_add_any(self, everything):
        told = {
            name: (kept["pairs"] > 0, kept["rows_added"] > 0) for name, kept in everything.summary["repairs"].items()
        }
        assert told == {
            "findings": (True, True),
            "twins": (False, True),
            "both": (True, True),
            **dict.fromkeys(("average", "drop", "reweigh", "reduction"), (False, False)),
        }


class TestTheGivenModel:
    @pytest.mark.parametrize("name", ["both", "reduction"])
    def test_an_estimator_is_bit_for_bit_as_it_was(self, retrain, model, people, hired, found, name):
        before = [joblib.hash(thing) for thing in (model, people, hired, found.findings, found.summary)]
        result = retrain(model, people, hired, found, repair=name, share=0.1)
        assert [joblib.hash(thing) for thing in (model, people, hired, found.findings, found.summary)] == before
        assert result.model is not model

    def test_so_is_one_that_only_its_owner_knows(self, retrain, people, hired):
        class Own:
            """Takes the user's frame, and keeps what it was fitted to."""

            def fit(self, X, y):
                self.rows = len(X)
                self.share = {sex: float((y[(X["sex"] == sex).to_numpy()] == "yes").mean()) for sex in set(X["sex"])}

            def predict(self, X):
                return np.where(X["sex"].map(self.share) > 0.5, "yes", "no")

        model = Own()
        model.fit(people, hired)
        model.share = {"male": 0.9, "female": 0.1}
        audit = expga.audit(model, people, protected="sex", max_queries=300)
        kept = copy.deepcopy(vars(model))
        result = retrain(model, people, hired, audit, repair="twins")
        assert vars(model) == kept
        assert isinstance(result.model, Own)
        assert result.model.rows == 120

    def test_the_model_stays_the_same_when_it_is_averaged_in_place_of_being_fitted(
        self, retrain, model, people, hired, found, others
    ):
        result = retrain(model, people, hired, found, repair="average", X_test=others[0], y_test=others[1])
        assert result.model.model is model


class TestFunctions:
    @staticmethod
    def scores(rows):
        return 1 / (1 + np.exp(-(rows["age"] - 45) / 5 - 3 * (rows["sex"] == "male") + 1.5)).to_numpy()

    @pytest.fixture(scope="class")
    @staticmethod
    def audited(people):
        return expga.audit(TestFunctions.scores, people, protected="sex", max_queries=400)

    def test_a_users_fit_makes_the_new_model(self, retrain, people, hired, audited):
        fits = []

        def fit(X, y):
            fits.append((list(X.columns), len(X), set(y)))
            inner = LogisticRegression().fit(X[["age"]], y)
            return lambda rows: inner.predict_proba(rows[["age"]])[:, 1]

        y = (hired == "yes").astype(int)
        result = retrain(self.scores, people, y, audited, repair="twins", fit=fit)
        assert fits == [(list(people.columns), 60, {0, 1}), (list(people.columns), 120, {0, 1})]
        assert result.summary["repairs"]["twins"]["after"]["flips_test"]["mean"] == 0
        assert result.model(people).shape == (80,)

    def test_a_black_box_can_be_averaged_and_the_evidence_says_what_it_lacks(self, retrain, people, hired, audited):
        y = (hired == "yes").astype(int)
        result = retrain(self.scores, people, y, audited, repair="average")
        assert isinstance(result.model, Averaged)
        assert result.model.model is self.scores
        assert result.summary["before"]["flips_test"]["mean"] > 0
        assert result.summary["repairs"]["average"]["after"]["flips_test"]["mean"] == 0
        assert any("may have been fitted to them" in note for note in result.summary["notes"])
        assert result.sentences()[-1] == result.summary["notes"][-1]

    def test_with_test_rows_there_is_nothing_that_it_lacks(self, retrain, people, hired, audited, others):
        y, y_test = ((labels == "yes").astype(int) for labels in (hired, others[1]))
        result = retrain(self.scores, people, y, audited, repair="average", X_test=others[0], y_test=y_test)
        assert result.summary["notes"] == []
        assert result.summary["test_rows"] == 40

    @pytest.mark.parametrize("options", [{}, {"repair": "twins"}, {"repair": "average", "compare": ["twins"]}])
    def test_a_black_box_cannot_be_fitted_again(self, retrain, people, hired, audited, options):
        with pytest.raises(InputError, match=r"a function, cannot be fitted again: .* repair by \"average\""):
            retrain(self.scores, people, (hired == "yes").astype(int), audited, **options)


def sign(weights):
    """A model of arrays that nobody but its owner knows."""
    return lambda array: 1 / (1 + np.exp(-(array[:, [0, 2]] @ weights[:2] + array[:, 1] * weights[2])))


@pytest.mark.parametrize("name", ["both", "average", "reweigh"])
def test_functions_of_arrays_get_arrays(retrain, points, name):
    X, y = points
    X = X - X.mean(axis=0)
    fits = []

    def fit(array, labels):
        fits.append(array.shape)
        return sign(LogisticRegression().fit(array[:, [0, 2, 1]], labels).coef_[0])

    model = fit(X, y)
    audit = expga.audit(model, X, protected="x1", max_queries=300)
    told = retrain(model, X, y, audit, repair=name, fit=fit, share=0.1).summary
    assert told["repairs"][name]["after"]["random.found"]["mean"] is not None
    assert fits[1] == (45, 3)


@pytest.mark.parametrize("name", ["both", "average", "reduction"])
def test_a_model_fitted_to_an_array_is_audited_and_repaired_on_a_frame(retrain, points, name):
    X = pd.DataFrame(points[0], columns=["weight", "group", "height"])
    model = LogisticRegression().fit(points[0], points[1])
    audit = expga.audit(model, X, protected="group", max_queries=300)
    told = retrain(model, X, points[1], audit, repair=name, share=0.1).summary
    assert told["repairs"][name]["after"]["random.found"]["mean"] is not None


class TestSeeds:
    def test_the_same_seed_comes_to_the_same(self, retrain, points):
        X, y = points
        forest = RandomForestClassifier(4, max_depth=3, random_state=0).fit(X, y)
        forest.set_params(random_state=None)
        audit = expga.audit(forest, X, protected="x1", max_queries=400)
        assert audit.summary["found"] > 10
        results = [retrain(forest, X, y, audit, seed=seed, repeats=2, share=0.2) for seed in (3, 3, 4)]
        one, again, other = (json.loads(json.dumps(timeless(result.summary), default=str)) for result in results)
        assert one == again
        assert one["runs"] != other["runs"]
        assert joblib.hash(results[0].model.predict_proba(X)) == joblib.hash(results[1].model.predict_proba(X))

    def test_no_global_random_state_is_touched(self, retrain, plain, points):
        state = np.random.get_state()[1].tolist()  # noqa: NPY002 - it is about this very state
        retrain(plain[0], *points, plain[1], share=0.1)
        assert np.random.get_state()[1].tolist() == state  # noqa: NPY002


class TestRules:
    """The audit's own rules go on to apply."""

    @pytest.mark.parametrize("rules", [{"threshold": 0.7}, {"min_gap": 0.2}, {"positive": "no", "threshold": 0.4}])
    def test_averaging_leaves_nothing_to_find(self, retrain, model, people, hired, rules):
        audit = expga.audit(model, people, protected="sex", max_queries=600, **rules)
        result = retrain(model, people, hired, audit, repair="average")
        before, after = result.summary["before"], result.summary["repairs"]["average"]["after"]
        assert before["flips_test"]["mean"] > 0
        assert before["held_out"]["mean"] > 0
        assert after["flips_test"]["mean"] == after["held_out"]["mean"] == after["expga.found"]["mean"] == 0

    def test_links_and_several_attributes(self, retrain, people, hired):
        link = {"role": {"male": "husband", "female": "wife"}}
        schema = {"protected": {"sex": {"link": [link]}, "age": {"values": [25, 55]}}}

        def fit(X, y):
            columns = pd.get_dummies(X).columns
            inner = LogisticRegression(max_iter=2_000).fit(pd.get_dummies(X), y)

            def model(rows):
                shown = pd.get_dummies(rows).reindex(columns=columns, fill_value=False)
                return inner.predict_proba(shown)[:, 1]

            return model

        y = (hired == "yes").astype(int)
        model = fit(people, y)
        audit = expga.audit(model, people, protected=["sex", "age"], schema=schema, max_queries=900)
        result = retrain(model, people, y, audit, fit=fit, compare=["average"], share=0.2)
        assert result.summary["repairs"]["average"]["after"]["flips_test"]["mean"] == 0
        names = [name for name in result.summary["before"] if name.endswith("parity_difference")]
        assert names == ["sex.demographic_parity_difference", "age.demographic_parity_difference"]

    def test_a_search_that_follows_gradients_is_left_out_where_there_are_none(self, retrain, points):
        X, y = points
        model = LogisticRegression().fit(X, y)
        audit = expga.audit(model, X, protected="x1", strategy="adf", max_queries=400)
        assert len(audit.findings)
        told = retrain(model, X, y, audit, repair="average").summary
        assert told["before"]["adf.found"]["mean"] is not None
        assert told["repairs"]["average"]["after"]["adf.found"]["mean"] is None
        assert told["repairs"]["average"]["after"]["random.found"]["mean"] == 0


class TestFiles:
    def test_the_folder_holds_the_model_and_the_evidence(self, tmp_path, retrain, plain, points):
        audit = plain[1].save(tmp_path / "audit")
        result = retrain(plain[0], *points, audit, repair="average", compare=["reduction"], out=tmp_path / "out")
        told = json.loads((tmp_path / "out" / "retrain.json").read_text(encoding="utf-8"))
        model = load_model(str(tmp_path / "out" / told["model"]["file"]), trust=told["model"]["trust"])
        np.testing.assert_array_equal(model.predict_proba(points[0]), result.model.predict_proba(points[0]))
        assert told["repairs"]["average"]["exact"] is True
        assert timeless(told["before"]) == json.loads(json.dumps(timeless(result.summary["before"])))

    def test_nothing_is_written_before_all_is_done(self, tmp_path, retrain, plain, points):
        def fails(*_):
            raise RuntimeError("not again")

        with pytest.raises(InputError, match="cannot be fitted to these rows: RuntimeError: not again"):
            retrain(plain[0], *points, plain[1], fit=fails, out=tmp_path / "out")
        assert not (tmp_path / "out").exists()


class TestRefusals:
    """Before anything is fitted."""

    def refuses(self, retrain, given, match, **options):
        with pytest.raises(InputError, match=match):
            retrain(*given, **options)
        return True

    @pytest.mark.parametrize(
        ("options", "match"),
        [
            ({"repair": "mend"}, "There is no repair 'mend'"),
            ({"compare": ["both", "mend"]}, "There is no repair 'mend'"),
            ({"relabel": "mode"}, "There is no way 'mode' to label pairs"),
            ({"share": 0}, "share of pairs"),
            ({"rounds": 0}, "number of rounds"),
            ({"repeats": 0}, "number of repeats"),
            ({"test_share": 2}, "share of rows to set aside"),
            ({"test_share": 0.001}, "cannot be set aside for testing"),
            ({"fit": "fit"}, "fit must be a function"),
        ],
    )
    def test_options(self, retrain, plain, points, options, match):
        assert self.refuses(retrain, (plain[0], *points, plain[1]), match, **options)

    def test_a_folder_that_cannot_be_made(self, tmp_path, retrain, plain, points):
        (tmp_path / "file").write_text("here")
        for out in (tmp_path / "file", tmp_path / "file" / "out"):
            assert self.refuses(retrain, (plain[0], *points, plain[1]), "cannot be made: .*file is a file", out=out)

    def test_an_audit_that_is_not_there(self, tmp_path, retrain, plain, points):
        assert self.refuses(retrain, (plain[0], *points, tmp_path / "none"), "There is no finished audit in .*none")

    def test_an_audit_without_findings(self, retrain, plain, points):
        empty = Audit(plain[1].summary, plain[1].findings[:0])
        assert self.refuses(retrain, (plain[0], *points, empty), "there is nothing to repair")

    @pytest.mark.parametrize("weight", [0.5, 2])
    def test_weights_for_a_model_that_takes_none(self, retrain, plain, points, weight):
        knn = KNeighborsClassifier().fit(*points)
        match = "takes no sample weights; leave the weight of added rows out"
        assert self.refuses(retrain, (knn, *points, plain[1]), match, weight=weight)

    def test_a_weight_that_changes_nothing_needs_none(self, retrain, points):
        knn = KNeighborsClassifier().fit(*points)
        audit = expga.audit(knn, points[0], protected="x1", max_queries=400)
        assert retrain(knn, *points, audit, weight=1, share=0.1).summary["weight"] == 1
