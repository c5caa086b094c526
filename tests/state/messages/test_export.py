"""Exports: the same session in every format, with its forks and with missing messages."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from tests.support.builders import T0, begin, read, said, say, sql, write
from tests.support.hostile import nested

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.branches import Branch
from lionstudio.model.json_codec import MAX_DEPTH
from lionstudio.model.messages import Message, create_message
from lionstudio.state.branches import create_branch, fork_branch, get_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.export import FORMATS, export
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sessions import finish_session, get_session


def exported(db: Database, form: str, session_id: str = "s") -> str:
    return "".join(db.read(lambda conn: list(export(conn, session_id, form))))


@pytest.fixture
def world(db: Database) -> Database:
    """A session with two branches, a fork, a tool call, a shared message and a missing message."""
    begun = begin(db, name="My *run*", project="p", invocation_kind="agent", model="m", metadata={"k": [1]})
    used = {"input_tokens": 10, "output_tokens": 4, "cost_microusd": 1500}
    write(db, append, begun.branch_id, create_message({"system_message": "Be brief."}, id="sys", created_at=T0))
    write(db, append, begun.branch_id, said("Line one\nline `two`", id="ask"))
    call = {"function": "grep", "arguments": {"pattern": "```"}}
    write(db, append, begun.branch_id, create_message(call, id="call", created_at=T0, metadata={"usage": used}))
    write(db, append, begun.branch_id, create_message({"output": "x", "action_request_id": "call"}, id="back"))
    child = write(db, fork_branch, begun.branch_id, 1, name="other")
    say(db, child.id, "fork says")
    write(db, create_branch, Branch(id="empty", session_id="s", name=None, created_at=T0 + 5))
    say(db, begun.branch_id, "gone")
    sql(db, "UPDATE sessions SET last_msg_id = NULL")
    sql(db, "DELETE FROM messages WHERE id = 'gone'")
    return db


def test_export_json_has_the_whole_session(world: Database) -> None:
    whole = json.loads(exported(world, "json"))

    branches = whole.pop("branches")
    assert whole == {"schema_version": 1, **read(world, get_session, "s").to_dict("json")}
    by_name = {branch["name"]: branch for branch in branches}
    main = read(world, get_branch, "s.main")
    messages = by_name["main"].pop("messages")
    assert by_name["main"] == {
        **main.to_dict("json"),
        "usage": {
            "input_tokens": 10,
            "output_tokens": 4,
            "cache_read_tokens": 0,
            "cache_write_tokens": 0,
            "cost_microusd": 1500,
        },
    }
    assert messages == [
        {"branch_id": "s.main", "ord": ord_, **read(world, get_message, id_).to_dict("json")}
        for ord_, id_ in enumerate(("sys", "ask", "call", "back"))
    ] + [{"branch_id": "s.main", "ord": 4, "id": "gone", "missing": True}]


def test_export_names_the_origin_of_a_fork(world: Database) -> None:
    branches = {branch["name"]: branch for branch in json.loads(exported(world, "json"))["branches"]}

    assert set(branches) == {"main", "other", None}
    metadata = branches["other"]["metadata"]
    assert (metadata["parent_branch_id"], metadata["forked_at_ord"]) == ("s.main", 1)
    assert [message["id"] for message in branches["other"]["messages"]] == ["fork says"]
    assert branches[None]["messages"] == []


def test_export_jsonl_has_the_same_content(world: Database) -> None:
    whole = json.loads(exported(world, "json"))
    lines = [json.loads(line) for line in exported(world, "jsonl").split("\n")[:-1]]

    flat = [{"type": "session", **{key: value for key, value in whole.items() if key != "branches"}}]
    for branch in whole["branches"]:
        messages = branch.pop("messages")
        flat += [{"type": "branch", **branch}, *({"type": "message", **message} for message in messages)]
    assert lines == flat


def test_export_markdown(world: Database) -> None:
    text = exported(world, "md")

    assert text.startswith("# My *run*\n\n- Session: s\n- Status: running\n- Kind: agent\n")
    assert "- Cost: $0.0015\n" in text
    assert "\n## Branch main\n" in text
    assert "\n### 0 · system\n\nBe brief.\n" in text
    assert "\n### 1 · user\n\nLine one\nline `two`\n" in text
    assert "\n### 2 · assistant · grep\n\n````json\n" in text
    assert "\n### 4 · missing\n\nThe message gone does not exist any more.\n" in text
    assert "\n## Branch other\n\nForked from branch s.main after message 1.\n" in text
    assert "\n## Branch empty\n" in text


def test_export_of_an_empty_session(db: Database) -> None:
    begin(db)
    sql(db, "DELETE FROM branches")
    write(db, finish_session, "s", "completed", at=T0)

    assert json.loads(exported(db, "json"))["branches"] == []
    assert exported(db, "jsonl").count("\n") == 1
    assert exported(db, "md").startswith("# s\n")


TRAPS: dict[str, Any] = {
    "half a character": "\ud800",
    "NUL": "a\0b",
    "line separators": "a\u2028b\x85c\r\n",
    "as deep as allowed": nested(MAX_DEPTH - 1),
    "huge number": 2**200,
    "back ticks": "`" * 50,
    "control bytes": "\x1b[2J",
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("what", TRAPS)
def test_export_accepts_any_stored_content(db: Database, what: str, form: str) -> None:
    begun = begin(db, name=str(TRAPS[what])[:100])
    message = Message(id="m", created_at=T0, content={"instruction": TRAPS[what]}, metadata={"a": TRAPS[what]})
    write(db, append, begun.branch_id, message)

    text = exported(db, form)

    text.encode()
    if form == "json":
        [found] = json.loads(text)["branches"][0]["messages"]
        assert (found["content"], found["metadata"]) == (message.content, message.metadata)
    if form == "jsonl":
        assert json.loads(text.split("\n")[2])["content"] == message.content


def test_export_markdown_fence_is_longer_than_any_in_the_text(db: Database) -> None:
    begun = begin(db)
    write(db, append, begun.branch_id, Message(content={"a": "`" * 7}))

    assert "\n" + "`" * 8 + "json\n" in exported(db, "md")


@pytest.mark.parametrize("form", ["pdf", "", "JSON"])
def test_export_rejects_an_unknown_format(db: Database, form: str) -> None:
    begin(db)

    with pytest.raises(InvalidInput):
        exported(db, form)


@pytest.mark.parametrize("form", FORMATS)
def test_export_of_a_missing_session_raises_not_found(db: Database, form: str) -> None:
    with pytest.raises(NotFound):
        exported(db, form, "missing")


@pytest.mark.parametrize("form", FORMATS)
def test_export_streams_a_long_session(db: Database, form: str) -> None:
    begun = begin(db)
    db.write(lambda conn: [append(conn, begun.branch_id, said("x" * 10_000)) for _ in range(600)])

    with db.reader() as conn:
        tracemalloc.start()
        total = sum(len(piece) for piece in export(conn, "s", form))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert total > 6_000_000
    assert peak < 1_000_000
