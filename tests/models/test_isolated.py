"""A model in a process of its own: it may hang, die, print or raise, and this process goes on."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import expga
from expga.errors import InputError, ModelError
from expga.models import learn
from expga.models.isolated import Isolated

X = np.column_stack([np.linspace(0, 1, 20), np.ones(20)])
LONG = 300
"""Seconds: a model that answers has as long as any busy machine may take."""


def ask(model, seconds=LONG, inputs=X, method=None):
    with Isolated(model, seconds) as isolated:
        return isolated.reach(model, method)(inputs)


class TestAnswers:
    def test_a_lambda(self):
        assert ask(lambda inputs: inputs[:, 0]).tolist() == X[:, 0].tolist()

    def test_a_class_that_no_module_has(self):
        class Rule:
            def __init__(self, limit):
                self.limit = limit

            def predict(self, inputs):
                return np.where(inputs[:, 0] > self.limit, "yes", "no")

        assert ask(Rule(0.5), method="predict").tolist() == ["no"] * 10 + ["yes"] * 10

    def test_a_pipeline_on_a_frame(self, points):
        numbers, y = points()
        frame = pd.DataFrame(numbers, columns=list("abcd"))
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
        with Isolated(model, LONG) as isolated:
            learnt = learn(model, frame, reach=isolated.reach)
            there = learnt.model.ask(frame)
        here = learn(model, frame).model.ask(frame)
        assert (list(learnt.model.classes), learnt.positive) == (["bad", "good"], 1)
        np.testing.assert_array_equal(there.scores, here.scores)
        np.testing.assert_array_equal(there.labels, here.labels)

    def test_texts(self):
        texts, verdicts = ["a joy", "a bore", "joy , joy", "bore , bore"], ["good", "bad"] * 2
        model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, verdicts)
        assert ask(model, inputs=texts, method="predict").tolist() == verdicts

    def test_a_whole_audit_goes_through_it(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"sex": rng.integers(0, 2, 60), "pay": rng.integers(0, 50, 60)})
        here = os.getpid()

        def model(rows):
            assert os.getpid() != here
            return (rows["pay"] + 5 * rows["sex"] > 25).to_numpy().astype(float)

        with Isolated(model, LONG) as isolated:
            found = expga.audit(isolated.reach(model, None), frame, protected="sex", max_queries=400)
        assert found.summary["found"] > 0

    def test_generators_and_the_like_arrive_as_arrays(self):
        assert ask(lambda inputs: (value > 0.5 for value in inputs[:, 0])).tolist() == (X[:, 0] > 0.5).tolist()


class TestEnds:
    @pytest.mark.parametrize("manner", ["asleep", "busy without letting go", "backtracking"])
    def test_a_call_that_hangs_is_ended(self, manner):
        def model(inputs):  # noqa: ARG001
            if manner == "asleep":
                time.sleep(10**6)
            elif manner == "backtracking":
                __import__("re").match("(a*)*b", "a" * 200)
            return sum(range(10**15))

        with Isolated(model, 0.2) as isolated:
            for _ in range(2):
                with pytest.raises(ModelError, match=r"^The model did not answer about 8 rows within 0\.2 s; allow a"):
                    isolated.reach(model, None)(X)

    @pytest.mark.parametrize(
        ("end", "told"),
        [
            (lambda _: os._exit(0), r"ended with the code 0"),
            (lambda _: os._exit(7), r"ended with the code 7"),
            (lambda _: os.kill(os.getpid(), signal.SIGSEGV), r"was ended by the signal 11 \(Segmentation fault\)"),
            (lambda _: os.kill(os.getpid(), signal.SIGKILL), r"was ended by the signal 9 \(Killed\)"),
        ],
    )
    def test_a_process_that_dies_is_one_sentence(self, end, told):
        def model(inputs, end=end):
            return end(inputs)

        with pytest.raises(ModelError, match=rf"^The model's process {told} while it was asked about 8 rows\.$"):
            ask(model)

    def test_close_ends_the_process(self):
        isolated = Isolated(lambda _: np.full(1, os.getpid()), LONG)
        (pid,) = isolated.reach(None, None)(X[:1]).tolist()
        isolated.close()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        with pytest.raises(ModelError, match="has been closed"):
            isolated.reach(None, None)(X[:1])

    @pytest.mark.parametrize("busy", [False, True])
    def test_it_ends_with_a_parent_that_is_killed(self, busy):
        program = f"""
            import sys
            from expga.models.isolated import Isolated
            def model(inputs):
                print("asked", flush=True)
                return sum(range(10**15)) if {busy} and len(inputs) == 2 else [0.5] * len(inputs)
            isolated = Isolated(model, 10**6)
            ask = isolated.reach(model, None)
            ask([1])
            if {busy}:
                ask([1, 2])
            sys.stdin.read()
        """
        parent = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with parent:
            for _ in range(2 if busy else 1):
                assert parent.stderr.readline() == "asked\n"
            parent.kill()
            # Only when both have ended has what they print to an end.
            assert select.select([parent.stderr], [], [], 120)[0]
            assert parent.stderr.read() == ""

    def test_ctrl_c_does_not_reach_it(self):
        def model(inputs):
            os.kill(os.getpid(), signal.SIGINT)
            return inputs[:, 0]

        assert ask(model).tolist() == X[:, 0].tolist()

    def test_an_interrupted_answer_is_not_taken_for_the_next(self, monkeypatch):
        with Isolated(lambda inputs: inputs[:, 0], LONG) as isolated:
            predict = isolated.reach(None, None)

            def interrupted(*_):
                raise KeyboardInterrupt

            with monkeypatch.context() as patch:
                patch.setattr(isolated, "_some", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    predict(X)
            with pytest.raises(ModelError, match="was ended in the middle of an answer"):
                predict(X)


def raising():
    """Models that raise, each with what is told of it; by value, so that no module is needed where they are sent."""

    class TiredError(Exception):
        def __init__(self, hours, mood):
            super().__init__(f"after {hours} hours,\n{mood}")

    class UnspeakableError(Exception):
        def __str__(self):
            raise RuntimeError

    class LikeCtrlC(KeyboardInterrupt):
        pass

    def raises(make):
        def model(_):
            raise make()

        return model

    return {
        "of this process's own types": (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
        "of a type that only the model has": (raises(lambda: TiredError(8, "bad")), "TiredError: after 8 hours, bad"),
        "that takes more than a text": (
            lambda _: b"\xff".decode(),
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        ),
        "that cannot be said": (raises(UnspeakableError), "UnspeakableError"),
        "sys.exit(0)": (lambda _: sys.exit(0), "SystemExit: 0"),
        "GeneratorExit": (raises(GeneratorExit), "GeneratorExit"),
        "like Ctrl-C": (raises(LikeCtrlC), "LikeCtrlC"),
    }


RAISING = raising()
GARBAGE = [None, object(), threading.Lock, [[1], [1, 2]], 3j]


class TestErrors:
    @pytest.fixture(scope="class")
    @staticmethod
    def one_of():
        """Asks models that raise or answer garbage, by their names, in one process: it goes on after each."""
        models = {how: model for how, (model, _) in RAISING.items()}
        models |= {str(number): lambda _, garbage=garbage: garbage for number, garbage in enumerate(GARBAGE)}
        with Isolated(lambda names: models[names[0]](names), LONG) as isolated:
            yield lambda name: isolated.reach(None, None)([name] * 20)

    @pytest.mark.parametrize("how", RAISING)
    def test_what_the_model_raises_is_the_sentence_that_it_is_in_this_process(self, one_of, how):
        model, told = RAISING[how]
        with pytest.raises(ModelError) as there:
            one_of(how)
        assert str(there.value) == f"The model failed on 8 rows: {told}"
        with pytest.raises(ModelError) as here:
            learn(model, X)
        assert str(here.value) == f"The model failed on 8 rows: {told}"

    def test_a_ctrl_c_that_the_model_raises_is_not_the_users(self):
        def model(_):
            raise KeyboardInterrupt

        with pytest.raises(ModelError, match=r"^The model failed on 8 rows: KeyboardInterrupt$"):
            ask(model)

    def test_an_answer_that_cannot_be_read_is_told_alike(self):
        class Answer:
            def __array__(self, *_, **__):
                raise KeyError("lost")

        with pytest.raises(ModelError, match=r"^The model failed on 8 rows: KeyError: 'lost'$"):
            ask(lambda _: Answer())

    @pytest.mark.parametrize("number", range(len(GARBAGE)))
    def test_garbage_is_one_sentence(self, one_of, number):
        with pytest.raises(ModelError, match=r"^The model returned [^\n]*$"):
            one_of(str(number))

    def test_a_model_that_cannot_be_sent(self):
        lock = threading.Lock()
        with pytest.raises(InputError, match=r"^The model cannot be sent to a process of its own, .*lock"):
            Isolated(lambda inputs: lock and inputs, LONG)

    def test_a_model_that_cannot_be_loaded_there(self):
        class Shy:
            def __reduce__(self):
                return (__import__, ("no_such_module",))

        with pytest.raises(InputError, match=r"cannot be loaded in a process of its own: ModuleNotFoundError: No mod"):
            Isolated(Shy(), LONG)

    @pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
    def test_a_limit_that_is_none(self, seconds):
        with pytest.raises(InputError, match="A call cannot have a limit of"):
            Isolated(len, seconds)


def test_what_it_prints_goes_to_standard_error(capfd):
    def model(inputs):
        print("thinking")
        os.write(1, b"hard\n")
        return inputs[:, 0]

    ask(model, inputs=X[:1])
    said = capfd.readouterr()
    assert said.out == ""
    assert sorted(said.err.split()) == ["hard", "thinking"]


def test_a_module_in_the_current_folder_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    assert len(ask(lambda inputs: inputs[:, 0])) == 20
