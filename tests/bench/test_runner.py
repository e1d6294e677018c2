"""Real benches on a small table: killed, resumed, with cells that fail, and with data that is not there."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from expga.bench import pictures, runner
from expga.bench.page import names, present
from expga.bench.plan import Cell, Choice, tabular_plan
from expga.bench.runner import run
from expga.bench.summary import gather
from expga.bench.workplace import Workplace

COMMAND = Path(sys.executable).with_name("expga")
SMALL = Cell("ours", "credit", "sex", "forest", "random", explainer=None, seconds=None, queries=1_500, repeats=2)
CELLS = [SMALL, replace(SMALL, strategy="expga", explainer="auto")]


def bench(out, cells, texts=Path("nowhere"), **how):
    """Runs a bench, and returns its results and what it said."""
    said = []
    with Workplace(out, cells, names(cells), **how) as place:
        run(place, texts, say=said.append)
        return gather(place), said


@pytest.fixture(scope="module")
def asked():
    """What the processes of the finished bench asked, without what they told."""
    return []


@pytest.fixture(scope="module")
def finished(tmp_path_factory, asked):
    """The results of a bench of two methods, twice each; and its folder."""
    out = tmp_path_factory.mktemp("bench")
    real = runner.Host._answer

    def answer(host, question):
        asked.append(question[0])
        return real(host, question)

    with pytest.MonkeyPatch.context() as patch, Workplace(out, CELLS, names(CELLS)) as place:
        patch.setattr(runner.Host, "_answer", answer)
        run(place, Path("nowhere"), say=[].append)
        return present(place), out


class TestFinished:
    def test_every_run_leaves_its_figures_and_its_curve(self, finished):
        results, _ = finished
        assert [(told["cell"], told["repeat"]) for told in results["runs"]] == [
            (cell["name"], repeat) for cell in results["plan"] for repeat in (0, 1)
        ]
        for told in results["runs"]:
            figures, last = told["figures"], told["curve"][-1]
            assert (last[3], last[4]) == (figures["tested"], figures["found"])
            assert last[2] == figures["queries"]["total"] <= 1_500
            assert figures["success_rate"] == figures["found"] / figures["tested"]
            assert figures["seconds_per_finding"] == figures["seconds"] / figures["found"]
            assert 0 < figures["grid_share"] <= 1
            assert 0 < figures["mean_distance"] < 1

    def test_runs_differ_in_the_search_and_share_the_model(self, finished, asked):
        results, _ = finished
        assert {told["seed"] for told in results["runs"]} == {0, 1}
        found = [told["figures"]["mean_distance"] for told in results["runs"] if told["cell"] == SMALL.name]
        assert len({told["figures"]["accuracy"] for told in results["runs"]}) == 1
        assert len(set(found)) == 2
        assert asked == ["model", "trained", *["next", "ran"] * 2, "next", "model", *["next", "ran"] * 2, "next"]

    def test_positions_are_kept_of_the_first_run(self, finished):
        with Workplace(finished[1], CELLS, [], resume=True) as place:
            stored = place.shelf.store.names("positions-")
            assert stored == [
                f"positions-{name}" for name in sorted([*(cell.name for cell in CELLS), "real--credit--sex"])
            ]
            found, real = place.positions(SMALL.name), place.positions("real--credit--sex")
            assert found.shape[1] == real.shape[1]
            assert len(real) == 500

    def test_all_figures_are_in_a_file_and_the_page_shows_pictures_that_are_there(self, finished):
        results, out = finished
        assert json.loads((out / "results.json").read_text()) == json.loads(json.dumps(results))
        page = (out / "results.md").read_text()
        for name in ("findings-over-queries-ours", "pca-ours"):
            assert f"]({name}.png)" in page
            for suffix in ("png", "svg"):
                assert (out / f"{name}.{suffix}").stat().st_size > 5_000


def test_pictures_have_few_colours(finished):
    from PIL import Image

    assert Image.open(finished[1] / "pca-ours.png").getcolors(pictures.SHADES)


def test_no_file_is_left_that_was_not_announced(finished):
    _, out = finished
    left = {path.name for path in out.iterdir()} - {"expga.db", "expga.db-mark"}
    assert left == set(names(CELLS))


def write_texts(path):
    """(200,) reviews that all name a man or a woman, three in four for training."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number in range(200):
            who, word = ("actor", "actress")[number % 2], ("dull", "charming")[number // 2 % 2]
            split = "test" if number % 4 == 3 else "train"
            file.write(f"{split}\t{number // 2 % 2}\tthe {who} gave a {word} performance in film {number}\n")


def test_a_cell_that_fails_is_reported_and_the_others_run(tmp_path):
    out, file = tmp_path / "out", tmp_path / "sst.tsv.gz"
    file.write_bytes(b"no texts")
    broken = Cell("text", "sst", "gender", "lr", "random", explainer=None, seconds=None, queries=300, repeats=1)
    sound = replace(SMALL, repeats=1)
    results, said = bench(out, [broken, sound], tmp_path)
    assert said[0].startswith(f"{broken.name}: failed: ")
    assert [told["cell"] for told in results["failed"]] == [broken.name]
    assert [told["cell"] for told in results["runs"]] == [sound.name]

    # Once mended, resuming runs it, and the failure is forgotten.
    write_texts(file)
    results, said = bench(out, [broken, sound], tmp_path, resume=True)
    assert [line.split(":")[0] for line in said] == [broken.name]
    assert (results["failed"], len(results["runs"])) == ([], 2)


def test_a_process_that_dies_is_a_failed_cell_and_the_others_run(tmp_path, monkeypatch):
    dying, sound = replace(SMALL, repeats=3), replace(CELLS[1], repeats=1)
    keep = Workplace.keep

    def and_kill(place, cell, *run):
        keep(place, cell, *run)
        if cell == dying:
            (process,) = multiprocessing.active_children()
            os.kill(process.pid, signal.SIGKILL)
            process.join()

    monkeypatch.setattr(Workplace, "keep", and_kill)
    results, said = bench(tmp_path, [dying, sound])
    assert said[0] == f"{dying.name}: failed: its process ended with the code -9"
    assert results["failed"] == [{"cell": dying.name, "reason": "its process ended with the code -9"}]
    assert [(told["cell"], told["repeat"]) for told in results["runs"]] == [(dying.name, 0), (sound.name, 0)]


def test_a_process_that_ends_as_if_nothing_were_is_a_failed_cell_too(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "work", print)
    results, _ = bench(tmp_path, [SMALL])
    assert results["failed"][0]["reason"] == "its process ended with the code 0"


def test_texts_that_are_not_there_are_listed_as_absent(tmp_path):
    cell = Cell("text", "sst", "gender", "lr", "expga", repeats=1)
    results, said = bench(tmp_path, [cell])
    assert said == [f"{cell.name}: absent"]
    assert results["absent"] == [{"cell": cell.name, "reason": "the texts of sst are not there"}]
    assert (results["failed"], results["runs"]) == ([], [])


KILLED = """
import os, signal, sys
from pathlib import Path
from expga.bench.plan import Choice, tabular_plan
from expga.bench.runner import run
from expga.bench.workplace import Workplace

keep = Workplace.keep

def and_die(place, *run):
    keep(place, *run)
    os.kill(os.getpid(), signal.SIGKILL)

Workplace.keep = and_die
cells = tabular_plan(Choice(["credit"], ["sex"], ["forest"], ["random"], queries=1_000, repeats=2))
with Workplace(Path(sys.argv[1]), cells, []) as place:
    run(place, Path("nowhere"))
"""


def test_a_bench_that_is_killed_between_runs_goes_on_where_it_was(tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen([sys.executable, "-c", KILLED, out], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = process.communicate(timeout=600)  # to the end of what its child has open too: that does not go on alone
    assert (process.returncode, told) == (-signal.SIGKILL, (b"", b""))
    assert sorted(path.name for path in out.iterdir()) == ["expga.db", "expga.db-mark", "expga.db-wal"]
    cells = tabular_plan(Choice(["credit"], ["sex"], ["forest"], ["random"], queries=1_000, repeats=2))
    with Workplace(out, cells, [], resume=True) as place:
        (kept,) = place.runs(cells[0])
        assert (kept["repeat"], place.done) == (0, 1)

    options = "--data credit --attribute sex --models forest --strategies random --max-queries 1000 --repeats 2"
    command = [COMMAND, "bench", "tabular", *options.split(), "--out", out, "--resume"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    runs = json.loads((out / "results.json").read_text(encoding="utf-8"))["runs"]
    assert [(told["cell"], told["repeat"]) for told in runs] == [(cell.name, run) for cell in cells for run in (0, 1)]
    assert runs[0] == kept, "its seconds too: it was not repeated"
    assert f"4 runs; 0 cells failed, 0 absent. See {out / 'results.md'}." in done.stdout
    assert (out / "results.md").exists()
