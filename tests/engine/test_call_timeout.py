"""A model in a process of its own: calls that hang end, what was found is kept, and no process is left behind."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError, ModelError, UnusableModelError
from expga.models.isolated import Isolated

LONG = "5m"
"""A model that answers has as long as any busy machine may take."""
SHORT = 1
"""Seconds until a call that hangs is ended."""
IN_THE_SEARCH = 40
"""Calls after which a run is well into its search; each is about a few rows."""


def options(**more):
    return {"protected": "sex", "max_queries": 20_000, "realism": "domain", **more}


class Ending:
    """A model that answers so many calls, and then does something else."""

    def __init__(self, calls, end):
        self.calls = calls
        self.end = end

    def __call__(self, frame):
        if self.calls == 0:
            self.end()
        self.calls -= 1
        return np.where((frame["sex"] == "male") & (frame["age"] > 30), 0.9, 0.1)


def hang():
    while True:
        time.sleep(10**6)


def stop():
    os._exit(0)


def test_it_finds_what_is_found_here(unfair, people):
    here = expga.audit(unfair, people, **options(max_queries=2_000))
    there = expga.audit(unfair, people, **options(max_queries=2_000, call_timeout=LONG))
    pd.testing.assert_frame_equal(here.findings, there.findings)
    assert here.summary["queries"] == there.summary["queries"]


def test_replay_asks_it_there_too(people):
    here = os.getpid()

    def model(frame):
        assert os.getpid() != here
        return np.where((frame["sex"] == "male") & (frame["age"] > 30), 0.9, 0.1)

    found = expga.audit(model, people, **options(max_queries=1_000, call_timeout=LONG))
    assert expga.replay(found, model, LONG) == (len(found.findings),) * 2
    assert len(found.findings) > 0


class TestInTheSearch:
    @pytest.fixture
    def soon_impatient(self, monkeypatch):
        """A limit that is short from the call on that hangs; those before have as long as any busy machine may take."""
        call, calls = Isolated._call, []

        def counted(isolated, *given):
            calls.append(given)
            if len(calls) > IN_THE_SEARCH:
                isolated._seconds = SHORT
            return call(isolated, *given)

        monkeypatch.setattr(Isolated, "_call", counted)

    @pytest.mark.usefixtures("soon_impatient")
    @pytest.mark.parametrize(
        ("end", "told"),
        [(hang, f"did not answer about .* within {SHORT} s"), (stop, "process ended with the code 0")],
    )
    def test_what_was_found_is_handed_over(self, people, tmp_path, end, told):
        with pytest.raises(ModelError, match=told) as failure:
            expga.audit(Ending(IN_THE_SEARCH, end), people, out=tmp_path, **options(call_timeout=LONG))
        audit = failure.value.audit
        assert audit.summary["stop_reason"] == "model failed"
        assert audit.summary["found"] == len(audit.findings) > 0
        pd.testing.assert_frame_equal(expga.Audit.load(tmp_path).findings, audit.findings)

    def test_the_run_goes_on_with_a_model_that_was_mended(self, people, unfair, tmp_path):
        with pytest.raises(ModelError) as failure:
            expga.audit(Ending(IN_THE_SEARCH, stop), people, out=tmp_path, **options(call_timeout=LONG))
        before = failure.value.audit.findings
        after = expga.audit(unfair, people, out=tmp_path, resume=True, **options())
        pd.testing.assert_frame_equal(after.findings[: len(before)], before)
        assert len(after.findings) > len(before)


class TestAtOnce:
    @pytest.mark.parametrize(("end", "timeout"), [(hang, 1), (stop, LONG)])
    def test_it_cannot_be_used(self, people, tmp_path, end, timeout):
        with pytest.raises(UnusableModelError):
            expga.audit(Ending(0, end), people, out=tmp_path / "out", **options(call_timeout=timeout))
        assert not (tmp_path / "out").exists()

    def test_nor_one_that_ends_while_it_is_loaded(self, people):
        class Fatal:
            def __reduce__(self):
                return os._exit, (3,)

        with pytest.raises(UnusableModelError, match="process ended with the code 3 while it was loaded"):
            expga.audit(Fatal(), people, **options(call_timeout=LONG))

    @pytest.mark.parametrize("timeout", ["soon", "", "0s", 0, -1, float("inf")])
    def test_a_limit_that_is_none_is_refused(self, unfair, people, timeout):
        with pytest.raises(InputError, match=r"call timeout|A call cannot have"):
            expga.audit(unfair, people, **options(call_timeout=timeout))

    def test_gradients_and_a_limit_do_not_go_together(self, unfair, people):
        with pytest.raises(InputError, match=r"adf takes the model's gradients in this process.*expga, "):
            expga.audit(unfair, people, strategy="adf", **options(call_timeout=LONG))


MODEL = '''
"""A model that says in which process it is, and then does something else than to answer."""
import os
import time

import numpy as np

calls = 0


def model(frame):
    global calls
    calls += 1
    with open({log!r}, "a") as log:
        log.write(f"{{os.getpid()}} {{'answers' if calls <= {answers!r} else 'hangs'}}\\n")
    if calls > {answers!r}:
        END
    return np.array({answer})
'''


def ending(process, end):
    process.model = MODEL.replace("END", end)


class TestAnInterruptionInACallThatHangs:
    def interrupted(self, process, signal_number, calls):
        """`expga audit`, ended in the middle of a call that hangs."""
        ending(process, "time.sleep(10**6)")
        process.hang(calls, "--call-timeout", LONG, "--max-queries", "20000")
        code, stdout, stderr = process.stop(signal_number)
        (pid,) = {int(line.split()[0]) for line in process.log.read_text(encoding="utf-8").splitlines()}
        assert pid != process.running.pid
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        return code, stdout, stderr

    @pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
    def test_ends_the_run_and_keeps_its_findings(self, process, signal_number):
        code, stdout, stderr = self.interrupted(process, signal_number, IN_THE_SEARCH)
        assert (code, stderr) == (0, "")
        assert "stopped: interrupted" in stdout
        assert len(expga.Audit.load(process.out).findings) > 0

    def test_in_the_trial_leaves_nothing(self, process):
        code, stdout, stderr = self.interrupted(process, signal.SIGTERM, 1)
        assert (code, stdout, stderr) == (130, "", "expga: Interrupted before anything was measured.\n")
        assert not process.out.exists()


def test_the_command_ends_with_3_and_says_what_is_kept(process):
    ending(process, "os._exit(0)")
    run = process.finish("--call-timeout", LONG, "--max-queries", "20000", answers=IN_THE_SEARCH)
    found = len(expga.Audit.load(process.out).findings)
    assert found > 0
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr.startswith("expga: The model's process ended with the code 0 while it was asked about ")
    assert run.stderr.endswith(f"{found:,} findings, is kept in out, and --resume goes on from there.\n")
