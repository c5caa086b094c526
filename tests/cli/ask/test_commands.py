"""`li ask`: list, show and answer; exit codes for scripts."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin
from tests.support.children import environment
from tests.support.commands import LI, run_li
from tests.support.talks import Home, Terminal, home_in
from tests.support.waiting import wait_until

from lionstudio.cli.ask._answer import choose, typed_answer
from lionstudio.errors import InvalidInput
from lionstudio.model.questions import ALLOW, DENY, Answer, AnswerOption, Effect, Question, QuestionKind, replies
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import add_question, close_question, get_question

ALWAYS = AnswerOption("proceed_always", "Always allow", Effect.ALLOW_ALWAYS)
HOSTILE = "rm -rf \x1b[2J\x1b]0;title\x07 \u202eevil"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with home_in(tmp_path) as home:
        yield home


def ask(db: Database, **changes: Any) -> Question:
    values: dict[str, Any] = {
        "kind": QuestionKind.PERMISSION,
        "title": "Bash: npm test",
        "reason": "Bash",
        "session_id": "s",
        "evidence": {"tool": "Bash", "arguments": {"command": "npm test"}},
        "options": (ALLOW, ALWAYS, DENY),
        "takes_text": True,
        "takes_arguments": True,
    }
    question = Question(**values | changes)
    db.write(lambda conn: add_question(conn, question))
    return question


def stored(db: Database, question: Question) -> Question:
    return db.read(lambda conn: get_question(conn, question.id))


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("1", "allow"),
        ("allow", "allow"),
        ("deny", "deny"),
        ("always", "proceed_always"),
        ("proceed_always", "proceed_always"),
        ("3", "deny"),
        ("DEN", "deny"),
        ("always a", "proceed_always"),
    ],
)
def test_choose_accepts_numbers_ids_effects_and_label_prefixes(text: str, option: str) -> None:
    question = Question(kind=QuestionKind.PERMISSION, title="t", options=(ALLOW, ALWAYS, DENY))

    assert choose(question, text).id == option


@pytest.mark.parametrize("text", ["a", "0", "4", "yes", "", "allowed"])
def test_choose_refuses_what_fits_no_option_or_several(text: str) -> None:
    question = Question(kind=QuestionKind.PERMISSION, title="t", options=(ALLOW, ALWAYS, DENY))

    with pytest.raises(InvalidInput):
        choose(question, text)


def test_choose_refuses_a_number_that_is_the_id_of_another_option() -> None:
    options = (AnswerOption("2", "Deny", Effect.DENY), AnswerOption("1", "Allow", Effect.ALLOW))
    question = Question(kind=QuestionKind.PERMISSION, title="t", options=options)

    with pytest.raises(InvalidInput, match="the number of 'Deny' and the id of 'Allow'"):
        choose(question, "1")


def test_choose_never_allows_by_the_word_deny() -> None:
    options = (AnswerOption("deny", "Deny", Effect.ALLOW), AnswerOption("allow", "Allow", Effect.DENY))
    question = Question(kind=QuestionKind.PERMISSION, title="t", options=options)

    assert [choose(question, text).effect for text in ("deny", "Deny", "allow")] == ["deny", "deny", "allow"]
    with pytest.raises(InvalidInput):
        choose(Question(kind=QuestionKind.PERMISSION, title="t", options=options[:1]), "deny")


def test_typed_answer_of_a_permission_is_an_option_with_words() -> None:
    question = Question(kind=QuestionKind.PERMISSION, title="t", options=(ALLOW, ALWAYS, DENY), takes_text=True)

    assert typed_answer(question, "3 use the test database\n") == Answer("deny", "use the test database")
    assert typed_answer(question, "always allow") == Answer("proceed_always")
    with pytest.raises(InvalidInput):  # words alone neither allow nor deny
        typed_answer(question, "please do it")


def test_typed_answer_of_a_question_is_an_option_or_words() -> None:
    question = Question(kind=QuestionKind.QUESTION, title="t", options=replies(["Nothing", "SQLite"]), takes_text=True)

    assert typed_answer(question, "2") == Answer("2")
    assert typed_answer(question, "sqlite") == Answer("2")
    assert typed_answer(question, "no") == Answer(text="no")  # not the start of "Nothing"
    assert typed_answer(question, "Postgres") == Answer(text="Postgres")
    assert typed_answer(question, "7 or so") == Answer(text="7 or so")
    with pytest.raises(InvalidInput, match="7 is not an option") as error:
        typed_answer(question, "7")
    assert error.value.hint == "type 1 (Nothing), 2 (SQLite), or words"


def test_typed_answer_takes_a_number_where_no_option_is_offered() -> None:
    question = Question(kind=QuestionKind.QUESTION, title="How many?", takes_text=True)

    assert typed_answer(question, "7") == Answer(text="7")


def test_ls_prints_one_line_per_question(db: Database) -> None:
    begin(db, name="my\trun")
    question = ask(db, title="Bash: a\x1b[31mb")

    [line] = run_li("ask", "ls", "--db", db.path).out.splitlines()
    cells = line.split("\t")
    assert (cells[0], cells[1], cells[3]) == (question.id, "asked", "permission")
    assert cells[4:] == ["my\\trun", "s", "Bash: a\\x1b[31mb", "allow,proceed_always,deny"]
    assert stored(db, question).shown_at is None  # a pipe is not a person


def test_ls_on_a_terminal_marks_questions_as_shown(home: Home) -> None:
    with Database(home.db) as db:
        begin(db)
        question = ask(db)
        with Terminal(home, "ask", "ls") as terminal:
            assert terminal.wait() == 0
            assert "Allow | Always allow | Deny" in terminal.screen

        assert stored(db, question).status == "shown"


def test_ls_filters_and_lists_answered_ones_with_all(db: Database) -> None:
    begin(db), begin(db, "other")
    first, second = ask(db), ask(db, session_id="other")
    db.write(lambda conn: close_question(conn, first.id, "withdrawn", "interrupted"))  # type: ignore[arg-type]

    def ids(*options: str) -> list[str]:
        return [item["id"] for item in run_li("ask", "ls", "--json", "--db", db.path, *options).json["questions"]]

    assert ids() == [second.id]
    assert ids("--session", "s") == []
    assert ids("--all", "--session", "s") == [first.id]
    assert ids("--all") == [second.id, first.id]
    assert ids("--show", "calc") == []


def test_ls_wait_returns_when_something_is_asked(db: Database) -> None:
    begin(db)

    def ask_later() -> None:
        with Database(db.path) as other:
            ask(other)

    threading.Timer(0.5, ask_later).start()

    assert run_li("ask", "ls", "--wait", "20", "--db", db.path).out.count("\n") == 1
    begin(db, "silent")
    assert run_li("ask", "ls", "--session", "silent", "--wait", "1", "--db", db.path).code == 124


def test_show_prints_everything_and_escapes_text_of_agents(db: Database) -> None:
    begin(db, name="the run")
    evidence = {
        "tool": "Edit",
        "text": f"I want to {HOSTILE}",
        "arguments": {"path": "a.py", "content": f"one\n{HOSTILE}"},
        "diffs": [{"path": "a.py", "old": "one\n", "new": f"one\n{HOSTILE}\n"}],
    }
    question = ask(db, evidence=evidence)

    shown = run_li("ask", "show", question.id[:20], "--db", db.path).out
    assert not {"\x1b", "\u202e", "\x07"} & set(shown)
    for text in (
        "the run",
        "I want to rm -rf \\x1b[2J",
        "path: a.py",
        "+rm -rf",
        "1  Allow",
        "2  Always allow",
        "asked",
    ):
        assert text in shown, text


def test_show_prints_who_answered_from_where_and_when_it_was_taken(home: Home) -> None:
    session = home.start("@ask Which? | one | two\n@sleep 20")
    question = home.question()
    assert home.li("ask", "answer", question.id, "two").out.startswith("Answered; taken after #")

    shown = home.li("ask", "show", question.id).out
    assert "on the command line" in shown
    assert "            two\n" in shown
    assert " after #0" in shown
    assert "You answered: two" in home.texts(session)


def test_answer_exit_codes(home: Home) -> None:
    home.start("@allow echo hello\n@sleep 20")
    question = home.question()

    assert home.li("ask", "answer", question.id, "perhaps").code == 2
    assert home.li("ask", "answer", question.id).code == 2  # without a terminal
    assert home.li("ask", "answer").code == 2
    assert "at least four characters" in home.li("ask", "answer", question.id[:3], "allow").err
    assert home.li("ask", "answer", question.id, "--text", "words alone").code == 2
    assert home.li("ask", "answer", question.id, "allow", "--arguments", "[1]").code == 2
    assert home.li("ask", "answer", "ffffffff", "allow").code == 3
    assert home.open_questions() != []
    assert home.li("ask", "answer", question.id, "allow").code == 0
    late = home.li("ask", "answer", question.id, "deny", "--json")
    assert late.code == 1
    assert "answered by" in json.loads(late.err)["error"]["message"]
    assert json.loads(late.err)["error"]["message"].endswith(": allow")


def test_answer_with_changed_arguments_from_a_file(home: Home) -> None:
    session = home.start("@allow echo wrong")
    question = home.question()
    (home.folder / "arguments.json").write_text('{"command": "echo right"}')

    done = home.li("ask", "answer", question.id, "--arguments", "@arguments.json", "--json")
    assert done.json["question"]["answer"] == {"option": "allow", "arguments": {"command": "echo right"}}
    home.li("wait", session)
    assert home.texts(session)[-1] == "right"
    shown = home.show(session)
    assert shown["messages"][-1]["content"]["arguments"] == {"command": "echo right"}  # what ran
    [asked] = shown["session"]["questions"]
    assert (asked["status"], asked["answer"]) == ("taken", done.json["question"]["answer"])
    printed = home.li("state", "show", session).out
    assert "Questions\n" in printed
    assert '"command": "echo right"' in printed
    assert f"taken after #{asked['taken_ord']}" in printed


def test_answer_without_an_open_question_or_with_words_as_option(db: Database) -> None:
    nothing = run_li("ask", "answer", "--db", db.path)
    assert (nothing.code, "Nothing waits for you" in nothing.err) == (0, True)
    begin(db)
    words = ask(db, kind=QuestionKind.QUESTION, options=replies(["red"]), takes_arguments=False)

    wrong = run_li("ask", "answer", words.id, "dark green", "--db", db.path)
    assert (wrong.code, "--text 'dark green'" in wrong.err) == (2, True), wrong.err
    wrong = run_li("ask", "answer", words.id, "--arguments", "{}", "--db", db.path)
    assert (wrong.code, "takes no arguments" in wrong.err) == (2, True)


def test_json_line_of_a_question_names_session_and_branch(home: Home) -> None:
    with (
        Database(home.db) as db,
        subprocess.Popen(
            [LI, "agent", "script", "@ask Which?", "--json"],
            env=environment(**home.env),
            cwd=home.folder,
            stdout=subprocess.PIPE,
        ) as run,
    ):
        question = stored(db, home.question())
        home.li("ask", "answer", question.id, "--text", "this")
        out, _ = run.communicate(timeout=30)
    [line] = [record for record in map(json.loads, out.splitlines()) if record["type"] == "question"]
    assert (line["session_id"], line["branch_id"]) == (question.session_id, question.branch_id)
    assert question.branch_id


def test_show_of_a_gate_prints_files_and_checks_as_lines(db: Database) -> None:
    check = {"kind": "command", "title": "make test", "passed": False, "summary": "exit code 1", "output": "1 failed"}
    evidence = {
        "subject": {"head": "abc"},
        "files": [
            {"path": "a.py", "old_path": None, "additions": 1, "deletions": 0},
            {"path": "b.png", "additions": None, "deletions": None},
        ],
        "checks": [check, {**check, "title": "lint", "passed": True}],
    }
    question = ask(db, kind=QuestionKind.GATE, session_id=None, show_topic="calc", evidence=evidence)

    shown = run_li("ask", "show", question.id, "--db", db.path).out
    assert "subject" not in shown
    assert "{" not in shown
    assert "a.py +1 \u22120\n" in shown
    assert "b.png binary\n" in shown
    assert "failed  make test: exit code 1\n      1 failed\n" in shown
    assert "passed  lint" in shown


def test_answer_to_a_withdrawn_question_is_told_why(db: Database) -> None:
    begin(db)
    question = ask(db)
    db.write(lambda conn: close_question(conn, question.id, "withdrawn", "the turn was interrupted"))  # type: ignore[arg-type]

    done = run_li("ask", "answer", question.id, "allow", "--db", db.path)
    assert (done.code, "withdrawn: the turn was interrupted" in done.err) == (1, True)


def test_question_of_an_agent_that_exits_is_withdrawn(home: Home) -> None:
    session = home.start("@ask Which?")
    question = home.question()
    assert home.li("kill", session).code == 0

    done = home.li("ask", "answer", question.id, "--text", "too late")
    assert (done.code, "the run was stopped" in done.err) == (1, True)


def test_prompt_answers_open_questions_one_after_another(home: Home) -> None:
    first = home.start("@ask Which colour? | red | green")
    wait = home.question()
    second = home.start("@allow echo hello")
    wait_until(lambda: len(home.open_questions()) == 2)

    with Terminal(home, "ask", "answer") as terminal:
        terminal.expect("Answer (Enter skips): ")
        assert wait.title in terminal.screen
        terminal.type("7 or so\n")
        terminal.expect("Answered")
        terminal.expect("Answer (Enter skips): ")
        terminal.type("maybe\n")
        terminal.expect("is not an option")
        terminal.type("\n")
        terminal.expect("1 question still waits: li ask answer")
        assert terminal.wait() == 0
    with Terminal(home, "ask", "answer") as terminal:
        terminal.expect("Answer (Enter skips): ")
        terminal.type("deny not today\n")
        terminal.expect("Nothing else waits for you.")
        assert terminal.wait() == 0
    home.li("wait", first, second)
    assert home.texts(first)[-1] == "You answered: 7 or so"
    assert home.texts(second)[-1] == "not today"


def test_agent_cannot_answer_the_question_of_an_agent(home: Home) -> None:
    session = home.start("@allow touch allowed")
    question = home.question()

    agent = home.start(f"@run li ask answer {question.id} allow\n@run li attach {session}")
    home.li("wait", agent)

    refusals = [text for text in home.texts(agent) if "only a person decides" in text]
    assert len(refusals) == 2
    assert [item.id for item in home.open_questions()] == [question.id]
    log = (home.path / "logs" / "studio.log").read_text()
    assert log.count("refused_decision") == 2
    assert not (home.folder / "allowed").exists()


def test_thousand_questions_at_once(db: Database) -> None:
    begin(db)
    asked = [ask(db, title=f"question {number}") for number in range(1000)]

    listed = run_li("ask", "ls", "--db", db.path).out.splitlines()
    assert [line.split("\t")[0] for line in listed] == [question.id for question in asked]
    assert run_li("ask", "ls", "--json", "--db", db.path).json["open"] == 1000
    ambiguous = run_li("ask", "show", asked[0].id[:4], "--db", db.path)
    assert (ambiguous.code, "several question ids" in ambiguous.err) == (2, True)


def test_ten_megabytes_of_arguments_are_shown_and_answered(db: Database, tmp_path: Path) -> None:
    begin(db)
    content = "line of a file\n" * 700_000
    question = ask(db, evidence={"tool": "Write", "arguments": {"path": "a", "content": content}})

    listed = run_li("ask", "ls", "--json", "--db", db.path)
    assert len(listed.out) < 5_000
    shown = run_li("ask", "show", question.id, "--json", "--db", db.path).json["question"]
    assert shown["evidence"]["arguments"]["content"] == content
    (tmp_path / "changed.json").write_text(json.dumps({"content": content + "more"}))
    done = run_li("ask", "answer", question.id, "--arguments", f"@{tmp_path}/changed.json", "--db", db.path)
    assert done.code == 0, done.err
    answer = stored(db, question).answer
    assert answer == Answer("allow", None, {"content": content + "more"})
