"""Findings are counted in two kinds: real rows as they are, and what was bred near them; and so is what they cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.contracts import Strategy
from expga.errors import InputError
from expga.results.record import checked_summary, signed
from expga.subjects import showing

STRATEGIES = ("expga", "random")
SAMPLE, SAMPLES = (f"discriminatory {noun} near real ones" for noun in ("sample", "samples"))


def score(frame):
    """Women and men are told apart from an age of 40 on."""
    return np.where((frame["age"] >= 40) & (frame["sex"] == "F"), 0.9, 0.1)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    columns = {"age": rng.integers(18, 80, 200), "shifts": rng.integers(1, 9, 200)}
    return pd.DataFrame({**columns, "sex": rng.choice(["F", "M"], 200)})


@pytest.fixture(scope="module", params=STRATEGIES)
def audit(request, people):
    return expga.audit(score, people, protected="sex", strategy=request.param, max_queries=2_000)


def test_real_rows_as_they_are_are_those_at_no_distance_from_their_anchors(audit):
    summary = audit.summary
    assert summary["found_as_they_are"] == (audit.findings["distance"] == 0).sum() > 0
    assert summary["bred"] == (audit.findings["distance"] > 0).sum() > 0
    assert summary["found"] == summary["found_as_they_are"] + summary["bred"]


def test_a_bred_one_costs_explaining_and_searching_and_all_of_them_cost_everything(audit):
    summary, queries = audit.summary, audit.summary["queries"]
    assert summary["queries_per_finding"] == (queries["explain"] + queries["search"]) / summary["bred"]
    assert summary["queries_all_in"] == queries["total"] / summary["found"]


def test_rows_that_flip_are_found_at_no_price_and_say_nothing_of_the_search(people):
    class Idle(Strategy):
        """Proposes nothing."""

        name = "idle"
        published_seeds = True
        learns = True

        def search(self, context):  # noqa: ARG002 - a search like the others
            yield from ()

    summary = (audit := expga.audit(score, people, protected="sex", strategy=Idle(), max_queries=2_000)).summary
    flips = people.loc[people["age"] >= 40, ["age", "shifts"]].drop_duplicates()
    assert (summary["found"], summary["bred"]) == (len(flips), 0)
    assert summary["queries_per_finding"] is None
    assert summary["queries_all_in"] == summary["queries"]["total"] / summary["found"]
    assert f"Found {summary['found']} real rows that flip as they are, and bred no more disc" in str(audit)


def test_nothing_found_has_no_price(people):
    summary = expga.audit(lambda rows: np.full(len(rows), 0.2), people, protected="sex", max_queries=600).summary
    assert (summary["found"], summary["found_as_they_are"], summary["bred"]) == (0, 0, 0)
    assert summary["queries_per_finding"] is summary["queries_all_in"] is None


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        (
            (128, 7_361, 2.24),
            f"128 real rows that flip as they are, and bred 7,361 more {SAMPLES}, at 2.2 queries each.",
        ),
        ((1, 1, 9.0), f"1 real row that flips as it is, and bred 1 more {SAMPLE}, at 9.0 queries."),
        ((0, 0, None), f"no real rows that flip as they are, and bred no more {SAMPLES}."),
    ],
)
def test_the_sentence_has_both_counts(counts, sentence):
    told = dict(zip(("found_as_they_are", "bred", "queries_per_finding"), counts, strict=True))
    assert showing.found({**told, "settings": {"realism": "data"}}, "row") == f"Found {sentence}"
    anywhere = sentence.replace(" near real ones", "").replace("row", "text")
    assert showing.found({**told, "settings": {"realism": "domain"}}, "text") == f"Found {anywhere}"


@pytest.mark.parametrize("lacks", ["found_as_they_are", "bred", "queries_per_finding", "queries_all_in"])
def test_a_summary_without_them_is_not_one_of_this_version(audit, lacks):
    told = {"format": 2, **audit.summary, "files": {}}
    assert checked_summary(signed(told))["bred"] == audit.summary["bred"]
    del told[lacks]
    with pytest.raises(InputError, match=f"summary.json is not one that this version .*`{lacks}`"):
        checked_summary(signed(told))
