"""What an audit writes beside its own two files: all of it in one move, all of it known as ours."""

from __future__ import annotations

import csv
import hashlib
import io
import json

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError, StoreError
from expga.results import OUTPUTS, Output, outputs_of
from expga.results.spreadsheet import Csv


def model(frame):
    return np.where(frame["sex"] == "m", 0.9, 0.1)


@pytest.fixture(scope="module")
def people():
    return pd.DataFrame({"sex": ["f", "m"] * 20, "age": range(40), "=pay": ["=1+1", "@home", "-", "low"] * 10})


@pytest.fixture(scope="module")
def found(people):
    return expga.audit(model, people, protected="sex", max_queries=400)


class Count(Output):
    """How many there are."""

    name = "count"
    writes = ("count.txt",)

    def files(self, audit):
        return {"count.txt": str(len(audit.findings)).encode()}


class TestCsv:
    @pytest.fixture
    def table(self, found, tmp_path):
        found.save(tmp_path, outputs="csv")
        return list(csv.reader(io.StringIO((tmp_path / "findings.csv").read_text(encoding="utf-8-sig"))))

    def test_it_has_a_row_for_each_pair_under_the_same_names(self, found, table):
        names, *rows = table
        assert names == [f"'{name}" if name[0] == "=" else name for name in found.findings.columns]
        assert len(rows) == len(found.findings) > 20

    def test_numbers_stay_numbers(self, found, table):
        for name in ("age", "gap", "distance"):
            place = table[0].index(name)
            assert [float(row[place]) for row in table[1:]] == found.findings[name].tolist()

    def test_no_cell_begins_as_a_formula_does(self, found, table):
        assert {"=1+1", "@home", "-"} <= set(found.findings["=pay"])
        cells = {cell for row in table for cell in row}
        assert {"'=1+1", "'@home", "'-", "low"} <= cells
        assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r")]

    @pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1"])
    def test_nor_one_that_a_control_character_hides(self, text):
        (content,) = Csv().files(expga.Audit({}, pd.DataFrame({"a": [text], "b": [[text, "x"]]}))).values()
        (row,) = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))[1:]
        assert row == [f"'{text}", f"'{text}; x"]

    def test_nor_a_line_inside_a_cell(self):
        (content,) = Csv().files(expga.Audit({}, pd.DataFrame({"a": ['x\r=1"\n=2']}))).values()
        assert content == "\ufeff".encode() + b'"a"\n"x\r=1""\n=2"\n'

    def test_negative_numbers_in_a_mixed_column_stay_numbers(self):
        (content,) = Csv().files(expga.Audit({}, pd.DataFrame({"a": [-1, "-1", None, True, [1, 2]]}))).values()
        assert content.decode("utf-8-sig").split("\n")[1:-1] == ["-1", '"\'-1"', '""', "True", '"1; 2"']

    def test_without_findings_there_are_only_names(self, found):
        (content,) = Csv().files(expga.Audit({}, found.findings[:0])).values()
        assert content.decode("utf-8-sig").count("\n") == 1


class TestOutputs:
    def test_they_go_by_name_class_object_and_module(self, monkeypatch):
        monkeypatch.setitem(OUTPUTS._added, "count", [Count])
        for given in ("count", [Count], [Count()], ["count", Count]):
            assert [one.name for one in outputs_of(given)] == ["count"]
        assert [one.name for one in outputs_of(["expga.results.spreadsheet:Csv", "count"])] == ["csv", "count"]

    def test_they_are_written_with_the_audit_and_signed_with_it(self, people, tmp_path):
        expga.audit(model, people, protected="sex", max_queries=400, out=tmp_path, outputs=[Count, "csv"])
        told = json.loads((tmp_path / "summary.json").read_text())["files"]
        for name in ("count.txt", "findings.csv", "findings.parquet"):
            assert told[name] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        assert int((tmp_path / "count.txt").read_text()) == len(expga.Audit.load(tmp_path).findings)

    def test_a_file_of_the_users_is_not_replaced_and_nothing_is_asked(self, people, tmp_path):
        (tmp_path / "count.txt").write_text("mine")

        def asked(_):
            raise AssertionError

        with pytest.raises(InputError, match=r"count\.txt is not as expga wrote it, or not from expga at all"):
            expga.audit(asked, people, protected="sex", max_queries=400, out=tmp_path, outputs=[Count])
        assert (tmp_path / "count.txt").read_text() == "mine"

    def test_what_is_not_written_again_gives_way(self, found, tmp_path):
        found.save(tmp_path, outputs=[Count])
        found.save(tmp_path, overwrite=True)
        assert not (tmp_path / "count.txt").exists()
        (tmp_path / "count.txt").write_text("mine")
        found.save(tmp_path, overwrite=True)  # no longer a name of ours
        assert (tmp_path / "count.txt").read_text() == "mine"

    def test_unless_it_was_edited_which_is_said_before_anything_is_asked(self, found, tmp_path):
        found.save(tmp_path, outputs=[Count])
        (tmp_path / "count.txt").write_text("edited")
        summary = (tmp_path / "summary.json").read_bytes()
        with pytest.raises(InputError, match=r"count\.txt is not as expga wrote it"):
            found.save(tmp_path, overwrite=True)
        assert (tmp_path / "count.txt").read_text() == "edited"
        assert (tmp_path / "summary.json").read_bytes() == summary

    def test_one_that_fails_loses_no_finding(self, people, tmp_path):
        class Fails(Count):
            def files(self, _):
                raise SystemExit(4)

        options = {"protected": "sex", "max_queries": 400, "out": tmp_path}
        with pytest.raises(StoreError, match="The output count cannot be made: SystemExit: 4") as raised:
            expga.audit(model, people, **options, outputs=[Fails()])
        assert len(raised.value.audit.findings) > 20
        assert not (tmp_path / "summary.json").exists()
        resumed = expga.audit(model, people, **options, outputs=[Count()], resume=True)
        assert len(resumed.findings) == len(raised.value.audit.findings)
        assert (tmp_path / "count.txt").exists()

    @pytest.mark.parametrize(
        "files", [{}, {"other.txt": b""}, {"count.txt": "text"}, None, {"count.txt": b"", "b": b""}]
    )
    def test_one_that_makes_something_else_is_told(self, found, tmp_path, files):
        one = Count()
        one.files = lambda _: files
        with pytest.raises(
            StoreError, match=r"The output count (made .*; it owes the bytes of count\.txt|cannot be made)"
        ):
            found.save(tmp_path / "out", outputs=[one])
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("html", "There is no output 'html'; choose one of csv"),
            ([object()], "The output object has no name; let its class inherit"),
            ([type("Own", (), {"name": "own", "files": 1})], "The output Own has no writes"),
            ([type("Own", (Count,), {"writes": "count.txt"})], "The output Own writes 'count.txt'; give a tuple"),
            ([type("Own", (Count,), {"writes": ("../a",)})], r"The output Own writes '\.\./a', which is no name"),
            ([type("Own", (Count,), {"writes": ("",)})], "The output Own writes '', which is no name"),
            ([type("Own", (Count,), {"writes": ("expga.db-wal",)})], "writes 'expga.db-wal', which is no name"),
            ([type("Own", (Count,), {"writes": ("summary.json",)})], "writes summary.json, as does every audit"),
            ([Count, type("Own", (Count,), {"name": "own"})], "own writes count.txt, as does the output count"),
        ],
    )
    def test_what_is_none_is_told_in_one_sentence(self, given, told):
        with pytest.raises(InputError, match=told):
            outputs_of(given)

    def test_without_a_folder_there_is_nowhere_to_write(self, people):
        with pytest.raises(InputError, match="There is no folder for the output csv; say where with `out`"):
            expga.audit(model, people, protected="sex", max_queries=400, outputs="csv")


def test_texts_have_their_lists_joined(tmp_path):
    texts = [f"Maria said {word} on evening {n}." for n, word in enumerate(["=yes", "no"] * 10)]

    found = expga.audit(lambda texts: [len(text) % 2 for text in texts], texts, protected="gender", max_queries=2_000)
    assert len(found.findings)
    found.save(tmp_path, outputs="csv")
    table = pd.read_csv(tmp_path / "findings.csv", keep_default_na=False)
    assert table["names"].tolist() == ["; ".join(names) for names in found.findings["names"]]
