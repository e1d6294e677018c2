"""Models of other makes: recognised, adapted, loaded from files, each behind one registry."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError
from expga.models import ADAPTERS, Adapter, adapted
from expga.models.load import load_model


class Scored:
    """Points as an estimator."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, points):
        self.points = points

    def predict_proba(self, X):
        total = sum(self.points[name] * (X[name] == "m") for name in self.points)
        return np.column_stack([1 - total, total])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def gradients(self, X):
        return np.ones(X.shape)


class Points(Adapter):
    """A dict of points, or a file of them."""

    name = "points"
    suffixes = (".points",)
    runs_code = False

    def recognises(self, model):
        return isinstance(model, dict)

    def adapted(self, model):
        return Scored(dict(model))

    def load(self, source, _):
        with open(source) as file:
            return json.load(file)


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setitem(ADAPTERS._added, "points", [Points])


@pytest.fixture
def people():
    return pd.DataFrame({"sex": ["f", "m"] * 20, "age": range(40), "score": [1, 2, 3, 4] * 10})


@pytest.fixture
def model():
    return {"sex": 0.9}


def audited(model, people, **options):
    return expga.audit(model, people, protected="sex", max_queries=400, **options)


class TestModels:
    def test_what_an_adapter_recognises_is_audited_and_replayed_in_either_process(self, people, model):
        found = audited(model, people)
        assert found.population.rate == 1
        assert found.summary["settings"]["classes"] == ["no", "yes"]
        assert len(found.findings) > 20
        assert expga.replay(found, model) == (len(found.findings),) * 2
        assert expga.replay(found, model, call_timeout=60) == (len(found.findings),) * 2
        assert audited(model, people, call_timeout=60).findings.equals(found.findings)
        assert model == {"sex": 0.9}

    def test_its_gradients_are_those_of_the_adapted_one(self, people, model):
        assert audited(model, people, strategy="adf").summary["tested"] > 0

    def test_a_repair_fits_one_that_its_owners_function_returns(self, people, model):
        truth = np.where(people["sex"] == "m", "yes", "no")
        found = audited(model, people)
        fairer = expga.retrain(
            model,
            people,
            truth,
            found,
            repair="twins",
            compare=["average"],
            fit=lambda X, y: {"sex": 0.4},  # noqa: ARG005 - a fair one, whatever it is fitted to
            repeats=1,
            max_queries=40,
            X_test=people.assign(age=people["age"] + 50),
            y_test=truth,
        )
        assert fairer.summary["before"]["flips_test"]["mean"] == 1
        assert fairer.summary["repairs"]["average"]["after"]["flips_test"]["mean"] == 0
        assert fairer.summary["repairs"]["twins"]["after"]["flips_test"]["mean"] == 0
        assert isinstance(fairer.model, Scored)

    def test_without_one_it_is_refused_as_ever(self, people, model):
        ADAPTERS.remove("points")
        with pytest.raises(InputError, match="The model is a dict, which has no predict method and cannot be called"):
            audited(model, people)

    def test_any_other_model_stays_as_it_is(self):
        assert adapted(audited) is audited

    def test_one_that_fails_is_named(self, monkeypatch, people, model):
        monkeypatch.setitem(ADAPTERS._added, "points", [type("Bad", (Points,), {"recognises": lambda *_: 1 / 0})])
        with pytest.raises(InputError, match="The adapter points failed on the model, a dict: ZeroDivisionError"):
            audited(model, people)

    @pytest.mark.parametrize(
        ("thing", "told"),
        [(object, "is no expga.models.Adapter"), (type("Bare", (Adapter,), {}), "has no name")],
    )
    def test_what_is_no_adapter_is_told(self, monkeypatch, people, model, thing, told):
        monkeypatch.setitem(ADAPTERS._added, "points", [thing])
        with pytest.raises(InputError, match=f"The adapter points {told}; let its class inherit from it, with a name"):
            audited(model, people)


class TestFiles:
    @pytest.fixture
    def file(self, tmp_path, model):
        path = tmp_path / "model.points"
        path.write_text(json.dumps(model))
        return str(path)

    def test_one_that_runs_no_code_is_loaded(self, file, model):
        assert load_model(file) == model

    def test_one_that_can_is_refused_before_it_is_read(self, monkeypatch, file, model):
        read = []

        class Runs(Points):
            runs_code = True

            def load(self, source, permission):
                read.append(permission)
                return super().load(source, permission)

        monkeypatch.setitem(ADAPTERS._added, "points", [Runs])
        with pytest.raises(InputError, match=r"Loading .*model\.points can run any code inside it; add --allow-pickle"):
            load_model(file)
        assert not read
        assert load_model(file, allow_pickle=True, trust=["a.b"]) == model
        assert (read[0].any_code, read[0].types) == (True, ("a.b",))

    def test_one_that_says_nothing_about_it_is_taken_to_run_code(self):
        assert Adapter.runs_code

    def test_one_that_has_no_load_is_told_so(self, monkeypatch, tmp_path):
        class Half(Adapter):
            name = "half"
            suffixes = (".half",)
            runs_code = False

        monkeypatch.setitem(ADAPTERS._added, "half", [Half])
        (tmp_path / "model.half").write_text("")
        with pytest.raises(InputError, match=r"The adapter half names files, such as .*model\.half, and has no load"):
            load_model(str(tmp_path / "model.half"))

    def test_one_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(InputError, match=r"There is no model file .*none\.points\."):
            load_model(str(tmp_path / "none.points"))

    def test_a_damaged_one_is_named(self, tmp_path):
        (tmp_path / "bad.points").write_text("{")
        with pytest.raises(InputError, match=r"The model file .*bad\.points cannot be loaded: JSONDecodeError"):
            load_model(str(tmp_path / "bad.points"))

    def test_a_package_that_it_needs_is_named(self, monkeypatch, file):
        def load(*_):
            import no_such_package  # noqa: F401

        monkeypatch.setattr(Points, "load", load)
        with pytest.raises(InputError, match="needs the package 'no_such_package'; install it first"):
            load_model(file)

    def test_the_forms_that_there_are_name_it_too(self):
        with pytest.raises(InputError, match=r"neither a \.joblib, \.pkl, \.skops or \.points file nor of the form"):
            load_model("model.onnx")

    def test_what_it_loads_need_be_no_file(self, monkeypatch, model):
        class Address(Points):
            def loads(self, source):
                return source.startswith("points://")

            def load(self, source, _):
                return {source.removeprefix("points://"): 0.9}

        monkeypatch.setitem(ADAPTERS._added, "points", [Address])
        assert load_model("points://sex") == model

    def test_one_that_fails_at_a_name_is_named(self, monkeypatch):
        monkeypatch.setattr(Points, "loads", lambda *_: 1 / 0)
        with pytest.raises(InputError, match="The adapter points failed on the name 'any:thing': ZeroDivisionError"):
            load_model("any:thing")
