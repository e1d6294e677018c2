"""Gradients by gene, against what the model's own probabilities do when a gene moves a little."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.errors import InputError, ModelError
from expga.models import TorchTable, gradients_of

ACTIVATIONS = ["relu", "tanh", "logistic", "identity"]
SCHEMA = {"features": {"rooms": {"immutable": True}}}


@pytest.fixture(scope="module")
def frame():
    """(90, 5) numbers and a category; sex is a number too."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "sex": rng.integers(0, 2, 90),
            "age": np.round(rng.uniform(2, 6, 90), 1),  # in decades
            "income": np.round(rng.normal(3, 1, 90), 2),
            "rooms": rng.integers(1, 6, 90),
            "job": rng.choice(["clerk", "cook", "nurse"], 90),
        }
    )


@pytest.fixture(scope="module")
def numbers(frame):
    return frame.drop(columns="job")


@pytest.fixture(scope="module")
def hired(frame):
    return (frame["age"] + frame["income"] + frame["sex"] > 7).to_numpy().astype(int)


@pytest.fixture(scope="module")
def domain_of():
    def fit(frame):
        return TabularDomain(frame, ["sex"], read_schema(SCHEMA), "data")

    return fit


def mlp(activation="tanh", layers=(7, 5)):
    return MLPClassifier(layers, activation=activation, max_iter=40, random_state=0)


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def log_odds(model, X):
    scores = model.predict_proba(X)
    return np.log(scores[:, 1]) - np.log(scores[:, 0])


def stepped(domain, genomes, gene):
    """The genomes with one gene one step up, or down where that is the top, and the sign of the step."""
    steps = np.eye(genomes.shape[1], dtype=np.int32)[gene]
    up = domain.shifted(genomes, steps)
    top = up[:, gene] == genomes[:, gene]
    return np.where(top[:, None], domain.shifted(genomes, -steps), up), np.where(top, -1.0, 1.0)


def differences(domain, genomes, inputs_of, model, tiny=1e-5):
    """(n, d) how the log-odds change per way that a step goes, by central differences on that way."""
    gradients = np.zeros(genomes.shape)
    here = inputs_of(genomes)
    for gene in np.flatnonzero(domain.mutable):
        moved, sign = stepped(domain, genomes, gene)
        way = inputs_of(moved) - here
        ahead, behind = (log_odds(model, here + tiny * side * way) for side in (1, -1))
        gradients[:, gene] = sign * (ahead - behind) / (2 * tiny)
    return gradients


def assert_close(gradients, expected):
    largest = np.abs(expected).max()
    assert largest > 1e-6
    np.testing.assert_allclose(gradients, expected, rtol=1e-4, atol=1e-5 * largest)


class TestScikitLearn:
    @pytest.mark.parametrize("activation", ACTIVATIONS)
    @pytest.mark.parametrize("layers", [(9,), (7, 5, 4)])
    def test_an_mlp_alone(self, numbers, hired, domain_of, activation, layers):
        domain, model = domain_of(numbers), fitted(mlp(activation, layers), numbers.to_numpy(), hired)
        gradients = gradients_of(model, domain, 1)(domain.rows)
        assert_close(gradients, differences(domain, domain.rows, lambda g: domain.decode(g).to_numpy(float), model))

    @pytest.mark.parametrize("activation", ACTIVATIONS)
    def test_an_mlp_behind_a_scaler_and_categories(self, frame, hired, domain_of, activation):
        columns = make_column_transformer(
            (StandardScaler(), ["sex", "age", "income", "rooms"]), (OneHotEncoder(), ["job"])
        )
        domain, model = domain_of(frame), fitted(make_pipeline(columns, mlp(activation)), frame, hired)
        gradients = gradients_of(model, domain, 1)(domain.rows)
        assert_close(
            gradients,
            differences(domain, domain.rows, lambda g: columns.transform(domain.decode(g)), model.steps[-1][1]),
        )
        assert (gradients[:, 4] != 0).any()

    def test_a_logistic_regression_is_exact(self, frame, hired, domain_of):
        """Its log-odds are a straight line in what the pipeline makes of a row, categories in sparse columns."""
        columns = make_column_transformer(
            (OneHotEncoder(), ["job", "sex"]), remainder="passthrough", sparse_threshold=1
        )
        scaled = make_pipeline(StandardScaler(with_mean=False), LogisticRegression())
        domain, model = domain_of(frame), make_pipeline(columns, scaled).fit(frame, hired)
        gradients = gradients_of(model, domain, 1)(domain.rows)
        for gene in np.flatnonzero(domain.mutable):
            moved, sign = stepped(domain, domain.rows, gene)
            rise = log_odds(model, domain.decode(moved)) - log_odds(model, domain.decode(domain.rows))
            np.testing.assert_allclose(gradients[:, gene], sign * rise, rtol=1e-7, atol=1e-9)
        assert (gradients[:, domain.mutable] != 0).any(axis=0).all()

    def test_a_logistic_regression_alone(self, numbers, hired, domain_of):
        domain, model = domain_of(numbers), LogisticRegression(max_iter=1_000).fit(numbers, hired)
        gradients = gradients_of(model, domain, 1)(domain.rows)
        moved, sign = stepped(domain, domain.rows, 1)
        years = domain.decode(moved)["age"] - domain.decode(domain.rows)["age"]
        np.testing.assert_allclose(gradients[:, 1], sign * years * model.coef_[0, 1])

    def test_many_rows_come_in_pieces(self, frame, hired, domain_of, monkeypatch):
        columns = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
        domain, model = domain_of(frame), fitted(make_pipeline(columns, mlp()), frame, hired)
        gradients = gradients_of(model, domain, 1)
        whole = gradients(domain.rows)
        monkeypatch.setattr("expga.models.gradients.SHIFTED_ROWS", 20)
        np.testing.assert_allclose(gradients(domain.rows), whole)


class TestWhichGenes:
    @pytest.fixture
    def model(self, numbers, hired):
        return LogisticRegression(max_iter=1_000).fit(numbers, hired)

    @pytest.mark.parametrize("piped", [False, True])
    def test_what_may_not_change_has_no_slope(self, model, numbers, hired, domain_of, piped):
        domain = domain_of(numbers)
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers, hired) if piped else model
        gradients = gradients_of(model, domain, 1)(domain.rows)
        assert (gradients[:, ~domain.mutable] == 0).all()
        assert (gradients[:, domain.mutable] != 0).all()

    def test_the_top_of_a_gene_slopes_as_its_inside(self, model, numbers, domain_of):
        domain = domain_of(numbers.assign(age=np.arange(len(numbers))))
        gradients = gradients_of(model, domain, 1)(domain.rows)
        np.testing.assert_allclose(gradients[:, 1], model.coef_[0, 1])

    def test_of_the_other_class_they_have_the_other_sign(self, model, numbers, domain_of):
        domain = domain_of(numbers)
        one, other = (gradients_of(model, domain, positive)(domain.rows) for positive in (1, 0))
        np.testing.assert_array_equal(one, -other)


class TestNone:
    @pytest.mark.parametrize(
        "model",
        [
            RandomForestClassifier(3),
            SVC(),
            CalibratedClassifierCV(LogisticRegression(max_iter=1_000)),
            FixedThresholdClassifier(LogisticRegression(max_iter=1_000), threshold=0.3),
            make_pipeline(StandardScaler(), SVC()),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_a_model_of_another_make_has_none(self, model, numbers, hired, domain_of):
        assert gradients_of(model.fit(numbers, hired), domain_of(numbers), 1) is None

    @pytest.mark.parametrize("model", [mlp(), LogisticRegression()], ids=["mlp", "lr"])
    def test_more_than_two_classes_have_none(self, model, numbers, domain_of):
        three = fitted(make_pipeline(StandardScaler(), model), numbers, numbers["rooms"].to_numpy() % 3)
        assert gradients_of(three, domain_of(numbers), 1) is None

    def test_neither_does_a_callable(self, numbers, domain_of):
        assert gradients_of(lambda X: X["age"] > 30, domain_of(numbers), 1) is None

    def test_no_positive_class_no_gradients(self, numbers, hired, domain_of):
        assert gradients_of(LogisticRegression(max_iter=1_000).fit(numbers, hired), domain_of(numbers), None) is None


class TestItsOwn:
    """A model with a method gradients(X)."""

    class Line:
        def __init__(self, gradient):
            self.gradient = gradient

        def __call__(self, _):
            raise AssertionError

        def gradients(self, X):
            return np.tile(self.gradient, (len(X), 1))

    def test_it_is_taken_times_the_step_of_each_number(self, frame, domain_of):
        domain = domain_of(frame)
        gradients = gradients_of(self.Line([1.0, 2.0, 3.0, 4.0, 5.0]), domain, 1)(domain.rows)
        moved, sign = stepped(domain, domain.rows, 2)
        step = domain.decode(moved)["income"] - domain.decode(domain.rows)["income"]
        np.testing.assert_allclose(gradients[:, 2], 3 * sign * step)
        assert (gradients[:, [0, 3, 4]] == 0).all()  # protected, immutable, no number

    @pytest.mark.parametrize("missing", [np.nan, None])
    def test_an_array_of_anything_and_missing_values_will_do(self, missing):
        array = np.array([[0, 1.0, "a"], [1, 2.0, "b"], [0, missing, "a"], [1, 4.0, "b"]], dtype=object)
        columns = pd.DataFrame(array, columns=["sex", "x", "job"]).astype({"sex": float, "x": float})
        domain = TabularDomain(columns, ["sex"], read_schema(None), "data", as_array=True)
        gradients = gradients_of(self.Line([1.0, 1.0, 1.0]), domain, 1)(domain.rows)
        assert gradients[:, 1].tolist() == [1.0, 2.0, 0.0, 2.0]

    @pytest.mark.parametrize(
        ("gradient", "told"), [([1.0, 2.0], r"the shape \(90, 2\)"), ([np.nan] * 5, "NaN or infinite")]
    )
    def test_what_is_wrong_with_it_is_said(self, frame, domain_of, gradient, told):
        domain = domain_of(frame)
        with pytest.raises(ModelError, match=told):
            gradients_of(self.Line(gradient), domain, 1)(domain.rows)


class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    @pytest.fixture(params=["one", "flat", "two"])
    def module(self, torch, request):
        generator = torch.Generator().manual_seed(0)
        body = torch.nn.Sequential(
            torch.nn.Linear(4, 6),
            torch.nn.Tanh(),
            torch.nn.Dropout(0.5),
            torch.nn.Linear(6, 2 if request.param == "two" else 1),
        ).double()
        for weights in body.parameters():
            torch.nn.init.uniform_(weights, -0.1, 0.1, generator=generator)
        return torch.nn.Sequential(body, torch.nn.Flatten(0)) if request.param == "flat" else body

    def test_its_gradients_are_those_of_its_probabilities(self, module, numbers, domain_of):
        domain, model = domain_of(numbers), TorchTable(module)
        gradients = gradients_of(model, domain, 1)(domain.rows)
        assert_close(gradients, differences(domain, domain.rows, lambda g: domain.decode(g).to_numpy(float), model))

    def test_it_can_be_the_last_step_of_a_pipeline(self, module, numbers, domain_of):
        scaler = StandardScaler().fit(numbers)
        domain, model = domain_of(numbers), make_pipeline(scaler, TorchTable(module))
        gradients = gradients_of(model, domain, 1)(domain.rows)
        assert_close(
            gradients,
            differences(domain, domain.rows, lambda g: scaler.transform(domain.decode(g)), TorchTable(module)),
        )

    def test_training_mode_is_left_off_and_put_back(self, module, numbers):
        model = TorchTable(module)
        module.train()
        np.testing.assert_array_equal(model.predict_proba(numbers), model.predict_proba(numbers))
        assert module.training

    def test_it_predicts_the_likelier_label(self, module, numbers):
        model = TorchTable(module, ["rejected", "hired"])
        likely = model.predict_proba(numbers)[:, 1] > 0.5
        assert model.predict(numbers).tolist() == np.where(likely, "hired", "rejected").tolist()

    def test_logits_for_other_classes_are_an_error(self, torch, numbers):
        with pytest.raises(ModelError, match="2 logits a row for 3 classes"):
            TorchTable(torch.nn.Linear(4, 2), [0, 1, 2]).predict_proba(numbers)

    def test_three_classes_have_no_gradients(self, torch, numbers, domain_of):
        model = TorchTable(torch.nn.Linear(4, 3), [0, 1, 2])
        assert model.predict_proba(numbers).shape == (90, 3)
        assert gradients_of(model, domain_of(numbers), 1) is None

    def test_texts_are_refused(self, torch, frame):
        with pytest.raises(InputError, match="takes numbers only"):
            TorchTable(torch.nn.Linear(5, 1)).predict_proba(frame)
