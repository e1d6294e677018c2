"""What a bench runs: cells of data, attribute, model and strategy, and the plans that the commands start from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from expga.bench.experiments import EXPERIMENTS, ExperimentName
from expga.bench.material import MATERIALS, TABLES, TEXTS, Material, material_of
from expga.contracts import Manner, Realism
from expga.errors import InputError
from expga.explain import explainer
from expga.importing import require
from expga.search import of_kind

ABLATION_MODELS = ("mlp", "forest")
REPAIRS = ("findings", "twins", "both", "average", "drop")
OUR_REPAIR = "both"
"""The repair that the others are compared with."""
AUDIT_QUERIES = {"mlp": 200_000, "forest": 200_000, "lr": 100_000, "cnn": 60_000}
"""Of the audit whose findings repair a model."""
ARM_QUERIES = 20_000
"""Of a run with or without a part of our recipe: what each part is worth changes with how much may be asked."""
BUDGETS = (1_000, 5_000, 20_000, 100_000)
"""Queries of runs that are compared at several: how much may be asked shapes a run, so that none stands for another."""
FRESH_QUERIES = 20_000
"""Of each search for what a repaired model still does."""
ON_REQUEST = ("exhaustive", "aequitas-semi-directed", "aequitas-random")
"""Strategies that run only where they are asked for: lesser variants, and what settles small domains."""
FAITHFUL_PAIR = ("census", "sex")
"""Where methods also run in the faithful manner."""
SECONDS, TEXT_SECONDS = 5.0, 15.0
REPEATS, BUDGET_REPEATS, TEXT_REPEATS, REPAIR_REPEATS = 5, 3, 1, 3

ExplainerName = Literal["auto", "lime", "shap"] | None
Option = str | float | int | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A strategy on a model of a data set, for one protected attribute, several times over.

    Attributes:
        explainer: what seeds are chosen by: "auto" (the strategy's own rule), "lime", "shap", None (random rows).
        options: names and values that the strategy is made with, or the repair.
        arm: what an ablation calls this cell: "base", or what is different in it.
        seconds: the budget of a run in time, population included; or
        queries: in queries.
        seed: of the data's halves and the model; run number r searches with seed + r. A repair begins anew in each
            run, from the halves on.
    """

    experiment: ExperimentName
    data: str
    attribute: str
    model: str
    strategy: str
    manner: Manner = "batched"
    realism: Realism = "data"
    explainer: ExplainerName = "auto"
    options: tuple[tuple[str, Option], ...] = ()
    arm: str = ""
    seconds: float | None = SECONDS
    queries: int | None = None
    repeats: int = REPEATS
    seed: int = 0

    @property
    def name(self) -> str:
        """Tells this cell from all others of a plan; also the stem of its files."""
        asked = f"{self.queries} queries" if self.experiment == "queries" else ""  # other plans have one number of them
        parts = (self.experiment, self.data, self.attribute, self.model, self.strategy, self.manner, self.arm, asked)
        return "--".join(part.replace(" ", "-") for part in parts if part)

    @property
    def method(self) -> str:
        """What tables and pictures call it among the cells of its place."""
        if self.arm:
            return f"{self.strategy}: {self.arm}"
        return self.strategy if self.manner == "batched" else f"{self.strategy} (faithful)"

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Experiment, data, attribute, model: what methods are compared within."""
        return self.experiment, self.data, self.attribute, self.model

    @property
    def material(self) -> Material:
        """What its data are made of."""
        return material_of(self.data)

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, **asdict(self), "options": [list(two) for two in self.options]}

    @classmethod
    def of(cls, told: dict[str, Any]) -> Cell:
        """The cell that `as_dict` described."""
        fields = {name: value for name, value in told.items() if name != "name"}
        return cls(**{**fields, "options": tuple((name, value) for name, value in told["options"])})


@dataclass(frozen=True, slots=True)
class Choice:
    """What a user chose; None: whatever there is."""

    data: Sequence[str] | None = None
    attributes: Sequence[str] | None = None
    models: Sequence[str] | None = None
    strategies: Sequence[str] | None = None
    seconds: float | None = None
    queries: int | None = None
    repeats: int | None = None
    seed: int = 0

    def budget(self, seconds: float | None, queries: int | None = None) -> dict[str, Any]:
        """What was chosen, which is time or queries or both; these where nothing was."""
        if self.queries is self.seconds is None:
            return {"seconds": seconds, "queries": queries}
        return {"seconds": self.seconds, "queries": self.queries}


def tabular_plan(choice: Choice, experiments: Iterable[ExperimentName] = ("reproduction", "ours")) -> list[Cell]:
    """The paper's tables 3 to 5 in the literature's manner, and the same cells under our bound."""
    known = of_kind(TABLES.kind)
    strategies = _strategies(choice, known)
    models = _among("model", choice.models, TABLES.models)
    _check_gradients(choice, models, known)
    cells = []
    for experiment in experiments:
        realism: Realism = "domain" if experiment == "reproduction" else "data"
        usual = [name for name in strategies if name != EXPERIMENTS[experiment].others_recipe]
        for data, attribute in _pairs(choice, TABLES.pairs):
            for model in models:
                cell = Cell(
                    experiment, data, attribute, model, "", realism=realism, **_common(choice, SECONDS, REPEATS)
                )
                methods = [name for name in usual if model in TABLES.with_gradients or not known[name].needs_gradients]
                cells += [replace(cell, strategy=name, explainer=explainer_of(known[name])) for name in methods]
                if experiment == "reproduction" and (data, attribute) == FAITHFUL_PAIR:
                    slow = [name for name in methods if "faithful" in known[name].manners]
                    cells += [
                        replace(cell, strategy=name, explainer=explainer_of(known[name]), manner="faithful")
                        for name in slow
                    ]
    return _some(cells)


def queries_plan(choice: Choice, budgets: Sequence[int] = BUDGETS) -> list[Cell]:
    """Every method near real rows, in runs of their own at each number of queries."""
    often = replace(choice, repeats=choice.repeats or BUDGET_REPEATS)
    budgets = sorted(set(budgets))
    cells = [cell for queries in budgets for cell in tabular_plan(replace(often, queries=queries), ["queries"])]
    places = list(dict.fromkeys(cell.place for cell in cells))
    return sorted(_some(cells), key=lambda cell: places.index(cell.place))  # those of one model together


def text_plan(choice: Choice) -> list[Cell]:
    """The paper's tables 6 to 8, and the same with film reviews that anyone can install."""
    known = of_kind(TEXTS.kind)
    strategies = _strategies(choice, known)
    models = _among("text model", choice.models, TEXTS.models)
    if choice.strategies and any(known[name].needs_gradients for name in strategies):
        raise InputError(f"No text model here offers gradients; choose from {', '.join(_free(known))}.")
    return _some(
        [
            Cell("text", data, attribute, model, name, explainer=explainer_of(known[name]), **common)
            for common in [_common(choice, TEXT_SECONDS, TEXT_REPEATS)]
            for data, attribute in _pairs(choice, TEXTS.pairs)
            for model in models
            for name in strategies
            if not known[name].needs_gradients
        ]
    )


def ablation_plan(choice: Choice) -> list[Cell]:
    """Each part of ExpGA against what it would be without it, in the published recipe and in ours."""
    if choice.strategies is not None:
        raise InputError("An ablation takes ExpGA apart and nothing else; leave the strategies out.")
    models = _among("model", choice.models, TABLES.models) if choice.models else ABLATION_MODELS
    cells = []
    for data, attribute in _pairs(choice, TABLES.pairs):
        for model in models:
            cell = Cell("ablation", data, attribute, model, "", **_common(choice, SECONDS, REPEATS))
            ours = replace(cell, **choice.budget(None, ARM_QUERIES))
            cells += [*_published_arms(cell), *_our_arms(ours)]
    return _some(cells)


def retrain_plan(
    choice: Choice,
    repairs: Sequence[str] = REPAIRS,
    share: float | str | None = None,
    rounds: int = 1,
    max_queries: int = FRESH_QUERIES,
) -> list[Cell]:
    """The paper's table 9, with every repair beside the published one.

    Args:
        choice: data, attributes, models, repeats, seed.
        repairs: ways to repair, as `expga.retrain` knows them.
        share: found pairs to add, as a share of the training rows.
        rounds: of the repair that the others are compared with.
        max_queries: of each fresh search.
    """
    models = _among("model", choice.models, [model for one in MATERIALS for model in one.repaired_models])
    repairs = _checked(repairs, share, rounds, max_queries)
    cells = []
    for data, attribute in _pairs(choice, [pair for one in MATERIALS for pair in one.repaired]):
        material = material_of(data)
        some = [name for name in repairs if name not in material.no_repairs]
        repair = OUR_REPAIR if OUR_REPAIR in some else next(iter(some), None)
        options: dict[str, Option] = {
            "repair": repair,
            "compare": ",".join(name for name in some if name != repair),
            "share": share,
            "rounds": rounds,
            "max_queries": max_queries,
        }
        cells += [
            Cell(
                "retrain",
                data,
                attribute,
                model,
                "expga",
                options=tuple(options.items()),
                seconds=None,
                queries=AUDIT_QUERIES[model],
                repeats=choice.repeats or REPAIR_REPEATS,
                seed=choice.seed,
            )
            for model in models
            if model in material.repaired_models and repair is not None
        ]
    return _some(cells)


def check_packages(cells: Iterable[Cell]) -> None:
    """Says at once, before anything runs, which package the first cell that lacks one needs."""
    for cell in cells:
        kind = cell.material.kind
        method = of_kind(kind)[cell.strategy](**dict(cell.options) if EXPERIMENTS.get(cell.experiment) else {})
        method.check(cell.manner)
        name = method.usual_explainer if cell.explainer == "auto" else cell.explainer
        if name not in ("gap", None):
            explainer(name, kind)
        if cell.model == "cnn":
            require("torch")


def _checked(repairs: Sequence[str], share: float | str | None, rounds: int, max_queries: int) -> Sequence[str]:
    """The repairs in their usual order, if `expga.retrain` would take all of it."""
    from expga.repair.asked import Options
    from expga.repair.repairs import repairs_of

    if not repairs:
        return ()
    chosen, known = repairs_of(repairs[0], repairs)
    Options(
        repair=chosen,
        repairs=tuple(known),
        share=share,  # type: ignore[arg-type]
        relabel="majority",
        weight=None,
        rounds=rounds,
        test_share=0.5,
        repeats=1,
        max_loss=0,
        max_queries=max_queries,
        seed=0,
    )
    return tuple(known)


def _published_arms(cell: Cell) -> list[Cell]:
    base = replace(cell, strategy="expga-published", realism="domain", arm="base")
    return [
        base,
        replace(base, explainer="shap", arm="SHAP"),
        replace(base, explainer=None, arm="random seeds"),
        replace(base, options=(("breeding", "random"),), arm="random mutation"),
        replace(base, options=(("fitness", "labels"),), arm="label flips as fitness"),
        replace(base, realism="data", arm="realism on"),
    ]


def _our_arms(cell: Cell) -> list[Cell]:
    base = replace(cell, strategy="expga", realism="data", arm="base")
    return [
        base,
        replace(base, explainer="lime", arm="LIME"),
        replace(base, explainer="shap", arm="SHAP"),
        replace(base, explainer=None, arm="random seeds"),
        replace(base, realism="domain", arm="realism off"),
        replace(base, options=(("judged", False),), arm="no judge"),
        replace(base, options=(("ranked", False),), arm="no ranking"),
        replace(base, options=(("trees", False),), arm="values only"),
    ]


QUESTIONS = (
    ("LIME or SHAP?", "expga-published", "base", "SHAP"),
    ("LIME or SHAP?", "expga", "LIME", "SHAP"),
    ("Explanation seeds or random seeds?", "expga-published", "base", "random seeds"),
    ("Explanation seeds or random seeds?", "expga", "LIME", "random seeds"),
    ("Seeds by gap or random seeds?", "expga", "base", "random seeds"),
    ("Genetic search or random mutation?", "expga-published", "base", "random mutation"),
    ("The paper's fitness or label flips?", "expga-published", "base", "label flips as fitness"),
    ("Realism off or on?", "expga-published", "base", "realism on"),
    ("Realism on or off?", "expga", "base", "realism off"),
    ("Samples judged before they are asked about, or not?", "expga", "base", "no judge"),
    ("Samples ranked by what the model said, or not?", "expga", "base", "no ranking"),
    ("Ranked by trees as well, or by single values only?", "expga", "base", "values only"),
)
"""What an ablation answers: the question, the recipe, and the two arms to compare."""


def explainer_of(strategy: Any) -> ExplainerName:
    """A method's own rule where it has one, as ExpGA has; the others get real rows in random order."""
    return "auto" if strategy.published_seeds else None


def _common(choice: Choice, seconds: float, repeats: int) -> dict[str, Any]:
    return {**choice.budget(seconds), "repeats": choice.repeats or repeats, "seed": choice.seed}


def _free(known: dict[str, Any]) -> list[str]:
    return [name for name, kind in known.items() if not kind.needs_gradients]


def _strategies(choice: Choice, known: dict[str, Any]) -> Sequence[str]:
    usual = [name for name in known if name not in ON_REQUEST]
    return usual if choice.strategies is None else _among("strategy", choice.strategies, known)


def _among(what: str, chosen: Sequence[str] | None, known: Iterable[str]) -> tuple[str, ...]:
    known = tuple(known)
    for name in chosen or ():
        if name not in known:
            raise InputError(f"There is no {what} {name!r} in this bench; choose from {', '.join(known)}.")
    return known if chosen is None else tuple(dict.fromkeys(chosen))


def _pairs(choice: Choice, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs of data and attribute that were chosen, or a sentence on which there are."""
    data = _among("data set", choice.data, dict.fromkeys(name for name, _ in pairs))
    attributes = _among("attribute", choice.attributes, dict.fromkeys(name for _, name in pairs))
    chosen = [(name, attribute) for name, attribute in pairs if name in data and attribute in attributes]
    if not chosen:
        known = ", ".join(f"{name} {attribute}" for name, attribute in pairs if name in data)
        raise InputError(f"None of the attributes {', '.join(attributes)} is in the data chosen; there is {known}.")
    return chosen


def _check_gradients(choice: Choice, models: Sequence[str], known: dict[str, Any]) -> None:
    for name in choice.strategies or ():
        if known[name].needs_gradients and not set(models) & set(TABLES.with_gradients):
            raise InputError(
                f"The strategy {name} needs gradients, which {', '.join(models)} cannot offer; choose the model "
                f"{', '.join(TABLES.with_gradients)}, or from the strategies {', '.join(_free(known))}."
            )


def _some(cells: list[Cell]) -> list[Cell]:
    if not cells:
        raise InputError("Nothing is left to run; choose more data, models or strategies.")
    names = [cell.name for cell in cells]
    assert len(set(names)) == len(names)
    return cells
