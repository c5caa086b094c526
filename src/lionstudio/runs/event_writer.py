"""Write an event to the database: the rows of one live or spooled event, inside a transaction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, assert_never

from lionstudio.agents.events import (
    MAIN,
    AnswerTaken,
    Ended,
    Event,
    LaneOpened,
    MessageEvent,
    MetadataEvent,
    QuestionAsked,
    QuestionClosed,
    TextDelta,
)
from lionstudio.errors import InvalidInput
from lionstudio.model.branches import Branch
from lionstudio.model.json_codec import dump, jsonable
from lionstudio.model.messages import Message
from lionstudio.model.questions import Question, QuestionStatus
from lionstudio.state import branches, sessions
from lionstudio.state.connection import Connection
from lionstudio.state.exchange import questions
from lionstudio.state.messages.append import append


class LaneBranches:
    """The branch of each lane of a run; a sub-agent's branch has an id before it has a row."""

    def __init__(self, session_id: str, main_branch: str) -> None:
        self.session_id = session_id
        self._branches = {MAIN: main_branch}

    def branch_of(self, lane: str) -> str:
        """The branch of a lane; a lane that was never opened uses the main branch."""
        return self._branches.get(lane) or self._branches[MAIN]

    def open(self, event: LaneOpened) -> Branch:
        """Assign a branch to a sub-agent's lane."""
        metadata = {"lane": event.lane, "parent": self.branch_of(MAIN), **jsonable(event.metadata)}
        branch = Branch(session_id=self.session_id, name=event.name, metadata=metadata)
        self._branches[event.lane] = branch.id
        return branch


class BoundEvent:
    """An event bound to its branch; writing it twice is the same as writing it once."""

    def __init__(self, lanes: LaneBranches, event: Event) -> None:
        self.event = event
        self._session_id = lanes.session_id
        self._opened = lanes.open(event) if isinstance(event, LaneOpened) else None
        self._branch_id = lanes.branch_of(
            event.lane if isinstance(event, (MessageEvent, LaneOpened, TextDelta)) else MAIN
        )

    def write(self, conn: Connection) -> None:
        match self.event:
            case MessageEvent(message=message):
                append(conn, self._branch_id, message, late=True)
            case LaneOpened():
                assert self._opened is not None
                if branches.find_branch(conn, self._opened.id) is None:
                    branches.create_branch(conn, self._opened)
            case MetadataEvent(facts=facts):
                branches.add_metadata(conn, self._branch_id, jsonable(facts))
                sessions.add_metadata(conn, self._session_id, jsonable(facts))
            case QuestionAsked(question=question):
                questions.add_question(conn, self._addressed(question))
            case AnswerTaken(question_id=question_id):
                questions.take_answer(conn, question_id, self._session_id)
            case QuestionClosed(question_id=question_id, status=status, reason=reason):
                questions.close_question(conn, question_id, status, reason)
            case TextDelta() | Ended():
                pass
            case _:
                assert_never(self.event)

    def _addressed(self, question: Question) -> Question:
        return replace(question, session_id=self._session_id, branch_id=question.branch_id or self._branch_id)

    def stringify_content(self) -> BoundEvent:
        """Replace content that cannot be stored with its text; returns itself."""
        if isinstance(self.event, MessageEvent):
            self.event = MessageEvent(_storable(self.event.message), self.event.lane)
        return self

    def to_dict(self) -> dict[str, Any]:
        """The record for the spool, complete enough for another process to write it."""
        record: dict[str, Any] = {"session_id": self._session_id, "branch_id": self._branch_id}
        match self.event:
            case MessageEvent(message=message):
                record["message"] = message.to_dict("json")
            case LaneOpened():
                assert self._opened is not None
                record["branch"] = self._opened.to_dict("json")
            case MetadataEvent(facts=facts):
                record["facts"] = jsonable(facts)
            case QuestionAsked(question=question):
                record["question"] = self._addressed(question).to_dict()
            case AnswerTaken(question_id=question_id):
                record["taken"] = question_id
            case QuestionClosed():
                record["closed"] = list(self.event)
            case _:
                pass
        return record


def _storable(message: Message) -> Message:
    try:
        dump(message.content), dump(dict(message.metadata))
    except InvalidInput as error:
        return replace(message, content={"raw": _repr(message.content)}, metadata={"refused": error.message})
    return message


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except RecursionError:
        return "(nested too deeply to be written down)"


def write_spooled(conn: Connection, record: dict[str, Any]) -> None:
    """Write the rows of one spool record."""
    if "message" in record:
        append(conn, record["branch_id"], Message.from_dict(record["message"]), late=True)
    elif "branch" in record:
        branch = Branch.from_dict(record["branch"])
        if branches.find_branch(conn, branch.id) is None:
            branches.create_branch(conn, branch)
    elif "facts" in record:
        branches.add_metadata(conn, record["branch_id"], record["facts"])
        sessions.add_metadata(conn, record["session_id"], record["facts"])
    elif "question" in record:
        questions.add_question(conn, Question.from_dict(record["question"]))
    elif "taken" in record:
        questions.take_answer(conn, record["taken"], record["session_id"])
    elif "closed" in record:
        question_id, status, reason = record["closed"]
        questions.close_question(conn, question_id, QuestionStatus(status), reason)
    elif "ended" in record:
        session = sessions.get_session(conn, record["session_id"])
        if session.status == "running" or session.status != record["ended"]["status"]:  # the same end twice is one
            sessions.finish_session(conn, session.id, **record["ended"])
