"""`expga.retrain` on texts: the same ways and the same evidence, with a pipeline and with a network."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import expga
from expga.errors import InputError
from expga.models.load import load_model
from expga.models.save import SavedModel
from expga.repair import Averaged
from expga.repair.case import case_of
from expga.repair.parts import averaged, found_samples, rows_and_twins, rows_twice
from expga.repair.reader import Reader
from expga.repair.repairs import Twins
from expga.subjects.text.kind import one_version


@pytest.fixture(scope="module")
def comments():
    """(60,) comments by a woman, a man, someone with a name, or nobody; and stars, more of them for men."""
    rng = np.random.default_rng(8)
    did = ["praised the quick delivery", "loved the small kettle", "hated the noisy lamp", "returned the broken phone"]
    people = [
        "My wife {did}, and she told her friends",
        "My husband {did}, and he told his friends",
        "Maria {did} on a rainy day",
        "The quick delivery came, and the kettle is small",
    ]
    texts = [people[i % 4].format(did=rng.choice(did)) + f" on day {i}." for i in range(60)]
    wish = np.array([("praised" in text or "loved" in text) + 0.9 * (" he " in text) for text in texts])
    return texts, np.where(wish + rng.normal(0, 0.3, 60) > 0.7, "good", "bad")


@pytest.fixture(scope="module")
def reader(comments):
    return make_pipeline(TfidfVectorizer(), LogisticRegression(C=3.0)).fit(*comments)


@pytest.fixture(scope="module")
def heard(reader, comments):
    """An audit of it for gender."""
    return expga.audit(reader, comments[0], protected="gender", max_queries=500)


@pytest.fixture(scope="module")
def everything(retrain, reader, comments, heard):
    return retrain(reader, *comments, heard, compare="all")


def test_flip_rates_ask_in_as_many_voices_as_the_audit(retrain):
    """A model that knows one name by heart: of the five that speak for her group, one says so."""
    texts = [f"Maria bought the small kettle on day {n}." for n in range(30)]
    others = [f"{who} bought the small kettle on day {n}." for n in range(20) for who in ("He", "She")]

    class Model:
        classes_ = np.array(["bad", "good"])

        def fit(self, *_):
            return self

        def predict(self, inputs):
            return np.where(["Maria" in text or "He " in text for text in inputs], "good", "bad")

    alone = expga.audit(Model(), texts, protected="gender", max_queries=1_000)
    assert alone.population.rate == 0
    audit = expga.audit(Model(), others, protected="gender", max_queries=1_000)
    told = retrain(
        Model(), others, Model().predict(others), audit, X_test=texts, y_test=Model().predict(texts), repair="twins"
    ).summary
    assert told["before"]["flips_test"]["mean"] == 0.0


class TestAllWays:
    def test_each_that_texts_have_is_measured(self, everything):
        told = everything.summary
        assert told["kind"] == "text"
        assert {name for name, kept in told["repairs"].items() if "failed" in kept} == {"drop"}
        assert "A text has no protected column to drop" in told["repairs"]["drop"]["failed"]
        assert any(sentence.startswith("drop was not measured") for sentence in told["sentences"])

    def test_the_searches_are_those_for_texts(self, everything):
        found = [name for name in everything.summary["before"] if name.endswith(".found")]
        assert found == ["expga.found", "random.found", "mtnlp.found"]

    def test_averaging_leaves_nothing_to_find_here_but_promises_nothing(self, everything):
        told = everything.summary
        assert told["before"]["flips_train"]["mean"] > 0.1
        after = told["repairs"]["average"]["after"]
        assert after["flips_train"]["mean"] == after["held_out"]["mean"] == after["expga.found"]["mean"] == 0
        assert told["repairs"]["average"]["exact"] is False

    def test_fewer_flip_after_both(self, everything):
        before, after = everything.summary["before"], everything.summary["repairs"]["both"]["after"]
        assert after["flips_train"]["mean"] < before["flips_train"]["mean"]
        assert after["held_out"]["mean"] < before["held_out"]["mean"]

    def test_groups_are_those_that_texts_speak_of(self, everything):
        names = [name for name in everything.summary["before"] if name.endswith("_difference")]
        assert names == ["gender.demographic_parity_difference", "gender.equalized_odds_difference"]

    def test_the_model_is_a_pipeline_of_texts_and_the_given_one_is_as_it_was(self, everything, reader, comments):
        assert everything.model.predict(["My wife loved it"])[0] in ("good", "bad")
        assert joblib.hash(reader.predict_proba(comments[0])) != joblib.hash(
            everything.model.predict_proba(comments[0])
        )

    def test_by_default_half_of_what_was_found_may_be_added(self, everything, heard):
        assert 0 < everything.summary["repairs"]["both"]["pairs"] <= len(heard.findings) // 2


def test_the_given_model_is_bit_for_bit_as_it_was(retrain, reader, comments, heard):
    before = joblib.hash([reader, comments, heard.findings])
    retrain(reader, *comments, heard, repair="twins")
    assert joblib.hash([reader, comments, heard.findings]) == before


def test_a_column_of_a_frame_is_as_good(reader, comments):
    texts, stars = comments
    frame = pd.DataFrame({"comment": texts, "day": range(60)}, index=[f"c{number}" for number in range(60)])
    audit = expga.audit(reader, frame, text_column="comment", protected="gender", max_queries=500)
    case = case_of(reader, frame, stars, audit, None, None)
    assert [f"c{number}" for number in case.pairs.anchor] == audit.findings["anchor"].tolist()
    again = case_of(reader, pd.Series(texts, index=frame.index), stars, audit, None, None)
    assert again.pairs.anchor.tolist() == case.pairs.anchor.tolist()


class TestWhatIsAdded:
    @pytest.fixture
    def material(self, material_of, heard, comments, reader):
        return material_of(heard, comments[0], comments[1], reader)

    def test_twins_of_texts_have_their_label(self, material, comments):
        texts, labels = rows_and_twins(material, np.random.default_rng(0))[1][:2]
        told = dict(zip(comments[0], comments[1], strict=True))
        assert len(texts) == 45  # nobody has no twin
        swapped = [text for text in comments[0] if "My wife" in text]
        for text in swapped:
            twin = text.replace("wife", "husband").replace(" she ", " he ").replace(" her ", " his ")
            assert labels[texts.index(twin)] == told[text]

    def test_names_vary(self, material):
        texts = rows_and_twins(material, np.random.default_rng(0))[1].rows
        named = [text.split()[0] for text in texts if not text.startswith("My ")]
        assert len(named) == 15
        assert "Maria" not in named
        assert len(set(named)) > 2

    def test_found_pairs_come_with_one_label_for_both(self, material):
        texts, labels = found_samples(material, material.pairs, 12, np.random.default_rng(0))[:2]
        assert len(texts) == 24
        assert labels[:12].tolist() == labels[12:].tolist()
        assert not set(texts[:12]) & set(texts[12:])

    def test_texts_as_judged_are_those_that_speak_of_somebody(self, material, comments):
        texts, labels = rows_twice(material, np.random.default_rng(0))[2][:2]
        assert len(texts) == 90
        assert set(texts[:45]) < set(comments[0])
        assert labels[:45].tolist() == averaged(material).predict(texts[:45]).tolist()

    def test_a_text_counts_no_more_for_having_twins(self, material):
        real, twins, judged = rows_twice(material, np.random.default_rng(0))
        assert sorted(set(real.weights)) == [0.5, 1.0]
        assert real.weights.sum() + twins.weights.sum() == len(material.labels)
        assert judged.weights.sum() == 45

    @pytest.mark.parametrize("relabel", ["original", "nearest"])
    def test_the_nearest_text_is_the_one_behind(self, material_of, heard, comments, reader, relabel):
        material = material_of(heard, comments[0], np.arange(60), reader, relabel=relabel)
        labels = found_samples(material, material.pairs, 12, np.random.default_rng(0)).labels
        assert set(labels) <= set(material.pairs.anchor)


class TestAverage:
    @pytest.fixture
    def average(self, reader, heard, comments):
        return Averaged.of(reader, Reader.of(heard.summary["settings"]), comments[0], None)

    def test_twins_get_the_same_scores(self, average):
        one = ["My wife loved it, and she told her friends", "Maria hated the lamp", "The actor left"]
        other = ["My husband loved it, and he told his friends", "James hated the lamp", "The actress left"]
        np.testing.assert_allclose(average.predict_proba(one)[[0, 2]], average.predict_proba(other)[[0, 2]])

    def test_texts_that_mention_nobody_are_as_they_were(self, average, reader):
        texts = ["The kettle is small", "", "   "]
        np.testing.assert_allclose(average.predict_proba(texts), reader.predict_proba(texts))

    def test_texts_that_are_all_empty_and_none_at_all(self, average, reader):
        np.testing.assert_allclose(average.predict_proba([""]), reader.predict_proba([""]))
        assert average.predict([]).tolist() == []

    def test_a_file_holds_it(self, average, tmp_path, comments):
        saved = SavedModel.of(average)
        (tmp_path / saved.name).write_bytes(saved.content)
        name, trust = saved.name, saved.trust
        again = load_model(str(tmp_path / name), allow_pickle=True, trust=trust)
        np.testing.assert_array_equal(again.predict_proba(comments[0]), average.predict_proba(comments[0]))
        assert again.predict(pd.Series(comments[0][:2])).tolist() == average.predict(comments[0][:2]).tolist()

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("My wife said that she left", "My husband said that he left"),
            ("The actor left with his son", "The actress left with her daughter"),
            ("A guy left", "A girl left"),
        ],
    )
    def test_twins_have_one_version_in_common(self, heard, one, other):
        domain = Reader.of(heard.summary["settings"]).subject.domain([one, other])
        first, second = one_version(domain)
        assert first == second


@pytest.mark.parametrize("form", ["words to add", "another graph"])
def test_an_averaged_model_needs_no_file_of_the_users(reader, comments, tmp_path, form):
    """The lexicon's content is kept, and not where it lay."""
    from expga.lexicon.lexicon import SHIPPED

    if form == "words to add":
        lexicon = tmp_path / "words.toml"
        lexicon.write_text('[gender]\npairs = [["wife", "husband"]]\n')
    else:
        lexicon = tmp_path / "graph.parquet"
        lexicon.write_bytes(SHIPPED.read_bytes())
    audit = expga.audit(reader, comments[0], protected="gender", lexicon=lexicon, max_queries=400)
    fairer = Averaged.of(reader, Reader.of(audit.summary["settings"]), comments[0], None)
    expected = fairer.predict_proba(comments[0])
    saved = SavedModel.of(fairer)
    (tmp_path / saved.name).write_bytes(saved.content)
    lexicon.unlink()
    again = load_model(str(tmp_path / saved.name), allow_pickle=True, trust=saved.trust)
    for model in (fairer, again):
        np.testing.assert_array_equal(model.predict_proba(comments[0]), expected)


class TestRefusals:
    def test_other_texts(self, retrain, reader, comments, heard):
        with pytest.raises(InputError, match="of other rows"):
            retrain(reader, comments[0][::-1], comments[1], heard)

    def test_another_model(self, retrain, comments, heard):
        other = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(comments[0], comments[1][::-1])
        with pytest.raises(InputError, match="of another model"):
            retrain(other, *comments, heard)

    def test_too_few_labels(self, retrain, reader, comments, heard):
        with pytest.raises(InputError, match="60 rows and 59 labels"):
            retrain(reader, comments[0], comments[1][1:], heard)

    def test_a_text_where_a_table_was_audited(self, retrain, model, comments, found):
        with pytest.raises(InputError, match=r"shape|columns"):
            retrain(model, *comments, found)


class TestNetwork:
    @pytest.fixture(scope="class")
    @staticmethod
    def network(comments):
        pytest.importorskip("torch")
        from expga.models.cnn import TextCNN

        return TextCNN(filters=8, epochs=15, rarest=1, learning_rate=0.01).fit(*comments)

    def test_it_is_fitted_again(self, retrain, network, comments):
        audit = expga.audit(network, comments[0], protected="gender", max_queries=500)
        assert len(audit.findings) > 10
        before = joblib.hash(network)
        result = retrain(network, *comments, audit, compare=["average"], share=0.5)
        assert joblib.hash(network) == before
        assert type(result.model) is type(network)
        assert result.model is not network
        assert result.summary["before"]["held_out"]["mean"] > 0
        after = result.summary["repairs"]["both"]["after"]
        assert after["held_out"]["mean"] < result.summary["before"]["held_out"]["mean"]
        assert result.summary["repairs"]["average"]["after"]["held_out"]["mean"] == 0

    def test_it_takes_weights_and_another_random_state(self, material_of, network, comments, heard):
        material = material_of(heard, *comments, network, seed=5)
        assert material.recipe.weights == "sample_weight"
        assert Twins().repaired(material, 5, np.random.default_rng(0)).model.random_state == 5
