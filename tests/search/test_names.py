"""Strategies by name, by class, as objects, and those of other packages."""

from __future__ import annotations

import pytest

from expga.contracts import Strategy
from expga.errors import InputError
from expga.search import STRATEGIES, of_kind, strategy
from expga.search.random import RandomTesting


def table(given):
    return strategy(given, "table", "a table")


def text(given):
    return strategy(given, "text", "texts")


@pytest.mark.parametrize("name", of_kind("table"))
def test_a_strategy_goes_by_its_name(name):
    assert table(name).name == name
    assert "table" in table(name).kinds or not table(name).kinds


@pytest.mark.parametrize("name", of_kind("text"))
def test_one_for_texts_goes_by_its_name(name):
    assert text(name).name == name
    assert "text" in text(name).kinds or not text(name).kinds


def test_of_two_with_one_name_the_one_for_this_kind_alone_knows_it_better():
    assert type(text("expga")) is not type(table("expga"))
    assert type(table("expga")) is type(strategy("expga", "sequence", "sequences"))


def test_one_for_texts_is_not_for_tables():
    with pytest.raises(
        InputError, match=r"^The strategy mtnlp is for texts; on a table choose one of expga, [a-z-, ]+\.$"
    ):
        table("mtnlp")


def test_one_for_tables_is_not_for_texts():
    with pytest.raises(
        InputError,
        match=r"^The strategy sg is for tables; on texts choose one of expga, expga-published, random, mtnlp\.$",
    ):
        text("sg")


@pytest.mark.parametrize(
    "given", [type(of_kind("text")["mtnlp"]()), of_kind("text")["mtnlp"]()], ids=["class", "object"]
)
def test_an_object_or_a_class_for_the_other_kind_is_refused_too(given):
    with pytest.raises(InputError, match="The strategy mtnlp is for texts; on a table choose one of"):
        table(given)


def test_an_unknown_one_is_an_error_that_lists_the_known():
    with pytest.raises(
        InputError, match="There is no strategy 'hillclimb'; choose one of expga, expga-published, random, aequitas"
    ):
        table("hillclimb")


@pytest.mark.parametrize(("kind", "judges"), [("table", ["random", "aequitas"]), ("text", ["random", "mtnlp"])])
def test_a_strategy_says_itself_whether_it_judges_repairs(kind, judges):
    assert [name for name, one in of_kind(kind).items() if one.judges_repairs] == judges


@pytest.mark.parametrize("kind", ["table", "text"])
def test_a_strategy_says_itself_whether_seeds_are_part_of_its_method(kind):
    assert [name for name, one in of_kind(kind).items() if one.published_seeds] == ["expga", "expga-published"]


class Mine(Strategy):
    name = "mine"

    def search(self, _):
        yield from ()


def test_a_class_is_made_with_its_usual_parameters():
    assert isinstance(table(Mine), Mine)
    assert isinstance(table("expga.search.random:RandomTesting"), RandomTesting)


def test_an_object_is_taken_as_it_is():
    mine = Mine()
    assert table(mine) is mine


def test_what_was_added_goes_by_its_name(monkeypatch):
    monkeypatch.setitem(STRATEGIES._added, "mine", [Mine])
    assert isinstance(table("mine"), Mine)
    assert "mine" in of_kind("text")


class Wants(Mine):
    def __init__(self, size):
        self.size = size


class Bare:
    name = "bare"


class Nameless(Strategy):
    def search(self, _):
        yield from ()


class Half(Mine):
    manners = ("slow",)


class Asks(Mine):
    asking = "everything"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Wants, "The strategy Wants needs arguments .*; give an object of it instead of the class"),
        (Bare(), "The strategy Bare has no search"),
        (Nameless, "The strategy Nameless has no name"),
        (Half(), r"The strategy Half has the manners \('slow',\); there are batched and faithful"),
        (Asks(), "The strategy Asks asks for 'everything'; its asking is either pair or all"),
        (5, "The strategy int has no name"),
        ("no.such.module:Name", "The strategy 'no.such.module:Name' cannot be imported: ModuleNotFoundError"),
        ("expga.search.random:Nothing", "The module 'expga.search.random', from .*, has no 'Nothing'"),
    ],
    ids=["arguments", "no search", "no name", "manners", "asking", "a number", "no module", "no attribute"],
)
def test_what_is_no_strategy_is_told_in_one_sentence(given, told):
    with pytest.raises(InputError, match=f"^{told}"):
        table(given)


@pytest.mark.parametrize(
    "owed", ["check", "manners", "asking", "kinds", "needs_gradients", "usual_explainer", "usual_realism"]
)
def test_an_object_that_inherits_nothing_is_told_what_it_lacks(owed):
    attributes = {"name": "own", "search": lambda *_: iter(()), "manners": ("batched",), "asking": "pair"}
    attributes |= {"kinds": (), "needs_gradients": False, "usual_explainer": "gap", "usual_realism": "data"}
    attributes |= {"check": lambda *_: None}
    assert table(type("Own", (), attributes)()).name == "own"
    del attributes[owed]
    with pytest.raises(InputError, match=f"The strategy Own has no {owed}; let its class inherit"):
        table(type("Own", (), attributes)())
