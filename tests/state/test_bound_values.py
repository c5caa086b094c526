"""Rows are redacted where they are bound; what identifies something is stored as it is and found again."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.model.redaction.corpus import ALNUM, body
from tests.support.builders import begin, read, said, say, write
from tests.support.transcripts import ClaudeTranscript, main_branch, mirror

from lionstudio.model.redaction.process import read_environment
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.teams import Team
from lionstudio.state.database import Database
from lionstudio.state.definitions import find_version, save_version
from lionstudio.state.exchange.mailboxes import inbox, send
from lionstudio.state.shows import find_play, find_show, put_play, put_show
from lionstudio.state.sqlite.fulltext import index_batch
from lionstudio.state.teams import find_team, put_team

SECRET = "Zq" + body(14, ALNUM)(random.Random(4))
TOKEN = "ghp_" + body(36)(random.Random(5))


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROD_DB_PASSWORD", SECRET)
    read_environment()


@pytest.mark.parametrize("word", [SECRET, TOKEN])
def test_rows_are_found_by_a_key_that_looks_like_a_secret(db: Database, word: str) -> None:
    show = write(db, put_show, Show(topic=f"{word}-pool", show_dir=f"/shows/{word}-pool", goal=f"use {word}"))
    write(db, put_play, Play(show_id=show.id, name=f"play-{word}", worktree=f"/w/{word}", depends_on=(f"a-{word}",)))
    write(db, save_version, "agent", f"a-{word}", f"use {word}", path=f"/agents/{word}.md")

    found = read(db, find_show, f"{word}-pool")
    assert found is not None
    assert (found.show_dir, word in str(found.goal)) == (f"/shows/{word}-pool", False)
    play = read(db, find_play, show.id, f"play-{word}")
    assert play is not None
    assert (play.worktree, list(play.depends_on)) == (f"/w/{word}", [f"a-{word}"])
    version = read(db, find_version, "agent", f"a-{word}")
    assert version is not None
    assert (version.path, word in version.content) == (f"/agents/{word}.md", False)


def test_teams_are_found_by_their_name(db: Database) -> None:
    write(db, put_team, Team(name=f"team-{SECRET}", members=(f"ada-{SECRET}",)))

    team = read(db, find_team, f"team-{SECRET}")
    assert team is not None
    assert list(team.members) == [f"ada-{SECRET}"]


@pytest.mark.sqlite
def test_search_index_drops_an_entry_by_the_text_it_was_added_with(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = begin(db)
    say(db, begun.branch_id, "the word Later42secret stands here")
    write(db, index_batch)
    monkeypatch.setenv("ANOTHER_PASSWORD", "Later42secret")
    read_environment()

    write(db, lambda conn: conn.execute("UPDATE messages SET content = '{}'"))
    write(db, index_batch)

    hits = "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'Later42secret'"
    assert db.conn.value(hits) == 0


def test_mailboxes_are_found_by_their_owner(db: Database) -> None:
    write(db, send, said(f"use {SECRET}", id="l", sender="ada", recipient=f"bob-{SECRET}"))

    [letter] = read(db, inbox, f"bob-{SECRET}")
    assert (letter.message.recipient, SECRET in str(letter.message.content)) == (f"bob-{SECRET}", False)


@pytest.mark.parametrize("word", [SECRET, TOKEN])
def test_mirror_continues_a_transcript_whose_path_looks_like_a_secret(db: Database, tmp_path: Path, word: str) -> None:
    talk = ClaudeTranscript(tmp_path, folder=f"-home-{word}-app", cwd=f"/home/{word}/app")
    talk.user(f"hello {word}")
    mirror(db, tmp_path)
    talk.assistant("hi")
    mirror(db, tmp_path)

    assert len(main_branch(db, talk.session)) == 2
    assert db.conn.value("SELECT cwd FROM sessions") == f"/home/{word}/app"
    assert db.conn.value("SELECT path FROM mirror_files") == str(talk.path)
    state = json.loads(db.conn.value("SELECT state FROM mirror_files"))
    assert (state["facts"]["cwd"], word in str(state["facts"]["titles"])) == (f"/home/{word}/app", False)


def test_mirror_redacts_a_title_before_it_is_shortened(db: Database, tmp_path: Path) -> None:
    ClaudeTranscript(tmp_path).user(f"{'x' * 88} {SECRET}")
    mirror(db, tmp_path)

    title = db.conn.value("SELECT title FROM sessions")
    assert SECRET[:6] not in title
