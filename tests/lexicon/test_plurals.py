from __future__ import annotations

import pytest

from expga.lexicon.plurals import plural

PLURALS = {
    "actor": "actors",
    "actress": "actresses",
    "lady": "ladies",
    "boy": "boys",
    "Frenchman": "Frenchmen",
    "German": "Germans",
    "housewife": "housewives",
    "grandchild": "grandchildren",
    "superhero": "superheroes",
    "witch": "witches",
    "Czech": "Czechs",
    "patriarch": "patriarchs",
    "Chinese": "Chinese",
    "mother-in-law": "mothers-in-law",
}


@pytest.mark.parametrize("noun", PLURALS)
def test_plurals(noun: str) -> None:
    assert plural(noun) == PLURALS[noun]
