"""What docs/extending.md shows runs as it stands there, in order; and what an installed package offers is found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import expga
from expga.models import ADAPTERS
from expga.models.load import load_model
from expga.search.random import RandomTesting

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SORTS = {"strategies", "explainers", "criteria", "repairs", "adapters", "datasets", "outputs"}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The names that the blocks have left, executed one after the other in a folder of their own."""
    names: dict[str, object] = {"__name__": "shown"}
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("shown"))
    try:
        for block in BLOCKS:
            exec(compile(block, "docs/extending.md", "exec"), names)
        names["place"] = Path.cwd()
        yield names
    finally:
        os.chdir(before)
        ADAPTERS.remove("scorecard")


def test_there_is_a_block_for_each_sort_of_thing_and_none_is_long():
    assert len(BLOCKS) == 2 + len(SORTS)
    assert max(len(block.splitlines()) for block in BLOCKS) <= 36


def test_the_strategy_finds_more_than_chance_does(shown):
    climbed = shown["climbed"]
    assert climbed.summary["strategy"] == "climb"
    assert climbed.summary["refused"] == 0
    chance = expga.audit(shown["model"], shown["people"], protected="sex", strategy=RandomTesting, max_queries=3_000)
    assert climbed.summary["found"] > chance.summary["found"] > 0


def test_the_strategy_passes_the_conformance_suite(tmp_path):
    (suite,) = [block for block in BLOCKS if "Conformance" in block]
    strategy, _, _ = BLOCKS[1].partition("\n\nclimbed = ")
    (tmp_path / "test_climb.py").write_text("\n\n".join([BLOCKS[0], strategy, suite]), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_climb.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2_000:]
    assert int(re.search(r"(\d+) passed", run.stdout)[1]) > 20


def test_the_explainer_is_used(shown):
    explained = shown["explained"]
    assert explained.summary["settings"]["explainer"] == "Occlusion"
    assert explained.summary["queries"]["explain"] > 0
    assert explained.summary["found"] > 0


def test_the_criterion_decides_and_holds_when_asked_again(shown):
    scores = shown["by_ratio"].findings[["score", "score__twin"]]
    assert shown["held"] == (len(scores), len(scores))
    assert len(scores) > 0
    assert (scores.min(axis=1) < 0.8 * scores.max(axis=1)).all()


def test_the_repair_reduces_flips(shown):
    summary = shown["fairer"].summary
    before, after = (
        told["flips_train"]["mean"] for told in (summary["before"], summary["repairs"]["relabel"]["after"])
    )
    assert before > 0.05
    assert after < before / 2


def test_the_adapters_model_is_audited_and_loaded(shown, tmp_path):
    assert shown["by_card"].population.rate == 1
    assert shown["card"] == {"sex": {"m": 2}, "limit": 1}
    (tmp_path / "one.scorecard").write_text(json.dumps(shown["card"]))
    assert load_model(str(tmp_path / "one.scorecard")) == shown["card"]


def test_the_data_set_is_audited(shown):
    data = shown["data"]
    assert (data.name, len(data.frame), len(data.target)) == ("applicants", 50, 50)
    assert shown["of_data"].summary["population"]["total_rows"] == 50
    assert shown["of_data"].findings["age"].between(18, 70).all()


def test_the_outputs_file_is_written(shown):
    folder = shown["place"] / shown["folder"]
    first, *lines = (folder / "letter.txt").read_text().splitlines()
    assert first.endswith("of the rows flip.")
    assert 0 < len(lines) <= 5
    assert len(pd.read_csv(folder / "findings.csv")) == len(shown["unfair"].findings)


def test_the_names_are_groups_that_there_are():
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    groups = tomllib.loads(block)["project"]["entry-points"]
    assert {group.removeprefix("expga.") for group in groups} <= SORTS
    assert all(f"`{sort}`" in PAGE for sort in SORTS)


THEIRS = """
from expga.contracts import Batch, Strategy
from expga.models import Adapter
from expga.results import Output


class Rows(Strategy):
    name = "theirs"

    def search(self, context):
        yield Batch(context.domain.rows, context.domain.anchors)


class Only(Adapter):
    name = "only"
    suffixes = (".only",)
    runs_code = False

    def load(self, source, permission):
        with open(source) as file:
            value = file.read()
        return lambda frame: (frame["sex"] == value) * 0.8 + 0.1


class Count(Output):
    name = "count"
    writes = ("count.txt",)

    def files(self, audit):
        return {"count.txt": str(len(audit.findings)).encode()}
"""
OFFERED = """[expga.strategies]
theirs = their_package:Rows

[expga.adapters]
only = their_package:Only

[expga.outputs]
count = their_package:Count
"""


def test_what_an_installed_package_offers_goes_by_its_name(tmp_path):
    site = tmp_path / "site"
    described = site / "their_package-1.0.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(OFFERED)
    (site / "their_package.py").write_text(THEIRS)
    (tmp_path / "he.only").write_text("m")
    people = {"sex": ["f", "m"] * 20, "age": range(40), "hired": np.tile([0, 1], 20)}
    pd.DataFrame(people).to_csv(tmp_path / "people.csv", index=False)

    def run(**environment):
        words = ["audit", "--model", "he.only", "--data", "people.csv", "--target", "hired", "--protected", "sex"]
        words += ["--out", "out", "--max-queries", "400", "--strategy", "theirs", "--output", "count"]
        path = os.pathsep.join([*environment.values(), *sys.path])
        command = [sys.executable, "-c", "from expga.cli import main; main()", *words]
        return subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )

    without = run()
    assert (without.returncode, without.stderr.count("\n")) == (2, 1)
    assert "There is no output 'count'" in without.stderr
    found = run(PYTHONPATH=str(site))
    assert found.returncode == 0, found.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["strategy"], summary["tested"], summary["found"]) == ("theirs", 40, 40)
    assert (tmp_path / "out" / "count.txt").read_text() == "40"
