"""What a bench would run."""

from __future__ import annotations

import json

import pytest

from expga.bench import pictures, plan
from expga.bench.material import TABLES
from expga.bench.plan import Cell, Choice, ablation_plan, queries_plan, retrain_plan, tabular_plan, text_plan
from expga.errors import InputError
from expga.search import STRATEGIES, of_kind
from expga.search.random import RandomTesting


class WithGradients(RandomTesting):
    """A strategy that works only with gradients."""

    name = "with_gradients"
    needs_gradients = True


@pytest.fixture
def with_gradients(monkeypatch):
    monkeypatch.setitem(STRATEGIES._added, "with_gradients", [WithGradients])


@pytest.mark.usefixtures("with_gradients")
def test_every_method_runs_in_every_cell_that_it_applies_to():
    cells = tabular_plan(Choice())
    for experiment, expga in (("reproduction", "expga-published"), ("ours", "expga")):
        for data, attribute in TABLES.pairs:
            for model in ("mlp", "forest", "svm"):
                here = [
                    cell.strategy
                    for cell in cells
                    if cell.place == (experiment, data, attribute, model) and cell.manner == "batched"
                ]
                known = of_kind("table")
                usual = {name for name in known if name not in plan.ON_REQUEST and not name.startswith("expga")}
                assert len(here) == len(set(here))
                with_gradients = {name for name in usual if known[name].needs_gradients}
                assert set(here) == (usual | {expga}) - (set() if model == "mlp" else with_gradients)


def test_the_two_experiments_differ_in_realism():
    realism = {(cell.experiment, cell.realism) for cell in tabular_plan(Choice())}
    assert realism == {("reproduction", "domain"), ("ours", "data")}


def test_the_faithful_manner_runs_on_census_sex_only():
    faithful = [cell for cell in tabular_plan(Choice()) if cell.manner == "faithful"]
    assert {cell.place for cell in faithful} == {("reproduction", "census", "sex", m) for m in ("mlp", "forest", "svm")}
    assert all("faithful" in of_kind("table")[cell.strategy].manners for cell in faithful)


def test_other_methods_than_expga_learn_nothing_from_the_population():
    assert {cell.explainer for cell in tabular_plan(Choice()) if cell.strategy == "random"} == {None}
    assert {cell.explainer for cell in tabular_plan(Choice()) if cell.strategy.startswith("expga")} == {"auto"}


def test_defaults_fit_into_an_hour_and_a_half():
    assert sum(cell.seconds * cell.repeats for cell in tabular_plan(Choice())) < 90 * 60


def test_choices_narrow_a_plan():
    choice = Choice(["census"], ["sex"], ["mlp"], ["random"], 2.0, None, 3, 7)
    cells = tabular_plan(choice)
    assert {(cell.data, cell.attribute, cell.model, cell.strategy) for cell in cells} == {
        ("census", "sex", "mlp", "random")
    }
    assert {(cell.seconds, cell.queries, cell.repeats, cell.seed) for cell in cells} == {(2.0, None, 3, 7)}


def test_queries_alone_leave_no_limit_of_time():
    assert {(cell.seconds, cell.queries) for cell in tabular_plan(Choice(queries=500))} == {(None, 500)}


def test_every_method_runs_at_each_number_of_queries_with_cells_of_one_model_together():
    cells = queries_plan(Choice())
    assert {(cell.experiment, cell.realism, cell.seconds, cell.repeats) for cell in cells} == {
        ("queries", "data", None, 3)
    }
    for data, attribute in TABLES.pairs:
        for model in TABLES.models:
            here = [cell for cell in cells if cell.place == ("queries", data, attribute, model)]
            begin = cells.index(here[0])
            assert cells[begin : begin + len(here)] == here
            free = {"expga", "expga-published", "random", "aequitas", "sg"}
            methods = free | ({"adf"} if model == "mlp" else set())
            assert {(cell.strategy, cell.queries) for cell in here} == {
                (method, queries) for method in methods for queries in (1_000, 5_000, 20_000, 100_000)
            }


def test_numbers_of_queries_are_chosen_and_tell_cells_apart():
    cells = queries_plan(Choice(["credit"], ["sex"], ["mlp"], ["expga"], repeats=2), [500, 70, 500])
    assert [(cell.queries, cell.repeats) for cell in cells] == [(70, 2), (500, 2)]
    assert len({cell.name for cell in cells}) == 2


def test_texts_are_the_papers_and_film_reviews():
    cells = text_plan(Choice())
    assert {cell.data for cell in cells} == {"sst", "imdb", "movie-reviews"}
    assert {cell.strategy for cell in cells} == set(of_kind("text")) - set(plan.ON_REQUEST)
    assert {cell.seconds for cell in cells} == {15.0}


def test_an_ablation_has_both_arms_of_every_question():
    arms = {(cell.strategy, cell.arm) for cell in ablation_plan(Choice())}
    for _, recipe, one, other in plan.QUESTIONS:
        assert {(recipe, one), (recipe, other)} <= arms


def test_arms_differ_from_their_base_in_one_thing():
    cells = ablation_plan(Choice(["credit"], ["sex"], ["mlp"]))
    for recipe in ("expga-published", "expga"):
        base, *others = [cell for cell in cells if cell.strategy == recipe]
        for cell in others:
            different = [
                name for name in ("realism", "explainer", "options") if getattr(cell, name) != getattr(base, name)
            ]
            assert len(different) == 1, cell.arm


def test_our_parts_are_compared_at_equal_queries_unless_something_else_is_chosen():
    def budgets(**chosen):
        cells = ablation_plan(Choice(["credit"], ["sex"], ["mlp"], **chosen))
        return {(cell.strategy, cell.seconds, cell.queries) for cell in cells}

    assert budgets() == {("expga-published", 5.0, None), ("expga", None, 20_000)}
    for chosen in ({"seconds": 2.0}, {"queries": 500}, {"seconds": 2.0, "queries": 500}):
        both = chosen.get("seconds"), chosen.get("queries")
        assert budgets(**chosen) == {("expga-published", *both), ("expga", *both)}


def test_each_part_of_our_search_is_left_out_once():
    arms = {cell.arm: dict(cell.options) for cell in ablation_plan(Choice()) if cell.strategy == "expga"}
    parts = {"no judge": {"judged": False}, "no ranking": {"ranked": False}, "values only": {"trees": False}}
    assert {arm: options for arm, options in arms.items() if options} == parts


def test_every_arm_has_a_colour_of_its_own():
    for recipe in ("expga", "expga-published"):
        cells = [cell for cell in ablation_plan(Choice()) if cell.strategy == recipe]
        colours = pictures._colours(cells)
        assert set(colours) == {cell.arm for cell in cells}
        assert len(set(colours.values())) == len(colours)


def test_pictures_are_over_what_ends_a_run_and_arms_have_no_places():
    course, place = "findings-over", "pca"
    timed, counted = (Choice(["credit"], queries=queries) for queries in (None, 500))
    assert pictures.names(tabular_plan(timed, ["ours"])) == [
        f"{course}-seconds-ours",
        f"{course}-queries-ours",
        f"{place}-ours",
    ]
    assert pictures.names(tabular_plan(counted, ["ours"])) == [f"{course}-queries-ours", f"{place}-ours"]
    assert pictures.names(ablation_plan(counted)) == [
        f"{course}-queries-ablation-{recipe}" for recipe in ("expga-published", "expga")
    ]


def test_a_cell_survives_its_way_through_json():
    tables = [*tabular_plan(Choice()), *queries_plan(Choice()), *ablation_plan(Choice())]
    for cell in [*tables, *text_plan(Choice()), *retrain_plan(Choice(), share=0.5)]:
        assert Cell.of(json.loads(json.dumps(cell.as_dict()))) == cell


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (Choice(strategies=["magic"]), "no strategy 'magic' in this bench; choose from .*expga.*random"),
        (Choice(models=["bert"]), "no model 'bert' in this bench; choose from mlp, forest, svm"),
        (Choice(data=["titanic"]), "no data set 'titanic' in this bench; choose from census, credit, bank"),
        (Choice(attributes=["height"]), "no attribute 'height' in this bench; choose from sex, age, race"),
        (Choice(data=["bank"], attributes=["race"]), "race is in the data chosen; there is bank age"),
        (Choice(strategies=[]), "Nothing is left to run"),
    ],
)
def test_bad_choices_say_what_there_is(choice, sentence):
    with pytest.raises(InputError, match=sentence):
        tabular_plan(choice)


@pytest.mark.usefixtures("with_gradients")
def test_gradients_where_there_are_none_are_one_sentence():
    with pytest.raises(
        InputError, match="with_gradients needs gradients, which forest, svm cannot offer; choose the model mlp"
    ):
        tabular_plan(Choice(models=["forest", "svm"], strategies=["with_gradients"]))


def test_gradients_on_texts_are_one_sentence(monkeypatch):
    monkeypatch.setitem(STRATEGIES._added, "with_gradients", [WithGradients])
    assert "with_gradients" not in {cell.strategy for cell in text_plan(Choice())}
    with pytest.raises(InputError, match="No text model here offers gradients; choose from expga"):
        text_plan(Choice(strategies=["with_gradients"]))


def test_repairs_are_of_the_papers_tables_and_texts():
    places = [(cell.data, cell.attribute, cell.model) for cell in retrain_plan(Choice())]
    texts = [("sst", "gender"), ("sst", "country"), ("imdb", "gender"), ("imdb", "country")]
    assert places == [
        *((*pair, model) for pair in TABLES.pairs for model in ("mlp", "forest")),
        *((*pair, model) for pair in texts for model in ("lr", "cnn")),
    ]


def test_repairs_are_compared_with_ours_and_texts_have_no_column_to_drop():
    for cell in retrain_plan(Choice(seed=7), rounds=2, max_queries=500):
        options = dict(cell.options)
        assert options["compare"] == "findings,twins,average" + (",drop" if cell.data in TABLES.data else "")
        assert (options["repair"], options["rounds"], options["max_queries"]) == ("both", 2, 500)
        assert (cell.repeats, cell.seed, cell.seconds) == (3, 7, None)
        assert cell.queries == {"mlp": 200_000, "forest": 200_000, "lr": 100_000, "cnn": 60_000}[cell.model]


def test_without_ours_the_first_repair_is_the_one_that_others_are_compared_with():
    (cell,) = retrain_plan(Choice(["bank"], models=["mlp"]), ["drop", "findings"])
    assert (dict(cell.options)["repair"], dict(cell.options)["compare"]) == ("findings", "drop")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"repairs": ["magic"]}, "There is no repair 'magic'; choose one of findings, twins, both"),
        ({"repairs": []}, "Nothing is left to run"),
        ({"choice": Choice(["sst"]), "repairs": ["drop"]}, "Nothing is left to run"),
        ({"choice": Choice(["sst"], models=["mlp"])}, "Nothing is left to run"),
        ({"choice": Choice(models=["svm"])}, "no model 'svm' in this bench; choose from mlp, forest, lr, cnn"),
        ({"choice": Choice(["movie-reviews"])}, "choose from census, credit, bank, sst, imdb"),
        ({"choice": Choice(["sst"], ["age"])}, "age is in the data chosen; there is sst gender, sst country"),
        ({"share": "much"}, "The share of pairs to add must be a number above 0, not 'much'"),
        ({"share": -0.1}, "The share of pairs to add must be a number above 0"),
        ({"rounds": 0}, "The number of rounds must be a whole number from 1"),
        ({"max_queries": 0}, "The number of queries must be a whole number from 1"),
    ],
)
def test_repairs_that_cannot_be_are_one_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        retrain_plan(**{"choice": Choice(), **options})
