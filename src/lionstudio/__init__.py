"""Lion Studio records what AI agents do, shows it live, and runs shows: DAGs of agent plays."""

from __future__ import annotations

from lionstudio.version import VERSION as __version__

TYPE_CHECKING = False  # the one in typing is slow to load, and `li --help` does without
if TYPE_CHECKING:
    from typing import Any

    from lionstudio.model.branches import Branch, Progression
    from lionstudio.model.messages import (
        ActionRequest,
        ActionResponse,
        AssistantResponse,
        Instruction,
        Message,
        System,
        create_message,
    )
    from lionstudio.model.sessions import Session
    from lionstudio.runs.api import record

__all__ = [
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

_MODULES = {
    "Branch": "model.branches",
    "Progression": "model.branches",
    "Session": "model.sessions",
    "record": "runs.api",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that commands that do not need it do not pay for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"lionstudio.{_MODULES.get(name, 'model.messages')}"), name)
