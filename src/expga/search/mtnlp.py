"""MT-NLP: for each text in turn, versions with similar words, each read as every group."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from expga.contracts import Asking, Batch, BoolArray, Context, IndexArray, Manner, Strategy, Verdict
from expga.search.operators import each_gene

PATIENCE = 10
"""Turns in a row without a new version before a text is left alone."""


class MTNLP(Strategy):
    """MT-NLP (Ma, Wang, Liu: Metamorphic Testing and Certified Mitigation of Fairness Violations in NLP Models, 2020).

    Its two ways to mutate the words for people are the readings of a text: *analogy*, a word becomes its
    counterpart, or that of every other group (actor, actress); *active*, a word that only names a person gets a
    modifier in front (female director, male director). A text and its versions are asked under all of them.
    Nothing that the model answers guides what comes next.

    Deviations: the other words of a version are replaced by similar ones too, which the authors' code does not do,
    so that the odds of a replacement are ours: a fifth, as much as `realism="data"` lets change. Versions a turn
    are as many as the example of the authors' code has test cases a text, 15. All words for a person change
    together where that code changes one at a time; words come from our lexicon and not from word2vec and
    ConceptNet; no language model sorts out what reads badly. Texts come in random order, one turn after the other,
    until they have nothing new. In the batched manner versions of many texts are asked about at once.
    """

    name = "mtnlp"
    asking: Asking = "all"
    manners: tuple[Manner, ...] = ("batched", "faithful")
    kinds = ("text",)
    judges_repairs = True

    def __init__(self, versions: int = 15, replacement_rate: float = 0.2) -> None:
        self.versions = versions
        self.replacement_rate = replacement_rate

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        texts = context.rng.permutation(context.domain.anchors)
        turns_without = np.zeros(len(texts), dtype=np.intp)
        while len(texts):
            brought_new = yield from self._round(context, texts)
            turns_without = np.where(brought_new, 0, turns_without + 1)
            texts, turns_without = (of[turns_without < PATIENCE] for of in (texts, turns_without))

    def _round(self, context: Context, texts: IndexArray) -> Generator[Batch, Verdict, BoolArray]:
        """A turn for each text (t,): itself and its versions. Returns (t,) whether one of them was new."""
        domain, rng = context.domain, context.rng
        brought_new = np.zeros(len(texts), dtype=bool)
        for start in range(0, len(texts) * self.versions, context.walks):
            turn = np.arange(start, min(start + context.walks, len(texts) * self.versions))
            place, version = np.divmod(turn, self.versions)
            anchor = texts[place]
            replaced = each_gene(len(turn), domain.mutable, self.replacement_rate, rng) & (version > 0)[:, None]
            genomes = domain.mutated(domain.rows[anchor], replaced, rng)
            verdict = yield Batch(domain.within_reach(genomes, anchor, rng), anchor)
            brought_new[place[verdict.tested]] = True
        return brought_new
