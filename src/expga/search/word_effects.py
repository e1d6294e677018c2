"""What replacing a word does to a model's score, learned text by text from the answers so far."""

from __future__ import annotations

import numpy as np

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray

CHOICES = 9
"""Values of one gene that are told apart: the word itself, and its substitutes."""
RECENT = 4_096
"""Answers that the decision boundary is estimated from."""
NOISE = 0.1
"""How much of an error no word explains, against a word that was never tried."""
SURE = 4
"""How many twins' answers the answer to a probe is worth."""
FIRST_ERROR = 0.1
FIRST_WORD = 3
"""Genes before it tell the text and its reading."""
FURTHEST = 15.0


class WordEffects:
    """An additive model for each of t texts: the middle of the twins' scores is that of the text, plus each word's.

    Scores between 0 and 1 are taken as log-odds, in which most classifiers are closer to additive. Where a
    model gives labels only there is nothing to learn, and every child has the same chance.
    """

    def __init__(self, texts: int, genes: int) -> None:
        self._effect = np.zeros((texts, genes * CHOICES), dtype=np.float32)
        self._genes = genes
        self._middle = np.zeros(texts)
        self._gap = np.zeros(texts)
        self._known = np.zeros(texts)
        self._times = np.zeros((texts, genes * CHOICES), dtype=np.uint16)
        self._error, self._learned = FIRST_ERROR, 1
        self._boundary = 0.0
        self._recent: FloatArray = np.zeros((0, 2))
        self._odds, self._graded = True, False

    def chance(self, genomes: IntArray, text: IndexArray) -> FloatArray:
        """(n,) how likely the twins of each genome (n, d) of a text (n,) fall on either side of the boundary."""
        from scipy.special import ndtr

        if not self._graded:
            return np.full(len(genomes), 0.5)
        away = np.abs(self._predicted(genomes, text) - self._boundary)
        half = self._gap[text] / 2
        return np.asarray(ndtr((half - away) / self._error) - ndtr((-half - away) / self._error))

    def words(self, text: IndexArray) -> IndexArray:
        """(n,) how many words of each text (n,) were ever replaced."""
        return np.asarray((self._times[text].reshape(len(text), self._genes, CHOICES) > 0).any(axis=2).sum(axis=1))

    def within_reach(self, text: IndexArray) -> BoolArray:
        """(n,) whether the words of each text (n,) could, all at their best, bring it to the boundary."""
        if not self._graded:
            return np.ones(len(text), dtype=bool)
        effects = self._effect[text].reshape(len(text), self._genes, CHOICES)
        up, down = effects.max(axis=2).clip(0).sum(axis=1), effects.min(axis=2).clip(max=0).sum(axis=1)
        needed, room = self._boundary - self._middle[text], self._gap[text] / 2 + 2 * self._error
        return np.asarray((needed <= up + room) & (needed >= down - room))

    def aimed(self, text: IndexArray, most: IndexArray, rng: np.random.Generator) -> IntArray:
        """(n, d) genes that should bring each text (n,) to the boundary, with at most so many (n,) words replaced.

        The words that lead there fastest come first, more or less: each version judges words under a noise of its
        own, so that no two need be alike. The last word is chosen to come to rest as near as can be.
        """
        some, which = np.unique(text, return_inverse=True)
        needed = (self._boundary - self._middle[some]).astype(np.float32)
        tried = self._times[some] > 0
        place = np.argsort(~tried, axis=1, kind="stable")[:, : int(tried.sum(axis=1).max(initial=1))]
        gain = np.take_along_axis(self._effect[some], place, axis=1) * np.where(needed < 0, -1, 1)[:, None]
        gain = np.where(np.take_along_axis(tried, place, axis=1), gain, -np.inf).astype(np.float32)[which]
        gene, value, left = (place // CHOICES)[which], (place % CHOICES)[which], np.abs(needed)[which]
        wild = rng.random((len(text), 1), dtype=np.float32)
        liked = np.where(gain > 0, gain * (1 - wild * rng.random(gain.shape, dtype=np.float32)), -np.inf)
        genes = np.zeros((len(text), self._genes), dtype=np.int32)
        going = np.flatnonzero(most > 1)
        for words in range(1, int(most.max(initial=1))):
            best = liked[going].argmax(axis=1)
            short = (liked[going, best] > 0) & (gain[going, best] < left[going]) & (words < most[going])
            going, best = going[short], best[short]
            if not len(going):
                break
            genes[going, gene[going, best]] = value[going, best]
            left[going] -= gain[going, best]
            same = gene[going] == gene[going, best][:, None]
            gain[going] = np.where(same, -np.inf, gain[going])
            liked[going] = np.where(same, -np.inf, liked[going])
        miss = np.abs(gain - left[:, None])
        each, last = np.arange(len(text)), miss.argmin(axis=1)
        at = gene[each, last]
        genes[each, at] = np.where(np.isfinite(miss[each, last]), value[each, last], genes[each, at])
        return genes

    def _predicted(self, genomes: IntArray, text: IndexArray) -> FloatArray:
        places = self._places(genomes)[:, FIRST_WORD:]
        return np.asarray(self._middle[text] + self._effect[text[:, None], places].sum(axis=1))

    def _places(self, genomes: IntArray) -> IndexArray:
        """(n, d) where the effect of each gene's value stands; that of a word left alone is always 0."""
        return np.asarray(np.arange(genomes.shape[1]) * CHOICES + np.minimum(genomes, CHOICES - 1))

    def learn_alone(self, genomes: IntArray, text: IndexArray, second: BoolArray, scores: FloatArray) -> None:
        """Takes in the scores (n,) of genomes (n, d) without their twins.

        Each text (n,) comes as it is, under its second reading (`second`), and with single words replaced.
        """
        scores = self._scaled(scores)
        plain = (genomes[:, FIRST_WORD:] == 0).all(axis=1)
        first, other = plain & ~second, plain & second
        own = np.zeros(len(self._middle))
        own[text[first]] = scores[first]
        self._gap[text[other]] = np.abs(scores[other] - own[text[other]])
        self._middle[text[other]] = (scores[other] + own[text[other]]) / 2
        self._known[text[first]] += SURE
        row, gene = np.nonzero(genomes[:, FIRST_WORD:])
        place = self._places(genomes)[row, gene + FIRST_WORD]
        self._effect[text[row], place] = scores[row] - own[text[row]]
        self._times[text[row], place] = SURE

    def _scaled(self, scores: FloatArray) -> FloatArray:
        self._graded = self._graded or bool(((scores != 0) & (scores != 1)).any())
        self._odds = self._odds and bool(((scores >= 0) & (scores <= 1)).all())
        return _log_odds(scores) if self._odds else scores

    def learn(self, genomes: IntArray, text: IndexArray, labels: IndexArray, scores: FloatArray) -> None:
        """Takes in the labels (n, 2) and scores (n, 2) of the twins of genomes (n, d) of texts (n,)."""
        if not len(genomes):
            return
        scores = self._scaled(scores)
        self._learn_boundary(labels.ravel(), scores.ravel())
        middle, gap = scores.mean(axis=1), np.abs(scores[:, 0] - scores[:, 1])
        count = np.bincount(text, minlength=len(self._known))
        share = count / (self._known + count + 1e-12)
        mean_gap = np.bincount(text, weights=gap, minlength=len(self._known)) / np.maximum(count, 1)
        self._gap += share * (mean_gap - self._gap)
        error = middle - self._predicted(genomes, text)
        self._learned = min(self._learned + len(error), RECENT)
        self._error += (float(np.sqrt(np.mean(error**2))) - self._error) * min(1.0, len(error) / self._learned) + 1e-9
        self._spread(genomes, text, error)
        self._known += count

    def _spread(self, genomes: IntArray, text: IndexArray, error: FloatArray) -> None:
        """Shares each error out among the text and its changed words, the less known the more."""
        changed = genomes > 0
        changed[:, :FIRST_WORD] = False
        row, gene = np.nonzero(changed)
        cell = text[row] * self._effect.shape[1] + self._places(genomes)[row, gene]
        effect, times = self._effect.reshape(-1), self._times.reshape(-1)
        doubt, own_doubt = 1.0 / (1.0 + times[cell]), 1.0 / (1.0 + self._known[text])
        each = error / (NOISE + own_doubt + np.bincount(row, weights=doubt, minlength=len(text)))
        cells, inverse, count = np.unique(cell, return_inverse=True, return_counts=True)
        effect[cells] += np.bincount(inverse, weights=doubt * each[row], minlength=len(cells)) / count
        times[cells] = np.minimum(times[cells] + count, np.iinfo(np.uint16).max)
        seen = np.maximum(1, np.bincount(text, minlength=len(self._middle)))
        self._middle += np.bincount(text, weights=own_doubt * each, minlength=len(self._middle)) / seen

    def _learn_boundary(self, labels: IndexArray, scores: FloatArray) -> None:
        """The score that best parts the latest labels; stays where there is one label only."""
        both = np.column_stack([labels, scores])
        self._recent = np.concatenate([self._recent, both])[-RECENT:]
        order = np.argsort(self._recent[:, 1], kind="stable")
        sorted_scores = self._recent[order, 1]
        upper = self._recent[order, 0] == self._recent[order[-1], 0]
        if upper.all():
            return
        wrong = np.cumsum(upper) + np.cumsum(~upper[::-1])[::-1] - ~upper
        best = int(wrong[:-1].argmin())
        self._boundary = float((sorted_scores[best] + sorted_scores[best + 1]) / 2)


def _log_odds(scores: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(np.log(scores) - np.log1p(-scores), -FURTHEST, FURTHEST))
