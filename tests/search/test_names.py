"""Strategies by name."""

from __future__ import annotations

import pytest

from expga.errors import InputError
from expga.search import STRATEGIES, strategy


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_goes_by_its_name(name):
    assert strategy(name).name == name


def test_an_unknown_one_is_an_error_that_lists_the_known():
    with pytest.raises(
        InputError, match="There is no strategy 'hillclimb'; choose one of expga, expga-published, random, aequitas"
    ):
        strategy("hillclimb")
