"""Shows ask by rows of `questions`: with evidence, answered once, on any surface, and never by an agent."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.commands import LI
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.studio import AUTH, application, server

from lionstudio.cli._show.answer import answer_show_question
from lionstudio.errors import Conflict, InvalidInput
from lionstudio.model.questions import Answer, Question, QuestionKind, QuestionStatus
from lionstudio.show_sync.drift import show_drift
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.state.database import Database, reading
from lionstudio.state.exchange.questions import answer_question, get_question, list_questions

PERSON = {"gates": [{"command": ["test", "-f", "a.txt"]}, {"person": True, "prompt": "Is the name right?"}]}
FAILING = {"gates": [{"command": ["test", "-f", "wanted"]}], "max_attempts": 1}


def rows(harness: ShowHarness) -> list[Question]:
    with reading(str(harness.home / "state.db")) as conn:
        return [get_question(conn, row.id) for row in list_questions(conn, topic=TOPIC)]


def open_question(harness: ShowHarness) -> Question:
    [question] = [question for question in rows(harness) if question.is_open]
    return question


def waiting(harness: ShowHarness, **play: Any) -> Question:
    """Direct a show to the point where its play waits for a person."""
    harness.write_plan({"a": {"prompt": "@write a.txt a", **(play or PERSON)}})
    harness.direct()
    return open_question(harness)


def test_gate_of_a_person_asks_with_all_evidence(harness: ShowHarness) -> None:
    question = waiting(harness)

    assert (question.kind, question.show_topic, question.play_name, question.attempt) == ("gate", TOPIC, "a", 1)
    assert question.title == "a waits for your approval: Is the name right?"
    evidence = question.evidence
    assert evidence["question"] == "Is the name right?"
    assert [(check["title"], check["passed"]) for check in evidence["checks"]] == [("test -f a.txt", True)]
    assert evidence["subject"] == {"attempt": 1, "head": harness.meta("a")["head"]}
    assert [(file["path"], file["additions"]) for file in evidence["files"]] == [("a.txt", 1)]
    effects = {option.id: (option.effect, option.needs_text) for option in question.options}
    assert effects["approve"] == ("allow", False)
    assert effects["reject"] == ("deny", True)
    harness.direct()  # another director asks the same question, not a second one
    assert [row.id for row in rows(harness)] == [question.id]
    assert harness.li("show", "approve", TOPIC, "a").code == 0
    answered = rows(harness)[0]
    assert (answered.status, answered.answer) == (QuestionStatus.ANSWERED, Answer("approve"))
    assert answered.answered_from is not None
    assert answered.answered_from["via"] == "cli"
    assert harness.direct() == "completed"
    assert rows(harness)[0].status is QuestionStatus.TAKEN
    harness.assert_consistent()


def test_escalation_asks_again_after_every_attempt(harness: ShowHarness) -> None:
    question = waiting(harness, **FAILING)

    assert (question.kind, question.reason) == (QuestionKind.ESCALATION, "escalated")
    assert question.evidence["checks"][0]["passed"] is False
    assert harness.li("show", "redo", TOPIC, "a", "--feedback", "write wanted").code == 0
    harness.direct()
    first, second = rows(harness)
    assert (first.status, first.answer) == (QuestionStatus.TAKEN, Answer("redo", "write wanted"))
    assert (second.is_open, second.attempt) == (True, 2)
    assert [told["attempt"] for told in second.evidence["feedback"]] == [1, 2]


def test_abort_withdraws_the_questions(harness: ShowHarness) -> None:
    waiting(harness)
    (harness.show_dir / "_ABORT").write_text("")
    harness.direct()

    [question] = rows(harness)
    assert question.status is QuestionStatus.WITHDRAWN
    assert question.closed_reason is not None
    assert question.closed_reason.startswith("the play is")


def test_exhausted_budget_is_raised_by_an_answer(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@usage 500 500\n@say spent\n@write a.txt a", "b": {"prompt": "@write b.txt b", "depends_on": ["a"]}},
        budget={"tokens": 100},
    )
    harness.direct()

    question = open_question(harness)
    assert (question.kind, question.reason) == (QuestionKind.BUDGET, "tokens")
    assert (question.evidence["used"]["tokens"], question.evidence["limit"]["tokens"]) == (1000, 100)
    with application(harness.root) as studio:
        path = f"/api/questions/{question.id}/answer"
        assert studio.client.post(path, headers=AUTH, json={"option": "raise"}).status_code == 400
        bad = studio.client.post(path, headers=AUTH, json={"option": "raise", "text": "many"})
        assert (bad.status_code, open_question(harness).id) == (409, question.id), bad.text
        good = studio.client.post(path, headers=AUTH, json={"option": "raise", "text": "5000"})
        assert good.status_code == 200, good.text
    harness.wait_until(lambda: harness.statuses().get("b") == "merged")
    harness.wait_until_director_exits()
    assert rows(harness)[0].status is QuestionStatus.TAKEN


def test_held_plan_asks_until_it_is_undone(harness: ShowHarness) -> None:
    waiting(harness)
    plan = (harness.show_dir / "_show.md").read_text()
    (harness.show_dir / "_show.md").write_text(
        plan.replace('"command"', '"timeout": 5, "command"', 1).replace("test -f", "true")
    )
    weaker = json.loads(plan.split("---")[1])
    weaker["plays"][0]["gates"] = []
    (harness.show_dir / "_show.md").write_text(f"---\n{json.dumps(weaker)}\n---\n")
    harness.direct()

    [held] = [row for row in rows(harness) if row.is_open and row.play_name is None]
    assert (held.kind, held.reason) == (QuestionKind.ESCALATION, "held")
    assert held.evidence["held"]
    (harness.show_dir / "_show.md").write_text(plan)
    harness.direct()
    [after] = [row for row in rows(harness) if row.id == held.id]
    assert after.status is QuestionStatus.WITHDRAWN


def test_answers_on_all_surfaces_race_to_one_outcome(harness: ShowHarness) -> None:
    question = waiting(harness)
    with server(harness.root) as studio:
        start, results = threading.Barrier(6), list[tuple[str, bool, str]]()

        def run(name: str, work: Callable[[], tuple[bool, str]]) -> None:
            start.wait()
            results.append((name, *work()))

        def command(*words: str) -> Callable[[], tuple[bool, str]]:
            def work() -> tuple[bool, str]:
                result = harness.li("show", *words)
                return result.code == 0, result.err

            return work

        def post(path: str, body: dict[str, Any]) -> Callable[[], tuple[bool, str]]:
            def work() -> tuple[bool, str]:
                status, answer = studio.ask("POST", path, body)
                won = status == 200 or (status == 201 and answer["launch"]["exit_code"] == 0)
                return won, json.dumps(answer)

            return work

        answer, actions = f"/api/questions/{question.id}/answer", f"/api/shows/{TOPIC}/actions"
        threads = [
            threading.Thread(target=run, args=entry)
            for entry in (
                ("approve in a terminal", command("approve", TOPIC, "a")),
                ("reject in a terminal", command("reject", TOPIC, "a", "--feedback", "no")),
                ("allow by the question", post(answer, {"option": "approve"})),
                ("deny by the question", post(answer, {"option": "reject", "text": "no"})),
                ("approve on the show's page", post(actions, {"action": "approve", "play": "a", "attempt": 1})),
                ("redo on the show's page", post(actions, {"action": "redo", "play": "a", "feedback": "x"})),
            )
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [name for name, won, _ in results if won]
        assert len(winners) == 1, results
        told = [text for _, won, text in results if not won]
        assert all("answered" in text or "changed since" in text or "cannot" in text for text in told), told
        decided = [json.loads(line) for line in (harness.show_dir / "_decisions.jsonl").read_text().splitlines()]
        assert [entry["id"] for entry in decided if entry["what"] == "decision"] == [question.id]
        studio.ask("POST", actions, {"action": "abort"})
        harness.wait_until_director_exits()
    assert rows(harness)[0].status in (QuestionStatus.ANSWERED, QuestionStatus.TAKEN)
    assert all(count == 1 for count in harness.merged().values())


def test_director_that_dies_before_the_row_asks_once(harness: ShowHarness) -> None:
    harness.write_plan({"a": {"prompt": "@write a.txt a", **PERSON}})
    with harness.start(LIONAGI_CRASH_AT="show.asked_in_file") as director:
        assert director.wait(60) == -9
    assert rows(harness) == []

    harness.direct()
    assert open_question(harness).kind is QuestionKind.GATE


def test_answer_survives_a_process_that_dies_after_the_file(harness: ShowHarness) -> None:
    question = waiting(harness)
    assert harness.li("show", "approve", TOPIC, "a", LIONAGI_CRASH_AT="decision.saved").code == -9
    assert open_question(harness).id == question.id  # the row does not know yet

    late = harness.li("show", "reject", TOPIC, "a", "--feedback", "no")  # the next command answers the row
    assert (late.code, "answered" in late.err) == (1, True), late.err
    assert rows(harness)[0].answer == Answer("approve")
    assert harness.direct() == "completed"
    assert rows(harness)[0].status is QuestionStatus.TAKEN
    assert harness.merged() == {"a": 1}


def test_answer_whose_process_died_is_recorded_by_the_director(harness: ShowHarness) -> None:
    waiting(harness)
    harness.li("show", "approve", TOPIC, "a", LIONAGI_CRASH_AT="decision.saved")

    assert harness.direct() == "completed"
    [row] = rows(harness)
    assert (row.status, row.answer) == (QuestionStatus.TAKEN, Answer("approve"))
    assert row.answered_from is not None
    assert row.answered_from["via"] == "cli"


def test_decision_about_the_show_replaces_no_answer_that_waits_for_a_director(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@usage 500 500\n@say spent", "b": {"prompt": "@say b", "depends_on": ["a"]}}, budget={"tokens": 100}
    )
    harness.direct()
    assert harness.li("show", "approve", TOPIC, "--tokens", "5000").code == 0

    other = harness.li("show", "approve", TOPIC, "--cost", "1")
    assert (other.code, "has not carried out the last decision" in other.err) == (1, True), other.err
    assert harness.direct() == "completed"


def test_question_of_another_attempt_is_refused(harness: ShowHarness) -> None:
    question = waiting(harness, **FAILING)
    assert harness.li("show", "redo", TOPIC, "a").code == 0
    harness.direct()

    late = harness.li("show", "approve", TOPIC, "a", "--yes", "--question", question.id)
    assert (late.code, "answered" in late.err) == (1, True), late.err
    with application(harness.root) as studio:
        answer = studio.client.post(f"/api/questions/{question.id}/answer", headers=AUTH, json={"option": "approve"})
    assert answer.status_code == 409
    assert harness.statuses() == {"a": "escalated"}


def test_answer_show_question_decides_like_the_command(harness: ShowHarness) -> None:
    """`li ask answer` calls it for the questions of shows."""
    question = waiting(harness, **FAILING)
    options: dict[str, Any] = {"home": str(harness.home), "db": None, "shows": str(harness.shows), "json": False}
    args = argparse.Namespace(**options, quiet=True, no_color=True)
    with pytest.raises(InvalidInput, match="is not an answer"):
        answer_show_question(args, question, Answer("allow"))
    with pytest.raises(InvalidInput, match="not words alone"):
        answer_show_question(args, question, Answer(text="go on"))
    lock = acquire_director_lock(str(harness.show_dir))  # so that none is started
    answer_show_question(args, question, Answer("redo", "again, please"))
    with pytest.raises(Conflict, match=r"answered by .*: redo"):
        answer_show_question(args, question, Answer("approve"))
    lock.release()
    decision = json.loads((harness.show_dir / "a" / "_decision.json").read_text())
    assert (decision["id"], decision["feedback"]) == (question.id, "again, please")


def test_ask_answer_decides_about_a_play(harness: ShowHarness) -> None:
    question = waiting(harness)
    unknown = harness.li("ask", "answer", question.id, "deny")
    assert (unknown.code, "fits several options: Reject, Redo, Escalate" in unknown.err) == (2, True), unknown.err
    bare = harness.li("ask", "answer", question.id, "reject")
    assert (bare.code, "needs words" in bare.err) == (2, True), bare.err
    done = harness.li("ask", "answer", question.id, "allow")
    assert (done.code, done.out.startswith("Answered; ")) == (0, True), done.err
    late = harness.li("ask", "answer", question.id, "reject", "--text", "no")
    assert (late.code, "answered by" in late.err) == (1, True), late.err
    harness.wait_until(lambda: harness.statuses() == {"a": "merged"})
    harness.wait_until_director_exits()
    assert harness.merged() == {"a": 1}


def test_time_in_which_an_agent_waits_for_a_person_does_not_count(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@ask Which? | left | right\n@write a.txt a"}, timeout=3, max_attempts=1)
    director = harness.start()
    try:
        harness.wait_until(lambda: harness.meta("a").get("status") == "running")
        harness.wait_until(lambda: rows(harness))
        time.sleep(5)
        question = open_question(harness)
        with Database(str(harness.home / "state.db")) as database:
            database.write(lambda conn: answer_question(conn, question.id, Answer("1"), by="ann", origin={}))
        director.wait(timeout=60)
    finally:
        director.kill()
        director.communicate()
    assert harness.statuses() == {"a": "merged"}


def test_import_shows_restores_a_missing_question(harness: ShowHarness) -> None:
    question = waiting(harness)
    with Database(str(harness.home / "state.db")) as database:
        database.write(lambda conn: conn.execute("DELETE FROM questions"))
        assert [drift.topic for drift in database.read(lambda conn: show_drift(conn, harness.settings))] == [TOPIC]
    assert harness.li("state", "import-shows").code == 0

    again = open_question(harness)
    assert (again.fingerprint, again.attempt) == (question.fingerprint, question.attempt)
    with reading(str(harness.home / "state.db")) as conn:
        assert show_drift(conn, harness.settings) == []
    assert harness.li("state", "import-shows").code == 0
    assert len(rows(harness)) == 1


ATTACK = """
import json, sys, time, urllib.request, subprocess
token, url, li, topic = open(sys.argv[1]).read().strip(), sys.argv[2], sys.argv[3], sys.argv[4]
get = urllib.request.Request(f"{url}/api/questions", headers={"Authorization": f"Bearer {token}"})
for _ in range(300):
    listed = json.load(urllib.request.urlopen(get))["questions"]
    if listed: break
    time.sleep(0.1)
found = listed[0]["id"]
request = urllib.request.Request(f"{url}/api/questions/{found}/answer", json.dumps({"option": "approve"}).encode(),
    {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}, method="POST")
try:
    print(urllib.request.urlopen(request).status)
except urllib.error.HTTPError as error:
    print(error.code)
print(subprocess.run([li, "show", "approve", topic, "a", "--yes", "--question", found]).returncode)
"""


def test_agent_cannot_answer_the_question_of_a_show(harness: ShowHarness) -> None:
    with server(harness.root) as studio:
        script, out = harness.root / "attack.py", harness.root / "out"
        script.write_text(ATTACK)
        words = [sys.executable, script, harness.home / "studio.token", studio.url.rstrip("/"), LI, TOPIC]
        places = f"LIONAGI_HOME={harness.home} LIONAGI_SHOWS={harness.shows}"
        run = f"@run sh -c '{places} {' '.join(map(str, words))} > {out} 2> {out}.err'"
        harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING}, "b": run})
        harness.direct()

        assert out.read_text().split() == ["403", "1"], out.read_text()
        assert "only a person decides" in (harness.root / "out.err").read_text()
        assert open_question(harness).play_name == "a"
        items = studio.ask("GET", "/api/attention")[1]["items"]
    refused = [item for item in items if item["kind"] == "refused"]
    assert len(refused) == 2
    assert {item["title"] for item in refused} == {f"{TOPIC} / b"}
    assert harness.statuses()["a"] == "escalated"


def test_question_of_a_plays_agent_appears_in_the_show(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@ask Which name? | left | right\n@write a.txt a"})
    director = harness.start()
    try:
        harness.wait_until(lambda: harness.meta("a").get("status") == "running")
        harness.wait_until(lambda: rows(harness))
        question = open_question(harness)
        assert (question.kind, question.play_name, question.attempt) == (QuestionKind.QUESTION, "a", 1)
        assert question.session_id is not None
        status = harness.li("show", "status", TOPIC)
        assert f"li ask answer {question.id}" in status.out + status.err
        with application(harness.root) as studio:
            [item] = [item for item in studio.get("/api/attention")["items"] if item["rank"] == 1]
            assert (item["topic"], item["play"], item["question"]) == (TOPIC, "a", question.id)
            [play] = studio.get(f"/api/shows/{TOPIC}")["plays"]
            assert (play["state"]["health"], play["state"]["label"]) == ("waiting", "running · waiting")
            assert studio.client.post(item["actions"][0]["path"], headers=AUTH, json={"option": "1"}).status_code == 200
        director.wait(timeout=60)
    finally:
        director.kill()
        director.communicate()
    assert harness.statuses() == {"a": "merged"}
