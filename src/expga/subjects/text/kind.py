"""Texts as a kind of subject."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, ClassVar, TypedDict

import numpy as np
import pandas as pd

from expga import lexicon as lexicons
from expga.contracts import GradientsOf, IndexArray, IntArray, KeyArray, Realism
from expga.domain.text import TextDomain
from expga.domain.text.readings import AS_IS, SWAPPED, Attribute
from expga.errors import InputError
from expga.subjects import showing
from expga.subjects.columns import Names
from expga.subjects.fingerprint import fingerprint_of, row_hashes
from expga.subjects.kind import ListOfRows, Rows
from expga.subjects.settings import Settings, typed
from expga.subjects.subject import Subject, Trying
from expga.subjects.text.findings import FEATURES
from expga.subjects.text.sentences import pair_of_texts
from expga.subjects.text.subject import looks_like_texts, text_subject, texts_of

NEAR = "would with up to a fifth of their words changed"


class TextRules(TypedDict):
    """How texts are read."""

    lexicon: dict[str, Any] | None
    """Words that were added."""
    graph: str | None
    """The file of another graph, in base 64."""
    vectors: str | None
    """The name of the file of other vectors."""


class TextSettings(Settings):
    """Settings of an audit of texts."""

    rules: TextRules
    column: str | None


class SavedText(ListOfRows):
    """Texts that were audited, out of what was saved of them."""

    averages_exactly: ClassVar[bool] = False
    no_attribute: ClassVar[str | None] = "A text has no protected column to drop; repair it in another way."
    pairs_grow: ClassVar[bool] = False

    def __init__(self, settings: TextSettings) -> None:
        self.settings = settings

    def check(self, findings: pd.DataFrame) -> None:
        """Raises unless the findings have the columns that they must, and texts in them."""
        results = self.results()
        showing.check(findings, [*FEATURES, *results.values()], results, self.settings)
        for name in ("text", "text__twin"):
            if not all(isinstance(text, str) for text in findings[name]):
                raise InputError(f"the column {name!r} of findings.parquet does not hold texts; audit again.")

    def results(self) -> Mapping[str, str]:
        """What the columns of results are called."""
        return Names.of(self.settings).results

    def twins(self, findings: pd.DataFrame) -> tuple[Rows, Rows]:
        """The two texts of every pair."""
        return findings["text"].tolist(), findings["text__twin"].tolist()

    def asked(self, findings: pd.DataFrame) -> tuple[tuple[Any, Any], tuple[IndexArray, IndexArray]]:
        """Every text under all the names that were asked about, and how many these were."""
        one, other = self.twins(findings)
        one, voices = in_all_voices(one, findings["asked"].tolist())
        other, twin_voices = in_all_voices(other, findings["asked__twin"].tolist())
        return (one, other), (voices, twin_voices)

    def sentence(self, example: Mapping[str, Any]) -> str:
        """One of the examples of a summary in words."""
        return pair_of_texts(**example, of=showing.score_of(self.settings, example["labels"]))

    def headline(self, summary: Mapping[str, Any]) -> list[str]:
        """How unfair the model is, and how many texts that is about."""
        population = summary["population"]
        if not population["rows"]:
            return [showing.nothing_known("text")]
        sampled = " sampled" if population["sampled"] else ""
        whom = f"{population['rows']:,}{sampled} real texts that mention {' or '.join(summary['protected'])}"
        lines = [
            showing.rate_of(summary, whom, "those words change"),
            *showing.exposed(summary, "texts", "one or two words changed", NEAR),
            *showing.each_alone(summary),
        ]
        for name, mention in summary["mentioning"].items():
            share = f"{mention['texts']:,} of {summary['texts']:,} texts ({mention['share']:.0%})"
            lines.append(f"{share} mention {name}.")
        return lines

    def found(self, summary: Mapping[str, Any]) -> str:
        """What the search came to, in a sentence."""
        return showing.found(summary, "text")

    def figures(self, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What there is to say of the findings as a whole."""
        changed = f"{summary['mean_share_changed']:.1%} of a text on average, besides the sensitive ones"
        return [("spread", showing.spread(summary, "texts")), ("words changed", changed)]

    def rows(self, model: Any, X: Any) -> tuple[Rows, pd.Index[Any]]:  # noqa: ARG002 - any model takes texts
        """The texts that a user hands over."""
        return texts_of(X, self.settings["column"] if isinstance(X, pd.DataFrame) else None)

    def hashes(self, rows: Rows) -> KeyArray:
        """(n,) of each text."""
        return row_hashes(rows)

    def fingerprint(self, rows: Rows) -> str:
        """The same for the same texts in the same order."""
        return fingerprint_of(rows)

    def options(self) -> dict[str, Any]:
        """The words that were added, or the other graph, and the vectors."""
        return {"lexicon": self._lexicon(), "vectors": self.settings["rules"]["vectors"]}

    def _lexicon(self) -> Mapping[str, Any] | bytes | None:
        rules = self.settings["rules"]
        return rules["lexicon"] if rules["graph"] is None else base64.b64decode(rules["graph"])

    def domain(self, rows: Rows) -> TextDomain:
        """The texts with their readings; nothing in them is replaced."""
        words = lexicons.load(self._lexicon())
        return TextDomain(rows, self.settings["protected"], words, lambda texts: [{} for _ in texts], "data")

    def shared(self, rows: Rows) -> tuple[TextDomain, IntArray]:
        """Texts as genomes (N, d) that have the same readings as those of their twins."""
        domain = self.domain(one_version(self.domain(rows)))
        return domain, domain.rows

    def usual_pairs(self, found: int, rows: int) -> int:  # noqa: ARG002 - as published
        """Half of what was found."""
        return found // 2


def in_all_voices(texts: Sequence[str], others: Sequence[Any]) -> tuple[list[str], IndexArray]:
    """All versions of n texts, those of one beside each other, and how many (n,) each has.

    Args:
        texts: each in its first voice.
        others: for each text the same in its other voices.
    """
    versions: list[str] = []
    voices = np.ones(len(texts), dtype=np.intp)
    for number, (text, more) in enumerate(zip(texts, others, strict=True)):
        if not isinstance(more, list | tuple | np.ndarray) or not all(isinstance(other, str) for other in more):
            raise InputError("The versions that were asked about are no texts in findings.parquet; audit again.")
        versions += [text, *more]
        voices[number] += len(more)
    return versions, voices


def one_version(domain: TextDomain) -> list[str]:
    """(N,) each text with everybody in it of the first group that they can be of."""
    number = {tuple(label.values()): reading for reading, label in enumerate(domain.readings.labels)}
    names = [attribute.name for attribute in domain.attributes]
    own = zip(*(domain.groups(name) for name in names), strict=True)
    valid = domain.readings.valid(domain.rows)
    reading = np.zeros(len(domain.rows), dtype=np.intp)
    for row, groups in enumerate(own):
        choices = product(*(_first_groups(a, group) for a, group in zip(domain.attributes, groups, strict=True)))
        reading[row] = next((number[c] for c in choices if c in number and valid[row, number[c]]), 0)
    return domain.decode(domain.readings.read(domain.rows, reading))


def _first_groups(attribute: Attribute, own: str | None) -> list[str]:
    """The readings of a text that speaks of one group, or of none, those that twins share first."""
    if attribute.two_sided:
        one, _ = attribute.groups
        return [one, AS_IS if own == one else SWAPPED, AS_IS]
    first = [AS_IS if group == own else group for group in attribute.groups]
    return first if AS_IS in first else [*first, AS_IS]


class Text:
    """A list of texts, or a column of a frame."""

    name: ClassVar[str] = "text"
    called: ClassVar[str] = "texts"
    options: ClassVar[tuple[str, ...]] = ("text_column", "lexicon", "vectors")
    rules_are: ClassVar[str] = "lexicon or other vectors"
    usual_epsilon: ClassVar[int | None] = 20
    """As published."""

    def recognises(self, X: Any, options: Mapping[str, Any]) -> bool:
        """Texts, or a frame of which a column of texts is named."""
        return options.get("text_column") is not None or looks_like_texts(X)

    def subject(
        self,
        model: Any,
        X: Any,
        protected: Sequence[str],
        realism: Realism,
        options: Mapping[str, Any],
        trying: Trying,
    ) -> Subject:
        """The subject that a user's texts, additions to the lexicon and model make."""
        given = {name: options.get(name) for name in self.options}
        return text_subject(model, X, protected, realism, trying, **given)

    def gradients(self, model: Any, subject: Subject) -> GradientsOf | None:  # noqa: ARG002 - words have no gradients
        """None."""
        return None

    def saved(self, settings: Mapping[str, Any]) -> SavedText:
        """How the audit with these settings read its texts."""
        return SavedText(typed(settings, TextSettings))
