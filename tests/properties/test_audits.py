"""What holds of every audit, whatever the table, the schema and the model."""

from __future__ import annotations

from itertools import product

import pandas as pd
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

import expga

often = settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@often
@given(st.data())
def test_every_finding_holds_when_the_model_is_asked_directly(random_cases, data):
    case = data.draw(random_cases)
    first, second = case.audit().twins()
    event(f"findings: {len(first) > 0}")
    assert (case.model.labels(first) != case.model.labels(second)).all()


@often
@given(st.data())
def test_a_replay_confirms_every_finding(random_cases, data):
    case = data.draw(random_cases)
    audit = case.audit()
    assert expga.replay(audit, case.model) == (len(audit.findings), len(audit.findings))


@often
@given(st.data())
def test_no_two_findings_are_equal_but_for_what_is_protected(random_cases, data):
    case = data.draw(random_cases)
    findings = case.audit().findings
    assert not findings[case.free].duplicated().any()


@often
@given(st.data())
def test_twins_are_readings_that_can_be_and_differ_in_nothing_else(random_cases, data):
    case = data.draw(random_cases)
    first, second = case.audit().twins()
    pd.testing.assert_frame_equal(first[case.free], second[case.free])
    for side in (first, second):
        for name, values in case.readings.items():
            assert side[name].isin(values).all()
        assert all(case.possible(row) for row in side.to_dict("records"))


@often
@given(st.data())
def test_a_model_that_ignores_what_is_protected_is_never_accused(random_cases, data):
    case = data.draw(random_cases)
    audit = case.audit(case.model.blind_to(case.protected))
    assert len(audit.findings) == 0
    assert audit.population.flipped == 0


@often
@given(st.data())
def test_the_same_seed_and_budget_find_the_same(random_cases, data):
    case = data.draw(random_cases)
    one, again = case.audit(), case.audit()
    pd.testing.assert_frame_equal(one.findings, again.findings)
    assert one.summary["population"] == again.summary["population"]
    assert one.summary["queries"] == again.summary["queries"]
    assert one.summary["queries"]["total"] <= 1_500


@often
@given(st.data())
def test_nothing_leaves_its_bounds_its_immutables_or_its_radius(random_cases, data):
    case = data.draw(random_cases)
    audit = case.audit()
    findings = audit.findings
    real = case.frame.loc[findings["anchor"]].reset_index(drop=True)
    for name, rule in case.schema["features"].items():
        if "min" in rule:
            assert findings[name].dropna().between(rule["min"], rule["max"]).all()
        if "immutable" in rule:
            pd.testing.assert_series_equal(findings[name], real[name], check_dtype=False)
        if case.realism == "data":
            assert findings[name].isin(case.frame[name]).all()
    if case.realism == "data":
        assert (findings["distance"] <= audit.summary["radius"] + 1e-9).all()


@often
@given(st.data())
def test_a_findings_values_have_the_dtypes_that_the_model_was_trained_on(random_cases, data):
    case = data.draw(random_cases)
    first, second = case.audit().twins()
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


@often
@given(st.data())
def test_the_populations_rate_is_that_of_brute_force(random_cases, data):
    case = data.draw(random_cases)
    summary = case.audit().summary
    population = summary["population"]
    assert not population["sampled"]
    assert (population["rows"], population["flipped"]) == brute_force(case, case.protected)
    assert population["rows"] + population["rows_without_twin"] == len(case.frame)
    assert population["rate"] == (population["flipped"] / population["rows"] if population["rows"] else None)
    for name in case.protected:
        alone = summary["by_attribute"][name]
        assert (alone["rows"], alone["flipped"]) == brute_force(case, [name])
