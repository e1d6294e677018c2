"""A PyTorch module on the numbers of a table, with the manners of a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from expga.contracts import FloatArray
from expga.errors import InputError, ModelError
from expga.importing import optional


class TorchTable:
    """A trained `torch.nn.Module` as a classifier that also offers gradients.

    Args:
        module: takes a float tensor (n, columns), gives logits: (n,) or (n, 1) those of the second of two classes, or
            (n, k) one for each class. Its last layer is linear, without a sigmoid or softmax behind it.
        classes: the k labels, in the module's order.

    Attributes:
        classes_: (k,) the labels.
    """

    def __init__(self, module: Any, classes: Sequence[Any] = (0, 1)) -> None:
        self.module = module
        self.classes_ = np.asarray(classes)

    def predict_proba(self, X: Any) -> FloatArray:
        """(n, k) the probability of each class for rows (n, columns)."""
        torch = optional("torch")
        with self._evaluating(), torch.no_grad():
            scores = self._scores(self._tensor(X)).double().softmax(1)
        return np.asarray(scores.cpu().numpy())

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """(n,) the most probable label of each row."""
        labels: npt.NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels

    def gradients(self, X: Any) -> FloatArray:
        """(n, columns) the gradient of the log-odds of the second of two classes with respect to each number."""
        torch = optional("torch")
        if len(self.classes_) != 2:
            raise ModelError(f"The log-odds of two classes have a gradient, and this model has {len(self.classes_)}.")
        with self._evaluating(), torch.enable_grad():
            inputs = self._tensor(X).requires_grad_()
            scores = self._scores(inputs)
            # Rows do not touch each other, so the gradient of their sum holds the gradient of each.
            (gradient,) = torch.autograd.grad((scores[:, 1] - scores[:, 0]).sum(), inputs)
        return np.asarray(gradient.double().cpu().numpy())

    def _scores(self, inputs: Any) -> Any:
        """(n, k) logits; where the module gives those of the second class alone, the first one's are 0."""
        torch = optional("torch")
        logits = self.module(inputs)
        if logits.ndim == 1 or logits.shape[1] == 1:
            logits = logits.reshape(-1, 1)
            logits = torch.cat([torch.zeros_like(logits), logits], dim=1)
        if logits.shape[1] != len(self.classes_):
            raise ModelError(f"The module gives {logits.shape[1]} logits a row for {len(self.classes_)} classes.")
        return logits

    def _tensor(self, X: Any) -> Any:
        """(n, columns) as the module's parameters have it: their precision, their device."""
        torch = optional("torch")
        try:
            numbers = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("The module takes numbers only; give it a table without texts or categories.") from None
        like = next(self.module.parameters(), torch.empty(0))
        return torch.as_tensor(numbers).to(like.device, like.dtype)

    @contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Switches dropout and the like off for the time being."""
        training = self.module.training
        self.module.eval()
        try:
            yield
        finally:
            self.module.train(training)
