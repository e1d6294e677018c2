"""The commands about the knowledge graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from expga.cli.ending import Commands
from expga.cli.talking import literal, say

lexicon = typer.Typer(help="The knowledge graph that tells which words are sensitive.", cls=Commands)


@lexicon.command()
def show(
    word: Annotated[str, typer.Argument(help="Any word.")],
    additions: Annotated[
        Path | None, typer.Option("--lexicon", help="A TOML file of words to add, or a graph.")
    ] = None,
) -> None:
    """Print a word's paths to the protected attributes, and its counterparts."""
    from expga import lexicon as lexicons
    from expga.lexicon.show import described

    known = lexicons.load(additions)
    found = described(known, word)
    if not found.paths:
        attributes = literal(", ".join(known.attributes))
        say(f"“{literal(found.word)}” is not sensitive: no path leads from it to {attributes}.")
        return
    say(f"[bold]{literal(found.word)}[/]")
    for line in (*found.senses, *found.paths):
        say("  " + literal(line))


@lexicon.command()
def build(
    wordnet: Annotated[Path, typer.Option(help="WordNet 3.0's database files: a folder or a .tar.xz.")],
    out: Annotated[Path, typer.Option(help="The graph to write, a .parquet file.")],
    lists: Annotated[Path | None, typer.Option(help="A folder of further word lists (TOML).")] = None,
    conceptnet: Annotated[Path | None, typer.Option(help="ConceptNet 5's assertions, .csv or .csv.gz.")] = None,
    glove: Annotated[Path | None, typer.Option(help="GloVe vectors to widen the graph with.")] = None,
) -> None:
    """Build the knowledge graph anew."""
    from expga.lexicon.build import build as make

    built = make(wordnet, out, lists, conceptnet, glove, say)
    say(f"{built.words:,} words and {built.edges:,} edges are in {literal(out)}.")
