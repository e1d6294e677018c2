"""What is typed: options, their values, and paths to all that a file system has."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from campaign import finished
from campaign.case import LIMIT_S, Case, Step
from campaign.odd import NAMES, TEXTS, WORDS, chance, pick
from campaign.people import QUIET

NAME = "words"
Rng: TypeAlias = np.random.Generator
Options: TypeAlias = "list[tuple[str, ...]]"
LINKS = {
    "dangling": "nowhere",
    "dangling.csv": "nowhere.csv",
    "loop": "loop",
    "loop.csv": "loop.csv",
    "pipe": "fifo:",
    **{f"pipe.{kind}": "fifo:" for kind in ("csv", "parquet", "toml", "joblib", "skops")},
    "folder": "folder:",
    **{f"folder.{kind}": "folder:" for kind in ("csv", "parquet", "toml", "joblib", "skops")},
    "to-folder": "folder",
    "linked.csv": "people.csv",
    "locked.csv": "locked:",
    "zero.csv": "/dev/zero",
    "null.csv": "/dev/null",
}
PATHS = (
    *LINKS,
    *(
        "people.csv",
        "people.csv/x",
        "folder/none.csv",
        "./people.csv",
        "folder/../people.csv",
        "PEOPLE.CSV",
        "anyone.py",
    ),
    *(
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/",
        "/proc/self/mem",
        "/proc/self/environ",
        "",
        ".",
        "..",
        "~",
        "people.csv\n",
    ),
    *(
        "x" * 300 + ".csv",
        "x/" * 3_000 + "x.csv",
        "\x1b[31m.csv",
        "a\nb.toml",
        "\U0001f98a.csv",
        "people.csv ",
        "-",
        "file:people.csv",
    ),
    *("http://127.0.0.1:9/people.csv", "s3://none/people.parquet", "*.csv", "out", "out/summary.json", "out/expga.db"),
)
PLACES = (
    *(
        "out",
        "out/",
        "./out",
        "out/a/b/c",
        "folder",
        "to-folder",
        "dangling",
        "loop",
        "loop/out",
        "pipe",
        "pipe/out",
        "people.csv",
    ),
    *(
        "people.csv/out",
        "linked.csv",
        "x" * 300,
        "x/" * 3_000,
        "a\nb",
        "\x1b[31m",
        "",
        ".",
        "-",
        "\U0001f98a",
        "out/../out",
    ),
    *(
        "/dev/null",
        "/dev/null/out",
        "/dev/full",
        "/proc/none/out",
        "/proc/self/out",
        "%s",
        "[bold]",
        "~",
        "$HOME",
        "out ",
        "\u202eout",
    ),
)
MODELS = (
    *(
        "anyone:model",
        "quiet:model",
        "anyone",
        "anyone:",
        ":model",
        ":",
        "::",
        "anyone:none",
        "none:model",
        "anyone:model:x",
    ),
    *(
        "anyone:model.__call__",
        "anyone:model.__name__",
        "anyone:__name__",
        "anyone.py:model",
        "./anyone:model",
        ".anyone:model",
    ),
    *(
        "..:x",
        "a b:c",
        "\x1b:x",
        "anyone:model\n",
        "anyone:\U0001f98a",
        "builtins:len",
        "builtins:print",
        "builtins:eval",
        "sys:exit",
    ),
    *(
        "os:abort",
        "numpy:mean",
        "numpy:isnan",
        "numpy:asarray",
        "pandas:DataFrame",
        "builtins:None",
        "builtins:object",
        "io:StringIO",
    ),
    *(
        "breaks:model",
        "exits:model",
        "itself:model",
        "stubborn:model",
        "quiet:np",
        "expga:audit",
        "json:dumps",
    ),
    *(
        "model.joblib",
        "none.joblib",
        "none.skops",
        "people.csv",
        "pipe.joblib",
        "folder.skops",
        "folder.joblib",
        "dangling",
        "x" * 5_000,
    ),
)
MODULES = {
    "breaks.py": b"raise ValueError('\\x1b[2Jwhat\\nnow')\n",
    "exits.py": b"import sys\nsys.exit(0)\n",
    "itself.py": b"import itself\nfrom itself import model\n",
    "stubborn.py": b"class Model:\n    def __getattr__(self, name):\n        raise OSError(name)\nmodel = Model()\n",
    "quiet.py": QUIET.encode(),
}
AUDIT: Options = [
    ("--model", "anyone:model"),
    ("--data", "people.csv"),
    ("--target", "hired"),
    ("--protected", "sex"),
    ("--out", "new"),
    ("--max-queries", "60"),
]
READ: Options = [
    ("--model", "anyone:model"),
    ("--data", "letters.csv"),
    ("--text-column", "letter"),
    ("--protected", "gender"),
    ("--out", "new"),
    ("--max-queries", "60"),
]
RETRAIN: Options = [
    ("--model", "model.joblib"),
    ("--allow-pickle",),
    ("--data", "people.csv"),
    ("--target", "hired"),
    ("--audit", "out"),
    ("--out", "new"),
    ("--repeats", "1"),
    ("--max-queries", "40"),
]
REPLAY: Options = [("out",), ("--model", "model.joblib"), ("--allow-pickle",)]
REFUSED = (("--repeats", "0"), ("--data", "none"), ("--max-queries", "0"), ("--seed", "-1"), ("--models", "none"))
VALUES: dict[str, tuple[str, ...]] = {
    "--model": MODELS,
    "--data": PATHS,
    "--test": PATHS,
    "--schema": PATHS,
    "--lexicon": PATHS,
    "--vectors": PATHS,
    "--audit": PATHS,
    "--wordnet": PATHS,
    "--lists": PATHS,
    "--conceptnet": PATHS,
    "--glove": PATHS,
    "--out": PLACES,
    "--strategy": (
        "expga",
        "expga-published",
        "random",
        "aequitas",
        "sg",
        "adf",
        "exhaustive",
        "mtnlp",
        "EXPGA",
        *WORDS,
    ),
    "--manner": ("batched", "faithful", *WORDS),
    "--explainer": ("auto", "gap", "lime", "shap", "none", *WORDS),
    "--realism": ("data", "domain", *WORDS),
    "--budget": (
        "0",
        "0.5s",
        "1s",
        "0s",
        "-1s",
        "1e3",
        "1h1m1s",
        "1m1h",
        " 1s ",
        "1S",
        "\u0661s",
        "1s1s",
        "9" * 400 + "h",
        *WORDS,
    ),
    "--repair": ("both", "findings", "twins", "average", "drop", "reweigh", "reduction", *WORDS),
    "--compare": ("all", "drop", "average,drop", *WORDS),
    "--relabel": ("majority", "nearest", "original", *WORDS),
    "--call-timeout": ("1s", "0", "-1", "0.001s", *WORDS),
}
COMMON = ("--seed", "--resume", "--overwrite", "--allow-pickle", "--trust")
OPTIONS = {
    "audit": (
        *(
            "--model",
            "--data",
            "--protected",
            "--out",
            "--target",
            "--text-column",
            "--positive",
            "--threshold",
            "--min-gap",
        ),
        *(
            "--schema",
            "--lexicon",
            "--vectors",
            "--strategy",
            "--manner",
            "--explainer",
            "--epsilon",
            "--realism",
            "--budget",
        ),
        *("--max-queries", "--max-generations", "--max-findings", "--fail-over", "--call-timeout", *COMMON),
    ),
    "replay": ("--model", "--fail-under", "--allow-pickle", "--trust", "--call-timeout", "--resume"),
    "retrain": (
        *(
            "--model",
            "--data",
            "--target",
            "--audit",
            "--out",
            "--test",
            "--repair",
            "--compare",
            "--share",
            "--relabel",
        ),
        *("--weight", "--rounds", "--repeats", "--test-share", "--max-loss", "--max-queries", *COMMON),
    ),
    "bench": (
        "--data",
        "--attribute",
        "--models",
        "--strategies",
        "--budget",
        "--max-queries",
        "--repeats",
        "--seed",
        "--share",
    ),
    "lexicon": ("--wordnet", "--out", "--lists", "--conceptnet", "--glove", "--lexicon"),
}
FLAGS = ("--resume", "--overwrite", "--allow-pickle", "--help", "--text", "--version", "-h", "-v", "--no-resume")


class Words:
    """A command as it should be, with one to three words of it changed."""

    name = NAME
    total = 24_500
    at_once = 40

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 7, number])
        make = rng.choice(6, p=[0.45, 0.13, 0.17, 0.1, 0.1, 0.05])
        command, words = (_audit, _audit_texts, _retrain, _replay, _lexicon, _bench)[make](rng)
        said = tuple(word.replace("\x00", "") for word in _safe([*words, *_short(words)]))
        gates = any(word in said for word in ("--fail-over", "--fail-under"))
        kept = {} if command.startswith(("lexicon", "bench")) else finished.audit()
        files = {**finished.inputs(), **kept, **MODULES}
        limit = 90.0 if "--compare" in said else LIMIT_S
        step = Step(said, codes=(0, 1, 2) if gates else (0, 2), limit_s=limit)
        return Case(NAME, files, (step,), ("tidy",), LINKS, about=command, ours=tuple(kept))


def _short(words: list[str]) -> list[str]:
    """What keeps a run short that has lost its own limits."""
    if words[0] == "audit" and "--max-queries" not in words:
        return ["--budget", "0.3s"]
    limits = {"--repeats": "1", "--max-queries": "40"} if words[0] == "retrain" else {}
    return [word for limit in limits.items() if limit[0] not in words for word in limit]


def _safe(words: list[str]) -> list[str]:
    """Words by which nothing is written where nobody looks after it."""
    return [
        "out" if place and words[place - 1] == "--out" and word not in PLACES else word
        for place, word in enumerate(words)
    ]


def _audit(rng: Rng) -> tuple[str, list[str]]:
    return "audit", ["audit", *_changed(rng, AUDIT, "audit")]


def _audit_texts(rng: Rng) -> tuple[str, list[str]]:
    return "audit of texts", ["audit", *_changed(rng, READ, "audit")]


def _retrain(rng: Rng) -> tuple[str, list[str]]:
    return "retrain", ["retrain", *_changed(rng, RETRAIN, "retrain")]


def _replay(rng: Rng) -> tuple[str, list[str]]:
    options = [(str(pick(rng, PATHS)),), *REPLAY[1:]] if chance(rng, 0.3) else REPLAY
    return "replay", ["replay", *_changed(rng, options, "replay")]


def _lexicon(rng: Rng) -> tuple[str, list[str]]:
    if chance(rng, 0.5):
        words = ["lexicon", "show", str(pick(rng, (*WORDS, *NAMES, *TEXTS)))]
        return "lexicon show", [*words, *_changed(rng, [], "lexicon")] if chance(rng, 0.5) else words
    options: Options = [("--wordnet", str(pick(rng, PATHS))), ("--out", str(pick(rng, PLACES)))]
    return "lexicon build", ["lexicon", "build", *_changed(rng, options, "lexicon")]


def _bench(rng: Rng) -> tuple[str, list[str]]:
    """Whatever else is said, one thing is always refused before anything runs."""
    which = str(rng.choice(["tabular", "text", "ablation", "retrain", "paper", "none", "demo"]))
    if which == "demo":
        return "demo", ["demo", *pick(rng, (["--budget"], ["--nope"], ["--help"], ["--seed", "x"], ["--out"], ["x"]))]
    words = [word for option in _some(rng, "bench") for word in option]
    return "bench", ["bench", which, *words, *pick(rng, REFUSED[:1] if which == "paper" else REFUSED[:2])]


def _changed(rng: Rng, options: Options, command: str) -> list[str]:
    options = [*options]
    for _ in range(int(rng.choice([1, 2, 3], p=[0.5, 0.3, 0.2]))):
        match int(rng.integers(8)):
            case 0 if options:
                del options[int(rng.integers(len(options)))]
            case 1 if options:
                options.insert(int(rng.integers(len(options) + 1)), pick(rng, options))
            case 2:
                options.append((str(pick(rng, FLAGS)),))
            case 3 if chance(rng, 0.4):
                options.insert(int(rng.integers(len(options) + 1)), (str(pick(rng, (*WORDS, *NAMES))),))
            case 4 if chance(rng, 0.4):
                options += _some(rng, str(rng.choice(list(OPTIONS))))
            case _:
                options += _some(rng, command)
    return [word for option in options for word in option]


def _some(rng: Rng, command: str) -> Options:
    """An option of a command with some value, maybe none."""
    name = str(pick(rng, OPTIONS[command]))
    if name in FLAGS:
        return [(name,)]
    value = str(pick(rng, VALUES.get(name, WORDS) if chance(rng, 0.9) else WORDS))
    if name == "--out" and value not in PLACES:
        value = "out"  # never where nobody looks after it
    return [(f"{name}={value}",)] if chance(rng, 0.1) else [(name, value)]
