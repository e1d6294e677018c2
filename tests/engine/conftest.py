"""A table of people, models that are easy to predict, and a command in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from expga.findings import Findings
from expga.ledger import Counters, Ledger
from expga.store import Store

COMMAND = Path(sys.executable).with_name("expga")

ALWAYS = 10**9
HANGING_MODEL = '''
"""A model that answers so many calls and then none, so that there is one to end it in."""
import time

import numpy as np

asked = 0


def model(frame):
    global asked
    asked += 1
    hangs = asked > {answers!r}
    with open({log!r}, "a") as log:
        log.write(f"{{len(frame)}}{{' hangs' if hangs else ''}}\\n")
    while hangs:
        time.sleep(10**6)
    return np.array({answer})
'''


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """(150, 4) people; their index is not their row number."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, 150),
            "sex": rng.choice(["female", "male"], 150),
            "job": rng.choice(["cook", "clerk", "pilot"], 150),
            "hours": np.round(rng.normal(38, 8, 150), 1),
        },
        index=pd.RangeIndex(1_000, 1_150),
    )


@pytest.fixture
def unfair() -> Callable[[pd.DataFrame], np.ndarray]:
    """Hires men above 30, and nobody else."""
    return lambda frame: np.where((frame["sex"] == "male") & (frame["age"] > 30), 0.9, 0.1)


@pytest.fixture
def until(unfair):
    """A model that answers so many calls and then raises."""

    def make(calls: int, error: BaseException, sizes: list[int] | None = None):
        sizes = [] if sizes is None else sizes

        def model(frame):
            sizes.append(len(frame))
            if len(sizes) > calls:
                raise error
            return unfair(frame)

        return model

    return make


class Process:
    """`expga audit` of a model that hangs at some call, to be ended there."""

    def __init__(self, folder: Path, data: pd.DataFrame, answer: str, *options: str) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.log = folder / "asked.txt"
        self.answer = answer
        self.model = HANGING_MODEL
        data.to_csv(folder / "data.csv", index=False)
        self.words = [str(COMMAND), "audit", "--model", "their_model:model", "--data", "data.csv", "--out", "out"]
        self.words += options
        self.running: subprocess.Popen[str] | None = None

    def _model(self, answers: int) -> None:
        text = self.model.format(log=str(self.log), answers=answers, answer=self.answer)
        (self.folder / "their_model.py").write_text(text, encoding="utf-8")

    def hang(self, answers: int, *options: str) -> None:
        """Starts it, and waits until it hangs in the call after so many."""
        before = self._hung()
        self._model(answers)
        pipe = subprocess.PIPE
        self.running = subprocess.Popen(
            [*self.words, *options],
            cwd=self.folder,
            stdout=pipe,
            stderr=pipe,
            text=True,
            start_new_session=True,
            # Whoever runs the tests in the background ignores Ctrl-C, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while self._hung() == before:
            assert self.running.poll() is None, self.running.communicate()
            time.sleep(0.01)

    def _hung(self) -> int:
        """How often a call has hung."""
        return self.log.read_text(encoding="utf-8").count("hangs") if self.log.exists() else 0

    def kept(self) -> tuple[Findings, Counters]:
        """What a run that was killed has left."""
        with closing(Store.open(self.out)) as store:
            parts = [Findings.unpacked(part) for part in store.parts()]
            return Findings.joined(parts, parts[0].genomes.shape[1]), Ledger(store).before

    def stop(self, signal: int) -> tuple[int, str, str]:
        assert self.running is not None
        self.running.send_signal(signal)
        stdout, stderr = self.running.communicate()
        return self.running.returncode, stdout, stderr

    def finish(self, *options: str, answers: int = ALWAYS) -> subprocess.CompletedProcess[str]:
        """A run to its end."""
        self._model(answers)
        return subprocess.run([*self.words, *options], cwd=self.folder, capture_output=True, text=True, check=False)

    def rows_asked(self) -> int:
        return sum(int(line.split()[0]) for line in self.log.read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="session")
def of_people(people: pd.DataFrame) -> Callable[[Path], AbstractContextManager[Process]]:
    """`expga audit` of the people, in a folder."""
    answer = 'np.where((frame["sex"] == "male") & (frame["age"] > 30), 0.9, 0.1)'
    options = ["--target", "hired", "--protected", "sex", "--realism", "domain"]
    return lambda folder: running(Process(folder, people.assign(hired=people["age"] % 2), answer, *options))


@pytest.fixture
def process(tmp_path: Path, of_people: Callable[[Path], AbstractContextManager[Process]]) -> Iterator[Process]:
    with of_people(tmp_path) as made:
        yield made


@contextmanager
def running(made: Process) -> Iterator[Process]:
    """A process that does not outlive its test."""
    yield made
    if made.running is not None and made.running.poll() is None:
        made.running.kill()
        made.running.communicate()


@pytest.fixture(scope="session")
def letters() -> list[str]:
    """150 letters, a third with a name, a third without any person."""
    persons = ["My husband said that he", "Maria wrote that she", "The store"]
    did = ["loved the small kettle", "hated the noisy lamp", "praised the quick delivery", "returned the broken phone"]
    return [f"{persons[i % 3]} {did[i % 4]} on the rainy morning of a long trip, letter {i}." for i in range(150)]


@pytest.fixture
def text_process(tmp_path: Path, letters: list[str]) -> Iterator[Process]:
    answer = '[0.9 if " he " in text else 0.1 for text in frame]'
    options = ["--text-column", "letter", "--protected", "gender"]
    with running(Process(tmp_path, pd.DataFrame({"letter": letters}), answer, *options)) as made:
        yield made
