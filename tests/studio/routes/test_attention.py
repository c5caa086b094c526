"""`/api/attention`: the order of a busy day, one item for one thing, snooze, and agents that flood the list."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, write
from tests.support.studio import AUTH, InProcess, application

from lionstudio.model.questions import ALLOW, DENY, AnswerOption, Effect, Question, QuestionKind
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import add_question
from lionstudio.state.exchange.refusals import MOST_ACTIONS, MOST_ROWS, Refusal, add_refusal, list_refusals
from lionstudio.state.runs.dashboard import DAY
from lionstudio.state.sessions import finish_session
from lionstudio.state.shows import put_play, put_show, transition_play
from lionstudio.studio.schemas import overview
from lionstudio.system.process_identity import identify


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as studio:
        yield studio


def ask(studio: InProcess, session: str | None, title: str = "Bash: npm test", **fields: Any) -> Question:
    question = Question(
        **{"kind": QuestionKind.PERMISSION, "reason": "Bash", "options": (ALLOW, DENY), "takes_text": True, **fields},
        title=title,
        session_id=session,
    )
    write(studio.services.db.database(), add_question, question)
    return question


def items(studio: InProcess) -> list[dict[str, Any]]:
    result = studio.get("/api/attention")
    overview.Attention.model_validate(result, strict=True)
    listed: list[dict[str, Any]] = result["items"]
    return listed


def test_attention_shows_the_error_of_an_imported_run(studio: InProcess) -> None:
    db, now = studio.services.db.database(), time.time()
    begin(db, created_at=now, metadata={"mirror": {"failed": "API Error: 529 overloaded"}})
    write(db, finish_session, "s", "failed", reasons=["run.failed.provider_error"])

    assert [item["evidence"] for item in items(studio)] == ["API Error: 529 overloaded"]


def test_attention_of_a_busy_day_lists_questions_first(studio: InProcess) -> None:
    db, now = studio.services.db.database(), time.time()
    for number in range(100):
        begin(db, f"failed{number}", created_at=now, agent_name="worker")
        detail = f"cannot open /tmp/{number}\n  at line {number}"
        write(db, finish_session, f"failed{number}", "failed", exit_code=1, detail=detail, reasons=())
    write(db, put_show, Show(id="show", topic="calc", show_dir="/nowhere"))
    for name in ("add", "mul"):
        write(db, put_play, Play(id=name, show_id="show", name=name, status=PlayStatus.ESCALATED))
    begin(db, "dead", created_at=now, last_message_at=now, owner={**identify()._asdict(), "start_ticks": 1})
    for number in range(3):
        begin(
            db, f"asks{number}", created_at=now, last_message_at=now, owner=identify()._asdict(), name=f"ask {number}"
        )
        ask(studio, f"asks{number}", created_at=now - number)

    listed = items(studio)

    assert [item["rank"] for item in listed] == [1] * 3 + [2] * 2 + [3] + [4] * 100
    assert [item["title"] for item in listed[:3]] == ["ask 2", "ask 1", "ask 0"]  # who waits longest is first
    assert [item["evidence"] for item in listed[:3]] == ["Bash: npm test"] * 3
    assert len({item["cluster"] for item in listed[:3]}) == 1
    assert listed[5]["code"] == "run.health.process_dead"
    assert {item["evidence"] for item in listed[6:]} >= {"exit code 1: cannot open /tmp/7"}
    assert len({item["cluster"] for item in listed[6:]}) == 1


def test_attention_of_a_question_offers_its_answers(studio: InProcess) -> None:
    now = time.time()
    begin(studio.services.db.database(), "s", last_message_at=now, owner=identify()._asdict())
    question = ask(studio, "s", options=(ALLOW, AnswerOption("redo", "Redo", Effect.DENY, True, "starts again")))

    [item] = items(studio)

    assert (item["question"], item["session_id"], item["kind"]) == (question.id, "s", "question")
    allow, redo = item["actions"]
    assert (redo["what"], redo["fields"][0]["required"]) == ("starts again", True)
    assert redo["command"].startswith(f"li ask answer {question.id} redo --text TEXT")
    answer = studio.client.post(redo["path"], headers=AUTH, json=redo["body"])
    assert (answer.status_code, answer.json()["hint"]) == (400, "starts again")  # without the words
    assert studio.client.post(allow["path"], headers=AUTH, json=allow["body"]).status_code == 200
    assert items(studio) == []


def test_attention_lists_a_play_once(studio: InProcess) -> None:
    db, now = studio.services.db.database(), time.time()
    begin(db, "run", created_at=now, show_topic="calc", show_play_name="add", invocation_kind="show-play")
    write(db, put_show, Show(id="show", topic="calc", show_dir="/nowhere"))
    play = Play(id="add", show_id="show", name="add", status=PlayStatus.GATED, session_id="run")
    write(db, put_play, play)
    assert [item["kind"] for item in items(studio)] == ["play"]  # a show without rows of questions

    ask(studio, "run", "add passed", kind=QuestionKind.GATE, show_topic="calc", play_name="add")

    [item] = items(studio)
    assert (item["kind"], item["rank"], item["title"], item["play"]) == ("question", 1, "calc / add", "add")


def test_attention_leaves_out_an_ended_run_that_another_one_continues(studio: InProcess) -> None:
    db, now = studio.services.db.database(), time.time()
    died = {**identify()._asdict(), "start_ticks": 1}
    for name, fields in (("failed", {}), ("dead", {"last_message_at": now, "owner": died})):
        begin(db, name, created_at=now, **fields)
    write(db, finish_session, "failed", "failed", exit_code=1, reasons=())
    begin(db, "alive", created_at=now, last_message_at=now - 10 * DAY, owner=identify()._asdict())
    assert {item["session_id"] for item in items(studio)} == {"failed", "dead", "alive"}

    for name in ("failed", "dead", "alive"):
        begin(db, f"after {name}", created_at=now, last_message_at=now, owner=identify()._asdict(), continues=name)

    assert [item["session_id"] for item in items(studio)] == ["alive"]  # it runs: what it needs is not settled
    write(db, finish_session, "after failed", "failed", exit_code=1, reasons=())
    assert {item["session_id"] for item in items(studio)} == {"alive", "after failed"}


def test_attention_of_an_agent_that_floods_leaves_room_for_others(studio: InProcess) -> None:
    db = studio.services.db.database()
    for name in ("flood", "quiet"):
        begin(db, name, owner=identify()._asdict())

    def flood(conn: Connection) -> None:
        for number in range(3000):
            add_question(conn, Question(kind=QuestionKind.PERMISSION, title=f"Bash: {number}", session_id="flood"))

    db.write(flood)
    last = ask(studio, "quiet")

    listed = items(studio)

    assert len(listed) == 21
    assert listed[-1]["question"] == last.id
    assert [item["count"] for item in listed] == [1] * 19 + [3000 - 19, 1]


def test_snoozed_item_returns_after_its_time_or_when_its_state_changes(studio: InProcess) -> None:
    db = studio.services.db.database()
    write(db, put_show, Show(id="show", topic="t", show_dir="/nowhere"))
    write(db, put_play, Play(id="play", show_id="show", name="p", status=PlayStatus.ESCALATED))
    [item] = items(studio)
    path = f"/api/attention/{item['id']}/snooze"

    answer = studio.client.post(path, headers=AUTH, json={"seconds": 3600}).json()
    [snoozed] = items(studio)
    assert (snoozed["dismissed"], snoozed["snoozed_until"]) == (False, answer["snoozed_until"])
    assert 3500 < answer["snoozed_until"] - time.time() <= 3600
    studio.client.post(path, headers=AUTH, json={"seconds": 0.01})
    time.sleep(0.02)
    assert items(studio)[0]["snoozed_until"] is None
    studio.client.post(path, headers=AUTH, json={"seconds": 3600})
    for status in (PlayStatus.REDOING, PlayStatus.ESCALATED):
        write(db, transition_play, "show", "p", status)
    assert items(studio)[0]["snoozed_until"] is None
    assert studio.client.delete(f"/api/attention/{item['id']}/dismiss", headers=AUTH).status_code == 200
    for seconds in (0, -1, 1e12, "soon"):
        assert studio.client.post(path, headers=AUTH, json={"seconds": seconds}).status_code == 422
    assert studio.client.post("/api/attention/x:y:z/snooze", headers=AUTH, json={"seconds": 9}).status_code == 404


def test_refusals_are_bounded_and_return_when_their_number_doubles(studio: InProcess) -> None:
    db = studio.services.db.database()
    begin(db, "s", owner=identify()._asdict())
    for number in range(50):
        write(db, add_refusal, Refusal("evil", f"li show approve calc {number % 20} {'x' * 5000}", "why", "s"))

    listed = [item for item in items(studio) if item["kind"] == "refused"]

    assert len(listed) == MOST_ACTIONS + 1
    assert {item["rank"] for item in listed} == {3}
    assert sum(item["count"] for item in listed) == 50
    assert all(len(row["action"]) <= 300 for row in write(db, list_refusals, 100))
    one = next(item for item in listed if "calc 0 " in item["evidence"])
    studio.client.post(f"/api/attention/{one['id']}/dismiss", headers=AUTH, json={})

    def is_dismissed() -> bool:
        return next(bool(item["dismissed"]) for item in items(studio) if item["id"] == one["id"])

    assert is_dismissed()
    assert one["count"] == 3
    write(db, add_refusal, Refusal("evil", f"li show approve calc 0 {'x' * 5000}", "why", "s"))
    assert not is_dismissed()
    for number in range(MOST_ROWS + 20):
        write(db, add_refusal, Refusal(f"agent {number}", "approve", "why"))
    assert len(write(db, list_refusals, 10_000)) == MOST_ROWS
