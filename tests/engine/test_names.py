"""Columns of the user's that are called like columns of results: every pair still holds when it is asked again."""

import numpy as np
import pandas as pd
import pytest

import expga
from expga.subjects.columns import RESULTS, Names

ODD = [*RESULTS, "expga__score", "expga__label__twin", "sex__twin"]


def table(protected, others):
    rng = np.random.default_rng(1)
    columns = {protected: rng.choice(["f", "m"], 80), **{name: rng.integers(0, 9, 80) for name in others}}
    return pd.DataFrame({**columns, "age": rng.integers(18, 70, 80)})


@pytest.mark.parametrize("protected", ODD)
@pytest.mark.parametrize("others", [(), tuple(ODD)], ids=["alone", "with all others"])
def test_a_protected_column_may_have_the_name_of_a_result(tmp_path, protected, others):
    X = table(protected, [name for name in others if name != protected])

    def model(frame):
        return np.where((frame[protected] == "m") & (frame["age"] > 30), 0.9, 0.1)

    audit = expga.audit(model, X, protected=[protected], max_queries=600)
    assert audit.findings.columns.is_unique
    assert len(audit.findings) > 20
    expga.Audit.load(audit.save(tmp_path / "out"))
    kept = expga.Audit.load(tmp_path / "out")
    assert expga.replay(kept, model) == (len(audit.findings), len(audit.findings))
    one, other = kept.twins()
    assert {*one[protected], *other[protected]} == {"f", "m"}
    assert (one[protected] != other[protected]).all()
    assert all(" as f " in told and " as m " in told for told in kept.sentences())


def test_results_keep_their_names_where_nobody_else_has_them():
    names = Names.beside(["age", "sex"], ["sex"])
    assert names.twins == {"sex": "sex__twin"}
    assert list(names.results.values()) == list(RESULTS)
