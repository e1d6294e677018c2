"""Models that answer, behave and end as no model should: pieces of code that a section puts into a module."""

from __future__ import annotations

from textwrap import dedent, indent

from campaign.judge import PRINTED

MODULE = '''"""A model that behaves until its {when}th call, and then does something else."""
import os, signal, sys, threading, time, warnings, zlib
import numpy as np
import pandas as pd

CALLS = 0
KEPT = []


def fair(inputs):
    rows = inputs.itertuples(index=False) if hasattr(inputs, "itertuples") else inputs
    told = (row if isinstance(row, str) else repr(list(row)) for row in rows)
    return np.array([zlib.crc32(text.encode("utf-8", "backslashreplace")) % 1000 / 999 for text in told])


def odd(inputs, n):
{body}
    return fair(inputs)


def model(inputs):
    global CALLS
    CALLS += 1
    if CALLS {compared} {when}:
        return odd(inputs, len(inputs))
    return fair(inputs)
'''

ANSWERS = {
    "nan": "np.full(n, np.nan)",
    "infinite": "np.full(n, np.inf)",
    "one nan": "np.r_[[np.nan] * min(1, n), fair(inputs)[1:]]",
    "None": "None",
    "nothing": "[]",
    "a number": "0.5",
    "a text": "'yes'",
    "bytes": "b'yes' * n",
    "too few": "fair(inputs)[:-1]",
    "too many": "np.r_[fair(inputs), 0.5]",
    "3-d": "np.zeros((n, 2, 2))",
    "0-d": "np.array(0.5)",
    "no columns": "np.zeros((n, 0))",
    "one column": "fair(inputs)[:, None]",
    "a row": "fair(inputs)[None, :]",
    "two columns": "np.c_[fair(inputs), 1 - fair(inputs)]",
    "columns that add up to 7": "np.c_[fair(inputs), 7 - fair(inputs)]",
    "negative": "-np.c_[fair(inputs), 1 - fair(inputs)]",
    "300 columns": "np.random.default_rng(n).random((n, 300))",
    "another width each time": "np.zeros((n, 2 + CALLS % 3))",
    "ragged": "[[0.5] * (1 + i % 2) for i in range(n)]",
    "texts": "np.where(fair(inputs) > 0.5, 'yes', 'no')",
    "odd texts": "np.where(fair(inputs) > 0.5, '\\x1b[2J\\x1b[31mred', '\\u202eno\\n')",
    "empty texts": "np.where(fair(inputs) > 0.5, '', ' ')",
    "long texts": "np.where(fair(inputs) > 0.5, 'y' * 50_000, 'n' * 50_000)",
    "half characters": "['\\ud800' if f > 0.5 else 'x' for f in fair(inputs)]",
    "bytes each": "[b'\\xff' if f > 0.5 else b'no' for f in fair(inputs)]",
    "dates": "[pd.Timestamp(2020 + int(3 * f), 1, 1).date() for f in fair(inputs)]",
    "times": "pd.to_datetime(['2020-01-01' if f > 0.5 else '2021-01-01' for f in fair(inputs)])",
    "periods": "pd.PeriodIndex(['2020-01' if f > 0.5 else '2021-01' for f in fair(inputs)], freq='M')",
    "numbers as texts": "[str(f) for f in fair(inputs)]",
    "few numbers as texts": "[str(int(2 * f)) for f in fair(inputs)]",
    "tuples": "[('a', int(2 * f)) for f in fair(inputs)]",
    "lists": "[[int(2 * f)] for f in fair(inputs)]",
    "mappings": "[{'a': f} for f in fair(inputs)]",
    "a mapping": "{'a': 1}",
    "a set": "set(fair(inputs))",
    "a generator": "(f for f in fair(inputs))",
    "an endless generator": "iter(int, 1)",
    "a range": "range(n)",
    "sparse": "__import__('scipy.sparse').sparse.csr_matrix(np.c_[fair(inputs), 1 - fair(inputs)])",
    "masked": "np.ma.masked_greater(fair(inputs), 0.5)",
    "objects": "np.array([object()] * n)",
    "mixed": "np.array([1, 'a', None, 2.5] * n, dtype=object)[:n]",
    "numbers as objects": "fair(inputs).astype(object)",
    "whole numbers as objects": "np.array([int(3 * f) for f in fair(inputs)], dtype=object)",
    "large whole numbers": "[10**30 + int(2 * f) for f in fair(inputs)]",
    "huge": "fair(inputs) * 1e308",
    "tiny": "fair(inputs) * 1e-320",
    "complex": "fair(inputs) + 1j",
    "booleans": "fair(inputs) > 0.5",
    "half floats": "fair(inputs).astype(np.float16)",
    "long doubles": "fair(inputs).astype(np.longdouble)",
    "unsigned": "(fair(inputs) * 2).astype(np.uint64) + 2**63",
    "records": "np.array([(1, 2.0)] * n, dtype=[('a', int), ('b', float)])",
    "a frame": "pd.DataFrame({'no': fair(inputs), 'yes': 1 - fair(inputs)})",
    "a series of another order": "pd.Series(fair(inputs))[::-1]",
    "a series of another index": "pd.Series(fair(inputs), index=range(5, n + 5))",
    "a series of doubled index": "pd.Series(fair(inputs), index=[0] * n)",
    "categories": "pd.Categorical(np.where(fair(inputs) > 0.5, 'yes', 'no'))",
    "nullable": "pd.array([None if f > 0.5 else 1 for f in fair(inputs)], dtype='Int64')",
    "thousands of labels": "[f'label {zlib.crc32(str(f).encode()) % 9000}' for f in fair(inputs)]",
    "a new label each time": "[f'label {CALLS}'] * n",
    "labels like numbers": "[['1', 1, 1.0, True][i % 4] for i in range(n)]",
    "constant": "np.full(n, 0.7)",
    "a constant label": "['yes'] * n",
    "random": "np.random.default_rng().random(n)",
    "a little random": "fair(inputs) + np.random.default_rng().random(n) * 1e-9",
    "in another order": "fair(inputs)[::-1]",
    "its inputs": "inputs",
    "itself": "model",
    "a class": "dict",
    "an array that fails": "type('Odd', (), {'__array__': lambda *_, **__: 1 / 0, '__len__': lambda _: n})()",
    "something that fails at all": "type('Odd', (), {'__getattr__': lambda *_: 1 / 0})()",
    "a length that lies": "type('Odd', (list,), {'__len__': lambda _: 10**9})(fair(inputs))",
    "a view of one number": "np.broadcast_to(0.5, n)",
    "an enormous view": "np.broadcast_to(0.5, (n, 10**9))",
    "0 and 1": "(fair(inputs) > 0.5).astype(int)",
    "-1 and 1": "np.where(fair(inputs) > 0.5, 1, -1)",
    "beyond 1": "fair(inputs) * 1.5",
    "logits": "fair(inputs) * 20 - 10",
}
"""By name: an expression for what is answered."""

NOISE = f"'{PRINTED[0]} \\x1b[2J\\x1b[31mexpga: Traceback (most recent call last)\\r\\n {PRINTED[1]}\\n'"
ACTS = {
    "raises ValueError": "raise ValueError('\\x1b[2Jwhat\\nnow')",
    "raises KeyError": "raise KeyError('x' * 10)",
    "raises StopIteration": "raise StopIteration",
    "raises SystemExit": "raise SystemExit",
    "exits with 0": "sys.exit(0)",
    "exits with a text": "sys.exit('\\x1b[31mbye')",
    "raises KeyboardInterrupt": "raise KeyboardInterrupt",
    "raises GeneratorExit": "raise GeneratorExit",
    "raises MemoryError": "raise MemoryError",
    "raises RecursionError": "return odd(inputs, n)",
    "raises BaseException": "raise BaseException('no')",
    "raises a group": "raise BaseExceptionGroup('all', [ValueError(1), KeyboardInterrupt()])",
    "raises what cannot be told": """
        fails = lambda _: 1 / 0
        raise type("Odd", (Exception,), {"__str__": fails, "__repr__": fails})()
    """,
    "raises what tells no text": "raise type('Odd', (Exception,), {'__str__': lambda _: 5})()",
    "raises with 10 MB": "raise ValueError('x' * 10_000_000)",
    "raises with 10 MB of words": "raise ValueError('x ' * 5_000_000)",
    "raises an OSError": "raise OSError(28, 'No space left on device', 'model.bin')",
    "raises BrokenPipeError": "raise BrokenPipeError",
    "raises a warning": "raise UserWarning('\\x1b[31m')",
    "raises UnicodeDecodeError": "b'\\xff'.decode()",
    "raises an InputError": "from expga.errors import InputError; raise InputError('not me')",
    "raises typer's Exit": "import typer; raise typer.Exit(0)",
    "prints": f"sys.stdout.write({NOISE} * 50)",
    "prints to standard error": f"sys.stderr.write({NOISE} * 50)",
    "prints below Python": f"""
        for descriptor in (1, 2):
            os.write(descriptor, {NOISE}.encode() * 50)
    """,
    "prints half a line": f"sys.stdout.write({NOISE}.rstrip())",
    "warns": "warnings.warn('\\x1b[31mcareful\\nnow')",
    "warns every time": "warnings.simplefilter('always'); warnings.warn('careful')",
    "makes warnings errors": "warnings.simplefilter('error')",
    "closes stdout": "sys.stdout.close()",
    "closes descriptor 1": "os.close(1)",
    "closes descriptor 2": "os.close(2)",
    "replaces stdout": "sys.stdout = None",
    "replaces stderr": "import io; sys.stderr = io.StringIO()",
    "changes its input": """
        told = fair(inputs)
        if hasattr(inputs, "iloc"):
            inputs.iloc[:, 0] = None
            inputs["more"] = 1
            inputs.drop(inputs.index[:1], inplace=True)
        else:
            inputs[:] = []
        return told
    """,
    "changes its input later": """
        told = fair(inputs)
        for old in KEPT:
            old[:] = 0
        KEPT.append(inputs)
        return told
    """,
    "grows": "KEPT.append(np.ones((1 << 20) * 4))",
    "asks for more memory than there is": "KEPT.append(np.ones(1 << 40))",
    "changes the folder": "os.makedirs('elsewhere', exist_ok=True); os.chdir('elsewhere')",
    "changes the environment": "os.environ.clear()",
    "seeds": "np.random.seed(CALLS); import random; random.seed(CALLS)",
    "changes the locale": "import locale; locale.setlocale(locale.LC_ALL, '')",
    "clears sys.path": "sys.path.clear()",
    "empties sys.argv": "sys.argv.clear()",
    "handles signals": """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
    """,
    "numpy raises": "np.seterr(all='raise')",
    "numpy prints little": "np.set_printoptions(precision=1, threshold=1)",
    "pandas options": "pd.set_option('mode.string_storage', 'python')",
    "lowers the recursion limit": "sys.setrecursionlimit(120)",
    "starts threads": "threading.Thread(target=time.sleep, args=(0.2,)).start()",
    "starts a daemon": "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "starts a thread that fails": f"""
        threading.excepthook = lambda *_: sys.stderr.write({NOISE})
        threading.Thread(target=lambda: 1 / 0).start()
    """,
    "starts a process": "import subprocess; subprocess.Popen(['sleep', '0.2'])",
    "forks": """
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    """,
    "collects": "import gc; gc.disable(); gc.collect()",
    "traces": "sys.settrace(lambda *_: None)",
    "alarms": """
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    """,
    "audits inside": """
        import expga
        frame = pd.DataFrame({"a": range(9), "b": [0, 1, 2] * 3})
        expga.audit(lambda X: [0.5] * len(X), frame, protected=["b"], max_queries=20)
    """,
    "calls the command inside": """
        from expga.cli import app
        app(["lexicon", "show", "actress"])
    """,
    "sleeps a little": "time.sleep(0.05)",
    "removes its results": "import shutil; shutil.rmtree('out', ignore_errors=True)",
    "empties its store": """
        if os.path.exists("out/expga.db"):
            open("out/expga.db", "wb").close()
    """,
    "registers at exit": f"import atexit; atexit.register(sys.stderr.write, {NOISE})",
    "interrupts": "signal.raise_signal(signal.SIGINT)",
    "terminates": "os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.01)",
}
"""By name: statements in the place of an answer."""

DEADLY = {
    "os._exit(0)": "os._exit(0)",
    "os._exit(7)": "os._exit(7)",
    "os.abort": "os.abort()",
    "a segmentation fault": "import ctypes; ctypes.string_at(0)",
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "too much of the processor": """
        import resource
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
        while True:
            pass
    """,
}
HANGING = {
    "sleeps": "time.sleep(1_000)",
    "sleeps whatever comes": """
        while True:
            try:
                time.sleep(1_000)
            except BaseException:
                pass
    """,
    "loops": """
        while True:
            pass
    """,
    "waits for a lock": """
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
    """,
    "reads standard input": "return sys.stdin.read()",
    "stops": "os.kill(os.getpid(), signal.SIGSTOP)",
    "computes in C": "return sum(range(10**13))",
}


def module(body: str, when: int, onwards: bool) -> bytes:
    """A module whose model is odd from a call on, or at that call only."""
    code = MODULE.format(when=when, compared=">=" if onwards else "==", body=indent(dedent(body).strip("\n"), "    "))
    return code.encode("utf-8", "backslashreplace")


def answering(expression: str, when: int, onwards: bool) -> bytes:
    """A module whose model answers so."""
    return module(f"return {expression}", when, onwards)
