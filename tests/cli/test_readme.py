"""What the README shows runs as it stands there, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
README = (HERE / "README.md").read_text(encoding="utf-8")
REFERENCE = (HERE / "docs" / "reference.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def example(phrase):
    (code,) = [code for code in blocks("python") if phrase in code]
    return code


@pytest.fixture(scope="module")
def first():
    """What the first example leaves behind, and what it prints."""
    lines = []
    names = {"print": lambda *said: lines.append(" ".join(map(str, said)))}
    exec(example("expga.datasets.load"), names)
    return names, "\n".join(lines)


def test_the_first_example_prints_what_it_says(first):
    assert first[1] + "\n" in blocks("text")


def test_the_repair_repairs_the_model_of_the_first_example(first):
    names = dict(first[0])
    code = example("expga.retrain(").replace(", audit)", ", audit, repair='average', repeats=1, max_queries=300)")
    exec(code, names)
    assert names["fairer"].model is not names["model"]
    assert names["fairer"].table()["average"]["flips_test"] == 0


def test_the_example_for_texts_finds_what_it_promises():
    names: dict[str, object] = {}
    exec(example("texts ="), names)
    audit = names["audit"]
    assert audit.population.rate > 0
    assert audit.summary["mentioning"]["gender"]["share"] == 1.0
    assert len(audit.findings) > 0


def test_every_column_of_a_text_audit_is_described():
    section = REFERENCE.partition("\n## Texts\n")[2].partition("\n## ")[0]
    for name in ("text", "changed", "word", "names", "asked", "label", "score", "gap", "anchor", "distance"):
        assert f"`{name}`" in section


@pytest.mark.parametrize("page", [README, *(path.read_text(encoding="utf-8") for path in HERE.glob("docs/*.md"))])
def test_links_lead_to_files_that_are_there(page):
    folder = HERE if page is README else HERE / "docs"
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page):
        assert target.startswith("http") or (folder / target).exists(), target
