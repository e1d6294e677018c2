"""Nobody outside `subjects` asks whether something is a table or texts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import expga
from expga.subjects import KINDS

PACKAGE = Path(expga.__file__).parent
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if "subjects" not in path.relative_to(PACKAGE).parts]
CLASSES = {"TabularDomain", "TextDomain", "Table", "Text", "SavedTable", "SavedText"}


def questions(source):
    """Comparisons with the name of a kind, and questions whether something is of a class of one's."""
    names = set(KINDS.names())
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Constant) and side.value in names for side in sides):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "type"):
            told = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            if told & CLASSES:
                yield ast.unparse(node)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_kind_it_is(module):
    assert list(questions(module.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source", ["x = settings['kind'] == 'text'", "kind != 'table'", "isinstance(domain, TextDomain)", "'text' in kinds"]
)
def test_whoever_asked_would_be_noticed(source):
    assert list(questions(source))
