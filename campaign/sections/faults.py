"""Kills and failing disks, at every single change of a file and at random moments, twice in a row."""

from __future__ import annotations

import errno
import functools
import signal
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from campaign.case import Case, Fault, Step, words
from campaign.people import QUIET, READS, WATCHED, csv, letters, table

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SHARES = [0.3, 0.2, 0.1, 0.15, 0.1, 0.1, 0.05]
NAME = "faults"
AUDIT = words(
    "audit --model watched:model --data people.csv --target hired --protected sex --out out --realism domain "
    "--max-queries 900"
)
READ = words(
    "audit --model watched:model --data letters.csv --text-column letter --protected gender --out out --max-queries 900"
)
EXAMINE = words(
    "audit --model model.joblib --allow-pickle --data people.csv --target hired --protected sex --out audit "
    "--max-queries 600"
)
REPAIR = words(
    "retrain --model model.joblib --allow-pickle --data people.csv --target hired --audit audit --out out "
    "--repeats 2 --max-queries 60"
)
COMPARE = words(
    "bench tabular --data credit --attribute sex --models forest --strategies random --max-queries 200 --repeats 2 "
    "--out out"
)
OWN = {"out/notes.txt": b"what I thought of it\n", "out/keep/photo.png": b"\x89PNG not really\n"}


def people() -> dict[str, bytes]:
    return {"people.csv": csv(table()), "watched.py": WATCHED.encode(), "quiet.py": QUIET.encode()}


def mail() -> dict[str, bytes]:
    return {"letters.csv": csv(letters()), "watched.py": WATCHED.encode(), "quiet.py": READS.encode()}


@functools.cache
def fitted() -> bytes:
    """A model file."""
    import io

    import joblib
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["sex", "job"]), remainder="passthrough")
    people = table()
    model = make_pipeline(columns, LogisticRegression(max_iter=500)).fit(people.drop(columns="hired"), people["hired"])
    file = io.BytesIO()
    joblib.dump(model, file)
    return file.getvalue()


def comparison() -> dict[str, Case]:
    """A bench of two cells, which takes seconds where an audit takes tenths."""
    return {"bench": Case("bench", {}, (Step(COMPARE, limit_s=120),), ("compared",))}


def scenes() -> dict[str, Case]:
    """What is going on when it happens: the last step is the one."""
    half = Step((*AUDIT[:-1], "500"))
    other = Step(tuple("quiet:model" if word == "watched:model" else word for word in half.words))
    table = people()
    model = {"people.csv": table["people.csv"], "model.joblib": fitted()}
    return {
        "audit": Case(NAME, table, (Step(AUDIT),), ("kept",)),
        "audit beside files of the user's": Case(NAME, table | OWN, (Step(AUDIT),), ("kept",)),
        "audit of texts": Case(NAME, mail(), (Step(READ),), ("kept",)),
        "resume": Case(NAME, table, (half, Step((*AUDIT, "--resume"))), ("kept",)),
        "overwrite": Case(NAME, table, (other, Step((*AUDIT, "--overwrite"))), ("kept",)),
        "retrain": Case(NAME, model, (Step(EXAMINE), Step(REPAIR, limit_s=60)), ("repaired",)),
        "retrain over an older one": Case(
            NAME,
            model,
            (Step(EXAMINE), Step(REPAIR, limit_s=60), Step((*REPAIR, "--overwrite"), limit_s=60)),
            ("repaired",),
        ),
    }


class Faults:
    """One change of a file after the other, in random order, and then random ones and random moments."""

    def __init__(self, name: str, scenes: dict[str, Case], seed: int, measure: Callable[[Case], int]) -> None:
        """Prepares the order.

        Args:
            name: of the section.
            scenes: what is going on when it happens.
            seed: of all randomness.
            measure: the changes of files of a case's last step, if nothing befalls it.
        """
        self.name = name
        self._seed = seed
        self._scenes = {name: (case, measure(case)) for name, case in scenes.items()}
        each = [(name, number) for name, (_, most) in self._scenes.items() for number in range(1, most + 1)]
        np.random.default_rng([seed, 1]).shuffle(each)
        self._each = [(str(name), int(number)) for name, number in each]

    @property
    def total(self) -> int:
        """Cases until every change of a file had its kill."""
        return len(self._each)

    def case(self, number: int) -> Case:
        """The case with this number."""
        rng = np.random.default_rng([self._seed, 2, number])
        if number < len(self._each):
            name, operation = self._each[number]
            fault = Fault("signal", operation, argument=signal.SIGKILL)
        else:
            name = str(rng.choice(list(self._scenes)))
            fault = self._any(rng, self._scenes[name][1])
        case, most = self._scenes[name]
        *before, struck = case.steps
        again = self._any(rng, most) if rng.random() < 0.5 else None
        struck_again = () if again is None else (self._carried(struck, again),)
        steps = (*before, replace(struck, fault=fault), *_back(fault), *struck_again, *_back(again))
        return replace(
            case, steps=(*steps, self._carried(struck, None)), about=f"{name}: {_told(fault)}, then {_told(again)}"
        )

    @staticmethod
    def _carried(struck: Step, fault: Fault | None) -> Step:
        words = tuple(word for word in struck.words if word not in ("--resume", "--overwrite"))
        return Step(words, "carry on", fault, limit_s=struck.limit_s)

    @staticmethod
    def _any(rng: np.random.Generator, most: int) -> Fault:
        action = str(rng.choice(["moment", "signal", "torn", "full", "failing", "read-only", "gone"], p=SHARES))
        one = int(rng.choice(SIGNALS, p=[0.6, 0.2, 0.2]))
        if action == "moment":
            return Fault("signal", seconds=float(rng.uniform(0, 0.45)), argument=one)
        argument = {"signal": one, "torn": int(signal.SIGKILL), "failing": int(rng.choice([errno.EIO, errno.ENOSPC]))}
        return Fault(action, int(rng.integers(1, most + 1)), argument=argument.get(action, 0))


def _back(fault: Fault | None) -> tuple[Step, ...]:
    """A folder that was moved away is moved back before anybody goes on."""
    return (Step(("out.gone", "out"), "move"),) if fault is not None and fault.action == "gone" else ()


def _told(fault: Fault | None) -> str:
    if fault is None:
        return "nothing"
    when = f"operation {fault.operation}" if fault.operation else f"{fault.seconds:.3f} s"
    return f"{fault.action} {fault.argument or ''} at {when}"
