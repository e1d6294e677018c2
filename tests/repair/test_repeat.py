"""One repeat of a repair: nothing that tests has repaired, and nothing that repaired tests."""

from __future__ import annotations

import json
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import expga
from expga.errors import InputError
from expga.plain import as_json
from expga.repair import dosage, record
from expga.repair import repeat as module
from expga.repair.asked import Options
from expga.repair.case import case_of
from expga.repair.recipe import Recipe, recipe_of
from expga.repair.repairs import Both, Findings, Repaired, repairs_of
from expga.repair.repeat import Repeat


def options(**others):
    usual = {
        "repair": "both",
        "repairs": ("both",),
        "share": None,
        "relabel": "majority",
        "weight": None,
        "rounds": 1,
        "test_share": 0.25,
        "repeats": 1,
        "max_loss": 0.01,
        "max_queries": 30,
        "seed": 0,
    }
    return Options(**{**usual, **others})


def quiet(_):
    pass


def repeat_of(case, recipe, options, number=0, tell=quiet):
    return Repeat(case, recipe, options, repairs_of(options.repair, options.repairs)[1], number, tell)


@pytest.fixture(scope="module")
def case(model, people, hired, found):
    return case_of(model, people, hired, found, None, None)


@pytest.fixture(scope="module")
def tested(model, people, hired, others):
    """A case with test rows, audited with the others, some of them just like rows to fit to."""
    X_test = pd.concat([others[0], people[:30].set_axis([f"again {n}" for n in range(30)])])
    y_test = np.concatenate([others[1], hired[:30]])
    audit = expga.audit(model, pd.concat([people, X_test]), protected="sex", max_queries=1_060)
    return case_of(model, people, hired, audit, X_test, y_test)


class Spy:
    """A recipe that keeps what it was given."""

    def __init__(self, model):
        inner = recipe_of(model, None)
        self.fits = []
        self.recipe = Recipe(lambda seed: self._with(inner, seed), inner.weights)

    def _with(self, inner, seed):
        def fit(inputs, labels, **given):
            self.fits.append((inputs, labels, seed))
            return inner.make(seed)(inputs, labels, **given)

        return fit


class TestHonesty:
    @pytest.mark.parametrize("number", range(4))
    def test_what_repairs_and_what_tests_have_no_row_in_common(self, case, model, number):
        repeat = repeat_of(case, recipe_of(model, None), options(), number)
        mine, held = set(repeat.material.pairs.anchor), set(repeat.exam.held_out.anchor)
        assert mine
        assert held
        assert not mine & held
        assert mine <= set(repeat.train)
        assert len(repeat.material.pairs) + len(repeat.exam.held_out) == len(case.pairs)

    @pytest.mark.parametrize("number", range(3))
    def test_a_test_row_never_repairs_nor_does_one_that_is_just_like_it(self, tested, model, number):
        repeat = repeat_of(tested, recipe_of(model, None), options(), number)
        mine = tested.alike[repeat.material.pairs.anchor]
        assert len(mine)
        assert not set(mine) & set(tested.alike[80:])
        assert set(repeat.exam.held_out.anchor) & set(range(80, 150))

    def test_before_is_the_same_recipe_on_the_training_part_alone(self, case, model, people):
        spy = Spy(model)
        repeat = repeat_of(case, spy.recipe, options())
        ((inputs, labels, seed),) = spy.fits
        assert seed is None
        pd.testing.assert_frame_equal(inputs, people.iloc[repeat.train])
        assert labels.tolist() == case.labels[repeat.train].tolist()
        assert repeat.material.before is not model
        assert len(repeat.exam.test) == 20
        assert not set(repeat.exam.test.index) & set(inputs.index)

    def test_with_test_rows_before_is_the_model_that_was_given(self, tested, model):
        spy = Spy(model)
        repeat = repeat_of(tested, spy.recipe, options())
        assert repeat.material.before is model
        assert spy.fits == []
        assert len(repeat.exam.test) == 70

    def test_later_repeats_have_another_random_state_and_split(self, case, model):
        first, second = (repeat_of(case, Spy(model).recipe, options(), number) for number in (0, 1))
        assert (first.material.seed, second.material.seed) == (None, 1)
        assert first.train.tolist() != second.train.tolist()

    def test_findings_near_nothing_but_test_rows_repair_nothing(self, tested, model):
        near = np.flatnonzero(tested.pairs.anchor >= 80)
        only = replace(tested, pairs=tested.pairs.some(near))
        with pytest.raises(InputError, match="All findings lie near rows set aside for testing; give"):
            repeat_of(only, recipe_of(model, None), options())

    def test_the_searches_are_the_audits_own_and_two_that_took_no_part(self, case, model):
        assert repeat_of(case, recipe_of(model, None), options()).exam.strategies == (
            "expga",
            "random",
            "aequitas",
        )

    def test_readings_count_as_often_as_training_rows_have_them(self, case, model, people):
        repeat = repeat_of(case, recipe_of(model, None), options())
        men = (people["sex"].to_numpy()[repeat.train] == "male").mean()
        np.testing.assert_allclose(repeat.material.shares, [1 - men, men])


class TestRounds:
    @pytest.fixture
    def rounds(self, monkeypatch):
        """Runs so many rounds; what was added in each, and the figures."""
        monkeypatch.setattr(module, "ROUND_QUERIES", 300)

        def run(case, model, count, **others):
            added = []
            inner = Findings.found

            def spy(self, material, pairs, *given):
                if pairs is not material.pairs:
                    added.append(pairs)
                return inner(self, material, pairs, *given)

            monkeypatch.setattr(Findings, "found", spy)
            chosen = {"repair": "findings", "repairs": ("findings",), "share": 0.05, "rounds": count, **others}
            repeat = repeat_of(case, recipe_of(model, None), options(**chosen))
            told, _ = repeat.run()
            return repeat, added, told["repairs"][chosen["repair"]]

        return run

    def test_fresh_findings_against_the_newest_model_are_added(self, case, model, rounds):
        _, added, told = rounds(case, model, 3)
        assert len(told["rounds"]) == len(added) + 1 == 3
        assert told["pairs"] == 3 * round(0.05 * 60)
        assert all(len(pairs) for pairs in added)
        assert {name: told[name] for name in told["rounds"][-1]} == told["rounds"][-1]

    def test_they_lie_near_rows_that_repaired_before_and_no_others(self, tested, model, rounds):
        repeat, added, _ = rounds(tested, model, 2)
        (fresh,) = added
        assert set(fresh.anchor) <= set(repeat.material.pairs.anchor)
        assert not set(tested.alike[fresh.anchor]) & set(tested.alike[80:])

    def test_names_of_fresh_findings_lead_to_the_same_rows(self, case, model, rounds, people):
        _, (fresh,), _ = rounds(case, model, 2)
        findings = fresh.audit.findings
        exact = findings["distance"].to_numpy() == 0
        assert exact.any()
        assert (findings["age"].to_numpy() == people["age"].to_numpy()[fresh.anchor])[exact].all()

    def test_it_ends_when_nothing_more_is_found(self, case, model, rounds, monkeypatch):
        monkeypatch.setattr(Repeat, "_found_again", lambda self, *_: self.material.pairs.some(np.arange(0)))
        _, added, told = rounds(case, model, 4)
        assert added == []
        assert len(told["rounds"]) == 1

    @pytest.mark.parametrize("name", ["twins", "average"])
    def test_a_way_without_findings_has_one(self, case, model, rounds, name):
        _, added, told = rounds(case, model, 3, repair=name, repairs=(name,))
        assert added == []
        assert len(told["rounds"]) == 1


class TestShares:
    def count(self, case, model, name, **others):
        return repeat_of(case, recipe_of(model, None), options(**others))._first_round(repairs_of(name, ())[1][name])[1]

    @pytest.mark.parametrize(("share", "count"), [(0.5, 30), (2, 120), (0.001, 1), (np.float32(0.25), 15)])
    def test_a_share_is_of_the_training_rows(self, case, model, share, count):
        assert self.count(case, model, "findings", share=share) == count
        assert self.count(case, model, "both", share=share) == count

    def test_by_default_it_is_the_published_one_or_as_many_as_it_takes(self, case, model):
        assert self.count(case, model, "findings") == 6
        assert 6 <= self.count(case, model, "both") <= len(case.pairs)

    def test_what_was_added_is_told(self, case, model):
        repeat = repeat_of(case, recipe_of(model, None), options(share=0.1))
        told, _ = repeat.run()
        assert told["repairs"]["both"]["share"] == pytest.approx(0.1)
        assert told["repairs"]["both"]["pairs"] == 6
        assert told["repairs"]["both"]["rows_added"] == 12 + 60 + 120


class Known:
    """A model that knows the label of every row, but for some, and for some looks at sex alone."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, people, hired, wrong=0.0, unfair=0.0):
        self.labels = dict(zip(self._keys(people), hired, strict=True))
        lot = dict(zip(self.labels, np.random.default_rng(0).permutation(len(self.labels)), strict=True))
        self.wrong = {key for key, number in lot.items() if number < wrong * len(lot)}
        self.unfair = {key for key, number in lot.items() if number >= (1 - unfair) * len(lot)}

    def _keys(self, rows):
        return list(zip(rows["age"], rows["role"], rows["hours"], strict=True))

    def predict(self, rows):
        other = {"no": "yes", "yes": "no"}
        told = [
            ("yes" if sex == "male" else "no")
            if key in self.unfair
            else other[self.labels[key]]
            if key in self.wrong
            else self.labels[key]
            for key, sex in zip(self._keys(rows), rows["sex"], strict=True)
        ]
        return np.array(told)


def best_of(repeat, name):
    case, loss = repeat.case, repeat.options.max_loss
    return dosage.best_count(name, repeat.material, case.truth[repeat.train], case.classes, loss, repeat.rng, quiet)


class TestAutomaticShare:
    """Shares of 0.1, 0.5, 2 and 10 of 60 rows, 45 of which are fitted to, with models whose figures are known."""

    @pytest.fixture
    def best(self, case, people, hired):
        def choose(figures, max_loss=0.1, pairs=10_000):
            tried = []

            class Made(Both):
                def repaired(self, _, count, *__):
                    tried.append(count)
                    return Repaired(Known(people, hired, *figures[count]), 1, 2, 0.1)

            perfect = Recipe(lambda _: lambda *_, **__: Known(people, hired), None)
            repeat = repeat_of(case, perfect, options(share="auto", max_loss=max_loss))
            some = np.resize(np.arange(len(repeat.material.pairs)), pairs)
            repeat.material = replace(repeat.material, pairs=repeat.material.pairs.some(some))
            return best_of(repeat, Made()), tried

        return choose

    COUNTS = (4, 22, 90, 450)

    def of(self, *figures):
        return dict(zip(self.COUNTS, figures, strict=True))

    def test_the_fairest_within_the_loss_is_kept(self, best):
        count, tried = best(self.of((0, 0.8), (0, 0.5), (0, 0.2), (0.9, 0)))
        assert tried == list(self.COUNTS)
        assert count == 120

    def test_more_loss_may_be_allowed(self, best):
        assert best(self.of((0, 0.8), (0, 0.5), (0, 0.2), (0.9, 0)), max_loss=1.0)[0] == 600

    def test_of_two_that_are_as_fair_the_smaller_share_is_kept(self, best):
        assert best(self.of((0, 0.8), (0, 0.2), (0, 0.2), (0, 0.2)), max_loss=1.0)[0] == 30

    def test_where_all_cost_too_much_it_is_the_smallest(self, best):
        assert best(self.of((0.9, 0.1), (0.9, 0), (0.9, 0), (0.9, 0)), max_loss=0.0)[0] == 6

    def test_no_share_is_tried_that_there_are_no_pairs_for(self, best):
        _, tried = best(self.of((0, 0.8), (0, 0.5), (0, 0.2), (0.9, 0)), pairs=16)
        assert tried == [4, 22]

    def test_a_real_one_is_judged_on_training_rows_alone(self, case, model):
        spy = Spy(model)
        repeat = repeat_of(case, spy.recipe, options(share="auto"))
        best_of(repeat, Findings())
        for inputs, _, _ in spy.fits[1:]:
            known = inputs[["age", "hours"]].merge(repeat.exam.test[["age", "hours"]])
            assert len(known) == 0
            assert len(inputs) < 60 + 2 * len(repeat.material.pairs)


class TestRun:
    def test_a_way_that_is_only_compared_may_fail(self, case, people, hired):
        knn = make_pipeline(clone(case.model[0]), KNeighborsClassifier()).fit(people, hired)
        audit = expga.audit(knn, people, protected="sex", max_queries=600)
        its = case_of(knn, people, hired, audit, None, None)
        repairs = ("average", "reduction")
        told, made = repeat_of(its, recipe_of(knn, None), options(repair="average", repairs=repairs)).run()
        assert "takes sample weights" in told["repairs"]["reduction"]["failed"]
        assert told["repairs"]["average"]["flips_test"]["flipped"] == 0
        assert made.predict(people).shape == (80,)
        with pytest.raises(InputError, match="takes sample weights"):
            repeat_of(its, recipe_of(knn, None), options(repair="reduction", repairs=repairs)).run()

    def test_it_comes_back_from_a_store_as_it_was(self, case, model):
        told, _ = repeat_of(case, recipe_of(model, None), options(share=0.1, repairs=("both", "average"))).run()
        kept = as_json(told)
        again = record.repeat_of(kept, list(told["repairs"]), "both")
        assert json.loads(as_json(again)) == json.loads(kept)

    def test_it_says_what_it_does(self, case, model):
        said = []
        repeat_of(case, recipe_of(model, None), options(repeats=2, share=0.1), 1, said.append).run()
        assert said == [
            "Fitting the model as it was (2 of 2)",
            "Measuring the model before the repair (2 of 2)",
            "Repairing by both (2 of 2)",
        ]

    def test_the_model_and_the_rows_are_as_they_were(self, case, model, people, hired):
        before = [joblib.hash(thing) for thing in (model, people, hired, case.pairs.audit.findings)]
        repeat_of(case, recipe_of(model, None), options(share=0.1)).run()
        assert [joblib.hash(thing) for thing in (model, people, hired, case.pairs.audit.findings)] == before
