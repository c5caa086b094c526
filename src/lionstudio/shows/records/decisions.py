"""Decisions of a person about a play or a show, as files that any process may write and the director reads.

`{play}/_decision.json` holds the last decision about a play, `_decision.json` in the show folder the last one about the
show, and `_decisions.jsonl` every decision, question and edit of the plan in order.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import LionError, StorageFailed
from lionstudio.files.shows.show_folder import MOST_BYTES
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.show_files import DECISION, DECISION_LOG
from lionstudio.runs.callers.caller import describe_origin
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.filenames import shown
from lionstudio.system.json_read import read_object


class Decision(NamedTuple):
    """One decision. It is carried out once, by its id; one about an earlier attempt is void."""

    id: str
    kind: DecisionKind
    attempt: int | None = None  # None for the show
    feedback: str | None = None
    by: str | None = None
    origin: Mapping[str, Any] | None = None  # where it was made: cli or http, process, terminal
    at: float | None = None
    budget: Mapping[str, int] | None = None  # granted beyond the plan: tokens, cost_microusd, seconds
    force: bool | None = None  # approve: merge conflict markers and unencrypted files too
    plan: str | None = None  # digest of the edited plan that it is about
    commits: tuple[str, ...] | None = None  # on the integration branch, that it is about
    dropped: tuple[str, ...] | None = None  # merges that are missing from the integration branch

    @property
    def actor(self) -> str | None:
        """The user or agent that decided, and from where; a file written by hand may lack both."""
        if self.by is None or not self.origin:
            return self.by
        return f"{self.by}, {describe_origin(self.origin)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the form of `_decision.json`, which calls the kind `word`."""
        return {"word" if name == "kind" else name: value for name, value in self._asdict().items()}


def save_decision(show_dir: str, play: str | None, decision: Decision) -> None:
    """Log a decision, then write its file."""
    facts = {name: value for name, value in redactor().record(decision.to_dict()).items() if value is not None}
    log_decision(show_dir, "decision", **({"play": play} if play is not None else {}), **facts)
    # in the folders of ADR-0011 it is `decision`
    write_text(_path(show_dir, play), json.dumps({**facts, "decision": str(decision.kind)}, indent=1) + "\n")


def find_decision(show_dir: str, play: str | None) -> Decision | None:
    """Find the last decision about a play, or about the show; an unusable file counts as none."""
    path = _path(show_dir, play)
    if not os.path.lexists(path):
        return None
    try:
        return parse_decision(read_object(path, most=MOST_BYTES, root=show_dir))
    except (LionError, ValueError, TypeError):
        return None  # another program is still writing it; the next poll may find it complete


def parse_decision(record: Mapping[str, Any]) -> Decision:
    attempt, budget, at = record.get("attempt"), record.get("budget"), record.get("at")
    origin = record.get("origin")
    texts = {name: record[name] for name in ("feedback", "by", "plan") if isinstance(record.get(name), str)}
    return Decision(
        # a file that a person wrote by hand has no id; it is the same decision as long as its content is the same
        id=str(record.get("id") or json.dumps(record, sort_keys=True)),
        kind=DecisionKind(str(record.get("word", record.get("decision")))),
        attempt=attempt if isinstance(attempt, int) else None,
        at=at if isinstance(at, (int, float)) else None,
        force=record.get("force") is True or None,
        origin=origin if isinstance(origin, dict) else None,
        budget={str(k): int(v) for k, v in budget.items()} if isinstance(budget, dict) else None,
        commits=_parse_shas(record.get("commits")),
        dropped=_parse_shas(record.get("dropped")),
        **texts,
    )


def _parse_shas(value: Any) -> tuple[str, ...] | None:
    return tuple(map(str, value)) if isinstance(value, list) else None


def log_decision(show_dir: str, what: str, **facts: Any) -> None:
    """Append a line to `_decisions.jsonl`; it is on disk when this returns."""
    record = {"logged_at": time.time(), "what": what, **redactor().record(facts)}
    line = json.dumps(record, ensure_ascii=True) + "\n"
    path = os.path.join(show_dir, DECISION_LOG)
    try:
        make_folder(show_dir)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, line.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageFailed(
            f"could not write {shown(path)}: {error.strerror}", hint="check free space and permissions"
        ) from error


def _path(show_dir: str, play: str | None) -> str:
    return os.path.join(show_dir, play, DECISION) if play is not None else os.path.join(show_dir, DECISION)
