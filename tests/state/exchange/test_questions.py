"""Questions: one row, one answer, one taking of it; a run waits as long as one of its questions is open."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.support.builders import begin

from lionstudio.errors import Conflict, InvalidInput, NotFound
from lionstudio.model.questions import (
    ALLOW,
    DENY,
    MAX_OPTIONS,
    Answer,
    AnswerOption,
    Question,
    QuestionKind,
    QuestionStatus,
    replies,
)
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import (
    LISTED_EVIDENCE,
    add_question,
    answer_question,
    close_question,
    count_open_questions,
    get_question,
    list_answered,
    list_open_questions,
    mark_shown,
    move_taken,
    take_answer,
)
from lionstudio.state.sessions import finish_session

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return Database(str(tmp_path / "state.db"))


def permission(session_id: str, **changes: object) -> Question:
    values: dict[str, object] = {
        "kind": QuestionKind.PERMISSION,
        "title": "Bash: npm test",
        "reason": "Bash",
        "session_id": session_id,
        "evidence": {"tool": "Bash", "arguments": {"command": "npm test"}},
        "options": (ALLOW, DENY),
        "takes_text": True,
    }
    return Question(**values | changes)  # type: ignore[arg-type]


def ask(db: Database, question: Question) -> Question:
    db.write(lambda conn: add_question(conn, question))
    return question


def answer(db: Database, question: Question, option: str = "allow") -> Question:
    return db.write(lambda conn: answer_question(conn, question.id, Answer(option), by="ada", origin={"tty": "1"}))


def health(db: Database) -> object:
    return db.conn.value("SELECT health FROM sessions")


def test_question_is_read_as_it_was_asked(db: Database) -> None:
    question = ask(db, permission(begin(db).session_id))

    assert db.read(lambda conn: get_question(conn, question.id)) == question
    assert db.read(list_open_questions) == [question]
    assert question.fingerprint == f"permission:{question.session_id}:Bash"


def test_asking_twice_is_once(db: Database) -> None:
    question = permission(begin(db).session_id)
    ask(db, question)
    answer(db, question)
    ask(db, question)

    assert db.read(lambda conn: get_question(conn, question.id)).status is QuestionStatus.ANSWERED


def test_run_waits_until_its_last_question_is_closed(db: Database) -> None:
    run = begin(db).session_id
    first, second = ask(db, permission(run)), ask(db, permission(run))
    assert health(db) == "waiting"
    answer(db, first)
    assert health(db) == "waiting"
    db.write(lambda conn: close_question(conn, second.id, QuestionStatus.WITHDRAWN, "interrupted"))
    assert health(db) is None


def test_answer_records_who_and_where(db: Database) -> None:
    question = ask(db, permission(begin(db).session_id))
    db.write(lambda conn: mark_shown(conn, [question.id]))
    answered = answer(db, question, "deny")

    assert (answered.answer, answered.answered_by, answered.answered_from) == (Answer("deny"), "ada", {"tty": "1"})
    assert answered.shown_at is not None


def test_second_answer_is_told_who_was_first(db: Database) -> None:
    question = ask(db, permission(begin(db).session_id))
    answer(db, question, "deny")

    with pytest.raises(Conflict, match="answered by ada: deny"):
        answer(db, question)
    assert db.read(lambda conn: get_question(conn, question.id)).answer == Answer("deny")


def test_first_of_many_answers_wins(tmp_path: Path) -> None:
    path = str(tmp_path / "state.db")
    with Database(path) as db:
        question = ask(db, permission(begin(db).session_id))
    outcomes: list[str] = []
    start = threading.Barrier(6)

    def try_to_answer(name: str) -> None:
        with Database(path) as other:
            start.wait()
            try:
                other.write(lambda conn: answer_question(conn, question.id, Answer("allow"), by=name, origin={}))
                outcomes.append(name)
            except Conflict as error:
                outcomes.append(error.message)

    threads = [threading.Thread(target=try_to_answer, args=(f"person {number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [winner] = [outcome for outcome in outcomes if outcome.startswith("person")]
    assert sorted(outcomes)[1:] == [f"this question was answered by {winner}: allow"] * 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Answer("maybe"), "'maybe' is not an answer"),
        (Answer(), "the answer is empty"),
        (Answer("allow", arguments={"command": "ls"}), "arguments of this call cannot be changed"),
    ],
)
def test_answer_that_was_not_offered_is_refused(db: Database, given: Answer, message: str) -> None:
    question = ask(db, permission(begin(db).session_id))

    with pytest.raises(InvalidInput, match=message):
        db.write(lambda conn: answer_question(conn, question.id, given, by=None, origin={}))
    assert db.read(list_open_questions) == [question]


def test_answer_to_a_question_that_never_was_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound, match="question q not found"):
        db.write(lambda conn: answer_question(conn, "q", Answer("allow"), by=None, origin={}))


def test_answer_is_taken_once(db: Database) -> None:
    run = begin(db).session_id
    question = ask(db, permission(run))
    answer(db, question)
    assert [item.id for item in db.read(list_answered)] == [question.id]

    taken = [db.write(lambda conn: take_answer(conn, question.id, run)) for _ in range(2)]

    assert taken == [True, False]
    assert db.read(list_answered) == []


def test_receipt_that_moves_is_a_change(db: Database) -> None:
    question = ask(db, permission(begin(db).session_id))
    answer(db, question)
    db.write(lambda conn: take_answer(conn, question.id, question.session_id))
    db.write(lambda conn: conn.execute("UPDATE questions SET taken_ord = 0"))
    seq = db.conn.value("SELECT max(seq) FROM changes")
    db.write(lambda conn: move_taken(conn, str(question.session_id), ["call"], ["context", "call"]))

    assert db.read(lambda conn: get_question(conn, question.id)).taken_ord == 1
    told = db.conn.value(
        "SELECT count(*) FROM changes WHERE seq > :seq AND entity_id = :id", {"seq": seq, "id": question.id}
    )
    assert told == 1  # pages that show the receipt read it again


@pytest.mark.parametrize(
    ("kind", "status", "reasons", "outlives", "expected"),
    [
        ("agent", "failed", ["run.failed.process_dead"], True, QuestionStatus.ASKED),
        ("agent", "failed", ["run.failed.process_dead"], False, QuestionStatus.WITHDRAWN),
        ("show-play", "failed", ["run.failed.process_dead"], True, QuestionStatus.WITHDRAWN),
        ("agent", "cancelled", ["run.cancelled.orchestrator"], True, QuestionStatus.ASKED),
        ("agent", "aborted", ["run.aborted.interrupt"], True, QuestionStatus.WITHDRAWN),
    ],
)
def test_question_of_an_ended_run(
    db: Database, kind: str, status: str, reasons: list[str], outlives: bool, expected: QuestionStatus
) -> None:
    run = begin(db, invocation_kind=kind).session_id
    question = ask(db, permission(run, outlives=outlives))
    db.write(lambda conn: finish_session(conn, run, status, reasons=reasons))

    assert db.read(lambda conn: get_question(conn, question.id)).status is expected


def test_list_leaves_out_long_evidence(db: Database) -> None:
    long = {"tool": "Write", "arguments": {"content": "word " * LISTED_EVIDENCE}}
    question = ask(db, permission(begin(db).session_id, evidence=long))

    assert db.read(list_open_questions)[0].evidence == {}
    assert db.read(lambda conn: get_question(conn, question.id)).evidence == long


def test_secrets_are_redacted(db: Database) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    question = ask(db, permission(begin(db).session_id, title=f"Bash: curl {secret}", evidence={"text": secret}))
    stored = db.read(lambda conn: get_question(conn, question.id))

    assert secret not in f"{stored.title} {stored.evidence}"


def test_count_of_open_questions(db: Database) -> None:
    run = begin(db).session_id
    for _ in range(3):
        ask(db, permission(run))
    answer(db, db.read(list_open_questions)[0])

    def count(conn: Connection) -> int:
        return count_open_questions(conn)

    assert db.read(count) == 2


def test_question_of_any_size_is_short_in_lists(db: Database) -> None:
    begin(db, "s")
    labels = ["x " * 2_000_000, *map(str, range(100_000))]
    options = (*replies(labels), AnswerOption("i" * 1000, "too long"), DENY)
    ask(db, permission("s", title="t " * 1_000_000, reason="r " * 1_000_000, options=options))

    [listed] = db.read(list_open_questions)
    assert len(str(listed.to_dict())) < 20_000
    assert len(listed.options) == MAX_OPTIONS + 1
    assert listed.options[-1] == DENY


def test_question_with_arguments_that_are_not_json_is_asked(db: Database) -> None:
    begin(db, "s")
    deep: dict[str, object] = {}
    for _ in range(300):
        deep = {"in": deep}
    ask(db, permission("s", evidence={"tool": "Bash", "arguments": {"deep": deep, "number": float("nan")}}))

    [asked] = db.read(list_open_questions)
    assert asked.evidence["arguments"]["number"] == "nan"
    assert "nested too deeply" in str(asked.evidence)


@pytest.mark.parametrize("before", range(250, 300, 7))
def test_half_a_secret_is_redacted(db: Database, before: int) -> None:
    begin(db, "s")
    text = f"{'x ' * (before // 2)}{TOKEN}"
    question = ask(db, permission("s", title=text, options=(AnswerOption("1", text), DENY)))

    stored = str(db.read(lambda conn: get_question(conn, question.id)).to_dict())
    assert TOKEN[:8] not in stored


@pytest.mark.parametrize("secret", ["TOKEN", "[REDACTED:github:12345678]"])
def test_changed_arguments_with_a_secret_are_refused(db: Database, secret: str) -> None:
    begin(db, "s")
    question = ask(db, permission("s", takes_arguments=True))
    arguments = {"command": f"git push https://{secret.replace('TOKEN', TOKEN)}@github.com"}

    with pytest.raises(InvalidInput, match="contain a secret"):
        db.write(lambda conn: answer_question(conn, question.id, Answer("allow", None, arguments), by="ada", origin={}))
    assert db.read(lambda conn: get_question(conn, question.id)).is_open
