"""Random testing over texts."""

from __future__ import annotations

from expga.search.random import STALE


def test_few_texts_are_given_up_sooner_than_many(watch, biased):
    for texts in (["He came ."], ["He came .", "An actor was there ."]):
        seen = watch("random", biased, texts, batches=10_000, manner="faithful")
        tested = [number for number, verdict in enumerate(seen.verdicts) if len(verdict.tested)]
        assert seen.exhausted
        assert len(tested) == len(texts)
        assert len(seen.batches) - tested[-1] - 1 == STALE * len(texts)
