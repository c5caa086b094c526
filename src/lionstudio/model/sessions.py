"""Session: one run with its lifecycle, provenance and usage, and the columns that statements over `sessions` share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar

from lionstudio.model.entity import Element, milliseconds, revive_enums
from lionstudio.model.status.statuses import EXIT_CODES, InvocationKind, SessionStatus, SourceKind
from lionstudio.model.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Element):
    """A row of `sessions`; see docs/reference/schema.md for each field."""

    TAG: ClassVar[str] = "lionagi.session.session.Session"
    name: str | None = None
    user: str | None = None
    progression_id: str | None = None
    first_msg_id: str | None = None
    last_msg_id: str | None = None
    updated_at: float | None = None
    playbook_name: str | None = None
    agent_name: str | None = None
    invocation_kind: InvocationKind | None = None
    show_topic: str | None = None
    show_play_name: str | None = None
    artifacts_path: str | None = None
    source_kind: SourceKind | None = None
    status: SessionStatus | None = None
    started_at: float | None = None
    ended_at: float | None = None
    last_message_at: float | None = None
    message_count: int = 0
    model: str | None = None
    provider: str | None = None
    project: str | None = None
    cwd: str | None = None
    git_commit: str | None = None
    exit_code: int | None = None
    health: str | None = None
    delivery: str | None = None
    reason_codes: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_microusd: int | None = None
    owner: Mapping[str, Any] | None = None
    title: str | None = None
    conversation_id: str | None = None
    continues: str | None = None
    retries: str | None = None
    forked_from: str | None = None
    note: str | None = None
    machine_id: str | None = None

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all messages."""
        return Usage(
            self.input_tokens, self.output_tokens, self.cache_read_tokens, self.cache_write_tokens, self.cost_microusd
        )

    @property
    def duration_ms(self) -> float | None:
        """Computed, never stored (ADR-0017); None while running."""
        return milliseconds(self.started_at, self.ended_at)

    @property
    def ended_with(self) -> int | None:
        """The stored exit code, or the default of its status; None while running."""
        if self.status is None or self.status == SessionStatus.RUNNING:
            return None
        return EXIT_CODES.get(self.status, 1) if self.exit_code is None else self.exit_code

    @classmethod
    def revive(cls, values: dict[str, Any]) -> dict[str, Any]:
        values = revive_enums(values, _ENUMS)
        return {**values, "reason_codes": tuple(values.get("reason_codes") or ())}


# Statements over `sessions` and lists of its columns are made from these; docs/reference/schema.md describes each.
SESSION_COLUMNS = tuple(Session.COLUMNS.get(item.name, item.name) for item in fields(Session))
_REFERENCES = ("progression_id", "first_msg_id", "last_msg_id")
# appends keep these up to date; a new session begins without them
COUNTED_COLUMNS = ("first_msg_id", "last_msg_id", "message_count", *Usage._fields)
TEXT_COLUMNS = tuple(
    item.name for item in fields(Session) if item.type == "str | None" and item.name not in _REFERENCES
)
_COMPUTED_TEXTS = ("health", "delivery")
IMPORTED_TEXT_COLUMNS = tuple(name for name in TEXT_COLUMNS if name not in _COMPUTED_TEXTS)


_ENUMS: Mapping[str, type[StrEnum]] = {
    "status": SessionStatus,
    "invocation_kind": InvocationKind,
    "source_kind": SourceKind,
}
