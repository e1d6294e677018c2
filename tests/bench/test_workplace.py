"""The folder of a bench: whose it is, what is in it, and that nothing of the user's is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest

from expga.bench import workplace
from expga.bench.plan import Cell
from expga.bench.runner import run
from expga.bench.workplace import Workplace
from expga.errors import InputError
from expga.store import plan_record

COMMAND = Path(sys.executable).with_name("expga")
CELL = Cell("ours", "credit", "sex", "forest", "random", explainer=None, repeats=2)
OTHER = replace(CELL, strategy="expga", explainer="auto")
NAMES = ["picture.png", "results.json", "results.md"]
TOLD = b'{"figures": {"found": 7}, "curve": "%s"}' % (b"a long way " * 500)


def begun(out, **how):
    return Workplace(out, [CELL, OTHER], NAMES, **how)


def keep(place, repeat=0):
    place.keep(CELL, repeat, TOLD, {CELL.name: np.arange(6, dtype=np.float32).reshape(3, 2)})


def publish(place, content):
    place.publish(dict.fromkeys(NAMES, content))


def contents(out):
    return [(out / name).read_bytes() for name in NAMES]


def as_if_killed(out, folder):
    """A copy of a folder whose bench is still open: what a kill would leave."""
    shutil.copytree(out, folder)
    return folder


def test_what_was_kept_is_there_when_it_goes_on(tmp_path):
    with begun(tmp_path / "out") as place:
        keep(place, 1)
        place.lose(OTHER, "failed", "it melted")
        killed = as_if_killed(place.folder, tmp_path / "killed")
    for out in (tmp_path / "out", killed):
        with begun(out, resume=True) as place:
            assert (place.missing(CELL), place.missing(OTHER), place.done) == ([0], [0, 1], 1)
            assert [told["figures"] for told in place.runs(CELL)] == [{"found": 7}]
            assert place.positions(CELL.name).tolist() == [[0, 1], [2, 3], [4, 5]]
            assert place.positions(OTHER.name) is None
            assert (place.reason(OTHER, "failed"), place.reason(OTHER, "absent")) == ("it melted", None)
            assert place.reason(CELL, "failed") is None


def test_a_lost_log_is_told_and_its_run_is_missing(tmp_path):
    with begun(tmp_path / "out") as place:
        keep(place)
    with begun(tmp_path / "out", resume=True) as place:
        keep(place, 1)
        killed = as_if_killed(place.folder, tmp_path / "killed")
    (killed / "expga.db-wal").unlink()
    said = []
    with Workplace(killed, [CELL, OTHER], NAMES, resume=True) as place:
        assert place.missing(CELL) == [1]
        place.cells = []
        run(place, Path("nowhere"), said.append)
    assert [line.startswith("The last transaction of the store is not there") for line in said] == [True]


def test_a_run_that_is_done_forgets_what_had_failed(tmp_path):
    with begun(tmp_path) as place:
        place.lose(CELL, "failed", "it melted")
        keep(place)
        assert place.reason(CELL, "failed") is None


def test_nothing_done_leaves_nothing_behind(tmp_path):
    with pytest.raises(KeyboardInterrupt), begun(tmp_path / "deep" / "out"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("ends", "state"), [(publish, "a finished"), (lambda *_: None, "an unfinished")])
def test_a_second_bench_does_not_write_over_the_first(tmp_path, ends, state):
    with begun(tmp_path) as place:
        keep(place)
        ends(place, b"first")
    with pytest.raises(InputError, match=rf"holds {state} bench already; add --resume .* or --overwrite"):
        begun(tmp_path)


def test_old_results_stay_until_the_new_are_complete(tmp_path):
    with begun(tmp_path) as place:
        keep(place)
        publish(place, b"first")
    with pytest.raises(KeyboardInterrupt), begun(tmp_path, overwrite=True):
        raise KeyboardInterrupt
    with begun(tmp_path, resume=True) as place:  # nothing was measured since, so that it is the first one still
        assert place.done == 1
        publish(place, b"first")
    with begun(tmp_path, overwrite=True) as place:
        keep(place)
        assert contents(tmp_path) == [b"first"] * 3
        publish(place, b"second")
    assert contents(tmp_path) == [b"second"] * 3


def test_a_finished_bench_in_which_nothing_ran_survives_being_resumed_in_vain(tmp_path):
    with begun(tmp_path) as place:
        place.lose(CELL, "absent", "no such texts")
        publish(place, b"first")
    with pytest.raises(KeyboardInterrupt), begun(tmp_path, resume=True):
        raise KeyboardInterrupt
    with begun(tmp_path, resume=True) as place:
        assert place.reason(CELL, "absent") == "no such texts"


@pytest.mark.parametrize("how", [{}, {"overwrite": True}, {"resume": True}])
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_the_users_is_not_replaced(tmp_path, name, how):
    if "resume" in how:
        with begun(tmp_path) as place:
            keep(place)
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(InputError, match=f"{name} is not as expga wrote it, or not from expga at all"):
        begun(tmp_path, **how)
    assert (tmp_path / name).read_bytes() == b"mine"


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_the_user_makes_in_the_meantime_is_not_replaced(tmp_path, name):
    with begun(tmp_path) as place:
        keep(place)
        (tmp_path / name).write_bytes(b"mine")
        with pytest.raises(InputError, match=f"{name} is not as expga wrote it"):
            publish(place, b"ours")
    assert (tmp_path / name).read_bytes() == b"mine"
    (tmp_path / name).rename(tmp_path / "elsewhere")
    with begun(tmp_path, resume=True) as place:
        assert place.done == 1
        publish(place, b"ours")
    assert contents(tmp_path) == [b"ours"] * 3


def test_results_of_which_the_user_made_something_else_are_not_replaced(tmp_path):
    with begun(tmp_path) as place:
        keep(place)
        publish(place, b"ours")
    (tmp_path / "results.md").write_bytes(b"ours, with notes")
    with pytest.raises(InputError, match=r"results\.md is not as expga wrote it"):
        begun(tmp_path, overwrite=True)


def test_two_at_once_in_one_folder_are_one_too_many(tmp_path):
    with begun(tmp_path) as place:
        keep(place)
        words = [COMMAND, "bench", "tabular", "--overwrite", "--max-queries", "9", "--out", tmp_path]
        told = subprocess.run(words, capture_output=True, text=True, check=False)
        assert told.returncode == 2
        assert told.stderr.startswith(f"expga: Another run is writing to {tmp_path}; wait until it has ended")
        assert told.stderr.count("\n") == 1
        keep(place, 1)
        assert place.done == 2


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ([replace(CELL, queries=99), OTHER], "begun with queries None, not 99"),
        ([CELL], "begun with the cell ours--credit--sex--forest--expga--batched, which is not in this plan"),
        ([CELL, OTHER, replace(CELL, model="mlp")], "begun with no cell ours--credit--sex--mlp--random--batched"),
    ],
)
def test_another_plan_is_refused(tmp_path, changed, sentence):
    with begun(tmp_path) as place:
        keep(place)
    with pytest.raises(InputError, match=sentence):
        Workplace(tmp_path, changed, NAMES, resume=True)
    with begun(tmp_path, resume=True) as place:
        assert place.done == 1


def test_other_versions_are_refused(tmp_path, monkeypatch):
    with begun(tmp_path) as place:
        keep(place)
    monkeypatch.setattr(workplace, "facts", lambda: {"expga": "99"})
    with pytest.raises(InputError, match=r"begun with expga .*, not 99; resume it with the same"):
        begun(tmp_path, resume=True)


@pytest.mark.parametrize("plan", [b"", b"[]", b'{"cells": [], "facts": {}}', b'"\xff"'])
def test_a_plan_of_another_version_is_refused(tmp_path, plan):
    with begun(tmp_path) as place:
        keep(place)
        place.shelf.store.put({"plan": plan})
    with pytest.raises(InputError, match=r"was begun by another version of expga \(its plan is without a format"):
        begun(tmp_path, resume=True)


@pytest.mark.parametrize(
    "settings", [{}, {"cells": []}, {"cells": [3], "facts": {}}, {"cells": [{"name": "a"}], "facts": 3}]
)
def test_a_plan_that_is_none_is_refused(tmp_path, settings):
    with begun(tmp_path) as place:
        keep(place)
        place.shelf.store.put({"plan": plan_record(settings)})
    with pytest.raises(InputError, match=r"expga\.db is damaged \(its plan is no plan of a bench\)"):
        begun(tmp_path, resume=True)


def test_something_else_in_the_store_is_named(tmp_path):
    from expga.store import Shelf

    shelf = Shelf.open(tmp_path, [], "audit")
    shelf.store.begin("audit", {})
    shelf.leave()
    with pytest.raises(InputError, match="holds an audit, not a bench; choose another folder"):
        begun(tmp_path, resume=True)


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_a_flipped_bit_in_a_closed_store_is_one_sentence(tmp_path, share):
    with begun(tmp_path) as place:
        keep(place)
    flip(tmp_path / "expga.db", int(share * os.path.getsize(tmp_path / "expga.db")))
    with pytest.raises(InputError, match=r"expga\.db is (damaged|no store of expga, or its header is damaged)"):
        begun(tmp_path, resume=True)


def test_a_flipped_bit_in_a_run_of_a_killed_bench_is_noticed_before_anything_runs(tmp_path):
    with begun(tmp_path / "out") as place:
        keep(place)
    with begun(tmp_path / "out", resume=True) as place:
        killed = as_if_killed(place.folder, tmp_path / "killed")
    flip(killed / "expga.db", (killed / "expga.db").read_bytes().index(b"a long way a long way"))
    with pytest.raises(InputError, match=r"expga\.db is damaged \(it is not what was written\); move the folder away"):
        begun(killed, resume=True)


def test_the_version_of_a_package_that_is_not_installed_is_none(monkeypatch):
    def version(name):
        if name == "shap":
            raise PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr("importlib.metadata.version", version)
    facts = workplace.facts()
    assert (facts["shap"], facts["numpy"]) == ("none", "1.2.3")
