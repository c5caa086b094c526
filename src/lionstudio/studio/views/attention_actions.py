"""The actions of attention items: requests to this server, and the same as terminal commands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from lionstudio.model.questions import AnswerOption, Question
from lionstudio.show_sync.actions import describe_play_actions
from lionstudio.state.upkeep.doctor import DeadRun


def run_actions(run: dict[str, Any], terminal: Mapping[str, str | None], dead: DeadRun | None) -> list[dict[str, Any]]:
    """Mark a dead run as failed, stop or follow a silent or waiting one, resume a failed one where that works."""
    if dead is not None:
        return [_mark_failed(run, dead, str(terminal["kill"]))]
    if run["status"] != "running":
        return [_command_only("Resume", terminal["resume"])] if terminal["resume"] else []
    effect = f"The process of {run['display_name']} is stopped; its messages are kept."
    stop = _action("Stop", f"/api/sessions/{quote(run['id'], safe='')}/stop", {}, str(terminal["kill"]), what=effect)
    return [stop, _command_only("Follow", str(terminal["logs"]))]


def _mark_failed(run: dict[str, Any], dead: DeadRun, command: str) -> dict[str, Any]:
    body = {"dry_run": False, "session_ids": [run["id"]]}
    what = f"{run['display_name']} is marked as failed, and its messages are kept. Proof: {'; '.join(dead.evidence)}."
    return _action("Mark as failed", "/api/admin/doctor/transition", body, command, what=what)


def play_actions(row: dict[str, Any]) -> list[dict[str, Any]]:
    topic, play = str(row["topic"]), str(row["name"])
    actions = describe_play_actions(play, str(row["status"]), row["attempt"], row["head"])
    return [show_request(action, topic, play) for action in actions]


def show_request(action: dict[str, Any], topic: str, play: str | None = None) -> dict[str, Any]:
    """An action of a show as a request and as a terminal command."""
    options = [f"--{field['name']} {field['name'].upper()}" for field in action["fields"] if field["required"]]
    names = [shlex.quote(name) for name in (topic, play) if name is not None]
    return _action(
        action["label"],
        f"/api/shows/{quote(topic, safe='')}/actions",
        {"action": action["action"]} | ({} if play is None else {"play": play}) | action["subject"],
        " ".join(["li show", action["action"], *names, *options]),
        what=action["what"],
        danger=action["danger"],
        fields=action["fields"],
        held=action["held"],
    )


def question_actions(question: Question) -> list[dict[str, Any]]:
    """One action for each possible answer."""
    answers = [_answer_action(question, option) for option in question.options]
    if question.takes_text and not any(option.needs_text for option in question.options):
        answers.append(_answer_action(question, None))
    return answers


def _answer_action(question: Question, option: AnswerOption | None) -> dict[str, Any]:
    needs_text = option is None or option.needs_text
    label = "Words" if option is None or option.label.startswith(("Deny", "Reject", "Redo")) else "Text"
    field = {"name": "text", "label": label, "kind": "lines", "required": needs_text}
    words = ["--text TEXT"] if needs_text else []
    return _action(
        "Reply" if option is None else option.label,
        f"/api/questions/{quote(question.id, safe='')}/answer",
        {} if option is None else {"option": option.id},
        " ".join(["li ask answer", question.id, *([] if option is None else [shlex.quote(option.id)]), *words]),
        what=None if option is None else option.detail,
        fields=[field] if question.takes_text or needs_text else [],
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
    held: list[str] | None = None,
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
        "held": held or [],
    }


def _command_only(label: str, command: str) -> dict[str, Any]:
    return _action(label, None, None, command)
