"""Comparisons against cases worked out by hand."""

from __future__ import annotations

import pytest

from expga.bench.curve import MOST, Recorder, cost_of
from expga.bench.statistics import Course, a12, compare, equal, median, median_cost
from expga.plan import Snapshot


@pytest.mark.parametrize(
    ("ours", "theirs", "likely"),
    [
        ([1, 2, 3], [4, 5, 6], 1.0),
        ([4, 5, 6], [1, 2, 3], 0.0),
        ([1, 2], [1, 2], 0.5),
        # 1<2, 1<4, 3<4 and 3>2: three of four.
        ([1, 3], [2, 4], 0.75),
        # 2=2 counts half, 2<5: one and a half of two.
        ([2], [2, 5], 0.75),
    ],
)
def test_a12_is_the_share_of_pairs_that_expga_wins(ours, theirs, likely):
    assert a12(ours, theirs) == likely


def test_mann_whitney_of_five_against_five_apart():
    # Of C(10, 5) = 252 arrangements two are as far apart, one to each side.
    told = compare([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    assert told.p_value == pytest.approx(2 / 252)
    assert told.a12 == 1.0


def test_mann_whitney_of_three_against_three_mixed():
    # U = 2 of 9; of C(6, 3) = 20 arrangements 1 + 1 + 2 have U of 0, 1 and 2: p = 2 * 4 / 20.
    told = compare([1, 2, 5], [3, 4, 6])
    assert told.p_value == pytest.approx(0.4)
    assert told.a12 == pytest.approx(7 / 9)


def test_nothing_found_is_slower_than_anything():
    assert compare([100.0, 200.0], [None, None]).a12 == 1.0
    assert compare([None, None], [100.0, 200.0]).a12 == 0.0
    assert compare([None], [None]).a12 == 0.5


def test_one_run_a_side_has_no_p_value():
    assert compare([1.0], [2.0]).p_value is None


def test_a_lucky_run_is_no_median():
    assert median_cost([None, None, 0.1]) is None
    assert median_cost([None, 0.3, 0.1]) == 0.3
    assert median([None, 0.3, 0.1]) == pytest.approx(0.2)


@pytest.fixture
def courses():
    fast = Course((1.0, 2.0, 4.0), (10, 20, 40), (5, 9, 30))
    slow = Course((1.5, 3.0), (300, 900), (1, 2))
    return {"fast": [fast], "slow": [slow, slow]}


def test_findings_are_read_off_the_last_point_not_later(courses):
    (fast,) = courses["fast"]
    assert [fast.found_at(seconds=at) for at in (0.5, 1.0, 3.9, 99)] == [0, 5, 9, 30]
    assert [fast.found_at(queries=at) for at in (9, 10, 39, 40)] == [0, 5, 9, 30]


def test_equal_time_and_queries_are_what_every_run_reached(courses):
    read = equal(courses)
    assert (read.seconds, read.queries) == (3.0, 40)
    assert read.found_by_time == {"fast": 9.0, "slow": 2.0}
    assert read.found_by_queries == {"fast": 30.0, "slow": 0.0}


def test_a_course_is_on_the_methods_own_clock():
    run = {
        "figures": {"offset_s": 1.0, "offset_queries": 100, "seconds": 2.25, "queries": {"total": 130}, "found": 4},
        "curve": [["population", 0.9, 100, 0, 0], ["search", 1.5, 110, 5, 1], ["search", 3.0, 130, 15, 4]],
    }
    assert Course.of(run) == Course((0.5, 2.0, 2.25), (10, 30, 30), (1, 4, 4))


def test_a_run_that_never_came_to_search_has_an_end():
    figures = {"offset_s": 1.0, "offset_queries": 100, "seconds": 4.0, "queries": {"total": 130}, "found": 0}
    assert Course.of({"figures": figures, "curve": [["population", 0.9, 100, 0, 0]]}) == Course((4.0,), (30,), (0,))


@pytest.mark.parametrize("count", [0, 1, MOST - 1, MOST, 2 * MOST, 3 * MOST, 7_777])
def test_a_curve_stays_short_and_ends_where_the_run_does(count):
    recorder = Recorder()
    for number in range(count):
        recorder(Snapshot("search", float(number), 2 * number, number, number, number))
    curve = recorder.curve()
    assert len(curve) <= MOST
    assert len(curve) >= min(count, MOST // 3)
    assert not count or curve[-1] == ("search", count - 1, 2 * count - 2, count - 1, count - 1)
    assert [point[1] for point in curve] == sorted({point[1] for point in curve})


@pytest.mark.parametrize(("explainer", "seconds", "offset", "queries"), [("gap", 8.5, 0.5, 0), ("lime", 7.0, 2, 50)])
def test_the_population_is_a_methods_cost_where_its_seeds_come_from_it(explainer, seconds, offset, queries):
    recorder = Recorder()
    recorder(Snapshot("population", 0.5, 0, 0, 0, 0))
    recorder(Snapshot("population", 1.0, 20, 0, 0, 0))
    recorder(Snapshot("population", 2.0, 50, 0, 0, 0))
    recorder(Snapshot("search", 8.0, 90, 20, 2, 2))
    cost = cost_of({"elapsed_s": 9.0, "settings": {"explainer": explainer}}, recorder)
    assert (cost.seconds, cost.offset_s, cost.offset_queries) == (seconds, offset, queries)
