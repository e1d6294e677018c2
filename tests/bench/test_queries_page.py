"""The page of methods at several numbers of queries: where ExpGA is behind comes first, then the curve, then means."""

from __future__ import annotations

import json
import re

import pytest

from expga.bench import workplace
from expga.bench.plan import Choice, queries_plan
from expga.bench.queries import pictures
from expga.bench.queries.page import names, page, present
from expga.bench.queries.summary import ALL_MODELS, geometric, summarise
from expga.bench.workplace import Workplace

CHOICE = Choice(["credit"], models=["mlp", "forest"], strategies=["expga", "random", "adf"], repeats=3)
CELLS = queries_plan(CHOICE, [1_000, 20_000])
BRED = {
    ("expga", 1_000): (99, 100, 400),
    ("expga", 20_000): (4_000, 4_000, 4_000),
    ("random", 1_000): (10, 10, 10),
    ("random", 20_000): (90, 90, 90),
    ("adf", 1_000): (0, 0, 7),
    ("adf", 20_000): (30, 30, 30),
}
"""In each run."""


def figures(bred, queries):
    """What a run tells that had four real rows as they are, and spent half of its queries on searching."""
    return {
        "population_rate": 0.1,
        "tested": 500,
        "found": bred + 4,
        "found_as_they_are": 4,
        "bred": bred,
        "seconds_per_finding": 0.1,
        "queries_per_finding": queries / 2 / bred if bred else None,
        "queries_all_in": queries / (bred + 4),
        "typical_share": 0.875 if bred else None,
        "clone_share": 0.5,
        "anchors": 77,
        "stop_reason": "queries",
    }


def told(cell, **others):
    runs = enumerate(BRED[cell.strategy, cell.queries])
    return [
        {"cell": cell.name, "repeat": repeat, "seed": repeat, "figures": {**figures(bred, cell.queries), **others}}
        for repeat, bred in runs
    ]


def results_of(runs):
    none = {"facts": {"expga": "1.2.3"}, "absent": [], "failed": []}
    return {**none, "plan": [cell.as_dict() for cell in CELLS], "summary": summarise(CELLS, runs), "runs": runs}


@pytest.fixture(scope="module")
def runs():
    """Random testing breeds more than ExpGA with 1,000 queries in one cell, and finds more as it is in another."""
    runs = []
    for cell in CELLS:
        others = {}
        if (cell.strategy, cell.queries, cell.attribute) == ("random", 1_000, "sex"):
            others = {"bred": 110, "found": 110, "queries_per_finding": 4.5} if cell.model == "mlp" else {"found": 999}
        runs += told(cell, **others)
    return runs


@pytest.fixture(scope="module")
def results(runs):
    return json.loads(json.dumps(results_of(runs)))


@pytest.fixture(scope="module")
def text(results):
    return page(results, [pictures.PICTURE])


def lines_with(text, *words):
    lines = [line for line in text.splitlines() if all(word in line for word in words)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def section(text, title):
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def test_what_comes_first_is_where_another_has_more_then_the_curve_then_means(text):
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads[:4] == ["Where another strategy has more findings", "Pictures", "Over all cells", "What was run"]
    assert "![Findings over queries](findings-over-queries.png)" in section(text, "Pictures")


def test_where_another_has_more_stands_there_plainly(text):
    behind = section(text, "Where another strategy has more findings")
    assert "1,000 queries: another strategy bred more than `expga` in 1 of 4 cells; with real rows that" in behind
    assert "it found more in 2." in behind
    assert "20,000 queries: another strategy bred more than `expga` in 0 of 4 cells" in behind
    mlp, forest = lines_with(behind, "| 1,000 |")
    figures = ["110", "100", "110", "104", "4.5", "5", "87.5%", "87.5%"]
    assert mlp == ["1,000", "credit", "sex", "mlp", "random", *figures]
    assert forest[3:9] == ["forest", "random", "10", "100", "999", "104"]


def test_a_failed_leader_is_compared_with_nobody(runs):
    lost = [run for run in runs if not run["cell"].startswith("queries--credit--sex--mlp--expga")]
    (first, _) = summarise(CELLS, lost)["budgets"]
    assert first["compared"] == 3
    assert [(one["model"], one["found"]) for one in first["more"]] == [("forest", [999, 104])]


def test_every_method_has_its_geometric_means_and_its_worst_cell(results, text):
    first, second = results["summary"]["budgets"]
    assert first["methods"]["random"]["bred"] == pytest.approx((110 * 10**3) ** (1 / 4))
    assert first["methods"]["random"]["queries_per_finding"] == pytest.approx((4.5 * 50**3) ** (1 / 4))
    assert first["methods"]["random"]["most_queries_per_finding"] == 50
    assert second["methods"]["expga"]["queries_per_finding"] == pytest.approx(2.5)
    row = lines_with(section(text, "Over all cells"), "| 1,000 | adf |")[0]
    assert row == ["1,000", "adf", "2", "2", "1", "–", "–", "250", "250", "87.5%", "87.5%", "77", "50.0%"], (
        "two of three runs bred nothing, so a finding has no price, though one run had seven"
    )


def test_every_cell_has_a_row_at_each_number_of_queries(text):
    for queries, bred, each, all_in in (("1,000", "100", "5", "9.62"), ("20,000", "4,000", "2.5", "5")):
        rows = lines_with(section(text, f"{queries} queries"), "| credit |")
        assert len(rows) == 10
        (ours,) = [row for row in rows if row[1:4] == ["sex", "forest", "expga"]]
        assert ours == ["credit", "sex", "forest", "expga", bred, each, all_in, "4", "87.5%", "77", "50.0%"]


def test_every_table_is_whole(text):
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1


class TestCurves:
    def test_are_geometric_means_over_the_cells_of_all_models_and_of_each(self, results):
        every, mlp, forest = results["summary"]["curves"]
        assert [(curve["models"], curve["cells"]) for curve in (every, mlp, forest)] == [
            (ALL_MODELS, 4),
            ("mlp", 2),
            ("forest", 2),
        ]
        assert every["queries"] == [1_000, 20_000]
        assert every["bred"]["expga"] == pytest.approx([100, 4_000])
        assert mlp["bred"]["random"] == pytest.approx([(110 * 10) ** 0.5, 90])

    def test_have_a_method_only_among_models_that_it_runs_on(self, results):
        every, mlp, forest = results["summary"]["curves"]
        assert set(mlp["bred"]) == {"expga", "random", "adf"}
        assert set(every["bred"]) == set(forest["bred"]) == {"expga", "random"}

    def test_leave_out_cells_that_some_method_lacks_somewhere(self, runs):
        lost = [run for run in runs if not run["cell"].startswith("queries--credit--sex--mlp--random--batched--1000")]
        every, mlp, forest = summarise(CELLS, lost)["curves"]
        assert [curve["cells"] for curve in (every, mlp, forest)] == [3, 1, 2]
        assert mlp["bred"]["random"] == pytest.approx([10, 90])

    def test_of_one_model_there_is_one(self):
        cells = [cell for cell in CELLS if cell.model == "mlp"]
        (only,) = summarise(cells, [run for cell in cells for run in told(cell)])["curves"]
        assert only["models"] == "mlp"


def test_less_than_one_finding_counts_as_one_in_a_geometric_mean():
    assert geometric([0, 100]) == pytest.approx(10)
    assert geometric([]) is None


def test_all_of_it_is_written_to_files_that_were_announced(tmp_path, runs, monkeypatch):
    monkeypatch.setattr(workplace, "facts", lambda: {"expga": "1.2.3", "python": "3.11.0"})
    with Workplace(tmp_path, CELLS, names(CELLS)) as place:
        for cell in CELLS:
            for run in runs:
                if run["cell"] == cell.name:
                    place.keep(cell, run["repeat"], json.dumps(run).encode(), {})
        present(place)
    left = {path.name for path in tmp_path.iterdir()} - {"expga.db", "expga.db-mark"}
    assert (
        left
        == set(names(CELLS))
        == {f"findings-over-queries.{end}" for end in ("png", "svg")}
        | {
            "results.json",
            "results.md",
        }
    )
    drawn = (tmp_path / "findings-over-queries.svg").read_text()
    for words in ("all models · 4 cells", "mlp · 2 cells", "forest · 2 cells", "expga", "adf"):
        assert words in drawn


def test_where_nothing_ran_the_page_says_so_and_has_no_picture():
    results = results_of([])
    assert pictures.draw(results) == {}
    assert "0 of 60 runs done" in page(results, [])
