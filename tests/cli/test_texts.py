"""What `expga audit --text-column` writes and says: pairs of texts, and of the texts that mention the attribute the
share that flips."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import expga
from expga import lexicon

LISTS = ["changed", "names", "names__twin", "asked", "asked__twin"]
COLUMNS = ["text", "text__twin", "changed", "word", "word__twin", *LISTS[1:]]
RESULTS = ["label", "label__twin", "score", "score__twin", "gap", "anchor", "distance"]
SHE, HE = ["wife", "she", "her", "actress"], ["husband", "he", "his", "actor"]


def words(text):
    return re.findall(r"[\w-]+", text)


def swapped(text):
    """The text with its words for a woman or a man exchanged; these stand for nothing else in the comments."""
    other = {**dict(zip(SHE, HE, strict=True)), **dict(zip(HE, SHE, strict=True))}
    return re.sub(r"\w+", lambda word: other.get(word.group(), word.group()), text)


def differing(one, other):
    """The words in which two texts of one length differ, articles left out, each pair once."""
    one, other = words(one), words(other)
    assert len(one) == len(other)
    pairs = [two for two in zip(one, other, strict=True) if two[0] != two[1] and two[0].lower() not in ("a", "an")]
    return list(dict.fromkeys(pairs))


def names_of(group):
    """The given names that stand for a group of people."""
    lists = lexicon.load()
    (sense,) = [sense for sense in lists.senses("maria") if sense.family == "name"]
    return lists.counterparts(sense, group)


@pytest.fixture
def run(desk, reader, comments):
    return desk.read(reader, comments, max_queries=2_000)


@pytest.fixture
def found(run):
    assert (run.code, run.stderr) == (0, "")
    assert len(run.findings) == run.summary["found"] > 50
    return run.findings


class TestFindings:
    def test_they_have_the_pair_then_what_differs_then_the_answers(self, found):
        assert list(found.columns) == [*COLUMNS, *RESULTS]

    def test_the_model_says_of_both_texts_what_the_table_says(self, reader, found):
        for side in ("", "__twin"):
            texts = found[f"text{side}"].tolist()
            assert (reader.predict(texts) == found[f"label{side}"]).all()
            assert np.allclose(reader.predict_proba(texts)[:, 1], found[f"score{side}"])
        assert (found["label"] != found["label__twin"]).all()
        assert np.allclose(found["gap"], (found["score"] - found["score__twin"]).abs())

    def test_twins_differ_in_the_sensitive_words_and_nothing_else(self, found):
        for row in found.itertuples():
            one, other = zip(*differing(row.text, row.text__twin), strict=True)
            assert (", ".join(one), ", ".join(other)) == (row.word, row.word__twin)
            assert set(one) | set(other) <= {*SHE, *HE}

    def test_what_changed_are_other_words_of_the_real_text_in_their_order(self, found, comments):
        real = comments["comment"][found["anchor"]]
        changed = [[tuple(change.split(" → ")) for change in row] for row in found["changed"]]
        assert sum(map(len, changed)) > 50
        for row, original, changes in zip(found.itertuples(), real, changed, strict=True):
            own = original if set(words(row.text)) & set(words(original)) & {*SHE, *HE} else swapped(original)
            assert differing(own, row.text) == changes
            assert all(old != new and old not in (*SHE, *HE) for old, new in changes)

    def test_the_text_as_it_is_comes_first(self, found, comments):
        plain = found[found["distance"] == 0]
        assert len(plain) > 0
        assert (plain["text"].to_numpy() == comments["comment"][plain["anchor"]].to_numpy()).all()
        assert not plain["text__twin"].isin(comments["comment"]).any()

    def test_no_more_than_a_fifth_of_the_words_has_changed(self, found, comments):
        count = comments["comment"].map(lambda text: len(re.findall(r"[^\W\d]+", text)))[found["anchor"]].to_numpy()
        changed = found["changed"].map(len).to_numpy()
        assert np.allclose(found["distance"], changed / count)
        assert (changed <= np.maximum(2, count // 5)).all()
        assert changed.max() > 1

    def test_no_pair_comes_twice(self, found):
        assert not found.duplicated("text").any()
        assert not pd.Series(map(frozenset, zip(found["text"], found["text__twin"], strict=True))).duplicated().any()

    def test_they_survive_a_file_unchanged(self, reader, comments, tmp_path):
        audit = expga.audit(reader, comments["comment"], protected="gender", max_queries=1_000)
        kept = expga.Audit.load(audit.save(tmp_path / "kept"))
        assert kept.findings.drop(columns=LISTS).equals(
            audit.findings.drop(columns=LISTS).astype(kept.findings.drop(columns=LISTS).dtypes)
        )
        for column in LISTS:
            assert kept.findings[column].map(list).tolist() == audit.findings[column].map(list).tolist()
        assert kept.sentences() == audit.sentences()
        assert kept.population == audit.population


class TestReplay:
    @pytest.fixture
    def names(self):
        """A model that counts women, and texts with names: one, two, a name twice, in capitals, as a surname."""
        texts = [
            "Maria loved the small kettle and told John about it.",
            "JOHN hated the noisy lamp; John returned it to Sarah's store.",
            "The old Jennifer Sarah said that Peter praised the quick delivery.",
            "Anna and Emily had a bad evening on a long trip.",
            "He hated the kettle that he had bought on a rainy morning.",
        ]
        women = {"she", "her", *(name.lower() for name in names_of("female"))}

        def model(given):
            count = [sum(word.lower() in women for word in words(text)) for text in given]
            return np.array([0.9 if n > 1 else 0.4 if n else 0.1 for n in count])

        return model, texts

    def test_all_pairs_hold_with_every_name_that_was_asked_about(self, desk, names):
        model, texts = names
        run = desk.read(model, texts, max_queries=6_000)
        several = run.findings["names"].map(len)
        assert set(several) == {0, 5} == set(run.findings["names__twin"].map(len))
        assert (
            desk.replay(model).stdout
            == f"{run.summary['found']:,} of {run.summary['found']:,} pairs still hold (100.00%).\n"
        )

    def test_all_names_of_a_reading_are_asked_again(self, names):
        model, texts = names
        audit = expga.audit(model, texts, protected="gender", max_queries=3_000)
        asked, (inputs, voices) = [], audit.asked()
        expga.replay(audit, lambda given: asked.append(list(given)) or model(given))
        assert sorted(text for given in asked[-2:] for text in given) == sorted([*inputs[0], *inputs[1]])
        for side, counts, column in zip(inputs, voices, ("names", "names__twin"), strict=True):
            ends = np.cumsum(counts)
            for start, end, voiced in zip(ends - counts, ends, audit.findings[column], strict=True):
                assert len(set(side[start:end])) == end - start == max(1, len(voiced))
                for text, voice in zip(side[start:end], voiced, strict=len(voiced) > 0):
                    assert all(name in text for name in voice.split("|"))

    def test_a_word_that_is_no_name_here_stays_though_others_are_called_so(self):
        surnames = names_of("female")
        texts = [f"We met David {surname} near the old house." for surname in surnames]
        men = set(names_of("male"))

        def model(given):
            return [int(bool(men & set(words(text)))) for text in given]

        audit = expga.audit(model, texts, protected="gender", max_queries=30_000)
        (_, second), (_, voices) = audit.asked()
        own = np.repeat([surnames[anchor] for anchor in audit.findings["anchor"]], voices)
        assert set(audit.findings["anchor"]) == set(range(len(surnames)))
        assert all(words(text).count(surname) == 1 for text, surname in zip(second, own, strict=True))

    def test_a_name_of_two_words_is_replaced_as_one(self):
        texts = ["Mary Ann praised the quick delivery on a rainy morning.", "Mary Ann hated the lamp, said Zelda Zoe."]
        more = {"gender": {"names": {"female": ["Mary Ann", "Zelda Zoe"]}}}
        men = set(names_of("male"))

        def model(given):
            return np.array([0.9 if men & set(words(text)) else 0.1 for text in given])

        audit = expga.audit(model, texts, protected="gender", lexicon=more, max_queries=2_000)
        (first, _), (voices, _) = audit.asked()
        assert len(audit.findings) > 0
        assert len(set(first)) == len(first) == voices.sum()
        assert expga.replay(audit, model) == (len(audit.findings),) * 2

    def test_another_model_may_not_hold(self, desk, reader, comments):
        found = desk.read(reader, comments).summary["found"]
        assert desk.replay(lambda texts: np.where(np.arange(len(texts)) < 0, "good", "bad")).stdout == (
            f"0 of {found:,} pairs still hold (0.00%).\n"
        )


class TestNames:
    def test_one_odd_name_makes_no_finding(self, desk):
        texts = ["Maria loved the small kettle.", "Anna hated the noisy lamp.", "Laura returned the broken phone."]
        run = desk.read(lambda given: [int("Michael" in text) for text in given], texts, max_queries=3_000)
        assert (run.summary["found"], run.summary["population"]["flipped"]) == (0, 0)
        assert run.summary["population"]["rows"] == 3

    def test_a_group_of_names_does(self, desk):
        texts = ["Maria loved the small kettle.", "Anna hated the noisy lamp.", "Laura returned the broken phone."]
        men = set(names_of("male"))
        run = desk.read(lambda given: [int(bool(men & set(words(text)))) for text in given], texts, max_queries=3_000)
        assert run.summary["population"]["flipped"] == 3
        assert run.summary["found"] > 3


class TestPopulation:
    def test_the_rate_is_of_the_texts_that_mention_the_attribute(self, desk, reader, comments):
        run = desk.read(reader, comments, max_queries=4_000)
        telling = comments["comment"][comments["comment"].map(lambda text: swapped(text) != text)]
        flipped = int((reader.predict(telling) != reader.predict(telling.map(swapped))).sum())
        population = run.summary["population"]
        assert (population["rows"], population["flipped"]) == (60, flipped)
        assert 0 < flipped < 60
        assert population["rate"] == pytest.approx(flipped / 60)
        assert 0 < population["ci95"][0] < population["rate"] < population["ci95"][1] < 1
        assert run.summary["mentioning"] == {"gender": {"texts": 60, "share": pytest.approx(2 / 3)}}

    def test_it_says_so(self, desk, reader, comments):
        run = desk.read(reader, comments, max_queries=4_000)
        said = " ".join(run.stdout.replace("│", " ").split())
        rate = run.summary["population"]["rate"]
        assert f"{rate:.2%} of 60 real texts that mention gender get another label when only those words change" in said
        assert "60 of 90 texts (67%) mention gender." in said
        assert "Text " in said
        assert f"{run.summary['mean_share_changed']:.1%} of a text on average" in said

    def test_each_attribute_has_a_rate_of_its_own(self, desk, comments):
        def model(texts):
            return np.array([(0.6 if " he " in text else 0.1) + 0.3 * ("Norwegian" in text) for text in texts])

        run = desk.read(model, comments, protected="gender,country", max_queries=20_000, max_findings=30)
        alone = {name: (rate["rows"], rate["flipped"]) for name, rate in run.summary["by_attribute"].items()}
        assert alone == {"gender": (60, 60), "country": (30, 0)}
        assert {name: few["texts"] for name, few in run.summary["mentioning"].items()} == {"gender": 60, "country": 30}
        said = " ".join(run.stdout.replace("│", " ").split())
        assert "60 real texts that mention gender or country get" in said
        for line in ("gender alone: 100.00%", "country alone: 0.00%", "30 of 90 texts (33%) mention country."):
            assert line in said

    def test_a_fair_model_has_none_and_an_empty_table_that_can_be_replayed(self, desk, comments):
        fair = [("loud" in text) for text in comments["comment"]]
        assert not any(fair)
        run = desk.read(lambda texts: ["loud" if "day 7" in text else "calm" for text in texts], comments)
        summary = run.summary
        assert (summary["found"], summary["population"]["rate"], summary["mean_share_changed"]) == (0, 0.0, None)
        assert list(run.findings.columns) == [*COLUMNS, *RESULTS]
        assert desk.replay(lambda texts: [0.5] * len(texts)).stdout == "0 of 0 pairs still hold.\n"

    def test_too_few_queries_for_any_text_is_said(self, desk, likes_him, comments):
        run = desk.read(likes_him, comments["comment"][:2].tolist(), max_queries=1)
        assert run.code == 0
        assert "Nothing is known of the real texts" in run.stdout


class TestSentences:
    def test_the_most_telling_pairs_differ_in_few_words(self):
        """Two words move the score by 0.4, one by 0.3."""

        def model(given):
            worth = [
                0.45 + 0.3 * (" he " in text) + 0.2 * ("actor" in text) - 0.1 * ("husband" in text) for text in given
            ]
            return np.clip(worth, 0, 1)

        texts = ["The actor said that he and my husband loved it.", "So he came on a rainy morning."]
        audit = expga.audit(model, texts, protected="gender", max_queries=200)
        assert audit.sentences()[0] == (
            "Text 1 gets 1 with “he” and 0 with “she” (score for 1: 0.75 and 0.45): “So he came on a rainy morning.”"
        )

    def test_only_what_is_asked_of_the_real_text_itself_is_said_of_it(self):
        """A director has no gender in the text, so neither twin is the text as it is."""

        def model(given):
            return [0.8 if " male" in text else 0.3 for text in given]

        audit = expga.audit(model, ["The director came."], protected="gender", max_queries=20)
        assert audit.sentences() == [
            "Text 0 would get 0 with “female director” and 1 with “male director” (score for 1: 0.30 and 0.80): "
            "“The female director came.”"
        ]

    def test_long_lists_and_long_texts_are_cut(self):
        text = (
            "It rained. " * 40
            + "My wife, his mother, her uncle and the king met an actor; then she left. "
            + "It rained. " * 40
        )
        audit = expga.audit(
            lambda given: [int("wife" in text) for text in given], [text], protected="gender", max_queries=20
        )
        (told,) = audit.sentences(1)
        assert "gets 1 with “wife, his, mother, her, …” and 0 with “husband, " in told
        assert "“… " in told
        assert " …”" in told
        assert "My wife, his mother" in told
        assert len(told) < 500
