"""`expga replay`: every pair is asked about again."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError
from expga.results.record import signed


def says(run, holds, total):
    share = f" ({np.floor(holds / total * 10_000) / 100:.2f}%)" if total else ""
    return run.code == 0 and run.stdout == f"{holds:,} of {total:,} pairs still hold{share}.\n" and run.stderr == ""


@pytest.mark.parametrize("kind", ["binary", "multi-class", "decision", "labels"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_all_pairs_hold_with_the_same_model(desk, models, kind, ending):
    found = desk.audit(models[kind], data=desk.data(desk.people, f"people.{ending}")).summary["found"]
    assert found > 0
    assert says(desk.replay(models[kind]), found, found)


def test_all_pairs_hold_where_a_protected_value_is_bytes_that_are_no_text(desk):
    def model(frame):
        return np.where(frame["sex"] == b"\xff", 0.9, 0.1)

    people = desk.people.assign(sex=np.where(desk.people["sex"] == "male", b"\xff", b"\xfe"))
    found = desk.audit(model, data=desk.data(people, "people.parquet")).summary["found"]
    assert found > 0
    assert says(desk.replay(model), found, found)


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


def another_table(desk, change):
    """An audit whose findings are others, with a summary that knows their digest."""
    out = desk.folder / "out"
    change(desk.audit(lambda frame: (frame["sex"] == "male").astype(float)).findings).to_parquet(
        out / "findings.parquet"
    )
    summary = json.loads((out / "summary.json").read_text())
    digest = hashlib.sha256((out / "findings.parquet").read_bytes()).hexdigest()
    (out / "summary.json").write_bytes(signed({**summary, "files": {"findings.parquet": digest}}))


@pytest.mark.parametrize(
    ("change", "mention"),
    [
        (lambda found: found.drop(columns="sex__twin"), "0 columns 'sex__twin'"),
        (lambda found: found.drop(columns="score"), "0 columns 'score'"),
        (lambda found: found[:1], "and 1 are there"),
        (lambda found: found.assign(gap="wide"), "'gap' of findings.parquet does not hold numbers"),
        (lambda found: found.assign(anchor="there"), "'anchor' of findings.parquet does not hold numbers of rows"),
        (lambda found: found.assign(label="perhaps"), "labels that the model does not know"),
        (lambda found: found.assign(label=[[1]] * len(found)), "cannot be read"),
    ],
)
def test_findings_of_another_shape_than_the_summary_says_are_refused(desk, unfair, change, mention):
    another_table(desk, change)
    run = desk.replay(unfair)
    assert (run.code, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert mention in run.stderr


@pytest.mark.parametrize("asked", [[["Maria left.", None]], [[5, 6]], [3]])
def test_versions_that_are_no_texts_are_refused(asked):
    texts = ["Maria hated the noisy lamp.", "Maria loved it."] * 9

    def model(texts):
        return [float(text.startswith(("Maria", "Amanda", "Samantha", "Lauren", "Olivia"))) for text in texts]

    audit = expga.audit(model, texts, protected="gender", max_queries=300)
    some = audit.findings[audit.findings["names"].str.len() > 1][:1]
    assert len(some) == 1
    with pytest.raises(InputError, match=r"asked about are no texts in findings\.parquet"):
        expga.Audit(audit.summary, some.assign(asked=pd.Series(asked, index=some.index))).asked()


def test_of_a_model_that_varies_it_says_that_noise_alone_may_undo_a_pair(desk, unfair):
    drawn = np.random.default_rng(0)

    def shaken(rows):
        return np.clip(unfair(rows) + drawn.normal(0, 0.1, len(rows)), 0, 1)

    audit = desk.audit(shaken, max_queries=2_000)
    run = desk.replay(shaken)
    rate = f"{audit.summary['placebo']['rate']:.2%}"
    assert f"{rate} of the rows that it was asked about twice disagreed with themselves" in run.stdout
    assert "though it held each time" in run.stdout


def test_it_asks_as_often_as_the_audit_did(desk, unfair):
    asked = []

    def counting(rows):
        asked.append(len(rows))
        return unfair(rows)

    audit = desk.audit(counting, max_queries=1_000, repeats=5)
    assert audit.summary["settings"]["repeats"] == 5
    asked.clear()
    assert says(desk.replay(counting), audit.summary["found"], audit.summary["found"])
    assert sum(asked) >= 5 * 2 * audit.summary["found"] > 0
