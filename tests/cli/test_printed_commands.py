"""The commands in our messages: they exist, take the options they are printed with, and use the same files."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from itertools import chain, product, zip_longest
from pathlib import Path

import pytest
from tests.support.commands import li, run_li, run_on_terminal

import lionstudio
from lionstudio.cli._toolkit.args import parse
from lionstudio.cli._toolkit.printed_commands import located, remember_location
from lionstudio.cli._toolkit.suggest import unknown_command
from lionstudio.cli.registry import COMMANDS, GROUPS
from lionstudio.errors import LionError
from lionstudio.state.database import Database

SOURCES = Path(lionstudio.__file__).parent
# a command starts in backquotes, at the start of a text, or after a colon or "then"; it ends where the sentence goes on
COMMAND = re.compile(
    r"(?:`|^|: |, then )li ((?!COMMAND)[a-z\0-][^`|>]*?)(?=`|$|, (?:or|then) | · |; |(?<=\w)\. | [|<>] )"
)
# an expression of an f-string may be any of these; one combination must make a valid command
VALUES = ("x", "x y", "x --member y", "1", "resume", "agent", "agents", "claude", "redo x y")
SYNTAX = re.compile(r"COMMAND|\[|\$\(")  # of a usage line, or of a shell


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """All strings but docstrings; an expression in an f-string is \\0."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(value) for value in node.values)
            parts = [str(value.value) if isinstance(value, ast.Constant) else "\0" for value in node.values]
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def printed() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCES.rglob("*.py")):
        for line, text in texts(ast.parse(path.read_text())):
            for match in COMMAND.finditer(text):
                yield f"{path.relative_to(SOURCES)}:{line}", match[1].strip()


def completed(command: str) -> Iterator[str]:
    # what is glued to a word or to another expression may be empty: the options of a location
    parts = re.sub(r"(?<=[\w\0])\0+", "", re.sub(r"\bN\b", "1", command)).split("\0")
    for values in product(VALUES, repeat=len(parts) - 1):
        yield "".join(chain.from_iterable(zip_longest(parts, values, fillvalue="")))


def is_valid(command: str) -> bool:
    try:
        words = shlex.split(command.replace("…", "x"))
    except ValueError:
        return False
    words = words[2:] if words[0] in ("--home", "--db") else words
    if words == ["--help"] or (len(words) == 1 and words[0] in GROUPS):
        return True
    name = next((name for name in (" ".join(words[:2]), words[0]) if name in COMMANDS), None)
    if name is None:
        return words[0] in GROUPS and words[1:] == ["--help"]
    rest = words[len(name.split()) :]
    try:
        parse(name, rest)
    except LionError as error:
        # a command without its arguments is named, not meant to be copied: `li show resume`
        return not rest and "required" in error.message
    except SystemExit as error:
        return error.code == 0  # --help
    return True


COMMANDS_IN_SOURCE = list(printed())


def test_commands_in_source_are_found() -> None:
    assert len(COMMANDS_IN_SOURCE) > 100


def test_commands_in_messages_exist() -> None:
    wrong = [
        f"{place}: li {command.replace(chr(0), '{…}')}"
        for place, command in COMMANDS_IN_SOURCE
        if not SYNTAX.search(command) and not any(map(is_valid, completed(command)))
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("arguments", "text", "expected"),
    [
        (["state", "ls"], "try li state ls", "try li state ls"),
        (["--home", "/a b", "state", "ls"], "`li ps`, li config", "`li --home '/a b' ps`, li --home '/a b' config"),
        (["ps", "--db=x.db", "--", "--home", "no"], "li show run T", "li --db x.db show run T"),
        (["ps", "--home", "h"], "li studio --home demo", "li studio --home demo"),
        (["ps", "--home", "h"], "/bin/li ps, ali ps, li frobnicate", "/bin/li ps, ali ps, li frobnicate"),
    ],
)
def test_located_adds_the_home_of_the_command(arguments: list[str], text: str, expected: str) -> None:
    remember_location(arguments)
    try:
        assert located(text) == expected
    finally:
        remember_location([])


def test_hints_work_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        done = li("agent", "script", f"@say {number}\n@fail", "--home", "my home", cwd=tmp_path)
        assert done.code == 1
        [details] = [line for line in done.err.splitlines() if line.startswith("Details: ")]
        command = shlex.split(details.removeprefix("Details: "))
        assert run_li(*command[1:]).code == 0
    refused = run_li("state", "show", "missing", "--home", "my home")
    [hint] = [line.removeprefix("  try: ") for line in refused.err.splitlines() if line.startswith("  try: ")]
    listed = run_li(*shlex.split(hint)[1:])
    assert len(listed.out.splitlines()) == 2


@pytest.mark.parametrize("typed", ["kil", "state prun", "state vacum", "show abrt", "show claen", "state frobnicate"])
def test_unknown_command_never_suggests_a_destructive_one(typed: str) -> None:
    group = typed.partition(" ")[0] if " " in typed else ""
    assert unknown_command(typed).hint == f"li {group} --help".replace("  ", " ")


def test_unknown_command_suggests_the_closest() -> None:
    assert unknown_command("state serch").hint == "li state search"
    assert unknown_command("agnet").hint == "li agent"
    assert unknown_command("ls").hint == "li state ls"


def test_script_suggests_the_command_that_was_meant(tmp_path: Path) -> None:
    refused = run_li("agent", "script", "@sya hello", "--home", str(tmp_path))

    assert refused.code == 2
    assert refused.err == "li: line 1 of the script: @sya is unknown\n  try: did you mean @say?\n"


def test_background_run_that_cannot_start_reports_one_error(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_text("not a database at all, but long enough to be read as one\n" * 20)

    refused = li("agent", "script", "@say hello", "--background", "--home", str(tmp_path))

    assert refused.err.count("li: ") == 1
    assert refused.err.count("try: ") == 1


def test_failed_run_cannot_control_the_terminal(tmp_path: Path, db: Database) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nprintf 'bad \\033]0;title\\007 \\033[2J \\033[8mhidden' >&2; exit 3\n")
    program.chmod(0o755)

    shown = run_on_terminal("agent", "command", "x", "--db", db.path, "--no-color", "--", str(program)).out

    assert "hidden" in shown
    assert "\x1b" not in shown.replace("\r\x1b[K", "")
    assert "\x07" not in shown
