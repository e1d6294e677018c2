"""A desk with a table of applicants and models for it, and the command run in this process."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from typer.testing import CliRunner

from expga.cli import app

TEXTS = ["sex", "family", "job"]


@dataclass
class Run:
    """What one call of the command came to."""

    code: int
    stdout: str
    stderr: str
    out: Path

    @property
    def summary(self) -> dict[str, Any]:
        return self._json("summary.json")

    @property
    def evidence(self) -> dict[str, Any]:
        return self._json("retrain.json")

    def _json(self, name: str) -> dict[str, Any]:
        def no_such_number(name):
            raise AssertionError(f"{name} is not JSON")

        return json.loads((self.out / name).read_text(encoding="utf-8"), parse_constant=no_such_number)

    @property
    def findings(self) -> pd.DataFrame:
        return pd.read_parquet(self.out / "findings.parquet")


class Desk:
    """Files in a folder of their own, models under importable names, and the command."""

    def __init__(self, folder: Path, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.people = people
        self._monkeypatch = monkeypatch
        self._models = 0

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def data(self, frame: pd.DataFrame, name: str = "people.csv") -> Path:
        path = self.folder / name
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        return path

    def importable(self, model: Any) -> str:
        """The `package.module:attribute` of a model."""
        self._models += 1
        name = f"model_on_the_desk_{self._models}"
        self._monkeypatch.setitem(sys.modules, name, SimpleNamespace(it=model))
        return f"{name}:it"

    def run(self, *words: Any, out: Path | None = None) -> Run:
        """The command; what it does not catch itself fails the test with its traceback."""
        result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
        return Run(result.exit_code, result.stdout, result.stderr, out or self.folder / "out")

    def audit(self, model: Any, **options: Any) -> Run:
        """`expga audit` with small defaults; None leaves an option out, True gives it as a flag."""
        settings = {"target": "hired", "protected": "sex", "max_queries": 600, "out": self.folder / "out", **options}
        if "data" not in settings:
            settings["data"] = self.data(self.people)
        settings.setdefault("overwrite", None if settings.get("resume") else True)
        return self._with_model("audit", model, settings)

    def retrain(self, model: Any, **options: Any) -> Run:
        """`expga retrain` after an audit, with small defaults; options as for `audit`."""
        settings = {
            "target": "hired",
            "data": self.folder / "people.csv",
            "audit": self.folder / "out",
            "out": self.folder / "repaired",
            "repeats": 1,
            "max_queries": 40,
            **options,
        }
        settings.setdefault("overwrite", None if settings.get("resume") else True)
        return self._with_model("retrain", model, settings)

    def _with_model(self, command: str, model: Any, settings: dict[str, Any]) -> Run:
        words: list[Any] = [command, "--model", model if isinstance(model, str) else self.importable(model)]
        for name, value in settings.items():
            if value is not None:
                words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [value])
        return self.run(*words, out=Path(settings["out"]))

    def read(self, model: Any, texts: Any, **options: Any) -> Run:
        """`expga audit` of texts for gender, given as a list or as a frame with the column `comment`."""
        frame = texts if isinstance(texts, pd.DataFrame) else pd.DataFrame({"comment": texts})
        if "data" not in options:
            options["data"] = self.data(frame, "comments.csv")
        return self.audit(model, **{"target": None, "text_column": "comment", "protected": "gender", **options})

    def replay(self, model: Any, out: Path | None = None) -> Run:
        folder = out or self.folder / "out"
        return self.run("replay", folder, "--model", model if isinstance(model, str) else self.importable(model))


class OnlyLabels:
    """An estimator that predicts and gives no scores at all."""

    def __init__(self, inner: Any) -> None:
        self.classes_ = inner.classes_
        self.feature_names_in_ = inner.feature_names_in_
        self.predict = inner.predict


def sees_only(column: str, value: Any) -> Any:
    """A model that hires whoever has that value, and nobody else."""

    def model(frame):
        return np.where((frame[column] == value).to_numpy(), 0.9, 0.1)

    return model


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """(120, 6) applicants; men get hired more, and a husband or wife counts for something."""
    rng = np.random.default_rng(5)
    count = 120
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, count),
            "sex": rng.choice(["female", "male"], count),
            "family": rng.choice(["alone", "spouse"], count),
            "job": rng.choice(["cook", "clerk", "pilot", "nurse"], count),
            "hours": np.round(rng.normal(38, 8, count), 1),
        }
    )
    spouse = np.where(frame["sex"] == "male", "husband", "wife")
    frame["family"] = np.where(frame["family"] == "spouse", spouse, "alone")
    wish = (frame["age"] - 44) / 8 + (frame["hours"] - 38) / 6 + 2.5 * (frame["sex"] == "male") - 1.2
    chance = rng.random(count)
    frame["hired"] = np.where(chance < 1 / (1 + np.exp(-wish)), "yes", "no")
    frame["level"] = np.select([wish < -1.0, wish < 1.0], ["low", "middle"], "high")
    return frame


@pytest.fixture(scope="session")
def models(people: pd.DataFrame) -> dict[str, Any]:
    """A model of each kind, by its name, trained on the features."""
    features = people.drop(columns=["hired", "level"])

    def trained(last, target):
        columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), TEXTS), remainder=StandardScaler())
        return make_pipeline(columns, last).fit(features, people[target])

    binary = trained(LogisticRegression(), "hired")
    return {
        "binary": binary,
        "multi-class": trained(LogisticRegression(), "level"),
        "decision": trained(RidgeClassifier(), "hired"),
        "labels": OnlyLabels(binary),
    }


@pytest.fixture
def binary(models: dict[str, Any]) -> Any:
    return models["binary"]


@pytest.fixture
def unfair() -> Any:
    """A model that decides by sex alone."""
    return sees_only("sex", "male")


@pytest.fixture
def fair() -> Any:
    """A model that never looks at sex."""
    return sees_only("job", "pilot")


@pytest.fixture
def desk(tmp_path: Path, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(sys, "path", [*sys.path])  # loading a model by its name adds the working folder
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, people.drop(columns="level"), monkeypatch)


@pytest.fixture
def grown_forest(desk: Desk, people: pd.DataFrame) -> Path:
    """A forest in a .skops file; trees are not on the list of safe types."""
    from sklearn.ensemble import RandomForestClassifier
    from skops.io import dump

    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), TEXTS), remainder=StandardScaler())
    forest = make_pipeline(columns, RandomForestClassifier(3, random_state=0))
    path = desk.folder / "forest.skops"
    dump(forest.fit(people.drop(columns=["hired", "level"]), people["hired"]), path)
    return path


@pytest.fixture(scope="session")
def comments() -> pd.DataFrame:
    """(90, 2) comments on a shop: 30 of a woman or a man, 30 of somebody from a country as well, 30 of nobody."""
    rng = np.random.default_rng(8)
    did = ["praised the quick delivery", "loved the small kettle", "hated the noisy lamp", "returned the broken phone"]
    when = ["on a rainy morning", "during a long trip", "at the old store", "after a bad evening"]
    people = [
        "My wife {did} {when}, and she told her friends",
        "My husband {did} {when}, and he told his friends",
        "The Norwegian actress {did} {when}, and she told her friends",
        "The Mexican actor {did} {when}, and he told his friends",
        "It is raining again {when}, so the store was empty",
        "The quick delivery came {when}, and the kettle is small",
    ]
    texts = [people[i % 6].format(did=rng.choice(did), when=rng.choice(when)) + f" on day {i}." for i in range(90)]
    wish = np.array([("praised" in text or "loved" in text) + 0.8 * (" he " in text) for text in texts])
    stars = np.where(wish + rng.normal(0, 0.5, 90) > 0.7, "good", "bad")
    return pd.DataFrame({"comment": texts, "stars": stars})


@pytest.fixture(scope="session")
def reader(comments: pd.DataFrame) -> Any:
    """A pipeline trained on the comments."""
    return make_pipeline(TfidfVectorizer(), LogisticRegression(C=3.0)).fit(comments["comment"], comments["stars"])


@pytest.fixture
def likes_him() -> Any:
    """A model that decides by one pronoun."""
    return lambda texts: np.array([0.9 if " he " in text else 0.1 for text in texts])
