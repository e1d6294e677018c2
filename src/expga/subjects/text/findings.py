"""Findings of texts, as pairs of sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from expga import metrics
from expga.contracts import FloatArray, IndexArray, IntArray, Model
from expga.domain.text import TextDomain
from expga.exposure import near_anchors
from expga.findings import Findings
from expga.majority import in_voices
from expga.subjects.columns import Names, anchor_of, result_columns, results_of, said_of, telling, turned
from expga.subjects.text.sentences import BETWEEN

FEATURES = ("text", "text__twin", "changed", "word", "word__twin", "names", "names__twin", "asked", "asked__twin")


def findings_frame(domain: TextDomain, findings: Findings, classes: list[Any], ordered: bool) -> pd.DataFrame:
    """The findings as pairs of texts.

    Args:
        domain: to decode with.
        findings: n pairs.
        classes: the model's labels, by class number; none where it predicts numbers.
        ordered: put the text as it really is first (scores must be those of one class).
    """
    if ordered:
        findings = turned(findings, findings.pair[:, 1] == 0)
    sides = [domain.readings.read(findings.genomes, findings.pair[:, side].astype(np.intp)) for side in (0, 1)]
    said = [_differing(*both) for both in zip(*(domain.said(side) for side in sides), strict=True)]
    columns: list[Any] = [
        *(domain.decode(side) for side in sides),
        [[f"{old} → {new}" for old, new in changes] for changes in domain.substituted(findings.genomes)],
        [one for one, _ in said],
        [other for _, other in said],
        *(domain.names(side) for side in sides),
        *(_other_voices(domain, side) for side in sides),
    ]
    frame = pd.DataFrame(
        {name: pd.Series(values, dtype=object) for name, values in zip(FEATURES, columns, strict=True)}
    )
    distance = domain.distance(findings.genomes, domain.rows[findings.anchor])
    return frame.assign(**result_columns(findings, classes, domain.index, distance))


def _other_voices(domain: TextDomain, genomes: IntArray) -> list[list[str]]:
    """(n,) what else was asked about each text: the same with every other name that speaks for the group."""
    spoken, voices = in_voices(domain.readings, genomes)
    if voices is None:
        return [[] for _ in genomes]
    texts, ends = domain.decode(spoken), np.cumsum(voices)
    return [texts[end - count + 1 : end] for end, count in zip(ends.tolist(), voices.tolist(), strict=True)]


def _differing(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, str]:
    """The words in which two readings differ, each pair of them once."""
    pairs = dict.fromkeys(two for two in zip(one, other, strict=True) if two[0] != two[1])
    return BETWEEN.join(first for first, _ in pairs), BETWEEN.join(second for _, second in pairs)


def examples(domain: TextDomain, model: Model, findings: Findings, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The most telling findings, spelled out: large gaps that few words make."""
    words = frame["word"].str.count(BETWEEN).to_numpy(dtype=float) + 1
    picks = telling(findings, (findings.genomes[:, domain.mutable] > 0).sum(axis=1), findings.gap / words)
    changes = domain.substituted(findings.genomes[picks])
    results = Names.beside((), held=results_of(model.classes)).results
    return [
        {
            **anchor_of(domain.index, frame["anchor"].iloc[pick]),
            "real": row["text"] == domain.text(int(number)),
            "changes": [list(two) for two in changed],
            "readings": [row["word"], row["word__twin"]],
            "texts": [row["text"], row["text__twin"]],
            **said_of(row, results, model),
        }
        for pick, (_, row), number, changed in zip(
            picks, frame.iloc[picks].iterrows(), findings.anchor[picks], changes, strict=True
        )
    ]


def fewest_changes(domain: TextDomain, rows: IndexArray, findings: Findings, cells: int) -> FloatArray:  # noqa: ARG001
    """(m,) by how few words each text (m,) becomes a finding, with no more replaced than leave it the same text."""
    near = np.flatnonzero(domain.near(findings.genomes, findings.anchor.astype(np.intp)))
    return near_anchors(domain, rows, findings.those(near))


def figures(domain: TextDomain, findings: Findings) -> dict[str, Any]:
    """What a summary says of findings near texts."""
    distance = domain.distance(findings.genomes, domain.rows[findings.anchor])
    return {
        "plausible_share": None,
        "clone_share": metrics.clone_share(findings.genomes, domain.protected, domain.mutable),
        "radius": domain.radius if domain.realism == "data" else None,
        "mean_share_changed": float(distance.mean()) if len(distance) else None,
        "texts": len(domain.rows),
        "mentioning": {
            name: {"texts": count, "share": count / len(domain.rows)} for name, count in domain.mentioned.items()
        },
    }
