"""`/api/questions` and `/api/sessions/{id}/inbox`: answer agents, and write to them while they run."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.agents.dialog import Delivery, deliveries_of
from lionstudio.errors import Busy, Conflict, LionError
from lionstudio.model.messages import Message
from lionstudio.model.questions import Answer, Question
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.talk.send import send_to_session
from lionstudio.show_sync.questions import decision_of
from lionstudio.state.connection import Connection
from lionstudio.state.exchange import questions
from lionstudio.state.exchange.mailboxes import list_receipts
from lionstudio.state.hub.machines import find_pushing_machine, pushing_machines
from lionstudio.state.runs.page_queries import session_names
from lionstudio.state.sessions import get_session
from lionstudio.state.transitions import user_name
from lionstudio.studio.dead_runs import continue_run
from lionstudio.studio.http.caller import ORIGIN
from lionstudio.studio.http.error_responses import error_response
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.launch.launcher import last_error, read_output
from lionstudio.studio.launch.policy import show_argv
from lionstudio.studio.schemas import questions as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services

router = LazyRouter(tags=["questions"])
_ANSWER_SECONDS = 30.0  # for the command that decides about a show
_AS_BEFORE: dict[int | str, dict[str, Any]] = {304: {"description": "as before"}}


@router.get("/api/questions", response_model=schemas.QuestionList, responses={**_AS_BEFORE, **problems()})
async def list_questions(
    request: Request,
    status: Literal["open", "all"] = "open",
    session: Annotated[str | None, Query(max_length=200)] = None,
    show: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """List what waits for a person, oldest first; with `all`, answered and withdrawn questions too."""

    def work(conn: Connection) -> bytes:
        find = questions.list_open_questions if status == "open" else questions.list_questions
        listed = find(conn, session_id=session, topic=show, limit=limit)
        views = question_views(conn, listed)
        return encode_json({"questions": views, "open": questions.count_open_questions(conn)})

    return cacheable_response(request, *services(request).db.read(work))


@router.get("/api/questions/{question_id}", response_model=schemas.QuestionDetail, responses=problems())
async def get_question(request: Request, question_id: str) -> Response:
    """Get a question with all of its evidence."""

    def work(conn: Connection) -> dict[str, Any]:
        return question_views(conn, [questions.get_question(conn, question_id)])[0]

    view, seq = services(request).db.read(work)
    return json_response({"question": view}, seq)


@router.post("/api/questions/shown", response_model=schemas.QuestionList, responses=problems())
async def mark_questions_shown(request: Request, payload: schemas.ShownQuestions) -> Response:
    """Record that a page displays these questions."""

    def work(conn: Connection) -> dict[str, Any]:
        questions.mark_shown(conn, payload.ids)
        open_ones = questions.list_open_questions(conn)
        return {"questions": question_views(conn, open_ones), "open": questions.count_open_questions(conn)}

    app = services(request)
    return json_response(await asyncio.to_thread(app.db.database().write, work), app.db.seq())


@router.post(
    "/api/questions/{question_id}/answer", response_model=schemas.QuestionDetail, responses=problems(403, 409, 429)
)
async def answer_question(request: Request, question_id: str, payload: schemas.NewAnswer) -> Response:
    """Answer a question; 409 with who was first when it is closed."""
    app = services(request)
    answer = Answer(payload.option, payload.text, payload.arguments)
    asked, _ = app.db.read(lambda conn: questions.get_question(conn, question_id))
    if asked.is_about_show:
        return await decide_about_show(app, asked, answer, request.scope.get(ORIGIN))
    origin = {"surface": "page", **(request.scope.get(ORIGIN) or {})}

    def work(conn: Connection) -> dict[str, Any]:
        answered = questions.answer_question(conn, question_id, answer, by=user_name(), origin=origin)
        return question_views(conn, [answered])[0]

    view = await asyncio.to_thread(app.db.database().write, work)
    if view["outlives"] and view["session_id"]:
        with suppress(LionError):  # the answer is stored; Studio tries again
            await asyncio.to_thread(continue_run, app, view["session_id"])
    return json_response({"question": view}, app.db.seq())


async def decide_about_show(app: Services, asked: Question, answer: Answer, origin: Any) -> Response:
    """Answer the question of a show: `li show` decides, with its checks; the question records the result."""
    if not asked.is_open:
        raise questions.too_late(asked)
    decision = decision_of(asked, answer)
    argv = show_argv(*decision, question=asked.id)
    try:
        options = {"topic": decision.topic, "play": decision.play}
        started = app.launcher.start_command("show", decision.action, argv, options=options, origin=origin)
    except Busy as error:
        return error_response(error, 429)
    app.audit_log.write("launched", id=started.id, verb="show", action=decision.action)
    await asyncio.to_thread(app.launcher.wait, started, _ANSWER_SECONDS)
    now, seq = app.db.read(lambda conn: questions.get_question(conn, asked.id))
    if started.process.poll():
        if not now.is_open:
            raise questions.too_late(now)
        raise Conflict(last_error(read_output(started)), hint=f"li show status {decision.topic}")
    view, seq = app.db.read(lambda conn: question_views(conn, [now])[0])
    return json_response({"question": view}, seq)


@router.get("/api/sessions/{session_id}/inbox", response_model=schemas.SessionInbox, responses=problems())
async def get_inbox(request: Request, session_id: str) -> Response:
    """List the messages to a session with their receipts."""

    def work(conn: Connection) -> dict[str, Any]:
        session = get_session(conn, session_id)
        running = session.status is SessionStatus.RUNNING
        is_pushed = find_pushing_machine(conn, session_id) is not None
        return {
            "messages": [
                _receipt(receipt.message, receipt.taken_ord) for receipt in list_receipts(conn, session.id, session.id)
            ],
            "deliveries": list(deliveries_of(session)) if running and not is_pushed else [],
        }

    inbox, seq = services(request).db.read(work)
    return json_response(inbox, seq)


@router.post(
    "/api/sessions/{session_id}/inbox",
    status_code=201,
    response_model=schemas.SentToSession,
    responses=problems(403, 409),
)
async def send_message(request: Request, session_id: str, payload: schemas.NewSessionMessage) -> Response:
    """Write to a running agent; 409 when the run has ended."""
    app = services(request)
    delivery = None if payload.delivery is None else Delivery(payload.delivery)

    def work(conn: Connection) -> Message:
        return send_to_session(conn, session_id, payload.text, sender=user_name() or "user", delivery=delivery)

    message = await asyncio.to_thread(app.db.database().write, work)
    return json_response({"message": _receipt(message, None)}, app.db.seq(), status=201)


def question_views(conn: Connection, listed: list[Question]) -> list[dict[str, Any]]:
    """Questions with the names of their runs."""
    sessions = {question.session_id for question in listed if question.session_id}
    names, machines = session_names(conn, sessions), pushing_machines(conn, sessions)
    return [
        question.to_dict()
        | {
            "session_name": names.get(question.session_id or ""),
            "machine": machines.get(question.session_id or ""),
            "evidence_cut": not question.evidence and questions.has_evidence(conn, question.id),
        }
        for question in listed
    ]


def _receipt(message: Message, taken_ord: int | None) -> dict[str, Any]:
    return {
        "id": message.id,
        "created_at": message.created_at,
        "sender": message.sender,
        "text": message.text,
        "delivery": message.metadata.get("delivery"),
        "taken_ord": taken_ord,
    }
