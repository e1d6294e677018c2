"""`expga replay`: every pair is asked about again."""

from __future__ import annotations

import numpy as np
import pytest


def says(run, holds, total):
    share = f" ({np.floor(holds / total * 10_000) / 100:.2f}%)" if total else ""
    return run.code == 0 and run.stdout == f"{holds:,} of {total:,} pairs still hold{share}.\n" and run.stderr == ""


@pytest.mark.parametrize("kind", ["binary", "multi-class", "decision", "labels"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_all_pairs_hold_with_the_same_model(desk, models, kind, ending):
    found = desk.audit(models[kind], data=desk.data(desk.people, f"people.{ending}")).summary["found"]
    assert found > 0
    assert says(desk.replay(models[kind]), found, found)


@pytest.mark.parametrize("options", [{"threshold": 0.8}, {"min_gap": 0.2}, {"positive": "no"}])
def test_the_audits_own_rule_applies(desk, binary, options):
    found = desk.audit(binary, max_queries=1_500, **options).summary["found"]
    assert found > 0
    assert says(desk.replay(binary), found, found)


def test_none_holds_with_a_model_that_was_repaired(desk, unfair, fair):
    found = desk.audit(unfair).summary["found"]
    assert found > 0
    assert says(desk.replay(fair), 0, found)


def test_fewer_hold_with_a_model_that_was_repaired_for_some(desk, unfair):
    def repaired_for_cooks(frame):
        return np.where(frame["job"] == "cook", 0.9, unfair(frame))

    findings = desk.audit(unfair).findings
    left = int((findings["job"] != "cook").sum())
    assert 0 < left < len(findings)
    assert says(desk.replay(repaired_for_cooks), left, len(findings))


def test_a_model_that_gives_labels_may_now_give_the_same_to_all(desk, unfair):
    found = desk.audit(lambda frame: (unfair(frame) > 0.5).astype(int)).summary["found"]
    assert found > 0
    assert says(desk.replay(lambda frame: np.zeros(len(frame), dtype=int)), 0, found)


@pytest.mark.parametrize("label", [0, 1])
def test_a_model_that_gives_labels_holds_where_all_first_twins_got_the_same(desk, unfair, label):
    def labels(frame):
        return (unfair(frame) > 0.5).astype(int)

    mostly = desk.people.assign(sex=["female", "male"][label])
    mostly.loc[0, "sex"] = ["male", "female"][label]
    findings = desk.audit(labels, data=desk.data(mostly), max_findings=3).findings
    assert set(findings["label"]) == {label}
    assert says(desk.replay(labels), 3, 3)


def test_an_audit_that_found_nothing_has_nothing_to_hold(desk, fair, unfair):
    desk.audit(fair)
    assert says(desk.replay(unfair), 0, 0)


def test_missing_values_come_back_as_they_were(desk):
    def model(frame):
        return np.where(frame["hours"].isna() & (frame["sex"] == "male"), 0.9, 0.1)

    data = desk.people.assign(hours=desk.people["hours"].mask(np.arange(120) % 3 == 0))
    found = desk.audit(model, data=desk.data(data)).summary["found"]
    assert found > 0
    assert says(desk.replay(model), found, found)
