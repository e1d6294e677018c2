"""Strategies that anybody may hand over: held to the bounds, and told in a sentence what they do wrong."""

from __future__ import annotations

import numpy as np
import pytest

import expga
from expga.contracts import Batch, Strategy
from expga.errors import InputError


class Far(Strategy):
    """Puts together what no row of the data looks like, beside rows as they are."""

    name = "far"

    def search(self, context):
        domain, rng = context.domain, context.rng
        anchor = rng.permutation(domain.anchors)[:50]
        strange = np.column_stack([rng.permutation(column) for column in domain.rows.T])[:50]
        strange[:, ~domain.mutable] = domain.rows[anchor][:, ~domain.mutable]
        self.verdict = yield Batch(np.concatenate([domain.rows[anchor], strange]), np.tile(anchor, 2))


def test_what_is_out_of_reach_is_not_asked_about_and_is_counted(people, unfair):
    far = Far()
    found = expga.audit(unfair, people, protected="sex", strategy=far, explainer=None, max_queries=2_000)
    assert found.summary["tested"] == len(far.verdict.tested)
    assert far.verdict.tested[:50].tolist() == list(range(50))
    refused = 100 - len(far.verdict.tested)
    assert 10 < refused <= 50
    assert found.summary["refused"] == refused
    assert found.findings["distance"].max() <= found.summary["radius"] + 1e-9
    assert f"The strategy far proposed {refused} samples beyond the bounds" in " ".join(found.summary["notes"])


def test_without_the_bound_it_may(people, unfair):
    found = expga.audit(unfair, people, protected="sex", strategy=Far(), max_queries=2_000, realism="domain")
    assert found.summary["refused"] == 0
    assert found.summary["tested"] > 80


def test_what_is_protected_stays_as_it_is(people, unfair):
    class Turns(Strategy):
        name = "turns"

        def search(self, context):
            domain, anchor = context.domain, context.domain.anchors[:20]
            genomes = domain.rows[anchor].copy()
            genomes[:10, domain.protected] = 1 - genomes[:10, domain.protected]
            yield Batch(genomes, anchor)

    found = expga.audit(unfair, people, protected="sex", strategy=Turns(), explainer=None, max_queries=2_000)
    assert (found.summary["tested"], found.summary["refused"]) == (10, 10)


def test_texts_are_held_to_theirs():
    texts = [f"He gave us a decent film on evening {n}." for n in range(30)]

    class Much(Strategy):
        name = "much"

        def search(self, context):
            rows, rng = context.domain.rows, context.rng
            yield Batch(np.concatenate([rows, context.domain.donors(rows, rng)]), np.tile(context.domain.anchors, 2))
            yield Batch(np.full_like(rows, 99), context.domain.anchors)

    def model(texts):
        return [0.9 if "He" in text else 0.1 for text in texts]

    found = expga.audit(model, texts, protected="gender", strategy=Much(), max_queries=5_000)
    assert found.summary["tested"] >= 30
    assert found.summary["refused"] >= 30
    assert found.findings["distance"].max() <= 0.5


WRONG = {
    "something else": (lambda rows: rows, "a ndarray where a Batch, a Probe or Gradients are expected"),
    "nothing": (lambda _: None, "a NoneType where"),
    "one anchor for all": (
        lambda rows: Batch(rows, np.array([0])),
        r"whose genomes has the shape \(150, 4\), not \(1, 4\)",
    ),
    "anchors that there are not": (
        lambda rows: Batch(rows, np.arange(150) + 1),
        "whose anchor names something else than",
    ),
    "names for anchors": (lambda rows: Batch(rows, np.array(["a"] * 150)), "whose anchor is no array of whole numbers"),
    "a list": (lambda rows: Batch(rows.tolist(), np.arange(150)), "whose genomes is no array of whole numbers"),
    "readings that there are not": (
        lambda rows: Batch(rows, np.arange(150), np.tile([0, 2], (150, 1))),
        "whose pair names something else than the numbers from 0 to 1",
    ),
    "three readings": (
        lambda rows: Batch(rows, np.arange(150), np.tile([0, 1, 1], (150, 1))),
        r"whose pair has the shape \(150, 3\), not \(150, 2\)",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_batch_is_told_in_one_sentence(people, unfair, what):
    make, told = WRONG[what]

    class Odd(Strategy):
        name = "odd"

        def search(self, context):
            yield make(context.domain.rows)

    with pytest.raises(InputError, match=f"^The strategy odd proposed .*{told}"):
        expga.audit(unfair, people, protected="sex", strategy=Odd(), max_queries=2_000)
