"""Texts as the subject of an audit."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga import lexicon as lexicons
from expga.contracts import Realism
from expga.domain.columns import check_columns
from expga.domain.naming import numbered
from expga.domain.text import TextDomain
from expga.domain.text.domain import nothing_mentioned
from expga.domain.text.substitutes import candidates
from expga.errors import InputError
from expga.inputs import in_short, listed, read_toml
from expga.subjects.fingerprint import fingerprint_of
from expga.subjects.subject import Subject, Trying
from expga.subjects.text import findings

PROBE_TEXTS = 200
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


def looks_like_texts(X: Any) -> bool:
    """Whether the data is a list of texts instead of a table."""
    if isinstance(X, str | pd.DataFrame):
        return False
    if isinstance(X, pd.Series):
        return True
    if isinstance(X, Sequence):
        return any(isinstance(thing, str) for thing in X)
    return getattr(X, "ndim", 0) == 1 and X.dtype.names is None and not pd.api.types.is_numeric_dtype(X.dtype)


def text_subject(
    model: Any,
    X: Any,
    protected: Sequence[str],
    realism: Realism,
    trying: Trying,
    *,
    text_column: str | None,
    lexicon: Mapping[str, Any] | str | Path | bytes | None,
    vectors: str | Path | None,
) -> Subject:
    """The subject that a user's texts, additions to the lexicon and model make."""
    texts, index = texts_of(X, text_column)
    words = lexicons.load(lexicon)
    domain = TextDomain(texts, protected, words, candidates(words, vectors), realism, index)
    if not len(domain.anchors):
        raise InputError(nothing_mentioned(texts, protected))
    picks = np.random.default_rng(0).permutation(len(texts))[:PROBE_TEXTS]
    rows, rules = cache(partial(fingerprint_of, texts)), _kept(lexicon)
    learnt = trying.of(model, [texts[pick] for pick in picks])
    return Subject(
        domain=domain,
        learnt=learnt,
        settings={"kind": "text", "column": text_column},
        rules={**rules, "vectors": None if vectors is None else str(vectors)},
        numbered=numbered(index),
        rows=rows,
        fingerprint=lambda: hashlib.sha256(f"{rows()} {rules!r} {vectors}".encode()).hexdigest(),
        frame=partial(findings.findings_frame, domain),
        examples=partial(findings.examples, domain, learnt.model),
        figures=partial(findings.figures, domain),
        fewest=partial(findings.fewest_changes, domain),
    )


def texts_of(X: Any, column: str | None) -> tuple[list[str], Any]:
    """The texts, and what the user calls them; checked."""
    if isinstance(X, pd.DataFrame):
        if column not in X.columns:
            raise InputError(f"The text column {column!r} is not in the data; its columns are {listed(X.columns)}.")
        check_columns(X.columns, "the data")
        X = X[column]
    series = X if isinstance(X, pd.Series) else pd.Series(list(X), dtype=object)
    where = "The data" if column is None else f"The column {column!r}"
    if missing := int(series.isna().sum()):
        raise InputError(f"{where} lacks {missing:,} of {len(series):,} texts; drop those rows, or fill them in.")
    texts = series.tolist()
    other = next((thing for thing in texts if not isinstance(thing, str)), None)
    if other is not None:
        raise InputError(
            f"{where} holds the {type(other).__name__} {in_short(other)} where a text is expected; turn it into text."
        )
    for number, text in enumerate(texts):
        if not text.isascii() and (halves := _HALF_A_CHARACTER.search(text)):
            raise InputError(
                f"{where} holds half a character, {halves.group()!a}, in text {series.index[number]}; "
                "decode it again, or replace it."
            )
    return texts, series.index


def _kept(lexicon: Mapping[str, Any] | str | Path | bytes | None) -> dict[str, Any]:
    """Another graph or words that were added, by what they say: a file may be gone when somebody asks again."""
    if isinstance(lexicon, str | Path):
        lexicon = Path(lexicon).read_bytes() if Path(lexicon).suffix == ".parquet" else read_toml(lexicon, "word list")
    if isinstance(lexicon, bytes):
        return {"lexicon": None, "graph": base64.b64encode(lexicon).decode()}
    return {"lexicon": None if lexicon is None else dict(lexicon), "graph": None}
