"""The store: whole transactions or none, one writer, and every flipped bit is noticed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from expga.errors import InputError, StoreError
from expga.store import NAME, Store, mark, pack, unpack
from expga.store.mark import Mark


@pytest.fixture
def filled(tmp_path):
    """The folder of a closed store with a record and five parts."""
    with closing(Store.open(tmp_path)) as store:
        store.begin("audit", {"plan": b"{}"})
        for number in range(5):
            store.put({"state": bytes([number]) * 40}, (number, os.urandom(3_000)))
    return tmp_path


def read(folder):
    with closing(Store.open(folder)) as store:
        return store.get("state"), list(store.parts()), store.notes


class TestWriting:
    def test_what_was_put_comes_back_in_its_order(self, tmp_path):
        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {"plan": b"1"})
            store.put({"state": b"one"}, (2, b"second"))
            store.put({"state": b"two"}, (1, b"first"))
        with closing(Store.open(tmp_path)) as store:
            assert (store.kind, store.done, store.get("plan"), store.get("state")) == ("audit", False, b"1", b"two")
            assert list(store.parts()) == [b"first", b"second"]
            assert store.get("nothing") is None

    def test_a_transaction_that_fails_leaves_nothing(self, tmp_path):
        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {})
            store.put({"state": b"one"}, (1, b"first"))
            with pytest.raises(InputError, match="NOT NULL"):
                store.put({"state": b"two"}, (None, b"again"))
            assert (store.get("state"), list(store.parts())) == (b"one", [b"first"])

    def test_a_finished_run_stays_until_the_next_is_finished(self, tmp_path):
        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {"plan": b"old"})
            store.finish({})
            store.begin("audit", {"plan": b"new"})
            store.abandon()
            assert (store.get("plan"), store.done) == (b"old", True)
            store.begin("audit", {"plan": b"newer"})
            store.finish({})
            store.abandon()
            assert (store.get("plan"), store.done) == (b"newer", True)

    def test_without_a_folder_it_lives_in_memory(self):
        store = Store.in_memory()
        store.begin("audit", {"plan": b"1"})
        store.put({}, (1, b"a"))
        assert (store.get("plan"), list(store.parts())) == (b"1", [b"a"])

    def test_a_store_of_nothing_is_taken_away(self, tmp_path):
        Store.open(tmp_path).leave()
        assert list(tmp_path.iterdir()) == []


class TestMaking:
    def test_it_has_a_log_from_the_start(self, tmp_path):
        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {})
            assert (tmp_path / f"{NAME}-wal").stat().st_size > 0

    def test_it_is_there_whole_or_not_at_all(self, tmp_path, monkeypatch):
        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("expga.files.os.fsync", full)
        with pytest.raises(StoreError, match="No space left on device"):
            Store.open(tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_where_another_process_was_faster_it_is_theirs(self, tmp_path, monkeypatch):
        from expga.store import form as module

        made = module.settle_new

        def too_late(place, path):
            made(place, path)
            theirs = path.read_bytes()
            made(place, path)
            assert path.read_bytes() == theirs

        monkeypatch.setattr(module, "settle_new", too_late)
        Store.open(tmp_path).close()


class TestOneWriter:
    def test_a_second_one_in_this_process_is_refused(self, tmp_path):
        with closing(Store.open(tmp_path)), pytest.raises(InputError, match="Another run is writing"):
            Store.open(tmp_path)
        Store.open(tmp_path).close()

    def test_a_second_one_elsewhere_is_refused(self, tmp_path):
        code = "import sys; from pathlib import Path; from expga.store import Store; Store.open(Path(sys.argv[1]))"
        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {})
            done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False)
        assert "Another run is writing" in done.stderr


class TestWhatIsNotOurs:
    @pytest.mark.parametrize("content", [b"", b"my own notes", b"SQLite format 3\0" + bytes(200)])
    def test_a_file_of_that_name_stays(self, tmp_path, content):
        (tmp_path / NAME).write_bytes(content)
        with pytest.raises(InputError, match="no store of expga"):
            Store.open(tmp_path)
        assert (tmp_path / NAME).read_bytes() == content

    def test_somebody_elses_database_stays(self, tmp_path):
        with closing(sqlite3.connect(tmp_path / NAME)) as other:
            other.execute("CREATE TABLE mine (a)")
        with pytest.raises(InputError, match="no store of expga"):
            Store.open(tmp_path)

    def test_a_link_is_not_followed(self, tmp_path, filled):
        place = tmp_path / "other"
        place.mkdir()
        (place / NAME).symlink_to(filled / NAME)
        with pytest.raises(InputError, match="no store of expga"):
            Store.open(place)

    @pytest.mark.parametrize("ending", ["-wal", "-journal", "-mark"])
    def test_what_would_be_taken_for_a_part_of_a_new_store_is_in_its_way(self, tmp_path, ending):
        rest = tmp_path / f"{NAME}{ending}"
        rest.write_bytes(b"what is left")
        with pytest.raises(InputError, match=f"expga.db{ending} is left of a store that is not there; move it away"):
            Store.open(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [rest.name]

    def test_another_version_is_named(self, filled):
        with closing(sqlite3.connect(filled / NAME)) as other:
            other.execute("PRAGMA user_version = 7")
        (filled / f"{NAME}-mark").unlink()
        with pytest.raises(InputError, match=r"another version of expga .*format 7"):
            Store.open(filled)

    def test_a_table_more_is_noticed(self, filled):
        with closing(sqlite3.connect(filled / NAME)) as other:
            other.execute("CREATE TRIGGER t AFTER INSERT ON part BEGIN DELETE FROM part; END")
        (filled / f"{NAME}-mark").unlink()
        with pytest.raises(InputError, match="tables are not ours"):
            Store.open(filled)


class TestFlippedBits:
    """Each is noticed: by a sentence, or a note that something is missing."""

    def flip(self, path, bit):
        content = bytearray(path.read_bytes())
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)

    def told(self, folder):
        """What is said of a store: in notes, or in a refusal."""
        try:
            return " ".join(read(folder)[2])
        except InputError as error:
            return str(error) if f"{NAME} is " in str(error) else ""

    def flipped(self, path):
        """So many times, with another bit of the file the other way round."""
        whole = path.read_bytes()
        for bit in np.random.default_rng(0).integers(0, 8 * len(whole), 40).tolist():
            self.flip(path, bit)
            yield bit
            path.write_bytes(whole)

    def test_in_a_store_that_was_closed_every_one_is_refused(self, filled):
        for _ in self.flipped(filled / NAME):
            with pytest.raises(InputError, match=r"expga\.db"):
                Store.open(filled)

    def test_in_its_mark_one_is_told_and_nothing_else_is_lost(self, filled):
        state, parts, _ = read(filled)
        whole = {path.name: path.read_bytes() for path in filled.iterdir()}
        for bit in self.flipped(filled / f"{NAME}-mark"):
            again = read(filled)
            assert again[:2] == (state, parts), bit
            assert "nobody knows whether the last transactions are all there" in again[2][0], bit
            (filled / NAME).write_bytes(whole[NAME])

    @pytest.fixture
    def moments(self, tmp_path, monkeypatch):
        """What is on the disk at each moment of a run that empties its log, is killed in a write, and goes on."""
        taken = []
        folder = tmp_path / "store"
        folder.mkdir()

        def moment():
            taken.append({path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith(NAME)})

        def snapped(function):
            def around(*given, **named):
                moment()
                result = function(*given, **named)
                moment()
                return result

            return around

        with monkeypatch.context() as patch:
            patch.setattr(mark, "_ROOM", 40_000)
            patch.setattr(Mark, "_write", snapped(Mark._write))
            patch.setattr(Store, "put", snapped(Store.put))
            emptying = Mark.emptying
            patch.setattr(Mark, "emptying", lambda one, number, empty: emptying(one, number, snapped(empty)))
            store = Store.open(folder)
            store.begin("audit", {"plan": b"1"})
            for number in range(9):
                store.put({"state": bytes([number])}, (number, os.urandom(9_000)))
            killed, log = taken[-2], taken[-1][f"{NAME}-wal"]
            assert len(log) > len(killed[f"{NAME}-wal"]) + 9_000
            history = taken[:-1]
            store.close()
            taken[:] = history
            (folder / f"{NAME}-wal").write_bytes(log[:-5_000])  # a part of a write
            for name in (NAME, f"{NAME}-mark"):
                (folder / name).write_bytes(killed[name])
            again = Store.open(folder)
            again.put({"state": b"more"}, (9, os.urandom(2_000)))
            again.finish({})
            again.close()
        assert len({moment[NAME] for moment in taken}) > 5  # it was emptied in between
        return taken

    def restored(self, folder, moment):
        for path in folder.iterdir():
            path.unlink()
        for name, content in moment.items():
            (folder / name).write_bytes(content)

    def test_a_run_that_was_killed_at_any_moment_is_as_it_was(self, moments, tmp_path):
        place = tmp_path / "copy"
        place.mkdir()
        least = 0
        for moment in moments:
            if NAME not in moment:
                continue
            self.restored(place, moment)
            _, parts, notes = read(place)
            assert len(parts) >= least
            assert not notes or "The last transaction of the store is not there" in notes[0]
            least = len(parts)
        assert least == 9

    def test_in_what_a_run_has_left_that_was_killed_at_any_moment_every_one_is_noticed(self, moments, tmp_path):
        place = tmp_path / "copy"
        place.mkdir()
        rng = np.random.default_rng(1)
        tried, mended = 0, 0
        for moment in moments:
            if f"{NAME}-mark" not in moment:
                continue
            for name, content in moment.items():
                for bit in rng.integers(0, 8 * len(content), 3).tolist() if content else ():
                    self.restored(place, moment)
                    self.flip(place / name, bit)
                    tried += 1
                    said = self.told(place)
                    assert said, (name, bit, len(content))
                    mended += "written again from the log" in said
        assert tried > 400
        assert mended > 0

    def test_a_transaction_that_is_interrupted_when_it_is_all_there_is_there(self, tmp_path):
        class Interrupted:
            """A connection on which Ctrl-C is heard once a transaction is committed."""

            def __init__(self, connection):
                self.connection = connection

            def __getattr__(self, name):
                return getattr(self.connection, name)

            def cursor(self):
                return self

            def execute(self, statement, *given):
                done = self.connection.execute(statement, *given)
                if statement == "COMMIT":
                    raise KeyboardInterrupt
                return done

        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {})
            whole, store._connection = store._connection, Interrupted(store._connection)
            with pytest.raises(KeyboardInterrupt):
                store.put({"state": b"1"}, (1, b"a" * 9_000))
            store._connection = whole
        assert read(tmp_path) == (b"1", [b"a" * 9_000], [])

    def test_an_emptying_that_is_interrupted_is_done_again(self, tmp_path):
        from unittest import mock

        def interrupted(mark, sequence, empty):
            def stopped():
                empty()
                raise KeyboardInterrupt

            emptying(mark, sequence, stopped)

        emptying = Mark.emptying
        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {})
            store.put({}, (1, b"a" * 9_000))
            with mock.patch.object(Mark, "emptying", interrupted), pytest.raises(KeyboardInterrupt):
                store._empty_log(store._mark)
            store.put({}, (2, b"b" * 9_000))
        assert read(tmp_path) == (None, [b"a" * 9_000, b"b" * 9_000], [])

    @pytest.mark.parametrize("where", ["_lock", "form.check", "Mark.take", "Store._write_back"])
    def test_a_killed_run_whose_opening_is_interrupted_is_as_it_was(self, tmp_path, monkeypatch, where):
        code = (
            "import sys, os; from pathlib import Path; from expga.store import Store\n"
            "store = Store.open(Path(sys.argv[1])); store.begin('audit', {})\n"
            "store.put({'state': b'1'}, (1, b'part')); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", code, tmp_path], check=True)
        assert (tmp_path / f"{NAME}-wal").stat().st_size > 0

        def interrupted(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(f"expga.store.store.{where}", interrupted)
            with pytest.raises(KeyboardInterrupt):
                Store.open(tmp_path)
        assert read(tmp_path) == (b"1", [b"part"], [])

    def test_a_lost_log_is_told(self, tmp_path):
        code = (
            "import sys, os; from pathlib import Path; from expga.store import Store\n"
            "store = Store.open(Path(sys.argv[1])); store.begin('audit', {}); store.close()\n"
            "store = Store.open(Path(sys.argv[1])); store.put({'state': b'1'}); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", code, tmp_path], check=True)
        (tmp_path / f"{NAME}-wal").unlink()
        with closing(Store.open(tmp_path)) as store:
            assert "The last transaction of the store is not there" in store.notes[0]

    def test_the_mark_knows_of_a_transaction_before_it_is_there(self, tmp_path, monkeypatch):
        """So that one that is committed and then damaged, before anybody could say that it was there, is told too."""
        order: list[str] = []
        reached = Mark.reached
        monkeypatch.setattr(
            Mark, "reached", lambda mark, number: order.append(f"mark {number}") or reached(mark, number)
        )
        with closing(Store.open(tmp_path)) as store:
            order.clear()
            store._connection.set_trace_callback(order.append)
            store.begin("audit", {})
            store._connection.set_trace_callback(None)
        assert order.index("mark 1") < order.index("COMMIT")

    def test_a_transaction_that_fails_is_not_missed(self, tmp_path):
        store = Store.open(tmp_path)
        store.begin("audit", {})
        with pytest.raises(StoreError), store._transaction() as cursor:
            cursor.execute("INSERT INTO nowhere VALUES (1)")
        store.close()
        with closing(Store.open(tmp_path)) as again:
            assert again.notes == []


@pytest.mark.parametrize(
    "array",
    [
        np.array([], dtype=np.intp),
        np.array([[0, 255], [3, 4]]),
        np.array([-1, 70_000]),
        np.array([2**62, -(2**62)]),
        np.array([0.1, np.inf, -0.0]),
        np.array([True, False]),
        np.zeros((0, 3), dtype=np.int32),
    ],
)
def test_arrays_come_back_as_they_were(array):
    back = unpack(pack({"it": array, "other": np.arange(3)}))
    assert back["it"].shape == array.shape
    assert (back["it"] == array).all()
    assert back["other"].tolist() == [0, 1, 2]
