"""`python -m expga.bench`: where its figures go; what it measures is not measured here."""

from __future__ import annotations

import json
import sys

import pytest

from expga.bench import __main__ as measurements

TOLD = {"times_faster": 9.0, "cpu_s": 1.0, "tested": 5}


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Calls the module with words, in which everything is measured at once; returns the code that it ends with."""
    monkeypatch.setattr(measurements, "_apart", lambda *_: TOLD)

    def main(*words):
        monkeypatch.setattr(sys, "argv", ["bench", *words, "--out", str(tmp_path)])
        try:
            measurements.main()
        except SystemExit as ending:
            return ending.code
        return 0

    return main


def test_every_part_has_its_file(call, tmp_path):
    assert call() == 0
    assert json.loads((tmp_path / "explaining.json").read_text()) == TOLD
    assert json.loads((tmp_path / "scaling.json").read_text())["growth"] == 1


@pytest.mark.parametrize("more", [[], ["--overwrite"]])
def test_a_file_of_the_users_is_not_replaced(call, tmp_path, capsys, more):
    (tmp_path / "scaling.json").write_text("mine")
    assert call(*more) == 2
    assert "scaling.json is not as expga wrote it, or not from expga at all" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["scaling.json"]
    assert (tmp_path / "scaling.json").read_text() == "mine"


def test_earlier_measurements_are_replaced_only_where_that_is_said(call, tmp_path, capsys):
    assert call("explaining") == 0
    assert call("explaining") == 2
    assert "holds a finished measurement already" in capsys.readouterr().err
    assert call("scaling", "--overwrite") == 0
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["scaling.json"]
