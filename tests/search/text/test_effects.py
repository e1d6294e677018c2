"""What replacing a word does to the score, learned from answers."""

from __future__ import annotations

import numpy as np
import pytest

from expga.search.word_effects import WordEffects

GENES = 3 + 4


def odds(scores):
    return 1 / (1 + np.exp(-np.asarray(scores, dtype=float)))


@pytest.fixture
def world():
    """Two texts with log-odds of their own, a gap between their twins, and additive effects of three choices a word."""
    rng = np.random.default_rng(0)
    effect = rng.normal(0, 1, (2, 4, 4))
    effect[:, :, 0] = 0
    middle, gap = np.array([1.0, -2.0]), np.array([0.6, 1.5])

    def log_odds(genomes, side):
        text = genomes[:, 0]
        words = effect[text[:, None], np.arange(4), genomes[:, 3:]].sum(axis=1)
        return middle[text] + words + (0.5 - side) * gap[text]

    return log_odds


def versions():
    """All genomes of both texts."""
    words = np.stack(np.meshgrid(*[np.arange(4)] * 4), axis=-1).reshape(-1, 4)
    return np.concatenate([np.column_stack([np.full(256, text), np.zeros((256, 2)), words]) for text in (0, 1)]).astype(
        np.int32
    )


def probes(effects, world, scale=odds):
    genomes = versions()
    single = genomes[(genomes[:, 3:] > 0).sum(axis=1) <= 1]
    plain = single[(single[:, 3:] == 0).all(axis=1)]
    asked = np.concatenate([single, plain])
    side = np.repeat([0, 1], [len(single), len(plain)])
    effects.learn_alone(asked, asked[:, 0].astype(np.intp), side == 1, scale(world(asked, side)))


def truth(world):
    """(512,) whether the twins of each version fall on either side of the boundary."""
    genomes = versions()
    return (world(genomes, 0) > 0) != (world(genomes, 1) > 0)


class TestProbes:
    @pytest.mark.parametrize("scale", [odds, lambda scores: 3 * scores], ids=["probabilities", "decision values"])
    def test_an_additive_model_is_known_after_them(self, world, scale):
        effects = WordEffects(2, GENES)
        probes(effects, world, scale)
        genomes = versions()
        chance = effects.chance(genomes, genomes[:, 0].astype(np.intp))
        assert chance[truth(world)].mean() > 0.8
        assert chance[~truth(world)].mean() < 0.1

    def test_words_are_counted(self, world):
        effects = WordEffects(2, GENES)
        assert effects.words(np.array([0, 1])).tolist() == [0, 0]
        probes(effects, world)
        assert effects.words(np.array([0, 1])).tolist() == [4, 4]

    def test_a_text_that_no_words_bring_to_the_boundary_is_out_of_reach(self):
        genomes = versions()[[0, 0, 1]]
        for far, reachable in ((0.0, True), (6.0, False)):
            effects = WordEffects(1, GENES)
            effects.learn_alone(
                genomes, np.zeros(3, dtype=np.intp), np.array([False, True, False]), odds([far, far + 0.5, far - 0.5])
            )
            assert effects.within_reach(np.array([0])).tolist() == [reachable]


class TestVerdicts:
    def test_what_was_told_wrongly_is_unlearned(self, world):
        effects = WordEffects(2, GENES)
        probes(effects, lambda genomes, side: world(genomes, side) + 2.0 * (genomes[:, 3] == 1))
        genomes, rng = versions(), np.random.default_rng(1)
        before = effects.chance(genomes, genomes[:, 0].astype(np.intp))
        for _ in range(30):
            some = genomes[rng.integers(0, len(genomes), 64)]
            scores = np.column_stack([odds(world(some, side)) for side in (0, 1)])
            effects.learn(some, some[:, 0].astype(np.intp), (scores > 0.5).astype(np.intp), scores)
        after = effects.chance(genomes, genomes[:, 0].astype(np.intp))
        flips, told = truth(world), genomes[:, 3] == 1
        assert after[flips & told].mean() > 2 * before[flips & told].mean()
        assert after[flips].mean() > 3 * after[~flips].mean()

    def test_another_boundary_is_found(self, world):
        effects = WordEffects(2, GENES)
        genomes, rng = versions(), np.random.default_rng(1)
        for _ in range(30):
            some = genomes[rng.integers(0, len(genomes), 64)]
            scores = np.column_stack([odds(world(some, side)) for side in (0, 1)])
            effects.learn(some, some[:, 0].astype(np.intp), (scores > 0.8).astype(np.intp), scores)
        chance = effects.chance(genomes, genomes[:, 0].astype(np.intp))
        flips = (odds(world(genomes, 0)) > 0.8) != (odds(world(genomes, 1)) > 0.8)
        assert chance[flips].mean() > 3 * chance[~flips].mean()

    def test_labels_alone_teach_nothing_and_all_are_alike(self, world):
        effects = WordEffects(2, GENES)
        genomes = versions()
        labels = np.column_stack([world(genomes, side) > 0 for side in (0, 1)]).astype(np.intp)
        effects.learn(genomes, genomes[:, 0].astype(np.intp), labels, labels.astype(float))
        assert set(effects.chance(genomes, genomes[:, 0].astype(np.intp))) == {0.5}
        assert effects.within_reach(np.array([0, 1])).all()

    def test_certain_scores_stay_finite(self):
        effects = WordEffects(2, GENES)
        genomes = versions()[:4]
        scores = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 1.0], [0.0, 0.0]])
        effects.learn(genomes, np.zeros(4, dtype=np.intp), (scores > 0.5).astype(np.intp), scores)
        assert np.isfinite(effects.chance(genomes, np.zeros(4, dtype=np.intp))).all()


class TestAiming:
    """Versions that should come to rest on the boundary."""

    @pytest.fixture
    def known(self, world):
        effects = WordEffects(2, GENES)
        probes(effects, world)
        return effects

    def aimed(self, effects, most=4, shots=200):
        text = np.repeat([0, 1], shots)
        genes = effects.aimed(text, np.full(len(text), most), np.random.default_rng(0))
        genes[:, 0] = text
        return genes

    def test_they_come_nearer_than_random_versions(self, world, known):
        def away(genomes):
            return np.abs((world(genomes, 0) + world(genomes, 1)) / 2)

        aimed = self.aimed(known)
        for text in (0, 1):
            assert np.median(away(aimed[aimed[:, 0] == text])) < 0.5 * np.median(
                away(versions()[versions()[:, 0] == text])
            )

    def test_some_find_the_very_best_one(self, world, known):
        aimed = self.aimed(known)
        unfair = (world(aimed, 0) > 0) != (world(aimed, 1) > 0)
        assert unfair[aimed[:, 0] == 0].any()
        assert unfair[aimed[:, 0] == 1].any()

    @pytest.mark.parametrize("most", [1, 2, 3])
    def test_no_more_words_change_than_may(self, known, most):
        changed = (self.aimed(known, most)[:, 3:] > 0).sum(axis=1)
        assert changed.max() == most
        assert (changed > 0).mean() > 0.9  # none where chance left out every word

    def test_they_are_not_all_alike(self, known):
        assert len(np.unique(self.aimed(known), axis=0)) > 6

    def test_only_words_that_were_tried_are_used(self, world):
        effects = WordEffects(2, GENES)
        genomes = versions()
        some = genomes[((genomes[:, 3:] > 0).sum(axis=1) <= 1) & (genomes[:, 4:] == 0).all(axis=1)]
        effects.learn_alone(some, some[:, 0].astype(np.intp), np.zeros(len(some), dtype=bool), odds(world(some, 0)))
        assert (self.aimed(effects)[:, 4:] == 0).all()

    def test_nothing_to_aim_at_is_no_error(self, known):
        assert known.aimed(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.random.default_rng(0)).shape == (
            0,
            GENES,
        )
