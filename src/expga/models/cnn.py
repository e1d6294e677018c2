"""A convolutional network for texts, in PyTorch, with the manners of a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from expga.contracts import FloatArray, IndexArray
from expga.errors import InputError
from expga.importing import optional
from expga.models.tokens import PAD, Encoded, Vocabulary

Vectors = tuple[Sequence[str], npt.NDArray[np.float32]]
"""Words, and the vector of each (words, d)."""

DIMENSIONS = 100
"""Of word vectors that are drawn at random."""
SPREAD = 0.3
"""Standard deviation of the entries of word vectors at the start."""
WINDOWS_AT_ONCE = 16_384
"""So few that what the filters see in them stays in a processor's cache."""
SORTED_TOGETHER = 50
"""Batches whose texts are sorted by length among each other before they are cut, so that little is padding."""


class TextCNN(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Word vectors, one convolution, the maximum over all windows of a text, one dense layer.

    The convolution is linear until it is pooled. What a word adds to a window that has it in a given place is
    therefore the same everywhere; it is worked out once a word, and a window is a sum of rows of that table.

    Args:
        vectors: words and their vectors to start from; by default they are drawn at random, in 100 dimensions.
        filters: how many the convolution has.
        window: how many words each of them sees.
        dropout: the share of pooled features left out in a training step.
        epochs: how often training sees each text.
        batch_size: texts in a training step.
        learning_rate: of Adam.
        rarest: how often a token occurs in the training texts, at least, to be in the vocabulary.
        longest: the number of tokens after which texts are cut.
        random_state: the seed of all that is random. The state of torch's own generator is not touched.

    Attributes:
        classes_: (k,) the labels.
        vocabulary_: the tokens it knows.
        weights_: the trained weights as arrays, so that a pickle of it holds nothing of torch's.
    """

    def __init__(
        self,
        vectors: Vectors | None = None,
        *,
        filters: int = 100,
        window: int = 3,
        dropout: float = 0.5,
        epochs: int = 5,
        batch_size: int = 64,
        learning_rate: float = 1e-3,
        rarest: int = 2,
        longest: int = 400,
        random_state: int = 0,
    ) -> None:
        self.vectors = vectors
        self.filters = filters
        self.window = window
        self.dropout = dropout
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.rarest = rarest
        self.longest = longest
        self.random_state = random_state

    def fit(self, texts: Sequence[str], labels: Any, sample_weight: Any = None) -> TextCNN:
        """Trains anew on n texts and their labels (n,), each of which may count more or less than others (n,)."""
        torch = optional("torch")
        texts = _listed(texts)
        self.classes_, targets = np.unique(np.asarray(labels), return_inverse=True)
        if len(self.classes_) < 2 or len(targets) != len(texts):
            raise InputError(
                f"There are {len(texts)} texts with {len(targets)} labels of {len(self.classes_)} classes to train on; "
                "give one label a text, and at least two classes."
            )
        weight = np.ones(len(texts)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != (len(texts),) or not (weight.min() >= 0 and 0 < weight.sum() < np.inf):
            raise InputError(f"Sample weights must be {len(texts)} numbers, one a text, none below 0 and not all 0.")
        known = () if self.vectors is None else self.vectors[0]
        self.vocabulary_ = Vocabulary.of(texts, self.rarest, known)
        encoded = self.vocabulary_.encode(texts, self.longest)
        rng = np.random.default_rng(self.random_state)
        self.weights_ = self._initial(rng)
        self._train(torch, encoded, targets, weight / weight.mean(), rng)
        self._table = None
        return self

    def predict_proba(self, texts: Sequence[str]) -> FloatArray:
        """(n, k) the probability of each class for n texts."""
        check_is_fitted(self)
        torch = optional("torch")
        encoded = self.vocabulary_.encode(_listed(texts), self.longest)
        scores = np.empty((len(encoded.length), len(self.classes_)))
        with torch.inference_mode():
            words, filters, bias, dense, offset = map(torch.from_numpy, self.weights_)
            if self._table is None:
                self._table = _table(torch, words, filters, self.window)
            for part in _by_length(encoded.length, WINDOWS_AT_ONCE):
                windows = _windows(encoded.padded(part, self.window - 1), len(words), self.window)
                pooled = _pooled(torch, self._table, bias, windows)
                scores[part] = (pooled @ dense + offset).softmax(1)
        return scores

    def predict(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """(n,) the most probable label of each text."""
        best = self.predict_proba(texts).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[best]
        return labels

    def __getstate__(self) -> dict[str, Any]:
        # The table follows from the weights and is larger than they are.
        return {**super().__getstate__(), "_table": None}

    def _initial(self, rng: np.random.Generator) -> list[npt.NDArray[np.float32]]:
        """Weights to start from: words (v, d), filters (d, w f), bias (f,), dense (f, k), offset (k,)."""
        size = DIMENSIONS if self.vectors is None else self.vectors[1].shape[1]
        words = rng.normal(scale=SPREAD, size=(len(self.vocabulary_), size))
        if self.vectors is not None:
            given = np.asarray(self.vectors[1], dtype=np.float64)
            numbers = [self.vocabulary_.numbers[word] for word in self.vectors[0]]
            words[numbers] = given * (SPREAD / given.std())
        words[PAD] = 0
        reach = np.sqrt(6 / (size * self.window + self.filters))
        filters = rng.uniform(-reach, reach, (size, self.window * self.filters))
        reach = np.sqrt(6 / (self.filters + len(self.classes_)))
        dense = rng.uniform(-reach, reach, (self.filters, len(self.classes_)))
        arrays = (words, filters, np.zeros(self.filters), dense, np.zeros(len(self.classes_)))
        return [array.astype(np.float32) for array in arrays]

    def _train(
        self, torch: Any, encoded: Encoded, targets: IndexArray, counts: FloatArray, rng: np.random.Generator
    ) -> None:
        """Changes the weights in place; each text counts as much as it says."""
        weights = [torch.from_numpy(weight).requires_grad_() for weight in self.weights_]
        words, filters, bias, dense, offset = weights
        # A step touches few words, and only their rows are worth updating.
        optimisers = [
            torch.optim.SparseAdam([words], lr=self.learning_rate),
            torch.optim.Adam(weights[1:], lr=self.learning_rate),
        ]
        generator = torch.Generator().manual_seed(self.random_state)
        goal, much = torch.from_numpy(targets), torch.from_numpy(counts.astype(np.float32))
        for batch in self._batches(encoded.length, rng):
            padded = encoded.padded(batch, self.window - 1)
            distinct, local = np.unique(np.append(PAD, padded), return_inverse=True)
            rows = torch.nn.functional.embedding(torch.from_numpy(distinct), words, sparse=True)
            windows = _windows(local[1:].reshape(padded.shape), len(distinct), self.window)
            pooled = _pooled(torch, _table(torch, rows, filters, self.window), bias, windows)
            kept = torch.rand(pooled.shape, generator=generator) >= self.dropout
            scores = (pooled * kept / (1 - self.dropout)) @ dense + offset
            for optimiser in optimisers:
                optimiser.zero_grad()
            losses = torch.nn.functional.cross_entropy(scores, goal[batch], reduction="none")
            (losses * much[batch]).mean().backward()
            for optimiser in optimisers:
                optimiser.step()

    def _batches(self, length: IndexArray, rng: np.random.Generator) -> Iterator[IndexArray]:
        """Numbers of texts, step by step: in random order, but of like length within a step."""
        for _ in range(self.epochs):
            order = rng.permutation(len(length))
            for drawn in np.split(order, range(0, len(order), SORTED_TOGETHER * self.batch_size)[1:]):
                drawn = drawn[length[drawn].argsort(kind="stable")]
                batches = np.split(drawn, range(0, len(drawn), self.batch_size)[1:])
                for number in rng.permutation(len(batches)):
                    yield batches[number]


def _listed(texts: Sequence[str]) -> list[str]:
    listed = [] if isinstance(texts, str) else list(texts)
    if isinstance(texts, str) or not all(isinstance(text, str) for text in listed):
        raise InputError("This model reads a list of texts; give it strings only, in a list.")
    return listed


def _by_length(length: IndexArray, windows: int) -> Iterator[IndexArray]:
    """Numbers of texts, shortest first, in parts that have so many windows at most, or are one text."""
    order = length.argsort(kind="stable")
    at = 0
    while at < len(order):
        # Padded to the longest, a part of m texts that ends with one of length L has m L windows.
        cost = length[order[at : at + windows]] * np.arange(1, min(windows, len(order) - at) + 1)
        until = at + max(1, int(np.searchsorted(cost, windows, side="right")))
        yield order[at:until]
        at = until


def _windows(padded: npt.NDArray[np.integer[Any]], words: int, window: int) -> npt.NDArray[np.int64]:
    """(n, L, window) rows of a `_table` of so many words, for texts padded (n, L + window - 1)."""
    views = np.lib.stride_tricks.sliding_window_view(padded, window, axis=1)
    return views + words * np.arange(window, dtype=np.int64)


def _table(torch: Any, words: Any, filters: Any, window: int) -> Any:
    """(window v, f) what each of v words (v, d) adds to each filter's view (d, window f), place after place.

    The first word is padding: it adds nothing, and a window that begins there is never the maximum.
    """
    features = filters.shape[1] // window
    padding = torch.zeros(1, window, features)
    padding[:, 0] = -torch.inf
    added = torch.cat([padding, (words[1:] @ filters).reshape(-1, window, features)])
    return added.transpose(0, 1).reshape(-1, features)


def _pooled(torch: Any, table: Any, bias: Any, windows: npt.NDArray[np.int64]) -> Any:
    """(n, f) each filter's strongest answer among the windows (n, L, window) of a text."""
    rows = torch.from_numpy(windows.reshape(-1, windows.shape[2]))
    seen = torch.nn.functional.embedding_bag(rows, table, mode="sum")
    return (seen.reshape(*windows.shape[:2], -1).amax(1) + bias).relu()
