"""The layout and the voice: small folders, one meaning per class name, searchable names, plain English."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "lionstudio"
MOST_MODULES = 16
SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {path: ast.parse(text) for path, text in SOURCES.items()}
# Pronouns say nothing about what a variable holds.
PRONOUNS = ("found", "given", "here", "said")
MOST_PRONOUNS = 10
# Manners that VOICE rules out; in code, only in strings, docstrings and comments.
MANNERS = re.compile(r"\b(?:nobody|somebody|whoever|everybody|anybody|another hand|is no)\b(?! longer)", re.IGNORECASE)
HEADLESS = re.compile(r"(?:What|Who|Whose|Whatever) (?!is |are |does |do |did |will |can |should |has |have )[^?]*$")


def modules() -> dict[str, Path]:
    return {str(path.relative_to(PACKAGE)): path for path in SOURCES if path.name != "__init__.py"}


def test_folders_hold_at_most_sixteen_modules() -> None:
    counts = Counter(path.parent for path in modules().values())

    assert {str(folder.relative_to(PACKAGE)): count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_class_names_are_defined_once() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(PACKAGE)))

    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_modules_are_not_named_by_a_gerund() -> None:
    assert [name for name in modules() if re.search(r"(?<!mapp)ing(_|\.py$)", Path(name).name)] == []


@pytest.mark.parametrize("pronoun", PRONOUNS)
def test_locals_are_not_pronouns(pronoun: str) -> None:
    bound = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id == pronoun and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.arg) and node.arg == pronoun)
    ]

    assert len(bound) <= MOST_PRONOUNS, bound


def test_formatter_is_rarely_switched_off() -> None:
    # split, so that this file does not match itself
    marks = [path for folder in ("src", "tests", "benches", "tools") for path in (ROOT / folder).rglob("*.py")]

    assert sum(path.read_text(encoding="utf-8").count("# fmt" + ": skip") for path in marks) < 30


def strings_of(tree: ast.AST) -> list[tuple[int, str]]:
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def readable_lines() -> list[tuple[str, str]]:
    """Lines a person reads: documents, the page's sources, and strings and comments of our code."""
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "web" / "src").rglob("*.ts*")]
    lines = [
        (f"{path.relative_to(ROOT)}:{number}", line)
        for path in documents
        if path.name != "schema.d.ts"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    for path, tree in TREES.items():
        name = path.relative_to(ROOT)
        lines += [(f"{name}:{number}", line) for number, text in strings_of(tree) for line in text.splitlines()]
        lines += [
            (f"{name}:{number}", line.partition("#")[2])
            for number, line in enumerate(SOURCES[path].splitlines(), 1)
            if "#" in line
        ]
    return lines


def test_texts_name_their_actors() -> None:
    assert [(place, line.strip()) for place, line in readable_lines() if MANNERS.search(line)] == []


def test_strings_do_not_start_with_headless_clauses() -> None:
    headless = [
        (f"{path.relative_to(ROOT)}:{number}", text[:80])
        for path, tree in TREES.items()
        for number, text in strings_of(tree)
        if HEADLESS.match(text.strip().partition("\n")[0])
    ]

    assert headless == []


def test_interpreter_is_started_in_one_place() -> None:
    """Another place could forget `-P` and import modules from a checkout."""
    starters = {
        str(path.relative_to(ROOT))
        for path, text in SOURCES.items()
        if "src" in path.parts and "sys.executable" in text
    }

    assert starters == {"src/lionstudio/system/li_process.py"}
