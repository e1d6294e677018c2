"""Texts as genomes: identity, distance, reach and moves."""

from __future__ import annotations

import numpy as np
import pytest

import expga
from expga.errors import InputError

LONG = "The excellent film is a slow story and an honest film with a great story about her , " * 3
"""51 words of which 24 have substitutes."""
TEXTS = ["She likes an excellent film", LONG, "A plain text", "he said an honest story", "no word of him"]


@pytest.fixture(scope="module")
def domain(fit):
    return fit(TEXTS)


@pytest.fixture(scope="module")
def free(fit):
    return fit(TEXTS, realism="domain")


def changed(genomes):
    """(n,) how many words of each genome (n, d) are replaced."""
    return (genomes[:, 3:] != 0).sum(axis=1)


class TestIdentity:
    def test_keys_ignore_readings_and_voices(self, fit):
        domain = fit(["Sarah likes an excellent film", "a Norwegian film"], "gender", "country")
        rows = domain.donors(domain.rows, np.random.default_rng(0))
        keys = domain.keys(rows)
        for reading in range(domain.readings.count):
            twins = domain.readings.read(rows, np.full(2, reading))
            np.testing.assert_array_equal(domain.keys(twins), keys)
            np.testing.assert_array_equal(domain.keys(domain.readings.speak(twins, np.full(2, 3))), keys)

    @pytest.mark.parametrize(
        ("one", "other", "attribute"),
        [
            ("an excellent film", "an excellent film", "gender"),
            ("He likes his film", "She likes her film", "gender"),
            ("he saw her", "she saw him", "gender"),
            ("Sarah likes an excellent film", "Emma likes an excellent film", "gender"),
            ("Sarah likes an excellent film", "Michael likes an excellent film", "gender"),
            ("a Norwegian film", "an Italian film", "country"),
            ("a Norwegian film", "a Mexican film", "country"),
            ("the Italian in Italy", "the Mexican in Mexico", "country"),
        ],
    )
    def test_texts_equal_up_to_the_reading_are_one(self, fit, one, other, attribute):
        domain = fit([one, other, "he and a Norwegian"], attribute)
        rows = domain.rows[:2]
        for genomes in (rows, np.where(domain.mutable & (domain.donors(rows, np.random.default_rng(0)) > 0), 1, rows)):
            assert len(set(domain.keys(genomes))) == 1

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("he likes it", "he liked it"),
            ("an editor left", "a doctor left"),
            ("he likes it", "him likes it"),
            ("Sarah met Emma and Sarah", "Sarah met Emma and Emma"),
            ("the actor left", "the king left"),
            ("he likes it.", "he likes it"),
        ],
    )
    def test_other_texts_are_others(self, fit, one, other):
        domain = fit([one, other])
        assert len(set(domain.keys(domain.rows))) == 2

    @pytest.mark.parametrize(
        ("one", "other", "said"),
        [
            ("He likes an excellent film", "She likes a terrific film", "He likes a terrific film"),
            ("a story about him", "a tale about her", "a tale about him"),
            ("Great , says Sarah", "Grand , says Emma", "Grand , says Sarah"),
        ],
    )
    def test_a_version_that_says_what_another_text_says_is_that_text(self, fit, one, other, said):
        domain = fit([one, other])
        versions = domain.neighbours(np.array([0]))
        same = versions[[text == said for text in domain.decode(versions)]]
        np.testing.assert_array_equal(domain.keys(same), domain.keys(domain.rows[1:]))

    def test_every_version_has_a_key_of_its_own(self, domain, rng):
        versions = np.unique(domain.donors(domain.rows[[1] * 500], rng), axis=0)
        assert len(set(domain.keys(versions))) == len(versions) > 400


class TestDistance:
    def test_it_is_the_share_of_words_that_differ(self, domain):
        one, two = domain.rows[[1, 1]].copy()
        two[[3, 7]] = 1
        assert domain.distance(one[None], two[None]).tolist() == [2 / 51]
        assert domain.distance(two[None], one[None]).tolist() == [2 / 51]

    def test_readings_do_not_count_and_other_texts_are_as_far_as_can_be(self, domain):
        rows = domain.rows
        twins = domain.readings.read(rows, np.ones(len(rows), dtype=int))
        assert domain.distance(rows, twins).tolist() == [0.0] * len(rows)
        assert domain.distance(rows[:1], rows[1:2]).tolist() == [1.0]


class TestReach:
    @pytest.mark.parametrize(("row", "most"), [(0, 2), (1, 10), (3, 2)])
    def test_a_fifth_of_the_words_or_two_may_change(self, domain, rng, row, most):
        far = domain.donors(domain.rows[[row] * 200], rng)
        near = domain.within_reach(far, np.full(200, row), rng)
        assert (changed(near) == min(most, changed(far)[0])).all()
        np.testing.assert_array_equal(near[near != far], 0)
        np.testing.assert_array_equal(near[:, :3], far[:, :3])

    def test_any_of_the_words_may_be_the_ones_that_stay_changed(self, domain, rng):
        near = domain.within_reach(domain.donors(domain.rows[[1] * 300], rng), np.full(300, 1), rng)
        assert (near[:, 3:] > 0).any(axis=0).all()

    def test_what_is_near_stays_as_it_is(self, domain, rng):
        near = domain.rows[[1] * 10].copy()
        near[:, 3:9] = 1
        np.testing.assert_array_equal(domain.within_reach(near, np.full(10, 1), rng), near)

    def test_without_realism_there_is_no_bound(self, free, domain, rng):
        far = free.donors(free.rows[[1] * 5], rng)
        np.testing.assert_array_equal(free.within_reach(far, np.full(5, 1), rng), far)
        assert free.radius == np.inf
        assert domain.radius == 0.2


class TestMoves:
    def test_a_donor_has_every_word_replaced_that_can_be(self, domain, rng):
        donors = domain.donors(domain.rows, rng)
        assert changed(donors).tolist() == [2, 24, 0, 2, 0]
        assert all(
            len(pairs) == count for pairs, count in zip(domain.substituted(donors), [2, 24, 0, 2, 0], strict=True)
        )

    def test_every_substitute_comes(self, domain, rng):
        donors = domain.donors(domain.rows[[0] * 300], rng)
        words = {new for pairs in domain.substituted(donors) for _, new in pairs}
        assert words == {"terrific", "outstanding", "superb", "movie", "picture"}

    def test_a_mate_is_a_version_of_the_same_text(self, domain, rng):
        anchor = np.repeat([0, 1, 3], 100)
        mates, theirs = domain.mates(domain.rows[anchor], anchor, rng)
        np.testing.assert_array_equal(theirs, anchor)
        np.testing.assert_array_equal(mates[:, :3], domain.rows[anchor][:, :3])
        few = changed(mates)[100:200]  # of the ten that may change
        assert np.median(few) <= 2
        assert few.max() > 5

    def test_only_the_words_in_the_mask_mutate(self, domain, rng):
        rows = domain.rows[[1] * 50]
        mask = (rng.random(rows.shape) < 0.3) & domain.mutable
        mutated = domain.mutated(rows, mask, rng)
        np.testing.assert_array_equal(mutated[~mask], rows[~mask])
        assert (mutated[mask & (np.arange(rows.shape[1]) < 3 + 24)] > 0).all()

    def test_neighbours_are_all_single_substitutions_once(self, domain):
        rows = np.array([3, 0, 2])
        neighbours = domain.neighbours(rows)
        assert domain.decode(neighbours) == [
            "he said a sincere story",
            "he said an awkward story",
            "he said an honest tale",
            "She likes a terrific film",
            "She likes an outstanding film",
            "She likes a superb film",
            "She likes an excellent movie",
            "She likes an excellent picture",
        ]
        assert (changed(neighbours) == 1).all()
        assert len(set(domain.keys(neighbours))) == len(neighbours)

    def test_what_is_protected_is_not_mutable(self, domain):
        assert domain.protected.tolist() == [False, True, True, *[False] * 24]
        assert domain.mutable.tolist() == [False] * 3 + [True] * 24


class TestWords:
    def test_what_a_reading_changes_is_sensitive(self, fit):
        domain = fit(["Her film , she says , is an actress 's film", "in New Zealand"], "gender", "country")
        words = [domain.text(0)[a:b] for a, b in domain.spans(0)[domain.sensitive(0)]]
        assert words == ["Her", "she", "actress"]
        assert domain.sensitive(1).tolist() == [False, True, True]

    def test_what_mentions_say(self, fit):
        domain = fit(["She and her film", "an editor"])
        rows = domain.rows[[0, 0, 1, 1]]
        twins = domain.readings.read(rows, np.array([0, 1, 2, 3]))
        said = [("She", "her"), ("He", "his"), ("female editor",), ("male editor",)]
        assert domain.said(twins) == said

    def test_no_sensitive_word_is_replaced(self, fit):
        domain = fit(
            ["the actress is great"], substitutes=lambda texts: [{1: ("player",), 3: ("grand",)} for _ in texts]
        )
        donors = domain.donors(domain.rows, np.random.default_rng(0))
        assert domain.decode(donors) == ["the actress is grand"]

    def test_no_more_than_64_words_of_a_text_vary(self, fit):
        one, other = (fit(["he " + "film " * 100]) for _ in range(2))
        assert one.rows.shape == (1, 3 + 64)
        assert one.decode(one.neighbours(one.anchors)) == other.decode(other.neighbours(other.anchors))


class TestBadInput:
    @pytest.mark.parametrize(
        ("texts", "protected", "message"),
        [
            ([], ["gender"], "There are no texts"),
            (["he"], ["shoe size"], "does not know the attribute 'shoe size'"),
            (["he"], ["gender", "gender"], "named twice"),
        ],
    )
    def test_one_sentence_says_what_is_wrong(self, fit, texts, protected, message):
        with pytest.raises(InputError, match=message) as raised:
            fit(texts, *protected)
        assert str(raised.value).rstrip(".").count(". ") == 0

    @pytest.mark.parametrize(
        ("texts", "protected", "message"),
        [
            (["", "  \n"], ["gender"], "All texts are empty"),
            (["a film", "a story"], ["gender", "country"], "None of the 2 texts mentions gender or country"),
            (["映画がすき", "это фильм"], ["gender"], "another script"),
        ],
    )
    def test_texts_that_mention_nobody_make_a_domain_that_an_audit_refuses(self, fit, texts, protected, message):
        domain = fit(texts, *protected)
        assert len(domain.anchors) == 0
        assert not domain.readings.valid(domain.rows).any()
        assert domain.decode(domain.rows) == texts
        with pytest.raises(InputError, match=message) as raised:
            expga.audit(lambda asked: np.full(len(asked), 0.5), texts, protected=protected, max_queries=10)
        assert str(raised.value).rstrip(".").count(". ") == 0


class TestTooManyCombinations:
    ALL = ("gender", "country", "religion", "age", "race")
    TEXTS = ("she is fine", "a Norwegian film about a Muslim priest", "an old man", "a doctor")

    def test_a_bounded_number_is_asked_and_said(self, fit):
        domain = fit(self.TEXTS, *self.ALL)
        assert (domain.readings.count, domain.readings.possible) == (256, 4 * 31 * 8 * 4 * 7)
        assert domain.notes() == [
            "gender, country, religion, age and race have 27,776 combinations; "
            "those of one attribute alone and random others, 256 in all, are asked."
        ]
        assert fit(self.TEXTS, "gender", "country").notes() == []

    def test_an_attribute_alone_is_read_as_if_it_were_the_only_one(self, fit):
        domain = fit(self.TEXTS, *self.ALL)
        for name in self.ALL:
            alone, only = domain.attribute_readings[name], fit(self.TEXTS, name)
            assert [label[name] for label in alone.labels] == [label[name] for label in only.readings.labels]
            for reading in range(alone.count):
                texts = [
                    d.decode(r.read(d.rows, np.full(4, reading))) for d, r in ((domain, alone), (only, only.readings))
                ]
                mentioned = domain.attribute_readings[name].valid(domain.rows).sum(axis=1) > 1
                assert np.array(texts[0])[mentioned].tolist() == np.array(texts[1])[mentioned].tolist()

    def test_the_first_is_the_text_as_it_is(self, fit):
        domain = fit(self.TEXTS, *self.ALL)
        assert domain.decode(domain.readings.read(domain.rows, np.zeros(4, dtype=np.intp))) == list(self.TEXTS)
        assert (domain.readings.valid(domain.rows).sum(axis=1) >= 2).all()
