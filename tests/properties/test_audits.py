"""What holds of every audit, whatever the table, the schema and the model."""

from __future__ import annotations

from itertools import product

import pandas as pd
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

import expga


def often(times):
    """Settings for so many cases."""
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    return settings(max_examples=times, phases=[Phase.generate, Phase.shrink], suppress_health_check=checks)


def its_findings_hold_when_the_model_is_asked_directly(case, audit):
    first, second = audit.twins()
    assert (case.model.labels(first) != case.model.labels(second)).all()


def a_replay_confirms_every_finding(case, audit):
    assert expga.replay(audit, case.model) == (len(audit.findings), len(audit.findings))


def no_two_findings_are_equal_but_for_what_is_protected(case, audit):
    assert not audit.findings[case.free].duplicated().any()


def twins_are_readings_that_can_be_and_differ_in_nothing_else(case, audit):
    first, second = audit.twins()
    pd.testing.assert_frame_equal(first[case.free], second[case.free])
    for side in (first, second):
        for name, values in case.readings.items():
            assert side[name].isin(values).all()
        assert all(case.possible(row) for row in side.to_dict("records"))


def nothing_leaves_its_bounds_its_immutables_or_its_radius(case, audit):
    findings = audit.findings
    real = case.frame.loc[findings["anchor"]].reset_index(drop=True)
    for name, rule in case.schema["features"].items():
        if "min" in rule:
            assert findings[name].dropna().between(rule["min"], rule["max"]).all()
        if "immutable" in rule:
            pd.testing.assert_series_equal(findings[name], real[name], check_dtype=False)
        if case.realism == "data":
            assert findings[name].dropna().isin(case.frame[name]).all()
            assert case.frame[name].isna().any() or not findings[name].isna().any()
    if case.realism == "data":
        assert (findings["distance"] <= audit.summary["radius"] + 1e-9).all()


def values_have_the_dtypes_that_the_model_was_trained_on(case, audit):
    first, second = audit.twins()
    assert list(first.columns) == list(case.frame.columns)
    assert first.dtypes.to_dict() == second.dtypes.to_dict() == case.frame.dtypes.to_dict()


def brute_force(case, attributes):
    """(rows that have a twin, rows that flip) with every combination of these attributes' readings."""
    labels = [set() for _ in range(len(case.frame))]
    twins = [0] * len(case.frame)
    for choice in product(*(case.readings[name] for name in attributes)):
        read = case.frame.copy()
        for name, value in zip(attributes, choice, strict=True):
            read[name] = pd.Series([value] * len(read), dtype=read[name].dtype)
        for row, (twin, label) in enumerate(zip(read.to_dict("records"), case.model.labels(read), strict=True)):
            if case.possible(twin):
                twins[row] += 1
                labels[row].add(label)
    counted = [row for row, count in enumerate(twins) if count >= 2]
    return len(counted), sum(len(labels[row]) > 1 for row in counted)


def the_populations_rate_is_that_of_brute_force(case, audit):
    summary = audit.summary
    population = summary["population"]
    assert not population["sampled"]
    assert (population["rows"], population["flipped"]) == brute_force(case, case.protected)
    assert population["rows"] + population["rows_without_twin"] == len(case.frame)
    assert population["rate"] == (population["flipped"] / population["rows"] if population["rows"] else None)
    for name in case.protected:
        alone = summary["by_attribute"][name]
        assert (alone["rows"], alone["flipped"]) == brute_force(case, [name])


@often(times=50)
@given(st.data())
def test_what_is_told_of_one_audit_is_true(random_cases, data):
    """All of it of the same audits: they are what takes time."""
    case = data.draw(random_cases)
    audit = case.audit()
    event(f"findings: {len(audit.findings) > 0}")
    its_findings_hold_when_the_model_is_asked_directly(case, audit)
    a_replay_confirms_every_finding(case, audit)
    no_two_findings_are_equal_but_for_what_is_protected(case, audit)
    twins_are_readings_that_can_be_and_differ_in_nothing_else(case, audit)
    nothing_leaves_its_bounds_its_immutables_or_its_radius(case, audit)
    values_have_the_dtypes_that_the_model_was_trained_on(case, audit)
    the_populations_rate_is_that_of_brute_force(case, audit)


@often(times=20)
@given(st.data())
def test_a_model_that_ignores_what_is_protected_is_never_accused(random_cases, data):
    case = data.draw(random_cases)
    audit = case.audit(case.model.blind_to(case.protected))
    assert len(audit.findings) == 0
    assert audit.population.flipped == 0


@often(times=20)
@given(st.data())
def test_the_same_seed_and_budget_find_the_same(random_cases, data):
    case = data.draw(random_cases)
    one, again = case.audit(), case.audit()
    pd.testing.assert_frame_equal(one.findings, again.findings)
    assert one.summary["population"] == again.summary["population"]
    assert one.summary["queries"] == again.summary["queries"]
    assert one.summary["queries"]["total"] <= 1_500
