"""What is read back is of the form that this version writes, or ends in one sentence that says whose it is."""

from __future__ import annotations

import json
import struct
from contextlib import closing
from shutil import copytree

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import expga
from expga.errors import InputError, ModelError
from expga.store import Store, kept_plan, pack, plan_record

ARRAYS = {"asked": np.arange(2), "unfair": np.zeros(3, dtype=bool), "gap": np.zeros(2), "margin": np.zeros(2)}
FORMS = [b"", b"\xff", b"1", b"null", b"[]", b"{}", b'{"a": 1}', b'{"labels": "no", "scores": []}', b"[" * 100_000]
FORMS += [b'{"labels": ["yes", "no"], "scores": [[0.5], [0.1, 0.9]]}', b'{"runs": "two"}', b'{"runs": 1, "more": 2}']
FORMS += [struct.pack(">I", 2) + b"[]", struct.pack(">I", 8) + b"[[1, 2]]", pack({"head": np.arange(3)}), pack(ARRAYS)]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"sex": rng.integers(0, 2, 60), "age": rng.integers(18, 70, 60)})


def unfair(frame):
    return np.where((frame["sex"] == 1) & (frame["age"] > 30), 0.9, 0.1)


def audit(people, out, **options):
    return expga.audit(unfair, people, **{"protected": "sex", "max_queries": 400, "out": out, **options})


@pytest.fixture(scope="module")
def finished(people, tmp_path_factory):
    """The folder of an audit, to be copied."""
    folder = tmp_path_factory.mktemp("audit")
    audit(people, folder)
    return folder


@pytest.fixture
def begun(finished, tmp_path):
    """A run to go on with, and how to put something else into its store."""
    copytree(finished, tmp_path, dirs_exist_ok=True)

    def put(name, value):
        with closing(Store.open(tmp_path)) as store:
            if name == "part":
                store.put({}, (999, value))
            else:
                store.put({name: value})

    return put


class TestAnAudit:
    @pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
    @pytest.mark.parametrize("name", ["state", "population", "model", "part"])
    def test_records_of_another_form_are_refused(self, begun, people, tmp_path, name, form):
        if (name, form) == ("state", b"{}"):
            pytest.skip("counters that are all at their beginning")
        begun(name, form)
        with pytest.raises(InputError, match=rf"is damaged \(its record '{name}' is not one that this version"):
            audit(people, tmp_path, resume=True, max_queries=800)

    @pytest.mark.parametrize(
        ("plan", "which"),
        [
            (b"{}", "without a format"),
            (b'{"strategy": "expga", "seed": 0}', "without a format"),
            (b'{"format": 3, "settings": {}, "more": 1}', "of format 3"),
            (b"no JSON", "without a format"),
            (b"[" * 100_000, "without a format"),
        ],
        ids=["empty", "before there was one", "of another version", "none", "deep"],
    )
    def test_a_plan_of_another_version_says_so(self, begun, people, tmp_path, plan, which):
        begun("plan", plan)
        said = (
            rf"^The audit in .* was begun by another version of expga \(its plan is {which}, this one writes 2\); go on"
        )
        with pytest.raises(InputError, match=said):
            audit(people, tmp_path, resume=True)

    def test_a_plan_of_another_form_is_refused(self, begun, people, tmp_path):
        begun("plan", b'{"format": 2, "settings": []}')
        with pytest.raises(InputError, match="its record 'plan' is not one"):
            audit(people, tmp_path, resume=True)

    def test_the_model_is_not_asked_for_a_run_of_another_version(self, begun, people, tmp_path):
        begun("plan", b"{}")

        def model(_):
            pytest.fail("it was asked")

        with pytest.raises(InputError, match="another version"):
            expga.audit(model, people, protected="sex", out=tmp_path, resume=True)


class TestAnUnfinishedRun:
    """One that was killed before anything was measured."""

    @pytest.fixture
    def killed(self, people, tmp_path):
        audit(people, tmp_path)
        with closing(Store.open(tmp_path)) as store:
            store.begin("audit", {name: store.get(name) for name in ("plan", "model")})
        return tmp_path

    def unfinished(self, folder):
        with closing(Store.open(folder)) as store:
            return not store.done and store.get("plan") is not None

    @pytest.mark.parametrize("how", [{"overwrite": True}, {"resume": True}])
    def test_is_still_there_after_bad_input(self, killed, people, how):
        with pytest.raises(InputError):
            audit(people, killed, **{"protected": "nobody", **how})
        assert self.unfinished(killed)

    def test_is_still_there_after_a_model_that_fails_again(self, killed, people):
        calls = []

        def model(frame):
            calls.append(len(frame))
            if sum(calls) > 20:  # as many as a trial takes
                raise ValueError
            return unfair(frame)

        with pytest.raises(ModelError):
            expga.audit(model, people, protected="sex", max_queries=400, out=killed, resume=True)
        assert self.unfinished(killed)


class TestASummary:
    def changed(self, folder, **changes):
        path = folder / "summary.json"
        told = json.loads(path.read_text(encoding="utf-8"))
        told = {name: value for name, value in (told | changes).items() if value is not None}
        path.write_text(json.dumps(told), encoding="utf-8")

    def test_has_a_format(self, people, tmp_path):
        audit(people, tmp_path)
        assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["format"] == 2

    def test_in_memory_is_the_one_that_was_saved(self, people, tmp_path):
        made = audit(people, tmp_path)
        assert expga.Audit.load(tmp_path).summary == json.loads(json.dumps(made.summary))

    @pytest.mark.parametrize(
        ("number", "which"),
        [(None, "it has no format"), (1, "its format is 1"), ("2", "it has no format"), (0, "its format is 0")],
    )
    def test_of_another_one_is_of_another_version(self, people, tmp_path, number, which):
        audit(people, tmp_path)
        self.changed(tmp_path, format=number)
        said = rf"summary\.json was written by another version of expga \({which}, this one reads 2\); use that version"
        with pytest.raises(InputError, match=said):
            expga.Audit.load(tmp_path)


class TestARepair:
    @pytest.fixture(scope="class")
    @staticmethod
    def repaired(people, tmp_path_factory):
        """The folder of a repair, to be copied; and the same once more, in another folder and with more options."""
        y = (people["age"] + 20 * people["sex"] > 55).astype(int).to_numpy()
        model = LogisticRegression().fit(people, y)
        found = expga.audit(model, people, protected="sex", max_queries=900)

        def go(folder, **options):
            settings = {"repeats": 1, "max_queries": 60, "out": folder, "repair": "drop", **options}
            return expga.retrain(model, people, y, found, **settings)

        folder = tmp_path_factory.mktemp("repair")
        go(folder)
        return folder, go

    @pytest.fixture
    def begun(self, repaired, tmp_path):
        finished, go = repaired
        folder = copytree(finished, tmp_path / "repair")

        def resumed(name, value):
            with closing(Store.open(folder)) as store:
                store.put({name: value})
            return go(folder, resume=True)

        return resumed

    @pytest.mark.parametrize("name", ["repeat-0", "model-file"])
    @pytest.mark.parametrize("form", [b"", b"[1]", b'"no"', b"\xff"])
    def test_records_of_another_form_are_refused(self, begun, name, form):
        with pytest.raises(InputError, match=rf"is damaged \(its record '{name}' is not one that this version"):
            begun(name, form)

    def test_a_plan_of_another_version_says_so(self, begun):
        with pytest.raises(InputError, match=r"^The repair in .* was begun by another version of expga"):
            begun("plan", b"{}")


def test_numbers_of_any_size_come_back():
    store = Store.in_memory()
    store.begin("audit", {"plan": plan_record({"seed": 10**30, "gap": 0.1, "none": None})})
    assert kept_plan(store) == {"seed": 10**30, "gap": 0.1, "none": None}
