"""What every strategy for texts owes, in each of its manners. A new one is tested by being in TEXT_STRATEGIES."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.api import replay
from expga.domain.text.words import words_of
from expga.search import of_kind

RECIPES = [(name, manner) for name, kind in of_kind("text").items() for manner in kind.manners]


@pytest.fixture(scope="module", params=RECIPES, ids="-".join)
def recipe(request):
    """A strategy and a manner."""
    return request.param


@pytest.fixture(scope="module", params=["data", "domain"])
def realism(request):
    return request.param


@pytest.fixture(scope="module")
def audit(audit_texts, reviews, biased, recipe, realism):
    strategy, manner = recipe

    def run(model=biased, texts=reviews, **options):
        return audit_texts(model, texts, strategy=strategy, manner=manner, realism=realism, **options)

    return run


@pytest.fixture(scope="module")
def result(audit):
    return audit()


@pytest.fixture(scope="module")
def seen(watch, reviews, biased, recipe, realism):
    """Thirty batches of 64, or ten times 64 walks one after the other."""
    strategy, manner = recipe
    return watch(strategy, biased, reviews, realism, batches=30 if manner == "batched" else 640, manner=manner)


def labels(model, texts):
    return np.asarray(model(texts)) > 0.5


class TestTrust:
    def test_the_same_seed_and_budget_find_the_same(self, audit, result):
        pd.testing.assert_frame_equal(audit().findings, result.findings)
        assert len(result.findings) > 10

    def test_another_seed_finds_others(self, audit, result):
        assert not result.findings.equals(audit(seed=1).findings)

    def test_every_finding_holds_when_the_model_is_asked_again(self, result, biased):
        held, asked = replay(result, biased)
        assert held == asked == len(result.findings)

    def test_every_finding_without_names_holds_when_the_model_is_asked_directly(self, result, biased):
        plain = result.findings[result.findings["names"].str.len() == 0]
        one, other = (biased(plain[column]) for column in ("text", "text__twin"))
        assert ((one > 0.5) != (other > 0.5)).all()
        np.testing.assert_allclose(plain["gap"].astype(float), np.abs(one - other))
        assert len(plain) > 10

    def test_a_model_that_ignores_the_attribute_is_never_accused(self, audit, fair):
        result = audit(model=fair)
        assert len(result.findings) == 0
        assert result.summary["queries"]["search"] > 100
        assert result.population.rate == 0

    def test_no_two_findings_are_equal(self, result):
        assert not result.findings["text"].duplicated().any()

    def test_findings_change_no_more_than_they_say(self, result, reviews):
        for _, row in result.findings.iterrows():
            anchor, text = words_of(reviews[row["anchor"]]), words_of(row["text"])
            if row["word"].split(", ")[0] in anchor.text:  # the text under its own reading, not a modifier's
                replaced = [
                    f"{old} → {new}"
                    for old, new in zip(anchor.words, text.words, strict=True)
                    if old != new and old.lower() not in ("a", "an")
                ]
                assert replaced == list(row["changed"])
                assert anchor.follows == text.follows


class TestBudget:
    @pytest.mark.parametrize("queries", [2, 3, 9, 41, 501])
    def test_no_query_more_than_allowed(self, audit, queries):
        assert audit(max_queries=queries).summary["queries"]["total"] <= queries

    @pytest.mark.parametrize("queries", [2, 4, 8, 9, 10, 11, 25])
    def test_not_even_where_names_speak_for_a_group(self, audit, queries):
        texts = ["Sarah gave us an excellent film .", "Michael gave us a decent movie ."]
        assert audit(texts=texts, max_queries=queries).summary["queries"]["total"] <= queries

    def test_not_even_with_several_attributes(self, audit, reviews):
        texts = [f"{text} A Norwegian evening ." for text in reviews]
        summary = audit(texts=texts, protected=["gender", "country"], max_queries=60).summary
        assert summary["queries"]["total"] <= 60

    def test_no_more_than_a_batch_fewer(self, result):
        summary = result.summary
        assert summary["stop_reason"] == "queries"
        assert summary["queries"]["total"] >= 2_000 - 2 * 64 - 10

    def test_every_question_to_the_model_is_counted(self, audit, biased):
        asked = []

        def counting(texts):
            asked.append(len(texts))
            return biased(texts)

        summary = audit(model=counting).summary
        assert sum(asked) == summary["queries"]["total"]

    def test_a_number_of_findings_ends_it_to_the_letter(self, audit):
        result = audit(max_findings=7, max_queries=100_000)
        assert len(result.findings) == 7
        assert result.summary["stop_reason"] == "findings"


class TestLimits:
    def test_what_is_protected_stays_the_anchors(self, seen):
        fixed = ~seen.domain.mutable
        np.testing.assert_array_equal(seen.genomes[:, fixed], seen.domain.rows[seen.anchor][:, fixed])
        assert (seen.genomes != 0).any(axis=0)[seen.domain.mutable].all()

    def test_an_anchor_mentions_someone(self, seen, reviews):
        assert np.isin(seen.anchor, seen.domain.anchors).all()
        assert len(seen.domain.anchors) < len(reviews)

    def test_only_without_realism_more_than_a_fifth_changes(self, seen, realism):
        changed = (seen.genomes[:, seen.domain.mutable] > 0).sum(axis=1)
        assert (changed.max() > 3) == (realism == "domain")

    def test_every_substitute_is_one_of_the_words(self, seen):
        assert all(old != new for pairs in seen.domain.substituted(seen.genomes) for old, new in pairs)


class TestModels:
    def test_it_finds_what_is_there(self, seen):
        assert seen.found > 30

    def test_labels_alone_are_enough(self, audit, biased):
        model = lambda texts: np.where(biased(texts) > 0.5, "good", "bad")  # noqa: E731
        result = audit(model=model)
        assert replay(result, model) == (len(result.findings),) * 2
        assert len(result.findings) > 10

    def test_decision_values_are_enough(self, audit, biased):
        class Machine:
            classes_ = ("bad", "good")

            def decision_function(self, texts):
                return 5 * np.log(biased(texts) / (1 - biased(texts)))

            def predict(self, texts):
                return np.array(self.classes_)[(biased(texts) > 0.5).astype(int)]

        result = audit(model=Machine())
        assert replay(result, Machine()) == (len(result.findings),) * 2
        assert len(result.findings) > 10

    def test_three_classes(self, audit, biased):
        def model(texts):
            high = biased(texts)
            middle = np.full(len(high), 0.4)
            return np.column_stack([(1 - high) * 0.6, middle, high * 0.6])

        result = audit(model=model)
        assert replay(result, model) == (len(result.findings),) * 2
        assert len(result.findings) > 10
        assert {1, 2} <= set(result.findings["label"]) | set(result.findings["label__twin"])

    def test_another_threshold(self, audit, biased):
        result = audit(threshold=0.8)
        plain = result.findings[result.findings["names"].str.len() == 0]
        one, other = (biased(plain[column]) >= 0.8 for column in ("text", "text__twin"))
        assert (one != other).all()
        assert len(plain) > 10

    def test_a_gap_that_counts(self, audit, biased):
        result = audit(min_gap=0.1)
        plain = result.findings[result.findings["names"].str.len() == 0]
        one, other = (biased(plain[column]) for column in ("text", "text__twin"))
        assert (np.abs(one - other) > 0.1).all()
        assert ((one > 0.5) == (other > 0.5)).any()
        assert len(plain) > 10


class TestTheEnd:
    def test_without_a_word_to_replace_the_texts_themselves_are_left(self, audit):
        texts = ["He came .", "She left .", "An actor was there .", "Nothing was ."]
        result = audit(texts=texts, max_queries=50_000)
        assert (result.summary["stop_reason"], result.summary["tested"]) == ("exhausted", 3)
        assert sorted(result.findings["anchor"]) == [0, 1, 2]

    def test_a_single_text_is_enough(self, audit, realism):
        result = audit(texts=["He gave us a decent film that evening ."], max_queries=20_000)
        summary = result.summary
        assert summary["stop_reason"] == "exhausted"
        versions = 5 * 3 * 3 - (0 if realism == "domain" else 4 * 2 * 2)
        assert 8 <= summary["tested"] <= versions
        assert len(result.findings) >= 1

    def test_many_tiny_texts(self, audit, write):
        summary = audit(texts=write(800, seed=1), max_queries=4_000).summary
        assert summary["queries"]["total"] <= 4_000
        assert summary["found"] > 50
