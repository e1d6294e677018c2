"""How the command behaves: quick, quiet where nobody watches, literal with the user's own words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import joblib
import pandas as pd
import pytest

COMMAND = Path(sys.executable).with_name("expga")


def test_help_names_the_commands(desk):
    run = desk.run("--help")
    assert run.code == 0
    for command in ("audit", "replay", "demo"):
        assert command in run.stdout


def test_no_command_at_all_shows_the_help(desk):
    assert "audit" in desk.run().stdout


def test_the_command_line_imports_no_heavy_library():
    heavy = ["numpy", "pandas", "pyarrow", "scipy", "shap", "skops", "sklearn"]
    ask = f"import json, sys, expga.cli; print(json.dumps([n for n in {heavy!r} if n in sys.modules]))"
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == []


@pytest.mark.parametrize(("strategy", "needed"), [("random", []), ("expga", ["scipy", "sklearn"])])
def test_an_audit_of_a_function_imports_no_library_that_it_does_not_need(desk, strategy, needed):
    desk.file("plain.py", "def model(frame):\n    return frame['sex'] == 'male'")
    heavy = ["scipy", "shap", "skops", "sklearn"]
    words = ["expga", "audit", "--model", "plain:model", "--data", str(desk.data(desk.people)), "--target", "hired"]
    words += ["--protected", "sex", "--max-queries", "600", "--out", "out", "--strategy", strategy]
    ask = f"import atexit, sys; sys.argv = {words!r}; from expga.cli import main; "
    ask += f"atexit.register(lambda: print([n for n in {heavy!r} if n in sys.modules], file=sys.stderr)); main()"
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, cwd=desk.folder)
    assert told.stderr == f"{needed}\n"


def test_a_real_process_says_its_result_and_nothing_else(desk, binary):
    joblib.dump(binary, desk.folder / "model.joblib")
    words = [
        "audit",
        "--model",
        "model.joblib",
        "--allow-pickle",
        "--data",
        desk.data(desk.people),
        "--target",
        "hired",
    ]
    words += ["--protected", "sex", "--max-queries", "600", "--out", "out"]
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, cwd=desk.folder)
    found = json.loads((desk.folder / "out" / "summary.json").read_text())["found"]
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{found} distinct" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("act", "options"),
    [
        ("stdout.close()", []),
        ("stdout.detach()", []),
        ("sys.stdout = sys.stderr", []),
        ("sys.stdout = sys.stderr = None", []),
        ("sys.stdout = sys.stderr = None", ["--call-timeout", "1m"]),
    ],
)
def test_a_report_arrives_whatever_the_model_does_to_the_streams(desk, act, options):
    once = f"    if not DONE:\n        DONE.append(True)\n        {act}"
    lines = [
        "import sys",
        "stdout, DONE = sys.stdout, []",
        "def model(frame):",
        once,
        "    return frame['sex'] == 'male'",
    ]
    desk.file("unkind.py", "\n".join(lines))
    words = ["audit", "--model", "unkind:model", "--data", desk.data(desk.people), "--target", "hired"]
    words += ["--protected", "sex", "--max-queries", "600", "--out", "out", *options]
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, cwd=desk.folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "All of it is in out" in done.stdout


def test_a_real_process_fails_with_one_sentence(desk):
    words = ["audit", "--model", "model.joblib", "--data", "none.csv", "--target", "hired"]
    words += ["--protected", "sex", "--out", "out"]
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, cwd=desk.folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "expga: There is no data file none.csv.\n"


def test_it_is_quiet_where_nobody_watches(desk, binary):
    run = desk.audit(binary)
    assert run.stderr == ""
    assert "\x1b" not in run.stdout


def test_it_says_the_rate_the_findings_and_where_they_are(desk, binary):
    run = desk.audit(binary, max_queries=2_000)
    rate, found = run.summary["population"]["rate"], run.summary["found"]
    said = " ".join(run.stdout.replace("│", " ").split())
    assert f"{rate:.2%} of 120 real rows get another label when only sex changes" in said
    assert f"{found:,} distinct" in said
    assert "Row " in said
    assert f"stopped: {run.summary['stop_reason']}" in said
    assert "summary.json and findings.parquet" in said
    assert str(run.out) in said


def test_the_users_words_are_never_taken_for_markup(desk):
    data = desk.people.assign(sex=desk.people["sex"].replace({"male": "[bold]m", "female": "[/red]f"}))
    data = data.rename(columns={"sex": "[blue]sex", "job": "[i]job"})

    def model(frame):
        return ["[b]hire" if sex == "[bold]m" else "[link]reject" for sex in frame["[blue]sex"]]

    run = desk.audit(model, data=desk.data(data), protected="[blue]sex,[i]job", out=desk.folder / "[red]out")
    assert run.code == 0
    for literal in ("[bold]m", "[/red]f", "[blue]sex", "[b]hire", "[link]reject", "[red]out"):
        assert literal in run.stdout.replace("\n", "")


def test_the_users_words_are_literal_in_an_error_too(desk, unfair):
    assert "'[bold]sex'" in desk.audit(unfair, protected="[bold]sex").stderr


def test_the_users_texts_are_never_taken_for_markup(desk):
    texts = ["[bold]He[/bold] saw [/i]it[link=x] in [red]there [/]."]

    def model(given):
        return ["[b]yes" if re.search(r"\bHe\b|husband", text) else "[dim]no" for text in given]

    out = desk.folder / "[red]out"
    run = desk.read(model, pd.Series(texts, name="[u]text").to_frame(), text_column="[u]text", out=out)
    assert (run.code, run.stderr) == (0, "")
    said = " ".join(run.stdout.split())
    for literal in (f"“{texts[0]}”", "[b]yes", "[dim]no", "[red]out"):
        assert literal in said


def test_a_column_of_texts_is_named_literally_in_an_error(desk):
    assert "'[bold]text'" in desk.read(len, ["He came."], text_column="[bold]text").stderr


def test_the_demo_of_texts_prints_three_telling_pairs(desk, monkeypatch):
    from expga.bench import demo

    monkeypatch.setattr(demo, "TRAIN", 600)
    monkeypatch.setattr(demo, "AUDIT", 150)
    run = desk.run("demo", "--text", "--max-queries", "6000", "--out", desk.folder / "out")
    assert (run.code, run.stderr) == (0, "")
    assert "Training a logistic regression on 600 film reviews" in run.stdout
    assert "real texts that mention gender" in " ".join(run.stdout.replace("│", " ").split())
    assert run.stdout.count(" • Text ") == 3
    assert set(run.findings["label"]) == {"negative", "positive"}
    assert run.summary["settings"]["positive"] == "positive"
