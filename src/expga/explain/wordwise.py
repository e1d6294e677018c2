"""What explainers of texts share: words taken out, questions asked in bulk, weights turned into ranks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress

import numpy as np

from expga.contracts import Answers, BoolArray, Explainer, FloatArray, IndexArray, Model, Texts
from expga.explain.ranking import protected_rank

CHUNK = 8_192
"""Texts sent to the model at once, at most: a text's own questions stay together."""


class Cut:
    """A text cut at its words, to be put together again without some of them.

    Equal words come and go together, as in the bag of words of the package `lime`.
    """

    def __init__(self, text: str, spans: IndexArray) -> None:
        """Cuts a text at the spans (w, 2) of its words."""
        bounds: list[list[int]] = spans.tolist()
        words = [text[start:end] for start, end in bounds]
        numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
        self.count = len(numbers)
        """u, the number of distinct words."""
        self.number = np.array([numbers[word] for word in words], dtype=np.intp)
        """(w,) which of the distinct words each word is."""
        # A word goes with the blanks before it, so that no two gaps ever meet; what else lies between stays.
        self._pieces: list[str] = []
        self._owner: list[int] = []
        end = 0
        for (start, after), word in zip(bounds, words, strict=True):
            gap = text[end:start]
            mark = gap.rstrip()
            self._pieces += [mark, gap[len(mark) :] + word]
            self._owner += [self.count, numbers[word]]
            end = after
        self._pieces.append(text[end:])
        self._owner.append(self.count)

    def keeping(self, kept: BoolArray) -> list[str]:
        """The text m times, each with only those of its distinct words that `kept` (m, u) names."""
        stays = np.pad(kept, ((0, 0), (0, 1)), constant_values=True)[:, self._owner]
        texts = ["".join(compress(self._pieces, row.tobytes())) for row in stays]
        if self.count and not self._pieces[0]:
            # Without its first word a text would begin with the blanks before another.
            for number in np.flatnonzero(~stays[:, 1]).tolist():
                texts[number] = texts[number].lstrip()
        return texts


@dataclass(frozen=True, slots=True)
class Questions:
    """What an explainer wants to know about a text of u distinct words."""

    kept: BoolArray
    """(m, u) the words that each version of the text keeps."""
    weights: Callable[[Answers], FloatArray]
    """From the answers about these m to the weight (u,) of each word."""


class WordExplainer(Explainer):
    """Weighs the distinct words of texts, many texts to a call of the model."""

    kinds = ("text",)

    @property
    @abstractmethod
    def most(self) -> int:
        """The most queries that the explanation of one text takes."""

    @abstractmethod
    def questions(self, words: int, rng: np.random.Generator) -> Questions:
        """What to ask about a text of so many distinct words, at least one."""

    def queries(self, domain: Texts, rows: int) -> int:  # noqa: ARG002 - the same for every domain
        """At most so many: texts may be short, and what is asked about twice is answered once."""
        return rows * self.most

    def importance(self, model: Model, domain: Texts, rows: IndexArray, rng: np.random.Generator) -> list[FloatArray]:
        """For each row (w,) the size of each word's weight for the label of the text; equal words share one."""
        return [sizes[cut.number] for cut, sizes in self._weighed(model, domain, rows, rng)]

    def ranks(self, model: Model, domain: Texts, rows: IndexArray, rng: np.random.Generator) -> IndexArray:
        """(n,) the best rank of a sensitive word among the u distinct words of each row (n,); u + 1 without one."""
        weighed = list(self._weighed(model, domain, rows, rng))
        widest = max((cut.count for cut, _ in weighed), default=0)
        importance = np.full((len(rows), widest + 1), -np.inf)
        sensitive = np.zeros((len(rows), widest + 1), dtype=bool)
        for number, (row, (cut, sizes)) in enumerate(zip(rows.tolist(), weighed, strict=True)):
            importance[number, : cut.count] = sizes
            sensitive[number, cut.number[domain.sensitive(row)]] = True
            sensitive[number, cut.count] = True  # behind all words: where a text without a sensitive one ranks
        return protected_rank(importance, sensitive)

    def _weighed(
        self, model: Model, domain: Texts, rows: IndexArray, rng: np.random.Generator
    ) -> Iterator[tuple[Cut, FloatArray]]:
        """Each row's text, cut, and the size (u,) of the weight of each of its distinct words."""
        for part in self._parts(domain, rows, rng):
            texts = [text for cut, asked in part for text in cut.keeping(asked.kept)]
            places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
            answers = model.ask(list(places))
            place = np.array([places[text] for text in texts], dtype=np.intp)
            start = 0
            for cut, asked in part:
                mine = place[start : start + len(asked.kept)]
                start += len(mine)
                told = Answers(answers.labels[mine], answers.scores[mine], answers.margins[mine])
                yield cut, np.abs(asked.weights(told))

    def _parts(
        self, domain: Texts, rows: IndexArray, rng: np.random.Generator
    ) -> Iterator[list[tuple[Cut, Questions]]]:
        """The rows' texts and the questions about them, as many as go to the model at once."""
        part: list[tuple[Cut, Questions]] = []
        size = 0
        for row in rows.tolist():
            cut = Cut(domain.text(row), domain.spans(row))
            asked = self.questions(cut.count, rng) if cut.count else _NOTHING
            if part and size + len(asked.kept) > CHUNK:
                yield part
                part, size = [], 0
            part.append((cut, asked))
            size += len(asked.kept)
        if part:
            yield part


_NOTHING = Questions(np.ones((1, 0), dtype=bool), lambda _: np.zeros(0))
"""About a text without words: as it is, once."""
