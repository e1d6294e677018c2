"""How the command ends: 0 ran, 1 unfair beyond the gate, 2 bad input, 3 something failed, 130 interrupted."""

from __future__ import annotations

import sqlite3
import sys

import joblib
import numpy as np
import pytest

from expga.plan import Snapshot

IN_THE_SEARCH = 1_000
"""Rows after which a run is well into its search: 120 to try the model, 240 for the population."""


def ends(run, code, *mentions):
    """Whether a run ended with a code and one sentence that mentions all of these."""
    assert (run.code, run.stdout) == (code, "")
    assert run.stderr.startswith("expga: ")
    assert run.stderr.count("\n") == 1
    assert run.stderr.endswith(".\n")
    for mention in mentions:
        assert mention in run.stderr
    return True


class LikeCtrlC(KeyboardInterrupt):
    """Not the user's own."""


class UnspeakableError(Exception):
    """Fails at saying what it is."""

    def __str__(self):
        raise RuntimeError


@pytest.fixture
def until(unfair):
    """A model that answers about so many rows and then raises."""

    def make(rows, error):
        asked = []

        def model(frame):
            asked.append(len(frame))
            if sum(asked) > rows:
                raise error
            return unfair(frame)

        return model

    return make


@pytest.fixture
def stopped(desk, unfair, monkeypatch):
    """`expga audit` in which something is raised, once the search is on or before anything is measured."""

    def run(error, measured=True):
        def instead(*_, progress, **__):
            progress(Snapshot("search" if measured else "population", 1.0, 1_000, 300, 123, 123))
            raise error

        monkeypatch.setattr("expga.api.audit", instead)
        (desk.folder / "out").mkdir(exist_ok=True)
        return desk.audit(unfair)

    return run


EXITS = {
    "sys.exit(0)": SystemExit(0),
    "sys.exit()": SystemExit(),
    "GeneratorExit": GeneratorExit(),
    "something like Ctrl-C": LikeCtrlC("stop"),
    "what cannot be said": UnspeakableError(),
}


class TestAModelThatRaises:
    @pytest.mark.parametrize("how", EXITS)
    def test_at_once_is_bad_input(self, desk, until, how):
        name = type(EXITS[how]).__name__
        assert ends(desk.audit(until(0, EXITS[how])), 2, f"The model failed on 8 rows: {name}")

    def test_on_more_of_the_first_rows_is_bad_input(self, desk, until):
        run = desk.audit(until(8, SystemExit(0)))
        assert ends(run, 2, "The model failed on 8 rows: SystemExit: 0")
        assert not run.out.exists()

    @pytest.mark.parametrize("how", EXITS)
    def test_in_the_search_is_a_failure_that_says_what_is_kept(self, desk, until, how):
        run = desk.audit(until(IN_THE_SEARCH, EXITS[how]), max_queries=4_000, realism="domain")
        found = len(run.findings)
        assert found > 0
        kept = f"what was found until then, {found:,} findings, is kept in {run.out}, and --resume goes on from there"
        assert ends(run, 3, "The model failed on ", type(EXITS[how]).__name__, kept)

    def test_while_the_population_is_measured_is_a_failure_with_nothing_kept(self, desk, until):
        run = desk.audit(until(len(desk.people), SystemExit(0)))
        assert ends(run, 3, "The model failed on ", "SystemExit: 0")
        assert "kept" not in run.stderr

    def test_at_replay_is_bad_input_when_it_is_tried_and_a_failure_from_then_on(self, desk, unfair, until):
        pairs = len(desk.audit(unfair).findings)
        assert pairs > 0
        assert ends(desk.replay(until(0, SystemExit(0))), 2, "The model failed on 8 rows: SystemExit: 0")
        for answered in (pairs, 2 * pairs):  # when it is tried, and then about either side
            run = desk.replay(until(answered, SystemExit(0)))
            assert ends(run, 3, f"The model failed on {pairs} rows: SystemExit: 0")


class TestLoading:
    @pytest.mark.parametrize("how", ["raise SystemExit(0)", "raise GeneratorExit", "raise BaseException('odd')"])
    def test_a_module_that_exits_is_bad_input(self, desk, how, monkeypatch):
        desk.file("exits_on_import.py", how)
        monkeypatch.delitem(sys.modules, "exits_on_import", raising=False)
        assert ends(desk.audit("exits_on_import:model"), 2, "'exits_on_import:model' cannot be imported")

    def test_an_attribute_that_exits_is_bad_input(self, desk, monkeypatch):
        desk.file("exits_when_asked.py", "def __getattr__(name):\n    raise SystemExit(0)\n")
        monkeypatch.delitem(sys.modules, "exits_when_asked", raising=False)
        assert ends(desk.audit("exits_when_asked:model"), 2, "cannot be imported: SystemExit: 0")

    def test_a_pickle_that_exits_is_bad_input(self, desk):
        path = desk.file("exits.pkl", b"cbuiltins\nexit\n(I0\ntR.")
        assert ends(desk.audit(str(path), allow_pickle=True), 2, "exits.pkl cannot be loaded: SystemExit: 0")

    def test_a_pickle_that_misses_no_package_by_name_is_bad_input(self, desk):
        path = desk.file("odd.pkl", b"cbuiltins\nexec\n(Vraise ModuleNotFoundError('odd')\ntR.")
        assert ends(desk.audit(str(path), allow_pickle=True), 2, "odd.pkl cannot be loaded: ModuleNotFoundError: odd")


FAILURES = {
    "a full disk": (OSError(28, "No space left on device"), ["No space left on device"]),
    "a removed folder": (FileNotFoundError(2, "No such file or directory", "out/x"), ["No such file", "out/x"]),
    "a full disk under a database": (sqlite3.OperationalError("database or disk is full"), ["disk is full"]),
    "no more memory": (MemoryError(), ["memory"]),
    "an exit of nobody knows whom": (SystemExit(0), ["SystemExit: 0"]),
    "a defect": (ZeroDivisionError("one\ntwo"), ["a defect of expga: ZeroDivisionError: one two", "EXPGA_TRACEBACK=1"]),
}


class TestFailures:
    @pytest.mark.parametrize("what", FAILURES)
    def test_end_with_3_and_a_sentence(self, stopped, what):
        error, mentions = FAILURES[what]
        assert ends(stopped(error), 3, *mentions)

    @pytest.mark.parametrize("what", ["a full disk", "a full disk under a database", "no more memory", "a defect"])
    def test_say_what_is_kept_once_there_is_something(self, stopped, what):
        run = stopped(FAILURES[what][0])
        assert f"123 findings, is kept in {run.out}, and --resume goes on from there" in run.stderr

    def test_before_anything_is_measured_promise_nothing(self, stopped):
        assert "kept" not in stopped(OSError(28, "No space left on device"), measured=False).stderr

    def test_say_so_where_the_folder_is_gone(self, desk, stopped, monkeypatch):
        monkeypatch.setattr("os.path.isdir", lambda _: False)
        run = stopped(OSError(5, "Input/output error"))
        assert ends(run, 3, f"nothing is kept, for the folder {desk.folder / 'out'} is not there any more")

    def test_show_their_traceback_where_that_is_asked_for(self, stopped, monkeypatch):
        monkeypatch.setenv("EXPGA_TRACEBACK", "1")
        run = stopped(ZeroDivisionError("one\x1b[2J"))
        assert run.code == 3
        assert "Traceback (most recent call last)" in run.stderr
        assert "\x1b" not in run.stderr
        assert run.stderr.splitlines()[-1].startswith("expga: This is a defect of expga: ZeroDivisionError")


class TestInterruptions:
    def test_before_anything_is_measured(self, stopped):
        run = stopped(KeyboardInterrupt(), measured=False)
        assert ends(run, 130, "expga: Interrupted before anything was measured.\n")

    def test_while_results_are_written_say_what_is_kept(self, stopped):
        run = stopped(KeyboardInterrupt())
        assert ends(run, 130, "123 findings, is kept in", "--resume goes on")

    def test_of_other_commands(self, desk, unfair, monkeypatch):
        desk.audit(unfair)

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("expga.api.replay", interrupted)
        assert ends(desk.replay(unfair), 130, "Interrupted")


class TestReplaysLimit:
    @pytest.fixture
    def repaired_for_cooks(self, unfair):
        return lambda frame: np.where(frame["job"] == "cook", 0.9, unfair(frame))

    def replay(self, desk, model, limit):
        return desk.run("replay", desk.folder / "out", "--model", desk.importable(model), "--fail-under", limit)

    def test_is_met_where_enough_hold(self, desk, unfair):
        desk.audit(unfair)
        run = self.replay(desk, unfair, 1)
        assert (run.code, run.stderr) == (0, "")
        assert "pairs still hold (100.00%)." in run.stdout

    def test_is_missed_where_too_few_hold(self, desk, unfair, repaired_for_cooks):
        findings = desk.audit(unfair).findings
        share = (findings["job"] != "cook").mean()
        assert 0.1 < share < 0.95
        assert self.replay(desk, repaired_for_cooks, share - 0.01).code == 0
        run = self.replay(desk, repaired_for_cooks, share + 0.01)
        assert (run.code, run.stderr) == (1, "")
        assert f"Under the limit: fewer than {share + 0.01:.2%} of the pairs still hold." in run.stdout

    def test_is_missed_by_the_last_of_many_pairs(self, desk, unfair, monkeypatch):
        desk.audit(unfair)
        monkeypatch.setattr("expga.api.replay", lambda *_: (99_999, 100_000))
        run = self.replay(desk, unfair, 1)
        assert run.code == 1
        assert run.stdout.startswith("99,999 of 100,000 pairs still hold (99.99%).\n")

    def test_is_met_where_there_is_nothing_to_hold(self, desk, fair, unfair):
        desk.audit(fair)
        run = self.replay(desk, unfair, 1)
        assert (run.code, run.stdout) == (0, "0 of 0 pairs still hold.\n")

    @pytest.mark.parametrize("limit", ["-0.1", "1.1", "nan", "inf"])
    def test_is_a_share(self, desk, unfair, limit):
        assert ends(self.replay(desk, unfair, limit), 2, "--fail-under is a share from 0 to 1", limit)


DIGITS = "9" * 5_000
NUMBERS = {
    "an infinite threshold": {"threshold": "inf"},
    "an infinite gap": {"min_gap": "inf"},
    "more queries than can be counted": {"max_queries": "99999999999999999999"},
    "more batches than can be counted": {"max_generations": "99999999999999999999"},
    "more findings than can be counted": {"max_findings": "99999999999999999999"},
    "a number beyond all": {"max_queries": DIGITS},
    "time beyond all": {"budget": "1e400s"},
    "time of many digits": {"budget": f"{DIGITS}s"},
    "a seed that libraries do not take": {"seed": 2**31},
    "a seed beyond all": {"seed": DIGITS},
    "a rank that is a power": {"epsilon": "²", "explainer": "lime"},
    "a rank beyond all": {"epsilon": "99999999999999999999", "explainer": "lime"},
    "a rank of many digits": {"epsilon": DIGITS, "explainer": "lime"},
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_beyond_reason_are_refused(desk, unfair, what):
    assert ends(desk.audit(unfair, **NUMBERS[what]), 2)


def test_a_seed_may_be_as_large_as_libraries_take(desk, unfair):
    assert desk.audit(unfair, seed=2**31 - 1).code == 0


@pytest.mark.parametrize("words", [["audit", "--no-such"], ["no-such"], ["replay"], ["lexicon", "show", "a", "b"]])
def test_words_that_are_no_options_are_told_in_one_sentence(desk, words):
    assert ends(desk.run(*words), 2, "--help")


@pytest.mark.parametrize("words", [[], ["bench"], ["lexicon"]])
def test_no_command_is_no_success(desk, words):
    run = desk.run(*words)
    assert (run.code, run.stderr) == (2, "")
    assert "Usage: expga" in run.stdout


@pytest.mark.parametrize("option", ["data", "out", "schema", "model"])
def test_a_path_that_is_not_utf_8_is_refused(desk, unfair, option):
    odd = {option: "odd\udcff.csv"}
    run = desk.audit(odd.pop("model", unfair), **odd)
    assert ends(run, 2, r"'odd\udcff.csv'", "rename")


def test_a_working_folder_that_is_not_utf_8_is_no_trouble(desk, binary, monkeypatch):
    odd = desk.folder / "odd\udcff"
    odd.mkdir()
    monkeypatch.chdir(odd)
    joblib.dump(binary, "model.joblib")
    desk.people.to_csv("people.csv", index=False)
    run = desk.audit("model.joblib", data="people.csv", out="out", allow_pickle=True)
    assert (run.code, run.stderr) == (0, "")
    assert run.summary["found"] == len(run.findings) > 0


@pytest.mark.parametrize("moment", ["steady_streams", "interrupt_on_sigterm"])
def test_ctrl_c_before_the_command_has_begun_is_one_sentence(monkeypatch, capsys, moment):
    from expga import cli

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, moment, interrupted)
    monkeypatch.setattr(cli, "interrupt_no_more", lambda: None)
    if moment != "steady_streams":
        monkeypatch.setattr(cli, "steady_streams", lambda: None)
    with pytest.raises(SystemExit) as ending:
        cli.main()
    assert ending.value.code == 130
    assert capsys.readouterr().err == "expga: Interrupted.\n"
