"""Explainers by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from expga.errors import InputError
from expga.explain import explainer
from expga.explain.lime import Lime
from expga.explain.shap import Shap
from expga.explain.text_lime import TextLime
from expga.explain.text_shap import TextShap


def test_explainers_have_names():
    assert isinstance(explainer("lime", "table"), Lime)
    assert isinstance(explainer("shap", "table"), Shap)
    assert isinstance(explainer("lime", "text"), TextLime)
    assert isinstance(explainer("shap", "text"), TextShap)


@pytest.mark.parametrize("kind", ["table", "text"])
def test_an_unknown_name_is_an_error_that_lists_the_known(kind):
    told = r"There is no explainer 'anchor'; choose one of gap, lime, shap, none\."
    with pytest.raises(InputError, match=told):
        explainer("anchor", kind)


def test_a_class_and_an_object_are_taken_too():
    assert isinstance(explainer(TextLime, "text"), TextLime)
    assert explainer(lime := Lime(100), "table") is lime


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Lime(), "is for another kind of subject"),
        (object(), "The explainer object has no queries"),
        ("no.such:Thing", "cannot be imported"),
    ],
)
def test_what_is_no_explainer_is_told_in_one_sentence(given, told):
    with pytest.raises(InputError, match=told):
        explainer(given, "text")


def test_the_library_is_not_imported_before_it_explains():
    code = (
        "import sys; from expga.explain import explainer; "
        "explainer('shap', 'table'); explainer('shap', 'text'); assert 'shap' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
