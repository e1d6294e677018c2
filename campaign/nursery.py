"""A process that has everything imported and brings up a child for each command, so that a trial takes no second.

It runs with the shim of `fault.c` preloaded. Requests come as lines of JSON, answers go back the same way.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
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
        server = self._alive()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        told = server.stdout.readline()
        if not told:
            self.close()
            raise RuntimeError("The nursery itself has died.")
        return [Ended(**one) for one in json.loads(told)]

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
    for line in sys.stdin:
        answers.write(json.dumps(_trial(json.loads(line))) + "\n")
        answers.flush()


def _import_all() -> None:
    """Everything that a command may import, but nothing done that starts a thread: threads do not survive a fork."""
    import importlib

    names = (
        "numpy pandas pyarrow.parquet scipy.stats sklearn.ensemble sklearn.linear_model sklearn.pipeline "
        "sklearn.compose sklearn.neighbors sklearn.feature_extraction.text sqlite3 joblib skops.io rich.console "
        "rich.panel rich.table rich.status rich.progress msgspec cloudpickle fairlearn.metrics expga.cli "
        "expga.cli.data expga.cli.showing expga.cli.retrain expga.api expga.repair expga.models.load "
        "expga.models.isolated expga.results expga.store expga.lexicon expga.search expga.explain expga.domain.text "
        "expga.bench.plan expga.bench.runner expga.bench.page"
    )
    for name in names.split():
        importlib.import_module(name)


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
            os.chdir(self._request["folder"])
            for descriptor, path in ((1, self._out), (2, self._err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process lives
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.argv = ["expga", *self._request["words"]]
            code = self._command()
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)

    def _command(self) -> int:
        import resource

        from expga.cli import main

        lib = ctypes.CDLL(None)
        fault = self._request.get("fault") or {"action": "signal", "operation": 0, "argument": 0, "below": "out"}
        where = os.path.join(os.getcwd(), fault["below"])
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        lib.fault_arm(where.encode(), ctypes.c_long(fault["operation"]), ACTIONS[fault["action"]], fault["argument"])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
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
        return code if isinstance(code, int) else 0 if code is None else 71


if __name__ == "__main__":
    serve()
