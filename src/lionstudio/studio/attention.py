"""What waits for a person: questions, gates, plays that are stuck, runs that are silent or dead; the worst first."""

from __future__ import annotations

import shlex
import time
from typing import Any
from urllib.parse import quote

from lionstudio.model.reasons import REASONS
from lionstudio.model.shows import Show
from lionstudio.model.states import play_state
from lionstudio.state.connection import Connection
from lionstudio.state.dashboard import DAY
from lionstudio.state.shows import list_shows
from lionstudio.state.summaries import failed_rows, plays_to_review, refused_plays, running_rows
from lionstudio.studio.asked import open_question
from lionstudio.studio.sessions import commands, to_wire
from lionstudio.studio.shows import actions_for

_MOST = 200  # of each kind; more than that nobody looks through
_ORDER = {"error": 0, "warning": 1, "info": 2, "none": 3}
_QUIET = frozenset({"run.health.idle", "run.health.owner_unknown"})


def attention(conn: Connection) -> list[dict[str, Any]]:
    """Every item, with its evidence."""
    now = time.time()
    rows = running_rows(conn, _MOST) + failed_rows(conn, now - DAY, _MOST)
    items = [item for row in rows for item in _of_run(to_wire(row, now))]
    items += [_of_play(row) for row in plays_to_review(conn, _MOST) + refused_plays(conn, _MOST)]
    items += [item for show in list_shows(conn, _MOST) if show.status == "active" for item in _of_show(show)]
    return sorted(items, key=lambda item: (_ORDER[item["severity"]], -(item["since"] or 0)))


def _of_run(run: dict[str, Any]) -> list[dict[str, Any]]:
    reasons = [reason for reason in run["state"]["reasons"] if reason["code"] not in _QUIET]
    return [
        {
            "kind": "run", "code": reason["code"], "title": run["display_name"],
            "actions": _for_run(run, reason["code"]),
            "severity": run["state"]["severity"], "evidence": reason["evidence"] or reason["message"],
            "since": _moment(run["last_message_at"] or run["started_at"]), "session_id": run["id"],
        }
        for reason in reasons
    ]  # fmt: skip


def _of_play(row: dict[str, Any]) -> dict[str, Any]:
    state = play_state(row)
    first = state.reasons[0] if state.reasons else None
    code = "play.gate.waiting" if first is None else first.code
    return {
        "kind": "play", "code": code, "title": f"{row['topic']} / {row['name']}", "severity": state.severity,
        "evidence": (first.evidence if first else None) or REASONS[code], "since": _moment(row["updated_at"]),
        "session_id": row["session_id"], "topic": row["topic"], "play": row["name"], "actions": _for_play(row),
    }  # fmt: skip


def _of_show(show: Show) -> list[dict[str, Any]]:
    """What its director asks about the show itself."""
    asked = open_question(show.show_dir)
    if asked is None:
        return []
    path = f"/api/shows/{quote(show.topic, safe='')}/actions"
    return [
        {
            "kind": "show", "code": "show.attention", "title": show.topic, "severity": "warning",
            "evidence": asked.reason, "since": asked.at or show.updated_at, "session_id": None, "topic": show.topic,
            "play": None,
            "actions": [
                _action(word.capitalize(), path, {"action": word}, f"li show {word} {shlex.quote(show.topic)}")
                for word in ("approve", "reject", "abort")
            ],
        }
    ]  # fmt: skip


def _for_run(run: dict[str, Any], code: str) -> list[dict[str, Any]]:
    """A run that is dead is marked, one that is silent or waits is stopped or looked at, one that failed goes on."""
    words = commands({"provider": None, "model": None, **run})
    stop = _action("Stop", f"/api/sessions/{quote(run['id'], safe='')}/stop", {}, words["kill"])
    if code == "run.health.process_dead":
        marking = _action("Mark failed", "/api/admin/doctor/transition", {"dry_run": False}, "li state doctor")
        return [stop, marking]
    if run["status"] == "running":
        return [stop, _words("Follow", words["logs"])]
    return [_words("Resume", words["resume"])]


def _for_play(row: dict[str, Any]) -> list[dict[str, Any]]:
    topic, play = str(row["topic"]), str(row["name"])
    return [
        _action(
            action.capitalize(), f"/api/shows/{quote(topic, safe='')}/actions", {"action": action, "play": play},
            f"li show {action} {shlex.quote(topic)} {shlex.quote(play)}",
        )
        for action in actions_for(str(row["status"]))
    ]  # fmt: skip


def _action(label: str, path: str, body: dict[str, Any], command: str) -> dict[str, Any]:
    return {"label": label, "method": "POST", "path": path, "body": body, "command": command}


def _words(label: str, command: str) -> dict[str, Any]:
    return {"label": label, "method": None, "path": None, "body": None, "command": command}


def _moment(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) else None
