"""The knowledge graph as it lies on disk: edges between words, groups and attributes.

A node is a word in lower case (`actress`), a group (`gender:female`), an attribute (`gender`), the node `person`,
or a sense of WordNet (`wn:performer`). An edge that says how a word stands in texts carries a family, a form and a
use; every other edge has these empty and serves paths only.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from expga.errors import InputError
from expga.inputs import regular_file

IS_A, RELATED_TO, DISTINCT_FROM = "IsA", "RelatedTo", "DistinctFrom"
RELATIONS = (IS_A, RELATED_TO, DISTINCT_FROM)

PERSON = "person"
MODIFIER = "modifier"

BOTH, READ, WRITE, NOTHING = "both", "read", "write", ""
"""Uses of a word: found in texts and put into them, only found, only put in, neither."""


class Edge(NamedTuple):
    """One assertion, and the source that makes it."""

    head: str
    relation: str
    tail: str
    source: str
    written: str = ""
    """The head as it stands in mid-sentence: `Mexican`."""
    family: str = ""
    form: str = ""
    use: str = NOTHING
    cased: bool = False
    noun: bool = False
    beside: bool = False
    """The head counts only directly in front of a word for a person."""


FLAGS = ("cased", "noun", "beside")


def group_node(attribute: str, group: str) -> str:
    """The node of a group: `gender:female`."""
    return f"{attribute}:{group}"


def write_graph(edges: Iterable[Edge], path: Path) -> None:
    """Keeps the edges in their order, which is the order of preference among counterparts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = zip(*edges, strict=True)
    table = pa.table(dict(zip(Edge._fields, map(list, columns), strict=True)), schema=_schema())
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", compression_level=19)


def read_graph(source: str | Path | bytes) -> list[Edge]:
    """The edges of a graph file, or of what was in it.

    Raises:
        InputError: the file is missing, is no Parquet file, or holds something else.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    advice = "build one with `expga lexicon build`"
    path = "that was kept" if isinstance(source, bytes) else regular_file(source, "graph file")
    content = io.BytesIO(source) if isinstance(source, bytes) else path
    try:
        with pq.ParquetFile(content) as file:  # read_table would import all of pyarrow.dataset first
            table = file.read(use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"The graph file {path} cannot be read as Parquet; {advice}.") from error
    if not table.schema.equals(_schema()):
        raise InputError(f"The file {path} is no knowledge graph of words; {advice}.")
    edges = [Edge(*row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]
    if unknown := sorted({edge.relation for edge in edges} - set(RELATIONS)):
        raise InputError(f"The graph file {path} has the relation {unknown[0]!r}; {advice}.")
    return edges


def _schema() -> object:
    import pyarrow as pa

    return pa.schema(
        [pa.field(name, pa.bool_() if name in FLAGS else pa.string(), nullable=False) for name in Edge._fields]
    )
