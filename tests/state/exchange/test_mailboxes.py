"""Messages between sessions: inboxes, outboxes, channels, and a read position for every reader."""

from __future__ import annotations

import pytest
from tests.support.builders import T0, begin, read, read_history, said, write

from lionstudio.errors import Conflict, InvalidInput, NotFound
from lionstudio.state.database import Database
from lionstudio.state.exchange.mailboxes import PUBLIC, MailboxMessage, inbox, mark_read, outbox, send, unread
from lionstudio.state.feed.changes import changes_after
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message


def ids(letters: list[MailboxMessage]) -> list[str]:
    return [letter.message.id for letter in letters]


def test_send_delivers_to_inbox_and_outbox(db: Database) -> None:
    letter = said("hello", id="l", sender="ada", recipient="bob")

    assert write(db, send, letter)

    assert read(db, inbox, "bob") == read(db, outbox, "ada") == [MailboxMessage(0, letter)]
    assert read(db, inbox, "ada") == read(db, outbox, "bob") == []
    assert db.conn.value("SELECT count(*) FROM messages") == 1


def test_inbox_is_ordered_and_paged(db: Database) -> None:
    for number in range(5):
        write(db, send, said(f"{number}", id=f"l{number}", sender="ada", recipient="bob"))

    assert ids(read(db, inbox, "bob")) == ["l0", "l1", "l2", "l3", "l4"]
    assert ids(read(db, inbox, "bob", after=1, limit=2)) == ["l2", "l3"]


def test_send_same_message_delivers_once(db: Database) -> None:
    letter = said("hello", id="l", sender="ada", recipient="bob")

    assert [write(db, send, letter) for _ in range(3)] == [True, False, False]

    assert ids(read(db, inbox, "bob")) == ids(read(db, outbox, "ada")) == ["l"]


def test_send_rejects_an_id_with_other_content(db: Database) -> None:
    write(db, send, said("hello", id="l", sender="ada", recipient="bob"))

    with pytest.raises(Conflict):
        write(db, send, said("something else", id="l", sender="ada", recipient="bob"))
    with pytest.raises(Conflict):
        write(db, send, said("hello", id="l", sender="ada", recipient="carol"))

    assert read(db, inbox, "carol") == []


def test_send_accepts_a_message_of_a_branch(db: Database) -> None:
    begun = begin(db)
    message = said("look at this", id="m", sender="ada", recipient="bob")
    write(db, append, begun.branch_id, message)

    assert write(db, send, message)
    assert not write(db, send, message)

    assert ids(read(db, inbox, "bob")) == ["m"]
    assert read_history(db, begun.branch_id) == ["m"]


def test_append_accepts_a_sent_message(db: Database) -> None:
    begun = begin(db)
    letter = said("do this", id="l", sender="ada", recipient="bob")
    write(db, send, letter)
    [(_, received)] = read(db, inbox, "bob")

    assert write(db, append, begun.branch_id, received).new
    assert read_history(db, begun.branch_id) == ["l"]
    assert read(db, get_message, "l") == letter


def test_send_separates_channels(db: Database) -> None:
    write(db, send, said("1", id="a", sender="ada", recipient="bob", channel="work"))
    write(db, send, said("2", id="b", sender="ada", recipient="bob"))
    write(db, send, said("3", id="c", sender="ada", channel="work"))

    assert ids(read(db, inbox, "bob")) == ["b"]
    assert ids(read(db, inbox, "bob", channel="work")) == ["a"]
    assert ids(read(db, inbox, PUBLIC, channel="work")) == ["c"]
    assert ids(read(db, outbox, "ada", channel="work")) == ["a", "c"]


def test_unread_has_a_position_for_each_reader(db: Database) -> None:
    for number in range(4):
        write(db, send, said(f"{number}", id=f"l{number}", sender="ada", channel="news"))

    write(db, mark_read, "bob", 1, owner=PUBLIC, channel="news")
    write(db, mark_read, "carol", 3, owner=PUBLIC, channel="news")

    assert ids(read(db, unread, "bob", owner=PUBLIC, channel="news")) == ["l2", "l3"]
    assert ids(read(db, unread, "carol", owner=PUBLIC, channel="news")) == []
    assert ids(read(db, unread, "dave", owner=PUBLIC, channel="news")) == ["l0", "l1", "l2", "l3"]


def test_mark_read_never_moves_back(db: Database) -> None:
    for number in range(3):
        write(db, send, said(f"{number}", id=f"l{number}", sender="ada", recipient="bob"))
    write(db, mark_read, "bob", 1)
    write(db, mark_read, "bob", 0)

    assert ids(read(db, unread, "bob")) == ["l2"]


def test_mark_read_without_an_inbox(db: Database) -> None:
    with pytest.raises(NotFound, match="no inbox"):
        write(db, mark_read, "bob", 0)
    with pytest.raises(NotFound, match="channel news"):
        write(db, mark_read, "bob", 0, channel="news")


@pytest.mark.parametrize(
    "fields", [{"sender": "a"}, {"recipient": "b"}, {"channel": "c"}, {"sender": "", "recipient": "b"}]
)
def test_send_needs_a_sender_and_a_recipient(db: Database, fields: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        write(db, send, said(**fields))

    assert db.conn.value("SELECT count(*) FROM messages") == 0


def test_send_to_oneself(db: Database) -> None:
    write(db, send, said("note", id="l", sender="ada", recipient="ada"))

    assert ids(read(db, inbox, "ada")) == ids(read(db, outbox, "ada")) == ["l"]


def test_send_writes_a_change(db: Database) -> None:
    write(db, send, said("hello", id="l", sender="ada", recipient="bob"))

    [change] = read(db, changes_after, 0).rows
    assert change[1:] == (T0, "sent", "message", "l", "bob", None)
