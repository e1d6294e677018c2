"""The parts of the published search that an ablation takes out."""

from __future__ import annotations

import numpy as np
import pytest

import expga
from expga.contracts import Context, Seeds, Verdict
from expga.errors import InputError
from expga.search.published import PublishedExpGA


@pytest.fixture
def context(domain_of, people, rng):
    domain = domain_of(people, realism="domain")
    rows = rng.permutation(domain.anchors)
    seeds = Seeds(rows, np.full(len(rows), 0.05), np.tile(np.array([0, 1]), (len(rows), 1)))
    return Context(domain, seeds, rng, batch_size=64)


def answered(batch, gap, labels):
    """A verdict that tests everything, with these gaps (n,) and labels (n, 2), and finds nothing unfair."""
    everything = np.ones(len(batch), dtype=bool)
    pair = np.tile(np.array([0, 1]), (len(batch), 1))
    scores = np.zeros((len(batch), 2))
    return Verdict(everything, np.arange(len(batch)), ~everything, everything, gap, pair, labels, scores, cut=False)


def second_generation(strategy, context, gap, labels):
    search = strategy.search(context)
    first = next(search)
    return first, search.send(answered(first, gap(len(first)), labels(len(first))))


def only_the_first(count):
    return (np.arange(count) == 0).astype(float)


def nobody_flips(count):
    return np.zeros((count, 2), dtype=np.intp)


def only_the_third_flips(count):
    return np.column_stack([np.arange(count) == 2, np.zeros(count)]).astype(np.intp)


def test_the_gap_chooses_parents_by_default(context):
    first, second = second_generation(PublishedExpGA(mutation_rate=0), context, only_the_first, nobody_flips)
    assert (second.genomes == first.genomes[0]).all()


def test_labels_leave_everyone_a_chance_and_a_flip_three(context):
    strategy = PublishedExpGA(mutation_rate=0, crossover_rate=0, fitness="labels")
    first, second = second_generation(strategy, context, only_the_first, only_the_third_flips)
    copies = [int((second.genomes == genome).all(axis=1).sum()) for genome in first.genomes]
    assert copies[2] == max(copies) == 3
    assert sum(count > 0 for count in copies) > 0.9 * len(copies)


def test_random_breeding_selects_nobody_and_exchanges_nothing(context):
    strategy = PublishedExpGA(mutation_rate=0, breeding="random")
    first, second = second_generation(strategy, context, only_the_first, nobody_flips)
    assert sorted(second.genomes.tolist()) == sorted(first.genomes.tolist())


def test_random_breeding_still_mutates(context):
    first, second = second_generation(
        PublishedExpGA(mutation_rate=0.5, breeding="random"), context, only_the_first, nobody_flips
    )
    assert sorted(second.genomes.tolist()) != sorted(first.genomes.tolist())


@pytest.mark.parametrize("wrong", [{"fitness": "luck"}, {"breeding": "none"}])
def test_an_unknown_part_says_which_there_are(wrong):
    with pytest.raises(InputError, match="choose"):
        PublishedExpGA(**wrong)


def test_an_audit_takes_a_strategy_of_ones_own(people, schema, biased):
    class Everyone(expga.contracts.Strategy):
        """Asks about every real row once."""

        name = "everyone"
        asking = "all"

        def search(self, context):
            rows = context.domain.anchors
            yield expga.contracts.Batch(context.domain.rows[rows], rows)

    audit = expga.audit(biased, people, protected="sex", schema=schema, strategy=Everyone(), max_queries=2_000)
    assert (audit.summary["strategy"], audit.summary["stop_reason"]) == ("everyone", "exhausted")
    assert audit.summary["found"] > 0


def test_a_published_strategy_as_an_object_keeps_its_recipe(people, schema, biased):
    options = {"protected": "sex", "schema": schema, "max_queries": 3_000}
    named = expga.audit(biased, people, strategy="expga-published", **options)
    built = expga.audit(biased, people, strategy=PublishedExpGA(), **options)
    assert built.summary["settings"] == named.summary["settings"]
    assert built.summary["found"] == named.summary["found"]
