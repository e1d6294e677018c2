"""Strategies: each a generator that proposes batches and is handed the verdicts."""

from __future__ import annotations

from typing import Any, get_args

from expga.contracts import Asking, Manner, Strategy
from expga.errors import InputError
from expga.inputs import in_short, listed
from expga.registry import Registry, lacking, made

STRATEGIES = Registry(
    "strategies",
    {
        "expga": ["expga.search.expga:ExpGA", "expga.search.expga_text:TextExpGA"],
        "expga-published": ["expga.search.published:PublishedExpGA", "expga.search.published_text:PublishedTextExpGA"],
        "random": ["expga.search.random:RandomTesting"],
        "aequitas": ["expga.search.aequitas:Aequitas"],
        "aequitas-semi-directed": ["expga.search.aequitas:SemiDirectedAequitas"],
        "aequitas-random": ["expga.search.aequitas:RandomAequitas"],
        "sg": ["expga.search.sg:SG"],
        "adf": ["expga.search.adf:ADF"],
        "mtnlp": ["expga.search.mtnlp:MTNLP"],
        "exhaustive": ["expga.search.exhaustive:Exhaustive"],
    },
)
_OWED = ("name", "search", "check", "manners", "asking", "kinds", "needs_gradients", "usual_explainer", "usual_realism")


def strategy(given: Any, kind: str, called: str) -> Strategy:
    """The strategy that a user means, by name, class or object, with its published or measured parameters.

    Args:
        given: a name, `package.module:Name`, a class, or an object as `expga.contracts.Strategy` describes it.
        kind: the name of the kind of subject that it is for.
        called: what a subject of that kind is called.
    """
    candidates = STRATEGIES.given(given, lambda: names(kind))
    # Of several of one name the one that is for this kind alone knows it better than one that is for any.
    fitting = [one for one in candidates if kind in _kinds(one)] or [one for one in candidates if not _kinds(one)]
    if not fitting:
        name = given if isinstance(given, str) else getattr(given, "name", in_short(given))
        others = " and ".join(f"{kind}s" for kind in sorted({kind for one in candidates for kind in _kinds(one)}))
        raise InputError(f"The strategy {name} is for {others}; on {called} choose one of {listed(names(kind))}.")
    return checked(made(fitting[0], "strategy"))


def names(kind: str) -> list[str]:
    """The strategies for a kind of subject."""
    fitting = (name for name, one in STRATEGIES.all() if not _kinds(one) or kind in _kinds(one))
    return list(dict.fromkeys(fitting))


def of_kind(kind: str) -> dict[str, Any]:
    """The classes of the strategies for a kind of subject, by name."""
    found: dict[str, Any] = {}
    for name in names(kind):
        candidates = STRATEGIES.named(name)
        found[name] = next((one for one in candidates if kind in _kinds(one)), candidates[0])
    return found


def checked(chosen: Any) -> Strategy:
    """A strategy, once it is known to have what one owes."""
    called = f"The strategy {type(chosen).__name__}"
    if name := lacking(chosen, _OWED):
        raise InputError(f"{called} has no {name}; let its class inherit from expga.contracts.Strategy, or add it.")
    if not callable(chosen.search):
        raise InputError(f"{called} has a search that cannot be called; make it a method that yields batches.")
    if chosen.asking not in get_args(Asking):
        raise InputError(f"{called} asks for {in_short(chosen.asking)}; its asking is either pair or all.")
    if not chosen.manners or not set(chosen.manners) <= set(get_args(Manner)):
        raise InputError(f"{called} has the manners {in_short(chosen.manners)}; there are batched and faithful.")
    found: Strategy = chosen
    return found


def _kinds(one: Any) -> tuple[str, ...]:
    """The kinds that a strategy is for; none: any, or not yet known to be a strategy at all."""
    kinds = getattr(one, "kinds", ())
    return kinds if isinstance(kinds, tuple) else ()
