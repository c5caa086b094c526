"""What others may rely on: the names of the package, the error tree with its exit codes, and nothing by accident."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import lionstudio
from lionstudio import errors
from lionstudio.runs.api import AsyncRun, Run, record

PUBLIC = ["__version__", "record"]
ERRORS = {
    "LionError": ("error", 1, False),
    "InvalidInput": ("invalid_input", 2, False),
    "NotFound": ("not_found", 3, False),
    "Conflict": ("conflict", 1, False),
    "IllegalTransition": ("illegal_move", 1, False),
    "CorruptStore": ("corrupt", 5, False),
    "WrongVersion": ("wrong_version", 6, False),
    "Busy": ("busy", 7, True),
    "StorageFailed": ("storage_failed", 1, True),
}


def test_the_package_has_these_names() -> None:
    assert sorted(lionstudio.__all__) == PUBLIC
    assert lionstudio.record is record
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lionstudio.nothing


def test_the_error_tree() -> None:
    assert sorted(errors.__all__) == sorted(ERRORS)
    defined = {
        name for name, value in vars(errors).items() if inspect.isclass(value) and value.__module__ == errors.__name__
    }
    assert defined == set(ERRORS)
    found = {name: getattr(errors, name) for name in ERRORS}
    assert {name: (made.code, made.exit_code, made.retryable) for name, made in found.items()} == ERRORS
    assert all(made.__bases__ == (errors.LionError,) for name, made in found.items() if name != "LionError")
    assert len({made.code for made in found.values()}) == len(found)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = [line.split()[1:] for line in (errors.__doc__ or "").splitlines() if line[:1] in ("├", "└")]

    assert {words[0]: int(words[-1]) for words in drawn} == {
        name: exit_code for name, (_, exit_code, _) in ERRORS.items() if name != "LionError"
    }


def test_record_takes_what_it_says() -> None:
    assert str(inspect.signature(record.__init__)).startswith(
        "(self, name: 'str', *, kind: 'InvocationKind | str' = 'agent', project: 'str | None' = None,"
    )
    spoken = ["add", "assistant", "branch", "system", "tool", "user"]
    for made in (Run, AsyncRun):
        assert sorted(name for name in vars(made) if not name.startswith("_")) == spoken


def test_both_kinds_of_run_take_the_same() -> None:
    for name in ("system", "user", "assistant", "tool"):
        plain, awaited = (inspect.signature(getattr(made, name)) for made in (Run, AsyncRun))
        assert list(plain.parameters.values()) == list(awaited.parameters.values())


@pytest.mark.parametrize("heavy", ["apsw", "asyncio", "dataclasses", "fastapi", "typing", "lionstudio.state"])
def test_importing_the_package_loads_nothing_heavy(heavy: str) -> None:
    program = f"import sys; before = set(sys.modules); import lionstudio; print({heavy!r} in set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "False"
