"""Strategies by name."""

from __future__ import annotations

import pytest

from expga.errors import InputError
from expga.search import STRATEGIES, TEXT_STRATEGIES, strategy


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_goes_by_its_name(name):
    assert strategy(name).name == name


@pytest.mark.parametrize("name", TEXT_STRATEGIES)
def test_one_for_texts_goes_by_its_name(name):
    assert strategy(name, texts=True).name == name


def test_one_for_texts_is_not_for_tables():
    with pytest.raises(
        InputError, match=r"^The strategy mtnlp is for texts; on tables choose one of expga, [a-z-, ]+\.$"
    ):
        strategy("mtnlp")


def test_one_for_tables_is_not_for_texts(monkeypatch):
    monkeypatch.setitem(STRATEGIES, "grid", STRATEGIES["random"])
    with pytest.raises(
        InputError,
        match=r"^The strategy grid is for tables; on texts choose one of expga, expga-published, mtnlp, random\.$",
    ):
        strategy("grid", texts=True)


def test_an_unknown_one_is_an_error_that_lists_the_known():
    with pytest.raises(
        InputError, match="There is no strategy 'hillclimb'; choose one of expga, expga-published, random, aequitas"
    ):
        strategy("hillclimb")
