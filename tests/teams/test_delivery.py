"""Team messages to running members: taken once, read when taken, kept when the run dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.talks import Home, home_in
from tests.support.waiting import wait_until

# sends the next message, whose text makes the other agent call this script
REPLY = """
next=$(( $(cat count) + 1 ))
[ $next -gt 10 ] && exit 0
echo $next > count
li team send pair "message $next
@run sh reply.sh $2 $1" --as $1 --to $2
"""


@pytest.fixture(params=["files", "table"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    with home_in(tmp_path) as home:
        home.env["LIONAGI_TEAMS_IN_DB_ONLY"] = "true" if request.param == "table" else "false"
        assert home.li("team", "create", "pair", "--members", "ann,bob").code == 0
        yield home


def member(home: Home, name: str, script: str) -> str:
    return home.start(script, "--team-mode", "pair", "--as", name)


def messages(home: Home) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = home.li("team", "show", "pair", "--json").json["messages"]
    return listed


def test_two_running_agents_exchange_ten_messages_without_a_person(home: Home) -> None:
    (home.folder / "reply.sh").write_text(REPLY)
    (home.folder / "count").write_text("0")
    bob = member(home, "bob", "@sleep 60\n" * 5)
    ann = member(home, "ann", "@run sh reply.sh ann bob\n" + "@sleep 60\n" * 5)

    assert home.li("wait", ann, bob, "--timeout", "50").code == 0
    sent = messages(home)
    assert [message["content"].partition("\n")[0] for message in sent] == [f"message {n}" for n in range(1, 11)]
    assert [(message["sender"], message["read_by"]) for message in sent] == [("ann", ["bob"]), ("bob", ["ann"])] * 5
    assert [message["session_id"] for message in sent] == [ann, bob] * 5
    for session, other in ((ann, "bob"), (bob, "ann")):
        inbox = home.show(session)["session"]["inbox"]
        assert [receipt["sender"] for receipt in inbox] == [f"pair/{other}"] * 5
        texts = home.texts(session)
        assert all(texts[receipt["taken_ord"]] == receipt["text"] for receipt in inbox)
    assert (home.folder / "count").read_text() == "10\n"  # each message was acted upon once


def test_message_to_all_reaches_every_running_member_but_its_sender(home: Home) -> None:
    ann, bob = member(home, "ann", "@sleep 60"), member(home, "bob", "@sleep 60")

    assert home.li("team", "send", "pair", "hello", "--as", "ann").code == 0
    wait_until(lambda: messages(home)[0]["read_by"] == ["bob"])
    assert home.texts(bob)[1] == "ann wrote to all in the team pair:\n  hello"
    assert home.texts(ann)[1:] == []


def test_message_that_a_killed_run_did_not_take_is_in_the_prompt_of_the_next(home: Home) -> None:
    session = member(home, "bob", "@run sleep 60")
    assert home.li("team", "send", "pair", "remember me", "--as", "ann", "--to", "bob").code == 0
    os.kill(home.show(session)["session"]["owner"]["pid"], signal.SIGKILL)
    wait_until(lambda: home.show(session)["session"]["status"] == "failed")

    assert messages(home)[0]["read_by"] == []
    assert "not taken before the run ended" in home.li("state", "show", session).out
    following = member(home, "bob", "@say on")
    home.li("wait", following)
    assert "ann wrote to bob: remember me" in home.texts(following)[0]
    assert messages(home)[0]["read_by"] == ["bob"]


def test_message_that_a_killed_run_took_is_not_given_to_the_next(home: Home) -> None:
    """The run dies after it took the message, before its team knows."""
    home.env["LIONAGI_CRASH_AT"] = "team.message_taken"
    session = member(home, "bob", "@sleep 60")
    del home.env["LIONAGI_CRASH_AT"]
    assert home.li("team", "send", "pair", "only once", "--as", "ann", "--to", "bob").code == 0
    wait_until(lambda: home.show(session)["session"]["status"] == "failed")
    assert "ann wrote to bob in the team pair:\n  only once" in home.texts(session)
    assert messages(home)[0]["read_by"] == []

    following = member(home, "bob", "@say on")
    home.li("wait", following)
    assert "only once" not in home.texts(following)[0]
    assert messages(home)[0]["read_by"] == ["bob"]


def test_agent_sends_only_as_the_member_that_it_is(home: Home) -> None:
    ann = member(home, "ann", "@sleep 60")
    commands = ("li team send pair forged --as ann", "li team send pair mine", "li team send pair too --as _cli")
    bob = member(home, "bob", "\n".join(f"@run {command}" for command in commands))
    stranger = home.start("@run li team send pair forged --as ann\n@run li team send pair hello --as bob")
    home.li("wait", bob, stranger)

    assert [(message["sender"], message["content"]) for message in messages(home)][:1] == [("bob", "mine")]
    assert not [message for message in messages(home) if message["content"] in ("forged", "too")]
    refusals = [text for session in (bob, stranger) for text in home.texts(session) if "is refused" in text]
    assert len([text for text in refusals if "sending as 'ann'" in text]) == 2
    assert len([text for text in refusals if "sending as '_cli'" in text]) == 1
    assert home.show(ann)["session"]["status"] == "running"
