"""Round trips through dictionaries in every mode and through the database are lossless, or refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.builders import trial
from tests.support.hostile import hostile_text, ids, joined, keys, maybe, objects, times, values

from lionstudio.errors import InvalidInput
from lionstudio.model import messages as model
from lionstudio.model.branches import Branch, Progression
from lionstudio.model.entity import Element, Mode
from lionstudio.model.json_codec import dump, load, visible
from lionstudio.model.messages import Message, create_message
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import (
    InvocationKind,
    PlayStatus,
    SessionStatus,
    ShowStatus,
    SourceKind,
    TeamStatus,
)
from lionstudio.model.teams import Team, TeamMessage, summarize
from lionstudio.state.branches import create_branch, get_branch
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sessions import create_session, get_session
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.teams import put_team, put_team_message, team_messages

CLASSES = (Message, model.System, model.Instruction, model.AssistantResponse, model.ActionRequest, model.ActionResponse)
float32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
element = {"id": ids, "created_at": times, "metadata": objects()}
counts = st.integers(-(2**63), 2**63 - 1)
seconds = st.none() | times
words = st.lists(hostile_text, max_size=3).map(tuple)
tags = st.sampled_from(["my.agents.Thought", "x", "ü.Ö", "a b"])

spoken = {"sender": maybe, "recipient": maybe, "channel": maybe, "role": maybe}
vectors = st.none() | st.lists(float32, max_size=4).map(tuple)
of_our_classes = [st.builds(cls, **element, content=values(), embedding=vectors, **spoken) for cls in CLASSES]
of_others = st.builds(
    Message, id=ids, created_at=times, content=objects(), metadata=tags.map(lambda tag: {"lion_class": tag})
)
messages: st.SearchStrategy[Message] = st.one_of(*of_our_classes, of_others)
sessions = st.builds(
    Session,
    **element,
    name=maybe,
    user=maybe,
    updated_at=seconds,
    playbook_name=maybe,
    agent_name=maybe,
    invocation_kind=st.none() | st.sampled_from(InvocationKind),
    show_topic=maybe,
    show_play_name=maybe,
    artifacts_path=maybe,
    source_kind=st.none() | st.sampled_from(SourceKind),
    status=st.none() | st.sampled_from(SessionStatus),
    started_at=seconds,
    ended_at=seconds,
    last_message_at=seconds,
    model=maybe,
    provider=maybe,
    project=maybe,
    cwd=maybe,
    git_commit=maybe,
    exit_code=st.none() | counts,
    delivery=maybe,
    reason_codes=words,
    owner=st.none() | objects(),
)
branches = st.builds(Branch, **element, name=maybe, user=maybe)
shows = st.builds(
    Show,
    **element,
    topic=ids,
    show_dir=hostile_text,
    goal=maybe,
    repo=maybe,
    base_branch=maybe,
    integration_branch=maybe,
    status=st.sampled_from(ShowStatus),
    status_source=maybe,
    updated_at=times,
)
plays = st.builds(
    Play,
    **element,
    show_id=st.just("show"),
    name=ids,
    playbook=maybe,
    effort=maybe,
    status=st.sampled_from(PlayStatus),
    attempt=counts,
    started_at=seconds,
    ended_at=seconds,
    exit_code=st.none() | counts,
    worktree=maybe,
    branch=maybe,
    merge_sha=maybe,
    merged_at=seconds,
    gate_passed=st.none() | st.booleans(),
    gate_feedback=maybe,
    depends_on=words,
    sort_order=counts,
    updated_at=times,
)
teams = st.builds(
    Team, **element, name=hostile_text, members=words, status=st.sampled_from(TeamStatus), updated_at=times
)
team_mail = st.builds(
    TeamMessage,
    **element,
    team_id=st.just("team"),
    sender=hostile_text,
    recipient=hostile_text,
    content=hostile_text,
    summary=maybe,
    read_by=words,
)
progressions = st.builds(Progression, **element, order=words, name=maybe)
elements = st.one_of(messages, sessions, branches, shows, plays, teams, team_mail, progressions)


@pytest.mark.parametrize("mode", get_args(Mode))
@given(thing=elements)
@settings(max_examples=100)
def test_from_dict_inverts_to_dict(mode: Mode, thing: Element) -> None:
    data = thing.to_dict(mode)

    assert type(thing).from_dict(data) == thing
    assert ("node_metadata" in data) is (mode == "db")
    assert ("metadata" in data) is (mode != "db")


@given(thing=elements.filter(lambda thing: thing.TAG != Element.TAG))
def test_from_dict_selects_the_class_by_tag(thing: Element) -> None:
    copy = Element.from_dict(thing.to_dict("json"))

    assert (type(copy), copy) == (type(thing), thing)


@given(thing=elements)
def test_to_dict_json_is_json(thing: Element) -> None:
    assert joined(json.loads(dump(thing.to_dict("json")))) == joined(thing.to_dict("json"))


@given(value=values())
def test_dump_and_load_are_lossless(value: Any) -> None:
    text = dump(value)

    assert load(text) == joined(value)
    text.encode()  # any file and any column can hold it


# ── Through the database ─────────────────────────────────────────────────


def stored(thing: Any) -> Any:
    """The value as the database returns it: JSON joins surrogate pairs, text columns escape unprintable characters."""
    data = thing.to_dict("python")
    as_json = {"metadata", "depends_on", "reason_codes", "members", "read_by", "owner"}
    if isinstance(thing, Message):
        as_json.add("content")
    return type(thing).from_dict(
        {
            key: joined(value) if key in as_json else visible(value) if type(value) is str else value
            for key, value in data.items()
        }
    )


@given(given=st.lists(messages, max_size=5, unique_by=lambda message: message.id))
def test_messages_round_trip_through_the_database(conn: Connection, given: list[Message]) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        create_branch(conn, Branch(id="b", session_id="s"))
        for message in given:
            if isinstance(message.content, (int, float)) and not isinstance(message.content, bool):
                with pytest.raises(InvalidInput):
                    append(conn, "b", message)
            else:
                append(conn, "b", message)
                assert get_message(conn, message.id) == stored(message)
                assert not append(conn, "b", message).new


@given(given=st.lists(sessions, max_size=4, unique_by=lambda session: session.id))
def test_sessions_round_trip_through_the_database(conn: Connection, given: list[Session]) -> None:
    with trial(conn):
        for session in given:
            created = create_session(conn, session)
            wanted = replace(
                stored(session),
                progression_id=created.progression_id,
                status=session.status or SessionStatus.RUNNING,
                started_at=session.created_at if session.started_at is None else session.started_at,
                updated_at=session.created_at if session.updated_at is None else session.updated_at,
                machine_id=created.machine_id if session.machine_id is None else stored(session).machine_id,
            )
            assert created == get_session(conn, session.id) == wanted


@given(branch=branches)
def test_branches_round_trip_through_the_database(conn: Connection, branch: Branch) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        created = create_branch(conn, replace(branch, session_id="s"))
        wanted = replace(stored(branch), session_id="s", progression_id=created.progression_id)
        assert created == get_branch(conn, branch.id) == wanted


@given(show=shows, play=plays)
def test_shows_and_plays_round_trip_through_the_database(conn: Connection, show: Show, play: Play) -> None:
    with trial(conn):
        assert put_show(conn, show) == stored(show)
        play = replace(play, show_id=show.id)
        assert put_play(conn, play) == stored(play)
        # written twice: the row is updated and stays equal
        assert put_show(conn, replace(show, id="other id")) == stored(show)
        assert put_play(conn, replace(play, id="other id")) == stored(play)


@given(team=teams, letter=team_mail)
def test_teams_round_trip_through_the_database(conn: Connection, team: Team, letter: TeamMessage) -> None:
    with trial(conn):
        assert put_team(conn, team) == stored(team)
        letter = replace(letter, team_id=team.id)
        wanted = stored(letter)
        wanted = replace(wanted, summary=wanted.summary or summarize(letter.content))
        for _ in range(2):
            put_team_message(conn, letter)
            assert team_messages(conn, team.id) == [wanted]


@given(st.dictionaries(keys, values(), min_size=1, max_size=3))
def test_create_message_selects_the_class_or_refuses(content: dict[str, Any]) -> None:
    deciding = {
        "system_message",
        "instruction",
        "assistant_response",
        "action_request_id",
        "output",
        "error",
        "function",
    }
    if deciding & set(content):
        assert create_message(content).tag != Message.TAG
    else:
        with pytest.raises(InvalidInput):
            create_message(content)
