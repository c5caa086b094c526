"""The model: ids, JSON, classes and their tags, usage, statuses and their transitions."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
import uuid
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest

from lionstudio import errors
from lionstudio.crash import point
from lionstudio.errors import IllegalTransition, InvalidInput
from lionstudio.model import messages
from lionstudio.model.branches import Branch, ForkPoint, Progression
from lionstudio.model.entity import Element, find_class
from lionstudio.model.ids import check_id, new_id
from lionstudio.model.json_codec import MAX_DEPTH, dump, jsonable, load, load_or_keep, spell, visible
from lionstudio.model.messages import ActionRequest, ActionResponse, Instruction, Message, System, create_message
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status import statuses
from lionstudio.model.status.statuses import (
    EXIT_CODES,
    PLAY_TRANSITIONS,
    SESSION_TRANSITIONS,
    PlayStatus,
    SessionStatus,
    check_transition,
    parse,
)
from lionstudio.model.teams import Team, TeamMessage, summarize
from lionstudio.model.usage import NOTHING, Usage

# ── Ids ──────────────────────────────────────────────────────────────────


def test_new_id_is_an_increasing_uuid7() -> None:
    before = time.time_ns() // 1_000_000
    ids = [new_id() for _ in range(20_000)]
    after = time.time_ns() // 1_000_000

    assert ids == sorted(set(ids))
    parsed = [uuid.UUID(text) for text in (ids[0], ids[-1])]
    assert [(one.version, one.variant) for one in parsed] == [(7, uuid.RFC_4122)] * 2
    # a burst may run ahead of the clock by less than a few milliseconds
    assert before <= parsed[0].int >> 80 <= parsed[-1].int >> 80 <= after + 10


def test_new_id_is_unique_over_threads() -> None:
    lists: list[list[str]] = [[] for _ in range(4)]

    def make(into: list[str]) -> None:
        into += [new_id() for _ in range(2000)]

    threads = [threading.Thread(target=make, args=(into,)) for into in lists]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({id_ for ids in lists for id_ in ids}) == 8000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_new_id_is_random_again_in_a_forked_child() -> None:
    """Random bytes are drawn for many ids at once; a child must not use those of its parent."""
    new_id()  # there are some left
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, new_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        os.close(writing)
        theirs = pipe.read()

    assert len(theirs) == 36
    assert theirs[19:] not in [new_id()[19:] for _ in range(300)]


def test_new_id_increases_when_the_clock_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_id()
    monkeypatch.setattr(time, "time_ns", lambda: 1_000_000_000)

    assert new_id() > first


@pytest.mark.parametrize("text", ["x", "a b", "ü🦁", "x" * 200, "%", "'"])
def test_check_id_accepts_printable_text(text: str) -> None:
    assert check_id(text) is text


@pytest.mark.parametrize("value", ["", "x" * 201, "a\tb", "\0", "\ud800", "\u200b", None, 5, b"x"])
def test_check_id_refuses_other_values(value: object) -> None:
    with pytest.raises(InvalidInput, match="thing must be 1 to 200 printable"):
        check_id(value, "thing")


# ── JSON ─────────────────────────────────────────────────────────────────


def test_dump_is_compact_and_readable() -> None:
    assert dump({"a": [1, 2.5, None, True, "ü🦁"], "b": {}}) == '{"a":[1,2.5,null,true,"ü🦁"],"b":{}}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("\ud800", r'"\ud800"'),
        ("a\udfff", r'"a\udfff"'),
        ("\ud83e\udd81", '"🦁"'),
        ("\ud800\ud83e\udd81", r'"\ud800🦁"'),
        ("\\\ud800", r'"\\\ud800"'),
        ("\0", r'"\u0000"'),
        (2**64, "18446744073709551616"),
        ({"\udc00": 1}, r'{"\udc00":1}'),
    ],
)
def test_dump_escapes_surrogates(value: Any, text: str) -> None:
    assert dump(value) == spell(value) == text
    assert dump(load(text)) == text


def nested(levels: int, inner: Any = 1) -> Any:
    for number in range(levels):
        inner = [inner] if number % 2 else {"k": inner}
    return inner


def test_json_depth_is_bounded() -> None:
    assert load(dump(nested(MAX_DEPTH))) == nested(MAX_DEPTH)
    with pytest.raises(InvalidInput, match="more than 200 levels") as refusal:
        dump(nested(MAX_DEPTH + 1), "the thing")
    assert str(refusal.value).startswith("the thing")
    assert refusal.value.hint
    for text in ("[" * 300 + "]" * 300, "[" * 100_000):
        with pytest.raises(ValueError, match="too deeply"):
            load(text)


def test_json_depth_ignores_siblings() -> None:
    wide = [[] for _ in range(1000)]  # type: ignore[var-annotated]
    assert load(dump(wide)) == wide
    assert load(dump("[" * 1000)) == "[" * 1000


def test_dump_refuses_values_that_are_not_json() -> None:
    for value in (math.nan, math.inf, b"x", {1, 2}, object(), 10**5000, {(1, 2): 3}):
        with pytest.raises(InvalidInput):
            dump({"a": value})


@pytest.mark.parametrize("text", [' {"a":1}', '{"a":1}\n', '\t{"a": 1 } '])
def test_load_allows_white_space_around_a_value(text: str) -> None:
    assert load(text) == {"a": 1}


@pytest.mark.parametrize(
    "text", ["", "nul", "{", "[1,]", "{}{}", "1 2", "NaN", "[Infinity]", "1e999", "-1e999", "9" * 5000, '"\n"']
)
def test_load_or_keep_wraps_invalid_json(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (the messages differ)
        load(text)
    assert load_or_keep(text) == {"unreadable": text}


def test_load_or_keep_passes_other_types() -> None:
    assert [load_or_keep(value) for value in (None, 5, 2.5, math.inf, b"\xff")] == [
        None,
        5,
        2.5,
        {"unreadable": "inf"},
        {"unreadable": "b'\\xff'"},
    ]


def test_jsonable_converts_any_value() -> None:
    value = {1: (1, {2}), "p": Path("/x"), "n": math.nan, "b": b"x", None: frozenset(), "t": True}

    assert jsonable(value) == {"1": [1, [2]], "p": "/x", "n": "nan", "b": "b'x'", "None": [], "t": True}
    assert spell(value) == dump(jsonable(value))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain", "plain"), ("ü🦁", "ü🦁"), ("a\0b", "a\\x00b"), ("\ud800", "\\ud800"), ("\n", "\n"), ("", "")],
)
def test_visible_escapes_text(text: str, shown: str) -> None:
    assert visible(text) == shown


# ── Elements ─────────────────────────────────────────────────────────────


def test_find_class_knows_every_tag() -> None:
    classes = (
        System,
        Instruction,
        messages.AssistantResponse,
        ActionRequest,
        ActionResponse,
        Progression,
        Branch,
        Session,
        Show,
        Play,
        Team,
        TeamMessage,
    )
    assert [find_class(cls.TAG) for cls in classes] == list(classes)
    assert find_class("elsewhere.Thing") is None
    assert len({cls.TAG for cls in classes}) == len(classes)


def test_elements_are_frozen_and_to_dict_copies() -> None:
    session = Session(metadata={"a": [1]}, reason_codes=("x",))
    data = session.to_dict()
    data["metadata"]["a"].append(2)

    assert session.metadata == {"a": [1]}
    with pytest.raises(FrozenInstanceError):
        session.name = "x"  # type: ignore[misc]
    assert not hasattr(session, "__dict__")


def test_to_dict_db_has_column_names() -> None:
    data = Message(id="m", created_at=1.0, metadata={"a": 1}, embedding=(1.0, -2.0)).to_dict("db")

    assert data == {
        "id": "m",
        "created_at": 1.0,
        "node_metadata": {"a": 1},
        "content": None,
        "embedding": b"\x00\x00\x80\x3f\x00\x00\x00\xc0",
        "sender": None,
        "recipient": None,
        "channel": None,
        "role": None,
    }
    assert Progression(id="p", created_at=1.0, order=("a",)).to_dict("db")["collection"] == ["a"]


def test_to_dict_json_has_plain_statuses() -> None:
    session = Session(status=SessionStatus.RUNNING)

    assert type(session.to_dict("json")["status"]) is type(session.to_dict("db")["status"]) is str
    assert session.to_dict()["status"] is SessionStatus.RUNNING
    assert Session.from_dict({"status": "running"}).status is SessionStatus.RUNNING
    assert Session.from_dict({"status": "dreaming"}).status == "dreaming"


def test_from_dict_keeps_unknown_keys() -> None:
    session = Session.from_dict({"id": "s", "mood": "good", "metadata": {"extra": {"a": 1}}})

    assert session.metadata == {"extra": {"a": 1, "mood": "good"}}


def test_from_dict_keeps_an_unknown_tag() -> None:
    message = Message.from_dict({"id": "m", "metadata": {"lion_class": "my.Thing"}, "content": {}})

    assert (type(message), message.tag) == (Message, "my.Thing")
    assert message.to_dict()["metadata"] == {"lion_class": "my.Thing"}


def test_from_dict_ignores_the_tag_of_another_class() -> None:
    assert type(Message.from_dict({"metadata": {"lion_class": Session.TAG}})) is Message


CONTENTS: dict[str, tuple[dict[str, Any], type[Message], str]] = {
    "system": ({"system_message": "s"}, System, "system"),
    "instruction": ({"instruction": "i"}, Instruction, "user"),
    "answer": ({"assistant_response": "a"}, messages.AssistantResponse, "assistant"),
    "call": ({"function": "f", "arguments": {}}, ActionRequest, "assistant"),
    "result": ({"function": "f", "output": 1, "action_request_id": "r"}, ActionResponse, "tool"),
    "failure": ({"function": "f", "error": "e", "action_request_id": "r"}, ActionResponse, "tool"),
    "result alone": ({"output": None}, ActionResponse, "tool"),
}


@pytest.mark.parametrize("what", CONTENTS)
def test_create_message_selects_class_and_role(what: str) -> None:
    content, cls, role = CONTENTS[what]
    message = create_message(content, sender="me")

    assert (type(message), message.role, message.content, message.sender) == (cls, role, content, "me")
    assert messages.TYPE_IDS[message.tag] in range(1, 6)


def test_create_message_refuses_unknown_content() -> None:
    with pytest.raises(InvalidInput) as refusal:
        create_message({"text": "x"})
    assert refusal.value.hint is not None
    assert "instruction" in refusal.value.hint


def test_pack_and_unpack_float32() -> None:
    assert messages.pack([1.0, -2.5]) == b"\x00\x00\x80\x3f\x00\x00\x20\xc0"
    assert messages.unpack(messages.pack([1.0, -2.5])) == (1.0, -2.5)
    with pytest.raises(InvalidInput):
        messages.unpack(b"abc")


def test_branch_fork_point() -> None:
    def fork(**metadata: Any) -> ForkPoint | None:
        return Branch(metadata=metadata).fork

    assert fork(parent_branch_id="p", forked_at_ord=3) == ForkPoint("p", 3)
    assert fork() is fork(parent_branch_id="p") is fork(parent_branch_id=5, forked_at_ord=1) is None
    assert fork(parent_branch_id="p", forked_at_ord="3") is None


def test_duration_ms_of_sessions_and_plays() -> None:
    assert Session(started_at=1.0, ended_at=3.5).duration_ms == 2500
    assert Play(show_id="s", name="p", started_at=1.0, ended_at=1.0).duration_ms == 0
    assert Session(started_at=1.0).duration_ms is Session(ended_at=1.0).duration_ms is None
    assert "duration_ms" not in {field.name for field in fields(Session)}


def test_progression_append_and_include() -> None:
    assert Progression(order=("a",)).append("b").order == ("a", "b")
    message = Message(id="c")
    progression = Progression(order=("a",)).include("a").include(message).append(message)
    assert progression.order == ("a", "c", "c")
    assert Progression.from_dict(progression.to_dict("db")) == progression


@pytest.mark.parametrize(
    ("content", "summary"),
    [("x" * 200, None), ("\n \nFirst.\n" + "x" * 300, "First."), ("y" * 201, "y" * 199 + "…"), (" " * 300, "")],
)
def test_summarize_long_messages(content: str, summary: str | None) -> None:
    assert summarize(content) == summary


# ── Usage ────────────────────────────────────────────────────────────────


def test_usage_plus() -> None:
    one, other = Usage(1, 2, 3, 4, 5), Usage.of({"input_tokens": 10, "cost_microusd": None})

    assert one.plus(other) == Usage(11, 2, 3, 4, 5)
    assert NOTHING.plus(other).cost_microusd is None
    assert Usage.of(None) == Usage.of({}) == NOTHING
    assert Usage.of({"input_tokens": 10**12, "unknown": "x"}) == Usage(10**12)


@pytest.mark.parametrize("value", [-1, 10**12 + 1, 1.0, "1", True, [1]])
def test_usage_of_refuses_invalid_counts(value: Any) -> None:
    with pytest.raises(InvalidInput, match="input_tokens"):
        Usage.of({"input_tokens": value})


# ── Statuses ─────────────────────────────────────────────────────────────


def test_enums_match_the_records() -> None:
    assert {*SessionStatus} >= {"running", "completed", "failed", "aborted"}
    assert {*PlayStatus} >= {
        "pending",
        "prepared",
        "running",
        "running_complete",
        "gated",
        "gate_failed",
        "redoing",
        "merged",
        "escalated",
        "blocked",
        "aborted_after_finish",
    }
    assert {*statuses.ShowStatus} == {"active", "completed", "aborted", "imported"}
    assert {*statuses.TeamStatus} == {"active", "archived"}


def test_session_transitions_start_at_running() -> None:
    ends = set(SessionStatus) - {SessionStatus.RUNNING}
    assert {SessionStatus.RUNNING: ends, **{end: frozenset() for end in ends}} == SESSION_TRANSITIONS
    assert EXIT_CODES == {"completed": 0, "failed": 1, "timed_out": 124, "aborted": 130, "cancelled": 143}


def test_play_transitions_reach_an_end() -> None:
    reach = {PlayStatus.MERGED, PlayStatus.ABORTED_AFTER_FINISH}
    while more := {old for old, news in PLAY_TRANSITIONS.items() if news & reach} - reach:
        reach |= more
    assert reach == set(PlayStatus)


def test_parse_lists_valid_values() -> None:
    assert parse(SessionStatus, "failed", "status") is SessionStatus.FAILED
    for value in ("done", "", None, 5, "FAILED"):
        with pytest.raises(InvalidInput) as refusal:
            parse(SessionStatus, value, "status")
        assert refusal.value.hint == "use one of: running, completed, failed, timed_out, aborted, cancelled"


def test_check_transition_lists_allowed_statuses() -> None:
    check_transition(PLAY_TRANSITIONS, PlayStatus.PENDING, PlayStatus.PREPARED, "play p")
    with pytest.raises(IllegalTransition, match="play p is pending and cannot become merged") as refusal:
        check_transition(PLAY_TRANSITIONS, PlayStatus.PENDING, PlayStatus.MERGED, "play p")
    assert refusal.value.hint == "allowed from pending: blocked, escalated, prepared"


# ── Errors and crash points ──────────────────────────────────────────────


def test_error_to_dict() -> None:
    error = errors.Busy("held", hint="wait")

    assert error.to_dict() == {"code": "busy", "message": "held", "hint": "wait", "retryable": True}
    assert str(error) == "held"


def test_crash_point_kills_only_when_named() -> None:
    point("anywhere")
    program = "from lionstudio.crash import point\nfor n in range(5): point('here'); print(n, flush=True)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"LIONAGI_CRASH_AT": "here:3", "PATH": ""}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.split()) == (-9, ["0", "1"])


def test_element_tag_is_own_or_unknown() -> None:
    assert Element().tag == "__unknown__"
    assert Element().to_dict()["metadata"] == {}
