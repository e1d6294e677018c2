"""A process that has everything imported and brings up a child for each command, so that a trial takes no second.

It runs with the shim of `fault.c` preloaded. Requests come as lines of JSON, answers go back the same way.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign.case import Fault

HERE = Path(__file__).parent
ACTIONS = {"signal": 1, "torn": 2, "full": 3, "failing": 4, "read-only": 5, "gone": 6}
MEMORY = 6 << 30
"""Bytes of address space beyond what the nursery has: a model that grows must not take the machine with it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    """Negative: the signal."""
    stdout: str
    stderr: str
    seconds: float
    hung: bool
    operations: int
    """Changes of files below the folder that was watched, if it ended by itself."""

    @property
    def killed(self) -> bool:
        return self.code < 0


def shim(folder: Path) -> Path:
    """The compiled shim."""
    made = folder / "fault.so"
    if not made.exists():
        source = HERE / "fault.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", made, source, "-ldl"], check=True)
    return made


class Nursery:
    """The owner's side: starts commands, one or several at a time."""

    def __init__(self, tools: Path) -> None:
        self._tools = tools
        self._server: subprocess.Popen[str] | None = None

    def run(
        self, folder: Path, words: tuple[str, ...], fault: Fault | None, limit_s: float, times: int = 1
    ) -> list[Ended]:
        """Runs a command in a folder, so many times at once."""
        request = {"folder": str(folder), "words": words, "limit_s": limit_s, "times": times}
        if fault is not None:
            request["fault"] = {name: getattr(fault, name) for name in Fault.__slots__}
        return [Ended(**one) for one in self._answer(request)]

    def series(self, calls: Sequence[tuple[Path, tuple[str, ...]]], limit_s: float) -> list[Ended | None]:
        """Runs commands one after the other in one process, each in its folder, which takes a fraction of the time.

        Returns:
            How each ended; None from the one on that ended the process or took too long.
        """
        told = self._answer({"series": [[str(folder), words] for folder, words in calls], "limit_s": limit_s})
        return [None if one is None else Ended(**one) for one in told]

    def _answer(self, request: dict[str, Any]) -> list[Any]:
        server = self._alive()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        told = server.stdout.readline()
        if not told:
            self.close()
            raise RuntimeError("The nursery itself has died.")
        return list(json.loads(told))

    def _alive(self) -> subprocess.Popen[str]:
        if self._server is None:
            variables = {
                **os.environ,
                "LD_PRELOAD": str(shim(self._tools)),
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                "COLUMNS": "100",
                "PYTHONHASHSEED": "0",
            }
            self._server = subprocess.Popen(
                [sys.executable, "-m", "campaign.nursery"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=variables,
                start_new_session=True,
            )
        return self._server

    def close(self) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.communicate()
            self._server = None


def serve() -> None:
    """The server's side."""
    answers = os.fdopen(os.dup(1), "w")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # a child hears them once its command has begun
    os.dup2(2, 1)
    _import_all()
    _learn_words()
    gc.freeze()  # a child that collects would copy all of it
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(_series(request) if "series" in request else _trial(request)) + "\n")
        answers.flush()


def _import_all() -> None:
    """Everything that a command may import, but nothing done that starts a thread: threads do not survive a fork."""
    import importlib

    names = (
        "numpy pandas pyarrow.parquet scipy.stats sklearn.ensemble sklearn.linear_model sklearn.pipeline "
        "sklearn.compose sklearn.neighbors sklearn.feature_extraction.text sqlite3 joblib skops.io rich.console "
        "rich.panel rich.table rich.status rich.progress msgspec cloudpickle fairlearn.reductions expga.cli "
        "expga.cli.data expga.cli.showing expga.cli.retrain expga.api expga.repair expga.models.load "
        "expga.models.isolated expga.results expga.store expga.lexicon expga.search expga.explain expga.domain.text "
        "expga.bench.plan expga.bench.runner expga.bench.page"
    )
    for name in names.split():
        importlib.import_module(name)


def _learn_words() -> None:
    """What every command about texts reads first; Arrow makes its own threads anew after a fork."""
    from expga import lexicon
    from expga.domain.text.words import words_of
    from expga.lexicon.tagging import tags
    from expga.lexicon.wordtable import load_words

    lexicon.load()
    words = words_of("My husband said that he loved the small kettle.")
    tags(words.words, load_words(), words.follows)


def _trial(request: dict[str, Any]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="said-") as place:
        children = [_Child(request, Path(place), number) for number in range(request["times"])]
        for child in children:
            child.start()
        for child in children:
            child.wait()
        return [child.told() for child in children]


class _Child:
    """One command in a process of its own."""

    def __init__(self, request: dict[str, Any], place: Path, number: int) -> None:
        self._request = request
        self._out, self._err, self._count = (place / f"{kind}-{number}" for kind in ("out", "err", "count"))
        self._limit = float(request["limit_s"])
        self._code = 0
        self._hung = False

    def start(self) -> None:
        for path in (self._out, self._err):
            path.touch()
        self._began = time.monotonic()
        self._pid = os.fork()
        if not self._pid:
            self._live()
        self._handle = os.pidfd_open(self._pid)

    def wait(self) -> None:
        fault = self._request.get("fault")
        if fault is not None and not fault["operation"] and not self._ended(fault["seconds"]):
            os.kill(self._pid, fault["argument"])
        if not self._ended(self._limit):
            self._hung = True
            os.killpg(self._pid, signal.SIGKILL)
        _, status = os.waitpid(self._pid, 0)
        os.close(self._handle)
        self._code = os.waitstatus_to_exitcode(status)
        self._seconds = time.monotonic() - self._began
        try:
            os.killpg(self._pid, signal.SIGKILL)  # what it started and left behind
        except ProcessLookupError:
            return

    def _ended(self, seconds: float) -> bool:
        left = self._began + seconds - time.monotonic()
        return bool(select.select([self._handle], [], [], max(0.0, left))[0])

    def told(self) -> dict[str, Any]:
        said = [path.read_bytes().decode(errors="backslashreplace") for path in (self._out, self._err)]
        operations = int(self._count.read_text()) if self._count.exists() else -1
        return {
            "code": self._code,
            "stdout": said[0],
            "stderr": said[1],
            "seconds": self._seconds,
            "hung": self._hung,
            "operations": operations,
        }

    def _live(self) -> None:
        """In the child: the command as a user starts it; never returns."""
        code = 70
        try:
            os.setsid()
            _prepare(self._request["folder"], self._request["words"], self._out, self._err)
            code = self._command()
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)

    def _command(self) -> int:
        from expga.cli import main

        lib = ctypes.CDLL(None)
        fault = self._request.get("fault") or {"action": "signal", "operation": 0, "argument": 0, "below": "out"}
        where = os.path.join(os.getcwd(), fault["below"])
        _limit_memory()
        lib.fault_arm(where.encode(), ctypes.c_long(fault["operation"]), ACTIONS[fault["action"]], fault["argument"])
        _hear_signals()
        try:
            main()
        except SystemExit as ending:
            code = ending.code
        lib.fault_count.restype = ctypes.c_long
        count = lib.fault_count()
        lib.fault_arm(b"", ctypes.c_long(0), 0, 0)
        sys.stdout.flush()
        sys.stderr.flush()
        self._count.write_text(str(count))
        return _number(code)


def _prepare(folder: str, words: Sequence[str], out: Path, err: Path) -> None:
    """Makes this process what it would be if a user had just started the command in that folder."""
    os.chdir(folder)
    for descriptor, path in ((1, out), (2, err)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process lives
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = ["expga", *words]


def _hear_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _limit_memory() -> None:
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _number(code: str | int | None) -> int:
    return code if isinstance(code, int) else 0 if code is None else 71


def _series(request: dict[str, Any]) -> list[dict[str, Any] | None]:
    calls, limit = request["series"], float(request["limit_s"])
    with tempfile.TemporaryDirectory(prefix="said-") as name:
        place = Path(name)
        pid = os.fork()
        if not pid:
            try:
                _live_through(calls, limit, place)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        return [_told(place, number) for number in range(len(calls))]


def _told(place: Path, number: int) -> dict[str, Any] | None:
    done = place / f"done-{number}"
    if not done.exists():
        return None
    code, seconds = done.read_text().split()
    said = [(place / f"{kind}-{number}").read_bytes().decode(errors="backslashreplace") for kind in ("out", "err")]
    return {
        "code": int(code),
        "stdout": said[0],
        "stderr": said[1],
        "seconds": float(seconds),
        "hung": False,
        "operations": -1,
    }


def _live_through(calls: list[Any], limit: float, place: Path) -> None:
    """In the child: one command after the other, until all are done or one takes too long, which an alarm ends."""
    import warnings

    from expga.cli import main

    _limit_memory()
    path = [*sys.path]
    for number, (folder, words) in enumerate(calls):
        loaded = set(sys.modules)
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, limit)
        code: str | int | None = 0
        _prepare(folder, words, place / f"out-{number}", place / f"err-{number}")
        _hear_signals()
        with warnings.catch_warnings():
            try:
                main()
            except SystemExit as ending:
                code = ending.code
        sys.stdout.flush()
        sys.stderr.flush()
        signal.setitimer(signal.ITIMER_REAL, 0)
        (place / f"done-{number}").write_text(f"{_number(code)} {time.monotonic() - began:.6f}")
        sys.path[:] = path
        for name in set(sys.modules) - loaded:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
                del sys.modules[name]


if __name__ == "__main__":
    serve()
