"""What the README shows runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_example_for_texts_finds_what_it_promises():
    (example,) = [code for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "texts =" in code]
    names: dict[str, object] = {}
    exec(example, names)
    audit = names["audit"]
    assert audit.population.rate > 0
    assert audit.summary["mentioning"]["gender"]["share"] == 1.0
    assert len(audit.findings) > 0


def test_every_column_of_a_text_audit_is_described():
    section = README.partition("\n## Texts\n")[2].partition("\n## ")[0]
    for name in ("text", "changed", "word", "names", "label", "score", "gap", "anchor", "distance"):
        assert f"`{name}`" in section
