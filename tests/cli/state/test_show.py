"""`li state show` and `li state export`: session names, branches, messages and complete files."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, Begun, begin, say, sql, write
from tests.support.children import environment
from tests.support.commands import LI, li, run_li, run_on_terminal, start_li

from lionstudio.cli._session.transcript import Shown, transcript
from lionstudio.cli._toolkit.humanize import local
from lionstudio.cli._toolkit.terminal import styles_for
from lionstudio.model.branches import Branch
from lionstudio.model.messages import create_message
from lionstudio.state.branches import create_branch, fork_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session

HOSTILE = "a\x1b[31mred\x9b\u202eevil\u200b\x00\x7fz"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]")


def show(db: Database, *arguments: str) -> str:
    done = run_li("state", "show", *arguments, "--db", db.path)
    assert (done.code, done.err) == (0, "")
    return done.out


def tool(db: Database, branch: str, name: str, output: object, **more: object) -> None:
    call = create_message({"function": name, "arguments": {"x": 1}}, id=f"{name}-call", created_at=T0)
    content = {"function": name, "output": output, "action_request_id": call.id, **more}
    write(db, append, branch, call)
    write(db, append, branch, create_message(content, id=f"{name}-result", created_at=T0))


@pytest.fixture
def talk(db: Database) -> Begun:
    """A session with two branches of its own and a fork."""
    session = begin(
        db, "0190aaaa-bbbb", name="my job", project="web", model="m-1", cwd="/some/where", git_commit="f" * 40
    )
    say(db, session.branch_id, "question", "answer")
    helper = Branch(id="helper-id", session_id=session.session_id, name="helper", created_at=T0 + 1)
    write(db, create_branch, helper)
    say(db, helper.id, "subtask")
    child = write(db, fork_branch, session.branch_id, 0, name="other way")
    say(db, child.id, "instead")
    return session


@pytest.mark.parametrize("given", ["0190aaaa-bbbb", "0190", "0190aaaa-b", "my job"])
def test_show_accepts_id_prefix_or_name(db: Database, talk: Begun, given: str) -> None:
    assert "my job" in show(db, given).splitlines()[0]


@pytest.mark.parametrize(
    ("given", "code"), [("019", 3), ("nobody", 3), ("0190aaaa-bbbb:99", 3), ("nobody:1", 3), ("", 3)]
)
def test_show_of_an_unknown_name_is_not_found(db: Database, talk: Begun, given: str, code: int) -> None:
    done = run_li("state", "show", given, "--db", db.path)

    assert (done.code, done.out) == (code, "")
    assert "try:" in done.err


def test_show_rejects_an_ambiguous_prefix(db: Database, talk: Begun) -> None:
    begin(db, "0190cccc-dddd")
    done = run_li("state", "show", "0190", "--db", db.path)

    assert done.code == 2
    assert "0190aaaa-bbbb" in done.err
    assert "0190cccc-dddd" in done.err


def test_header_prints_the_facts_of_a_session(db: Database, talk: Begun) -> None:
    write(db, finish_session, talk.session_id, "failed", exit_code=3, at=T0 + 75)
    head = show(db, talk.session_id).split("\n\n")[0]

    assert head.splitlines()[0] == "my job  failed"
    assert "  The process exited with an error.\n    exit code 3\n" in head
    assert "took 1m15s" in head
    assert re.search(r"messages +4", head)
    assert re.search(r"folder +/some/where", head)
    assert re.search(r"commit +f{12}\n", head + "\n")


def test_header_draws_forks_below_their_parent(db: Database, talk: Begun) -> None:
    branches = show(db, talk.session_id).split("\n\n")[1]

    assert [re.sub(" +", " ", line) for line in branches.splitlines()] == [
        "3 branches",
        " main 2 messages",
        " └─ other way 1 message, forked from main after message 0",
        " helper 1 message",
    ]


def test_header_draws_cyclic_branches_once(db: Database, talk: Begun) -> None:
    metadata = json.dumps({"parent_branch_id": "helper-id", "forked_at_ord": 0})
    sql(db, "UPDATE branches SET node_metadata = ? WHERE id = 'helper-id'", (metadata,))

    assert [line.split()[0] for line in show(db, talk.session_id).split("\n\n")[1].splitlines()].count("helper") == 1
    assert run_li("state", "show", talk.session_id, "--branch", "helper", "--db", db.path).code == 0


def test_header_has_the_status_history(db: Database) -> None:
    begin(db, "abcd")
    write(db, finish_session, "abcd", "failed", reasons=["run.failed.provider_error"], at=T0)

    lines = show(db, "abcd").split("Status history\n")[1].splitlines()
    changes = run_li("state", "show", "abcd", "--db", db.path, "--json").json["transitions"]

    assert [line.split()[2:4] for line in lines[:2]] == [["running", "run"], ["failed", "run.failed.provider_error"]]
    assert [(change["previous"], change["status"]) for change in changes] == [(None, "running"), ("running", "failed")]
    assert changes[1]["at_iso"] == "2026-09-21T14:13:20.000Z"


def test_transcript_has_number_role_and_branch(db: Database, talk: Begun) -> None:
    result = show(db, talk.session_id).split("\n\n", 3)[3]

    assert [line.split("  ")[0] for line in result.splitlines() if line[:1].isdigit()] == ["0", "1", "2", "3"]
    assert re.search(r"^2  user  .*on helper\n    subtask$", result, re.MULTILINE)


def test_transcript_names_the_branch_only_if_there_are_several(db: Database) -> None:
    session = begin(db, "abcd")
    say(db, session.branch_id, "hello")

    assert " on main" not in show(db, "abcd")


def test_transcript_prints_a_result_below_its_call(db: Database) -> None:
    session = begin(db, "abcd")
    tool(db, session.branch_id, "grep", "found\nit")
    tool(db, session.branch_id, "read", None, error="no such file")
    tool(db, session.branch_id, "list", {"files": ["a"]})

    result = show(db, "abcd").split("\n\n", 1)[1]
    assert re.search(r'^0→1  tool grep  .*\n    {"x":1}\n  → found\n    it\n$', result, re.MULTILINE)
    assert re.search(r"^2→3  tool read  .*\n.*\n  ✗ no such file\n$", result, re.MULTILINE)
    assert '"files"' in result
    alone = show(db, "abcd", "--after", "0", "--limit", "1").split("\n\n", 1)[1]
    assert re.search(r"^1  tool grep  .*\n  → found", alone, re.MULTILINE)


def test_transcript_keeps_the_number_of_a_deleted_message(db: Database) -> None:
    session = begin(db, "abcd")
    say(db, session.branch_id, "first", "second", "third")
    sql(db, "PRAGMA foreign_keys = OFF; DELETE FROM messages WHERE id = 'second'")

    assert "1  missing" in show(db, "abcd")
    assert run_li("state", "show", "abcd", "--json", "--db", db.path).json["messages"][1]["missing"] is True


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ((), [0, 1, 2, 3, 4, 5]),
        (("--limit", "2"), [0, 1]),
        (("--after", "3"), [4, 5]),
        (("--after", "1", "--limit", "2"), [2, 3]),
        (("--last", "2"), [4, 5]),
        (("--after", "99"), []),
    ],
)
def test_show_windows_of_a_session(db: Database, options: tuple[str, ...], numbers: list[int]) -> None:
    session = begin(db, "abcd")
    say(db, session.branch_id, *"uvwxyz")

    found = run_li("state", "show", "abcd", "--db", db.path, "--json", *options).json["messages"]
    result = show(db, "abcd", *options)

    assert [message["ord"] for message in found] == numbers
    assert [int(line.split()[0]) for line in result.splitlines() if line[:1].isdigit()] == numbers


def test_show_prints_one_message_by_number(db: Database, talk: Begun) -> None:
    assert show(db, "0190aaaa-bbbb:1").splitlines()[1:] == ["    answer", ""]
    assert show(db, "my job:0", "--limit", "2").count("\n\n") == 2
    (found,) = run_li("state", "show", "my job:1", "--db", db.path, "--json").json["messages"]
    assert found["ord"] == 1


def test_show_accepts_a_name_with_a_colon(db: Database) -> None:
    begin(db, "abcd", name="note:7")

    assert show(db, "note:7").startswith("note:7")


@pytest.mark.parametrize("given", ["other way", "helper", "helper-id", "help"])
def test_show_branch_includes_inherited_messages(db: Database, talk: Begun, given: str) -> None:
    found = run_li("state", "show", talk.session_id, "--branch", given, "--json", "--db", db.path).json["messages"]

    expected = ["question", "instead"] if given == "other way" else ["subtask"]
    assert [message["id"] for message in found] == expected
    assert [message["ord"] for message in found] == list(range(len(expected)))


def test_show_windows_of_a_branch(db: Database, talk: Begun) -> None:
    of_branch = ("0190", "--branch", "other way", "--json", "--db", db.path)

    assert [m["id"] for m in run_li("state", "show", *of_branch, "--last", "1").json["messages"]] == ["instead"]
    assert [m["id"] for m in run_li("state", "show", *of_branch, "--after", "0").json["messages"]] == ["instead"]
    assert [m["id"] for m in run_li("state", "show", *of_branch, "--limit", "1").json["messages"]] == ["question"]


def test_show_rejects_a_missing_or_ambiguous_branch(db: Database, talk: Begun) -> None:
    write(db, fork_branch, talk.branch_id, 0, name="helper")

    unknown = run_li("state", "show", "0190", "--branch", "nobody", "--db", db.path)
    twice = run_li("state", "show", "0190", "--branch", "helper", "--db", db.path)
    assert (unknown.code, twice.code) == (3, 2)
    assert "main" in unknown.err
    assert "helper-id" in twice.err


@pytest.mark.parametrize(
    "options", [("--limit", "0"), ("--after", "-1"), ("--after", "x"), ("--last", "0"), ("--last", "2", "--limit", "2")]
)
def test_show_rejects_contradictory_windows(db: Database, talk: Begun, options: tuple[str, ...]) -> None:
    assert run_li("state", "show", "0190", "--db", db.path, *options).code == 2


def test_show_folds_long_messages_unless_full(db: Database) -> None:
    session = begin(db, "abcd")
    text = "\n".join(f"line {number}" for number in range(100))
    write(db, append, session.branch_id, create_message({"instruction": text}))

    folded, full = show(db, "abcd"), show(db, "abcd", "--full")
    assert "line 11\n" in folded
    assert "line 12" not in folded
    assert "… 88 more lines (--full)" in folded
    assert "line 99" in full
    assert "--full" not in full


@pytest.mark.slow
def test_show_folds_a_message_of_a_hundred_megabytes(db: Database) -> None:
    session = begin(db, "abcd")
    write(db, append, session.branch_id, create_message({"assistant_response": "y" * 100_000_000}, id="big"))

    done = run_li("state", "show", "abcd", "--db", db.path)

    assert done.code == 0
    assert len(done.out) < 10_000
    assert "… 99,996,000 more characters (--full)" in done.out


def test_transcript_holds_few_messages_of_a_long_run() -> None:
    printed = read = 0

    def shown() -> Iterator[Shown]:
        nonlocal read
        for read in range(1, 2001):
            held.append(read - printed)
            yield Shown(read, f"m{read}", create_message({"assistant_response": "words"}, created_at=T0))

    held: list[int] = []
    for line in transcript(shown(), styles_for(io.StringIO(), refused=True)):
        printed += line == "    words"

    assert (printed, read) == (2000, 2000)
    assert max(held) <= 129


def test_transcript_prints_a_late_result_for_itself() -> None:
    call = create_message({"function": "grep", "arguments": {}}, id="call", created_at=T0)
    result = create_message({"output": "found", "action_request_id": "call"}, created_at=T0)

    def lines(between: int) -> list[str]:
        words = [create_message({"assistant_response": "words"}, created_at=T0) for _ in range(between)]
        messages = [call, *words, result]
        shown = [Shown(number, message.id, message) for number, message in enumerate(messages)]
        return list(transcript(shown, styles_for(io.StringIO(), refused=True)))

    assert lines(100)[:2] == [f"0→101  tool grep  {local(T0)}", "  → found"]
    assert lines(200)[-3:-1] == [f"201  tool  {local(T0)[11:]}", "  → found"]


def test_show_full_reads_a_long_run_in_parts(db: Database) -> None:
    begun = begin(db)
    texts = [f"{number} {'x' * 5000}" for number in range(300)]
    messages = [create_message({"assistant_response": text}, created_at=T0) for text in texts]
    db.write(lambda conn: [append(conn, begun.branch_id, message) for message in messages])

    shown = show(db, "s", "--full", "--limit", "1000")

    assert [line.strip() for line in shown.splitlines() if "xxx" in line] == texts


@pytest.mark.parametrize("branches", [1, 2])
def test_show_prints_the_same_from_the_start_and_from_the_end(db: Database, branches: int) -> None:
    begun = begin(db, "abcd")
    if branches == 2:
        write(db, create_branch, Branch(id="helper", session_id="abcd", name="helper", created_at=T0))
        say(db, "helper", "on another branch")
    for text in ("two\nlines \t\n", HOSTILE, "é 日", "", "a\r\nb"):
        write(db, append, begun.branch_id, create_message({"assistant_response": text}))
    tool(db, begun.branch_id, "grep", "found")
    write(db, append, begun.branch_id, create_message({"instruction": "x", "thinking": "y"}, id="thought"))
    say(db, begun.branch_id, "number", "deleted", "damaged")
    sql(db, "UPDATE messages SET content = '[1' WHERE content LIKE '%damaged%'")
    sql(db, "UPDATE messages SET node_metadata = '7', role = NULL WHERE content LIKE '%number%'")
    sql(db, "DELETE FROM messages WHERE content LIKE '%deleted%'")

    printed = show(db, "abcd", "--full")

    assert printed == show(db, "abcd", "--full", "--last", "100")
    assert "missing" in printed
    assert ("on helper" in printed) is (branches == 2)


def test_show_prints_extra_fields_of_a_message(db: Database) -> None:
    session = begin(db, "abcd")
    contents: list[dict[str, Any]] = [
        {"instruction": "do it", "context": ["a", 1], "empty": None},
        {"unheard_of": {"deep": [1]}},
    ]
    for content in contents:
        write(db, append, session.branch_id, create_message({"instruction": ""} | content))
    result = show(db, "abcd")

    assert '"context"' in result
    assert '"unheard_of"' in result
    assert "empty" not in result


@pytest.mark.parametrize("form", [(), ("--full",), ("--json",)])
def test_show_escapes_hostile_text(db: Database, form: tuple[str, ...]) -> None:
    session = begin(db, "abcd", name=HOSTILE.replace("\x00", ""), cwd=HOSTILE, project=HOSTILE)
    contents: list[dict[str, Any]] = [
        {"instruction": HOSTILE + "\nnext\tline"},
        {"function": HOSTILE, "arguments": {HOSTILE: HOSTILE * 20}},
    ]
    for content in contents:
        write(db, append, session.branch_id, create_message(content))
    lone = create_message({"instruction": "lone \ud800 surrogate"}, role="r\x1b[1m", id="lone")
    write(db, append, session.branch_id, lone)

    done = li("state", "show", "abcd", "--db", db.path, *form)

    assert done.code == 0, done.err
    assert RAW.search(done.out) is None
    if "--json" in form:
        messages = done.json["messages"]
        assert messages[0]["content"]["instruction"] == HOSTILE + "\nnext\tline"
        assert messages[2]["content"]["instruction"] == "lone \ud800 surrogate"
    else:
        assert "\\u202e" in done.out
        assert "next\tline" in done.out


def test_show_handles_deep_nesting(db: Database) -> None:
    session = begin(db, "abcd")
    say(db, session.branch_id, "deep")
    for depth in (150, 450, 900, 3000):
        content = '{"instruction":' + "[" * depth + "1" + "]" * depth + "}"
        sql(db, "UPDATE messages SET content = ? WHERE id = 'deep'", (content,))
        for form in ((), ("--json",)):
            assert run_li("state", "show", "abcd", "--db", db.path, *form).code == 0
        for name in ("json", "jsonl", "md"):
            assert run_li("state", "export", "abcd", "--db", db.path, "--format", name).code == 0


def test_show_on_a_terminal_hints_at_more_messages(db: Database) -> None:
    session = begin(db, "abcd")
    say(db, session.branch_id, *map(str, range(120)))

    assert "20 more messages: --after 99" in run_on_terminal("state", "show", "abcd", "--db", db.path).out
    assert "more:" not in run_on_terminal("state", "show", "abcd", "--db", db.path, "--limit", "120").out


# ── export ───────────────────────────────────────────────────────────────


def export(db: Database, *arguments: str) -> str:
    done = run_li("state", "export", *arguments, "--db", db.path)
    assert (done.code, done.err) == (0, "")
    return done.out


def test_export_is_complete_in_every_format(db: Database, talk: Begun) -> None:
    whole = json.loads(export(db, "my job"))
    lines = [json.loads(line) for line in export(db, "my job", "--format", "jsonl").splitlines()]
    read = export(db, "my job", "--format", "md")

    texts = [message["id"] for branch in whole["branches"] for message in branch["messages"]]
    assert sorted(texts) == ["answer", "instead", "question", "subtask"]
    assert [line["type"] for line in lines].count("message") == 4
    assert all(text in read for text in texts)
    assert json.loads(export(db, "my job", "--json")) == whole


def test_export_to_a_file_is_private_and_needs_force_to_replace(db: Database, talk: Begun, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    done = run_li("state", "export", "0190", "--output", str(target), "--db", db.path)
    again = run_li("state", "export", "0190", "--output", str(target), "--db", db.path)
    before = target.read_bytes()
    forced = run_li("state", "export", "0190", "--output", str(target), "--force", "--format", "md", "--db", db.path)

    assert (done.code, done.out) == (0, "")
    assert str(target) in done.err
    assert target.stat().st_mode & 0o777 == 0o600
    assert again.code == 1
    assert "--force" in again.err
    assert json.loads(before)["name"] == "my job"
    assert forced.code == 0
    assert target.read_text().startswith("# my job")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".li-")) == []


@pytest.mark.parametrize("target", ["{folder}", "{folder}/no/such/file", "/dev/null", "/proc/x"])
def test_export_rejects_an_invalid_path(db: Database, talk: Begun, tmp_path: Path, target: str) -> None:
    done = run_li("state", "export", "0190", "--output", target.format(folder=tmp_path), "--force", "--db", db.path)

    assert done.code in (1, 2)
    assert done.err.startswith("li: ")
    assert Path("/dev/null").is_char_device()


def test_export_escapes_hostile_text(db: Database) -> None:
    session = begin(db, "abcd", name="n")
    write(db, append, session.branch_id, create_message({"instruction": HOSTILE}))

    for form in ("json", "jsonl", "md"):
        assert RAW.search(export(db, "abcd", "--format", form)) is None
    assert json.loads(export(db, "abcd"))["branches"][0]["messages"][0]["content"]["instruction"] == HOSTILE


def test_export_interrupted_leaves_no_file(db: Database, tmp_path: Path) -> None:
    session = begin(db, "abcd")
    for number in range(40):
        write(db, append, session.branch_id, create_message({"instruction": f"{number}" + "é" * 2_000_000}))
    folder = tmp_path / "out"
    folder.mkdir()
    with start_li("state", "export", "abcd", "--output", str(folder / "x.json"), "--db", db.path) as process:
        deadline = time.monotonic() + 30
        while not list(folder.iterdir()) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.002)
        assert list(folder.iterdir())
        process.send_signal(signal.SIGTERM)
        process.wait(30)

    assert process.returncode == 143
    assert list(folder.iterdir()) == []


def test_export_into_a_closed_pipe_exits_with_zero(db: Database, talk: Begun) -> None:
    session = begin(db, "abcd")
    for _ in range(200):
        write(db, append, session.branch_id, create_message({"instruction": "x" * 5000}))
    command = f"'{LI}' state export abcd --format jsonl --db '{db.path}' | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, env=environment())

    assert (done.returncode, done.stderr) == (0, b"")
