"""What others bring: by `package.module:Name` or by what an installed package offers, from the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

COMMAND = Path(sys.executable).with_name("expga")
THEIRS = """
import numpy as np

from expga.contracts import Batch, Explainer, Strategy
from expga.criterion import Gap
from expga.repair import Repair
from expga.results import Output


def model(frame):
    return np.where(frame["sex"] == "m", 0.9, 0.1) + 0.001 * frame["age"] % 0.05


class Rows(Strategy):
    name = "rows"
    usual_explainer = "theirs:First"

    def search(self, context):
        yield Batch(context.domain.rows[context.seeds.rows], context.seeds.rows)


class First(Explainer):
    def queries(self, domain, rows):
        return rows

    def ranks(self, model, domain, rows, rng):
        model.ask(domain.decode(domain.rows[rows]))
        return np.where(rows < 7, 1, 9)


wide = Gap(0.5)
wide_too = Gap(0.95)


class Same(Repair):
    name = "same"
    refits = False

    def fit(self, material, rng):
        return material.before


def blind(frame):
    return np.full(len(frame), 0.2)


class Fair(Repair):
    name = "fair"
    refits = False

    def fit(self, material, rng):
        return blind


class Names(Output):
    name = "names"
    writes = ("names.txt",)

    def files(self, audit):
        return {"names.txt": " ".join(audit.findings.columns).encode()}
"""


@pytest.fixture
def theirs(desk):
    """The desk with their module and people on it."""
    desk.file("theirs.py", THEIRS)
    people = pd.DataFrame({"sex": ["f", "m"] * 30, "age": range(60), "hired": np.tile([0, 1], 30)})
    desk.data(people)
    desk.data(people.assign(age=people["age"] + 100), "others.csv")
    yield desk
    sys.modules.pop("theirs", None)


AUDIT = ("audit", "--model", "theirs:model", "--data", "people.csv", "--target", "hired", "--protected", "sex")


def audited(desk, *words):
    run = desk.run(*AUDIT, "--out", "out", "--max-queries", 300, "--overwrite", *words)
    assert run.code == 0, run.stderr
    return {**run.summary, "told": run.stdout}


def test_by_a_real_process_too(theirs):
    words = [*AUDIT, "--out", "out", "--max-queries", "300", "--strategy", "theirs:Rows"]
    run = subprocess.run([COMMAND, *words], cwd=theirs.folder, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads((theirs.folder / "out" / "summary.json").read_text())["strategy"] == "rows"


def test_a_strategy_and_the_explainer_that_it_prefers(theirs):
    told = audited(theirs, "--strategy", "theirs:Rows")
    assert (told["strategy"], told["tested"], told["settings"]["explainer"]) == ("rows", 60, "theirs:First")
    assert told["queries"]["explain"] > 0


def test_an_explainer(theirs):
    told = audited(theirs, "--explainer", "theirs:First")
    assert told["settings"]["explainer"] == "theirs:First"
    assert told["queries"]["explain"] > 0
    assert told["found"] > 7


def test_a_criterion_and_the_same_or_another_when_asked_again(theirs):
    told = audited(theirs, "--criterion", "theirs:wide")
    assert told["settings"]["criterion"] == {"name": "gap", "what": "score", "arguments": {"min_gap": 0.5}}
    found = told["found"]
    assert found > 7
    for criterion, holds in (((), found), (("--criterion", "flip"), found), (("--criterion", "theirs:wide_too"), 0)):
        run = theirs.run("replay", "out", "--model", "theirs:model", *criterion)
        assert run.stdout.startswith(f"{holds} of {found} pairs still hold"), run.stderr


def test_outputs_repeated_or_with_commas(theirs):
    for words in (["--output", "csv", "--output", "theirs:Names"], ["--output", "csv,theirs:Names"]):
        told = audited(theirs, *words)
        assert told["told"].endswith(
            "All of it is in out: summary.json, findings.parquet, findings.csv and names.txt.\n"
        )
        columns = (theirs.folder / "out" / "names.txt").read_text().split()
        assert pd.read_csv(theirs.folder / "out" / "findings.csv").columns.tolist() == columns


def test_repairs_and_those_beside(theirs):
    audited(theirs)
    run = theirs.run(
        *("retrain", "--model", "theirs:model", "--data", "people.csv", "--target", "hired", "--audit", "out"),
        *("--out", "repaired", "--test", "others.csv", "--repair", "theirs:Fair", "--compare", "theirs:Same,average"),
        *("--repeats", 1, "--max-queries", 40),
    )
    assert run.code == 0, run.stderr
    told = json.loads((theirs.folder / "repaired" / "retrain.json").read_text())
    assert told["repair"] == "fair"
    flips = {name: figures["after"]["flips_test"]["mean"] for name, figures in told["repairs"].items()}
    assert flips == {"average": 0, "fair": 0, "same": 1}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--strategy", "theirs:Nothing"], "The module 'theirs', from "),
        (["--explainer", "nowhere:First"], "The explainer 'nowhere:First' cannot be imported: ModuleNotFoundError"),
        (["--criterion", "strict"], "There is no criterion 'strict'; choose one of flip, gap."),
        (
            ["--criterion", "flip", "--min-gap", "0.1"],
            "Give either a criterion or a smallest gap that counts, not both.",
        ),
        (["--output", "theirs:Rows"], "The output Rows has no writes; let its class inherit"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(theirs, words, told):
    run = theirs.run(*AUDIT, "--out", "out", *words)
    assert (run.code, run.stdout) == (2, "")
    assert run.stderr.startswith(f"expga: {told}")
    assert run.stderr.count("\n") == 1
    assert not (theirs.folder / "out").exists()
