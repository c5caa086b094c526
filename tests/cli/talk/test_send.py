"""`li send`: receipts, exit codes, senders, and messages to runs that end or are killed."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.talks import Home, home_in
from tests.support.waiting import wait_until


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with home_in(tmp_path) as home:
        yield home


def test_send_is_queued_and_taken(home: Home) -> None:
    session = home.start("@sleep 60")

    assert home.li("send", session, "hello").out == "Queued: now\nTaken at #1\n"
    sent = home.li("send", session, "-", "--json", "--as", "Ada", input=b"from a pipe").json["message"]
    assert (sent["text"], sent["sender"], sent["status"], sent["taken_ord"]) == ("from a pipe", "Ada", "taken", 3)
    assert home.texts(session)[1:] == ["hello", "You said: hello", "from a pipe", "You said: from a pipe"]


def test_send_next_waits_for_the_turn_and_instead_replaces_it(home: Home) -> None:
    session = home.start("@run sleep 8\n@say first\n@sleep 60\n@say never")

    queued = home.li("send", session, "@say last", "--next")
    assert queued == (0, "Queued: next\n", "")
    assert home.li("send", session, "@say second", "--instead", "--wait", "20").out.endswith("Taken at #3\n")
    home.li("wait", session)
    assert [text for text in home.texts(session) if text in ("first", "second", "last", "never")] == ["second", "last"]


def test_send_wait_gives_up_after_its_time(home: Home) -> None:
    session = home.start("@run sleep 20")

    assert home.li("send", session, "hello", "--wait", "1").code == 124
    assert "queued" in home.li("state", "show", session).out


def test_send_to_an_ended_run_names_the_command_that_continues_it(home: Home) -> None:
    session = home.start("@say done")
    home.li("wait", session)

    refused = home.li("send", session, "it's\x20more work")
    assert (refused.code, refused.out) == (1, "")
    assert "the run has ended (completed)" in refused.err
    hint = refused.err.partition("try: ")[2].strip()
    continued = home.li(*shlex.split(hint)[1:])
    assert (continued.code, continued.out) == (0, "You said: it's more work\n")


def test_send_to_an_unknown_run_and_with_wrong_arguments(home: Home) -> None:
    session = home.start("@sleep 60")

    assert home.li("send", "nothing", "hello").code == 3
    assert home.li("send", session, "  ").code == 2
    assert home.li("send", session, "x", "--now", "--next").code == 2
    assert home.li("send", session, "x", "--as", "agent smith").code == 2
    assert home.li("send", session, "-", input=b"\xff\xfe").code == 2


def test_send_to_a_run_that_takes_no_messages_says_so(home: Home) -> None:
    done = home.li("agent", "command", "go", "--background", "--quiet", "--", "sleep", "20")
    session = done.out.strip()

    refused = home.li("send", session, "hello")
    assert (refused.code, "takes no messages" in refused.err) == (2, True)
    home.li("kill", session)


def test_agent_sends_only_as_itself_and_not_to_itself(home: Home) -> None:
    listener = home.start("@sleep 60")
    commands = (f"li send {listener} hello", f"li send {listener} x --as root", "sh -c 'li send $LIONAGI_SESSION_ID y'")
    sender = home.start("\n".join(f"@run {command}" for command in commands))
    home.li("wait", sender)

    [taken] = home.show(listener)["session"]["inbox"]
    assert taken["sender"] == f"agent script (session {sender})"
    assert taken["text"] == f"Message from agent script (session {sender}), not from the user:\n\n  hello"
    refusals = [text for text in home.texts(sender) if "sending is refused" in text]
    assert len(refusals) == 2
    assert (home.path / "logs" / "studio.log").read_text().count("refused_decision") == 2


def test_message_survives_the_recorder_killed_before_it_is_taken(home: Home) -> None:
    session = home.start("@run sleep 60\n@say never")
    assert home.li("send", session, "remember me").code == 0
    pid = home.show(session)["session"]["owner"]["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: home.show(session)["session"]["status"] == "failed")

    [receipt] = home.show(session)["session"]["inbox"]
    assert (receipt["text"], receipt["taken_ord"]) == ("remember me", None)
    assert "not taken before the run ended" in home.li("state", "show", session).out
    assert "remember me" not in home.texts(session)
    assert home.li("send", session, "again").code == 1


@pytest.mark.parametrize("number", range(3))
def test_message_to_a_run_that_ends_now_is_taken_refused_or_kept(home: Home, number: int) -> None:
    session = home.start(f"@sleep 0.{number + 2}")

    done = home.li("send", session, "just in time?", "--wait", "20")
    home.li("wait", session)
    inbox = home.show(session)["session"]["inbox"]
    if done.code == 0:
        assert (inbox[0]["taken_ord"], "You said: just in time?" in home.texts(session)) == (1, True)
    elif "Queued" in done.out:
        assert (done.code, inbox[0]["taken_ord"]) == (1, None)
        assert "It is kept" in done.err
    else:
        assert (done.code, inbox) == (1, [])
