"""The page that results make: what one would put in a paper, and what went wrong, plainly."""

from __future__ import annotations

import json
import re

import pytest

from expga.bench import workplace
from expga.bench.page import page
from expga.bench.pictures import Picture
from expga.bench.plan import Cell, Choice, ablation_plan
from expga.bench.summary import gather, summarise
from expga.bench.workplace import Workplace

CURVE = [["population", 0.5, 100, 0, 0], ["search", 1.0, 300, 100, 10], ["search", 2.5, 1_100, 500, 50]]


def figures(found, seconds, **others):
    """What a run tells, with 500 samples tested."""
    return {
        "population_rate": 0.1,
        "tested": 500,
        "found": found,
        "found_as_they_are": min(found, 4),
        "bred": max(0, found - 4),
        "counted": found,
        "literature_tested": 1_000,
        "literature_found": 2 * found,
        "seconds": seconds,
        "offset_s": 0.5,
        "offset_queries": 100,
        "seconds_per_finding": seconds / found if found else None,
        "success_rate": found / 500,
        "queries": {"population": 100, "explain": 0, "search": 1_000, "total": 1_100},
        "queries_per_finding": 1_000 / found if found else None,
        "queries_all_in": 1_100 / found if found else None,
        "model_share": 0.9,
        "typical_share": 0.875,
        "plausible_share": 0.75,
        "realism_auc": 0.625,
        "clone_share": 0.5,
        "anchors": 77,
        "largest_anchor_share": 0.01,
        "mean_distance": 0.3,
        "grid_share": 0.8,
        "accuracy": 0.84,
        "stop_reason": "time",
        **others,
    }


def told(cell, *found, **others):
    return [
        {
            "cell": cell.name,
            "repeat": repeat,
            "seed": repeat,
            "figures": figures(count, 2.0, **others),
            "curve": [[*point[:4], min(point[4], count)] for point in CURVE],
            "notes": [],
        }
        for repeat, count in enumerate(found)
    ]


PUBLISHED = Cell("reproduction", "census", "sex", "mlp", "expga-published", realism="domain", repeats=3)
RANDOM = Cell("reproduction", "census", "sex", "mlp", "random", realism="domain", explainer=None, repeats=3)
OURS = Cell("ours", "credit", "age", "forest", "expga", repeats=3)
RIVAL = Cell("ours", "credit", "age", "forest", "random", explainer=None, repeats=3)
FAILED = Cell("ours", "bank", "age", "svm", "expga", repeats=3)
ABSENT = Cell("text", "sst", "gender", "lr", "expga", repeats=1)
TEXT = Cell("text", "imdb", "gender", "cnn", "expga", repeats=1)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A bench as its store has it: random beats ExpGA on Credit, one cell failed, one is absent, one is short."""
    cells = [PUBLISHED, RANDOM, OURS, RIVAL, FAILED, ABSENT, TEXT]
    runs = [
        *told(PUBLISHED, 50, 40, 45),
        *told(RANDOM, 10, 0, 0),
        *told(OURS, 20, 21, 22),
        *told(RIVAL, 40, 41),
        *told(TEXT, 20, share_changed=0.02, texts=1_000),
    ]
    monkeypatch.setattr(workplace, "facts", lambda: {"expga": "1.2.3", "python": "3.11.0"})
    with Workplace(tmp_path, cells, []) as place:
        for one in runs:
            cell = next(cell for cell in cells if cell.name == one["cell"])
            place.keep(cell, one["repeat"], json.dumps(one).encode(), {})
        place.lose(FAILED, "failed", "the model melted")
        place.lose(ABSENT, "absent", "no such texts")
        return json.loads(json.dumps(gather(place)))


@pytest.fixture
def text(results):
    return page(results, [Picture("pca-ours", "Where findings lie", "Grey is real.")])


def line_with(text, *words):
    (line,) = [line for line in text.splitlines() if all(word in line for word in words)]
    return [cell.strip() for cell in line.strip("|").split("|")]


def section(text, title):
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_verdict_comes_first_and_says_who_is_ahead(text):
    verdict = section(text, "Verdict")
    assert text.index("## Verdict") < text.index("## What was run")
    assert "By DSS, first of 1 cells: expga-published in 1." in verdict
    assert "By DSS, first of 1 cells: random in 1." in verdict


def test_too_few_runs_to_be_sure_are_said_to_be(text):
    assert "With 3 runs a side, p cannot be below 0.1." in section(text, "Verdict")


def test_where_a_method_beats_expga_stands_there_plainly(text):
    verdict = section(text, "Verdict")
    assert "Where a method beats ExpGA" in verdict
    assert line_with(verdict, "| DSS ")[1:] == ["credit", "age", "forest", "random", "0.0494 s", "0.0952 s"]
    assert line_with(verdict, "| SUR ")[5:] == ["8.1%", "4.2%"]
    assert line_with(verdict, "| DSN ")[5:] == ["40", "21"]
    assert "No method beats ExpGA in any of these cells" in verdict  # on Census


def test_the_papers_table_has_our_medians_and_its_own_numbers_marked(text):
    paper = section(text, "The literature's manner")
    assert "### Table 3 of the paper: mlp" in paper
    ours = line_with(paper, "| census | sex | here |")
    assert ours[3:7] == ["500", "45", "**0.0444 s**", "**9.0%**"]
    assert ours[7:] == ["500", "0", "–", "0.0%"], "two of three runs found nothing, so the median has no DSS"
    theirs = line_with(paper, "*measured elsewhere*")
    assert theirs[3:7] == ["*491,323*", "*141,049*", "*0.03 s*", "*28.7%*"]


def test_the_literatures_counting_stands_beside_ours(text):
    more = section(text, "The literature's manner").split("### More figures")[1]
    assert line_with(more, "census", "expga-published")[4:6] == ["1,000", "90"]


def test_plausibility_clones_and_anchors_stand_beside_every_count_of_ours(text):
    row = line_with(section(text, "Near real rows"), "credit", "| expga |")
    for figure in ("10.0%", "500", "21", "0.0952 s", "87.5%", "75.0%", "0.625", "50.0%", "77", "1.0%"):
        assert figure in row


def test_texts_show_all_that_they_did_and_the_papers_numbers(text):
    rows = section(text, "Texts")
    head = line_with(rows, "times faster")
    for name in ("flip rate", "TSN", "DSN", "DSS", "SUR", "queries/finding", "in model", "texts", "top text"):
        assert name in head
    row = line_with(rows, "imdb", "cnn", "expga")
    assert row[head.index("DSS") + 1] == "*16.4 s*"
    assert row[head.index("times faster")] == "164"
    assert row[head.index("words changed")] == "2.0%"


def test_findings_of_texts_are_there_to_be_read_and_are_no_markup(results):
    run = next(run for run in results["runs"] if run["cell"] == TEXT.name)
    long = "so it goes " * 40
    pair = {"word": "he", "word__twin": "she", "label": 1, "label__twin": 0}
    run["examples"] = [
        {**pair, "text": f"{long}and <b>he</b> *came*\n| late {long}", "changed": ["film → movie"]},
        {**pair, "text": "he left .", "changed": []},
    ]
    first, second = [line for line in section(page(results, []), "Texts").splitlines() if line.startswith("- ")]
    assert "and &lt;b&gt;he&lt;/b&gt; \\*came\\* \\| late" in first
    assert first.startswith("- … ")
    assert " … — he → she: 1 → 0 (film → movie)" in first
    assert second == "- he left . — he → she: 1 → 0"


def test_statistics_have_p_and_effect_size(text):
    row = line_with(section(text, "Statistics"), "ours", "credit")
    assert row[4:8] == ["expga", "random", "0.0952 s", "0.0494 s"]
    assert row[-1] == "0"
    assert re.fullmatch(r"0\.\d{3}", row[-2])


def test_equal_time_and_queries_are_read_off_the_curves(text):
    row = line_with(section(text, "Equal time and equal queries"), "reproduction")
    assert row[4:8] == ["2 s", "1,000", "45 / 45", "0 / 0"]


def test_what_is_missing_is_listed(text):
    missing = section(text, "Absent and failed cells")
    assert f"- failed: `{FAILED.name}`: the model melted" in missing
    assert f"- absent: `{ABSENT.name}`: no such texts" in missing
    assert f"- incomplete: `{RIVAL.name}`: 2 of 3 runs" in missing
    assert "1 cells failed and 1 are absent" in section(text, "Verdict")


def test_pictures_versions_and_budget_are_there(text):
    assert "![Where findings lie](pca-ours.png)" in text
    assert "expga 1.2.3, python 3.11.0" in text
    assert "Budget of a run: 5 s" in text


def test_every_table_is_whole(text):
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1


def test_an_ablation_answers_with_numbers():
    cells = ablation_plan(Choice(["credit"], ["sex"], ["mlp"], repeats=2))
    slow = ("SHAP", "random seeds", "random mutation")
    found = {"realism off": [0, 0], **{arm: [5, 5] for arm in slow}}
    typical = {"no judge": {"typical_share": 0.625}}
    runs = [one for cell in cells for one in told(cell, *found.get(cell.arm, [20, 20]), **typical.get(cell.arm, {}))]
    results = {
        "facts": {},
        "plan": [cell.as_dict() for cell in cells],
        "absent": [],
        "failed": [],
        "summary": summarise(cells, runs),
        "runs": runs,
    }
    text = page(results, [])
    assert (
        "LIME or SHAP? In `expga-published`, base finds faster than SHAP in 1 of 1 cells; DSS 4 times, queries a "
        "finding 4 times as much with SHAP; typical are 87.5% with base and 87.5% with SHAP." in text
    )
    judged = section(text, "Ablation").split("### Samples judged")[1].split("###")[0]
    row = line_with(judged, "credit", "sex")
    assert row[5:9] == ["50", "50", "87.5%", "62.5%"], "queries a finding, then how typical they are"
    assert "base finds faster than realism off in 1 of 1 cells" in text, "nothing was found without realism"
    for question in ("Explanation seeds or random", "Genetic search or random", "label flips", "Realism on or off"):
        assert question in section(text, "Ablation")
