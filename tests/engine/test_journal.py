"""The journal: what is under a file's final name is all of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import expga
from expga.findings import Findings, Journal, read_journal, write_table, write_text


def some(count, start=0):
    """Findings that can be told apart."""
    numbers = np.arange(start, start + count)
    two = np.column_stack([numbers, numbers + 1])
    return Findings(
        genomes=np.column_stack([numbers, numbers * 2, numbers * 3]).astype(np.int32),
        anchor=numbers.astype(np.intp),
        pair=(two % 2).astype(np.intp),
        labels=((two + 1) % 2).astype(np.intp),
        scores=two / 1_000,
    )


def same(one, other):
    names = ("genomes", "anchor", "pair", "labels", "scores")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


class TestParts:
    def test_come_back_in_their_order_with_the_last_state(self, tmp_path):
        journal = Journal(tmp_path)
        for start in range(0, 50, 10):
            journal.add(some(10, start), {"tested": start})
            journal.flush({"tested": start})
        found, state = read_journal(tmp_path, 3)
        assert same(found, some(50))
        assert state["tested"] == 40

    def test_go_on_behind_those_of_an_earlier_journal(self, tmp_path):
        for start in (0, 10):
            journal = Journal(tmp_path)
            journal.add(some(10, start), {})
            journal.flush({})
        found, _ = read_journal(tmp_path, 3)
        assert same(found, some(20))

    def test_that_wait_are_written_together(self, tmp_path):
        journal = Journal(tmp_path)
        for start in range(0, 30, 10):
            journal.add(some(10, start), {})
        journal.flush({})
        found, _ = read_journal(tmp_path, 3)
        assert same(found, some(30))
        assert len(list(tmp_path.glob("part-*.parquet"))) < 3

    def test_of_nothing_are_not_written(self, tmp_path):
        journal = Journal(tmp_path)
        journal.add(some(0), {})
        journal.flush({"tested": 7})
        assert list(tmp_path.glob("part-*")) == []
        found, state = read_journal(tmp_path, 3)
        assert (len(found), state["tested"]) == (0, 7)

    def test_are_whole_files_at_every_moment_of_a_run(self, unfair, people, tmp_path):
        rows = []

        def look(now):
            parts = sorted((tmp_path / "journal").glob("part-*.parquet"))
            rows.append((sum(len(pd.read_parquet(part)) for part in parts), now.found))

        expga.audit(unfair, people, protected="sex", max_queries=4_000, out=tmp_path, progress=look)
        assert rows[-1][0] > 0
        assert all(written <= found for written, found in rows)


class TestWriting:
    @pytest.fixture
    def full_disk(self, monkeypatch):
        """Every table is cut off in the middle."""

        def half(_, path, **__):
            path.write_bytes(b"PAR1 and then")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(parquet, "write_table", half)

    @pytest.mark.usefixtures("full_disk")
    def test_a_table_that_is_cut_off_never_has_its_final_name(self, tmp_path):
        with pytest.raises(OSError, match="No space"):
            write_table(pa.table({"a": [1]}), tmp_path / "part-000001.parquet")
        assert not (tmp_path / "part-000001.parquet").exists()
        assert list(tmp_path.glob("part-*.parquet")) == []

    def test_a_table_that_is_cut_off_leaves_the_one_before(self, tmp_path, request):
        write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
        request.getfixturevalue("full_disk")
        with pytest.raises(OSError, match="No space"):
            write_table(pa.table({"a": [2]}), tmp_path / "a.parquet")
        assert pd.read_parquet(tmp_path / "a.parquet")["a"].tolist() == [1]

    def test_a_text_that_is_cut_off_leaves_the_one_before(self, tmp_path):
        write_text(tmp_path / "state.json", "whole")
        with pytest.raises(UnicodeEncodeError):
            write_text(tmp_path / "state.json", "half \ud800")
        assert (tmp_path / "state.json").read_text(encoding="utf-8") == "whole"

    def test_nothing_else_is_left_behind(self, unfair, people, tmp_path):
        expga.audit(unfair, people, protected="sex", max_queries=2_000, out=tmp_path)
        names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
        expected = {"summary.json", "findings.parquet", "plan.json", "state.json", "population.npz"}
        assert {name for name in names if not name.startswith("part-")} == expected
