"""Random testing over texts."""

from __future__ import annotations

from expga.search.random import FEWEST


def test_one_input_at_a_time_it_gives_up_after_so_many_that_were_known(watch, biased):
    for texts in (["He came ."], ["He came .", "An actor was there ."]):
        seen = watch("random", biased, texts, batches=10_000, manner="faithful")
        tested = [number for number, verdict in enumerate(seen.verdicts) if len(verdict.tested)]
        assert seen.exhausted
        assert len(tested) == len(texts)
        assert len(seen.batches) - tested[-1] - 1 == FEWEST
