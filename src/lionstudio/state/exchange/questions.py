"""The questions table. The first answer wins, by one conditional UPDATE; every other caller is told who was first."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lionstudio.errors import Ambiguous, Conflict, InvalidInput, NotFound
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, jsonable, load_or_keep
from lionstudio.model.questions import Answer, Effect, Question, QuestionKind, QuestionStatus, shortened
from lionstudio.model.redaction.process import redactor
from lionstudio.model.redaction.spans import MARK
from lionstudio.state.connection import Connection
from lionstudio.state.hub.machines import refuse_pushed
from lionstudio.state.row_values import insert_statement, validate_row

ASKED_COLUMNS = (
    "id",
    "created_at",
    "kind",
    "status",
    "session_id",
    "branch_id",
    "show_topic",
    "play_name",
    "attempt",
    "fingerprint",
    "reason",
    "title",
    "evidence",
    "options",
    "takes_text",
    "takes_arguments",
    "outlives",
)
_ADD = insert_statement("questions", ASKED_COLUMNS) + " ON CONFLICT (id) DO NOTHING"


def add_question(conn: Connection, question: Question) -> None:
    """Store a question; twice is once."""
    question = shortened(_with_play(conn, question), redactor().text)
    values = {name: getattr(question, name) for name in ASKED_COLUMNS}
    values |= {
        "id": check_id(question.id, "question id"),
        "kind": str(question.kind),
        "status": str(question.status),
        "evidence": dump(jsonable(question.evidence), "evidence"),
        "options": dump([option._asdict() for option in question.options], "options"),
        "takes_text": bool(question.takes_text),
        "takes_arguments": bool(question.takes_arguments),
        "outlives": bool(question.outlives),
    }
    conn.execute(_ADD, validate_row(values))


_PLAY_OF = """
SELECT s.show_topic, s.show_play_name, p.attempt FROM sessions s
  LEFT JOIN shows w ON w.topic = s.show_topic LEFT JOIN plays p ON p.show_id = w.id AND p.name = s.show_play_name
 WHERE s.id = :id AND s.show_topic IS NOT NULL
"""


def _with_play(conn: Connection, question: Question) -> Question:
    """The question of a play's agent with the play, so that it appears in the show."""
    if question.session_id is None or question.show_topic is not None:
        return question
    row = conn.one(_PLAY_OF, {"id": question.session_id})
    if row is None:
        return question
    topic, play, attempt = row
    return replace(question, show_topic=topic, play_name=play, attempt=question.attempt or attempt)


# the question of a pushed session is shown and answered on its machine
_NOT_PUSHED = "NOT EXISTS (SELECT 1 FROM pushed_sessions p WHERE p.session_id = questions.session_id)"
_SHOWN = f"""
UPDATE questions SET status = 'shown', shown_at = :at
 WHERE status = 'asked' AND id IN (SELECT value FROM json_each(:ids)) AND {_NOT_PUSHED}
"""  # noqa: S608


def mark_shown(conn: Connection, ids: Collection[str]) -> None:
    """Record that a surface has displayed these questions."""
    conn.execute(_SHOWN, {"at": time.time(), "ids": dump(list(ids), "ids")})


_ANSWER = """
UPDATE questions SET status = 'answered', answered_at = :at, answer = :answer, answered_by = :by,
  answered_from = :origin, shown_at = coalesce(shown_at, :at)
 WHERE id = :id AND is_open RETURNING id
"""


def answer_question(
    conn: Connection, question_id: str, answer: Answer, *, by: str | None, origin: Mapping[str, Any]
) -> Question:
    """Answer an open question; raises Conflict, which says who was first, when it is closed."""
    question = get_question(conn, question_id)
    refuse_pushed(conn, question.session_id, "this question", "answer")
    if question.is_open:
        question.check_answer(answer)
        if question.kind is QuestionKind.PERMISSION and answer.arguments is not None:
            _check_whole(answer.arguments)
    if not record_answer(conn, question_id, answer, by=by, origin=origin):
        raise too_late(get_question(conn, question_id))
    return get_question(conn, question_id)


def _check_whole(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are not stored as they are: the tool would run with a mark in place of a secret."""
    text = dump(dict(arguments), "arguments")
    if MARK in text or redactor().stored(text) != text:
        raise InvalidInput(
            "the changed arguments contain a secret, which is never stored, so the tool would run without it",
            hint="allow or deny the call as it is",
        )


def record_answer(
    conn: Connection, question_id: str, answer: Answer, *, by: str | None, origin: Mapping[str, Any]
) -> bool:
    """Store the answer of an open question, also one that was not offered; False when it is not open."""
    values = {
        "id": question_id,
        "at": time.time(),
        "answer": dump(answer.to_dict(), "answer"),
        "by": by,
        "origin": dump(dict(origin), "origin"),
    }
    return conn.one(_ANSWER, validate_row(values)) is not None


def too_late(question: Question) -> Conflict:
    """Why a question cannot be answered: someone was first, or it is gone."""
    if question.answered_at is not None:
        option = question.option(question.answer.option) if question.answer is not None else None
        who = f" by {question.answered_by}" if question.answered_by else ""
        name = "in words" if option is None else option.label if option.effect is Effect.REPLY else option.id
        message = f"this question was answered{who}: {name}"
    else:
        why = f": {question.closed_reason}" if question.closed_reason else ""
        message = f"this question is {question.status}{why}"
    return Conflict(message, hint=f"li ask show {question.id}")


_TAKE = """
UPDATE questions SET status = 'taken', taken_at = :at, taken_session = :session_id,
  taken_ord = (SELECT message_count - 1 FROM sessions WHERE id = :session_id)
 WHERE id = :id AND status = 'answered' RETURNING id
"""


def take_answer(conn: Connection, question_id: str, session_id: str | None) -> bool:
    """Record that an agent, or the director of a show, has the answer; False: it was taken before, so do not act."""
    values = {"id": question_id, "session_id": session_id, "at": time.time()}
    return conn.one(_TAKE, values) is not None


_TAKEN = "SELECT id, taken_ord FROM questions WHERE taken_session = :session_id AND taken_ord IS NOT NULL"
_SET_TAKEN = "UPDATE questions SET taken_ord = :ord WHERE id = :id"


def move_taken(conn: Connection, session_id: str, old: Sequence[str], new: Sequence[str]) -> None:
    """Keep the receipts of a session at their message, when messages were inserted before it."""
    places = {message_id: ord_ for ord_, message_id in enumerate(new)}
    for question_id, ord_ in conn.all(_TAKEN, {"session_id": session_id}):
        if 0 <= ord_ < len(old) and (place := places[old[ord_]]) != ord_:
            conn.execute(_SET_TAKEN, {"id": question_id, "ord": place})


_CLOSE = """
UPDATE questions SET status = :status, closed_reason = :reason
 WHERE id = :id AND is_open RETURNING id
"""


def close_question(conn: Connection, question_id: str, status: QuestionStatus, reason: str) -> bool:
    """Withdraw an open question, or record that it expired; False when it is not open."""
    return conn.one(_CLOSE, {"id": question_id, "status": str(status), "reason": reason}) is not None


_CLOSE_OF_SESSION = """
UPDATE questions SET status = 'withdrawn', closed_reason =
   CASE WHEN :died AND NOT outlives THEN :reason || ', and its agent cannot continue it' ELSE :reason END
 WHERE session_id = :session_id AND is_open AND NOT (outlives AND :died AND EXISTS
   (SELECT 1 FROM sessions WHERE id = :session_id AND invocation_kind = 'agent'))
"""


def close_questions_of(conn: Connection, session_id: str, reason: str, *, died: bool = False) -> None:
    """Withdraw what a run that ended has asked; after its process died, a question that outlives it stays.

    Only a run of one agent can be continued: a play is repeated by its show, a flow by the user.
    """
    conn.execute(_CLOSE_OF_SESSION, {"session_id": session_id, "reason": reason, "died": died})


_DROP_ANSWERS = """
UPDATE questions SET status = 'withdrawn', closed_reason = :reason
 WHERE status = 'answered' AND session_id IN (:session_id, (SELECT continues FROM sessions WHERE id = :session_id))
"""


def drop_answers_of(conn: Connection, session_id: str, reason: str) -> None:
    """Withdraw the answers that a run, or the dead one that it continued, has not taken: nothing acts on them now."""
    conn.execute(_DROP_ANSWERS, {"session_id": session_id, "reason": reason})


_GET = "SELECT * FROM questions WHERE id = :id"


def find_question(conn: Connection, question_id: str) -> Question | None:
    row = conn.first_dict(_GET, {"id": question_id})
    return None if row is None else from_row(row)


def get_question(conn: Connection, question_id: str) -> Question:
    question = find_question(conn, question_id)
    if question is None:
        raise NotFound(f"question {question_id} not found", hint="li ask ls")
    return question


_STATUS = "SELECT status FROM questions WHERE id = :id"


def status_of_question(conn: Connection, question_id: str) -> QuestionStatus:
    """The status alone: the evidence of a question may be long."""
    status = conn.value(_STATUS, {"id": question_id})
    return get_question(conn, question_id).status if status is None else QuestionStatus(status)


_SHORTEST_PREFIX = 4
_MOST_MATCHES = 10
_BY_PREFIX = """
SELECT id, status, created_at AS started_at, title AS name FROM questions
 WHERE id >= :prefix AND id < :end ORDER BY created_at DESC, id DESC LIMIT :limit
"""


def resolve_question(conn: Connection, reference: str) -> Question:
    """The question with this id, or the only one whose id starts so; Ambiguous lists those that it fits."""
    question = find_question(conn, reference)
    if question is not None:
        return question
    if len(reference) < _SHORTEST_PREFIX:
        raise NotFound(
            f"{reference!r} is too short for a question id: pass at least four characters of its start",
            hint="li ask ls",
        )
    values = {"prefix": reference, "end": reference + "\U0010ffff", "limit": _MOST_MATCHES}
    rows = conn.dicts(_BY_PREFIX, values)
    if len(rows) > 1:
        raise Ambiguous(
            f"{reference!r:.80} is the start of several question ids", hint="pass more of the id", candidates=rows
        )
    return get_question(conn, rows[0]["id"] if rows else reference)


# without the evidence, which may be long
_LISTED = """
SELECT id, created_at, kind, status, session_id, branch_id, show_topic, play_name, attempt, fingerprint, reason, title,
       CASE WHEN length(evidence) <= :most THEN evidence ELSE '{}' END AS evidence,
       options, takes_text, takes_arguments, outlives, shown_at, answered_at, answer, answered_by, answered_from,
       taken_at, taken_ord, taken_session, closed_reason
  FROM questions
"""
LISTED_EVIDENCE = 20_000  # characters; longer evidence is left out of lists
_OPEN = _LISTED + " WHERE is_open ORDER BY created_at, id LIMIT :limit"
_OPEN_OF_SESSION = _LISTED + " WHERE session_id = :session_id AND is_open ORDER BY created_at, id LIMIT :limit"
_OPEN_OF_SHOW = _LISTED + " WHERE show_topic = :topic AND is_open ORDER BY created_at, id LIMIT :limit"
_COUNT_OPEN = "SELECT count(*) FROM questions WHERE is_open"
_OF_SESSION = _LISTED + " WHERE session_id = :session_id ORDER BY created_at, id LIMIT :limit"
_OF_SHOW = _LISTED + " WHERE show_topic = :topic ORDER BY created_at, id LIMIT :limit"
_RECENT = _LISTED + " ORDER BY created_at DESC, id DESC LIMIT :limit"
_ANSWERED = _LISTED + " WHERE status = 'answered' AND session_id = :session_id ORDER BY answered_at, id LIMIT :limit"
_UNTAKEN = _LISTED + f" WHERE status = 'answered' AND {_NOT_PUSHED} ORDER BY answered_at, id LIMIT :limit"


_HAS_EVIDENCE = "SELECT evidence <> '{}' FROM questions WHERE id = :id"


def has_evidence(conn: Connection, question_id: str) -> bool:
    """Whether a question has evidence, which a list leaves out when it is long."""
    return bool(conn.value(_HAS_EVIDENCE, {"id": question_id}))


def list_open_questions(
    conn: Connection, limit: int = 1000, *, session_id: str | None = None, topic: str | None = None
) -> list[Question]:
    """The open questions of a session, of a show, or all of them, oldest first."""
    if session_id is not None:
        return _list(conn, _OPEN_OF_SESSION, session_id=session_id, limit=limit)
    if topic is not None:
        return _list(conn, _OPEN_OF_SHOW, topic=topic, limit=limit)
    return _list(conn, _OPEN, limit=limit)


_WAITING = """
SELECT session_id, title FROM questions WHERE is_open AND session_id IS NOT NULL
 ORDER BY created_at DESC, id DESC
"""
_COMPLETED = "SELECT id, kind || '  ' || title FROM questions WHERE is_open ORDER BY created_at LIMIT :limit"


def completed_questions(conn: Connection, limit: int = 200) -> list[tuple[Any, ...]]:
    """The open questions for shell completion, each with a description."""
    return conn.all(_COMPLETED, {"limit": limit})


def titles_of_waiting(conn: Connection) -> dict[str, str]:
    """The sessions that wait for a person, each with its oldest open question."""
    return {row[0]: row[1] for row in conn.all(_WAITING)}


class OpenQuestion(NamedTuple):
    """An open question, and the number of open questions that its run, play or show has beside it and later."""

    question: Question
    later: int


# an agent that asks a thousand times must not hide the questions of others
_OPEN_BY_ENTITY = f"""
SELECT * FROM (
  SELECT q.*, row_number() OVER (PARTITION BY entity ORDER BY created_at, id) AS position,
         count(*) OVER (PARTITION BY entity) AS asked
    FROM (SELECT l.*, coalesce(show_topic || '/' || coalesce(play_name, ''), session_id, id) AS entity
            FROM ({_LISTED} WHERE is_open) l) q
) o WHERE position <= :each ORDER BY created_at, id LIMIT :limit
"""  # noqa: S608


def list_open_by_entity(conn: Connection, each: int, limit: int) -> list[OpenQuestion]:
    """The first open questions of each run, play or show, oldest first."""
    rows = conn.dicts(_OPEN_BY_ENTITY, {"most": LISTED_EVIDENCE, "each": each, "limit": limit})
    return [OpenQuestion(from_row(row), row["asked"] - row["position"]) for row in rows]


def count_open_questions(conn: Connection) -> int:
    return int(conn.value(_COUNT_OPEN))


def list_questions(
    conn: Connection, *, session_id: str | None = None, topic: str | None = None, limit: int = 1000
) -> list[Question]:
    """Questions in every status: of a session or a show in their order, or the newest of all first."""
    if session_id is not None:
        return _list(conn, _OF_SESSION, session_id=session_id, limit=limit)
    if topic is not None:
        return _list(conn, _OF_SHOW, topic=topic, limit=limit)
    return _list(conn, _RECENT, limit=limit)


_UNSETTLED = """
SELECT * FROM questions
 WHERE show_topic = :topic AND session_id IS NULL AND (is_open OR status = 'answered') ORDER BY created_at, id
"""


def list_unsettled(conn: Connection, topic: str) -> list[Question]:
    """Questions of a show itself, with all of their evidence, that are open or whose answer is not carried out yet."""
    return [from_row(row) for row in conn.dicts(_UNSETTLED, {"topic": topic})]


_OF_AGENTS = """
SELECT * FROM questions
 WHERE show_topic = :topic AND session_id IS NOT NULL AND is_open ORDER BY created_at, id LIMIT 200
"""


def list_questions_of_agents(conn: Connection, topic: str) -> list[Question]:
    """The open questions of the agents of a show."""
    return [from_row(row) for row in conn.dicts(_OF_AGENTS, {"topic": topic})]


_WAITED = """
SELECT coalesce(sum(coalesce(answered_at, :now) - created_at), 0.0) FROM questions
 WHERE session_id = :session_id AND (answered_at IS NOT NULL OR is_open)
"""


def waited_seconds(conn: Connection, session_id: str, now: float) -> float:
    """The time in which a session waited for answers; questions that were open together count each."""
    return float(conn.value(_WAITED, {"session_id": session_id, "now": now}))


def list_answered(conn: Connection, session_id: str | None = None, limit: int = 1000) -> list[Question]:
    """Answers that no agent has taken yet, of one session or of all."""
    if session_id is None:
        return _list(conn, _UNTAKEN, limit=limit)
    return _list(conn, _ANSWERED, session_id=session_id, limit=limit)


def _list(conn: Connection, sql: str, **values: Any) -> list[Question]:
    return [from_row(row) for row in conn.dicts(sql, {"most": LISTED_EVIDENCE, **values})]


_JSON = ("evidence", "options", "answer", "answered_from")


def from_row(row: Mapping[str, Any]) -> Question:
    """The question of a row; a damaged JSON column is kept as text."""
    loaded = {name: load_or_keep(row[name]) if row[name] else None for name in _JSON}
    return Question.from_dict({**row, **loaded})
