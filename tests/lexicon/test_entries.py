"""A user's own words, and what is said about lists that cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from expga.errors import InputError
from expga.lexicon import load

ADDITIONS = """
ignore = ["queen", "Director"]

[gender]
pairs = [["spokesgirl", "spokesboy"]]
names = { female = ["Zelda"] }
related = { male = ["broski"] }

[country.words.mexico]
adjective = ["Oaxacan"]

[person]
words = ["podcaster"]

[orientation]
groups = ["straight", "gay"]
pairs = [["straight", "gay"], ["straights", "gays"]]
beside_person = ["straight"]
"""


def test_additions_add_words_pairs_and_attributes(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(ADDITIONS)
    lexicon = load(file)

    assert lexicon.attributes[-1] == "orientation"
    assert lexicon.groups("orientation") == ("straight", "gay")
    assert lexicon.modifiers("orientation") == {"straight": "straight", "gay": "gay"}
    (girls,) = lexicon.senses("spokesgirls")
    assert lexicon.counterparts(girls, "male") == ("spokesboys",)
    (gays,) = lexicon.senses("gays")
    assert (gays.family, gays.form, lexicon.counterparts(gays, "straight")) == ("gay", "plural", ("straights",))
    assert lexicon.senses("straightses") == ()
    assert lexicon.beside_person("straight")
    (oaxacan,) = lexicon.senses("oaxacan")
    assert lexicon.counterparts(oaxacan, "norway") == ("Norwegian",)
    assert [sense.family for sense in lexicon.senses("zelda")] == ["name"]
    assert "orientation" in {sense.attribute for sense in lexicon.senses("podcasters")}
    assert lexicon.sensitive("broski")
    assert not lexicon.senses("broski")


def test_ignored_words_tell_nothing() -> None:
    lexicon = load({"ignore": ["queen", "Director", "actress"]})

    for word in ("queen", "director", "Actress"):
        assert lexicon.senses(word.lower()) == ()
        assert not lexicon.sensitive(word)
    (actor,) = lexicon.senses("actor")
    assert lexicon.counterparts(actor, "female") == ()
    assert not lexicon.person("director")


def test_the_shipped_lexicon_is_read_once_and_left_alone() -> None:
    assert load() is load()
    load({"ignore": ["queen"]})
    assert load().senses("queen")


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ({"gender": {"pairs": [["a", "b", "c"]]}}, "each row must hold 2 words, for female, male"),
        ({"gender": {"pairs": [["a", 3]]}}, "must be a list of words, but holds 3"),
        ({"gender": {"pairs": "actress"}}, "gender.pairs must be a list"),
        ({"gender": {"pear": []}}, "gender has the unknown key 'pear'"),
        ({"gender": 3}, "gender must be a table"),
        ({"sex": {"pairs": []}}, "speaks of 'sex', which is no attribute"),
        ({"gender": {"groups": ["a", "b"]}}, "groups of 'gender' are given already"),
        ({"a:b": {"groups": ["a", "b"]}}, "has a colon in its name"),
        ({"new": {"groups": ["a"]}}, "at least two different groups"),
        ({"new": {"groups": ["a", "b"], "modifiers": {"a": 3}}}, "one word for each group, not 3"),
        ({"country": {"words": {"narnia": {"adjective": ["Narnian"]}}}}, "names the group 'narnia'"),
        ({"country": {"words": {"mexico": ["Oaxacan"]}}}, "must be a table"),
        ({"new": {"groups": ["a", "b"], "words": {"a": ["x"]}}}, "must be a table"),
        ({"new": {"groups": 3}}, "new.groups must be a list"),
        ({"gender": {"reads": {"male": [["guy"]]}}}, "each row must hold 2 words, for male, female"),
        ({"person": {"word": ["x"]}}, "person has the unknown key 'word'"),
        ({"ignore": "queen"}, "ignore must be a list"),
    ],
)
def test_bad_lists_are_refused_in_one_sentence(lists: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        load(lists)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_an_unknown_attribute_is_named() -> None:
    for asked in (load().groups, load().modifiers):
        with pytest.raises(InputError, match="no words of 'income', only of gender, country"):
            asked("income")


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"[gender", "not valid TOML"), (b"\xff\xfe", "not UTF-8"), (None, "There is no word list")],
)
def test_bad_files_are_refused_in_one_sentence(tmp_path: Path, content: bytes | None, said: str) -> None:
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(InputError, match=said) as error:
        load(file)
    assert "mine.toml" in str(error.value)
