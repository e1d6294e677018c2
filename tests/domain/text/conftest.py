"""Texts, what may stand in the place of their words, and the domains and readings of both."""

from __future__ import annotations

import numpy as np
import pytest

from expga.domain.text import TextDomain
from expga.lexicon import load

OTHERS = {
    "excellent": ("terrific", "outstanding", "superb"),
    "film": ("movie", "picture"),
    "slow": ("uneven", "tedious"),
    "story": ("tale",),
    "honest": ("sincere", "awkward"),
    "great": ("grand", "enormous", "honest"),
}
"""Substitutes for a few words, articles of both kinds among them."""


@pytest.fixture(scope="session")
def lexicon():
    return load()


def known_others(texts):
    return [{place: OTHERS[word] for place, word in enumerate(words.lower) if word in OTHERS} for words in texts]


@pytest.fixture(scope="session")
def fit(lexicon):
    """A domain of texts, with the substitutes above unless others are given."""

    def make(texts, *protected, substitutes=known_others, realism="data", lexicon=lexicon):
        return TextDomain(texts, protected or ("gender",), lexicon, substitutes, realism)

    return make


@pytest.fixture(scope="session")
def readings_of(fit):
    """What one text says under each of its readings, by what they are called; nothing where it has none."""

    def read(text, *protected, **options):
        # Some company that mentions every attribute, so that a text may mention none.
        domain = fit([text, "he , a Norwegian , a Muslim , a black man , an old man"], *protected, **options)
        row = domain.rows[:1]
        return {
            ", ".join(domain.readings.labels[reading].values()): domain.decode(
                domain.readings.read(row, np.array([reading]))
            )[0]
            for reading in np.flatnonzero(domain.readings.valid(row)[0])
        }

    return read


@pytest.fixture(scope="session")
def swap(readings_of):
    """A text with the groups of everyone in it swapped."""
    return lambda text, *protected: readings_of(text, *protected)["swapped"]


@pytest.fixture(scope="session")
def voices_of(fit):
    """(readings, voices) what a text says under its valid readings in all voices."""

    def read(text, *protected, **options):
        domain = fit([text], *protected, **options)
        rows = domain.rows[:1]
        voices = domain.readings.voices(rows)
        count = 1 if voices is None else int(voices[0])
        found = []
        for reading in np.flatnonzero(domain.readings.valid(rows)[0]):
            twin = domain.readings.read(np.repeat(rows, count, axis=0), np.full(count, reading))
            found.append(domain.decode(domain.readings.speak(twin, np.arange(count))))
        return found

    return read


@pytest.fixture
def rng():
    return np.random.default_rng(0)
