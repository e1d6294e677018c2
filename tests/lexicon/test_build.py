"""Building a graph anew: from a small WordNet, made-up vectors and made-up assertions."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import numpy as np
import pytest

from expga.errors import InputError
from expga.inputs import read_toml
from expga.lexicon import load
from expga.lexicon.build import CORE, ORDER, build
from expga.lexicon.entries import Entries
from expga.lexicon.graph import read_graph, write_graph
from expga.lexicon.lexicon import SHIPPED
from expga.lexicon.show import described
from expga.lexicon.wordnet import WordNet


def test_the_shipped_graph_holds_the_core_as_it_is() -> None:
    """Fails when a word list was changed and the graph not built again."""
    entries = Entries({}, "core")
    core = [edge for name in ORDER for edge in entries.edges(read_toml(CORE / f"{name}.toml", "word list"))]
    shipped = [edge for edge in read_graph(SHIPPED) if edge.source == "core"]

    assert [edge._replace(cased=False) for edge in shipped] == [
        edge._replace(cased=False) for edge in dict.fromkeys(core)
    ]


def test_the_shipped_graph_is_small_and_free_of_conceptnet() -> None:
    assert SHIPPED.stat().st_size < 400_000
    assert {edge.source for edge in read_graph(SHIPPED)} == {"core", "wordnet", "glove"}


def test_wordnet_reads_a_folder_and_an_archive_alike(small_wordnet: Path, tmp_path: Path) -> None:
    archive = tmp_path / "wordnet.tar.xz"
    with tarfile.open(archive, "w:xz") as file:
        file.add(small_wordnet, "wn")
    for net in (WordNet(small_wordnet), WordNet(archive)):
        (actress,) = net.senses("actress", "n")
        assert net.words(actress) == ("actress",)
        assert [net.words(key) for key in net.hypernyms(actress)] == [("actor",)]
        assert net.senses("person", "n")[0] in net.above([actress])
        assert actress in net.below(net.senses("person", "n"))
        assert net.pos("direct") == ("v",)
        assert net.tagged("actress", "n") == 1
        assert net.below(net.senses("actor", "n")) == {actress, *net.senses("actor", "n")}
        assert net.common("turkey")
        assert not net.common("mexican")


def test_a_build_ties_words_to_wordnet_and_asks_it_for_capitals(small_wordnet: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "graph.parquet"
    said: list[str] = []
    built = build(small_wordnet, out, say=said.append)
    lexicon = load(graph=out)

    assert built.words == len({edge.head for edge in lexicon.edges if ":" not in edge.head})
    assert any(edge.source == "wordnet" for edge in lexicon.edges)
    assert said
    assert [sense.cased for sense in lexicon.senses("turkey")] == [True]
    assert not any(sense.cased for sense in lexicon.senses("polish"))
    chains = [[edge.tail for edge in path] for path in lexicon.paths("actress")]
    assert ["gender:female", "gender"] in chains
    assert ["wn:actor", "wn:performer", "person", "gender"] in chains
    assert ["wn:inhabitant", "country"] in [[edge.tail for edge in path] for path in lexicon.paths("mexican")]
    assert ["wn:female", "gender:female", "gender"] in [[edge.tail for edge in path] for path in lexicon.paths("woman")]


def test_further_lists_join_the_core(small_wordnet: Path, tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    with pytest.raises(InputError, match="holds no word list"):
        build(small_wordnet, tmp_path / "graph.parquet", lists=lists)
    (lists / "mine.toml").write_text('[gender]\npairs = [["spokesgirl", "spokesboy"]]\n')
    build(small_wordnet, tmp_path / "graph.parquet", lists=lists)
    lexicon = load(graph=tmp_path / "graph.parquet")

    assert lexicon.paths("spokesboys")[0][0].source == "mine"


VECTORS = {
    "director": [1.0, 0.1, 0.0],
    "writer": [1.0, 0.0, 0.1],
    "stagehand": [1.0, 0.05, 0.05],
    "film": [1.0, 0.04, 0.06],
    "actress": [0.0, 1.0, 0.0],
    "stagehands": [0.0, 1.0, 0.1],
}


@pytest.mark.parametrize("suffix", [".txt", ".npz"])
def test_glove_widens_only_to_persons_whom_two_words_speak_for(
    small_wordnet: Path, tmp_path: Path, suffix: str
) -> None:
    glove = tmp_path / f"glove{suffix}"
    if suffix == ".txt":
        glove.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in VECTORS.items()))
    else:
        values = np.round(100 * np.array(list(VECTORS.values()))).astype(np.int8)
        np.savez(glove, vectors=values, words="\n".join(VECTORS))
    built = build(small_wordnet, tmp_path / "graph.parquet", glove=glove)
    lexicon = load(graph=tmp_path / "graph.parquet")

    # film is near, but no person; stagehands is a person, but only one word speaks for it
    assert built.widened == ("stagehand",)
    assert lexicon.sensitive("stagehand")
    assert not lexicon.senses("stagehand")
    assert lexicon.paths("stagehand")[0][0].source == "glove"
    assert not lexicon.sensitive("film")


ASSERTIONS = """\
/a/1\t/r/IsA\t/c/en/prima_ballerina/n\t/c/en/woman\t{}
/a/2\t/r/IsA\t/c/en/suffragette/n\t/c/en/woman/n\t{}
/a/3\t/r/RelatedTo\t/c/en/film\t/c/en/actress\t{}
/a/4\t/r/RelatedTo\t/c/en/actress\t/c/en/mexico\t{}
/a/5\t/r/DistinctFrom\t/c/en/man\t/c/en/woman\t{}
/a/6\t/r/IsA\t/c/fr/actrice\t/c/en/woman\t{}
/a/7\t/r/Synonym\t/c/en/dame\t/c/en/woman\t{}
"""


@pytest.mark.parametrize("name", ["assertions.csv", "assertions.csv.gz"])
def test_conceptnet_adds_what_is_a_person_and_ties_what_is_alike(
    small_wordnet: Path, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(ASSERTIONS.encode()) if name.endswith("gz") else ASSERTIONS.encode())
    build(small_wordnet, tmp_path / "graph.parquet", conceptnet=file)
    edges = [edge for edge in read_graph(tmp_path / "graph.parquet") if edge.source == "conceptnet"]

    assert [edge[:3] for edge in edges] == [("suffragette", "IsA", "woman"), ("man", "DistinctFrom", "woman")]
    assert load(graph=tmp_path / "graph.parquet").sensitive("suffragette")


def test_bad_inputs_are_refused_in_one_sentence(small_wordnet: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n")
    out = tmp_path / "graph.parquet"
    for said, arguments in {
        "no WordNet file": {"wordnet": tmp_path / "empty"},
        "neither a folder nor a tar archive": {"wordnet": bad},
        "There is no WordNet archive": {"wordnet": tmp_path / "missing"},
        "Line 1 of .* is no ConceptNet assertion": {"wordnet": small_wordnet, "conceptnet": bad},
        "There is no ConceptNet file": {"wordnet": small_wordnet, "conceptnet": tmp_path / "missing.gz"},
        "line 1 is not a word and numbers": {"wordnet": small_wordnet, "glove": bad},
        "There is no file of word vectors": {"wordnet": small_wordnet, "glove": tmp_path / "missing.npz"},
    }.items():
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=said) as error:
            build(out=out, **arguments)
        assert "\n" not in str(error.value)
    (small_wordnet / "data.noun").write_text("00000100 18 n zz person 0 000 | a gloss\n")
    with pytest.raises(InputError, match="damaged"):
        build(small_wordnet, out)
    assert not out.exists()


def test_a_foreign_graph_is_refused_in_one_sentence(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "graph.parquet"
    with pytest.raises(InputError, match=r"There is no graph file .*graph\.parquet"):
        load(graph=file)
    file.write_text("no parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        load(graph=file)
    pq.write_table(pa.table({"head": ["a"]}), file)
    with pytest.raises(InputError, match="is no knowledge graph"):
        load(graph=file)
    write_graph([edge._replace(relation="Likes") for edge in read_graph(SHIPPED)[:2]], file)
    with pytest.raises(InputError, match="has the relation 'Likes'"):
        load(graph=file)


def test_a_word_described() -> None:
    actress, director, nothing = (described(load(), word) for word in ("Actress", "director", "film"))

    assert actress.senses == ("gender: female, singular ↔ actor",)
    assert actress.paths[0] == "actress —IsA (core)→ female —RelatedTo (core)→ gender"
    assert any("(wordnet)→ performer" in path for path in actress.paths)
    assert director.senses[0] == "gender: a person, singular: female director ↔ male director"
    assert len(director.senses) == 5
    assert (nothing.senses, nothing.paths) == ((), ())
