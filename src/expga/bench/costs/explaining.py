"""How fast rows are explained, and whether the decisions are those of the `lime` package."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from expga.bench.apart import apart
from expga.bench.table_models import literature_model
from expga.bench.table_session import halves
from expga.contracts import BoolArray
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.errors import InputError
from expga.explain.lime import Lime
from expga.explain.ranking import protected_rank
from expga.importing import located
from expga.models import wrap

ROWS = 1_000
PACKAGE_ROWS = 100
EPSILON = 7
DRAWS = 5


def measure(_: Path) -> dict[str, Any]:
    """How fast both explain, and how far they agree."""
    if located("lime") is None:
        raise InputError(
            "Explaining is compared with the package lime; install it with pip install lime, or choose other parts."
        )
    told: dict[str, Any] = apart(explained)
    return told


def shown(told: dict[str, Any]) -> list[tuple[str, str]]:
    """Ours beside the package."""
    speed = (
        f"LIME for {told['rows']:,} rows",
        f"{told['seconds']:.2f} s; the package lime takes {told['times_faster']:.0f} times as long",
    )
    agreed = [
        (
            f"decisions on {column} as the package's",
            f"{alike['ours_with_package']:.0%}; the package agrees with itself on {alike['package_with_itself']:.0%}",
        )
        for column, alike in told["agreement"].items()
    ]
    return [speed, *agreed]


def explained() -> dict[str, Any]:
    """Explains Census rows on the MLP with both; decisions are on sex and on age, at the published ε of 7."""
    parts = halves("census", 0)
    model = literature_model("mlp", parts.searched, parts.target, 0)
    domain = TabularDomain(parts.searched, ["sex"], read_schema(parts.schema), "data")
    wrapped, _ = wrap(model, parts.searched[:500])
    rows = np.random.default_rng(0).permutation(len(domain.rows))[:ROWS]

    def ours(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return Lime().importance(lambda g: wrapped.ask(domain.decode(g)), domain, domain.rows[rows], rng)

    ours(99)  # the first call warms the caches of both
    began = time.perf_counter()
    draws = [ours(seed) for seed in range(DRAWS)]
    seconds = (time.perf_counter() - began) / DRAWS
    package, package_seconds = _package(domain, parts.searched, model, rows[:PACKAGE_ROWS], 1)
    again, _ = _package(domain, parts.searched, model, rows[:PACKAGE_ROWS], 2)
    agreement = {}
    for column in ("sex", "age"):
        protected = np.array([name == column for name in domain.columns])
        theirs = _admitted(package, protected)
        mine = [_agree(_admitted(draw[:PACKAGE_ROWS], protected), theirs) for draw in draws]
        agreement[column] = {
            "package_with_itself": _agree(theirs, _admitted(again, protected)),
            "ours_with_package": float(np.mean(mine)),
            "ours_worst_draw": min(mine),
        }
    return {
        "rows": ROWS,
        "seconds": seconds,
        "package_seconds": package_seconds * ROWS / PACKAGE_ROWS,
        "times_faster": package_seconds * ROWS / PACKAGE_ROWS / seconds,
        "agreement": agreement,
    }


def _package(domain: TabularDomain, frame: Any, model: Any, rows: Any, seed: int) -> tuple[np.ndarray, float]:
    """(n, d) the package's importances, and the seconds it took."""
    import warnings

    from lime.lime_tabular import LimeTabularExplainer

    data = frame.to_numpy()
    explainer = LimeTabularExplainer(
        data, categorical_features=np.flatnonzero(domain.categorical).tolist(), random_state=seed
    )
    importance = np.zeros((len(rows), data.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package hands arrays to a model trained on a frame
        began = time.perf_counter()
        for place, row in enumerate(rows):
            told = explainer.explain_instance(data[row], model.predict_proba, num_features=data.shape[1])
            for gene, weight in told.as_map()[1]:
                importance[place, gene] = abs(weight)
        return importance, time.perf_counter() - began


def _admitted(importance: np.ndarray, protected: np.ndarray) -> BoolArray:
    return np.asarray(protected_rank(importance, protected) <= EPSILON)


def _agree(one: BoolArray, other: BoolArray) -> float:
    return float((one == other).mean())
