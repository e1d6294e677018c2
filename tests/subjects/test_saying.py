"""What is said of a pair of twins: labels, scores with the class that they belong to, predictions."""

from __future__ import annotations

import pytest

from expga.subjects.saying import apart, treated
from expga.subjects.showing import rate_of, score_of

WAYS = ("as female", "as male")


@pytest.mark.parametrize(
    ("supposed", "labels", "scores", "of", "said"),
    [
        (False, ["no", "yes"], [0.3, 0.8], "yes", "gets no as female and yes as male (score for yes: 0.30 and 0.80)"),
        (True, ["no", "yes"], [0.3, 0.8], "no", "would get no as female and yes as male (score for no: 0.30 and 0.80)"),
        (False, [1, 1], [0.31, 0.65], 1, "gets a score for 1 of 0.31 as female and 0.65 as male"),
        (True, [1, 1], [0.31, 0.65], 1, "would get a score for 1 of 0.31 as female and 0.65 as male"),
        (False, ["no", "yes"], None, "yes", "gets no as female and yes as male"),
        (False, None, [31_000.0, 36_400.0], None, "is predicted 31,000 as female and 36,400 as male"),
        (True, None, [31_000.4, 36_400.9], None, "would be predicted 31,000 as female and 36,401 as male"),
    ],
)
def test_what_each_twin_gets(supposed, labels, scores, of, said):
    assert treated(WAYS, supposed, labels, scores, of) == said


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (0.4996, 0.5004, ("0.49960", "0.50040")),
        (0.0, 1.0, ("0", "1")),
        (3.22, -1.77, ("3.22", "-1.77")),
        (1_234_567.891, 1_234_567.912, ("1,234,567.891", "1,234,567.912")),
        (2e-9, 5e-9, ("2e-09", "5e-09")),
        (0.25, 0.25, ("0.25", "0.25")),
    ],
)
def test_two_numbers_show_by_how_much_they_differ(one, other, said):
    assert apart(one, other) == said


def test_of_more_than_two_classes_the_score_is_of_the_first_twins_label():
    assert score_of({"positive": None}, ["a", "b"]) == "a"
    assert score_of({"positive": "b"}, ["a", "b"]) == "b"
    assert score_of({"positive": None}, None) is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"criterion": {"name": "flip", "what": "label"}}, "get another label"),
        ({"criterion": {"name": "ratio", "what": "score"}}, "get another score"),
        ({"criterion": {"name": "ratio", "what": "score"}, "classes": []}, "get another prediction"),
        ({}, "get a score for yes that differs by at least 0.1"),
        ({"positive": None, "classes": ["a", "b", "c"]}, "get a score that differs by at least 0.1"),
        ({"positive": None, "classes": []}, "get a prediction that differs by at least 0.1"),
        ({"scored": False}, "get another label"),
    ],
)
def test_a_rate_says_what_changes(settings, said):
    usual = {
        "criterion": {"name": "gap", "what": "score", "arguments": {"min_gap": 0.1}},
        "positive": "yes",
        "classes": ["no", "yes"],
        "scored": True,
    }
    summary = {"population": {"rate": 0.5, "ci95": [0.4, 0.6]}, "settings": {**usual, **settings}}
    told = rate_of(summary, "9 rows", "sex changes")
    assert told == f"50.00% of 9 rows {said} when only sex changes (95% interval 40.00% to 60.00%)."
