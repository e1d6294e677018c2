"""Reviews made of a few words, and models that weigh these words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

from expga.contracts import Domain, FloatArray, IndexArray, IntArray, Realism
from expga.domain.text.domain import CHANGED_SHARE
from expga.domain.text.words import ARTICLES, Words, words_of
from expga.lexicon import load
from expga.results import Audit
from expga.testing.specimen import Ending, Scorer, Specimen, Variation

PRAISE = ("awful", "uneven", "decent", "excellent", "superb")
"""Adjectives, the worst first: any may stand for any."""
THINGS = ("film", "movie", "picture")
TIMES = ("evening", "afternoon", "night")
GROUPS = (PRAISE, THINGS, TIMES)
OTHERS = {word: tuple(other for other in group if other != word) for group in GROUPS for word in group}
MEN = frozenset({"he", "his", "him", "himself", "actor", "actors", "male", "man", "king"})
PEOPLE = ("He", "She", "The actress", "An actor", "An editor", "Sarah", "The king", "Michael")
WEIGHTS = {word: 0.7 * (place - 2) for place, word in enumerate(PRAISE)} | {"movie": 0.2, "picture": -0.3, "night": 0.1}


def known_others(texts: Sequence[Words]) -> list[dict[int, tuple[str, ...]]]:
    """Substitutes for the words above."""
    return [{place: OTHERS[word] for place, word in enumerate(words.lower) if word in OTHERS} for words in texts]


def written(count: int, seed: int = 0) -> list[str]:
    """Reviews of 13 to 16 words, five of which can be replaced; three may be."""
    rng = np.random.default_rng(seed)
    texts = []
    for person in rng.choice(PEOPLE, count):
        one, two = (f"{'an' if a[0] in 'aeiou' else 'a'} {a}" for a in rng.choice(PRAISE, 2))
        thing, other, time = rng.choice(THINGS), rng.choice(THINGS), rng.choice(TIMES)
        texts.append(f"{person} gave us {one} {thing} , {two} {other} and so on that {time} .")
    return texts


def reviews() -> list[str]:
    """(80,) some of them without a word about anyone."""
    return [*written(70), *(text.replace("He gave", "It gave") for text in written(200) if text.startswith("He"))][:80]


def male_names() -> Sequence[str]:
    """Those that stand in for a woman's name."""
    lexicon = load()
    return lexicon.counterparts(lexicon.senses("sarah")[0], "male")


def weigher(bias_for_men: float, male_names: Sequence[str] = (), needed: float = 0.03) -> Scorer:
    """Probabilities by the sum of the words' weights, even where it is what is needed."""
    men = MEN | {name.lower() for name in male_names}

    @cache
    def weight(text: str) -> float:
        return sum(WEIGHTS.get(word, 0.0) + bias_for_men * (word in men) for word in words_of(text).lower)

    def model(texts: Sequence[str]) -> FloatArray:
        return np.asarray(1 / (1 + np.exp(-(np.array([weight(text) for text in texts]) - needed))))

    return model


def biased(texts: Sequence[str]) -> FloatArray:
    """A model for which a man is worth two thirds of a step from decent to excellent."""
    return _weigher_of_men()(texts)


@cache
def _weigher_of_men() -> Scorer:
    return weigher(0.5, male_names())


def substitutes_known() -> Any:
    """While an audit runs: no other substitutes than the words above, so that a model weighs all of them."""
    return patch("expga.subjects.text.subject.candidates", lambda *_: known_others)


def texts() -> Specimen:
    """80 reviews of some 15 words, for audits of what gender decides."""
    some = written(80)
    return _Reviews(
        kind="text",
        rows=reviews(),
        protected=["gender"],
        biased=biased,
        fair=weigher(0.0),
        options={"explainer": "gap"},  # so that of a small budget something is left for the search
        queries={"batched": 2_000, "faithful": 2_000},
        crossed=Variation(rows=[f"{text} A young crowd ." for text in some], options={"protected": ["gender", "age"]}),
        dear=(
            Variation(rows=["Sarah gave us an excellent film .", "Michael gave us a decent movie ."]),
            Variation(
                rows=[f"{text} A Norwegian evening ." for text in some], options={"protected": ["gender", "country"]}
            ),
            Variation(options={"explainer": "lime"}),
        ),
        alone=Variation(rows=["Sarah gave us an excellent film ."]),
        many=Variation(rows=written(800, seed=1)),
        around=substitutes_known,
    )


@dataclass(frozen=True, kw_only=True)
class _Reviews(Specimen):
    def endings(self, realism: Realism) -> Sequence[Ending]:
        unchangeable = ["He came .", "She left .", "An actor was there .", "Nothing was ."]
        versions = 5 * 3 * 3 - (0 if realism == "domain" else 4 * 2 * 2)
        return (
            Ending(rows=unchangeable, tested=(3, 3), found=(3, 3), fixed=True),
            Ending(rows=["He gave us a decent film that evening ."], tested=(8, versions), found=(1, versions)),
        )

    def told(self, audit: Audit, scorer: Scorer) -> tuple[FloatArray, FloatArray]:
        """The median over all names that speak for a group."""
        sides = (audit.findings[list(columns)] for columns in (("text", "asked"), ("text__twin", "asked__twin")))
        one, other = (side.itertuples(index=False) for side in sides)
        return _medians(scorer, one), _medians(scorer, other)

    def check_twins(self, audit: Audit) -> None:
        found = audit.findings
        assert not found["text"].duplicated().any()
        for one, other, word, twin in found[["text", "text__twin", "word", "word__twin"]].itertuples(index=False):
            assert one != other
            assert set(words_of(word).words) <= set(words_of(one).words)
            assert set(words_of(twin).words) <= set(words_of(other).words)

    def check_findings(self, audit: Audit) -> None:
        for _, row in audit.findings.iterrows():
            anchor, text = words_of(self.rows[row["anchor"]]), words_of(row["text"])
            assert (row["distance"] == 0) == (not row["changed"])
            if row["word"].split(", ")[0] in anchor.text:  # the text under its own reading, not a modifier's
                assert [f"{old} → {new}" for old, new in _replaced(anchor, text)] == list(row["changed"])

    def check_proposed(self, domain: Any, genomes: IntArray, anchor: IndexArray) -> None:
        assert len(domain.anchors) < len(self.rows), "some texts mention nobody"
        for text, row, said in zip(domain.decode(genomes), anchor, domain.substituted(genomes), strict=True):
            replaced = _replaced(words_of(self.rows[row]), words_of(text))
            assert replaced == said
            assert all(new in OTHERS[old] for old, new in replaced)

    def reach(self, domain: Domain) -> float:  # noqa: ARG002 - the same for all
        return CHANGED_SHARE


def _replaced(anchor: Words, text: Words) -> list[tuple[str, str]]:
    """The words that differ between a text and a version of it, but for the articles before them."""
    assert text.follows == anchor.follows
    both = zip(anchor.words, text.words, strict=True)
    return [(old, new) for old, new in both if old != new and old.lower() not in ARTICLES]


def _medians(scorer: Scorer, asked: Iterable[tuple[str, Sequence[str]]]) -> FloatArray:
    """(n,) the middle score of each text and its versions with other names."""
    return np.array([np.median(scorer([text, *others])) for text, others in asked])
