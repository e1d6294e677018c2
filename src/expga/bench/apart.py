"""Processes that do the work of another one: they hear no Ctrl-C, and do not outlive the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from expga.errors import ExpgaError


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """What some work comes to in a process of its own, so that memory and caches are its own too."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned, initializer=serve_parent) as pool:
        try:
            with unheard():
                going = pool.submit(work, *arguments)
            return going.result()
        except BrokenProcessPool as error:
            raise ExpgaError("The process that measured ended before it was done; nothing is kept.") from error
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


@contextmanager
def unheard() -> Iterator[None]:
    """A process that starts inside never hears Ctrl-C, which a terminal sends to all; the one that started it does."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else it would be started inside, and lets signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve_parent() -> None:
    """Called first in such a process: Ctrl-C is its parent's to hear, and when that one ends, it ends too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
