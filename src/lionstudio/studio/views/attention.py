"""Items that need a person: questions, gates, stuck plays, silent or dead runs; most severe first."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from lionstudio.model.shows.decisions import Question
from lionstudio.model.shows.show import Show
from lionstudio.model.status.computed_state import play_state
from lionstudio.model.status.reasons import REASONS
from lionstudio.model.status.vocabulary import SEVERITY_RANKS
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.runs.dashboard import DAY
from lionstudio.state.runs.page_queries import failed_rows, plays_to_review, refused_plays, running_rows
from lionstudio.state.shows import list_shows
from lionstudio.state.upkeep.doctor import StaleSession, list_stale_and_dead
from lionstudio.studio.views.runs import commands, run_json
from lionstudio.studio.views.show_actions import answers_to, describe_play_actions, describe_show_actions
from lionstudio.studio.views.show_folder import director_state, find_question

_MOST = 200  # of each kind
_QUIET = frozenset({"run.health.idle", "run.health.owner_unknown"})


def list_attention(conn: Connection, settings: Settings) -> list[dict[str, Any]]:
    """Every item with its evidence and actions."""
    now = time.time()
    rows = running_rows(conn, _MOST) + failed_rows(conn, now - DAY, _MOST)
    dead = {run.session_id: run for run in list_stale_and_dead(conn, now=now)}
    items = [item for row in rows for item in _run_items(run_json(row, now), dead)]
    items += [_play_item(row) for row in plays_to_review(conn, _MOST) + refused_plays(conn, _MOST)]
    active = [show for show in list_shows(conn, _MOST) if show.status == "active"]
    items += [item for show in active for item in _show_items(show, find_question(settings, show.show_dir))]
    items += [_undirected_item(show) for show in active if director_state(settings, show.show_dir) == "free"]
    return sorted(items, key=lambda item: (-SEVERITY_RANKS[item["severity"]], -(item["since"] or 0)))


def _run_items(run: dict[str, Any], dead: Mapping[str, StaleSession]) -> list[dict[str, Any]]:
    reasons = [reason for reason in run["state"]["reasons"] if reason["code"] not in _QUIET]
    return [
        {
            "kind": "run",
            "code": reason["code"],
            "title": run["display_name"],
            "actions": _run_actions(run, dead.get(run["id"])),
            "severity": run["state"]["severity"],
            "evidence": reason["evidence"] or reason["message"],
            "since": _time(run["last_message_at"] or run["started_at"]),
            "session_id": run["id"],
        }
        for reason in reasons
    ]


def _play_item(row: dict[str, Any]) -> dict[str, Any]:
    state = play_state(row)
    first = state.reasons[0] if state.reasons else None
    code = "play.gate.waiting" if first is None else first.code
    return {
        "kind": "play",
        "code": code,
        "title": f"{row['topic']} / {row['name']}",
        "severity": state.severity,
        "evidence": (first.evidence if first else None) or REASONS[code],
        "since": _time(row["updated_at"]),
        "session_id": row["session_id"],
        "topic": row["topic"],
        "play": row["name"],
        "actions": _play_actions(row),
    }


def _show_items(show: Show, asked: Question | None) -> list[dict[str, Any]]:
    """The open question of the director about the show."""
    if asked is None:
        return []
    actions = describe_show_actions(show.topic, [*answers_to(asked), "abort"], asked)
    return [
        {
            "kind": "show",
            "code": "show.attention",
            "title": show.topic,
            "severity": "warning",
            "evidence": asked.reason,
            "since": asked.at or show.updated_at,
            "session_id": None,
            "topic": show.topic,
            "play": None,
            "actions": [_show_request(action, show.topic) for action in actions],
        }
    ]


def _undirected_item(show: Show) -> dict[str, Any]:
    return {
        "kind": "show",
        "code": "show.undirected",
        "title": show.topic,
        "severity": "error",
        "evidence": f"The director exited. Continue with `li show resume {show.topic}`",
        "since": show.updated_at,
        "session_id": None,
        "topic": show.topic,
        "play": None,
        "actions": [
            _show_request(action, show.topic) for action in describe_show_actions(show.topic, ["resume", "abort"], None)
        ],
    }


def _run_actions(run: dict[str, Any], dead: StaleSession | None) -> list[dict[str, Any]]:
    """Mark a dead run as failed, stop or follow a silent or waiting one, resume a failed one."""
    terminal = commands({"provider": None, "model": None, **run})
    if run["status"] != "running":
        return [_command_only("Resume", terminal["resume"])]
    effect = f"The process of {run['display_name']} is stopped; its messages are kept."
    stop = _action("Stop", f"/api/sessions/{quote(run['id'], safe='')}/stop", {}, terminal["kill"], what=effect)
    return [stop, _command_only("Follow", terminal["logs"]) if dead is None else _mark_failed(run, dead)]


def _mark_failed(run: dict[str, Any], dead: StaleSession) -> dict[str, Any]:
    body = {"dry_run": False, "session_ids": [run["id"]]}
    what = f"Only {run['display_name']} is marked failed: {'; '.join(dead.evidence)}."
    return _action("Mark failed", "/api/admin/doctor/transition", body, "li state doctor", what=what)


def _play_actions(row: dict[str, Any]) -> list[dict[str, Any]]:
    topic, play = str(row["topic"]), str(row["name"])
    return [_show_request(action, topic, play) for action in describe_play_actions(play, str(row["status"]))]


def _show_request(action: dict[str, Any], topic: str, play: str | None = None) -> dict[str, Any]:
    """An action of a show as a request and as a terminal command."""
    options = [f"--{field['name']} {field['name'].upper()}" for field in action["fields"] if field["required"]]
    names = [shlex.quote(name) for name in (topic, play) if name is not None]
    return _action(
        action["label"],
        f"/api/shows/{quote(topic, safe='')}/actions",
        {"action": action["action"]} | ({} if play is None else {"play": play}),
        " ".join(["li show", action["action"], *names, *options]),
        what=action["what"],
        danger=action["danger"],
        fields=action["fields"],
    )


def _action(
    label: str,
    path: str | None,
    body: dict[str, Any] | None,
    command: str,
    *,
    what: str | None = None,
    danger: bool = False,
    fields: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "label": label,
        "method": path and "POST",
        "path": path,
        "body": body,
        "command": command,
        "what": what,
        "danger": danger,
        "fields": fields or [],
    }


def _command_only(label: str, command: str) -> dict[str, Any]:
    return _action(label, None, None, command)


def _time(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) else None
