"""Embeddings: made once each, in batches, by an endpoint or a package; found again by meaning and by both."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, begin, read, said, say, sql, write
from tests.support.commands import CommandResult, li, run_li, run_on_terminal, start_li
from tests.support.embedding_server import DIMENSIONS, Answer, EmbeddingServer, embedding_server
from tests.support.studio import AUTH, application

from lionstudio.embeddings.job import lock_path
from lionstudio.errors import Busy, InvalidInput
from lionstudio.state import embeddings
from lionstudio.state.database import Database
from lionstudio.state.embeddings import count_embedded, count_lacking, find_made
from lionstudio.state.messages.append import append
from lionstudio.studio.schemas.overview import Hits
from lionstudio.system.process_identity import RunLock

KEY = "sk-live-0123456789abcdef"


@pytest.fixture
def told(db: Database) -> Database:
    """Two projects that speak of the same things in other words."""
    garage = begin(db, "garage", name="garage", project="web", created_at=T0)
    say(db, garage.branch_id, "the automobile is red", "the database is locked", created_at=T0)
    pets = begin(db, "pets", name="pets", project="home", created_at=T0 + 10)
    say(db, pets.branch_id, "a kitten sleeps", "sqlite waits", created_at=T0 + 10)
    return db


def config(db: Database, server: EmbeddingServer | None, **more: str) -> None:
    """The settings of this home."""
    given = {"embed_url": server.url if server else None, "embed_model": "words-1", **more}
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in given.items() if value is not None]
    Path(db.path).with_name("config.toml").write_text("".join(lines))


def call(db: Database, *arguments: str) -> CommandResult:
    return run_li("--home", os.path.dirname(db.path), *arguments)


def embed(db: Database, *arguments: str) -> dict[str, Any]:
    done = call(db, "--json", "state", "embed", *arguments)
    assert done.code == 0, done.err
    found: dict[str, Any] = done.json
    return found


def found(db: Database, *arguments: str) -> list[str]:
    done = call(db, "--json", "state", "search", *arguments)
    assert done.code == 0, done.err
    return [hit["message_id"] for hit in done.json["hits"]]


def rows(db: Database) -> list[tuple[Any, ...]]:
    return sql(db, "SELECT * FROM messages ORDER BY pk")


# ── Making them ──────────────────────────────────────────────────────────


def test_only_what_is_missing_is_made_and_only_once(told: Database) -> None:
    with embedding_server() as server:
        config(told, server)
        assert embed(told)["embedded"] == 4
        before, asked = rows(told), len(server.asked)
        assert embed(told)["embedded"] == 0
        assert (rows(told), len(server.asked)) == (before, asked)
        say(told, "pets.main", "one more")
        assert embed(told)["embedded"] == 1
        assert server.texts.count("one more") == 1
    assert len(server.texts) == 5
    assert read(told, find_made) == ("words-1", DIMENSIONS)


def test_batches_and_a_limit(told: Database) -> None:
    with embedding_server() as server:
        config(told, server)
        assert embed(told, "--limit", "3", "--batch", "2")["embedded"] == 3
        assert [len(each["input"]) for each in server.asked] == [2, 1]
        assert embed(told, "--batch", "2")["embedded"] == 1


def test_a_dry_run_asks_nobody(told: Database) -> None:
    with embedding_server() as server:
        config(told, server)
        assert embed(told, "--dry-run") == {
            "schema_version": 1,
            "dry_run": True,
            "model": None,
            "embedded": 0,
            "missing": 4,
        }
        assert server.asked == []


def test_messages_without_text_are_passed_over(told: Database) -> None:
    write(told, append, "pets.main", said("", id="empty"))
    with embedding_server() as server:
        config(told, server)
        assert embed(told) == {
            "schema_version": 1,
            "model": "words-1",
            "embedded": 4,
            "empty": 1,
            "refused": 0,
            "reason": None,
        }
        asked = len(server.asked)
        assert embed(told)["empty"] == 1
        assert len(server.asked) == asked


def test_a_text_that_is_too_long_is_cut_until_it_is_taken(told: Database) -> None:
    def too_long(given: dict[str, Any], _: int) -> Answer | None:
        return Answer(400, b'{"error": {"message": "too long"}}') if max(map(len, given["input"])) > 600 else None

    write(told, append, "pets.main", said("long " * 100_000, id="long"))
    with embedding_server(too_long) as server:
        config(told, server)
        assert embed(told)["embedded"] == 5
        assert max(len(text) for text in server.texts if len(text) <= 600) == 500  # half, and half again


def test_one_that_is_refused_is_said_and_the_others_are_kept(told: Database) -> None:
    def refuses(given: dict[str, Any], _: int) -> Answer | None:
        return Answer(422, b'{"error": "no kittens"}') if any("kitten" in text for text in given["input"]) else None

    with embedding_server(refuses) as server:
        config(told, server)
        done = embed(told)
        assert (done["embedded"], done["refused"]) == (3, 1)
        assert "no kittens" in done["reason"]


def test_a_model_that_takes_nothing_is_not_asked_forever(told: Database) -> None:
    say(told, "pets.main", *(f"message {number}" for number in range(50)))
    with embedding_server(lambda given, _: Answer(400, b'{"error": {"message": "not a model"}}')) as server:
        config(told, server)
        done = call(told, "state", "embed")
        assert done.code == 1
        assert "not a model" in done.err
        assert len(server.asked) < 20


@pytest.mark.parametrize("number", ["NaN", "1e39", "0"])
def test_a_vector_without_a_direction_is_not_kept(told: Database, number: str) -> None:
    rows = ", ".join([f'{{"embedding": [{number}, 0]}}'] * 4)
    with embedding_server(lambda given, _: Answer(200, f'{{"data": [{rows}]}}'.encode())) as server:
        config(told, server)
        done = embed(told)
        assert (done["embedded"], done["refused"]) == (0, 4)
    assert read(told, count_embedded) == 0


def test_another_model_needs_all_of_them_anew(told: Database) -> None:
    with embedding_server() as server:
        config(told, server)
        embed(told)
    with embedding_server(dimensions=8) as server:
        config(told, server, embed_model="words-2")
        for refused in (call(told, "state", "embed"), call(told, "state", "search", "car", "--semantic")):
            assert refused.code == 2
            assert "words-1" in refused.err
            assert "--again" in refused.err
        assert [each["input"] for each in server.asked] == [["car"]]  # embedding was refused before anything was asked
        assert embed(told, "--again")["embedded"] == 4
        assert found(told, "kitten", "--semantic")[0] == "a kitten sleeps"
    assert read(told, find_made) == ("words-2", 8)


def test_the_same_name_with_other_vectors_is_noticed(told: Database) -> None:
    with embedding_server() as server:
        config(told, server)
        embed(told, "--limit", "2")
    with embedding_server(dimensions=8) as server:
        config(told, server)
        refused = call(told, "state", "embed")
        assert (refused.code, read(told, count_embedded)) == (2, 2)
        assert "8" in refused.err


def test_making_them_anew_may_be_cut_short(told: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with embedding_server() as server:
        config(told, server)
        embed(told)
    told.write(lambda conn: embeddings.clear_embeddings(conn, 0, 2))
    assert read(told, find_made) == ("words-1", DIMENSIONS)  # the rest is still of that model
    assert (read(told, count_embedded), read(told, count_lacking)) == (2, 2)


def test_two_at_once_would_pay_twice(told: Database) -> None:
    with embedding_server() as server, RunLock.take(lock_path(told.path)):
        config(told, server)
        done = call(told, "state", "embed")
        assert (done.code, server.asked) == (Busy.exit_code, [])


# ── Killed and interrupted ───────────────────────────────────────────────


@pytest.mark.parametrize(("point", "kept"), [("embed.made:2", 2), ("embed.stored:2", 4)])
def test_a_kill_loses_at_most_the_batch_under_way(told: Database, point: str, kept: int) -> None:
    say(told, "pets.main", "five", "six", "seven")
    with embedding_server() as server:
        config(told, server)
        env = {"LIONAGI_HOME": os.path.dirname(told.path)}
        killed = li("state", "embed", "--batch", "2", env={**env, "LIONAGI_CRASH_AT": point})
        assert killed.code == -signal.SIGKILL
        assert read(told, count_embedded) == kept
        again = embed(told, "--batch", "2")
        assert again["embedded"] == 7 - kept
        assert read(told, count_lacking) == 0


def test_ctrl_c_keeps_what_was_made(told: Database) -> None:
    say(told, "pets.main", *(f"message {number}" for number in range(20)))
    process: Any = None

    def interrupt(given: dict[str, Any], number: int) -> Answer | None:
        if number == 3:
            process.send_signal(signal.SIGINT)
        return None

    with embedding_server(interrupt) as server:
        config(told, server)
        env = {"LIONAGI_HOME": os.path.dirname(told.path)}
        with start_li("state", "embed", "--batch", "2", env=env) as process:
            _, errors = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "Stored embeddings are kept" in errors
        assert read(told, count_embedded) >= 4


def test_a_bar_on_a_terminal(told: Database) -> None:
    with embedding_server() as server:
        config(told, server)
        seen = run_on_terminal("--home", os.path.dirname(told.path), "state", "embed", "--batch", "1").out
        assert "Embedding" in seen
        assert "Embedded 4 messages with words-1" in seen


# ── Finding by them ──────────────────────────────────────────────────────


@pytest.fixture
def embedded(told: Database) -> Any:
    with embedding_server() as server:
        config(told, server)
        embed(told)
        yield told


def test_what_means_the_same_is_found_without_its_words(embedded: Database) -> None:
    assert found(embedded, "car") == []
    assert found(embedded, "car", "--semantic")[0] == "the automobile is red"
    assert found(embedded, "blocked store", "--semantic", "--limit", "2")[0] == "sqlite waits"


def test_both_put_first_what_has_the_words_and_the_meaning(embedded: Database) -> None:
    order = found(embedded, "database", "locked", "--hybrid")
    assert order[:2] == ["the database is locked", "sqlite waits"]
    assert len(order) == len(set(order)) == 4
    assert found(embedded, "???", "--hybrid", "--limit", "1") != []  # no word to match, still a vector


def test_a_hit_by_meaning_cites_its_place(embedded: Database) -> None:
    document = call(embedded, "--json", "state", "search", "vehicle", "--semantic", "--limit", "1").json
    [hit] = document["hits"]
    assert (hit["ref"], hit["session_name"], hit["snippet"]) == ("garage:0", "garage", "the automobile is red")
    assert 0 < hit["score"] <= 1
    plain = call(embedded, "state", "search", "vehicle", "--semantic", "--limit", "1").out
    assert plain.startswith("garage:0\t")
    assert plain.endswith("\tthe automobile is red\n")


@pytest.mark.parametrize(
    ("scope", "there"),
    [
        (("--project", "web"), {"the automobile is red", "the database is locked"}),
        (("--session", "pets"), {"a kitten sleeps", "sqlite waits"}),
        (("--session", "pets", "--project", "web"), set()),
        (("--since", "2099-01-01"), set()),
    ],
)
@pytest.mark.parametrize("mode", ["--semantic", "--hybrid"])
def test_the_same_filters(embedded: Database, mode: str, scope: tuple[str, ...], there: set[str]) -> None:
    assert set(found(embedded, "automobile", mode, *scope)) == there


def test_messages_that_came_since_are_mentioned(embedded: Database) -> None:
    say(embedded, "pets.main", "another automobile")
    done = call(embedded, "state", "search", "car", "--semantic")
    assert "li state embed" in done.err
    assert "li state embed" not in call(embedded, "state", "search", "car", "--semantic", "--quiet").err


def test_a_vector_that_somebody_else_stored_badly_is_last(embedded: Database) -> None:
    sql(embedded, "UPDATE messages SET embedding = zeroblob(64) WHERE id = 'sqlite waits'")
    assert found(embedded, "car", "--semantic", "--limit", "1") == ["the automobile is red"]
    assert "sqlite waits" not in found(embedded, "car", "--semantic")


def test_the_page_finds_by_meaning_too(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with embedding_server() as server, Database(str(tmp_path / "home" / "state.db")) as database:
        config(database, server)
        garage = begin(database, "garage", name="garage")
        say(database, garage.branch_id, "the automobile is red", "sqlite waits")
        with application(tmp_path) as studio:
            refused = studio.client.get("/api/search?q=car&mode=semantic", headers=AUTH)
            assert refused.status_code == 400
            assert "li state embed" in refused.json()["hint"]
            embed(database)
            for mode in ("semantic", "hybrid"):
                answer = studio.get(f"/api/search?q=car&mode={mode}&limit=1")
                Hits.model_validate(answer, strict=True)
                assert [hit["snippet"] for hit in answer["hits"]] == ["the automobile is red"]
            assert studio.client.get("/api/search?q=car&mode=guess", headers=AUTH).status_code == 422
            server.fault = lambda given, _: Answer(503)
            asked = len(server.asked)
            assert studio.client.get("/api/search?q=car&mode=semantic", headers=AUTH).status_code == 502
            assert len(server.asked) == asked + 1  # somebody waits: it is not tried again and again
            assert studio.get("/api/search?q=automobile")["hits"][0]["score"] is None


# ── What is missing ──────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("settings", "words", "sentence"),
    [
        ({}, ("state", "embed"), "no model"),
        ({}, ("state", "search", "x", "--semantic"), "no model"),
        ({"embed_model": "m"}, ("state", "embed"), "where the model m runs"),
        ({"embed_model": "model2vec:"}, ("state", "embed"), "needs the name"),
        ({"embed_model": "fastembed:m"}, ("state", "embed"), "pip install fastembed"),
        ({"embed_model": "m", "embed_url": "ftp://x/v1"}, ("state", "embed"), "not an address"),
        ({"embed_model": "m", "embed_url": "http://u:pw@127.0.0.1/v1"}, ("state", "embed"), "holds a password"),
        (
            {"embed_model": "m", "embed_url": "http://127.0.0.1:9/v1", "embed_key_variable": "NO_SUCH"},
            ("state", "embed"),
            "NO_SUCH is empty",
        ),
    ],
)
def test_what_is_not_set_up_is_said(
    told: Database, settings: dict[str, str], words: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    config(told, None, **{"embed_model": None, **settings})  # type: ignore[arg-type]
    done = call(told, *words)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert "pw" not in done.err


def test_without_embeddings_and_without_the_extension(told: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with embedding_server() as server:
        config(told, server)
        assert "li state embed" in call(told, "state", "search", "car", "--semantic").err
        monkeypatch.setitem(sys.modules, "sqlite_vec", None)
        refused = call(told, "state", "search", "car", "--hybrid")
        assert refused.code == InvalidInput.exit_code
        assert "lion-studio[semantic]" in refused.err
        assert len(server.asked) == 1  # nothing is sent where nothing can be found


def test_options_exclude_each_other(told: Database) -> None:
    assert call(told, "state", "search", "x", "--semantic", "--hybrid").code == 2


# ── Packages ─────────────────────────────────────────────────────────────

PACKAGE = """
class StaticModel:
    @classmethod
    def from_pretrained(cls, name):
        if name != "tiny":
            raise FileNotFoundError(f"no folder {name}")
        return cls()

    def encode(self, texts):
        return [Row([float("cat" in text or "kitten" in text), 1.0]) for text in texts]


class Row(list):
    def tolist(self):
        return list(self)
"""


def test_a_model_of_a_package(told: Database, tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "model2vec.py").write_text(PACKAGE)
    env = {"LIONAGI_HOME": os.path.dirname(told.path), "PYTHONPATH": str(tmp_path / "packages")}
    config(told, None, embed_model="model2vec:tiny")
    done = li("state", "embed", env=env)
    assert (done.code, done.out) == (0, "Embedded 4 messages with model2vec:tiny\n")
    hit = li("state", "search", "cat", "--semantic", "--limit", "1", env=env)
    assert "a kitten sleeps" in hit.out
    config(told, None, embed_model="model2vec:large")
    refused = li("state", "embed", env=env)
    assert refused.code == 2
    assert "no folder large" in refused.err
    assert "Traceback" not in refused.err


# ── The endpoint ─────────────────────────────────────────────────────────


def test_the_key_is_sent_and_never_shown(told: Database) -> None:
    echo = json.dumps({"error": {"message": f"bad key {KEY}"}}).encode()
    env = {"LIONAGI_HOME": os.path.dirname(told.path), "MY_KEY": KEY}
    with embedding_server(lambda given, _: Answer(401, echo)) as server:
        config(told, server, embed_key_variable="MY_KEY")
        done = li("state", "embed", env=env)
        assert done.code == 1
        assert "bad key [key]" in done.err
        assert server.keys == [f"Bearer {KEY}"]
        assert KEY not in done.out + done.err + li("config", "--json", env=env).out
    home = Path(told.path).parent
    told.close()
    assert [path for path in home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []


def test_a_redirect_does_not_carry_the_key_away(told: Database) -> None:
    with embedding_server() as elsewhere:
        away = Answer(307, b"", {"Location": f"{elsewhere.url}/embeddings"})
        with embedding_server(lambda given, _: away) as server:
            config(told, server)
            done = call(told, "state", "embed")
            assert (done.code, elsewhere.asked) == (1, [])
            assert "307" in done.err


def test_a_busy_endpoint_is_waited_for(told: Database) -> None:
    def busy(given: dict[str, Any], number: int) -> Answer | None:
        return Answer(429, b"{}", {"Retry-After": "0"}) if number < 3 else None

    with embedding_server(busy) as server:
        config(told, server)
        assert embed(told)["embedded"] == 4
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"{}",
        b'{"data": 3}',
        b'{"data": [{}]}',
        b'{"data": []}',
        b'{"data": [[1]]}',
        b"[" * 100_000,
        b'{"data": [{"embedding": ["x"]}]}',
        b'{"data": [{"embedding": []}]}',
        b'{"data": [{"embedding": [1], "index": "a"}]}',
    ],
)
def test_an_answer_that_is_none(told: Database, body: bytes) -> None:
    with embedding_server(lambda given, _: Answer(200, body)) as server:
        config(told, server)
        done = call(told, "state", "embed")
        assert (done.code, read(told, count_embedded)) == (1, 0)
        assert "Traceback" not in done.err
