"""Models that answer with anything, print, raise, die, hang, grow, and change whatever they can reach."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from campaign import finished, hostiles
from campaign.case import Case, Step
from campaign.odd import chance, pick

NAME = "hostile"
TIMED = ("--call-timeout", "1s")
ENDS = (0, 2, 3)
INTERRUPTED = (*ENDS, 130)


class Hostile:
    """A model of the user's own making, at any call of an audit or a replay, of a table or of texts."""

    name = NAME
    total = 1_500

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 10, number])
        kind = str(rng.choice(["answer", "act", "death", "hanging"], p=[0.45, 0.42, 0.08, 0.05]))
        when = int(rng.choice([1, 2, 3, 5, 8, 12], p=[0.35, 0.15, 0.15, 0.15, 0.1, 0.1]))
        onwards = chance(rng, 0.75)
        timed = kind == "hanging" or chance(rng, 0.15)
        if kind == "answer":
            name = str(pick(rng, list(hostiles.ANSWERS)))
            code = hostiles.answering(hostiles.ANSWERS[name], when, onwards)
        else:
            bodies = {"act": hostiles.ACTS, "death": hostiles.DEADLY, "hanging": hostiles.HANGING}[kind]
            name = str(pick(rng, list(bodies)))
            code = hostiles.module(bodies[name], when, onwards)
        texts = chance(rng, 0.3)
        files = {name: told for name, told in finished.inputs().items() if not name.startswith("model")}
        files["hostile.py"] = code
        options = finished.LETTERS if texts else finished.PEOPLE
        words: tuple[str, ...] = ("audit", "--model", "hostile:model", *options, "--out", "out")
        about = f"{kind} {name!r} at call {when}{' and on' if onwards else ''}{', of texts' if texts else ''}"
        if texts and chance(rng, 0.2):
            files |= finished.audit_of_texts()
            words = ("replay", "out", "--model", "hostile:model")
            about = f"{about}, at replay"
        elif chance(rng, 0.1):
            words = (*words, "--min-gap", "0.2")
        elif chance(rng, 0.1):
            words = (*words, "--threshold", "0.4")
        return _told(Case(NAME, files, (), (), about=about), words, kind, name, timed)


def _told(case: Case, words: tuple[str, ...], kind: str, name: str, timed: bool) -> Case:
    """The case with its command, and what must come of it."""
    codes = INTERRUPTED if "nterrupt" in name or name in ("terminates", "handles signals", "a group") else ENDS
    may_die = kind == "death" and not timed
    step = Step((*words, *TIMED) if timed else words, codes=codes, may_die=may_die)
    replayed = words[0] == "replay"
    touches = ("removes", "empties", "changes the folder")
    checks = ("whole",) if not replayed and not name.startswith(touches) and not may_die else ()
    steps: tuple[Step, ...] = (step,)
    if may_die and not replayed:
        steps = (step, replace(step, words=(*_calm(words), "--overwrite"), codes=(0,), may_die=False))
        checks = ("whole",)
    ours = tuple(one for one in case.files if one.startswith("out/"))
    about = f"{case.about}{', timed' if timed else ''}"
    return replace(case, steps=steps, checks=checks, about=about, ours=ours)


def _calm(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("anyone:model" if word == "hostile:model" else word for word in words)
