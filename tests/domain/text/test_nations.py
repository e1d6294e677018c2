"""Readings of nationality and religion: eight other groups, in the form that the sentence wants."""

from __future__ import annotations

import pytest


class TestForms:
    @pytest.mark.parametrize(
        ("text", "mexico", "states"),
        [
            ("a Norwegian film", "a Mexican film", "an American film"),
            ("A Norwegian sings.", "A Mexican sings.", "An American sings."),
            ("Norwegians sing.", "Mexicans sing.", "Americans sing."),
            ("it plays in Norway", "it plays in Mexico", "it plays in America"),
            ("the Chinese love it", "the Mexicans love it", "the Americans love it"),
            ("an Italian", "a Mexican", "an American"),
            ("the Frenchman hates that Chinese", "the Mexican hates that Chinese", "the American hates that Chinese"),
            ("a Chinese and a Chinese", "a Mexican and a Mexican", "an American and an American"),
            ("the Chinese sing", "the Mexicans sing", "the Americans sing"),
            ("a norwegian film", "a mexican film", "an american film"),
            ("AN ITALIAN FILM", "A MEXICAN FILM", "AN AMERICAN FILM"),
            ("a Frenchman 's hat", "a Mexican 's hat", "an American 's hat"),
            ("Norwegian-born , from Norway", "Norwegian-born , from Mexico", "Norwegian-born , from America"),
            ("shot in New Zealand", "shot in Mexico", "shot in America"),
            ("Norway's best Norwegian", "Mexico's best Mexican", "America's best American"),
        ],
    )
    def test_adjective_person_people_and_place(self, readings_of, text, mexico, states):
        readings = readings_of(text, "country")
        assert readings["mexico"] == mexico
        assert readings["united states"] == states

    def test_all_mentions_of_the_nation_change_together(self, readings_of):
        text = "a Norwegian film about Norwegians in Norway"
        assert readings_of(text, "country")["india"] == "an Indian film about Indians in India"

    def test_a_group_that_is_written_small_stays_small(self, readings_of):
        readings = readings_of("A Muslim man meets Muslims", "religion")
        assert readings["atheist"] == "An atheist man meets atheists"
        assert readings_of("she is an atheist", "religion")["muslim"] == "she is a Muslim"
        assert readings_of("she is a Hindu", "religion")["jewish"] == "she is a Jew"
        assert readings_of("a Hindu wedding", "religion")["jewish"] == "a Jewish wedding"
        assert readings_of("Muslims sing", "religion")["atheist"] == "Atheists sing"


class TestGroups:
    def test_thirty_of_them_are_read(self, readings_of):
        assert len(readings_of("A Chilean film", "country")) == 1 + 30
        assert len(readings_of("A Norwegian film", "country")) == 1 + 29  # its own is the text as it is

    def test_readings_differ_by_what_they_say(self, readings_of):
        for text in ("An Italian film", "a Norwegian film", "the Chinese in China"):
            readings = readings_of(text, "country")
            assert len(set(readings.values())) == len(readings)

    def test_groups_that_the_text_mentions_are_not_read(self, readings_of):
        readings = readings_of("The Italian met an Italian in Mexico and India.", "country")
        assert not {"mexico", "india", "italy"} & set(readings)
        assert readings["norway"] == "The Norwegian met a Norwegian in Mexico and India."

    def test_only_the_nation_that_comes_up_most_changes(self, readings_of):
        readings = readings_of("A Russian, a Norwegian, all Norwegians", "country")
        assert readings["mexico"] == "A Russian, a Mexican, all Mexicans"
        assert "china" not in readings  # "all Chinese" would not do
        assert all("Russian" in said for said in readings.values())


class TestWhatIsNoNation:
    @pytest.mark.parametrize(
        "text",
        [
            "American Beauty is fine.",
            "the Bank of America is big",
            "I saw The Italian Job again.",
            "the best china and a turkey , they polish it",
            "Polish the floor .",
            "The film is in French.",
            "it is spoken in Danish , in Turkish , in Icelandic",
            "they speak French , spoken in French",
            "he is a champion of us all",
        ],
    )
    def test_titles_things_and_languages_stay(self, readings_of, text):
        assert readings_of(text, "country") == {}

    def test_beside_them_a_nation_still_counts(self, readings_of):
        text = "In American Beauty a Norwegian speaks French and drinks French wine with Norwegians in Norway."
        said = "In American Beauty a Mexican speaks French and drinks French wine with Mexicans in Mexico."
        assert readings_of(text, "country")["mexico"] == said


class TestSeveralAttributes:
    TEXT = "An old man meets a Norwegian woman."

    def test_readings_are_the_product(self, readings_of):
        gender, country = readings_of(self.TEXT, "gender"), readings_of(self.TEXT, "country")
        both = readings_of(self.TEXT, "gender", "country")
        assert set(both) == {f"{one}, {other}" for one in gender for other in country}
        assert both["swapped, india"] == "An old woman meets an Indian man."
        assert both["as it is, india"] == country["india"]
        assert both["swapped, as it is"] == gender["swapped"]

    def test_each_alone_leaves_the_other_as_it_is(self, fit):
        domain = fit([self.TEXT, "an editor in Norway"], "gender", "country")
        for name, fixed in (("gender", "Norwegian"), ("country", "An old man")):
            alone = domain.attribute_readings[name]
            said = domain.decode(alone.read(domain.rows[[0] * alone.count], list(range(alone.count))))
            valid = alone.valid(domain.rows[:1])[0]
            assert all(fixed in text for text, ok in zip(said, valid, strict=True) if ok)
            assert valid.sum() == {"gender": 4, "country": 30}[name]
        alone = domain.attribute_readings["country"]
        said = domain.decode(alone.read(domain.rows[[1] * alone.count], list(range(alone.count))))
        assert said[0] == "an editor in Norway"
        assert said[2] == "an editor in Mexico"

    def test_one_word_speaks_for_one_attribute(self, readings_of):
        readings = readings_of("a Frenchman", "gender", "country")
        assert len(set(readings.values())) == len(readings) >= 2

    def test_mentioned_counts_texts(self, fit):
        domain = fit([self.TEXT, "he", "nothing", "a Norwegian"], "gender", "country")
        assert domain.mentioned == {"gender": 2, "country": 2}
