"""Every option of an audit of texts, from the command line; what there is to audit, from Python."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
from skops.io import dump

import expga


def words_of(found):
    return {word for column in ("word", "word__twin") for text in found[column] for word in text.split(", ")}


@pytest.fixture
def glove(desk):
    """Vectors in which a kettle is near a teapot, a lamp near a lantern, and nothing else near anything."""
    near = {"kettle": [1, 0, 0, 0], "teapot": [9, 1, 0, 0], "lamp": [0, 0, 1, 0], "lantern": [0, 0, 9, 1]}
    lines = [" ".join([word, *map(str, numbers)]) for word, numbers in near.items()]
    return desk.file("glove.txt", "\n".join(lines) + "\n")


class TestModels:
    def test_a_pipeline_in_a_file_that_can_run_code_or_in_one_that_cannot(self, desk, reader, comments):
        joblib.dump(reader, desk.folder / "reader.joblib")
        dump(reader, desk.folder / "reader.skops")
        plain = desk.read(str(desk.folder / "reader.joblib"), comments, allow_pickle=True).findings
        safe = desk.read(str(desk.folder / "reader.skops"), comments).findings
        pd.testing.assert_frame_equal(plain, safe)
        assert len(plain) > 0
        assert "--allow-pickle" in desk.read(str(desk.folder / "reader.joblib"), comments).stderr

    def test_more_than_two_labels(self, desk, comments):
        def model(texts):
            return ["him" if " he " in text else "tea" if "kettle" in text else "rest" for text in texts]

        run = desk.read(model, comments, max_queries=3_000)
        assert set(run.findings["label"]) | set(run.findings["label__twin"]) == {"him", "tea", "rest"}
        assert run.summary["found"] > 300


class TestSearch:
    @pytest.mark.parametrize("strategy", ["expga", "expga-published", "random"])
    def test_every_strategy_finds_pairs_and_says_its_name(self, desk, reader, comments, strategy):
        run = desk.read(reader, comments, strategy=strategy, explainer="none", max_queries=3_000)
        assert run.summary["strategy"] == strategy
        assert run.summary["found"] > 10
        assert run.summary["queries"]["total"] <= 3_000

    @pytest.mark.parametrize("explainer", ["gap", "lime", "none"])
    def test_every_explainer_chooses_seeds_and_pays_for_it(self, desk, reader, comments, explainer):
        summary = desk.read(reader, comments, explainer=explainer, max_queries=30_000, max_findings=20).summary
        assert summary["found"] == 20
        assert (summary["queries"]["explain"] > 0) == (explainer == "lime")
        assert summary["settings"]["explainer"] == (None if explainer == "none" else explainer)

    def test_the_published_search_explains_by_shap_within_the_first_20_words(self, desk, reader, comments):
        summary = desk.read(reader, comments[:6], strategy="expga-published", max_queries=6_000).summary
        assert (summary["settings"]["explainer"], summary["settings"]["epsilon"]) == ("shap", None)
        assert summary["queries"]["explain"] > 0
        assert summary["found"] > 0

    @pytest.mark.parametrize("epsilon", ["1", "5", "auto"])
    def test_epsilon_is_a_rank_or_found_by_itself(self, desk, reader, comments, epsilon):
        run = desk.read(
            reader, comments, strategy="expga-published", explainer="lime", epsilon=epsilon, max_queries=60_000
        )
        assert run.summary["settings"]["epsilon"] == (epsilon if epsilon == "auto" else int(epsilon))
        assert run.summary["found"] > 0

    def test_a_smaller_epsilon_lets_fewer_texts_in(self, desk, reader, comments):
        near = {
            epsilon: set(
                desk.read(
                    reader, comments, strategy="expga-published", explainer="lime", epsilon=epsilon, max_queries=60_000
                ).findings["anchor"]
            )
            for epsilon in (1, 20)
        }
        assert near[1] < near[20]

    def test_without_bounds_more_of_a_text_changes(self, desk, reader, comments):
        furthest, radius = {}, {}
        for realism in ("data", "domain"):
            run = desk.read(reader, comments, strategy="random", realism=realism, max_queries=3_000)
            furthest[realism], radius[realism] = run.findings["distance"].max(), run.summary["radius"]
        assert furthest["data"] <= 0.2 < furthest["domain"]
        assert radius == {"data": 0.2, "domain": None}

    def test_a_seed_repeats_a_run_and_another_does_not(self, desk, reader, comments):
        runs = [desk.read(reader, comments, seed=seed).findings for seed in (1, 1, 2)]
        pd.testing.assert_frame_equal(runs[0], runs[1])
        assert not runs[0]["text"].equals(runs[2]["text"])


class TestLimits:
    def test_findings(self, desk, reader, comments):
        summary = desk.read(reader, comments, max_findings=7).summary
        assert (summary["found"], summary["stop_reason"]) == (7, "findings")

    def test_time(self, desk, reader, comments, clock):
        def model(texts):
            clock.now += 0.001 * len(texts)
            return reader.predict(texts)

        summary = desk.read(model, comments, max_queries=None, budget="0.2s").summary
        assert summary["stop_reason"] == "time"

    @pytest.mark.parametrize("protected", ["gender", "gender,country"])
    @pytest.mark.parametrize("most", [1, 19, 45, 300, 2_000])
    def test_queries_names_and_all(self, desk, protected, most):
        texts = [f"Maria told John that the Mexican actor liked kettle number {i}." for i in range(100)]
        asked = []

        def model(given):
            asked.append(len(given))
            return [int("Maria" in text) for text in given]

        summary = desk.read(model, texts, protected=protected, max_queries=most).summary
        assert sum(asked) == summary["queries"]["total"] <= most
        assert summary["queries"]["population"] <= max(0.2 * most, summary["population"]["rows"] == 1 and most)
        assert summary["queries"]["total"] > most / 2 or most < 50

    def test_the_population_takes_its_share_whatever_else_a_text_could_mention(self, desk, likes_him, comments):
        alone = desk.read(likes_him, comments, max_queries=450).summary["population"]["rows"]
        every = desk.read(likes_him, comments, protected="gender,religion,age,race", max_queries=900)
        assert alone == 45  # 90 of 450 queries, two each
        assert every.summary["population"]["rows"] == 45  # and two each for gender alone
        assert "race alone: nothing known" in every.stdout
        assert "0 of 90 texts (0%) mention race." in every.stdout


class TestDecisions:
    def test_the_positive_label_is_whose_score_is_given(self, desk, reader, comments):
        bad, good = (desk.read(reader, comments, positive=label).findings for label in ("bad", "good"))
        pd.testing.assert_frame_equal(bad[["text", "label"]], good[["text", "label"]])
        assert np.allclose(bad["score"], 1 - good["score"])

    def test_a_threshold_moves_the_decision(self, desk, reader, comments):
        found = desk.read(reader, comments, threshold=0.7, positive="good").findings
        assert ((found["score"] >= 0.7) == (found["label"] == "good")).all()
        assert (found["label"] != found["label__twin"]).all()
        assert len(found) > 0

    def test_a_gap_counts_instead_of_a_flip(self, desk, reader, comments):
        run = desk.read(reader, comments, min_gap=0.1, max_queries=3_000)
        found = run.findings
        assert (found["gap"] > 0.1).all()
        assert (found["label"] == found["label__twin"]).any()
        assert run.summary["found"] > 200
        assert "that differs by at least 0.1 when only those words change" in " ".join(
            run.stdout.replace("│", " ").split()
        )

    def test_a_gap_is_searched_for_where_no_label_ever_flips(self, desk, comments):
        def model(texts):
            return np.array([0.1 + 0.2 * (" he " in text) + len(text) / 10_000 for text in texts])

        run = desk.read(model, comments, min_gap=0.15, max_queries=3_000)
        assert run.summary["population"]["flipped"] == 60
        assert set(run.findings["label"]) | set(run.findings["label__twin"]) == {0}
        assert run.summary["found"] > 150

    def test_the_gate_is_on_the_lower_bound(self, desk, likes_him, comments):
        over = desk.read(likes_him, comments, max_queries=3_000, fail_over=0.9)
        assert (over.code, over.summary["population"]["rate"]) == (1, 1.0)
        assert "Over the limit" in over.stdout
        assert desk.read(likes_him, comments, max_queries=3_000, fail_over=0.99).code == 0


class TestLexicon:
    def test_words_pairs_and_people_are_added(self, desk):
        more = desk.file(
            "more.toml",
            """
            ignore = ["wife", "husband"]
            [gender]
            pairs = [["aunty", "nunkie"]]
            [person]
            words = ["podcaster"]
            """,
        )
        texts = ["The aunty loved a kettle.", "A wife and a husband came.", "The podcaster hated the lamp."]
        run = desk.read(lambda given: [int(" male" in t or "nunkie" in t) for t in given], texts, lexicon=more)
        assert run.summary["mentioning"]["gender"]["texts"] == 2
        assert words_of(run.findings) == {"aunty", "nunkie", "female podcaster", "male podcaster"}

    def test_a_whole_attribute_is_added(self, desk):
        more = desk.file(
            "more.toml",
            """
            [orientation]
            groups = ["straight", "gay"]
            pairs = [["straight", "gay"], ["straights", "gays"]]
            beside_person = ["straight"]
            """,
        )
        texts = ["A gay man loved the kettle.", "The straight line hated him.", "The straight woman was late."]
        run = desk.read(
            lambda given: [int("gay" in text) for text in given], texts, lexicon=more, protected="orientation"
        )
        assert (run.code, run.stderr) == (0, "")
        assert set(run.findings["anchor"]) == {0, 2}
        assert words_of(run.findings) == {"gay", "straight"}

    def test_from_python_it_may_be_a_mapping(self, likes_him):
        texts = ["The aunty came and he went.", "The weather is fine."]
        audit = expga.audit(
            likes_him, texts, protected="gender", lexicon={"gender": {"pairs": [["aunty", "nunkie"]]}}, max_queries=50
        )
        assert "aunty" in words_of(audit.findings)

    def test_another_graph_stands_in_for_ours(self, desk, likes_him):
        from expga.lexicon.graph import read_graph, write_graph
        from expga.lexicon.lexicon import SHIPPED

        graph = desk.folder / "graph.parquet"
        write_graph([edge for edge in read_graph(SHIPPED) if edge.head not in ("wife", "husband")], graph)
        run = desk.read(likes_him, ["My wife came.", "He loved his kettle."], lexicon=graph)
        assert run.summary["mentioning"]["gender"]["texts"] == 1
        shown = desk.run("lexicon", "show", "wife", "--lexicon", graph)
        assert "not sensitive" in shown.stdout

    def test_vectors_of_ones_own_say_what_may_stand_for_a_word(self, desk, likes_him, comments, glove):
        run = desk.read(likes_him, comments, vectors=glove, max_queries=3_000)
        assert {change for row in run.findings["changed"] for change in row} == {"kettle → teapot", "lamp → lantern"}


class TestTexts:
    """What may hold them; always the same texts."""

    @pytest.fixture
    def expected(self, reader, comments):
        return expga.audit(reader, comments["comment"].tolist(), protected="gender", max_queries=600).findings

    @pytest.mark.parametrize(
        "holder",
        [
            tuple,
            np.array,
            lambda texts: np.array(texts, dtype=object),
            pd.Series,
            lambda texts: pd.Series(texts, dtype=object),
            lambda texts: pd.Series(texts, dtype="string"),
            lambda texts: pd.Series(texts, dtype="category"),
            pd.Index,
            lambda texts: pd.array(texts, dtype="string"),
        ],
        ids=["tuple", "array", "objects", "series", "object series", "string", "category", "index", "extension"],
    )
    def test_whatever_holds_them(self, reader, comments, expected, holder):
        texts = holder(comments["comment"].tolist())
        found = expga.audit(reader, texts, protected="gender", max_queries=600).findings
        pd.testing.assert_frame_equal(found, expected)

    def test_a_column_of_a_frame(self, reader, comments, expected):
        found = expga.audit(reader, comments, text_column="comment", protected="gender", max_queries=600).findings
        pd.testing.assert_frame_equal(found, expected)

    def test_a_text_is_called_what_the_user_calls_it(self, reader, comments, expected):
        own = comments["comment"].set_axis([f"ticket-{i}" for i in range(90)])
        audit = expga.audit(reader, own, protected="gender", max_queries=600)
        assert audit.findings["anchor"].tolist() == [f"ticket-{i}" for i in expected["anchor"]]
        assert all(sentence.startswith("Text ticket-") for sentence in audit.sentences())
        twice = comments["comment"].set_axis(["ticket"] * 90)
        found = expga.audit(reader, twice, protected="gender", max_queries=600).findings
        assert found["anchor"].tolist() == expected["anchor"].tolist()

    def test_a_text_that_comes_twice_is_found_once(self, reader, comments):
        texts = comments["comment"].tolist()[:6] * 30
        audit = expga.audit(reader, texts, protected="gender", max_queries=3_000)
        assert audit.population.rows == 120
        assert len(audit.findings) > 0
        assert not audit.findings.duplicated("text").any()

    @pytest.mark.parametrize("between", ["\0", "\t\r\n", " 😀👩‍🚀🇳🇴 ", " <b>&amp; ", "\u200b\ufeff", " [/] \\"])
    def test_what_stands_between_words_stays(self, likes_him, between, tmp_path):
        texts = [f"My wife loved{between}the small kettle, and he came{between}.", "She hated the lamp, and he left."]
        audit = expga.audit(likes_him, texts, protected="gender", max_queries=400, out=tmp_path)
        found = expga.Audit.load(tmp_path).findings
        mine = found[found["anchor"] == 0]
        assert len(mine) > 0
        for side in ("text", "text__twin"):
            assert all(text.count(between) == 2 for text in mine[side])
        assert expga.replay(audit, likes_him) == (len(found), len(found))

    def test_one_text_is_enough(self, likes_him):
        audit = expga.audit(likes_him, ["My wife said that he was late again."], protected="gender", max_queries=100)
        assert audit.population.rows == 1
        assert set(audit.findings["anchor"]) == {0}
