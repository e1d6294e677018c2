"""What a bench of repairs says: the paper's table 9, all repairs beside each other, and what went wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from expga.bench.pictures import Picture
from expga.bench.plan import Choice, retrain_plan
from expga.bench.retrain.markdown import span
from expga.bench.retrain.page import names, page, present
from expga.bench.retrain.summary import summarise
from expga.bench.workplace import Workplace

SEARCHES = {"tables": ("expga", "random", "aequitas"), "texts": ("expga", "random", "mtnlp")}


def flat(cell, flips, accuracy=0.85, held_out=0.0, per_query=0.01, groups=0.1):
    """The figures of one model."""
    told = {"accuracy": accuracy, "balanced_accuracy": accuracy - 0.1, "auc": 0.9, "held_out": held_out}
    told |= {"flips_train": flips, "flips_test": flips}
    for who in SEARCHES[cell.material.name]:
        found = round(20_000 * per_query)
        told |= {f"{who}.findings_per_query": per_query, f"{who}.success_rate": 2 * per_query, f"{who}.found": found}
        told |= {f"{who}.seconds_per_finding": 2 / found if found else None}
        told |= {f"{who}.queries_per_finding": 1 / per_query if per_query else None}
    return told | {
        f"{cell.attribute}.demographic_parity_difference": groups,
        f"{cell.attribute}.equalized_odds_difference": 0.1,
    }


def run_of(cell, repeat, before, rounds=1, **after):
    """What a run tells, given the figures before, and after each repair."""
    repairs = {
        name: {
            "after": figures,
            "pairs": 800,
            "rows_added": 1_600,
            "seconds": 1.5,
            "rounds": [figures] * (rounds if name == "both" else 1),
        }
        for name, figures in after.items()
    }
    told = {"repair": "both", "found": 5_000, "train_rows": 8_000, "test_rows": 8_000, "repairing": 2_500}
    figures = told | {"held_out": 1_000, "before": before, "repairs": repairs, "seconds": 60.0}
    return {"cell": cell.name, "repeat": repeat, "seed": repeat, "figures": figures, "notes": []}


(GOOD,) = retrain_plan(Choice(["census"], ["sex"], ["mlp"], repeats=2))
(BAD,) = retrain_plan(Choice(["credit"], ["age"], ["forest"], repeats=3))
(TEXT,) = retrain_plan(Choice(["imdb"], ["gender"], ["cnn"], repeats=1))
ABSENT, FAILED = replace(TEXT, data="sst"), replace(GOOD, data="bank", attribute="age")


@pytest.fixture
def runs():
    """Census is repaired well, Credit hardly, the texts nearly; the published repair harms Census."""
    good = [
        run_of(
            GOOD,
            repeat,
            flat(GOOD, 0.10 + 0.02 * repeat, 0.85, 1.0, 0.2),
            findings=flat(GOOD, 0.15 - 0.05 * repeat, 0.845, 0.02, 0.1),
            both=flat(GOOD, 0.01, 0.845, 0.01, 0.0),
            average=flat(GOOD, 0.0, 0.848, 0.0, 0.0, groups=0.2),
        )
        for repeat in (0, 1)
    ]
    bad = [
        run_of(
            BAD,
            repeat,
            flat(BAD, 0.10, 0.75, 1.0, 0.2),
            rounds=2,
            both=flat(BAD, 0.09, 0.72, 0.3, 0.1),
            average=flat(BAD, 0.001, 0.74, 0.0, 0.0),
        )
        for repeat in (0, 1)
    ]
    text = run_of(
        TEXT,
        0,
        flat(TEXT, 0.02, 0.87, 1.0, 0.0),
        both=flat(TEXT, 0.005, 0.856, 0.09, 0.0),
        average=flat(TEXT, 0.001, 0.869, 0.05, 0.0),
    )
    bad[0]["figures"]["repairs"]["drop"] = bad[1]["figures"]["repairs"]["drop"] = {"failed": "no column to drop"}
    return [*good, *bad, text]


@pytest.fixture
def place(tmp_path, runs):
    """A bench as its store has it; one cell failed, one is absent, one is short."""
    cells = [GOOD, BAD, TEXT, ABSENT, FAILED]
    with Workplace(tmp_path, cells, names(cells)) as place:
        for one in runs:
            cell = next(cell for cell in cells if cell.name == one["cell"])
            place.keep(cell, one["repeat"], json.dumps(one).encode(), {})
        place.lose(FAILED, "failed", "the model melted")
        place.lose(ABSENT, "absent", "no such texts")
        yield place


@pytest.fixture
def results(runs):
    cells = [GOOD, BAD, TEXT, ABSENT, FAILED]
    return {
        "facts": {"expga": "1.2.3"},
        "plan": [cell.as_dict() for cell in cells],
        "absent": [{"cell": ABSENT.name, "reason": "no such texts"}],
        "failed": [{"cell": FAILED.name, "reason": "the model melted"}],
        "summary": summarise(cells, runs),
        "runs": runs,
    }


@pytest.fixture
def text(results):
    return page(results, [Picture("flips-tables", "Who flips", "Rings are before.")])


def section(text, title):
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def line_with(text, *words):
    (line,) = [line for line in text.splitlines() if all(word in line for word in words)]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_papers_table_has_both_repairs_and_its_own_numbers_marked(text):
    nine = section(text, "Table 9 of the paper")
    published = line_with(nine, "| census |", "| findings |")
    assert published[3:9] == ["findings", "10.0%", "85.0%", "84.5%", "100.0%", "2.0%"]
    assert published[9:] == ["0.5 ms", "1 ms", "2", "40.0%", "20.0%", "50.0%"]
    ours = line_with(nine, "| census |", "| both |")
    assert ours[7:] == ["100.0%", "1.0%", "0.5 ms", "nothing found", "–", "40.0%", "0.0%", "100.0%"]
    census, imdb = [line for line in nine.splitlines() if "*measured elsewhere*" in line]
    for figure in ("*84.7%*", "*84.4%*", "*0.1%*", "*0.03 s*", "*0.37 s*", "*12.3*", "*28.7%*", "*11.1%*", "*61.2%*"):
        assert f" {figure} " in census
    assert " *211 s* " in imdb


def test_every_repair_stands_below_the_model_as_it_was(text):
    cell = section(text, "Every repair side by side").split("### census, sex, mlp")[1].split("###")[0]
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in cell.splitlines() if line.startswith("|")]
    head, _, before, findings, both, average = rows
    assert [row[0] for row in (before, findings, both, average)] == ["before", "findings", "both", "average"]
    told = dict(zip(head, findings, strict=True))
    changes = [findings[place] for place, name in enumerate(head) if name == "change, pt"]
    assert changes == ["-0.5", "1.50 ± 44.47"], "of 5 points more and 2 less in the two runs"
    assert told["test rows flip"] == "12.50% ± 31.77", "Student's t with one degree of freedom: 12.71 · 2.5"
    assert told["accuracy"] == "84.5%", "both runs alike: no interval to show"
    assert (told["held-out flip"], told["AUC"], told["balanced"]) == ("2.0%", "0.900", "74.5%")
    assert (told["expga / 1,000"], told["random / 1,000"], told["aequitas / 1,000"]) == ("100.0",) * 3
    assert (told["pairs"], told["rows added"], told["seconds"]) == ("800", "1,600", "1.5")
    assert dict(zip(head, average, strict=True))["parity diff"] == "0.200"
    assert dict(zip(head, before, strict=True))["seconds"] == "–"
    assert "mtnlp / 1,000" in text


def test_one_run_has_no_interval(text):
    assert "±" not in text.split("### imdb, gender, cnn")[1].split("\n## ")[0]


def test_a_repair_that_could_not_be_measured_is_named(text):
    assert "- not measured: drop: no column to drop" in text.split("### credit, age, forest")[1]


def test_the_verdict_says_what_each_repair_came_to(text):
    verdict = section(text, "Verdict")
    assert (
        "- `both` in 3 cells: test accuracy changes by -3.0 to -0.5 points, the share of test rows that flip by -10.00 "
        "to -1.00 points; of held-out findings 1.0% to 30.0% still flip." in verdict
    )
    assert "- `findings` in 1 cells: test accuracy changes by -0.5 points, the share of test rows" in verdict
    assert "`drop`" not in verdict, "it was measured nowhere"
    assert "1 cells failed and 1 are absent" in verdict


def test_spans_leave_out_what_was_not_measured_and_minus_zero():
    assert span([None, 0.5, -0.00001], "+z.1f") == "+0.0 to +50.0"
    assert span([None, 0.0, 0.5], "z.1f", "%") == "0.0% to 50.0%"
    assert span([None], "+z.1f") == "–"


def test_where_a_repair_did_harm_stands_there_plainly(text):
    worse = section(text, "Where a repair made it worse")
    rows = [line for line in worse.splitlines() if line.startswith("| census")]
    assert rows == [
        "| census | sex | mlp | findings | training rows that flip | 11.00% | 12.50% | 1 of 2 |",
        "| census | sex | mlp | findings | test rows that flip | 11.00% | 12.50% | 1 of 2 |",
        "| census | sex | mlp | average | demographic parity difference | 10.00% | 20.00% | 2 of 2 |",
    ]
    assert "credit" not in worse
    assert "made it worse: 2 of real rows that flip, 1 of differences between groups" in section(text, "Verdict")


def test_no_harm_is_a_sentence(results):
    results["summary"]["worse"] = []
    assert "Nowhere: after no repair" in section(page(results, []), "Where a repair made it worse")


def test_what_was_run_says_how_texts_were_sampled(text):
    told = section(text, "What was run")
    assert "of imdb 5,000 random texts to train and 2,000 to test on" in told
    assert "200,000 queries (mlp)" in told
    assert "60,000 queries (cnn)" in told
    assert "expga 1.2.3" in told


def test_what_is_missing_is_listed(text):
    missing = section(text, "Absent and failed cells")
    assert f"- failed: `{FAILED.name}`: the model melted" in missing
    assert f"- absent: `{ABSENT.name}`: no such texts" in missing
    assert f"- incomplete: `{BAD.name}`: 2 of 3 runs" in missing


def test_every_table_is_whole(text):
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1


def test_a_bench_in_which_everything_failed_still_has_a_page(results):
    results |= {"runs": [], "summary": summarise([GOOD, FAILED], [])}
    text = page(results, [])
    assert "the model melted" in text
    assert "## Table 9" not in text


def test_a_store_becomes_results_page_and_pictures(place, tmp_path):
    results = present(place)
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8")) == json.loads(json.dumps(results))
    drawn = {"flips-tables", "flips-texts", "accuracy-and-flips", "rounds-tables"}
    for name in drawn:
        assert f"]({name}.png)" in text
        for suffix in ("png", "svg"):
            assert (tmp_path / f"{name}.{suffix}").stat().st_size > 5_000
    there = {path.stem for path in tmp_path.iterdir()} - {"expga"}
    assert there == drawn | {"results"}, "no rounds of texts to draw"


def test_the_curve_of_rounds_begins_with_the_first(results):
    (credit,) = [row for row in results["summary"]["cells"] if row["data"] == "credit"]
    assert [step["flips_test"]["mean"] for step in credit["curve"]] == [0.09, 0.09]
