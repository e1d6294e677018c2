"""Settings of an audit as they are read again: of the right types, be they numpy's."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from expga.subjects.settings import Settings, typed

GIVEN = {
    "kind": "table",
    "protected": ["sex"],
    "positive": np.int64(1),
    "threshold": np.float32(0.5),
    "criterion": {"name": "flip", "what": "label", "arguments": {}},
    "classes": [0, 1],
    "numbered": np.True_,
    "more": object(),
}


def test_numbers_of_numpys_are_numbers():
    told = typed(GIVEN, Settings)
    assert (told["threshold"], told["numbered"], told["positive"]) == (0.5, True, 1)
    assert "more" not in told


@pytest.mark.parametrize("wrong", [{"numbered": "yes"}, {"threshold": "high"}, {"protected": "sex"}, {"classes": None}])
def test_other_types_are_refused(wrong):
    with pytest.raises(msgspec.ValidationError):
        typed({**GIVEN, **wrong}, Settings)
