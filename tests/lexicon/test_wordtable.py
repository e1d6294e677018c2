"""The word table is built from WordNet's files, and the one that ships can be trusted."""

from __future__ import annotations

import gzip

import pytest

from expga.errors import InputError
from expga.lexicon.wordtable import PARTS, load_words
from expga.lexicon.wordtable_build import build

# Two adjective clusters that are opposites (good with fine, bad), a noun under another, a verb, an adverb.
FILES = {
    "data.noun": """\
  1 a licence
00000100 03 n 01 work 0 000 | what is made
00000200 03 n 02 film 0 Film_Festival 0 001 @ 00000100 n 0000 | a picture
00000300 03 n 01 Turkey 0 001 @ 00000100 n 0000 | a country
00000400 03 n 01 ice_cream 0 001 @ 00000100 n 0000 | cold
""",
    "index.noun": """\
  1 a licence
film n 1 1 @ 1 1 00000200
ice_cream n 1 1 @ 1 0 00000400
turkey n 1 1 @ 1 0 00000300
work n 1 0 1 1 00000100
""",
    "data.verb": "00000100 30 v 02 film 0 shoot 0 000 02 + 08 00 + 02 02 | record\n",
    "index.verb": "film v 1 0 1 0 00000100\nshoot v 1 0 1 0 00000100\n",
    "data.adj": """\
00000100 00 a 01 good 0 002 ! 00000300 a 0101 & 00000200 a 0000 | fine
00000200 00 s 01 fine(p) 0 001 & 00000100 a 0000 | good
00000300 00 a 01 bad 0 001 ! 00000100 a 0101 | not good
""",
    "index.adj": "bad a 1 1 ! 1 1 00000300\nfine a 1 1 & 1 0 00000200\ngood a 1 2 ! & 1 1 00000100\n",
    "data.adv": "00000100 02 r 01 finely 0 001 \\ 00000200 a 0101 | in a fine way\n",
    "index.adv": "finely r 1 1 \\ 1 0 00000100\n",
}
INFLECTIONS = (
    "film,noun,films\nfilm,verb,filmed,,filming,films\nshoot,verb,shot,,shooting,shoots\ngood,adj,better,best\n"
)


@pytest.fixture
def table(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "inflections.gz").write_bytes(gzip.compress(INFLECTIONS.encode()))
    (tmp_path / "tags.txt").write_text(";;; a remark\nfilm NN\nwork IN\nFine NNP\n")
    (tmp_path / "valences.txt").write_text("good\t1.9\t0.9\t[2, 1]\nbad\t-2.5\t0.6\t[-2]\n")
    words = ["film", "films", "work", "good", "fine", "bad", "finely", "ice", "cream", "turkey", "shot"]
    ranks = {word: rank for rank, word in enumerate(words)}
    build(
        tmp_path, *(tmp_path / name for name in ("inflections.gz", "tags.txt", "valences.txt")), ranks, tmp_path / "out"
    )
    return load_words(tmp_path / "out")


def test_forms_have_tags_and_the_usual_one_comes_first(table):
    assert list(table.shares["film"]) == ["NN", "VB", "VBP"]
    assert table.shares["film"]["NN"] > 60
    assert set(table.shares["filmed"]) == {"VBD", "VBN"}
    assert set(table.shares["films"]) == {"NNS", "VBZ"}
    assert set(table.shares["best"]) == {"JJS"}
    assert table.bases["best"] == "good"


def test_a_word_that_mostly_serves_grammar_has_no_weight(table):
    assert table.shares["work"] == {"NN": 0}


def test_names_are_left_out(table):
    assert "turkey" not in table.shares


def test_expressions_of_known_words_are_kept(table):
    assert table.expressions == {"ice cream"}


def test_a_noun_without_a_plural_is_a_mass_noun(table):
    assert table.mass == {"work"}


def test_opposites_hold_between_clusters(table):
    lemma = table.parts["lemmas"].column("lemma").to_pylist()
    group = table.column("synsets", "group")
    of = {word: group[table.senses[lemma.index(word), 0]] for word in ("good", "fine", "finely", "bad")}

    assert of["good"] == of["fine"] == of["finely"] != of["bad"]
    pairs = {tuple(pair.values()) for pair in table.parts["opposites"].to_pylist()}
    assert pairs == {(of["good"], of["bad"]), (of["bad"], of["good"])}


def test_verbs_know_their_objects(table):
    rows = table.parts["lemmas"].to_pylist()
    uses = {row["lemma"]: row["uses"] for row in rows if row["pos"] == "v"}

    assert uses == {"film": 2, "shoot": 3}  # a thing; a thing or nothing


def test_valences_are_in_tenths(table):
    valence = dict(zip(table.forms, table.column("forms", "valence").tolist(), strict=True))

    assert (valence["good"], valence["bad"], valence["film"]) == (19, -25, 0)


def test_a_noun_lies_under_another(table):
    lemma = table.parts["lemmas"].column("lemma").to_pylist()
    film, work = (table.senses[lemma.index(word), 0] for word in ("film", "work"))

    assert table.column("synsets", "parent")[film] == work


@pytest.mark.parametrize("content", [None, b"", b"nothing of the kind"])
def test_an_unreadable_table_is_one_sentence(tmp_path, content):
    if content is not None:
        for part in PARTS:
            (tmp_path / f"{part}.parquet").write_bytes(content)

    with pytest.raises(InputError, match="has no readable word table; build it again") as caught:
        load_words(tmp_path)

    assert "\n" not in str(caught.value)
