"""Everything there is to test, once; what that is, `test_truth.py` checks by brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError
from expga.search.exhaustive import Exhaustive


@pytest.mark.parametrize("realism", ["data", "domain"])
def test_every_sample_comes_once_and_then_it_ends(watch, domain_of, people, biased, realism):
    schema = {"features": {"hours": {"immutable": True}, "age": {"min": 30, "max": 40}}}
    domain = domain_of(people.head(40), realism, schema)
    seen = watch("exhaustive", domain, biased, batches=np.inf, batch_size=999)
    assert seen.exhausted
    assert all(verdict.novel.all() for verdict in seen.verdicts)
    assert len(set(seen.domain.keys(seen.genomes))) == len(seen.genomes) > 100


def test_immutables_make_no_more_combinations_than_the_rows_have(watch, domain_of):
    frame = pd.DataFrame(
        {"sex": ["F", "M"] * 3, "town": ["n", "n", "s", "s", "s", "s"], "club": ["a", "a", "b", "b", "b", "b"]}
        | {"age": [1, 2, 3, 1, 2, 3]}
    )
    schema = {"features": {"town": {"immutable": True}, "club": {"immutable": True}}}
    seen = watch("exhaustive", domain_of(frame, "domain", schema), lambda rows: rows["age"] / 4, batches=np.inf)
    tested = seen.domain.frame(seen.genomes)[["town", "club", "age"]]
    assert sorted(map(tuple, tested.to_numpy())) == [(*place, age) for place in ("na", "sb") for age in (1, 2, 3)]


def test_too_many_within_bounds_are_counted_and_refused(people, biased, schema):
    with pytest.raises(InputError, match=r"^The domain has [\d,]+ samples, too many .* at most 1,000,000\.$") as error:
        expga.audit(biased, people, protected="sex", schema=schema, strategy="exhaustive", realism="domain")
    said = int(str(error.value).split()[3].replace(",", ""))
    hours = len(np.unique(np.r_[people["hours"], np.linspace(people["hours"].min(), people["hours"].max(), 1_000)]))
    assert said == 36 * 3 * hours * 31 * 3  # ages, jobs, hours, debts with the missing one, towns


def test_too_many_within_reach_are_refused_but_not_for_being_many_within_bounds(
    watch, domain_of, people, biased, monkeypatch
):
    domain = domain_of(people.head(60))
    count = len(watch("exhaustive", domain, biased, batches=np.inf, batch_size=4_096).genomes)
    monkeypatch.setattr(Exhaustive, "limit", count)
    assert watch("exhaustive", domain, biased, batches=1).verdicts
    monkeypatch.setattr(Exhaustive, "limit", count - 1)
    with pytest.raises(InputError, match=rf"^More than {count - 1:,} samples are within reach"):
        watch("exhaustive", domain, biased)


def test_samples_without_a_twin_are_passed_over_to_the_end(people, biased):
    small = people[["sex", "job", "town", "age"]].assign(hours=40.0)
    options = {"protected": "sex", "schema": {"forbid": [{"sex": "Female"}]}, "explainer": None}
    summary = expga.audit(biased, small, strategy="exhaustive", realism="domain", **options).summary
    assert (summary["stop_reason"], summary["tested"]) == ("exhausted", 0)
