"""Our default search over texts: it asks what words do, and then where twins should part."""

from __future__ import annotations

import numpy as np

from expga.contracts import Context, Seeds
from expga.domain.text import TextDomain
from expga.lexicon import load
from expga.search import expga_text

LONG = " ".join(["She gave us a decent film , an uneven movie and an awful picture that night ."] * 5)
"""70 words of which 35 can be replaced, by 90 others."""


class TestProbes:
    def test_each_text_comes_under_both_readings_and_with_every_substitute_once(self, watch, reviews, biased):
        seen = watch("expga", biased, reviews, batches=200)
        domain = seen.domain
        genomes = np.concatenate([probe.genomes for probe in seen.probes])
        rows, count = np.unique(genomes, axis=0, return_counts=True)
        assert count.max() == 1
        plain = (rows[:, domain.mutable] == 0).all(axis=1)
        assert np.bincount(rows[plain, 0])[domain.anchors].tolist() == [2] * len(domain.anchors)
        assert (~plain).sum() == len(domain.neighbours(domain.anchors))
        assert set(rows[:, 0]) == set(domain.anchors)

    def test_without_a_score_that_decides_there_are_none(self, watch, reviews, biased):
        seen = watch("expga", lambda texts: (biased(texts) > 0.5).astype(int), reviews, graded=False)
        assert not seen.probes
        assert seen.found > 30

    def test_they_come_in_parts_of_about_two_batches(self, watch, biased, reviews):
        for texts in (reviews, [LONG.replace("night", time) for time in ("night", "evening", "day", "hour", "year")]):
            seen = watch("expga", biased, texts)
            most = 2 + 100  # those of one text
            assert max(len(probe) for probe in seen.probes) <= 2 * 64 + most

    def test_a_small_budget_goes_into_tests_too(self, audit_texts, biased):
        texts = [LONG.replace("She", f"She , {number} ,") for number in ("one", "two", "three", "four", "five", "six")]
        summary = audit_texts(biased, texts * 3, max_queries=700).summary
        assert summary["queries"]["total"] <= 700
        assert summary["tested"] > 20


class TestScreening:
    def test_it_needs_fewer_queries_a_finding_than_random_testing(self, audit_texts, write):
        """On a TF-IDF logistic regression that learned from reviews in which men fare better."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        texts = write(800, seed=3)
        praise = np.array([text.count("excellent") + text.count("superb") - text.count("awful") for text in texts])
        man = np.array([text.startswith(("He ", "An actor", "The king", "Michael")) for text in texts])
        noise = np.random.default_rng(0).normal(0, 0.5, len(texts))
        model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, praise + 0.4 * man + noise > 0.4)
        cost = {}
        for strategy in ("expga", "random"):
            summary = audit_texts(model, texts[:300], strategy=strategy, max_queries=6_000).summary
            asked = summary["queries"]["explain"] + summary["queries"]["search"]
            cost[strategy] = asked / max(1, summary["found"])
        assert cost["expga"] < 0.7 * cost["random"]

    def test_most_of_what_it_tests_is_found(self, watch, reviews, biased):
        seen = watch("expga", biased, reviews)
        tested = sum(len(verdict.tested) for verdict in seen.verdicts)
        control = watch("random", biased, reviews)
        assert seen.found / tested > 1.5 * control.found / sum(len(verdict.tested) for verdict in control.verdicts)


class TestHerds:
    def test_more_texts_than_are_searched_at_once_all_have_their_turn(self, watch, reviews, biased, monkeypatch):
        monkeypatch.setattr(expga_text, "MOST_TEXTS", 16)
        seen = watch("expga", biased, reviews, batches=2_000)
        assert seen.exhausted
        probed = np.unique(np.concatenate([probe.genomes[:, 0] for probe in seen.probes]))
        assert probed.tolist() == seen.domain.anchors.tolist()
        assert len(set(seen.anchor)) > 0.5 * len(seen.domain.anchors)

    def test_no_text_supplies_much_of_what_is_found(self, watch, write, biased):
        seen = watch("expga", biased, write(400, seed=5), batches=25)
        found = np.concatenate([b.anchor[v.found] for b, v in zip(seen.batches, seen.verdicts, strict=True)])
        assert len(found) > 300
        assert np.bincount(found).max() <= 0.05 * len(found)

    def test_a_text_that_supplied_its_share_waits_unless_all_did(self, reviews, others):
        domain = TextDomain(reviews, ["gender"], load(), others, "data")
        rows = domain.anchors
        seeds = Seeds(rows, np.full(len(rows), 0.05), np.tile(np.array([0, 1]), (len(rows), 1)))
        herd = expga_text._Herd(Context(domain, seeds, np.random.default_rng(0), 64), slice(0, len(rows)))
        herd._tested[:] = 100
        herd._found[0] = 80
        assert herd._fitness()[0] == 0
        assert (herd._fitness()[1:] > 0).all()
        herd._found[:] = 80
        assert (herd._fitness() > 0).all()

    def test_real_texts_that_flip_come_first_as_they_are(self, audit_texts, reviews, biased):
        result = audit_texts(biased, reviews, max_queries=5_000)
        flipping = result.population.flipped
        assert not result.summary["population"]["sampled"]
        assert 5 < flipping < len(result.findings)
        distinct = int((result.findings["distance"] == 0).sum())
        assert distinct > 0.8 * flipping  # some reviews are equal but for the person
        assert (result.findings["distance"].iloc[:distinct] == 0).all()


class TestAiming:
    def test_texts_far_from_the_boundary_are_brought_there(self, watch, male_names, weigh):
        """Hardly any random version comes to rest between twins that are so near to each other."""
        texts = [
            LONG.replace("She", f"{who} , {number} ,") for who in ("She", "He") for number in ("one", "two", "six")
        ]
        seen = watch("expga", weigh(0.04, male_names, needed=-2.98), texts, batches=400)
        found = {a for b, v in zip(seen.batches, seen.verdicts, strict=True) for a in b.anchor[v.found].tolist()}
        assert len(found) == len(texts)
        assert seen.found / sum(len(verdict.tested) for verdict in seen.verdicts) > 0.1
