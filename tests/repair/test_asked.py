"""What is asked of a repair: in order, and refused in one sentence where it is silly."""

from __future__ import annotations

import numpy as np
import pytest

from expga.errors import InputError
from expga.repair import REPAIRS, Repair
from expga.repair.asked import Options
from expga.repair.repairs import Both, repairs_of

USUAL = {
    "repair": "both",
    "repairs": ("both",),
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


class Mend(Repair):
    """A user's own."""

    name = "mend"

    def fit(self, material, _):
        return material.before


class Nameless(Repair):
    """One that does not say what it is called."""

    def fit(self, material, _):
        return material.before


@pytest.mark.parametrize(
    ("repair", "compare", "names"),
    [
        ("both", (), ("both",)),
        ("average", ["findings", "drop"], ("findings", "average", "drop")),
        ("twins", ["twins", "twins"], ("twins",)),
        ("drop", "twins", ("twins", "drop")),
        ("both", "all", tuple(REPAIRS.names())),
        (Mend, ["twins"], ("twins", "mend")),
        ("both", [Mend()], ("both", "mend")),
        (Both, ["both"], ("both",)),
        ("expga.repair.repairs:Twins", (), ("twins",)),
    ],
)
def test_they_come_once_each_in_their_usual_order(repair, compare, names):
    chosen, repairs = repairs_of(repair, compare)
    assert tuple(repairs) == names
    assert chosen == (repair if repair in names else repairs_of(repair, ())[0])
    assert all(isinstance(one, Repair) and one.name == name for name, one in repairs.items())


def test_one_of_the_users_own_stands_in_for_ours_of_that_name():
    mine = Mend()
    mine.name = "twins"
    assert repairs_of(mine, ["twins"])[1]["twins"] is mine


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("mend", "no repair 'mend'; choose one of findings, twins, both, average"),
        (None, "The repair NoneType is no expga.repair.Repair"),
        (3, "The repair int is no expga.repair.Repair"),
        (object, "The repair object is no expga.repair.Repair"),
        (Repair, "The repair Repair needs arguments .*; give an object"),
        (Nameless, "The repair Nameless has no name"),
        ("expga.repair.repairs:Never", "has no attribute|no Never|Never"),
    ],
)
@pytest.mark.parametrize("compared", [True, False])
def test_what_is_no_repair_is_one_sentence(given, message, compared):
    with pytest.raises(InputError, match=message) as raised:
        repairs_of(*("both", [given]) if compared else (given, ()))
    assert "\n" not in str(raised.value)


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
