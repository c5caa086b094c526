"""The header above the messages of a session: state, reasons, facts and branches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lionstudio.cli._session.branch_tree import tree
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, cost, count, local, span, tokens
from lionstudio.cli._toolkit.table import pad, width
from lionstudio.cli._toolkit.terminal import TONES, Paint
from lionstudio.model.branches import Branch
from lionstudio.model.run_name import run_name

_COMMIT = 12


def header(
    wire: dict[str, Any], branches: Sequence[Branch], lengths: Mapping[str, int], paint: Paint, now: float
) -> Iterator[str]:
    state = wire["state"]
    name = paint(inline(run_name(wire)), "bold")
    yield f"{name}  {paint(inline(state['label']), TONES[state['tone']])}"
    for reason in state["reasons"]:
        yield f"  {inline(reason['message'])}"
        yield from [paint(f"    {inline(reason['evidence'])}", "dim")] if reason["evidence"] else []
    facts = [(title, text) for title, text in _facts(wire, now) if text]
    wide = max(len(title) for title, _ in facts)
    yield from (f"  {paint(pad(title, wide), 'dim')}  {inline(text)}" for title, text in facts)
    yield ""
    if len(branches) > 1:
        yield paint(count(len(branches), "branch", "branches"), "bold")
        yield from _branch_lines(branches, lengths, paint)
        yield ""


def _facts(wire: dict[str, Any], now: float) -> Iterator[tuple[str, str]]:
    yield "id", str(wire["id"])
    yield "kind", _joined(wire["invocation_kind"], wire["source_kind"])
    yield "agent", wire["agent_name"] if wire["agent_name"] != wire["name"] else ""
    yield "playbook", wire["playbook_name"]
    yield "show", _joined(wire["show_topic"], wire["show_play_name"])
    yield "model", _joined(wire["model"], wire["provider"])
    yield "project", wire["project"]
    yield "started", _started(wire, now)
    yield "messages", f"{wire['message_count']:,}{_last(wire, now)}"
    yield "usage", _usage(wire)
    metadata = wire.get("metadata") or {}
    yield "continues", _linked(metadata.get("resumed_from"), "")
    yield "forked from", _linked(metadata.get("forked_from"), " (--branch main includes inherited messages)")
    yield "folder", wire["cwd"]
    yield "commit", (wire["git_commit"] or "")[:_COMMIT]
    yield "artifacts", wire["artifacts_path"]


def _linked(session: Any, note: str) -> str:
    return f"{session}{note}" if isinstance(session, str) else ""


def _joined(*parts: str | None) -> str:
    return " · ".join(part for part in parts if part)


def _started(wire: dict[str, Any], now: float) -> str:
    at = wire["started_at"] or wire["created_at"]
    duration = f", took {span(wire['duration_ms'] / 1000)}" if wire["duration_ms"] is not None else ""
    return f"{local(at)} ({ago(at, now)}{duration})"


def _last(wire: dict[str, Any], now: float) -> str:
    return f", last {ago(wire['last_message_at'], now)}" if wire["last_message_at"] else ""


def _usage(wire: dict[str, Any]) -> str:
    kinds = (("input", "tokens in"), ("output", "out"), ("cache_read", "from cache"), ("cache_write", "to cache"))
    parts = [f"{tokens(wire[f'{kind}_tokens'])} {label}" for kind, label in kinds if wire[f"{kind}_tokens"]]
    return ", ".join([*parts, *([cost(wire["cost_microusd"])] if wire["cost_microusd"] is not None else [])])


def _branch_lines(branches: Sequence[Branch], lengths: Mapping[str, int], paint: Paint) -> Iterator[str]:
    names = {branch.id: inline(branch.name or branch.id) for branch in branches}
    drawn = [(f"{line}{names[branch.id]}", branch) for line, branch in tree(branches)]
    wide = max(width(text) for text, _ in drawn)
    for text, branch in drawn:
        fork = ""
        if branch.fork is not None:
            parent = names.get(branch.fork.parent_branch_id)
            origin = parent or f"branch {inline(branch.fork.parent_branch_id)} of another session"
            fork = f", forked from {origin} after message {branch.fork.ord}"
        yield f"  {pad(text, wide)}  {paint(count(lengths[branch.id], 'message') + fork, 'dim')}"
