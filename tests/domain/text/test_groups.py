"""Which group each text speaks of."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("She likes an excellent film", "female"),
        ("he said that she and his wife and her sister left", "female"),
        ("he and his son saw her", "male"),
        ("a plain text", None),
        ("", None),
        ("an editor left", None),
    ],
)
def test_it_is_the_one_that_a_text_speaks_of_most(fit, text, group):
    assert fit([text, "he"]).groups("gender") == [group, "male"]


def test_each_attribute_has_groups_of_its_own(fit):
    domain = fit(["the Norwegian said that she left", "he left", "the Norwegian left"], "gender", "country")
    assert domain.groups("gender") == ["female", "male", None]
    country = domain.groups("country")
    assert country[1] is None
    assert country[0] == country[2] is not None
