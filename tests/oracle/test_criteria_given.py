"""A criterion by name, class or object, saved and made again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import expga
from expga.criterion import CRITERIA, Flip, Gap, as_saved, criterion_of, saved_criterion
from expga.errors import InputError


@dataclass(frozen=True)
class Ratio:
    """Scores of which one is so many times the other."""

    times: float = 1.25
    name = "ratio"
    labels_decide = False
    what = "score"

    def flips(self, _, scores):
        return scores.max(axis=1) >= self.times * scores.min(axis=1)

    def unfair(self, labels, scores, *_):
        return self.flips(labels, scores)

    def settings(self):
        return {"times": self.times}


def model(frame):
    return np.where(frame["sex"] == "m", 0.9, 0.7) - 0.001 * frame["age"]


@pytest.fixture
def people():
    return pd.DataFrame({"sex": ["f", "m"] * 30, "age": range(60), "pay": [1, 2, 3] * 20})


def test_by_name_class_object_and_smallest_gap():
    assert criterion_of() == criterion_of("flip") == criterion_of(Flip) == Flip()
    assert criterion_of(min_gap=0.2) == criterion_of(Gap(0.2)) == Gap(0.2)
    assert criterion_of("gap") == Gap()


def test_what_is_saved_makes_the_same_again():
    for criterion in (Flip(), Gap(0.3)):
        assert saved_criterion(as_saved(criterion)) == criterion


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("ratio", "There is no criterion 'ratio'; choose one of flip, gap"),
        (object(), "The criterion object has no name"),
        (5, "The criterion int has no name"),
    ],
)
def test_what_is_none_is_told(given, told):
    with pytest.raises(InputError, match=told):
        criterion_of(given)


def test_not_two_at_once():
    with pytest.raises(InputError, match="Give either a criterion or a smallest gap"):
        criterion_of(Flip(), 0.1)


@pytest.mark.parametrize("gap", [0, -1, "wide", float("nan")])
def test_a_gap_is_a_number_above_0(gap):
    with pytest.raises(InputError, match="must be a number above 0"):
        Gap(gap)


def test_one_of_a_users_own_is_audited_by_replayed_and_shown(people, tmp_path):
    audit = expga.audit(model, people, protected="sex", max_queries=900, criterion=Ratio(), out=tmp_path / "out")
    assert audit.population.rate == 1
    assert len(audit.findings) > 20
    kept = expga.Audit.load(tmp_path / "out")
    with pytest.raises(InputError, match="The criterion of the audit, 'ratio', is not known here"):
        expga.replay(kept, model)
    assert expga.replay(kept, model, criterion=Ratio()) == (len(audit.findings),) * 2
    assert expga.replay(kept, model, criterion=Ratio(1.5))[0] == 0
    assert kept.subject.headline(kept.summary)[0].startswith("100.00% of 60 real rows get another score")


def test_one_that_is_registered_is_made_again_by_its_name(people, tmp_path, monkeypatch):
    monkeypatch.setitem(CRITERIA._added, "ratio", [Ratio])
    audit = expga.audit(model, people, protected="sex", max_queries=900, criterion="ratio", out=tmp_path / "out")
    assert expga.replay(expga.Audit.load(tmp_path / "out"), model) == (len(audit.findings),) * 2


def test_a_repair_is_judged_by_a_criterion_that_is_handed_over_again(people):
    labels = (model(people) > 0.77).astype(int)
    audit = expga.audit(model, people, protected="sex", criterion=Ratio(1.2), max_queries=500)
    given = {"repair": "average", "repeats": 1, "max_queries": 20}
    with pytest.raises(InputError, match="The criterion of the audit, 'ratio', is not known here"):
        expga.retrain(model, people, labels, audit, **given)
    fairer = expga.retrain(model, people, labels, audit, criterion=Ratio(1.2), **given)
    (run,) = fairer.summary["runs"]
    assert run["before"]["flips_test"]["flipped"] > 0
    assert run["repairs"]["average"]["flips_test"]["flipped"] == 0
