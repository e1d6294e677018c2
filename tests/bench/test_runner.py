"""Real benches on a small table: killed, resumed, with cells that fail, and with data that is not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from expga.bench import runner
from expga.bench.pictures import draw
from expga.bench.plan import Cell
from expga.bench.results import gather
from expga.bench.runner import run, run_path
from expga.errors import InputError

COMMAND = Path(sys.executable).with_name("expga")
SMALL = Cell("ours", "credit", "sex", "forest", "random", seeds=None, seconds=None, queries=1_500, repeats=2)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a bench of two methods, twice each."""
    out = tmp_path_factory.mktemp("bench")
    said = []
    run([SMALL, replace(SMALL, strategy="expga", seeds="auto")], out, Path("nowhere"), say=said.append)
    assert len(said) == 2
    return out


def files(out):
    return {path.name: path.read_bytes() for path in (out / "runs").iterdir()}


class TestFinished:
    def test_every_run_leaves_its_figures_and_its_curve(self, finished):
        results = gather(finished)
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

    def test_runs_differ_in_the_search_and_share_the_model(self, finished):
        results = gather(finished)
        assert {told["seed"] for told in results["runs"]} == {0, 1}
        found = [told["figures"]["found"] for told in results["runs"] if told["cell"] == SMALL.name]
        assert len({told["figures"]["accuracy"] for told in results["runs"]}) == 1
        assert len(set(found)) == 2
        assert [path.name for path in (finished / "models").iterdir()] == ["credit-forest-0.joblib"]

    def test_positions_are_kept_of_the_first_run(self, finished):
        names = {path.stem for path in (finished / "positions").iterdir()}
        assert names == {SMALL.name, SMALL.name.replace("random", "expga"), "real--credit--sex"}

    def test_the_same_plan_has_nothing_left_to_do(self, finished):
        before = files(finished)
        said = []
        run(
            [SMALL, replace(SMALL, strategy="expga", seeds="auto")],
            finished,
            Path("nowhere"),
            resume=True,
            say=said.append,
        )
        assert not said
        assert files(finished) == before

    def test_a_second_bench_does_not_write_over_the_first(self, finished):
        with pytest.raises(InputError, match="holds a bench already; add --resume"):
            run([SMALL], finished, Path("nowhere"))

    @pytest.mark.parametrize(
        ("changed", "sentence"),
        [
            ([replace(SMALL, queries=99)], "begun with queries 1500, not 99"),
            ([SMALL], "begun with the cell ours--credit--sex--forest--expga--batched, which is not in this plan"),
            (
                [SMALL, replace(SMALL, strategy="expga", seeds="auto"), replace(SMALL, model="mlp")],
                "begun with no cell ours--credit--sex--mlp--random--batched",
            ),
        ],
    )
    def test_another_plan_is_refused(self, finished, changed, sentence):
        with pytest.raises(InputError, match=sentence):
            run(changed, finished, Path("nowhere"), resume=True)

    def test_other_versions_are_refused(self, finished, monkeypatch):
        monkeypatch.setattr(runner, "facts", lambda: {"expga": "99"})
        with pytest.raises(InputError, match=r"begun with expga .*, not 99"):
            run([SMALL], finished, Path("nowhere"), resume=True)

    def test_pictures_are_drawn_twice_each(self, finished):
        drawn = draw(gather(finished), finished)
        assert {picture.name for picture in drawn} == {
            "findings-over-seconds-ours",
            "findings-over-queries-ours",
            "pca-ours",
        }
        for picture in drawn:
            for kind in ("png", "svg"):
                assert (finished / "pictures" / f"{picture.name}.{kind}").stat().st_size > 5_000


def test_a_cell_that_fails_is_reported_and_the_others_run(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "credit-mlp-0.joblib").write_bytes(b"not a model")
    broken, sound = replace(SMALL, model="mlp"), replace(SMALL, repeats=1)
    said = []
    run([broken, sound], tmp_path, Path("nowhere"), say=said.append)
    assert said[0].startswith(f"{broken.name}: failed: ")
    results = gather(tmp_path)
    assert [told["cell"] for told in results["failed"]] == [broken.name]
    assert [told["cell"] for told in results["runs"]] == [sound.name]

    # Once mended, resuming runs it, and the failure is forgotten.
    (tmp_path / "models" / "credit-mlp-0.joblib").unlink()
    run([broken, sound], tmp_path, Path("nowhere"), resume=True, say=said.append)
    results = gather(tmp_path)
    assert (results["failed"], len(results["runs"])) == ([], 3)


def test_a_process_that_dies_is_a_failed_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "work", os._exit)  # called with what is no exit code, so that it ends at once
    run([SMALL], tmp_path, Path("nowhere"), say=[].append)
    assert "its process ended with the code" in gather(tmp_path)["failed"][0]["reason"]


def test_texts_that_are_not_there_are_listed_as_absent(tmp_path):
    cell = Cell("text", "sst", "gender", "lr", "expga", repeats=1)
    said = []
    run([cell], tmp_path, tmp_path / "nowhere", say=said.append)
    results = gather(tmp_path)
    assert said == [f"{cell.name}: absent"]
    assert (results["absent"][0]["cell"], results["failed"], results["runs"]) == (cell.name, [], [])


def test_a_bench_that_is_killed_goes_on_where_it_was(tmp_path):
    out = tmp_path / "out"
    options = ["--data", "credit", "--attribute", "sex", "--models", "forest", "--strategies", "expga"]
    command = [COMMAND, "bench", "tabular", *options, "--budget", "0.4s", "--repeats", "8", "--out", out]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list((out / "runs").glob("*.json"))) < 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.3)
    kept = files(out)
    assert 1 <= len(kept) < 6
    time.sleep(2.0)  # longer than a run: its child would have written one more if it lived on
    assert files(out).keys() == kept.keys(), "the killed bench's child goes on"
    assert not (out / "results.json").exists()

    done = subprocess.run([*map(str, command), "--resume"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    now = files(out)
    assert {name: now[name] for name in kept} == kept
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    runs = [(told["cell"], told["repeat"]) for told in results["runs"]]
    assert sorted(runs) == sorted((cell["name"], repeat) for cell in results["plan"] for repeat in range(8))
    assert len(now) == len(runs) == 8
    assert (out / "results.md").exists()
    assert all(run_path(out, Cell.of(cell), 7).exists() for cell in results["plan"])
