"""Nothing in a table, a model or a name reaches the terminal as a command to it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from expga.errors import ExpgaError, InputError, one_line, visible

CLEAR, RETURN, COLOUR, MIRROR = "\x1b[2J", "\rall is fair", "\x9b31m", "\u202efair"
OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]"
)
SHOWN = [r"\x1b[2J", r"\x0dall is fair", r"\x9b31m", r"\u202efair"]


@pytest.fixture
def hostile(desk):
    """A table whose cells and columns would repaint a terminal, in a file that would too."""
    sexes = desk.people["sex"].map({"male": f"male{CLEAR}", "female": f"female{RETURN}"})
    data = desk.people.assign(sex=sexes, job=desk.people["job"] + COLOUR)
    data = data.rename(columns={"sex": f"sex{COLOUR}", "job": f"job{MIRROR}", "age": f"age{CLEAR}"})
    return desk.data(data, f"people{CLEAR}.parquet")


@pytest.fixture
def labels():
    """A model whose labels would repaint a terminal."""

    def model(frame):
        male = frame[f"sex{COLOUR}"].str.startswith("male").to_numpy()
        return np.where(male, f"yes{MIRROR}", f"no{CLEAR}")

    return model


def audited(desk, model, data, **options):
    names = f"sex{COLOUR},job{MIRROR}"
    return desk.audit(model, data=data, protected=names, out=desk.folder / f"out{CLEAR}", **options)


def test_the_report_shows_them(desk, labels, hostile, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    run = audited(desk, labels, hostile)
    assert run.code == 0
    assert not OBEYED.search(run.stdout + run.stderr)
    for shown in (*SHOWN, r"out\x1b[2J", r"sex\x9b31m", r"no\x1b[2J"):
        assert shown in run.stdout


def test_a_terminal_gets_the_reports_own_colours_and_nothing_else(desk, labels, hostile, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    run = audited(desk, labels, hostile)
    assert run.code == 0
    assert "\x1b[1m" in run.stdout
    assert not OBEYED.search(re.sub(r"\x1b\[[0-9;]*m", "", run.stdout))


def test_texts_are_shown_on_one_line_and_obeyed_by_nobody(desk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    texts = [f"He {CLEAR}saw it{RETURN} in {COLOUR}there {MIRROR}.\n0.00% of all texts."]
    run = desk.read(lambda given: [f"yes{CLEAR}" if "He " in text else f"no{COLOUR}" for text in given], texts)
    assert run.code == 0
    assert not OBEYED.search(run.stdout + run.stderr)
    assert r"“He \x1b[2Jsaw it all is fair in \x9b31mthere \u202efair. 0.00% of all texts.”" in run.stdout


def raises(_):
    raise ValueError(f"{CLEAR}{RETURN}{COLOUR}{MIRROR}\nall is fair")


ERRORS = {
    "a column that is not there": {"target": f"wage{CLEAR}"},
    "a file that is not there": {"data": f"none{CLEAR}{MIRROR}.csv"},
    "a file of another kind": {"data": f"none{COLOUR}.xls"},
    "a strategy that there is none of": {"strategy": f"best{RETURN}{MIRROR}"},
    "a budget that is no time": {"budget": f"soon{MIRROR}"},
    "a schema that is not there": {"schema": f"none{CLEAR}{COLOUR}.toml"},
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors_show_them(desk, labels, hostile, what):
    run = audited(desk, labels, **{"data": hostile, **ERRORS[what]})
    assert (run.code, run.stdout) == (2, "")
    assert not OBEYED.search(run.stderr)
    assert run.stderr.count("\n") == 1
    assert re.search(r"\\x1b|\\x9b|\\u202e", run.stderr)


def test_a_number_that_is_none_is_told_by_its_option(desk, labels, hostile):
    run = audited(desk, labels, hostile, max_queries=f"many{CLEAR}")
    assert (run.code, run.stdout) == (2, "")
    assert not OBEYED.search(run.stderr)
    assert run.stderr.count("\n") == 1
    assert "Invalid value for '--max-queries'" in run.stderr


@pytest.mark.parametrize(
    "model", [raises, f"none{CLEAR}.skops", f"none{CLEAR}:model", f"math:model{CLEAR}", f"none{MIRROR}"]
)
def test_what_a_model_says_of_itself_is_shown(desk, hostile, model):
    run = audited(desk, model, hostile)
    assert (run.code, run.stdout) == (2, "")
    assert not OBEYED.search(run.stderr)
    assert run.stderr.count("\n") == 1


def test_a_command_that_there_is_none_of_is_shown(desk):
    run = desk.run(f"audit{CLEAR}{MIRROR}")
    assert run.code == 2
    assert not OBEYED.search(run.stderr)


def test_a_word_of_the_lexicon_is_shown(desk):
    run = desk.run("lexicon", "show", f"actress{CLEAR}{MIRROR}")
    assert run.code == 0
    assert not OBEYED.search(run.stdout)


def test_a_note_shows_them(desk, labels, hostile, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    run = audited(desk, labels, hostile, positive=f"maybe{MIRROR}")
    assert run.code == 0
    assert not OBEYED.search(run.stdout + run.stderr)
    assert r"The model never gave the label 'maybe\u202efair', which scores are given for" in run.stdout


def test_a_repair_shows_them(desk, people):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    names = {"sex": f"sex{CLEAR}", "job": f"job{MIRROR}"}
    data = people[["sex", "family", "job"]].rename(columns=names)
    hired = pd.Series(np.where(people["hired"] == "yes", f"yes{COLOUR}", f"no{MIRROR}"), name=f"hired{CLEAR}")
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()).fit(data, hired)
    path = desk.data(pd.concat([data, hired], axis=1), "people.parquet")
    desk.audit(model, data=path, target=hired.name, protected=names["sex"], max_queries=2_000)
    run = desk.retrain(model, data=path, target=hired.name, out=desk.folder / f"repaired{CLEAR}")
    assert (run.code, run.stderr) == (0, "")
    assert not OBEYED.search(run.stdout)
    assert r"repaired\x1b[2J" in run.stdout.replace("\n", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00\x1b\x7f", r"a\x00\x1b\x7f"),
        ("\x80\x9b\x9f\xa0é", "\\x80\\x9b\\x9f\xa0é"),
        ("\u061c\u200e\u200f\u202a\u202e\u2066\u2069", r"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"),
        ("\u2028\u2029\ud800\udfff", r"\u2028\u2029\ud800\udfff"),
        ("a\t\r\nb", r"a\x09\x0d\x0ab"),
        ("“naïve” – 数据 👩‍🚀 →", "“naïve” – 数据 👩‍🚀 →"),
    ],
)
def test_what_a_terminal_obeys_is_written_out_and_the_rest_stays(text, shown):
    assert visible(text) == shown


def test_an_error_is_one_visible_line_whatever_is_in_it():
    assert str(InputError("one\n two\x1b\u2028three")) == r"one two\x1b three"
    assert one_line(" a \t b\r") == "a b"
    assert isinstance(InputError("x"), ExpgaError)


@pytest.mark.parametrize(("term", "columns"), [("dumb", "80"), ("xterm", "1"), ("xterm", "7"), ("", "80")])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_progress_and_report_survive_any_terminal(desk, unfair, monkeypatch, term, columns, encoding):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("rich.console.Console.encoding", encoding)
    run = desk.audit(unfair)
    assert run.code == 0
    assert f"{run.summary['population']['rate']:.2%}" in run.stdout
    assert f"{run.summary['found']:,}" in run.stdout
    assert "…" not in run.stdout


def test_a_repair_is_told_whole_on_any_terminal(desk, binary, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1")
    desk.audit(binary)
    run = desk.retrain(binary)
    assert run.code == 0
    assert f"{run.evidence['before']['accuracy']['mean']:.2%}" in run.stdout
    assert "…" not in run.stdout
