"""Send what needs a person, once: Studio does it while it runs, otherwise the process that asks.

Both wait a moment, so that a question which is answered at once is not sent; Studio waits less, and the process that
stores the state of the item first sends it. Items that come together are one notification.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from lionstudio.errors import LionError
from lionstudio.model.questions import Question
from lionstudio.model.redaction.process import redactor
from lionstudio.runs.notifications.channels import Channels, Warn, notification_environment, send
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.notifications import NotifiedState, claim
from lionstudio.state.exchange.questions import find_question

STUDIO_WAITS = 2.0  # seconds
_ASKER_WAITS = 4.0
_MOST_NAMED = 10  # items in one notification; the others are counted


def fingerprint_of(question: Question) -> str:
    """The id of the attention item of a question."""
    return f"question:{question.id}:{question.kind}"


def send_items(
    database: Database, settings: Settings, items: Sequence[Mapping[str, Any]], environ: Mapping[str, str], warn: Warn
) -> int:
    """Send one notification for the items that no other process has sent; returns how many those are."""
    states = [NotifiedState(item["id"], item["state"]) for item in items]
    claimed = database.write(lambda conn: claim(conn, states))
    ours = [item for item in items if item["id"] in claimed]
    if ours:
        payload = notification_of(ours, with_titles=settings.notify_titles)
        send(Channels.of(settings), payload, notification_environment(environ), warn)
    return len(ours)


def notification_of(items: Sequence[Mapping[str, Any]], *, with_titles: bool) -> dict[str, Any]:
    """The payload: which sessions and shows need a person; what they say only where the setting allows it."""
    named = [_named(item, with_titles=with_titles) for item in items[:_MOST_NAMED]]
    lines = [entry["name"] + (f": {entry['title']}" if "title" in entry else f" ({entry['kind']})") for entry in named]
    if len(items) > len(named):
        lines.append(f"and {len(items) - len(named)} more")
    subject = named[0]["name"] if len(items) == 1 else f"{len(items)} items"
    verb = "needs" if len(items) == 1 else "need"
    return {
        "title": f"Lion Studio: {subject} {verb} you",
        "text": "\n".join(lines),
        "count": len(items),
        "items": named,
    }


def _named(item: Mapping[str, Any], *, with_titles: bool) -> dict[str, Any]:
    topic, play, session = item.get("topic"), item.get("play"), item.get("session_id")
    name = " / ".join(filter(None, (topic, play))) or f"session {session}"
    entry = {
        "name": name,
        "kind": item["kind"] if item["kind"] != "question" else item["code"].removeprefix("question."),
        "code": item["code"],
        "rank": item.get("rank"),
        "session_id": session,
        "show": topic,
        "play": play,
        "question": item.get("question"),
    }
    # the name of a run may be the first line of its prompt
    return {**entry, "title": redactor().text(f"{item['title']}: {item['evidence']}")} if with_titles else entry


_lock = threading.Lock()
_waiting: dict[str, list[str]] = {}  # questions of this process that were not sent yet, by database


def notify_later(database: Database, settings: Settings, question_id: str, warn: Warn) -> None:
    """Send a question in a moment with the others of this process, unless it is answered or Studio has sent it."""
    if not Channels.of(settings):
        return
    with _lock:
        waiting = _waiting.get(database.path)
        if waiting is not None:
            waiting.append(question_id)
            return
        _waiting[database.path] = [question_id]
    threading.Thread(target=_notify, args=(database, settings, warn), daemon=True, name="notify").start()


def _notify(database: Database, settings: Settings, warn: Warn) -> None:
    time.sleep(_ASKER_WAITS)
    with _lock:
        question_ids = _waiting.pop(database.path)
    try:
        open_ones = database.read(lambda conn: _list_open(conn, question_ids))
        send_items(database, settings, open_ones, os.environ, warn)
    except LionError as error:  # the process ends, or the database is busy
        warn(f"could not send a notification: {error.message}")


def _list_open(conn: Connection, question_ids: Sequence[str]) -> list[dict[str, Any]]:
    asked = [question for question in (find_question(conn, each) for each in question_ids) if question is not None]
    return [
        {
            "id": fingerprint_of(question),
            "state": str(question.created_at),
            "kind": "question",
            "code": f"question.{question.kind}",
            "rank": 1,
            "question": question.id,
            "title": question.entity,
            "evidence": question.title,
            "session_id": question.session_id or question.evidence.get("session_id"),
            "topic": question.show_topic,
            "play": question.play_name,
        }
        for question in asked
        if question.is_open
    ]
