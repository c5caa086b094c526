"""What waits for a person: questions, gates, plays that are stuck, runs that are silent or dead; the worst first."""

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
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.runs.dashboard import DAY
from lionstudio.state.runs.page_queries import failed_rows, plays_to_review, refused_plays, running_rows
from lionstudio.state.shows import list_shows
from lionstudio.state.upkeep.doctor import MarkedFailed, stale_and_dead
from lionstudio.studio.views.runs import commands, run_json
from lionstudio.studio.views.show_actions import answers_to, describe_play_actions, describe_show_actions
from lionstudio.studio.views.show_folder import director_of, question_of

_MOST = 200  # of each kind; more than that nobody looks through
_ORDER = {"error": 0, "warning": 1, "info": 2, "none": 3}
_QUIET = frozenset({"run.health.idle", "run.health.owner_unknown"})


def attention(conn: Connection, settings: Settings) -> list[dict[str, Any]]:
    """Every item, with its evidence."""
    now = time.time()
    rows = running_rows(conn, _MOST) + failed_rows(conn, now - DAY, _MOST)
    lost = {each.session_id: each for each in stale_and_dead(conn, now=now)}
    items = [item for row in rows for item in _of_run(run_json(row, now), lost)]
    items += [_of_play(row) for row in plays_to_review(conn, _MOST) + refused_plays(conn, _MOST)]
    active = [show for show in list_shows(conn, _MOST) if show.status == "active"]
    items += [item for show in active for item in _of_show(show, question_of(settings, show.show_dir))]
    items += [_undirected(show) for show in active if director_of(settings, show.show_dir) == "free"]
    return sorted(items, key=lambda item: (_ORDER[item["severity"]], -(item["since"] or 0)))


def _of_run(run: dict[str, Any], lost: Mapping[str, MarkedFailed]) -> list[dict[str, Any]]:
    reasons = [reason for reason in run["state"]["reasons"] if reason["code"] not in _QUIET]
    return [
        {
            "kind": "run",
            "code": reason["code"],
            "title": run["display_name"],
            "actions": _for_run(run, lost.get(run["id"])),
            "severity": run["state"]["severity"],
            "evidence": reason["evidence"] or reason["message"],
            "since": _moment(run["last_message_at"] or run["started_at"]),
            "session_id": run["id"],
        }
        for reason in reasons
    ]


def _of_play(row: dict[str, Any]) -> dict[str, Any]:
    state = play_state(row)
    first = state.reasons[0] if state.reasons else None
    code = "play.gate.waiting" if first is None else first.code
    return {
        "kind": "play",
        "code": code,
        "title": f"{row['topic']} / {row['name']}",
        "severity": state.severity,
        "evidence": (first.evidence if first else None) or REASONS[code],
        "since": _moment(row["updated_at"]),
        "session_id": row["session_id"],
        "topic": row["topic"],
        "play": row["name"],
        "actions": _for_play(row),
    }


def _of_show(show: Show, asked: Question | None) -> list[dict[str, Any]]:
    """What its director asks about the show itself."""
    if asked is None:
        return []
    deeds = describe_show_actions(show.topic, [*answers_to(asked), "abort"], asked)
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
            "actions": [_order(deed, show.topic) for deed in deeds],
        }
    ]


def _undirected(show: Show) -> dict[str, Any]:
    return {
        "kind": "show",
        "code": "show.undirected",
        "title": show.topic,
        "severity": "error",
        "evidence": f"its director died; li show resume {show.topic}",
        "since": show.updated_at,
        "session_id": None,
        "topic": show.topic,
        "play": None,
        "actions": [_order(deed, show.topic) for deed in describe_show_actions(show.topic, ["resume", "abort"], None)],
    }


def _for_run(run: dict[str, Any], lost: MarkedFailed | None) -> list[dict[str, Any]]:
    """A run that is lost is marked, one that is silent or waits is stopped or looked at, one that failed goes on."""
    words = commands({"provider": None, "model": None, **run})
    if run["status"] != "running":
        return [_words("Resume", words["resume"])]
    stopping = f"{run['display_name']} is asked to end; what it has said is kept."
    stop = _action("Stop", f"/api/sessions/{quote(run['id'], safe='')}/stop", {}, words["kill"], what=stopping)
    return [stop, _words("Follow", words["logs"]) if lost is None else _mark(run, lost)]


def _mark(run: dict[str, Any], lost: MarkedFailed) -> dict[str, Any]:
    body = {"dry_run": False, "session_ids": [run["id"]]}
    what = f"Only {run['display_name']} is marked failed: {'; '.join(lost.evidence)}."
    return _action("Mark failed", "/api/admin/doctor/transition", body, "li state doctor", what=what)


def _for_play(row: dict[str, Any]) -> list[dict[str, Any]]:
    topic, play = str(row["topic"]), str(row["name"])
    return [_order(deed, topic, play) for deed in describe_play_actions(play, str(row["status"]))]


def _order(deed: dict[str, Any], topic: str, play: str | None = None) -> dict[str, Any]:
    """A deed as a request, and as the words of a terminal."""
    needed = [f"--{field['name']} {field['name'].upper()}" for field in deed["fields"] if field["required"]]
    names = [shlex.quote(name) for name in (topic, play) if name is not None]
    return _action(
        deed["label"],
        f"/api/shows/{quote(topic, safe='')}/actions",
        {"action": deed["action"]} | ({} if play is None else {"play": play}),
        " ".join(["li show", deed["action"], *names, *needed]),
        what=deed["what"],
        danger=deed["danger"],
        fields=deed["fields"],
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


def _words(label: str, command: str) -> dict[str, Any]:
    return _action(label, None, None, command)


def _moment(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) else None
