"""What is asked of a repair: in order, and refused in one sentence where it is silly."""

from __future__ import annotations

import numpy as np
import pytest

from expga.errors import InputError
from expga.repair import WAYS
from expga.repair.options import Options, ways_of

USUAL = {
    "repair": "both",
    "ways": ("both",),
    "share": None,
    "relabel": "majority",
    "weight": None,
    "rounds": 1,
    "test_share": 0.25,
    "repeats": 3,
    "max_loss": 0.01,
    "max_queries": 100,
    "seed": 0,
}


@pytest.mark.parametrize(
    ("repair", "compare", "ways"),
    [
        ("both", (), ("both",)),
        ("average", ["findings", "drop"], ("findings", "average", "drop")),
        ("twins", ["twins", "twins"], ("twins",)),
        ("drop", "twins", ("twins", "drop")),
        ("both", "all", WAYS),
        ("both", ["mend"], ("both", "mend")),
    ],
)
def test_ways_come_once_each_in_their_usual_order(repair, compare, ways):
    assert ways_of(repair, compare) == ways


@pytest.mark.parametrize(
    "options",
    [
        {"share": 0.5},
        {"share": np.float32(2)},
        {"share": "auto"},
        {"weight": 3},
        {"max_loss": 0},
        {"seed": np.int64(3)},
        {"relabel": "nearest"},
    ],
)
def test_sound_ones_are_taken(options):
    assert Options(**{**USUAL, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ways": ("both", "mend")}, "no repair 'mend'; choose one of findings, twins, both, average"),
        ({"ways": (None,)}, "no repair None"),
        ({"relabel": "mode"}, "no way 'mode' to label pairs; choose one of majority, nearest, original"),
        ({"share": 0}, "share of pairs to add must be a number above 0, not 0"),
        ({"share": -0.1}, "above 0, not -0.1"),
        ({"share": "many"}, "above 0, not 'many'"),
        ({"share": np.nan}, "above 0, not nan"),
        ({"share": np.inf}, "above 0, not inf"),
        ({"share": True}, "above 0, not True"),
        ({"weight": 0}, "weight of added rows must be a number above 0"),
        ({"weight": "heavy"}, "weight of added rows must be a number above 0, not 'heavy'"),
        ({"rounds": 0}, "number of rounds must be a whole number from 1"),
        ({"rounds": 1.5}, "number of rounds must be a whole number from 1 .* not 1.5"),
        ({"repeats": 0}, "number of repeats"),
        ({"repeats": "3"}, "number of repeats .* not '3'"),
        ({"repeats": True}, "number of repeats .* not True"),
        ({"max_queries": 0}, "number of queries"),
        ({"seed": -1}, "The seed must be a whole number from 0"),
        ({"seed": 2**32}, "The seed must be a whole number from 0 to 2,000,000,000"),
        ({"seed": None}, "The seed must be a whole number from 0"),
        ({"max_loss": -0.1}, "loss of accuracy to accept must be 0 or more, not -0.1"),
        ({"max_loss": np.nan}, "loss of accuracy to accept must be 0 or more, not nan"),
        ({"max_loss": None}, "loss of accuracy to accept must be 0 or more, not None"),
        ({"test_share": 0}, "share of rows to set aside must lie between 0 and 1, not 0"),
        ({"test_share": 1.0}, "share of rows to set aside must lie between 0 and 1, not 1.0"),
        ({"test_share": "some"}, "share of rows to set aside must lie between 0 and 1, not 'some'"),
    ],
)
def test_others_are_refused_in_one_sentence(options, message):
    with pytest.raises(InputError, match=message) as raised:
        Options(**{**USUAL, **options})
    assert "\n" not in str(raised.value)
