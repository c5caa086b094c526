"""The public API: names of the package, the error tree with its exit codes, and nothing by accident."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import lionstudio
from lionstudio import errors
from lionstudio.runs.api import AsyncRun, RecordingContext, Run, record

PUBLIC = [
    "ActionRequest",
    "ActionResponse",
    "AssistantResponse",
    "Branch",
    "Instruction",
    "Message",
    "Progression",
    "Session",
    "System",
    "__version__",
    "create_message",
    "record",
]
ERRORS = {
    "LionError": ("error", 1, False),
    "InvalidInput": ("invalid_input", 2, False),
    "Ambiguous": ("ambiguous", 2, False),
    "NotFound": ("not_found", 3, False),
    "Conflict": ("conflict", 1, False),
    "IllegalTransition": ("illegal_move", 1, False),
    "CorruptStore": ("corrupt", 5, False),
    "WrongVersion": ("wrong_version", 6, False),
    "Busy": ("busy", 7, True),
    "StorageFailed": ("storage_failed", 1, True),
}


def test_package_exports_public_names() -> None:
    assert sorted(lionstudio.__all__) == PUBLIC
    assert lionstudio.record is record is RecordingContext
    assert all(getattr(lionstudio, name).__name__ == name for name in PUBLIC if name not in ("__version__", "record"))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lionstudio.nothing


def test_errors_match_the_table() -> None:
    assert sorted(errors.__all__) == sorted(ERRORS)
    defined = {
        name for name, value in vars(errors).items() if inspect.isclass(value) and value.__module__ == errors.__name__
    }
    assert defined == set(ERRORS)
    classes = {name: getattr(errors, name) for name in ERRORS}
    assert {name: (cls.code, cls.exit_code, cls.retryable) for name, cls in classes.items()} == ERRORS
    assert all(cls.__bases__ == (errors.LionError,) for name, cls in classes.items() if name != "LionError")
    assert len({cls.code for cls in classes.values()}) == len(classes)


def test_errors_docstring_draws_the_tree() -> None:
    lines = [line.split()[1:] for line in (errors.__doc__ or "").splitlines() if line[:1] in ("├", "└")]

    assert {words[0]: int(words[-1]) for words in lines} == {
        name: exit_code for name, (_, exit_code, _) in ERRORS.items() if name != "LionError"
    }


def test_record_signature_and_methods() -> None:
    assert str(inspect.signature(record.__init__)).startswith(
        "(self, name: 'str', *, kind: 'InvocationKind | str' = 'agent', project: 'str | None' = None,"
    )
    methods = ["add", "assistant", "branch", "system", "tool", "user"]
    for cls in (Run, AsyncRun):
        assert sorted(name for name in vars(cls) if not name.startswith("_")) == methods


def test_run_and_async_run_take_the_same_parameters() -> None:
    for name in ("system", "user", "assistant", "tool"):
        sync, awaitable = (inspect.signature(getattr(cls, name)) for cls in (Run, AsyncRun))
        assert list(sync.parameters.values()) == list(awaitable.parameters.values())


@pytest.mark.parametrize("heavy", ["apsw", "asyncio", "dataclasses", "fastapi", "typing", "lionstudio.state"])
def test_package_import_loads_nothing_heavy(heavy: str) -> None:
    program = f"import sys; before = set(sys.modules); import lionstudio; print({heavy!r} in set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "False"
