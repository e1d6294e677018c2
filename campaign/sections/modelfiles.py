"""Model files that hold something else, or are damaged; what nobody allowed never runs."""

from __future__ import annotations

import functools
import io
import json
import pickle
import zipfile
from collections.abc import Callable
from typing import Any, TypeAlias

import joblib
import numpy as np

from campaign import finished
from campaign.case import Case, Step
from campaign.odd import CELLS, NAMES, chance, damaged, pick

NAME = "modelfiles"
Rng: TypeAlias = np.random.Generator
LEAVES_A_FILE = "open('ran.txt', 'w').close()"
TYPES = (
    "builtins.eval",
    "os.system",
    "sklearn.pipeline.Pipeline",
    "numpy.ndarray",
    "",
    "a" * 3_000,
    "\x1b[31m",
    "none.None",
)


class Runs:
    """A pickle of it leaves a file behind when it is loaded."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> Any:
        return exec, (self.code,)


class Made:
    """A pickle of it is what these words make."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> Any:
        return eval, (self.code,)


_CLASS = "type('Odd', (), {{'__module__': '__main__', {}}})()"
RAISES = "lambda *_: (_ for _ in ()).throw({}('\\x1b[2Jno\\nway'))"
METHODS = (
    "__repr__",
    "__getattr__",
    "__call__",
    "predict",
    "predict_proba",
    "__class__",
    "__len__",
    "__str__",
    "__eq__",
    "__hash__",
)
CODES = (
    *(
        _CLASS.format(f"'{name}': {RAISES.format(error)}")
        for name in METHODS
        for error in ("ValueError", "SystemExit", "KeyError")
    ),
    *(_CLASS.format(f"'{name}': {RAISES.format('MemoryError')}") for name in ("predict", "__repr__")),
    *(
        _CLASS.format(f"'predict': lambda self, X: {told}")
        for told in ("X", "None", "len(X)", "['\\x1b[31m'] * len(X)", "self", "[[1]] * 3")
    ),
    *(
        "1",
        "None",
        "print",
        "{}",
        "[]",
        "b'x' * 99",
        "(1, 2)",
        "lambda X: [1] * len(X)",
        "object()",
        "object",
        "__import__('os')",
        "type",
    ),
    *(
        "range(10)",
        "Exception('x')",
        "...",
        "__import__('numpy').zeros((3, 3))",
        "__import__('pandas').DataFrame()",
        "iter([])",
    ),
)


class ModelFiles:
    """A file that is no model, or no whole one, given to an audit, a replay or a repair."""

    name = NAME
    total = 4_000
    at_once = 20

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 9, number])
        made = str(
            rng.choice(["code", "object", "damaged", "skops", "odd skops", "other"], p=[0.25, 0.2, 0.2, 0.1, 0.2, 0.05])
        )
        content = _MAKERS[made](rng)
        usual = ".skops" if "skops" in made else str(rng.choice([".joblib", ".pkl", ".pickle"]))
        suffix = (
            usual if chance(rng, 0.9) else str(pick(rng, (".skops", ".joblib", ".pkl", ".PKL", ".pickle", "", ".h5")))
        )
        name = f"given{suffix}"
        allowed = chance(rng, 0.6)
        files = {key: content for key, content in finished.inputs().items() if key != "letters.csv"} | {name: content}
        words = ["--model", name, *(["--allow-pickle"] if allowed else [])]
        if chance(rng, 0.2):
            words += [
                "--trust",
                str(pick(rng, (*TYPES, ",".join(TYPES), ",", "sklearn.linear_model._logistic.LogisticRegression"))),
            ]
        kept: dict[str, bytes] = {}
        match int(rng.choice(3, p=[0.7, 0.15, 0.15])):
            case 0:
                words = ["audit", *words, *finished.PEOPLE[:-1], "60", "--out", "new"]
            case 1:
                words, kept = ["replay", "out", *words], finished.audit()
            case _:
                words, kept = ["retrain", *words, *finished.REPAIR, "--out", "new"], finished.audit()
        checks = ("tidy",) if allowed else ("tidy", "unasked")
        about = f"{made} as {suffix or 'nothing'}{', allowed' if allowed else ''}"
        return Case(NAME, files | kept, (Step(tuple(words), codes=(0, 2)),), checks, about=about)


def _dumped(rng: Rng, thing: Any) -> bytes:
    if chance(rng, 0.5):
        return pickle.dumps(thing, protocol=int(rng.integers(0, 6)))
    file = io.BytesIO()
    joblib.dump(thing, file, compress=pick(rng, (0, 1, ("gzip", 3), ("xz", 3), ("bz2", 3), ("lzma", 3))))
    return file.getvalue()


def _code(rng: Rng) -> bytes:
    return _dumped(rng, Runs(LEAVES_A_FILE if chance(rng, 0.5) else f"{LEAVES_A_FILE}\n{pick(rng, _ENDINGS)}"))


_ENDINGS = (
    "raise SystemExit(0)",
    "raise KeyError",
    "import sys; sys.exit('\\x1b[31m')",
    "1/0",
    "raise GeneratorExit",
    "raise MemoryError",
)


def _object(rng: Rng) -> bytes:
    if chance(rng, 0.3):
        return _dumped(rng, pick(rng, _things()))
    return _dumped(rng, Made(str(pick(rng, CODES))))


@functools.cache
def _things() -> tuple[Any, ...]:
    from sklearn.cluster import KMeans
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = np.arange(20.0).reshape(10, 2)
    labels = np.arange(10) % 2
    return (
        LogisticRegression(),
        LogisticRegression().fit(numbers, labels),
        LogisticRegression().fit(numbers, np.arange(10) % 3),
        RandomForestClassifier(3, random_state=0).fit(numbers, np.column_stack([labels, labels])),
        StandardScaler().fit(numbers),
        OneHotEncoder(),
        KMeans(2, n_init=1, random_state=0).fit(numbers),
        LinearRegression().fit(numbers, labels),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), "passthrough"),
        make_pipeline(StandardScaler()),
        {"model": LogisticRegression()},
        [LogisticRegression()],
        LogisticRegression,
        numbers,
    )


def _damaged(rng: Rng) -> bytes:
    return damaged(rng, finished.inputs()["model.joblib"] if chance(rng, 0.5) else _object(rng))


@functools.cache
def _saved() -> bytes:
    from sklearn.linear_model import LogisticRegression
    from skops.io import dumps

    return bytes(dumps(LogisticRegression().fit(np.arange(20.0).reshape(10, 2), np.arange(10) % 2)))


def _skops(rng: Rng) -> bytes:
    from skops.io import dumps

    return damaged(rng, _saved()) if chance(rng, 0.5) else bytes(dumps(pick(rng, _things()[:12])))


def _odd_skops(rng: Rng) -> bytes:
    """A zip file like that of skops, whose plan is another."""
    with zipfile.ZipFile(io.BytesIO(_saved())) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    plan = json.loads(inside["schema.json"])
    for _ in range(int(rng.choice([1, 2, 4]))):
        plan = _changed(rng, plan)
    inside["schema.json"] = json.dumps(plan).encode("utf-8", "surrogatepass")
    match int(rng.integers(8)):
        case 0:
            inside.pop(str(pick(rng, list(inside))))
        case 1:
            inside["schema.json"] = pick(rng, (b"", b"[]", b"{}", b"null", b"[" * 5_000, b'{"__class__": 1}', b"\xff"))
        case 2:
            inside["large"] = bytes(4 << 20)
        case 3:
            inside["../ran.txt"] = b"x"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in inside.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _changed(rng: Rng, value: Any) -> Any:
    if isinstance(value, dict) and value:
        name = (
            pick(rng, [key for key in value if key.startswith("__")] or list(value))
            if chance(rng, 0.5)
            else pick(rng, list(value))
        )
        if chance(rng, 0.7):
            return {**value, name: _changed(rng, value[name])}
        return {other: of for other, of in value.items() if other != name}
    if isinstance(value, list) and value and chance(rng, 0.8):
        place = int(rng.integers(len(value)))
        return [_changed(rng, of) if number == place else of for number, of in enumerate(value)]
    return pick(
        rng,
        (
            None,
            0,
            -1,
            10**25,
            [],
            {},
            True,
            *TYPES,
            *NAMES[:5],
            *CELLS[:5],
            "TypeNode",
            "ObjectNode",
            "MethodNode",
            "FunctionNode",
        ),
    )


def _other(rng: Rng) -> bytes:
    import gzip

    things: tuple[Callable[[], bytes], ...] = (
        lambda: b"",
        lambda: b"\x80",
        lambda: b"PK\x03\x04",
        lambda: rng.bytes(500),
        lambda: gzip.compress(bytes(30 << 20), mtime=0),
        lambda: finished.inputs()["people.csv"],
        lambda: b"(" * 100_000 + b".",
        lambda: b"\x80\x04\x8e" + (2**62).to_bytes(8, "little") + b"x.",
        lambda: b"c__main__\nnone\n.",
        lambda: b"cnone\nnone\n.",
        lambda: b"I" + b"9" * 5_000 + b"\n.",
    )
    return bytes(pick(rng, things)())


_MAKERS: dict[str, Callable[[Rng], bytes]] = {
    "code": _code,
    "object": _object,
    "damaged": _damaged,
    "skops": _skops,
    "odd skops": _odd_skops,
    "other": _other,
}
