"""`expga bench cost`: what it shows and where its figures go; what it measures is not measured here."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from expga.bench.apart import apart
from expga.bench.costs import keeping, large, scaling
from expga.errors import ExpgaError

EXPLAINED = {
    "rows": 1_000,
    "seconds": 0.25,
    "times_faster": 111.4,
    "agreement": {"sex": {"package_with_itself": 0.8, "ours_with_package": 0.83, "ours_worst_draw": 0.8}},
}
AUDITED = {
    "rows": 1_000_000,
    "columns": 8,
    "model": "linear",
    "budget_s": 30.0,
    "took_s": 30.4,
    "cpu_s": 22.31,
    "model_s": 1.04,
    "first_s": 1.26,
    "first_cpu_s": 0.7,
    "table_bytes": 67_000_000,
    "found": 99,
    "learnt_bytes": 120_000_000,
    "peak_bytes": None,
}
KEPT = {"found_per_s": 30_000.0, "share": 0.02, "longest_s": 0.1234, f"share_at_{keeping.PACE}_per_s": 0.033}


def told_at_once(work, *arguments):
    """What a measurement would tell: three times the seconds for four times the samples."""
    tested = arguments[0] if work in (scaling.grown, scaling.held) else 0
    return {
        scaling.grown: {"tested": tested, "found": 9, "cpu_s": 3.0 if tested == scaling.STEPS[0] else 9.0},
        scaling.held: {"tested": tested, "found": 1, "bytes_per_tested": 26.4},
        large.audited: AUDITED,
        keeping.share: KEPT,
    }.get(work, EXPLAINED)


@pytest.fixture
def call(desk, monkeypatch):
    """Calls the command with words, in which everything is measured at once."""
    for part in ("explaining", "scaling", "keeping", "large"):
        monkeypatch.setattr(f"expga.bench.costs.{part}.apart", told_at_once)
    return lambda *words: desk.run("bench", "cost", *words, "--out", desk.folder / "out")


def test_every_part_has_its_figures(call, desk):
    told = call()
    assert (told.code, told.stderr) == (0, "")
    for line in (
        "LIME for 1,000 rows 0.25 s; the package lime takes 111 times as long",
        "decisions on sex as the package's 83%; the package agrees with itself on 80%",
        "a search that tests 2,500,000 3.0 s of CPU",
        "growth 0.75 times what is in proportion",
        "memory, 10,000,000 tested 26 bytes each, where hardly any is found",
        "1,000,000 × 8, linear 30.4 s of 30 s, first finding after 1.3 s, 99 found; 120 MB when the search begins",
        "writing at 50,000 findings a second 3.3% of the time",
    ):
        assert line in " ".join(told.stdout.split())
    kept = json.loads((desk.folder / "out" / "costs.json").read_text())
    assert list(kept) == ["facts", "explaining", "scaling", "keeping", "large"]
    assert (kept["explaining"], kept["scaling"]["growth"]) == (EXPLAINED, 0.75)


def test_parts_are_measured_alone_where_they_are_named(call, desk):
    assert call("keeping").code == 0
    assert list(json.loads((desk.folder / "out" / "costs.json").read_text())) == ["facts", "keeping"]


def test_a_part_that_there_is_none_of_is_one_sentence(call, desk):
    told = call("keeping", "magic")
    assert (told.code, told.stderr) == (
        2,
        "expga: There is no part 'magic'; choose from explaining, scaling, keeping, large.\n",
    )
    assert not (desk.folder / "out").exists()


def test_a_missing_package_is_named_with_its_command(call, desk, monkeypatch):
    monkeypatch.setattr("expga.bench.costs.explaining.located", lambda _: None)
    told = call()
    assert told.code == 2
    assert "install it with pip install lime, or choose other parts" in told.stderr
    assert not (desk.folder / "out").exists()


@pytest.mark.parametrize("more", [[], ["--overwrite"]])
def test_a_file_of_the_users_is_not_replaced(call, desk, more):
    mine = desk.folder / "out" / "costs.json"
    mine.parent.mkdir()
    mine.write_text("mine")
    told = call(*more)
    assert told.code == 2
    assert "costs.json is not as expga wrote it, or not from expga at all" in told.stderr
    assert [path.name for path in mine.parent.iterdir()] == ["costs.json"]
    assert mine.read_text() == "mine"


def test_earlier_measurements_are_replaced_only_where_that_is_said(call, desk):
    assert call("explaining").code == 0
    told = call("scaling")
    assert told.code == 2
    assert "holds a finished measurement already; add --overwrite to replace it, or choose" in told.stderr
    assert call("scaling", "--overwrite").code == 0
    assert list(json.loads((desk.folder / "out" / "costs.json").read_text())) == ["facts", "scaling"]


def test_large_tables_make_a_table_in_markdown():
    cells = "1,000,000 × 8 | linear | 30 s | 30.4 s | 22.3 s | 1.0 s | 1.26 s (0.70 s) | 99 | 67 MB | 120 MB | –"
    assert large.row_of(AUDITED) == f"| {cells} |"
    assert large.row_of(AUDITED).count("|") == len(large.HEAD) + 1
    assert " | – | 99 | " in large.row_of({**AUDITED, "first_s": None, "first_cpu_s": None})


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is read from /proc")
def test_a_large_table_is_measured():
    told = large.audited(60, 4, "linear", 0.3)
    assert (told["rows"], told["columns"], told["model"]) == (60, 4, "linear")
    assert told["peak_bytes"] >= 0
    assert large.row_of(told).startswith("| 60 × 4 | linear | 0.3 s | ")


def test_work_is_done_in_a_process_of_its_own():
    assert apart(os.getppid) == os.getpid()


def test_a_process_that_dies_is_a_sentence():
    with pytest.raises(ExpgaError, match="The process that measured ended before it was done"):
        apart(os._exit, 1)


@pytest.fixture
def hears_ctrl_c():
    """Whoever runs the tests in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_the_process_too(tmp_path):
    late = tmp_path / "late"
    interrupts = f"__import__('os').kill({os.getpid()}, {int(signal.SIGINT)})"
    goes_on = f"__import__('time').sleep(300), open({str(late)!r}, 'w')"
    with pytest.raises(KeyboardInterrupt):
        apart(eval, f"({interrupts}, {goes_on})")
    assert multiprocessing.active_children() == []
    assert not late.exists()
