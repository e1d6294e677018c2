"""Word vectors load from our archive and from GloVe's text, and bad files give one sentence."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from expga.errors import InputError
from expga.lexicon.embeddings import load_vectors

TEXT = "film 3 4\nmovie 0.6 0.8\n"


def test_shipped_vectors_are_fifty_thousand_of_unit_length():
    vectors = load_vectors()
    assert load_vectors() is vectors, "they are read once"

    assert vectors.unit.shape == (50_000, 100)
    assert vectors.unit.dtype == np.float32
    assert len(vectors.words) == len(vectors.index) == 50_000
    np.testing.assert_allclose(np.linalg.norm(vectors.unit, axis=1), 1, atol=1e-5)
    film, movie, spoon = (vectors.unit[vectors.index[word]] for word in ("film", "movie", "spoon"))
    assert film @ movie > 0.8 > 0.3 > film @ spoon


@pytest.mark.parametrize("name", ["glove.txt", "glove.txt.gz", "glove"])
def test_a_text_file_is_read_plain_or_zipped(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEXT.encode()) if name.endswith("gz") else TEXT.encode())

    vectors = load_vectors(path)

    assert vectors.words == ("film", "movie")
    assert vectors.index == {"film": 0, "movie": 1}
    np.testing.assert_allclose(vectors.unit, [[0.6, 0.8], [0.6, 0.8]], rtol=1e-6)


def test_an_archive_is_read(tmp_path):
    np.savez(tmp_path / "mine.npz", words=np.array("film\nmovie"), vectors=np.array([[3, 4], [0, 0]], dtype=np.int8))

    vectors = load_vectors(tmp_path / "mine.npz")

    assert vectors.words == ("film", "movie")
    np.testing.assert_allclose(vectors.unit, [[0.6, 0.8], [0, 0]], rtol=1e-6)


def test_a_line_with_the_counts_is_passed_over(tmp_path):
    (tmp_path / "w2v.txt").write_text("2 3\nfilm 3 4 0\nmovie 0 1 0\n")

    assert load_vectors(tmp_path / "w2v.txt").words == ("film", "movie")


def test_the_first_of_two_lines_for_a_word_counts(tmp_path):
    (tmp_path / "glove.txt").write_text("film 1 0\nfilm 0 1\nmovie 0 1\n")

    vectors = load_vectors(tmp_path / "glove.txt")

    assert vectors.words == ("film", "movie")
    np.testing.assert_allclose(vectors.unit, [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("words.txt", b"film 1 2\nmovie 1 x\n", "line 2 is not a word and numbers"),
        ("nan.txt", b"film 1 nan\n", "line 1 is not a word and numbers"),
        ("bare.txt", b"film\nmovie\n", "line 1 is not a word and numbers"),
        ("ragged.txt", b"film 1 2\nmovie 1 2 3\n", "line 2 has 3 numbers, line 1 has 2"),
        ("empty.txt", b"", "it is empty"),
        ("binary.txt", bytes(range(256)) * 4, "line 1 is not a word and numbers"),
        ("latin.txt", "café 1 2\n".encode("latin-1"), "line 1 is not a word and numbers"),
        ("not.gz", b"film 1 2\n", "Not a gzipped file"),
        ("cut.gz", gzip.compress(TEXT.encode(), mtime=0)[:-10], "end-of-stream"),
        ("not.npz", b"film 1 2\n", "not.npz"),
    ],
)
def test_an_unreadable_file_is_one_sentence_that_names_it(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(InputError) as caught:
        load_vectors(tmp_path / name)

    message = str(caught.value)
    assert name in message
    assert says in message
    assert "\n" not in message
    assert message.endswith(".")


@pytest.mark.parametrize(
    "arrays",
    [
        {"words": np.array("film\nmovie"), "vectors": np.ones((3, 2))},
        {"words": np.array("film")},
        {"words": np.array(["film"], dtype=object), "vectors": np.ones((1, 2))},
        {"words": np.array("film"), "vectors": np.array([["a", "b"]])},
    ],
)
def test_an_archive_of_something_else_is_one_sentence(tmp_path, arrays):
    np.savez(tmp_path / "odd.npz", **arrays)

    with pytest.raises(InputError, match=r"odd\.npz"):
        load_vectors(tmp_path / "odd.npz")


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"There is no file of word vectors .*none\.txt"):
        load_vectors(tmp_path / "none.txt")
