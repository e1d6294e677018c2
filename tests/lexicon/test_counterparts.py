"""What the shipped lexicon says about words and puts in their place."""

from __future__ import annotations

import pytest

from expga.lexicon import Lexicon

PAIRS = """
actor actress, man woman, men women, boy girl, king queen, waiter waitress, hero heroine, heroes heroines,
husband wife, husbands wives, son-in-law daughter-in-law, sons-in-law daughters-in-law, gentleman lady,
policemen policewomen, uncle aunt, widower widow, host hostess, prince princess, Mr. Ms., male female, dads moms
"""


def swapped(lexicon: Lexicon, word: str, attribute: str, group: str, form: str | None = None) -> str:
    """The best counterpart of a word's first sense (of the form)."""
    sense = next(
        sense
        for sense in lexicon.senses(word.lower())
        if sense.attribute == attribute and (form is None or sense.form == form)
    )
    return lexicon.counterparts(sense, group)[0]


@pytest.mark.parametrize("pair", PAIRS.replace("\n", " ").strip().split(", "))
def test_main_pairs_survive_a_round_trip(lexicon: Lexicon, pair: str) -> None:
    male, female = pair.split()

    assert swapped(lexicon, male, "gender", "female") == female
    assert swapped(lexicon, female, "gender", "male") == male


@pytest.mark.parametrize(
    ("form", "male", "female"),
    [
        ("subject", "he", "she"),
        ("object", "him", "her"),
        ("possessive", "his", "her"),
        ("possessive-pronoun", "his", "hers"),
        ("reflexive", "himself", "herself"),
    ],
)
def test_pronouns_keep_their_form(lexicon: Lexicon, form: str, male: str, female: str) -> None:
    assert swapped(lexicon, male, "gender", "female", form) == female
    assert swapped(lexicon, female, "gender", "male", form) == male


@pytest.mark.parametrize(
    ("word", "form", "group", "other"),
    [
        ("norwegian", "adjective", "mexico", "Mexican"),
        ("spaniard", "singular", "poland", "Pole"),
        ("spaniards", "people", "china", "Chinese"),
        ("the netherlands", "place", "mexico", "Mexico"),
        ("mexico", "place", "philippines", "the Philippines"),
        ("frenchman", "singular", "finland", "Finn"),
        ("yankee", "singular", "sweden", "Swede"),
    ],
)
def test_nations_keep_their_form(lexicon: Lexicon, word: str, form: str, group: str, other: str) -> None:
    assert swapped(lexicon, word, "country", group, form) == other


@pytest.mark.parametrize(
    ("word", "attribute", "group", "other"),
    [
        ("mum", "gender", "male", "dad"),
        ("dad", "gender", "female", "mom"),
        ("guys", "gender", "female", "girls"),
        ("girls", "gender", "male", "boys"),
        ("jews", "religion", "muslim", "Muslims"),
        ("mosques", "religion", "christian", "churches"),
        ("catholic", "religion", "hindu", "Hindu"),
        ("old", "age", "young", "young"),
        ("kids", "age", "old", "grown-ups"),
        ("blacks", "race", "asian", "Asians"),
        ("caucasian", "race", "black", "black"),
    ],
)
def test_counterparts(lexicon: Lexicon, word: str, attribute: str, group: str, other: str) -> None:
    assert swapped(lexicon, word, attribute, group) == other


def test_names_have_many_counterparts_and_other_words_one(lexicon: Lexicon) -> None:
    (name,) = lexicon.senses("mary")
    (actress,) = lexicon.senses("actress")

    assert name.family == "name"
    assert len(set(lexicon.counterparts(name, "male"))) >= 20
    assert all(other[0].isupper() for other in lexicon.counterparts(name, "male"))
    assert lexicon.counterparts(actress, "male") == ("actor",)


@pytest.mark.parametrize(
    ("word", "group", "other"),
    [
        ("dad", "female", "mom"),
        ("girl", "male", "boy"),
        ("mexican", "argentina", "Argentinian"),
        ("jew", "muslim", "Muslim"),
    ],
)
def test_words_that_are_only_found_are_not_put_in(lexicon: Lexicon, word: str, group: str, other: str) -> None:
    assert lexicon.counterparts(lexicon.senses(word)[0], group) == (other,)


def test_no_name_stands_for_both_genders(lexicon: Lexicon) -> None:
    groups: dict[str, set[str]] = {}
    for edge in lexicon.edges:
        if edge.form == "given":
            groups.setdefault(edge.head, set()).add(edge.tail)

    assert len(groups) > 800
    assert not [name for name, nodes in groups.items() if len(nodes) > 1]


def test_no_word_stands_for_two_groups_of_gender_or_age(lexicon: Lexicon) -> None:
    words = {edge.head for edge in lexicon.edges}
    for word in words:
        for attribute in ("gender", "age"):
            groups = {sense.group for sense in lexicon.senses(word) if sense.attribute == attribute}
            assert len(groups) <= 1, word


def test_nothing_offered_is_unknown_to_the_lexicon(lexicon: Lexicon) -> None:
    """What is put into a text can be found in it again, or the twin of a twin would not be the text."""
    allowed = {"god", "gods", "giant", "giants", "mankind"}
    unknown = set()
    for edge in lexicon.edges:
        for sense in lexicon.senses(edge.head):
            for group in lexicon.groups(sense.attribute)[:3]:
                offered = lexicon.counterparts(sense, group)
                unknown |= {word for word in offered if not lexicon.senses(word.lower())}

    assert unknown <= allowed


def test_person_words_take_modifiers_for_every_attribute(lexicon: Lexicon) -> None:
    senses = lexicon.senses("director")

    assert [sense.attribute for sense in senses] == list(lexicon.attributes)
    assert {(sense.group, sense.family, sense.form) for sense in senses} == {("", "person", "singular")}
    assert {sense.form for sense in lexicon.senses("directors")} == {"plural"}
    assert lexicon.modifiers("gender") == {"female": "female", "male": "male"}
    assert lexicon.modifiers("age") == {"young": "young", "old": "old"}
    assert lexicon.modifiers("country")["mexico"] == "Mexican"
    assert lexicon.modifiers("religion")["jewish"] == "Jewish"


def test_a_word_that_tells_of_an_attribute_takes_no_modifier_for_it(lexicon: Lexicon) -> None:
    religion = [sense for sense in lexicon.senses("priest") if sense.attribute == "religion"]

    assert [sense.group for sense in religion] == ["christian"]


@pytest.mark.parametrize(
    "word", ["polish", "turkey", "china", "chad", "jack", "frank", "us", "swede", "miss", "christian"]
)
def test_words_that_need_a_capital(lexicon: Lexicon, word: str) -> None:
    assert all(sense.cased for sense in lexicon.senses(word) if sense.group)
    assert lexicon.senses(word)


@pytest.mark.parametrize("word", ["mexican", "russia", "germans", "emily", "john", "japan", "american", "muslim"])
def test_words_that_need_none(lexicon: Lexicon, word: str) -> None:
    assert not any(sense.cased for sense in lexicon.senses(word))
    assert lexicon.senses(word)


def test_colours_and_ages_count_beside_a_person(lexicon: Lexicon) -> None:
    assert all(map(lexicon.beside_person, ["old", "young", "black", "white", "older"]))
    assert not any(map(lexicon.beside_person, ["asian", "mexican", "elderly", "he"]))
    assert all(map(lexicon.person, ["woman", "people", "director", "lady", "mexicans", "rabbi", "teenagers", "person"]))
    assert not any(map(lexicon.person, ["film", "wine", "mexico", "church", "his"]))


@pytest.mark.parametrize("word", ["film", "master piece", "the", "good", "not", "plot", "summer", "london", "wine"])
def test_other_words_tell_nothing(lexicon: Lexicon, word: str) -> None:
    assert lexicon.senses(word) == ()
    assert not lexicon.sensitive(word)
    assert lexicon.paths(word) == []


@pytest.mark.parametrize("word", ["actress", "Actress", "HE", "mexico", "director", "oncologist", "pregnant", "Polish"])
def test_sensitive_in_any_case(lexicon: Lexicon, word: str) -> None:
    assert lexicon.sensitive(word)


def test_group_order_starts_with_a_spread_of_nations(lexicon: Lexicon) -> None:
    assert lexicon.attributes == ("gender", "country", "religion", "age", "race")
    assert lexicon.groups("country")[:4] == ("united states", "mexico", "norway", "china")
    assert len(lexicon.groups("country")) > 190
    assert lexicon.longest == 5
