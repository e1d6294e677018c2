"""Explainers by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from expga.errors import InputError
from expga.explain import explainer, text_explainer
from expga.explain.lime import Lime
from expga.explain.shap import Shap
from expga.explain.text_lime import TextLime
from expga.explain.text_shap import TextShap


def test_explainers_have_names():
    assert isinstance(explainer("lime"), Lime)
    assert isinstance(explainer("shap"), Shap)
    assert isinstance(text_explainer("lime"), TextLime)
    assert isinstance(text_explainer("shap"), TextShap)


@pytest.mark.parametrize("find", [explainer, text_explainer])
def test_an_unknown_name_is_an_error_that_lists_the_known(find):
    with pytest.raises(InputError, match=r"There is no explainer 'anchor'; choose gap, lime, shap or none\."):
        find("anchor")


def test_the_library_is_not_imported_before_it_explains():
    code = (
        "import sys; from expga.explain import explainer, text_explainer; "
        "explainer('shap'); text_explainer('shap'); assert 'shap' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
