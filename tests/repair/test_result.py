"""What a repair came to: means, intervals, changes, sentences, and files."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp
from sklearn.linear_model import LogisticRegression

from expga.errors import InputError
from expga.models.load import load_model
from expga.repair import Retrained
from expga.repair.repairs import repairs_of
from expga.repair.result import beware, flat, over, summarise


def rate(flipped, rows=100):
    return {"rows": rows, "flipped": flipped, "rate": flipped / rows if rows else None, "ci95": [0.0, 1.0]}


def evidence(accuracy=0.8, flips=20, found=10, apart=0.1, held=50, auc=0.9, placebo=0):
    """What is measured of one model."""
    search = {
        "tested": 50,
        "found": found,
        "bred": found,
        "seconds_per_finding": 0.1 if found else None,
        "success_rate": found / 50,
        "queries_per_finding": 100 / found if found else None,
        "distinct_anchors": 3,
        "queries": 100,
        "findings_per_query": found / 100,
    }
    return {
        "accuracy": accuracy,
        "balanced_accuracy": accuracy - 0.05,
        "auc": auc,
        "held_out": rate(held),
        "flips_train": rate(flips + 1),
        "flips_test": rate(flips),
        "placebo": rate(placebo),
        "searches": {"expga": search, "random": search},
        "groups": {"sex": {"demographic_parity_difference": apart, "equalized_odds_difference": 0.2}},
    }


def run(before, **repairs):
    """One repeat; a way is its evidence round by round, or why it failed."""
    told = {}
    for name, rounds in repairs.items():
        if isinstance(rounds, str):
            told[name] = {"failed": rounds}
            continue
        rounds = rounds if isinstance(rounds, list) else [rounds]
        told[name] = {**rounds[-1], "pairs": 5, "rows_added": 10, "seconds": 2.0, "share": 0.1, "rounds": rounds}
    return {"repeat": 0, "train": 75, "test": 25, "repairing": 30, "held_out": 20, "before": before, "repairs": told}


def summary(*runs, averages=True, repair="both", max_loss=0.01, notes=()):
    case = SimpleNamespace(
        reader=SimpleNamespace(
            subject=SimpleNamespace(averages_exactly=averages), settings={"kind": "table"}, protected=["sex"]
        ),
        pairs=Sixty(),
        given=75,
        truth=np.zeros(100),
        notes=notes,
    )
    options = {"repair": repair, "repairs": list(runs[0]["repairs"]), "max_loss": max_loss}
    return summarise(case, options, repairs_of(repair, options["repairs"])[1], runs)


class Sixty:
    """So many findings."""

    audit = SimpleNamespace(summary={"strategy": "expga"})

    def __len__(self):
        return 60


class TestIntervals:
    def test_they_are_students(self):
        values = [0.7, 0.8, 0.9, 0.6]
        told = over([{"x": value} for value in values])["x"]
        assert told["mean"] == pytest.approx(0.75)
        expected = ttest_1samp(values, 0).confidence_interval(0.95)
        assert told["ci95"] == pytest.approx([expected.low, expected.high])
        assert told["ci95"][1] - told["mean"] == pytest.approx(t.ppf(0.975, 3) * np.std(values, ddof=1) / 2)
        assert told["of"] == 4

    def test_one_repeat_has_none(self):
        assert over([{"x": 0.5}])["x"] == {"mean": 0.5, "ci95": None, "of": 1}

    def test_figures_that_could_not_be_measured_are_left_out_of_the_mean(self):
        told = over([{"x": None, "y": None}, {"x": 0.5, "y": None}, {"x": 0.7}])
        assert told["x"]["mean"] == pytest.approx(0.6)
        assert told["x"]["of"] == 2
        assert told["y"] == {"mean": None, "ci95": None, "of": 0}


def test_figures_by_name():
    figures = flat(evidence(found=0, auc=None))
    assert figures["accuracy"] == 0.8
    assert figures["auc"] is None
    assert figures["flips_test"] == 0.2
    assert figures["random.found"] == 0
    assert figures["random.seconds_per_finding"] is None
    assert figures["sex.demographic_parity_difference"] == 0.1


class TestSummary:
    def test_changes_are_of_each_repeat_before_they_are_averaged(self):
        told = summary(
            run(evidence(0.8, flips=20, found=10), both=evidence(0.7, flips=10, found=5)),
            run(evidence(0.6, flips=40, found=40), both=evidence(0.6, flips=0, found=0)),
        )
        change = told["repairs"]["both"]["change"]
        assert change["accuracy"]["mean"] == pytest.approx(-0.05)
        assert change["flips_test"]["mean"] == pytest.approx((-0.5 - 1.0) / 2)
        assert change["expga.findings_per_query"]["mean"] == pytest.approx((-0.5 - 1.0) / 2)
        assert change["expga.queries_per_finding"]["of"] == 1
        assert told["before"]["flips_test"]["mean"] == pytest.approx(0.3)
        assert told["repairs"]["both"]["after"]["flips_test"]["mean"] == pytest.approx(0.05)

    def test_what_was_nothing_before_has_no_share_to_grow_by(self):
        told = summary(run(evidence(flips=0, held=0), both=evidence(flips=3, held=0)))["repairs"]["both"]["change"]
        assert told["flips_test"]["mean"] is None
        assert told["held_out"]["mean"] == 0.0

    def test_a_way_that_failed_once_is_not_measured(self):
        told = summary(
            run(evidence(), both=evidence(), drop=evidence()), run(evidence(), both=evidence(), drop="no column.")
        )
        assert told["repairs"]["drop"] == {"failed": "no column."}
        assert "drop was not measured: no column." in told["sentences"]

    def test_the_curve_has_a_mean_for_every_round(self):
        told = summary(
            run(evidence(), both=[evidence(flips=8), evidence(flips=4)]), run(evidence(), both=[evidence(flips=10)])
        )
        assert [point["flips_test"]["mean"] for point in told["curve"]] == pytest.approx([0.09, 0.04])
        assert [point["flips_test"]["of"] for point in told["curve"]] == [2, 1]
        assert told["repairs"]["both"]["after"]["flips_test"]["mean"] == pytest.approx(0.07)

    @pytest.mark.parametrize("exact", [True, False])
    def test_what_is_exact_by_construction(self, exact):
        told = summary(run(evidence(), average=evidence(flips=0), twins=evidence()), repair="average", averages=exact)
        assert told["repairs"]["average"]["exact"] is exact
        assert told["repairs"]["twins"]["exact"] is False
        assert any("by construction" in sentence for sentence in told["sentences"]) is exact

    def test_numbers_of_the_case(self):
        told = summary(run(evidence(), both=evidence()), notes=("beware",))
        assert (told["train_rows"], told["test_rows"], told["test_rows_given"]) == (75, 25, True)
        assert (told["findings"], told["repairing"], told["held_out"]) == (60, 30, 20)
        assert (told["strategy"], told["protected"], told["kind"]) == ("expga", ["sex"], "table")
        assert told["notes"] == ["beware"]


class TestSentences:
    def said(self, before, after, **options):
        return summary(run(before, both=after), **options)["sentences"]

    def test_the_first_says_what_the_repair_did(self):
        first, *others = self.said(evidence(0.8, flips=20, held=80), evidence(0.8, flips=1, held=3))
        assert first == (
            "Repaired by both: accuracy on the test rows went from 80.0% to 80.0%, the share of them that flip from "
            "20.00% to 1.00%, and of the findings kept aside 3.0% still flip (80.0% before)."
        )
        assert others == []

    def test_of_a_model_that_varies_it_says_how_much_its_rows_disagree_with_themselves(self):
        first, *_ = self.said(evidence(0.8, placebo=12), evidence(0.8))
        assert first.endswith(
            " Of the test rows asked twice, the share that disagree with themselves went from 12.00% to 0.00%."
        )

    def test_one_that_varies_passes_no_test_by_construction(self):
        runs = [run(evidence(), average=evidence(flips=2, placebo=after)) for after in (0, 3)]
        told = [summary(one, repair="average")["sentences"] for one in runs]
        assert [any("by construction" in sentence for sentence in sentences) for sentences in told] == [True, False]

    def test_a_repair_that_makes_people_worse_off_says_so(self):
        _, second = self.said(evidence(flips=20), evidence(flips=23))
        assert second == ("both made real people worse off: 20.00% of the test rows flipped before, 23.00% do now.")

    @pytest.mark.parametrize(
        ("accuracy", "max_loss", "words"),
        [(0.79, 0.01, None), (0.785, 0.01, "1.5 points"), (0.75, 0.06, None), (0.795, 0, "0.5 points")],
    )
    def test_a_cost_beyond_what_is_allowed_is_told(self, accuracy, max_loss, words):
        _, *others = self.said(evidence(0.8), evidence(accuracy), max_loss=max_loss)
        if words is None:
            assert others == []
        else:
            assert others == [f"both costs {words} of accuracy, more than the {100 * max_loss:g} allowed."]

    def test_a_repair_at_the_expense_of_groups_says_so(self):
        _, *others = self.said(evidence(apart=0.1), evidence(apart=0.15))
        assert others == [
            "both repairs individuals at the expense of groups: the demographic parity difference of sex grew from "
            "0.100 to 0.150."
        ]
        assert len(self.said(evidence(apart=0.1), evidence(apart=0.105))) == 1

    def test_groups_that_were_not_there_before_are_no_expense(self):
        before = {**evidence(), "groups": {}}
        assert len(self.said(before, evidence(apart=0.9))) == 1

    def test_those_compared_with_it_are_told_of_as_well(self):
        told = summary(run(evidence(flips=5), both=evidence(flips=1), findings=evidence(flips=9)))
        assert told["sentences"][1].startswith("findings made real people worse off: 5.00%")

    def test_where_nothing_was_measured_that_is_what_it_says(self):
        empty = {**evidence(), "held_out": rate(0, 0), "flips_test": rate(0, 0)}
        first, *others = self.said(empty, empty)
        assert "nothing measured still flip" in first
        assert others == []

    def test_beware_of_several_at_once(self):
        before, after = (over([flat(evidence(*figures))]) for figures in ((0.8, 1), (0.6, 2)))
        assert len(beware("twins", before, {"after": after}, 0.01)) == 2


def files(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("expga.db"))


class NoSkops:
    """A model that only a pickle holds."""

    def __getstate__(self):
        return {"set": {1, 2}, "complex": 1j}


class TestFiles:
    @pytest.fixture
    def result(self):
        model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
        told = summary(run(evidence(found=0), both=evidence(found=np.int64(3))), notes=("a note",))
        return Retrained(model, told)

    def test_they_hold_the_model_and_all_numbers(self, tmp_path, result):
        place = result.save(tmp_path / "deep" / "out")

        def no_such_number(name):
            raise AssertionError(f"{name} is not JSON")

        told = json.loads((place / "retrain.json").read_text(encoding="utf-8"), parse_constant=no_such_number)
        kept = told.pop("model")
        assert told == json.loads(json.dumps(result.summary, default=int))
        model = load_model(str(place / kept["file"]), trust=kept["trust"])
        assert model.predict([[0.0], [1.0]]).tolist() == [0, 1]
        assert files(place) == ["model.skops", "retrain.json"]

    def test_a_model_of_ours_of_the_other_kind_is_gone_after_the_next_save(self, tmp_path, result):
        Retrained(NoSkops(), result.summary).save(tmp_path)
        assert files(tmp_path) == ["model.joblib", "retrain.json"]
        result.save(tmp_path, overwrite=True)
        assert files(tmp_path) == ["model.skops", "retrain.json"]

    @pytest.mark.parametrize("name", ["model.joblib", "model.skops", "retrain.json"])
    @pytest.mark.parametrize("overwrite", [False, True])
    def test_a_file_that_is_not_ours_stays(self, tmp_path, result, name, overwrite):
        (tmp_path / name).write_bytes(b"mine")
        with pytest.raises(InputError, match=f"{name} is not as expga wrote it"):
            result.save(tmp_path, overwrite=overwrite)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_bytes() == b"mine"

    def test_another_repair_is_only_replaced_if_it_may_be(self, tmp_path, result):
        result.save(tmp_path)
        with pytest.raises(InputError, match="--overwrite"):
            result.save(tmp_path)

    def test_what_was_there_stays_where_a_model_cannot_be_saved(self, tmp_path, result):
        result.save(tmp_path)
        kept = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
        with pytest.raises(InputError, match="The model cannot be saved to a file"):
            Retrained(lambda rows: rows, result.summary).save(tmp_path, overwrite=True)
        assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == kept

    def test_a_folder_that_cannot_be_made_is_one_sentence(self, tmp_path, result):
        (tmp_path / "file").write_text("here")
        with pytest.raises(InputError, match=r"The folder .*out cannot be made"):
            result.save(tmp_path / "file" / "out")

    def test_a_table_of_means(self, result):
        table = result.table()
        assert table.columns.tolist() == ["before", "both"]
        assert table.loc["expga.found"].tolist() == [0, 3]
        assert result.sentences()[-1] == "a note"
        assert str(result).splitlines() == result.sentences()
