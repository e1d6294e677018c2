"""`expga retrain`: a new model and the evidence in a folder, tables on the screen, or one sentence."""

from __future__ import annotations

import re
from shutil import copytree

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from expga.models.load import load_model
from expga.repair.repeat import Repeat
from expga.repair.result import FILES, KIND
from expga.store import Shelf


@pytest.fixture(scope="module")
def finished():
    """Where the audit of the applicants is, once there is one."""
    return []


@pytest.fixture
def audited(desk, binary, finished, tmp_path_factory):
    """A folder with an audit of the applicants: a copy of the first one."""
    desk.data(desk.people)
    if not finished:
        run = desk.audit(binary, max_queries=900)
        assert run.summary["found"] > 20
        finished.append(copytree(run.out, tmp_path_factory.mktemp("audited") / "out"))
        return run.out
    return copytree(*finished, desk.folder / "out")


@pytest.fixture
def kept(desk):
    """A folder with an earlier repair, that nothing must write over."""
    folder = desk.folder / "repaired"
    shelf = Shelf.open(folder, FILES, KIND)
    shelf.store.begin(KIND, {})
    shelf.publish({name: f"an earlier {name}".encode() for name in ("model.skops", "retrain.json")}, {})
    shelf.leave()
    return folder


def fails(run, *mentions):
    """Whether a run ended in one sentence that mentions all of these, and wrote over nothing."""
    assert (run.code, run.stdout) == (2, "")
    assert run.stderr.startswith("expga: ")
    assert run.stderr.count("\n") == 1
    assert "Traceback" not in run.stderr
    for mention in mentions:
        assert mention in run.stderr
    names = {path.name for path in run.out.iterdir() if "expga.db" not in path.name}
    assert names == {"model.skops", "retrain.json"}
    assert (run.out / "model.skops").read_text(encoding="utf-8") == "an earlier model.skops"
    return True


@pytest.mark.usefixtures("audited")
class TestTables:
    def test_a_new_model_and_the_evidence_are_kept_and_shown(self, desk, binary):
        run = desk.retrain(binary, compare="average", share=0.2, relabel="nearest", seed=3)
        assert (run.code, run.stderr) == (0, "")
        told = run.evidence
        assert (told["repair"], told["repairs"].keys()) == ("both", {"both", "average"})
        assert (told["share"], told["relabel"], told["seed"], told["repeats"]) == (0.2, "nearest", 3, 1)
        model = load_model(str(run.out / told["model"]["file"]), trust=told["model"]["trust"])
        assert set(model.predict(desk.people.drop(columns="hired"))) <= {"no", "yes"}
        for words in (
            "What the repair did",
            "Repaired by both: accuracy on the test rows went from",
            "Measured on 30 test rows, set aside",
            "The task, and who still flips",
            "Fresh searches: found per 1,000 queries",
            "Differences between groups",
            "sex: demographic parity",
            "What they take",
            "by construction",
        ):
            assert words in " ".join(re.sub(r"[│╭╮╰╯─]", " ", run.stdout).split())
        rows = [line.split() for line in run.stdout.splitlines()]
        before = next(row for row in rows if row[:1] == ["before"])
        assert before[1] == f"{told['before']['accuracy']['mean']:.2%}"
        assert next(row for row in rows if row[:1] == ["average"])[4:] == ["0.00%", "0.00%", "0.00%"]

    def test_the_new_model_is_audited_like_any_other(self, desk, binary):
        run = desk.retrain(binary, repair="average")
        trust = ",".join(run.evidence["model"]["trust"])
        again = desk.audit(str(run.out / run.evidence["model"]["file"]), trust=trust, out=desk.folder / "again")
        assert again.summary["population"]["flipped"] == 0
        assert again.summary["found"] == 0

    def test_test_rows_of_ones_own(self, desk, binary):
        test = desk.data(desk.people.iloc[::-3], "test.csv")
        run = desk.retrain(binary, repair="twins", test=test, repeats=2)
        assert run.code == 0
        assert run.evidence["test_rows"] == 40
        assert run.evidence["test_rows_given"] is True
        assert "Measured on 40 test rows, given" in run.stdout
        assert "means of 2 repeats" in " ".join(run.stdout.split())

    def test_an_automatic_share(self, desk, binary):
        run = desk.retrain(binary, repair="findings", share="auto", max_loss=0.5)
        assert run.code == 0
        assert run.evidence["share"] == "auto"
        assert run.evidence["runs"][0]["repairs"]["findings"]["share"] in (0.1, 0.5, 2.0, 10.0)

    def test_what_was_there_is_replaced_when_all_is_done(self, desk, binary, kept):
        assert desk.retrain(binary, repair="twins").code == 0
        assert (kept / "retrain.json").read_text(encoding="utf-8").startswith("{")
        assert {path.name for path in kept.iterdir() if "expga.db" not in path.name} == {"model.skops", "retrain.json"}

    def test_interrupted_after_a_repeat_it_says_what_is_kept(self, desk, binary, kept, monkeypatch):
        run_once = Repeat.run

        def interrupted(repeat):
            if repeat.number:
                raise KeyboardInterrupt
            return run_once(repeat)

        with monkeypatch.context() as patched:
            patched.setattr(Repeat, "run", interrupted)
            run = desk.retrain(binary, repair="twins", repeats=2)
        told = f"Interrupted; 1 repeat is kept in {kept}, and --resume goes on from there."
        assert (run.code, run.stderr) == (130, f"expga: {told}\n")
        assert desk.retrain(binary, repair="twins", repeats=2, resume=True).code == 0


def test_texts(desk, reader, comments):
    desk.read(reader, comments, max_queries=400)
    run = desk.retrain(reader, data=desk.folder / "comments.csv", target="stars", repair="twins", compare="average")
    assert (run.code, run.stderr) == (0, "")
    told = run.evidence
    assert told["kind"] == "text"
    assert told["repairs"]["average"]["after"]["held_out"]["mean"] == 0
    assert "mtnlp" in run.stdout
    model = load_model(str(run.out / told["model"]["file"]), trust=told["model"]["trust"])
    assert model.predict(["My wife loved the kettle"])[0] in ("good", "bad")


def other_labels(desk, **labels):
    return desk.data(desk.people.assign(hired=desk.people["hired"].map(labels)), "other.csv")


# By name: a function of the desk that gives the options, and what the sentence must mention.
BAD = {
    "no audit": (lambda desk: {"audit": desk.folder / "nowhere"}, ["nowhere", "summary.json"]),
    "no data file": (lambda desk: {"data": desk.folder / "none.csv"}, ["none.csv"]),
    "no target": (lambda _: {"target": "wage"}, ["'wage'"]),
    "another column as target": (lambda _: {"target": "job"}, ["'job'"]),
    "other labels": (lambda desk: {"data": other_labels(desk, yes=1, no=0)}, ["never says", "no, yes"]),
    "missing labels": (lambda desk: {"data": desk.data(with_holes(desk), "holes.csv")}, ["labels in y are missing"]),
    "one label": (lambda desk: {"data": other_labels(desk, yes="yes", no="yes")}, ["'hired'", "one class"]),
    "other rows": (lambda desk: {"data": desk.data(desk.people[:100], "less.csv")}, ["other rows", "120", "100"]),
    "rows in another order": (lambda desk: {"data": desk.data(desk.people[::-1], "back.csv")}, ["other rows"]),
    "a column less": (lambda desk: {"data": desk.data(desk.people.drop(columns="age"), "l.csv")}, ["'age'"]),
    "no test file": (lambda desk: {"test": desk.folder / "none.csv"}, ["none.csv"]),
    "a column less to test on": (
        lambda desk: {"test": desk.data(desk.people.drop(columns="age"), "t.csv")},
        ["'age'"],
    ),
    "other numbers to test on": (
        lambda desk: {"test": desk.data(desk.people.assign(age=desk.people["age"] + 0.5), "t.csv")},
        ["'age'", "float64"],
    ),
    "an unknown repair": (lambda _: {"repair": "mend"}, ["'mend'", "average"]),
    "an unknown repair to compare": (lambda _: {"compare": "twins,mend"}, ["'mend'", "reduction"]),
    "an unknown label": (lambda _: {"relabel": "mode"}, ["'mode'", "nearest"]),
    "a share that is no number": (lambda _: {"share": "many"}, ["share", "'many'"]),
    "a share of nothing": (lambda _: {"share": 0}, ["share", "above 0"]),
    "a weight of nothing": (lambda _: {"weight": 0}, ["weight", "above 0"]),
    "no rounds": (lambda _: {"rounds": 0}, ["rounds"]),
    "no repeats": (lambda _: {"repeats": 0}, ["repeats"]),
    "no queries": (lambda _: {"max_queries": 0}, ["queries"]),
    "all rows set aside": (lambda _: {"test_share": 1}, ["between 0 and 1"]),
    "hardly any row set aside": (lambda _: {"test_share": 0.0001}, ["120 rows", "set aside"]),
    "a loss below nothing": (lambda _: {"max_loss": -1}, ["loss"]),
    "a seed below nothing": (lambda _: {"seed": -1}, ["seed"]),
    "a text to trust a pickle": (lambda desk: {"model": desk.file("m.joblib", b"abc")}, ["--allow-pickle"]),
}


def with_holes(desk):
    return desk.people.assign(hired=desk.people["hired"].mask(np.arange(120) % 7 == 0))


@pytest.mark.usefixtures("kept")
class TestBadInput:
    @pytest.mark.parametrize("name", BAD)
    @pytest.mark.usefixtures("audited")
    def test_one_sentence_says_what_is_wrong(self, desk, binary, name):
        options, mentions = BAD[name]
        given = options(desk)
        assert fails(desk.retrain(str(given.pop("model", "")) or binary, **given), *mentions)

    @pytest.mark.usefixtures("audited")
    def test_another_model(self, desk, models):
        assert fails(desk.retrain(models["decision"]), "of another model", "audit this model first")

    def test_a_model_that_cannot_be_fitted_again(self, desk, unfair):
        desk.audit(unfair)
        assert fails(desk.retrain(unfair), "cannot be fitted again", "fit(X, y)", '"average"')

    def test_an_audit_that_found_nothing(self, desk, fair):
        desk.audit(fair)
        assert fails(desk.retrain(fair, repair="average"), "nothing to repair")

    def test_weights_for_a_model_that_takes_none(self, desk, binary):
        X, y = desk.people.drop(columns="hired"), desk.people["hired"]
        knn = make_pipeline(clone(binary[0]), KNeighborsClassifier()).fit(X, y)
        desk.audit(knn)
        assert fails(desk.retrain(knn, weight=2), "takes no sample weights", "leave the weight")

    def test_a_model_that_no_file_can_hold(self, desk, unfair):
        desk.audit(unfair)
        labels = desk.data(desk.people.assign(hired=(desk.people["hired"] == "yes").astype(int)))
        assert fails(desk.retrain(unfair, repair="average", data=labels), "The model cannot be saved to a file")

    def test_texts_that_were_not_audited(self, desk, reader, comments):
        desk.read(reader, comments, max_queries=300)
        other = desk.data(comments[:80], "fewer.csv")
        assert fails(desk.retrain(reader, data=other, target="stars"), "of other rows", "90 rows", "80")

    def test_a_column_of_texts_that_is_not_there(self, desk, reader, comments):
        desk.read(reader, comments, max_queries=300)
        other = desk.data(comments.rename(columns={"comment": "letter"}), "letters.csv")
        assert fails(desk.retrain(reader, data=other, target="stars"), "'comment'", "letter")


@pytest.mark.usefixtures("audited")
def test_a_folder_that_cannot_be_made(desk, binary):
    desk.file("taken", "a file")
    run = desk.retrain(binary, repair="twins", out=desk.folder / "taken" / "deep")
    assert run.code == 2
    assert (
        run.stderr
        == f"expga: The folder {desk.folder / 'taken' / 'deep'} cannot be made: {desk.folder / 'taken'} is a file.\n"
    )
    assert (desk.folder / "taken").read_text(encoding="utf-8") == "a file"


@pytest.mark.parametrize("options", [{"rounds": 1.5}, {"weight": "heavy"}, {"audit": None}, {"target": None}])
def test_words_that_are_no_options_have_exit_code_2_and_no_traceback(desk, binary, options):
    run = desk.retrain(binary, **options)
    assert (run.code, run.stdout) == (2, "")
    assert "Traceback" not in run.stderr


def test_rows_that_a_csv_file_holds_are_those_that_were_audited(desk, binary):
    frame = pd.DataFrame(desk.people)
    desk.audit(binary, data=desk.data(frame, "people.parquet"), max_queries=900)
    assert desk.retrain(binary, data=desk.data(frame, "people.csv"), repair="twins").code == 0
