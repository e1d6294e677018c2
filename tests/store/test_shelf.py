"""Folders for results: nothing of the user's is touched, and old results stay until new ones are complete."""

from __future__ import annotations

import hashlib
import os
from contextlib import closing

import numpy as np
import pytest

import expga
from expga.errors import InputError, ModelError, StoreError
from expga.store import NAME, Shelf, Store


def everything(folder):
    """Each file below a folder, with its content; databases are opened and closed without a change, so they differ."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(NAME)
    }


@pytest.fixture
def people():
    import pandas as pd

    rng = np.random.default_rng(0)
    return pd.DataFrame({"sex": rng.choice(["f", "m"], 60), "age": rng.integers(18, 70, 60)})


def unfair(frame):
    return np.where((frame["sex"] == "m") & (frame["age"] > 30), 0.9, 0.1)


def audit(model, people, out, **options):
    return expga.audit(model, people, protected="sex", max_queries=300, out=out, **options)


def test_where_all_that_was_to_be_resumed_is_lost_the_sentence_says_so(tmp_path):
    with closing(Store.open(tmp_path)) as store:
        store.begin("audit", {})
        store.put({"state": b"1"})
        log = (tmp_path / f"{NAME}-wal").read_bytes()
        left = {name: (tmp_path / name).read_bytes() for name in (NAME, f"{NAME}-mark")}
    for name, content in left.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / f"{NAME}-wal").write_bytes(log[:40] + b"x" + log[41:])
    with pytest.raises(InputError) as refused:
        Shelf.open(tmp_path, (), "audit", resume=True)
    assert str(refused.value) == (
        f"There is nothing to resume in {tmp_path} (the last 2 transactions of the store are missing, after a loss of "
        "power or through damage: what was found in them is lost); leave --resume out to start anew."
    )


class TestAnAudit:
    def test_leaves_folders_and_files_of_the_users_alone(self, people, tmp_path):
        (tmp_path / "journal").mkdir()
        (tmp_path / "journal" / "monday.txt").write_text("dear diary")
        (tmp_path / "notes.md").write_text("mine")
        before = everything(tmp_path)
        audit(unfair, people, tmp_path)
        after = everything(tmp_path)
        assert set(after) - set(before) == {"summary.json", "findings.parquet"}
        assert {name: after[name] for name in before} == before

    @pytest.mark.parametrize("name", ["summary.json", "findings.parquet"])
    @pytest.mark.parametrize("overwrite", [False, True])
    def test_is_refused_where_a_file_of_the_users_has_its_name(self, people, tmp_path, name, overwrite):
        (tmp_path / name).write_text("{}")
        with pytest.raises(InputError, match=f"{name} is not as expga wrote it"):
            audit(unfair, people, tmp_path, overwrite=overwrite)
        assert [path.name for path in tmp_path.iterdir()] == [name]

    def test_does_not_replace_results_that_were_edited(self, people, tmp_path):
        audit(unfair, people, tmp_path)
        with (tmp_path / "summary.json").open("a") as file:
            file.write("\n")
        before = everything(tmp_path)
        with pytest.raises(InputError, match=r"summary\.json is not as expga wrote it"):
            audit(unfair, people, tmp_path, overwrite=True)
        assert everything(tmp_path) == before

    def test_is_only_replaced_if_it_may_be(self, people, tmp_path):
        audit(unfair, people, tmp_path)
        before = everything(tmp_path)
        with pytest.raises(InputError, match=r"a finished audit already; add --resume .* or --overwrite"):
            audit(unfair, people, tmp_path, seed=1)
        assert everything(tmp_path) == before
        second = audit(unfair, people, tmp_path, seed=1, overwrite=True)
        assert expga.Audit.load(tmp_path).summary["seed"] == second.summary["seed"] == 1

    @pytest.mark.parametrize("after", [0, 2])
    def test_that_fails_leaves_the_one_before(self, people, tmp_path, after):
        audit(unfair, people, tmp_path)
        before = everything(tmp_path)
        calls = []

        def failing(frame):
            calls.append(len(frame))
            if len(calls) > after:
                raise ValueError("overheated")
            return unfair(frame)

        with pytest.raises(ModelError, match="overheated") as failure:
            audit(failing, people, tmp_path, overwrite=True)
        if failure.value.audit is None:
            assert everything(tmp_path) == before
        again = audit(unfair, people, tmp_path, resume=True)
        assert again.summary["found"] > 0

    def test_that_fails_at_once_leaves_no_folder_behind(self, people, tmp_path):
        def failing(_):
            raise ValueError("overheated")

        with pytest.raises(ModelError):
            audit(failing, people, tmp_path / "deep" / "out")
        assert list(tmp_path.iterdir()) == []

    def test_may_not_replace_what_it_reads(self, people, tmp_path):
        audit(unfair, people, tmp_path)
        with pytest.raises(InputError, match="is itself given to this command"):
            audit(unfair, people, tmp_path, overwrite=True, inputs=[tmp_path / "findings.parquet"])


class TestPublishing:
    @pytest.fixture
    def shelf(self, tmp_path):
        shelf = Shelf.open(tmp_path, ["a", "b"], "audit")
        shelf.store.begin("audit", {})
        yield shelf
        shelf.leave()

    def test_files_that_cannot_be_written_leave_those_before(self, shelf, tmp_path, monkeypatch):
        shelf.publish({"a": b"1", "b": b"1"}, {})
        monkeypatch.setattr("expga.store.shelf.settle", full)
        shelf.store.begin("audit", {})
        with pytest.raises(StoreError, match=r"cannot be written to .*No space left on device"):
            shelf.publish({"a": b"2", "b": b"2"}, {})
        assert (tmp_path / "a").read_bytes() == b"1"
        assert not list(tmp_path.glob(".expga-*"))

    @pytest.mark.parametrize("moves", [0, 1])
    def test_stopped_between_two_moves_shows_no_pair_that_does_not_belong_together(
        self, shelf, tmp_path, monkeypatch, moves
    ):
        shelf.publish({"a": b"1", "b": b"1"}, {})
        real, done = os.replace, []

        def some(place, path):
            if len(done) == moves:
                raise KeyboardInterrupt
            done.append(path)
            real(place, path)

        monkeypatch.setattr(os, "replace", some)
        shelf.store.begin("audit", {})
        with pytest.raises(KeyboardInterrupt):
            shelf.publish({"a": b"2", "b": b"2"}, {})
        monkeypatch.setattr(os, "replace", real)
        assert not (tmp_path / "b").exists()
        shelf.publish({"a": b"2", "b": b"2"}, {})
        assert everything(tmp_path) == {"a": b"2", "b": b"2"}

    def test_what_a_killed_run_was_writing_is_cleaned(self, tmp_path):
        (tmp_path / ".expga-abc.tmp").write_text("half")
        (tmp_path / ".expga-link.tmp").symlink_to(tmp_path / "elsewhere")
        Shelf.open(tmp_path, [], "audit").leave()
        assert [path.name for path in tmp_path.iterdir()] == [".expga-link.tmp"]

    def test_nothing_outside_the_folder_is_taken_for_ours(self, shelf, tmp_path):
        mine = tmp_path.parent / "mine.txt"
        mine.write_bytes(b"mine")
        shelf.publish({"a": b"1", "b": b"1"}, {})
        shelf.store.will_write({"../mine.txt": hashlib.sha256(b"mine").hexdigest()})
        shelf.store.begin("audit", {})
        with pytest.raises(InputError, match=r"nothing under the name '../mine.txt' was ever ours"):
            shelf.publish({"a": b"2", "b": b"2"}, {})
        assert mine.read_bytes() == b"mine"

    def test_another_kind_of_work_is_named(self, shelf, tmp_path):
        shelf.publish({"a": b"1", "b": b"1"}, {})
        shelf.close()
        with pytest.raises(InputError, match="holds an audit, not a repair"):
            Shelf.open(tmp_path, ["c"], "repair")
        shelf.store = Shelf.open(tmp_path, [], "audit", overwrite=True).store


def full(*_):
    raise OSError(28, "No space left on device")
