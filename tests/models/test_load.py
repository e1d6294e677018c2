"""Models from files and modules; what can run code loads only when that is allowed."""

from __future__ import annotations

import copy
import re
import sys

import joblib
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from expga.errors import InputError
from expga.models.load import load_model


@pytest.fixture
def model(points):
    X, y = points()
    return make_pipeline(FunctionTransformer(copy.copy), LogisticRegression()).fit(X, y)


class TestPickles:
    @pytest.mark.parametrize("suffix", [".joblib", ".pkl", ".pickle"])
    def test_they_are_refused_unless_allowed(self, tmp_path, points, model, suffix):
        path = tmp_path / f"model{suffix}"
        joblib.dump(model, path)
        with pytest.raises(InputError, match=r"Loading .*model.* can run any code inside it; add --allow-pickle"):
            load_model(str(path))
        loaded = load_model(str(path), allow_pickle=True)
        assert loaded.predict(points()[0]).tolist() == model.predict(points()[0]).tolist()

    def test_refusing_runs_nothing(self, tmp_path):
        path = tmp_path / "trap.pkl"
        path.write_bytes(b"cos\nmkdir\n(V" + str(tmp_path / "sprung").encode() + b"\ntR.")
        with pytest.raises(InputError, match="allow-pickle"):
            load_model(str(path))
        assert not (tmp_path / "sprung").exists()
        load_model(str(path), allow_pickle=True)
        assert (tmp_path / "sprung").exists()

    def test_a_damaged_one_is_named(self, tmp_path):
        path = tmp_path / "damaged.joblib"
        path.write_bytes(b"nothing of the kind")
        with pytest.raises(InputError, match=r"The model file .*damaged\.joblib cannot be loaded"):
            load_model(str(path), allow_pickle=True)

    def test_a_package_that_an_extra_brings_is_named_with_its_command(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        path = tmp_path / "network.pkl"
        path.write_bytes(b"ctorch\nTensor\n.")
        with pytest.raises(InputError, match=r'needs the package torch; install it with pip install "expga\[torch\]"'):
            load_model(str(path), allow_pickle=True)

    def test_a_package_that_it_needs_is_named(self, tmp_path):
        path = tmp_path / "foreign.pkl"
        path.write_bytes(b"cno_such_package\nThing\n.")
        with pytest.raises(InputError, match="needs the package 'no_such_package'; install it first"):
            load_model(str(path), allow_pickle=True)


class TestSkops:
    @pytest.fixture
    def path(self, tmp_path, model):
        path = tmp_path / "model.skops"
        skops.io.dump(model, path)
        return str(path)

    def test_types_outside_the_safe_list_are_named(self, path):
        untrusted = skops.io.get_untrusted_types(file=path)
        assert untrusted
        with pytest.raises(InputError, match="holds types outside the safe list") as raised:
            load_model(path)
        assert f"--trust {','.join(sorted(untrusted))}" in str(raised.value)

    def test_they_are_accepted_when_trusted(self, path, points, model):
        loaded = load_model(path, trust=skops.io.get_untrusted_types(file=path))
        assert loaded.predict(points()[0]).tolist() == model.predict(points()[0]).tolist()

    def test_trusting_others_is_not_enough(self, path):
        with pytest.raises(InputError, match="holds types outside the safe list"):
            load_model(path, trust=["numpy.sqrt"])

    def test_safe_types_need_no_trust(self, tmp_path, points):
        X, y = points()
        skops.io.dump(LogisticRegression().fit(X, y), tmp_path / "safe.skops")
        assert load_model(str(tmp_path / "safe.skops")).predict(X[:3]).shape == (3,)

    def test_a_damaged_one_is_named(self, tmp_path):
        path = tmp_path / "damaged.skops"
        path.write_bytes(b"PK nothing of the kind")
        with pytest.raises(InputError, match=r"The model file .*damaged\.skops cannot be loaded"):
            load_model(str(path))


class TestModules:
    @pytest.fixture(autouse=True)
    def here(self, tmp_path, monkeypatch):
        """A module of the user's in the working directory."""
        (tmp_path / "users_model.py").write_text(
            "def score(X):\n    return X\n\nclass Box:\n    model = score\n", encoding="utf-8"
        )
        (tmp_path / "broken_model.py").write_text("raise ValueError('no weights')\n", encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        yield
        for name in ("users_model", "broken_model"):
            sys.modules.pop(name, None)

    def test_a_module_in_the_working_directory(self):
        assert load_model("users_model:score")(7) == 7

    def test_an_attribute_of_an_attribute(self):
        assert load_model("users_model:Box.model")(7) == 7

    def test_a_module_that_is_not_there(self):
        with pytest.raises(InputError, match="The model 'no_such_module:score' cannot be imported"):
            load_model("no_such_module:score")

    def test_an_attribute_that_is_not_there(self):
        with pytest.raises(InputError, match=r"The module 'users_model', from .*users_model\.py, has no 'predict'\."):
            load_model("users_model:predict")

    def test_a_module_that_fails_on_its_own(self):
        with pytest.raises(InputError, match=r"The model 'broken_model:score' cannot be imported: .*no weights"):
            load_model("broken_model:score")

    def test_an_attribute_of_no_module(self):
        with pytest.raises(InputError, match="The model ':score' cannot be imported"):
            load_model(":score")


@pytest.mark.parametrize("name", ["model.joblib", "model.pkl", "model.skops"])
def test_a_file_that_is_not_there_is_named(tmp_path, name):
    with pytest.raises(InputError, match=rf"There is no model file .*{re.escape(name)}\."):
        load_model(str(tmp_path / name), allow_pickle=True)


def test_anything_else_is_refused_with_the_forms_that_there_are():
    with pytest.raises(InputError, match=r"The model 'model\.onnx' is neither a \.joblib, \.pkl or \.skops file nor"):
        load_model("model.onnx")
