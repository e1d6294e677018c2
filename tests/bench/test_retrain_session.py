"""Real repairs of small models: what a run leaves behind, and that it is what the data say."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from expga.bench.plan import Choice, retrain_plan
from expga.bench.retrain import given
from expga.bench.retrain.given import sampled
from expga.bench.retrain.session import RepairSession
from expga.bench.retrain.summary import summarise
from expga.bench.runner import run
from expga.bench.summary import gather
from expga.bench.table_session import Trained, halves, trained
from expga.bench.workplace import Workplace
from expga.datasets import TextData
from expga.errors import InputError

(TABLE,) = retrain_plan(Choice(["credit"], ["sex"], ["forest"], repeats=2), ["findings", "both"], max_queries=300)
(TEXT,) = retrain_plan(Choice(["sst"], ["gender"], ["lr"], repeats=1), ["both", "average"], max_queries=300)
(ABSENT,) = retrain_plan(Choice(["imdb"], ["gender"], ["lr"]))
TABLE, TEXT = replace(TABLE, queries=3_000), replace(TEXT, queries=1_000)


def write_sst(folder):
    """(150,) reviews of men and women, three in four for training; those of men are liked a little better."""
    rng = np.random.default_rng(2)
    words = {1: ["charming", "moving", "clever", "warm"], 0: ["dull", "tedious", "clumsy", "cold"]}
    lines = []
    for number in range(150):
        he = number % 2
        label = int(rng.random() < 0.3 + 0.4 * he)
        who, of = ("the actor says he", "his") if he else ("the actress says she", "her")
        split = "test" if number % 4 == 3 else "train"
        word = words[label if rng.random() < 0.6 else 1 - label][number % 3]
        lines.append(f"{split}\t{label}\t{who} gave {of} {word} film number {number} in a theatre\n")
    with gzip.open(folder / "sst.tsv.gz", "wt", encoding="utf-8") as file:
        file.writelines(lines)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A bench of a table, of texts, and of texts that are not there: its results, where it is, and what it said."""
    out, texts = tmp_path_factory.mktemp("repairs"), tmp_path_factory.mktemp("texts")
    write_sst(texts)
    said = []
    with Workplace(out, [TABLE, TEXT, ABSENT], []) as place:
        run(place, texts, say=said.append)
        results = gather(place, summarise)
    return results, out, texts, said


@pytest.fixture(scope="module")
def results(finished):
    return finished[0]


def figures_of(results, cell):
    return [run["figures"] for run in results["runs"] if run["cell"] == cell.name]


def test_every_run_has_figures_before_and_after_each_repair(results):
    assert results["failed"] == []
    assert [told["cell"] for told in results["absent"]] == [ABSENT.name]
    table, text = figures_of(results, TABLE), figures_of(results, TEXT)
    assert (len(table), len(text)) == (2, 1)
    for figures, repairs, methods in (
        *((one, ("findings", "both"), ("expga", "random", "aequitas")) for one in table),
        (text[0], ("both", "average"), ("expga", "random", "mtnlp")),
    ):
        assert tuple(figures["repairs"]) == repairs
        for told in (figures["before"], *(name["after"] for name in figures["repairs"].values())):
            assert {f"{name}.findings_per_query" for name in methods} < set(told)
            assert 0.4 < told["accuracy"] < 1
        assert figures["repairs"]["both"]["pairs"] > 0
        assert figures["before"]["held_out"] == 1


def test_a_model_is_tested_on_the_half_that_it_never_saw(results):
    for repeat, figures in enumerate(figures_of(results, TABLE)):
        parts = halves("credit", repeat)
        model = trained("forest", parts, repeat).model
        right = (model.predict(parts.aside) == parts.aside_target).mean()
        assert figures["before"]["accuracy"] == pytest.approx(right)
        assert (model.predict(parts.searched) == parts.target).mean() > 0.99 > right
        assert (figures["train_rows"], figures["test_rows"]) == (500, 500)


def test_texts_are_fitted_to_their_part_for_training(results):
    (figures,) = figures_of(results, TEXT)
    assert (figures["train_rows"], figures["test_rows"]) == (113, 37)


def test_runs_begin_anew_from_their_seed(results):
    one, other = figures_of(results, TABLE)
    assert one["before"] != other["before"]
    assert {run["seed"] for run in results["runs"] if run["cell"] == TABLE.name} == {0, 1}


def test_a_line_says_what_the_repair_did(finished, results):
    table = [figures["before"]["flips_test"] for figures in figures_of(results, TABLE)]
    line = next(line for line in finished[-1] if line.startswith(TABLE.name))
    assert line.startswith(f"{TABLE.name}: {np.mean(table):.2%} of the test rows flip before, ")
    assert line.endswith("after the repair by both")
    assert f"{ABSENT.name}: absent" in finished[-1]


def test_the_same_plan_has_nothing_left_to_do(finished, results):
    _, out, texts, _ = finished
    said = []
    with Workplace(out, [TABLE, TEXT, ABSENT], [], resume=True) as place:
        run(place, texts, say=said.append)
        assert gather(place, summarise) == results
    assert said == [f"{ABSENT.name}: absent"]


def test_a_model_with_nothing_to_repair_is_one_sentence():
    parts = halves("credit", 0)
    fair = Trained(DummyClassifier().fit(parts.searched, parts.target), 0.7)
    with pytest.raises(InputError, match="there is nothing to repair"):
        RepairSession(TABLE, lambda *_: fair, Path("nowhere")).run(0)


def test_large_data_are_sampled_by_seed_and_keep_their_parts(monkeypatch):
    monkeypatch.setitem(given.SAMPLED, "many", (6, 4))
    data = TextData("many", [f"text {number}" for number in range(40)], np.arange(40) % 2, np.arange(40) < 20)
    some, again, others = (sampled(data, seed) for seed in (0, 0, 1))
    assert (int(some.train.sum()), len(some.texts)) == (6, 10)
    assert some.texts == again.texts != others.texts
    numbers = [int(text.removeprefix("text ")) for text in some.texts]
    assert some.labels.tolist() == [number % 2 for number in numbers]
    assert some.train.tolist() == [number < 20 for number in numbers]
    assert sampled(replace(data, name="few"), 0).texts == data.texts
