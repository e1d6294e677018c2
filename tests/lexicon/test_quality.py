"""How well the lexicon reads words, measured on labelled phrases."""

from __future__ import annotations

from collections import Counter

import pytest

from expga.lexicon import Lexicon

from .conftest import Labelled, attributes, told


def test_the_labelled_list_is_large_and_has_hard_negatives(labelled: list[Labelled]) -> None:
    counts = Counter(attribute for case in labelled for attribute in case.attributes)

    assert len(labelled) >= 330
    assert sum(not case.attributes for case in labelled) >= 100
    assert min(counts["gender"], counts["country"]) >= len(labelled) / 4
    assert len(set(labelled)) == len(labelled)


@pytest.mark.parametrize("attribute", ["gender", "country"])
def test_precision_and_recall(lexicon: Lexicon, labelled: list[Labelled], attribute: str) -> None:
    precision, recall = measured(lexicon, labelled, attribute)

    assert precision >= 0.95
    assert recall >= 0.85


def measured(lexicon: Lexicon, labelled: list[Labelled], attribute: str) -> tuple[float, float]:
    """Precision and recall over the words that tell of the attribute by themselves.

    Words that name a person and take a modifier answer to every attribute alike: they are left out, since they would
    lift the figures of each.
    """
    cases = [case for case in labelled if len(case.attributes) < len(lexicon.attributes)]
    hits = [
        (attribute in attributes(told(lexicon, case.word, case.phrase)), attribute in case.attributes) for case in cases
    ]
    right = sum(found and true for found, true in hits)
    return right / sum(found for found, _ in hits), right / sum(true for _, true in hits)


def test_person_words_answer_to_every_attribute(lexicon: Lexicon, labelled: list[Labelled]) -> None:
    cases = [case for case in labelled if len(case.attributes) == len(lexicon.attributes)]
    found = [attributes(told(lexicon, case.word, case.phrase)) == case.attributes for case in cases]

    assert len(cases) >= 30
    assert sum(found) >= 0.9 * len(found)
