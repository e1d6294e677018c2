"""Rules that no row breaks: which are found, named and denied, and that samples keep them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expga.domain.ruling import said
from expga.domain.schema import Rule, read_schema
from expga.errors import InputError

COUNT = 600
RULES = {
    ("at_most", ("least", "most")),
    ("determines", ("grade", "grade_number")),
    ("determines", ("grade_number", "grade")),
    ("determines", ("town", "county")),
    ("sums", ("rent", "heating", "total")),
    ("exclusive", ("retired", "student")),
}


@pytest.fixture(scope="module")
def ruled():
    """(600, 12) rows with a rule of every kind, beside columns without."""
    rng = np.random.default_rng(0)
    grade, town, least = rng.integers(0, 5, COUNT), rng.integers(0, 12, COUNT), rng.normal(10, 3, COUNT).round(1)
    rent, heating = rng.integers(3, 9, COUNT) * 100.0, rng.integers(1, 5, COUNT) * 10.0
    position = rng.random(COUNT)
    return pd.DataFrame(
        {
            "sex": rng.choice(["Female", "Male"], COUNT),
            "least": least,
            "most": least + rng.exponential(2, COUNT).round(1),
            "grade": np.array(["d", "a", "c", "e", "b"])[grade],
            "grade_number": grade,
            "town": np.array(list("abcdefghijkl"))[town],
            "county": np.array(["north", "south", "west"])[town % 3],
            "rent": rent,
            "heating": heating,
            "total": rent + heating,
            "retired": (position < 0.3).astype(int),
            "student": (position > 0.7).astype(int),
            "mood": rng.normal(10, 3, COUNT).round(1),
        }
    )


@pytest.fixture(scope="module")
def domain(domain_of, ruled):
    return domain_of(ruled, schema={"one_hot": {"*": False}})


def found(domain):
    return {(rule.kind, rule.columns) for rule in domain.pinned().rules.named}


def bred(domain, rng, count=2_000):
    """(n, d) real rows with values of others."""
    anchor = rng.integers(0, len(domain.rows), count)
    mask = (rng.random((count, domain.rows.shape[1])) < 0.2) & domain.mutable
    return np.where(mask, domain.donors(domain.rows[anchor], rng), domain.rows[anchor]), anchor


class TestFound:
    def test_all_that_hold_and_no_other(self, domain):
        assert found(domain) == RULES

    def test_no_row_breaks_any(self, domain):
        assert len(domain.rules.held) == len(RULES)
        assert not domain.rules.broken(domain.rows).any()

    @pytest.mark.parametrize(
        ("column", "value", "lost"),
        [
            ("most", 0.0, ("at_most", ("least", "most"))),
            ("total", 1.0, ("sums", ("rent", "heating", "total"))),
            ("county", "east", ("determines", ("town", "county"))),
        ],
    )
    def test_a_single_row_that_breaks_one_is_enough(self, domain_of, ruled, column, value, lost):
        other = ruled.copy()
        other.loc[17, column] = value
        assert lost not in found(domain_of(other, schema={"one_hot": {"*": False}}))

    def test_numbers_that_never_meet_make_no_rule(self, domain_of, ruled):
        far = ruled.assign(far=np.random.default_rng(3).normal(100, 3, COUNT))
        assert not any("far" in columns for _, columns in found(domain_of(far)))

    def test_a_column_that_tells_rows_apart_tells_nothing_else(self, domain_of, ruled):
        own = ruled.assign(own=np.random.default_rng(3).normal(size=COUNT))
        assert not any(columns[0] == "own" for _, columns in found(domain_of(own)))

    def test_nor_does_one_that_only_whole_rows_repeat(self, domain_of, ruled):
        own = ruled.assign(own=np.random.default_rng(3).normal(size=COUNT))
        twice = pd.concat([own, own[:250]], ignore_index=True)
        assert not any(columns[0] == "own" for _, columns in found(domain_of(twice)))

    def test_what_is_protected_takes_no_part(self, domain_of, ruled):
        domain = domain_of(ruled, protected=("grade", "least"), schema={"one_hot": {"*": False}})
        assert found(domain) == {rule for rule in RULES if not {"grade", "least"} & set(rule[1])}

    def test_missing_values_break_nothing(self, domain_of, ruled):
        holes = ruled.copy()
        holes.loc[::7, "least"] = np.nan
        assert ("at_most", ("least", "most")) in found(domain_of(holes))

    def test_few_rows_show_none(self, domain_of, ruled):
        assert found(domain_of(ruled[:15])) == set()

    def test_within_bounds_only_there_are_none(self, domain_of, ruled, rng):
        domain = domain_of(ruled, realism="domain")
        genomes = domain.donors(domain.rows, rng)
        assert domain.rules.held == []
        np.testing.assert_array_equal(domain.within_reach(genomes, np.arange(COUNT), rng), genomes)

    def test_of_a_chain_the_links_are_enough(self, domain_of, rng):
        steps = np.cumsum(rng.exponential(1, (COUNT, 4)), axis=1)
        frame = pd.DataFrame(steps, columns=list("abcd")).assign(sex=rng.choice(["x", "y"], COUNT))
        assert found(domain_of(frame)) == {("at_most", two) for two in (("a", "b"), ("b", "c"), ("c", "d"))}

    def test_of_columns_that_tell_each_other_one_leads(self, domain_of, ruled):
        domain = domain_of(
            ruled[["sex", "grade", "mood"]].assign(one=ruled["grade"].str.upper(), two=ruled["grade"] + "!")
        )
        others = [("grade", other) for other in ("one", "two")]
        assert found(domain) == {("determines", two) for pair in others for two in (pair, pair[::-1])}
        genomes, anchor = domain.rows[:200].copy(), np.arange(200)
        genomes[:, 4] = (genomes[:, 4] + 1) % 5
        assert (domain.mended(genomes, anchor)[:, [1, 3, 4]] == genomes[:, [4]]).all()

    def test_a_note_names_some(self, domain):
        (note,) = (note for note in domain.notes() if note.startswith("No row breaks"))
        assert "least is at most most" in note
        assert "total is rent + heating" in note


class TestKept:
    def test_samples_that_break_one_are_not_typical(self, domain, rng):
        genomes, _ = bred(domain, rng)
        broken = domain.rules.broken(genomes)
        assert 0.1 < broken.mean() < 1
        assert not domain.typical(genomes)[broken].any()

    def test_what_follows_from_another_gene_is_mended(self, domain, rng):
        genomes, anchor = bred(domain, rng)
        mended = domain.mended(genomes, anchor)
        follows = [rule for rule in domain.rules.held if str(type(rule).__name__) in ("Determines", "Sum")]
        assert len(follows) == 4
        assert any(rule.broken(genomes).any() for rule in follows)
        assert not any(rule.broken(mended).any() for rule in follows)
        np.testing.assert_array_equal(mended[:, [0, 1, 2, 10, 11, 12]], genomes[:, [0, 1, 2, 10, 11, 12]])

    @pytest.mark.parametrize(("changed", "other"), [(3, 4), (4, 3)])
    def test_of_two_that_tell_each_other_the_one_that_changed_leads(self, domain, changed, other):
        anchor = np.arange(200)
        genomes = domain.rows[anchor].copy()
        genomes[:, changed] = (genomes[:, changed] + 1) % 5
        mended = domain.mended(genomes, anchor)
        np.testing.assert_array_equal(mended[:, changed], genomes[:, changed])
        assert (mended[:, other] != genomes[:, other]).all()

    def test_a_total_is_what_its_parts_come_to(self, domain):
        anchor, donor = np.arange(0, 100), np.arange(100, 200)
        genomes = domain.rows[anchor].copy()
        genomes[:, 8] = domain.rows[donor, 8]
        frame = domain.frame(domain.mended(genomes, anchor))
        np.testing.assert_allclose(frame["rent"] + frame["heating"], frame["total"])
        assert (frame["heating"].to_numpy() == domain.frame(genomes)["heating"].to_numpy()).mean() > 0.9

    def test_a_total_that_no_row_has_goes_back_with_its_parts(self, domain_of, rng):
        cents = pd.DataFrame(rng.integers(0, 10**6, (COUNT, 3)), columns=["rent", "heating", "luck"])
        frame = cents.assign(total=cents["rent"] + cents["heating"], sex=rng.choice(["f", "m"], COUNT))
        domain = domain_of(frame, schema={"features": {name: {"type": "integer"} for name in [*cents, "total"]}})
        assert found(domain) >= {("sums", ("rent", "heating", "total"))}
        anchor = np.arange(100)
        genomes = domain.rows[anchor].copy()
        genomes[:, [0, 2]] = domain.rows[100:200, [0, 2]]
        mended = domain.mended(genomes, anchor)
        np.testing.assert_array_equal(mended[:, [0, 1, 3]], domain.rows[:100, [0, 1, 3]])
        np.testing.assert_array_equal(mended[:, 2], genomes[:, 2])

    def test_within_reach_keeps_what_follows_together(self, domain, rng):
        genomes, anchor = bred(domain, rng, 5_000)
        kept = domain.within_reach(genomes, anchor, rng)
        follows = [rule for rule in domain.rules.held if str(type(rule).__name__) in ("Determines", "Sum")]
        assert not any(rule.broken(kept).any() for rule in follows)
        assert domain.admits(kept, anchor).all()
        assert (kept != domain.rows[anchor]).any(axis=1).mean() > 0.3

    def test_what_may_not_change_is_not_mended(self, domain_of, ruled, rng):
        domain = domain_of(ruled, schema={"features": {"grade_number": {"immutable": True}}})
        genomes, anchor = bred(domain, rng)
        np.testing.assert_array_equal(domain.mended(genomes, anchor)[:, 4], domain.rows[anchor, 4])

    def test_real_rows_are_left_as_they_are(self, domain):
        anchor = np.arange(COUNT)
        np.testing.assert_array_equal(domain.mended(domain.rows, anchor), domain.rows)

    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), min_size=40, max_size=80))
    @settings(max_examples=30, deadline=None)
    def test_rows_keep_all_rules_and_mending_changes_none_of_them(self, domain_of, cells):
        rows = [cells[0], *cells] * 10
        frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(sum=lambda f: f["a"] + f["b"])
        frame["sex"] = np.arange(len(frame)) % 2
        domain = domain_of(frame)
        assert not domain.rules.broken(domain.rows).any()
        np.testing.assert_array_equal(domain.mended(domain.rows, np.arange(len(frame))), domain.rows)


class TestSchema:
    def test_false_finds_none(self, domain_of, ruled):
        domain = domain_of(ruled, schema={"rules": False})
        assert found(domain) == set()
        assert not any(note.startswith("No row breaks") for note in domain.notes())

    def test_one_can_be_denied(self, domain_of, ruled):
        schema = {"one_hot": {"*": False}, "rules": {"off": [["grade", "grade_number"], ["total"]]}}
        left = found(domain_of(ruled, schema=schema))
        assert left == {rule for rule in RULES if "grade" not in rule[1] and "total" not in rule[1]}

    def test_one_can_be_added(self, domain_of, ruled):
        close = ruled[:40].assign(far=ruled["most"] + 100)
        domain = domain_of(close, schema={"rules": {"find": False, "at_most": [["most", "far"]]}})
        assert [rule.genes for rule in domain.rules.held] == [(2, 13)]
        assert not any(note.startswith("No row breaks") for note in domain.notes())

    def test_a_pinned_schema_reads_other_rows_alike(self, domain_of, ruled, domain):
        pinned = read_schema(domain.pinned().as_dict())
        assert pinned == domain.pinned()
        other = domain_of(ruled[:30], schema=pinned)
        assert {type(rule).__name__ for rule in other.rules.held} == {"AtMost", "Determines", "Sum", "Exclusive"}

    def test_other_rows_that_break_what_is_pinned_are_read_without_it(self, domain_of, ruled, domain):
        other = ruled.copy()
        other.loc[5, "most"] = 0.0
        again = domain_of(other, schema=domain.pinned())
        assert len(again.rules.held) == len(RULES) - 1
        assert any("least is at most most, which does not hold in these rows" in note for note in again.notes())

    def test_so_are_other_rows_in_which_a_flag_is_none(self, domain_of, ruled, domain):
        other = ruled.assign(student=ruled["student"] * 2)
        again = domain_of(other, schema=domain.pinned())
        assert not any(type(rule).__name__ == "Exclusive" for rule in again.rules.held)

    def test_columns_that_tell_each_other_are_named_once(self, domain):
        (note,) = (note for note in domain.notes() if note.startswith("No row breaks"))
        assert note.count("grade_number") == 1
        assert "grade and grade_number tell each other; town tells county" in note

    @pytest.mark.parametrize(
        ("rules", "sentence"),
        [
            ({"at_most": [["leest", "most"]]}, "names the column 'leest', which the data does not have"),
            ({"at_most": [["leest", "most"]]}, "did you mean 'least'?"),
            ({"off": [["mod"]]}, "did you mean 'mood'?"),
            ({"at_most": [["most", "least"]]}, "say that most is at most least, which"),
            ({"at_most": [["grade", "least"]]}, "take 'grade' for a number, which it is not"),
            ({"exclusive": [["mood", "student"]]}, "take 'mood' for a flag, which it is not"),
            ({"at_most": [["least"]]}, "rules.at_most must be lists of 2 different columns each, not ['least']"),
            ({"sums": [["rent", "total"]]}, "rules.sums must be lists of 3 or more different columns each"),
            ({"at_least": []}, "rules has an unknown entry 'at_least'; it may have find, at_most, determines, sums"),
            ({"find": "no"}, "The schema's find of rules must be true or false"),
            ("off", "The schema's rules must be a table of names and values"),
        ],
    )
    def test_one_that_cannot_be_followed_says_why(self, domain_of, ruled, rules, sentence):
        with pytest.raises(InputError, match=re.escape(sentence)):
            domain_of(ruled, schema={"one_hot": {"*": False}, "rules": rules})

    def test_a_part_of_a_feature_is_no_column(self, domain_of, ruled):
        frame = ruled.assign(job_cook=ruled["town"] < "d", job_smith=ruled["town"] > "f")
        with pytest.raises(InputError, match="'job_cook', which is a part of the feature 'job'"):
            domain_of(frame, schema={"rules": {"exclusive": [["job_cook", "student"]]}})


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (Rule("at_most", ("a", "b")), "a is at most b"),
        (Rule("determines", ("a", "b")), "a tells b"),
        (Rule("sums", ("a", "b", "c")), "c is a + b"),
        (Rule("exclusive", ("a", "b")), "a row is one of a, b at most"),
    ],
)
def test_rules_are_said_in_words(rule, sentence):
    assert said(rule) == sentence
