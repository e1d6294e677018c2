"""The experiments of a bench that compare methods: what each is called, and whom the others are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ExperimentName = Literal["reproduction", "ours", "queries", "text", "ablation", "retrain"]
"""Also the one that compares repairs, which has pages of its own."""

OWN = "explaining and searching, and measuring the population where seeds are chosen by it"
"""What a method's own queries are for, and its own time."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """Cells that are shown together."""

    title: str
    """Of its part of the page."""
    leader: str = ""
    """The method that the others are compared with; an ablation compares arms instead."""
    others_recipe: str = ""
    """ExpGA's recipe that takes no part."""
    clock: str = OWN
    """What is timed."""

    @property
    def words(self) -> str:
        """The title within a sentence."""
        return self.title[0].lower() + self.title[1:]


EXPERIMENTS: dict[str, Experiment] = {
    "reproduction": Experiment("The literature's manner", "expga-published", others_recipe="expga"),
    "ours": Experiment("Near real rows", "expga", others_recipe="expga-published"),
    "queries": Experiment("Findings at equal queries", "expga"),
    "text": Experiment("Texts", "expga", clock="the whole audit, lexicon and substitutes included"),
    "ablation": Experiment("Ablation"),
}
"""By name, in the order of the page."""
