"""The user's model in a process of its own: a call that hangs can be ended, a crash is one sentence.

The model travels by cloudpickle, so lambdas and classes of a notebook do too. What the process prints goes to standard
error. It ends with this process, however that ends.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Any

from expga.errors import ExpgaError, InputError, ModelError, UnusableModelError, failed_on, is_theirs, reason_of, warned
from expga.models.answers import Values, checked, joined_values
from expga.models.calls import Predict, Reach, call, part_of
from expga.models.costs import CallCosts
from expga.models.reaching import in_this_process

START_S = 300.0
"""How long the process may take to import what the model needs, and to load it."""
GRACE_S = 5.0
"""How long an end may take; how much longer than allowed a call lasts where nobody is left to end it."""
SHORT = 0.1
"""The share of its limit that a call should take: a large question is put in several calls, so that no time limit is
one for how much is asked."""
LENGTH = 8
"""Bytes that say how long a message is."""

_BEGIN = (
    "import sys, signal; signal.signal(signal.SIGINT, signal.SIG_IGN); import json; "
    "sys.path[:] = json.loads(sys.argv[1]); from expga.models.isolated import serve; serve(int(sys.argv[2]))"
)


class Isolated:
    """A model in a process of its own, each call of which may take so many seconds.

    Once a call has hung or the process has died, every further call fails with the same sentence.
    """

    def __init__(self, model: Any, seconds: float) -> None:
        """Starts the process and hands the model over.

        Args:
            model: anything that predicts, and that cloudpickle can send.
            seconds: the most that one call may take.
        """
        if not 0 < seconds < float("inf"):
            raise InputError(f"A call cannot have a limit of {seconds:g} s; give more than 0.")
        self._seconds = seconds
        self._costs = CallCosts()
        self._failed: str | None = None
        sent = _pickled(model)
        self._socket, theirs = socket.socketpair()
        try:
            self._process = _started(theirs)
        except OSError as error:
            self._socket.close()
            raise InputError(f"A process for the model cannot be started: {error.strerror or error}.") from error
        finally:
            theirs.close()
        try:
            self._exchange(sent, START_S, "was not ready", "it was loaded")
        except BaseException:
            self.close()
            raise

    def reach(self, model: Any, method: str | None) -> Predict:  # noqa: ARG002 - there is one model in the process
        """What asks a method of the model there (None: calls the model), with the time limit; a `Reach`."""
        return partial(self._ask, method)

    def close(self) -> None:
        """Ends the process."""
        self._failed = self._failed or "The model's process has been closed."
        self._socket.close()
        try:
            self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._kill()

    def __enter__(self) -> Isolated:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, method: str | None, inputs: Any) -> Values:
        parts: list[Values] = []
        done = 0
        while not parts or done < len(inputs):
            some = part_of(inputs, done, done + self._rows())
            began = time.monotonic()
            parts.append(self._call(method, some))
            self._costs.took(len(some), time.monotonic() - began)
            done += len(some)
        return joined_values(parts)

    def _rows(self) -> int:
        """How many rows the next call may have: where any call takes long, it may take twice as long, within half."""
        longest = min(2 * self._costs.fixed, self._seconds / 2)
        return self._costs.rows_within(max(SHORT * self._seconds, longest))

    def _call(self, method: str | None, inputs: Any) -> Any:
        about = f"about {len(inputs):,} rows"
        request = pickle.dumps((method, inputs, self._seconds), protocol=5)
        return self._exchange(request, self._seconds, f"did not answer {about}", f"it was asked {about}")

    def _exchange(self, request: bytes, seconds: float, late: str, meanwhile: str) -> Any:
        """What the process says to a request; what the model raised there is one sentence."""
        if self._failed is not None:
            raise ModelError(self._failed)
        too_late = f"The model {late} within {seconds:g} s; allow a call more time, or find out what it waits for."
        deadline = time.monotonic() + seconds
        try:
            self._socket.settimeout(seconds)
            send(self._socket, request)
            kind, *told = pickle.loads(receive(partial(self._some, deadline)))
        except TimeoutError:
            raise self._ended(too_late) from None
        except OSError:
            code = self._code()
            alarm = code == -signal.SIGALRM
            raise self._ended(too_late if alarm else f"The model's process {_said(code)} while {meanwhile}.") from None
        except BaseException:
            self._ended("The model's process was ended in the middle of an answer.")
            raise
        if kind == "raised":
            sentence, loading = told
            if loading:
                raise InputError(f"The model cannot be loaded in a process of its own: {sentence}")
            raise ModelError(sentence)
        return told[0]

    def _some(self, deadline: float, size: int) -> bytes:
        self._socket.settimeout(max(1e-3, deadline - time.monotonic()))
        return self._socket.recv(size)

    def _ended(self, sentence: str) -> ModelError:
        self._failed = sentence
        self._kill()
        return ModelError(sentence)

    def _code(self) -> int | None:
        try:
            return self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            return None

    def _kill(self) -> None:
        """Ends the process and those that it has started."""
        with suppress(ProcessLookupError):  # all of them may have ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextmanager
def reached(model: Any, seconds: float | None) -> Iterator[Reach]:
    """How a model's functions are called: in this process or, with a time limit for each call, in one of its own."""
    if seconds is None:
        yield in_this_process
        return
    try:
        isolated = Isolated(model, seconds)
    except ModelError as error:
        raise UnusableModelError(str(error)) from error
    with isolated:
        yield isolated.reach


def _started(line: socket.socket) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _BEGIN, json.dumps(sys.path), str(os.getpid())],
        stdin=line.fileno(),
        stdout=_standard_error(),
        start_new_session=True,  # what the model starts ends with it, and no Ctrl-C of a terminal comes here
    )


def serve(parent: int) -> None:
    """Answers on what was standard input until it is closed; what runs in the model's process."""
    _end_with(parent)
    line = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    warnings.showwarning = warned
    model: tuple[Any] | None = None
    reply: tuple[Any, ...]
    while True:
        try:
            request = receive(line.recv)
        except OSError:
            return
        try:
            if model is None:
                model = (pickle.loads(request),)
                reply = ("said", None)
            else:
                reply = ("said", _answer(model[0], *pickle.loads(request)))
        except BaseException as error:  # whatever the model raises is told, and never ends the process
            told = str(error) if isinstance(error, ExpgaError) else reason_of(error)
            reply = ("raised", told, model is None)
        with suppress(AttributeError, ValueError):  # the model may have closed it, or put something else in its place
            sys.stdout.flush()
        send(line, pickle.dumps(reply, protocol=5))


def _answer(model: Any, method: str | None, inputs: Any, seconds: float) -> Any:
    what = "The model" if method is None else f"The model's {method}"
    # Where the other process is gone, nobody else ends a call that hangs, nor would a thread that waits for its turn.
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE_S)
    try:
        return checked(call(in_this_process(model, method), inputs, what), len(inputs), what)
    except ExpgaError:
        raise
    except BaseException as error:  # be it KeyboardInterrupt, which is the model's own: no Ctrl-C comes here
        raise failed_on(f"{len(inputs):,} rows", error, what) from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with(parent: int) -> None:
    """Lets the kernel end this process with the one that started it, where it can."""
    if sys.platform == "linux":
        import ctypes

        parent_death_signal = 1
        ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()


def send(line: socket.socket, message: bytes) -> None:
    """Sends a message with its length before it."""
    line.sendall(len(message).to_bytes(LENGTH))
    line.sendall(message)


def receive(some: Callable[[int], bytes]) -> bytes:
    """The next message, from what gives at most so many bytes of it; an OSError where there is none any more."""
    return _bytes(some, int.from_bytes(_bytes(some, LENGTH)))


def _bytes(some: Callable[[int], bytes], size: int) -> bytes:
    message = bytearray()
    while len(message) < size:
        part = some(min(size - len(message), 2**20))
        if not part:
            raise ConnectionResetError
        message += part
    return bytes(message)


def _pickled(model: Any) -> bytes:
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(model))
    except BaseException as error:  # whatever the model holds has its own ways to refuse
        if not is_theirs(error):
            raise
        raise InputError(
            "The model cannot be sent to a process of its own, which a time limit for its calls needs: "
            f"{reason_of(error)}"
        ) from error


def _standard_error() -> int:
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


def _said(code: int | None) -> str:
    if code is None:
        return "closed its connection"
    if code >= 0:
        return f"ended with the code {code}"
    return f"was ended by the signal {-code} ({signal.strsignal(-code)})"
