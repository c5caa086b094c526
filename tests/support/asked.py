"""Questions that wait for a person: one of an agent, and the day with too many."""

from __future__ import annotations

import time
from typing import Any

from tests.support.seed import begin, dead_run

from lionstudio.model.questions import ALLOW, DENY, AnswerOption, Effect, Question, QuestionKind
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import add_question
from lionstudio.state.sessions import finish_session


def permission(session_id: str | None, command: str = "git push", **changes: Any) -> Question:
    """A question for permission to run a command; None as the session is for questions of shows."""
    values: dict[str, Any] = {
        "kind": QuestionKind.PERMISSION,
        "title": f"Bash: {command}",
        "reason": "Bash",
        "session_id": session_id,
        "evidence": {"tool": "Bash", "arguments": {"command": command}, "cwd": "/srv/shop"},
        "options": (ALLOW, DENY),
        "takes_text": True,
    }
    return Question(**values | changes)


def busy_day(settings: Settings) -> None:
    """A hundred failures, three questions, two escalations and a dead run."""
    now = time.time()

    def fill(conn: Connection) -> None:
        for number in range(100):
            id_ = f"failed-{number:03}"
            begin(conn, id_, now - 7200 - number, name=f"nightly {number}", agent_name="tester")
            reason = "Usage limit reached, try again at 14:00" if number < 97 else f"No such host: {'abc'[number - 97]}"
            finish_session(conn, id_, "failed", exit_code=1, detail=reason, at=now - 7000 - number)
        for number, command in enumerate(("git push origin main", "npm publish", "kubectl apply -f prod.yaml")):
            begin(conn, f"asking-{number}", now - 600, name=f"release {number}", agent_name="releaser")
            add_question(conn, permission(f"asking-{number}", command, created_at=now - 300 + number))
        escalated: dict[str, Any] = {
            "kind": QuestionKind.ESCALATION,
            "evidence": {"text": "Two attempts failed with the same test."},
            "options": (AnswerOption("redo", "Redo", Effect.ALLOW), AnswerOption("abort", "Abort", Effect.DENY)),
        }
        for play in ("parser", "docs"):
            title = f"{play} failed twice: what now?"
            add_question(conn, permission(None, show_topic="compiler", play_name=play, title=title, **escalated))

    with Database(settings.db) as db:
        db.write(fill)
    dead_run(settings)
