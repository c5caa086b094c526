"""The header above the messages of a session: state, reasons, facts and branches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lionstudio.cli._session.artifacts import artifact_line
from lionstudio.cli._session.branch_tree import tree
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, cost, count, local, span, tokens
from lionstudio.cli._toolkit.table import pad, width
from lionstudio.cli._toolkit.terminal import TONES, Paint
from lionstudio.model.branches import Branch
from lionstudio.model.status.transitions import StatusTransition
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS

_COMMIT = 12


def header(
    wire: dict[str, Any],
    branches: Sequence[Branch],
    lengths: Mapping[str, int],
    transitions: Sequence[StatusTransition],
    paint: Paint,
    now: float,
) -> Iterator[str]:
    state = wire["state"]
    name = paint(inline(wire["display_name"]), "bold")
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
    if transitions:
        yield paint("Status history", "bold")
        yield from _transition_lines(transitions, paint)
        yield ""


def _transition_lines(transitions: Sequence[StatusTransition], paint: Paint) -> Iterator[str]:
    wide = max(width(change.status) for change in transitions)
    for change in transitions:
        details = _joined(change.reason_code, change.source, change.actor)
        yield f"  {local(change.at)}  {pad(inline(change.status), wide)}  {paint(inline(details), 'dim')}"


def _facts(wire: dict[str, Any], now: float) -> Iterator[tuple[str, str]]:
    yield "id", str(wire["id"])
    yield "title", wire["title"] if wire["title"] != wire["display_name"] else ""
    yield "kind", _joined(wire["invocation_kind"], source_name(wire["source_kind"]))
    yield "agent", wire["agent_name"] if wire["agent_name"] != wire["display_name"] else ""
    yield "playbook", wire["playbook_name"] if wire["playbook_name"] != wire["display_name"] else ""
    yield "show", _joined(wire["show_topic"], wire["show_play_name"])
    yield "model", _joined(wire["model"], wire["provider"])
    yield "project", wire["project"]
    yield "tags", ", ".join(wire["tags"])
    yield "note", wire["note"]
    yield "started", _started(wire, now)
    yield "messages", f"{wire['message_count']:,}{_last(wire, now)}"
    yield "usage", _usage(wire)
    yield "continues", wire["continues"]
    yield "retries", wire["retries"]
    yield "forked from", _linked(wire["forked_from"], " (--branch main includes inherited messages)")
    for relation in ("continued", "retried", "forked"):
        yield f"{relation} in", ", ".join(run["id"] for run in wire["successors"] if run["relation"] == relation)
    yield "folder", wire["cwd"]
    yield "commit", (wire["git_commit"] or "")[:_COMMIT]
    yield "artifacts", wire["artifacts_path"]
    metadata = wire.get("metadata")
    yield "sandbox", str(metadata.get("confinement") or "") if isinstance(metadata, dict) else ""
    artifacts = metadata.get("artifacts") if isinstance(metadata, dict) else None
    for number, artifact in enumerate(artifacts if isinstance(artifacts, list) else []):
        if isinstance(artifact, dict):
            yield "" if number else "artifacts", artifact_line(artifact)


def source_name(kind: str | None) -> str:
    """The label of a `source_kind`, as Studio shows it."""
    titles = {f"imported_{tool}": title for tool, (title, _) in TRANSCRIPT_TOOLS.items()}
    names = {"live": "recorded", "imported_fs": "imported run", "imported_db": "imported database", **titles}
    return names.get(kind or "", (kind or "").replace("_", " "))


def _linked(session: Any, note: str) -> str:
    return f"{session}{note}" if isinstance(session, str) else ""


def _joined(*parts: str | None) -> str:
    return " · ".join(dict.fromkeys(part for part in parts if part))


def _started(wire: dict[str, Any], now: float) -> str:
    at = wire["started_at"] or wire["created_at"]
    duration = f", took {span(wire['duration_ms'] / 1000)}" if wire["duration_ms"] is not None else ""
    return f"{local(at)} ({ago(at, now)}{duration})"


def _last(wire: dict[str, Any], now: float) -> str:
    return f", last {ago(wire['last_message_at'], now)}" if wire["last_message_at"] else ""


def _usage(wire: dict[str, Any]) -> str:
    kinds = (("input", "in"), ("output", "out"), ("cache_read", "from cache"), ("cache_write", "to cache"))
    parts = [f"{tokens(wire[f'{kind}_tokens'])} {label}" for kind, label in kinds if wire[f"{kind}_tokens"]]
    total = tokens(sum(wire[f"{kind}_tokens"] for kind, _ in kinds))
    facts = [f"{total} total tokens ({', '.join(parts)})"] if parts else []
    return ", ".join([*facts, *([cost(wire["cost_microusd"])] if wire["cost_microusd"] is not None else [])])


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
