"""Bad input: exit code 2 and one sentence that names what is wrong, whatever it is."""

from __future__ import annotations

import zipfile
from contextlib import closing

import joblib
import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from expga.store import Store


def fails(run, *mentions):
    """Whether a run ended in one sentence that mentions all of these."""
    assert (run.code, run.stdout) == (2, "")
    assert run.stderr.startswith("expga: ")
    assert run.stderr.count("\n") == 1
    assert run.stderr.endswith("\n")
    assert "Traceback" not in run.stderr
    for mention in mentions:
        assert mention in run.stderr
    return True


def frame_of(desk, **columns):
    return desk.data(desk.people.assign(**columns))


def odd(answer):
    """A model that answers with whatever this makes of a frame."""
    return lambda frame: answer(len(frame))


class BadScores:
    """An estimator whose labels are sound and whose probabilities are not."""

    classes_ = np.array(["no", "yes"])

    def predict(self, frame):
        return np.where(frame["sex"] == "male", "yes", "no")

    def predict_proba(self, frame):
        return np.full((len(frame), 2), np.nan)


def with_holes(desk, *columns):
    holes = {column: desk.people[column].mask(np.arange(120) % 7 == place) for place, column in enumerate(columns)}
    return frame_of(desk, **holes)


def trained_on(people, *columns, imputed=None):
    features = people[list(columns)]
    numbers = [column for column in columns if features[column].dtype.kind in "if"]
    texts = [column for column in columns if column not in numbers]
    steps = [(OneHotEncoder(handle_unknown="ignore"), texts)]
    if imputed is not None:
        steps.append((SimpleImputer(), [imputed]))
    pipeline = make_pipeline(make_column_transformer(*steps, remainder="passthrough"), RidgeClassifier())
    return pipeline.fit(features, people["hired"])


def twice(desk, column):
    """A Parquet file in which a column stands twice."""
    names = [*desk.people.columns, column]
    columns = [pa.array(desk.people[name]) for name in names]
    parquet.write_table(pa.table(columns, names=names), desk.folder / "twice.parquet")
    return desk.folder / "twice.parquet"


def with_long_numbers(desk):
    """A table with a column of numbers that no file holds, and of gaps."""
    return desk.file("long.csv", "sex,hours,hired\n" + f"male,{'7' * 25},yes\nfemale,,no\n" * 9)


def schema(text):
    return lambda desk: {"schema": desk.file("s.toml", text)}


# By name: a function of the desk that gives the options, and what the sentence must mention.
DATA = {
    "a protected column that is not there": (lambda _: {"protected": "gender"}, ["'gender'", "age, sex"]),
    "one of two protected columns that is not there": (lambda _: {"protected": "sex,gender"}, ["'gender'"]),
    "no protected column": (lambda _: {"protected": " , "}, ["protected"]),
    "a protected column named twice": (lambda _: {"protected": "sex,sex"}, ["twice"]),
    "a target that is not there": (lambda _: {"target": "wage"}, ["'wage'", "people.csv", "age, sex"]),
    "the target as protected": (lambda _: {"protected": "hired"}, ["'hired'"]),
    "no data file": (lambda desk: {"data": desk.folder / "none.csv"}, ["none.csv"]),
    "a folder for data": (lambda desk: {"data": (desk.folder / "d.csv").mkdir() or "d.csv"}, ["d.csv"]),
    "a wrong extension": (lambda desk: {"data": desk.file("people.xlsx", "a,b")}, ["people.xlsx", ".parquet"]),
    "an empty csv file": (lambda desk: {"data": desk.file("e.csv", "")}, ["e.csv"]),
    "an empty parquet file": (lambda desk: {"data": desk.file("e.parquet", "")}, ["e.parquet"]),
    "a parquet file of something else": (lambda desk: {"data": desk.file("p.parquet", "abc" * 99)}, ["p.parquet"]),
    "a csv file of bytes": (lambda desk: {"data": desk.file("b.csv", b"age,sex\n\xff\xfe\x00,1\n")}, ["b.csv"]),
    "a csv file of ragged lines": (lambda desk: {"data": desk.file("r.csv", "a,b\n1,2\n1,2,3\n")}, ["r.csv"]),
    "a csv file of a header alone": (lambda desk: {"data": desk.data(desk.people[:0])}, ["people.csv", "no rows"]),
    "a parquet file with no rows": (
        lambda desk: {"data": desk.data(desk.people[:0], "z.parquet")},
        ["z.parquet", "no rows"],
    ),
    "a target of one class": (lambda desk: {"data": frame_of(desk, hired="yes")}, ["'hired'", "one class"]),
    "a target with no class": (lambda desk: {"data": frame_of(desk, hired=None)}, ["'hired'"]),
    "one protected value": (lambda desk: {"data": frame_of(desk, sex="male")}, ["'sex'", "'male'"]),
    "one protected number": (lambda desk: {"data": frame_of(desk, age=40), "protected": "age"}, ["'age'", "40"]),
    "no protected value": (lambda desk: {"data": frame_of(desk, sex=None)}, ["'sex'", "no value"]),
    "whole numbers of 25 digits": (lambda desk: {"data": with_long_numbers(desk)}, ["'hours'", "64 bits"]),
    "infinite values": (lambda desk: {"data": frame_of(desk, hours=np.inf)}, ["'hours'", "infinite"]),
    "a feature that stands twice in a csv file": (
        lambda desk: {"data": desk.file("t.csv", "age,sex,sex,hired\n" + "1,m,m,yes\n2,f,f,no\n" * 9)},
        ["'sex'", "twice"],
    ),
    "a feature that stands twice in a parquet file": (lambda desk: {"data": twice(desk, "job")}, ["job"]),
    "a target that stands twice": (lambda desk: {"data": twice(desk, "hired")}, ["hired"]),
    "nothing but protected columns": (
        lambda desk: {"data": desk.data(desk.people[["sex", "hired"]])},
        ["protected"],
    ),
}
OPTIONS = {
    "an unknown strategy": (lambda _: {"strategy": "expgb"}, ["'expgb'", "expga-published"]),
    "an unknown explainer": (lambda _: {"explainer": "limes"}, ["'limes'", "shap"]),
    "an unknown realism": (lambda _: {"realism": "real"}, ["'real'", "domain"]),
    "a budget that is no time": (lambda _: {"budget": "soon"}, ["'soon'", "30s"]),
    "a budget with an unknown unit": (lambda _: {"budget": "3d"}, ["'3d'"]),
    "an empty budget": (lambda _: {"budget": ""}, ["''"]),
    "a budget of no time": (lambda _: {"budget": "0s"}, ["0 seconds"]),
    "no queries": (lambda _: {"max_queries": 0}, ["0 queries"]),
    "fewer than no queries": (lambda _: {"max_queries": -5}, ["-5 queries"]),
    "no generations": (lambda _: {"max_generations": 0}, ["0 generations"]),
    "no findings": (lambda _: {"max_findings": 0}, ["0 findings"]),
    "a threshold that is no number": (lambda _: {"threshold": "nan"}, ["threshold", "nan"]),
    "a gap of nothing": (lambda _: {"min_gap": 0}, ["gap", "0"]),
    "a gap below nothing": (lambda _: {"min_gap": -0.5}, ["gap", "-0.5"]),
    "a gap that is no number": (lambda _: {"min_gap": "nan"}, ["gap", "nan"]),
    "a limit above every rate": (lambda _: {"fail_over": 1.5}, ["--fail-over", "1.5"]),
    "a limit below every rate": (lambda _: {"fail_over": -0.1}, ["--fail-over", "-0.1"]),
    "a limit that is no number": (lambda _: {"fail_over": "nan"}, ["--fail-over", "nan"]),
    "a rank below the first": (lambda _: {"epsilon": 0, "explainer": "lime"}, ["ε", "0"]),
    "a seed below nothing": (lambda _: {"seed": -1}, ["seed", "-1"]),
    "a file for the results' folder": (lambda desk: {"out": desk.file("taken", "")}, ["taken"]),
    "a results' folder inside a file": (lambda desk: {"out": desk.file("taken", "") / "in"}, ["taken"]),
    "nothing to resume": (lambda desk: {"resume": True, "out": desk.folder / "new"}, ["nothing to resume", "new"]),
}
SCHEMAS = {
    "no schema file": (lambda _: {"schema": "none.toml"}, ["none.toml"]),
    "a schema that is a folder": (lambda desk: {"schema": desk.folder}, ["schema"]),
    "a schema of bytes": (lambda desk: {"schema": desk.file("s.toml", b"\xff\xfe")}, ["s.toml"]),
    "a schema that is no toml": (schema("features = = 3"), ["s.toml", "TOML"]),
    "a schema with an unknown entry": (schema("[feature.age]\nmin = 3"), ["'feature'", "features"]),
    "a column with an unknown entry": (schema("[features.age]\nminimum = 3"), ["age", "'minimum'"]),
    "an attribute with an unknown entry": (schema("[protected.sex]\nvalue = 3"), ["sex", "'value'"]),
    "a rule for an unknown column": (schema("[features.wage]\nmin = 3"), ["'wage'", "age, sex"]),
    "a forbidden unknown column": (schema('forbid = [{wage = 3, sex = "male"}]'), ["'wage'"]),
    "a link with an unknown column": (
        schema('[[protected.sex.link]]\nwage = {male = "a", female = "b"}'),
        ["'wage'"],
    ),
    "a link with an unknown reading": (
        schema('[[protected.sex.link]]\nfamily = {man = "husband", female = "wife"}'),
        ["'sex'", "'man'"],
    ),
    "readings of an unknown attribute": (schema('[protected.gender]\nvalues = ["a", "b"]'), ["'gender'"]),
    "a min above the max": (schema("[features.age]\nmin = 60\nmax = 20"), ["'age'", "60", "20"]),
    "a min that is no number": (schema('[features.age]\nmin = "low"'), ["'age'", "'low'"]),
    "an unknown type": (schema('[features.age]\ntype = "number"'), ["'age'", "'number'", "integer"]),
    "a text called a number": (schema('[features.job]\ntype = "integer"'), ["'job'"]),
    "values that are no list": (schema("[features.age]\nvalues = 3"), ["age", "list"]),
    "values of another type": (
        schema('[features.age]\nvalues = [20, "old"]\nunseen = true'),
        ["'age'", "int64", "old"],
    ),
    "a fraction for a whole number": (schema("[features.age]\nvalues = [20.5]"), ["'age'", "int64", "20.5"]),
    "bounds that leave no row": (schema("[features.age]\nmin = 200\nmax = 300"), ["age"]),
    "no readings but one": (schema('[protected.sex]\nvalues = ["male"]'), ["'sex'", "'male'"]),
    "a value that is spelt wrong": (schema('[protected.sex]\nvalues = ["femal", "male"]'), ["'femal'", "did you mean"]),
    "values as well as bins": (schema("[protected.age]\nvalues = [1]\nbins = [1, 2, 3]"), ["'age'", "bins"]),
    "bins that fall": (schema("[protected.age]\nbins = [60, 40, 20]"), ["'age'", "bins"]),
    "bins of text": (schema('[protected.age]\nbins = ["a", "b", "c"]'), ["'age'", "bins"]),
    "bins of several types": (schema('[protected.age]\nbins = [1, "b", 3]'), ["'age'", "bins"]),
    "a bin with no row": (
        lambda desk: {"protected": "age", **schema("[protected.age]\nbins = [0, 50, 500, 600]")(desk)},
        ["'age'", "500 to 600"],
    ),
    "bins of a text": (schema("[protected.sex]\nbins = [1, 2, 3]"), ["'sex'", "bins"]),
    "a forbidden range of a text": (schema("forbid = [{job = {min = 3}}]"), ["'job'"]),
    "a forbidden nothing": (schema("forbid = [{}]"), ["forbid"]),
    "values beyond a column's dtype": (
        lambda desk: {
            "data": desk.data(desk.people.astype({"age": "int8"}), "small.parquet"),
            **schema("[features.age]\nvalues = [20, 300]\nunseen = true")(desk),
        },
        ["'age'", "int8", "300"],
    ),
    "a bound beyond a column's dtype": (
        lambda desk: {
            "data": desk.data(desk.people.astype({"age": "int8"}), "small.parquet"),
            "realism": "domain",
            **schema("[features.age]\nmax = 300")(desk),
        },
        ["'age'", "int8"],
    ),
    "a value that is none of a column's categories": (
        lambda desk: {
            "data": desk.data(desk.people.astype({"job": "category"}), "people.parquet"),
            **schema('[features.job]\nvalues = ["cook", "baker"]')(desk),
        },
        ["'job'", "baker"],
    ),
}
MODELS = {
    "one score too few": (lambda _: odd(lambda n: np.zeros(n - 1)), ["(7,)", "8 rows"]),
    "a cube": (lambda _: odd(lambda n: np.zeros((n, 2, 2))), ["(8, 2, 2)"]),
    "one number": (lambda _: odd(lambda _: 3.0), ["shape ()"]),
    "nothing": (lambda _: odd(lambda _: None), ["returned None"]),
    "nan": (lambda _: odd(lambda n: np.full(n, np.nan)), ["NaN", "8 of 8"]),
    "nan for a few": (lambda _: odd(lambda n: np.where(np.arange(n) < 3, np.nan, 0.5)), ["NaN", "3 of 8"]),
    "nan for a class": (lambda _: odd(lambda n: np.full((n, 2), np.nan)), ["NaN"]),
    "nan for probabilities": (lambda _: BadScores(), ["predict_proba", "NaN"]),
    "infinity": (lambda _: odd(lambda n: np.full(n, np.inf)), ["infinite"]),
    "numbers that are no probabilities": (lambda _: odd(lambda n: np.linspace(-3.3, 4.5, n)), ["-3.3", "4.5"]),
    "an exception": (lambda _: odd(lambda n: 1 / (n - 8)), ["ZeroDivisionError"]),
    "an exception of several lines": (lambda _: odd(lambda n: {}["a\nb"] + n), ["KeyError"]),
    "a column that the data does not have": (lambda _: lambda frame: frame["wage"] > 3, ["wage"]),
    "nothing that can be looked up": (lambda _: Shy(), ["feature_names_in_", "OSError: no"]),
    "no way to predict": (lambda _: 3.14, ["float", "predict"]),
    "a class instead of a model": (lambda _: LogisticRegression, ["The model"]),
    "training on another column": (
        lambda desk: trained_on(desk.people.assign(wage=desk.people["age"] * 100.0), "age", "sex", "wage"),
        ["'wage'", "trained"],
    ),
    "no use for the protected column": (lambda desk: trained_on(desk.people, "age", "job"), ["'sex'", "does not take"]),
    "another number of columns": (
        lambda _: LogisticRegression().fit(np.eye(3), [0, 1, 1]),
        ["3 columns", "5"],
    ),
    "several outputs": (lambda _: SeveralOutputs(), ["several outputs"]),
}
LOADING = {
    "a pickle that is not allowed": (lambda desk: dumped(desk, "m.joblib"), {}, ["m.joblib", "--allow-pickle"]),
    "a .pkl that is not allowed": (lambda desk: dumped(desk, "m.pkl"), {}, ["m.pkl", "--allow-pickle"]),
    "no model file": (lambda _: "none.joblib", {"allow_pickle": True}, ["none.joblib"]),
    "no skops file": (lambda _: "none.skops", {}, ["none.skops"]),
    "a pickle of nothing": (lambda desk: desk.file("m.pkl", ""), {"allow_pickle": True}, ["m.pkl"]),
    "a pickle of garbage": (lambda desk: desk.file("m.pkl", "\x80\n\n" * 9), {"allow_pickle": True}, ["m.pkl"]),
    "a skops file of garbage": (lambda desk: desk.file("m.skops", "no zip\n" * 9), {}, ["m.skops"]),
    "a skops file of nothing": (lambda desk: empty_zip(desk, "m.skops"), {}, ["m.skops"]),
    "an unknown kind of file": (lambda desk: desk.file("m.onnx", ""), {}, ["m.onnx", ".skops"]),
    "a module that is not there": (lambda _: "no_such_module_here:model", {}, ["no_such_module_here"]),
    "an attribute that is not there": (lambda _: "math:model", {}, ["'math'", "'model'"]),
    "an attribute of nothing": (lambda _: "math:", {}, ["math"]),
    "no module": (lambda _: ":model", {}, [":model"]),
    "a relative module": (lambda _: ".math:pi", {}, [".math:pi"]),
    "a module that does not compile": (
        lambda desk: desk.file("does_not_compile.py", "model = (") and "does_not_compile:model",
        {},
        ["does_not_compile"],
    ),
    "a module that fails": (
        lambda desk: desk.file("fails_on_import.py", "1 / 0") and "fails_on_import:model",
        {},
        ["fails_on_import", "division by zero"],
    ),
}


class Shy:
    """Fails when anything of it is looked up."""

    def __getattr__(self, name):
        raise OSError(f"no {name}")


class SeveralOutputs:
    classes_ = (np.array([0, 1]), np.array([0, 1]))

    def predict(self, frame):
        return np.zeros((len(frame), 2))


def dumped(desk, name):
    joblib.dump(trained_on(desk.people, "age", "sex", "family", "job", "hours"), desk.folder / name)
    return desk.folder / name


def empty_zip(desk, name):
    with zipfile.ZipFile(desk.folder / name, "w"):
        return desk.folder / name


@pytest.mark.parametrize("case", [*DATA, *OPTIONS, *SCHEMAS])
def test_the_command_says_what_is_wrong_with(desk, unfair, case):
    options, mentions = {**DATA, **OPTIONS, **SCHEMAS}[case]
    assert fails(desk.audit(unfair, **options(desk)), *mentions)


def test_an_endless_name_is_cut_and_the_advice_is_not(desk, unfair):
    run = desk.audit(unfair, protected="x" * 50_000, data=desk.file("t.csv", "age,sex,hired\n1,m,yes\n2,f,no\n"))
    assert fails(run, "xxx…xxx", "age, sex")
    assert len(run.stderr) < 2_000


@pytest.mark.parametrize("case", MODELS)
def test_the_command_says_what_is_wrong_with_a_model_that_gives_or_has(desk, case):
    model, mentions = MODELS[case]
    assert fails(desk.audit(model(desk)), *mentions)


@pytest.mark.parametrize("case", LOADING)
def test_the_command_says_why_a_model_does_not_load(desk, case):
    model, options, mentions = LOADING[case]
    assert fails(desk.audit(str(model(desk)), **options), *mentions)


def test_skops_types_outside_the_safe_list_are_named(desk, grown_forest):
    assert fails(desk.audit(str(grown_forest)), "sklearn.tree._tree.Tree", "--trust", "forest.skops")
    assert fails(desk.audit(str(grown_forest), trust="some.other.Type"), "sklearn.tree._tree.Tree")


class TestMissingValues:
    def test_a_column_with_some_is_named_where_the_model_rejects_them(self, desk):
        model = trained_on(desk.people, "age", "sex", "family", "job", "hours")
        assert fails(desk.audit(model, data=with_holes(desk, "hours")), "'hours'", "missing values")

    def test_the_column_named_is_one_that_the_model_rejects(self, desk):
        model = trained_on(desk.people, "age", "sex", "family", "job", "hours", imputed="age")
        assert fails(desk.audit(model, data=with_holes(desk, "age", "hours")), "'hours'", "missing values")

    def test_a_model_that_fails_on_whole_rows_too_is_not_blamed_on_them(self, desk):
        def failing(_):
            raise RuntimeError("out of order")

        run = desk.audit(failing, data=with_holes(desk, "hours"))
        assert fails(run, "RuntimeError", "out of order")
        assert "missing" not in run.stderr


class TestLabels:
    def test_an_unknown_positive_label(self, desk, binary):
        assert fails(desk.audit(binary, positive="maybe"), "'maybe'", "no, yes")

    def test_a_threshold_that_is_no_probability(self, desk, binary):
        assert fails(desk.audit(binary, threshold=1.5), "1.5", "probability")

    def test_a_threshold_of_a_model_without_scores(self, desk, models):
        assert fails(desk.audit(models["labels"], threshold=0.3), "threshold", "labels")

    def test_a_threshold_of_several_classes(self, desk, models):
        assert fails(desk.audit(models["multi-class"], threshold=0.3), "threshold", "3")


class TestResuming:
    @pytest.fixture
    def begun(self, desk, unfair):
        """A folder as a killed run leaves it."""
        run = desk.audit(unfair)
        (run.out / "summary.json").unlink()
        (run.out / "findings.parquet").unlink()
        with closing(Store.open(run.out)) as store:
            store.again()
        return run.out

    def test_an_unfinished_run_is_not_written_over(self, desk, unfair, begun):
        assert fails(desk.audit(unfair, overwrite=None), str(begun), "an unfinished audit", "--resume", "--overwrite")
        assert desk.audit(unfair, resume=True).summary["found"] > 0

    @pytest.mark.parametrize(
        ("name", "was", "value"),
        [
            ("seed", "0", 3),
            ("protected", "sex", "job"),
            ("strategy", "expga", "random"),
            ("realism", "data", "domain"),
            ("explainer", "gap", "none"),
            ("min_gap", "None", 0.5),
            ("threshold", "None", 0.5),
        ],
    )
    @pytest.mark.usefixtures("begun")
    def test_a_run_of_other_settings_does_not_go_on(self, desk, unfair, name, was, value):
        assert fails(desk.audit(unfair, resume=True, **{name: value}), name, was)

    @pytest.mark.usefixtures("begun")
    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda people: people.iloc[::-1], id="rows in another order"),
            pytest.param(lambda people: people[:100], id="fewer rows"),
            pytest.param(lambda people: people.assign(hours=people["hours"] * 2), id="other values in the same order"),
            pytest.param(lambda people: people.replace("cook", "chef"), id="other names"),
        ],
    )
    def test_a_run_on_other_data_does_not_go_on(self, desk, unfair, change):
        assert fails(desk.audit(unfair, resume=True, data=desk.data(change(desk.people))), "other data")

    @pytest.mark.usefixtures("begun")
    def test_a_run_under_another_schema_does_not_go_on(self, desk, unfair):
        other = desk.file("s.toml", 'forbid = [{job = "nurse", sex = "male"}]')
        assert fails(desk.audit(unfair, resume=True, schema=other), "schema")

    DAMAGES = pytest.mark.parametrize(
        "damaged", [lambda whole: whole[: len(whole) // 2], lambda _: b"\x00\xff" * 40], ids=["cut", "garbage"]
    )

    @DAMAGES
    def test_a_damaged_store_is_named(self, desk, unfair, begun, damaged):
        path = begun / "expga.db"
        path.write_bytes(damaged(path.read_bytes()))
        assert fails(desk.audit(unfair, resume=True), "expga.db")

    @DAMAGES
    def test_a_damaged_mark_is_a_note_and_takes_nothing_with_it(self, desk, unfair, begun, damaged):
        path = begun / "expga.db-mark"
        path.write_bytes(damaged(path.read_bytes()))
        run = desk.audit(unfair, resume=True)
        assert (run.code, run.stderr) == (0, "")
        assert any(note.startswith("The mark beside the store is damaged") for note in run.summary["notes"])


class TestReplaying:
    @pytest.fixture
    def done(self, desk, unfair):
        return desk.audit(unfair).out

    def test_no_folder(self, desk, unfair):
        assert fails(desk.replay(unfair, desk.folder / "nowhere"), "nowhere")

    @pytest.mark.parametrize("name", ["summary.json", "findings.parquet"])
    def test_a_folder_without_one_of_the_files(self, desk, unfair, done, name):
        (done / name).unlink()
        assert fails(desk.replay(unfair), str(done), name)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\x00\xff"])
    @pytest.mark.parametrize("name", ["summary.json", "findings.parquet"])
    def test_a_folder_with_a_damaged_file(self, desk, unfair, done, name, content):
        (done / name).write_bytes(content)
        assert fails(desk.replay(unfair), str(done))

    @pytest.mark.usefixtures("done")
    @pytest.mark.parametrize(
        ("model", "mention"),
        [
            (lambda frame: 1 / (len(frame) * 0), "ZeroDivisionError"),
            (lambda frame: frame["wage"] > 3, "wage"),
            (lambda frame: np.full(len(frame), np.nan), "NaN"),
            (lambda frame: np.zeros(len(frame) + 1), "shape"),
        ],
    )
    def test_a_model_that_does_not_answer(self, desk, model, mention):
        assert fails(desk.replay(model), mention)

    @pytest.mark.usefixtures("done")
    def test_no_model_file(self, desk):
        assert fails(desk.replay("none.skops"), "none.skops")


@pytest.mark.parametrize(
    "options",
    [{"max_queries": "many"}, {"threshold": "high"}, {"seed": 1.5}, {"no_such_option": 3}, {"target": None}],
)
def test_words_that_are_no_options_have_exit_code_2_and_no_traceback(desk, unfair, options):
    run = desk.audit(unfair, **options)
    assert (run.code, run.stdout) == (2, "")
    assert "Traceback" not in run.stderr
