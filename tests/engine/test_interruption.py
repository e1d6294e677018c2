"""Whatever stops a run, what it found is kept; and a run that was killed goes on where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from shutil import copytree
from types import SimpleNamespace

import pandas as pd
import pytest
from typer.testing import CliRunner

import expga
from expga.cli import app
from expga.errors import ModelError
from expga.store import Store

FREE = ["age", "job", "hours"]
IN_THE_SEARCH = 15
"""Calls after which a run is well into its search: six to try the model, three to ask twice, one for the population."""

LONG = ("--max-queries", "20000")
"""In a hundred batches, enough to be killed in."""


def options(**more):
    return {"protected": "sex", "max_queries": 20_000, "realism": "domain", **more}


@contextmanager
def caught():
    """Fails the test, not all tests, where an interruption comes through."""
    try:
        yield
    except KeyboardInterrupt:
        pytest.fail("the interruption came through")


class TestCtrlC:
    def test_in_the_search_ends_the_run_and_keeps_its_findings(self, until, people, tmp_path):
        with caught():
            audit = expga.audit(until(IN_THE_SEARCH, KeyboardInterrupt()), people, out=tmp_path, **options())
        assert audit.summary["stop_reason"] == "interrupted"
        assert audit.summary["found"] == len(audit.findings) > 0
        pd.testing.assert_frame_equal(expga.Audit.load(tmp_path).findings, audit.findings)

    def test_leaves_the_findings_that_a_longer_run_begins_with(self, until, unfair, people):
        with caught():
            cut = expga.audit(until(IN_THE_SEARCH, KeyboardInterrupt()), people, **options())
        whole = expga.audit(unfair, people, **options())
        assert len(cut.findings) < len(whole.findings)
        pd.testing.assert_frame_equal(cut.findings, whole.findings[: len(cut.findings)])

    def test_counts_every_query_that_was_asked_answered_or_not(self, until, people):
        sizes = []
        with caught():
            audit = expga.audit(until(IN_THE_SEARCH, KeyboardInterrupt(), sizes), people, **options())
        assert audit.summary["queries"]["total"] == sum(sizes)

    def test_while_rows_are_explained_keeps_the_population(self, until, people, tmp_path):
        with caught():
            audit = expga.audit(until(12, KeyboardInterrupt()), people, out=tmp_path, **options(explainer="lime"))
        assert audit.summary["stop_reason"] == "interrupted"
        assert audit.population.rows == 150
        assert expga.Audit.load(tmp_path).population == audit.population

    def test_before_anything_is_measured_is_one_sentence(self, until, people, tmp_path, monkeypatch):
        run = command(until(1, KeyboardInterrupt()), people, tmp_path, monkeypatch)
        assert run.exit_code == 130
        assert run.stderr == "expga: Interrupted before anything was measured.\n"

    def test_in_a_real_process_writes_the_files_and_says_so(self, process):
        process.hang(IN_THE_SEARCH, *LONG)
        code, stdout, stderr = process.stop(signal.SIGINT)
        assert (code, stderr) == (0, "")
        assert "stopped: interrupted" in stdout
        audit = expga.Audit.load(process.out)
        assert audit.summary["stop_reason"] == "interrupted"
        assert 0 < audit.summary["found"] == len(audit.findings)


class TestAModelThatFails:
    def test_in_the_search_hands_over_what_was_found(self, until, people, tmp_path):
        with pytest.raises(ModelError, match="OSError: the server hung up") as failure:
            expga.audit(until(IN_THE_SEARCH, OSError("the server\nhung up")), people, out=tmp_path, **options())
        audit = failure.value.audit
        assert audit.summary["stop_reason"] == "model failed"
        assert audit.summary["found"] == len(audit.findings) > 0
        pd.testing.assert_frame_equal(expga.Audit.load(tmp_path).findings, audit.findings)

    def test_in_the_search_has_exit_code_3_and_its_findings_saved(self, until, people, tmp_path, monkeypatch):
        run = command(until(IN_THE_SEARCH, ValueError("overheated")), people, tmp_path, monkeypatch)
        found = len(expga.Audit.load(tmp_path / "out").findings)
        assert found > 0
        assert run.exit_code == 3
        assert run.stderr.startswith("expga: The model failed on ")
        kept = f"what was found until then, {found:,} findings, is kept in {tmp_path / 'out'}"
        assert run.stderr.endswith(f"ValueError: overheated; {kept}, and --resume goes on from there.\n")
        assert run.stderr.count("\n") == 1

    def test_by_an_answer_of_the_wrong_shape_is_treated_alike(self, unfair, people):
        calls = []

        def model(frame):
            calls.append(len(frame))
            return unfair(frame) if len(calls) < IN_THE_SEARCH else unfair(frame)[1:]

        with pytest.raises(ModelError, match="shape") as failure:
            expga.audit(model, people, **options())
        assert len(failure.value.audit.findings) > 0

    def test_while_the_population_is_measured_has_nothing_to_hand_over(self, until, people):
        with pytest.raises(ModelError, match="overheated") as failure:
            expga.audit(until(1, ValueError("overheated")), people, **options())
        assert failure.value.audit is None

    def test_can_be_mended_and_the_run_goes_on(self, until, unfair, people, tmp_path):
        with pytest.raises(ModelError) as failure:
            expga.audit(until(IN_THE_SEARCH, ValueError("overheated")), people, out=tmp_path, **options())
        before = failure.value.audit
        after = expga.audit(unfair, people, out=tmp_path, resume=True, **options(max_queries=5_000))
        assert after.summary["stop_reason"] == "queries"
        pd.testing.assert_frame_equal(after.findings[: len(before.findings)], before.findings)


class TestAKilledRun:
    @pytest.fixture(scope="class")
    @staticmethod
    def left(of_people, tmp_path_factory):
        """The folder of a run that was killed in its search."""
        folder = tmp_path_factory.mktemp("killed")
        with of_people(folder) as process:
            process.hang(IN_THE_SEARCH, *LONG)
            process.stop(signal.SIGKILL)
        return folder

    @pytest.fixture
    def killed(self, left, of_people, tmp_path):
        """That run, to go on with."""
        with of_people(copytree(left, tmp_path, dirs_exist_ok=True)) as process:
            yield process

    def test_goes_on_without_losing_or_repeating_a_finding(self, killed):
        assert not (killed.out / "summary.json").exists()
        kept, state = killed.kept()
        asked_before = killed.rows_asked()
        assert sum(state.queries.values()) == asked_before
        more = sum(state.queries.values()) + 4_000

        done = killed.finish("--resume", "--max-queries", str(more))
        assert (done.returncode, done.stderr) == (0, "")
        audit = expga.Audit.load(killed.out)
        summary, found = audit.summary, audit.findings

        old = found[: len(kept)]
        assert len(kept) > 0
        assert (old["anchor"].to_numpy() == kept.anchor).all()
        ours = old[["score", "score__twin"]]
        assert (ours.min(axis=1).to_numpy() == kept.scores.min(axis=1)).all()
        assert (ours.max(axis=1).to_numpy() == kept.scores.max(axis=1)).all()
        assert len(found) == summary["found"] > len(kept)
        assert not found.duplicated(FREE).any()

        assert more - 2 < summary["queries"]["total"] <= more
        assert summary["queries"]["population"] == state.queries["population"] == 300
        assert summary["tested"] > state.tested
        assert summary["elapsed_s"] > state.elapsed
        assert killed.rows_asked() - asked_before == summary["queries"]["total"] - sum(state.queries.values())
        assert summary["queries"]["trial"] == 2 * state.queries["trial"]  # tried again, not measured again

    def test_of_a_random_model_goes_on_and_its_findings_have_held(self, process):
        """No label is ever another: the scores that move keep far from the boundary."""
        process.answer = f"{process.answer} + np.random.uniform(-0.1, 0.1, len(frame))"
        process.hang(60, *LONG)
        process.stop(signal.SIGKILL)
        kept, state = process.kept()
        assert len(kept) > 0
        done = process.finish("--resume", *LONG, "--max-findings", str(len(kept) + 50))
        assert (done.returncode, done.stderr) == (0, "")
        audit = expga.Audit.load(process.out)
        assert audit.summary["placebo"]["answers"] == "random"
        assert audit.summary["queries"]["placebo"] == state.queries["placebo"] > 0
        assert len(audit.findings) == len(kept) + 50
        assert (audit.findings["anchor"][: len(kept)].to_numpy() == kept.anchor).all()

    def test_may_be_killed_and_taken_up_again(self, killed):
        killed.hang(6, *LONG, "--resume")
        killed.stop(signal.SIGKILL)
        kept, _ = killed.kept()
        done = killed.finish(*LONG, "--resume", "--max-findings", str(len(kept) + 100))
        assert done.returncode == 0
        found = expga.Audit.load(killed.out).findings
        assert len(found) == len(kept) + 100
        assert (found["anchor"][: len(kept)].to_numpy() == kept.anchor).all()
        assert not found.duplicated(FREE).any()

    def test_is_not_taken_up_twice_at_once(self, killed):
        killed.hang(1, *LONG, "--resume")
        second = subprocess.run(
            [*killed.words, *LONG, "--resume"], cwd=killed.folder, capture_output=True, text=True, check=False
        )
        assert (second.returncode, second.stdout) == (2, "")
        assert (
            second.stderr
            == "expga: Another run is writing to out; wait until it has ended, or choose another folder.\n"
        )


class TestGoingOn:
    """In this process, from journals as a kill at any moment leaves them."""

    def begun(self, unfair, people, folder, **more):
        """A run cut off at the end of its search, before its results were written."""
        audit = expga.audit(unfair, people, out=folder, **options(**{"max_queries": 2_000, **more}))
        (folder / "summary.json").unlink()
        (folder / "findings.parquet").unlink()
        with closing(Store.open(folder)) as store:
            store.again()
        return audit

    def test_gives_a_finished_run_more_to_do(self, unfair, people, tmp_path):
        before = expga.audit(unfair, people, out=tmp_path, **options(max_queries=2_000))
        after = expga.audit(unfair, people, out=tmp_path, resume=True, **options(max_queries=3_000))
        pd.testing.assert_frame_equal(after.findings[: len(before.findings)], before.findings)
        assert len(after.findings) > len(before.findings)
        assert not after.findings.duplicated(FREE).any()
        assert 2_998 < after.summary["queries"]["total"] <= 3_000
        assert after.summary["population"] == before.summary["population"]

    def test_with_nothing_left_to_do_gives_the_same_findings(self, unfair, people, tmp_path):
        before = expga.audit(unfair, people, out=tmp_path, **options(max_queries=2_000))
        after = expga.audit(unfair, people, out=tmp_path, resume=True, **options(max_queries=2_000))
        pd.testing.assert_frame_equal(after.findings, before.findings)
        again = {"trial": 1, "total": 1}  # a row, to know the model by
        queries = before.summary["queries"]
        assert after.summary["queries"] == {name: count + again.get(name, 0) for name, count in queries.items()}
        assert after.summary["tested"] == before.summary["tested"]

    def test_does_not_measure_the_population_again(self, unfair, people, tmp_path):
        before = self.begun(unfair, people, tmp_path)
        sizes = []

        def counting(frame):
            sizes.append(len(frame))
            return unfair(frame)

        after = expga.audit(counting, people, out=tmp_path, resume=True, **options(max_queries=2_500))
        assert sum(sizes) == after.summary["queries"]["total"] - before.summary["queries"]["total"]
        assert after.summary["queries"]["population"] == 300
        assert after.summary["population"] == before.summary["population"]
        assert after.summary["by_attribute"] == before.summary["by_attribute"]

    def test_does_other_things_than_the_run_before(self, unfair, people, tmp_path):
        self.begun(unfair, people, tmp_path)
        after = expga.audit(unfair, people, out=tmp_path, resume=True, **options(max_queries=4_000))
        once = expga.audit(unfair, people, **options(max_queries=4_000))
        assert len(after.findings) > 0.8 * len(once.findings)

    def test_adds_to_the_limit_on_findings(self, unfair, people, tmp_path):
        expga.audit(unfair, people, out=tmp_path, **options(max_findings=40))
        after = expga.audit(unfair, people, out=tmp_path, resume=True, **options(max_findings=70))
        assert len(after.findings) == 70
        assert after.summary["stop_reason"] == "findings"
        assert not after.findings.duplicated(FREE).any()


def command(model, people, folder, monkeypatch):
    """`expga audit` of a model, in this process."""
    data = folder / "people.csv"
    people.assign(hired=people["age"] % 2).to_csv(data, index=False)
    monkeypatch.setitem(sys.modules, "the_model_in_question", SimpleNamespace(it=model))
    monkeypatch.setattr(sys, "path", [*sys.path])  # loading a model by its name adds the working folder
    words = ["audit", "--model", "the_model_in_question:it", "--data", str(data), "--target", "hired"]
    words += ["--protected", "sex", "--max-queries", "20000", "--realism", "domain", "--out", str(folder / "out")]
    return CliRunner().invoke(app, words, catch_exceptions=False)
