"""`expga lexicon show` and `expga lexicon build`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from expga.cli import app


def lexicon(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["lexicon", *map(str, words)], catch_exceptions=False)


class TestShow:
    @pytest.mark.parametrize(
        ("word", "lines"),
        [
            ("actress", ["gender: female, singular ↔ actor", "actress —IsA (core)→ female —RelatedTo (core)→ gender"]),
            ("director", ["gender: a person, singular: female director ↔ male director"]),
            ("Mexican", ["country: mexico, adjective ↔ American, Norwegian", "—RelatedTo (core)→ country"]),
            ("new  zealand", ["country: new zealand, place ↔ America, Mexico", "and 193 more"]),
            ("Polish", ["with a capital"]),
        ],
    )
    def test_it_prints_counterparts_and_paths(self, word: str, lines: list[str]) -> None:
        done = lexicon("show", word)
        assert (done.exit_code, done.stderr) == (0, "")
        head, *rest = done.stdout.splitlines()
        assert head == " ".join(word.lower().split())
        assert all(line.startswith("  ") for line in rest)
        for line in lines:
            assert line in done.stdout

    @pytest.mark.parametrize("word", ["film", "gribble", "[bold]film[/]", ""])
    def test_a_word_that_tells_nothing_is_said_to(self, word: str) -> None:
        done = lexicon("show", word)
        assert done.exit_code == 0
        assert done.stdout == (
            f"“{word}” is not sensitive: no path leads from it to gender, country, religion, age, race.\n"
        )

    def test_it_knows_the_words_and_attributes_that_are_added(self, tmp_path: Path) -> None:
        more = tmp_path / "more.toml"
        more.write_text('[hair]\ngroups = ["blond", "dark"]\npairs = [["goldilocks", "[dim]"]]\n')
        assert "hair: blond, singular ↔ [dim]" in lexicon("show", "goldilocks", "--lexicon", more).stdout
        assert lexicon("show", "film", "--lexicon", more).stdout.endswith("age, race, hair.\n")

    def test_a_list_that_cannot_be_read_is_one_sentence(self, tmp_path: Path) -> None:
        done = lexicon("show", "film", "--lexicon", tmp_path / "none.toml")
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith("expga: There is no word list ")
        assert done.stderr.count("\n") == 1


class TestBuild:
    def test_a_graph_is_built_shown_and_used(self, small_wordnet: Path, tmp_path: Path) -> None:
        out = tmp_path / "new" / "[red]graph.parquet"
        done = lexicon("build", "--wordnet", small_wordnet, "--out", out)
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-1].endswith(f"edges are in {out}.")
        assert "ConceptNet" not in done.stdout
        assert "GloVe" not in done.stdout
        assert "actress —IsA (wordnet)→ actor" in lexicon("show", "actress", "--lexicon", out).stdout
        texts = tmp_path / "texts.csv"
        texts.write_text("text\nThe actress was late.\nIt rained.\n")
        words = ["audit", "--model", "builtins:len", "--data", texts, "--text-column", "text", "--protected", "gender"]
        run = CliRunner().invoke(app, [*map(str, words), "--lexicon", str(out), "--out", str(tmp_path / "out")])
        assert run.stderr.startswith("expga: The model ")  # the graph was read, and a text found to mention gender

    @pytest.mark.parametrize("option", ["--wordnet", "--conceptnet"])
    def test_a_pipe_is_not_waited_for(self, small_wordnet: Path, tmp_path: Path, option: str) -> None:
        os.mkfifo(tmp_path / "pipe")
        words = {"--wordnet": small_wordnet, "--out": tmp_path / "graph.parquet", option: tmp_path / "pipe"}
        done = lexicon("build", *(part for pair in words.items() for part in pair))
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert "is a pipe or a device" in done.stderr

    @pytest.mark.parametrize(
        ("option", "content", "mention"),
        [
            ("--wordnet", None, "no WordNet archive"),
            ("--wordnet", b"no archive", "neither a folder nor a tar archive"),
            ("--glove", None, "There is no file of word vectors"),
            ("--glove", b"\x00\xff", "line 1 is not a word and numbers"),
            ("--conceptnet", None, "no ConceptNet file"),
            ("--lists", None, "holds no word list"),
            ("--out", b"in the way", "cannot be written"),
        ],
    )
    def test_what_cannot_be_read_or_written_is_one_sentence(
        self, small_wordnet: Path, tmp_path: Path, option: str, content: bytes | None, mention: str
    ) -> None:
        given = tmp_path / "given"
        if content is not None:
            given.write_bytes(content)
        words = {"--wordnet": small_wordnet, "--out": tmp_path / "graph.parquet"}
        words[option] = given / "graph.parquet" if option == "--out" else given
        done = lexicon("build", *(part for pair in words.items() for part in pair))
        assert done.exit_code == 2
        assert done.stderr.startswith("expga: ")
        assert mention in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "graph.parquet").exists()
