"""Everything that needs a person: open questions first, then what is escalated, stuck or dead, and what failed.

One item stands for one thing: for a play, not for its attempts, its run and its question. The question wins.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from lionstudio.model.questions import Question, QuestionKind
from lionstudio.model.shows.decisions import ShowQuestion
from lionstudio.model.shows.show import Show
from lionstudio.model.status.computed_state import first_line, play_state
from lionstudio.model.status.reasons import REASONS
from lionstudio.model.status.statuses import InvocationKind
from lionstudio.runs.notifications.send import fingerprint_of
from lionstudio.runs.resume_command import location_options
from lionstudio.settings import Settings
from lionstudio.show_sync.actions import answers_to, describe_show_actions
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import OpenQuestion, list_open_by_entity
from lionstudio.state.exchange.refusals import list_refusals
from lionstudio.state.runs.dashboard import DAY
from lionstudio.state.runs.dismissals import HiddenState, list_dismissals
from lionstudio.state.runs.page_queries import (
    continued_sessions,
    failed_rows,
    plays_to_review,
    refused_plays,
    running_rows,
    session_names,
)
from lionstudio.state.shows import list_shows
from lionstudio.state.upkeep.doctor import DeadRun, list_dead
from lionstudio.state.workers.orders import find_director_error
from lionstudio.state.workers.show_workers import show_workers
from lionstudio.studio.views.attention_actions import play_actions, question_actions, run_actions, show_request
from lionstudio.studio.views.runs import commands, run_json
from lionstudio.studio.views.show_folder import director_state, find_question, held_back

_MOST = 200  # of each kind
_MOST_OF_ENTITY = 20  # questions of one run or play; the last one listed stands for the rest
_QUIET = frozenset({"run.health.idle", "run.health.owner_unknown"})


class Rank(IntEnum):
    """The order of the list."""

    QUESTION = 1  # and approvals of a person
    ESCALATED = 2
    STUCK = 3  # or dead, or refused
    FAILED = 4


_RANKS: Mapping[str, Rank] = {
    "run.health.waiting": Rank.QUESTION,
    "play.gate.waiting": Rank.QUESTION,
    "show.attention": Rank.QUESTION,
    "play.escalated": Rank.ESCALATED,
    "run.failed.process_dead": Rank.STUCK,
    "play.gate.failed": Rank.FAILED,
}
_ESCALATIONS = (QuestionKind.ESCALATION, QuestionKind.CONFLICT)


def list_attention(conn: Connection, settings: Settings) -> list[dict[str, Any]]:
    """Every item with its evidence and actions, in the order in which a person should see them."""
    now = time.time()
    where = location_options(settings, other_terminal=True)
    asked = list_open_by_entity(conn, _MOST_OF_ENTITY, _MOST)
    items = _question_items(conn, asked)
    entities = {(one.question.show_topic, one.question.play_name) for one in asked if one.question.show_topic}
    sessions = {one.question.session_id for one in asked}
    plays = plays_to_review(conn, _MOST) + refused_plays(conn, _MOST)
    # a failed run of a play is the director's to repeat; where a person must decide, the play is the item
    of_plays = {play["session_id"] for play in plays}
    failed = [
        row
        for row in failed_rows(conn, now - DAY, _MOST)
        if row["invocation_kind"] != InvocationKind.SHOW_PLAY and row["id"] not in of_plays
    ]
    dead = {run.session_id: run for run in list_dead(conn)}
    rows = running_rows(conn, _MOST) + failed
    continued = continued_sessions(conn, (row["id"] for row in rows))
    items += [
        item
        for row in rows
        if row["id"] not in sessions
        for item in _run_items(run_json(row, now), row, dead, settings)
        if not (row["id"] in continued and _is_over(item["code"]))  # the run that continues it is what matters
    ]
    items += [_play_item(row) for row in plays if (row["topic"], row["name"]) not in entities]
    shows = [show for show in list_shows(conn, _MOST) if show.status == "active"]
    items += [item for show in shows if show.is_for_workers for item in _worker_items(conn, show, where)]
    # those for workers ask by rows, and a folder of theirs is a copy
    active = [show for show in shows if not show.is_for_workers]
    unasked = [show for show in active if (show.topic, None) not in entities]
    items += [item for show in unasked for item in _show_items(show, find_question(settings, show.show_dir))]
    items += [_undirected_item(show, where) for show in active if director_state(settings, show.show_dir) == "free"]
    items += [_refusal_item(row) for row in list_refusals(conn, _MOST)]
    for action in (action for item in items for action in item["actions"] if where):
        # the commands of runs have their location
        action["command"] += "" if where in action["command"] else f" {where}"
    dismissed = list_dismissals(conn)
    listed = [_complete(item, dismissed.get(item["id"]), now) for item in items]
    return sorted(listed, key=_order)


def _complete(item: dict[str, Any], dismissal: HiddenState | None, now: float) -> dict[str, Any]:
    """The item with its rank, cluster and dismissal, and its evidence as one line."""
    hidden = dismissal is not None and dismissal.state == item["state"]
    until = dismissal.until if dismissal is not None and hidden else None
    evidence = first_line(item["evidence"])
    return {
        "question": None,
        "count": 1,
        "rank": _rank_of(item["code"]),
        "cluster": f"{item['code']}:{_shape_of(evidence or '')}",
        **item,
        "evidence": evidence,
        "dismissed": hidden and until is None,
        "snoozed_until": until if until is not None and until > now else None,
    }


def _order(item: dict[str, Any]) -> tuple[int, float]:
    """By rank; who waits for an answer longest comes first, then the newest trouble."""
    since: float = item["since"] or 0.0
    return item["rank"], since if item["rank"] <= Rank.ESCALATED else -since


def _rank_of(code: str) -> Rank:
    return _RANKS.get(code) or (Rank.FAILED if code.startswith("run.failed.") else Rank.STUCK)


def _is_over(code: str) -> bool:
    return code == "run.health.process_dead" or code.startswith("run.failed.")


_VARYING = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F-]{12,}|\d+")


def _shape_of(text: str) -> str:
    """The text without numbers and ids: failures that differ in nothing else are alike."""
    return _VARYING.sub("#", text)[:120]


def _question_items(conn: Connection, asked: list[OpenQuestion]) -> list[dict[str, Any]]:
    names = session_names(conn, [one.question.session_id for one in asked if one.question.session_id])
    listed: dict[str, int] = {}
    items = []
    for question, later in asked:
        listed[question.entity] = listed.get(question.entity, 0) + 1
        play = [question.show_topic, *filter(None, [question.play_name])] if question.show_topic else []
        items.append(
            {
                "id": fingerprint_of(question),
                "state": str(question.created_at),
                "kind": "question",
                "code": f"question.{question.kind}",
                "rank": Rank.ESCALATED if question.kind in _ESCALATIONS else Rank.QUESTION,
                "cluster": f"question.{question.kind}:{_shape_of(_cause_of(question))}",
                "question": question.id,
                "count": 1 + later if listed[question.entity] == _MOST_OF_ENTITY else 1,
                "title": " / ".join(map(str, play)) or names.get(question.session_id or "", "question"),
                "severity": "warning",
                "evidence": question.title,
                "since": question.created_at,
                "session_id": question.session_id or question.evidence.get("session_id"),
                "topic": question.show_topic,
                "play": question.play_name,
                "actions": question_actions(question),
            }
        )
    return items


def _cause_of(question: Question) -> str:
    """The tool of a permission; the error behind an escalation."""
    why = question.evidence.get("why") if question.kind in _ESCALATIONS else None
    return (first_line(why) if isinstance(why, str) else question.reason) or question.title


def _run_items(
    run: dict[str, Any], row: dict[str, Any], dead: Mapping[str, DeadRun], settings: Settings
) -> list[dict[str, Any]]:
    reasons = [reason for reason in run["state"]["reasons"] if reason["code"] not in _QUIET]
    if not reasons:
        return []
    first = reasons[0]
    since = _time(run["ended_at"] or run["last_message_at"] or run["started_at"])
    return [
        {
            "id": f"run:{run['id']}:{first['code']}",
            "state": f"{run['status']} {since}",
            "kind": "run",
            "code": first["code"],
            "title": run["display_name"],
            "actions": run_actions(run, commands(row, settings), dead.get(run["id"])),
            "severity": run["state"]["severity"],
            "evidence": "; ".join(dict.fromkeys(reason["evidence"] or reason["message"] for reason in reasons)),
            "since": since,
            "session_id": run["id"],
        }
    ]


def _play_item(row: dict[str, Any]) -> dict[str, Any]:
    state = play_state(row)
    first = state.reasons[0] if state.reasons else None
    code = "play.gate.waiting" if first is None else first.code
    return {
        "id": f"play:{row['id']}:{code}",
        "state": f"{row['status']} {row['attempt']} {row['updated_at']}",
        "kind": "play",
        "code": code,
        "title": f"{row['topic']} / {row['name']}",
        "severity": state.severity,
        "evidence": (first.evidence if first else None) or REASONS[code],
        "since": _time(row["updated_at"]),
        "session_id": row["session_id"],
        "topic": row["topic"],
        "play": row["name"],
        "actions": play_actions(row),
    }


def _show_items(show: Show, asked: ShowQuestion | None) -> list[dict[str, Any]]:
    """The open question of the director about the show."""
    if asked is None:
        return []
    held = held_back(show.topic, show.show_dir, show.metadata)
    actions = describe_show_actions(show.topic, [*answers_to(asked, held), "abort"], asked, held)
    return [
        {
            "id": f"show:{show.id}:show.attention",
            "state": f"{asked.at or show.updated_at} {asked.reason}",
            "kind": "show",
            "code": "show.attention",
            "title": show.topic,
            "severity": "warning",
            "evidence": asked.reason,
            "since": asked.at or show.updated_at,
            "session_id": None,
            "topic": show.topic,
            "play": None,
            "actions": [show_request(action, show.topic) for action in actions],
        }
    ]


def _worker_items(conn: Connection, show: Show, where: str) -> list[dict[str, Any]]:
    """The item of a show for workers that stands still: its director gave up, or no worker can take its work."""
    of_show = show_workers(conn, show.topic)
    if of_show.director is None:
        return [_undirected_item(show, where, find_director_error(conn, show.topic))]
    waiting = {"": of_show.director, **of_show.plays}
    stuck = {play: one for play, one in waiting.items() if one.needs_person}
    if not stuck:
        return []
    play, one = next(iter(stuck.items()))
    more = f" and {len(stuck) - 1} more" if len(stuck) > 1 else ""
    evidence = f"{play or 'The show'}{more} waits: {one.wait}"
    return [_stuck_show(show, "show.no_worker", evidence, str(one.wait), ["abort"])]


def _undirected_item(show: Show, where: str, reason: str | None = None) -> dict[str, Any]:
    command = " ".join(filter(None, (f"li show resume {shlex.quote(show.topic)}", where)))
    exited = "The director exited" if reason is None else f"The director gave up: {reason.rstrip('.')}"
    evidence = f"{exited}. Continue with `{command}`"
    return _stuck_show(show, "show.undirected", evidence, str(show.updated_at), ["resume", "abort"])


def _stuck_show(show: Show, code: str, evidence: str, state: str, actions: list[str]) -> dict[str, Any]:
    return {
        "id": f"show:{show.id}:{code}",
        "state": state,
        "kind": "show",
        "code": code,
        "title": show.topic,
        "severity": "critical",
        "evidence": evidence,
        "since": show.updated_at,
        "session_id": None,
        "topic": show.topic,
        "play": None,
        "actions": [show_request(action, show.topic) for action in describe_show_actions(show.topic, actions, None)],
    }


def _refusal_item(row: dict[str, Any]) -> dict[str, Any]:
    times = f" {row['count']} times" if row["count"] > 1 else ""
    return {
        "id": f"refused:{row['id']}:decision.refused",
        "state": str(int(row["count"]).bit_length()),  # dismissed, it returns when the count has doubled
        "kind": "refused",
        "code": "decision.refused",
        "title": row["agent"],
        "cluster": f"decision.refused:{row['agent']}",
        "count": row["count"],
        "severity": "critical",
        "evidence": f"An agent tried to decide{times}, and was refused: {row['action']}",
        "since": row["last_at"],
        "session_id": row["session_id"],
        "actions": [],
    }


def _time(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) else None
