"""Embeddings: computed once, in batches, by an endpoint or a package; semantic and hybrid search."""

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
from tests.support.embedding_server import DIMENSIONS, EmbeddingServer, Response, embedding_server
from tests.support.studio import AUTH, application

from lionstudio.embeddings.job import lock_path
from lionstudio.errors import Busy, InvalidInput
from lionstudio.state import embeddings
from lionstudio.state.database import Database
from lionstudio.state.embeddings import count_embedded, count_missing, find_model
from lionstudio.state.messages.append import append
from lionstudio.studio.schemas.search import Hits
from lionstudio.system.filelock import RunLock

KEY = "sk-live-0123456789abcdef"


@pytest.fixture
def messages(db: Database) -> Database:
    """Two projects with messages of the same meaning in different words."""
    garage = begin(db, "garage", name="garage", project="web", created_at=T0)
    say(db, garage.branch_id, "the automobile is red", "the database is locked", created_at=T0)
    pets = begin(db, "pets", name="pets", project="home", created_at=T0 + 10)
    say(db, pets.branch_id, "a kitten sleeps", "sqlite waits", created_at=T0 + 10)
    return db


def config(db: Database, server: EmbeddingServer | None, **more: str) -> None:
    """The settings of this home."""
    values = {"embed_url": server.url if server else None, "embed_model": "words-1", **more}
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in values.items() if value is not None]
    Path(db.path).with_name("config.toml").write_text("".join(lines))


def call(db: Database, *arguments: str) -> CommandResult:
    return run_li("--home", os.path.dirname(db.path), *arguments)


def embed(db: Database, *arguments: str) -> dict[str, Any]:
    done = call(db, "--json", "state", "embed", *arguments)
    assert done.code == 0, done.err
    result: dict[str, Any] = done.json
    return result


def search(db: Database, *arguments: str) -> list[str]:
    done = call(db, "--json", "state", "search", *arguments)
    assert done.code == 0, done.err
    return [hit["message_id"] for hit in done.json["hits"]]


def rows(db: Database) -> list[tuple[Any, ...]]:
    return sql(db, "SELECT * FROM messages ORDER BY pk")


# ── Computing ─────────────────────────────────────────────────────────────


def test_embed_computes_only_missing_embeddings(messages: Database) -> None:
    with embedding_server() as server:
        config(messages, server)
        assert embed(messages)["embedded"] == 4
        before, asked = rows(messages), len(server.requests)
        assert embed(messages)["embedded"] == 0
        assert (rows(messages), len(server.requests)) == (before, asked)
        say(messages, "pets.main", "one more")
        assert embed(messages)["embedded"] == 1
        assert server.texts.count("one more") == 1
    assert len(server.texts) == 5
    assert read(messages, find_model) == ("words-1", DIMENSIONS)


def test_embed_batches_and_limit(messages: Database) -> None:
    with embedding_server() as server:
        config(messages, server)
        assert embed(messages, "--limit", "3", "--batch", "2")["embedded"] == 3
        assert [len(item["input"]) for item in server.requests] == [2, 1]
        assert embed(messages, "--batch", "2")["embedded"] == 1


def test_embed_dry_run_sends_no_request(messages: Database) -> None:
    with embedding_server() as server:
        config(messages, server)
        assert embed(messages, "--dry-run") == {
            "schema_version": 1,
            "dry_run": True,
            "model": None,
            "embedded": 0,
            "missing": 4,
        }
        assert server.requests == []


def test_embed_skips_messages_without_text(messages: Database) -> None:
    write(messages, append, "pets.main", said("", id="empty"))
    with embedding_server() as server:
        config(messages, server)
        assert embed(messages) == {
            "schema_version": 1,
            "model": "words-1",
            "embedded": 4,
            "empty": 1,
            "refused": 0,
            "reason": None,
        }
        asked = len(server.requests)
        assert embed(messages)["empty"] == 1
        assert len(server.requests) == asked


def test_embed_shortens_long_text_until_accepted(messages: Database) -> None:
    def too_long(request: dict[str, Any], _: int) -> Response | None:
        return Response(400, b'{"error": {"message": "too long"}}') if max(map(len, request["input"])) > 600 else None

    write(messages, append, "pets.main", said("long " * 100_000, id="long"))
    with embedding_server(too_long) as server:
        config(messages, server)
        assert embed(messages)["embedded"] == 5
        assert max(len(text) for text in server.texts if len(text) <= 600) == 500  # half, and half again


def test_embed_reports_refused_messages(messages: Database) -> None:
    def refuses(request: dict[str, Any], _: int) -> Response | None:
        return Response(422, b'{"error": "no kittens"}') if any("kitten" in text for text in request["input"]) else None

    with embedding_server(refuses) as server:
        config(messages, server)
        done = embed(messages)
        assert (done["embedded"], done["refused"]) == (3, 1)
        assert "no kittens" in done["reason"]


def test_embed_stops_when_every_text_is_refused(messages: Database) -> None:
    say(messages, "pets.main", *(f"message {number}" for number in range(50)))
    with embedding_server(lambda request, _: Response(400, b'{"error": {"message": "not a model"}}')) as server:
        config(messages, server)
        done = call(messages, "state", "embed")
        assert done.code == 1
        assert "not a model" in done.err
        assert len(server.requests) < 20


@pytest.mark.parametrize("number", ["NaN", "1e39", "0"])
def test_embed_drops_zero_vectors(messages: Database, number: str) -> None:
    rows = ", ".join([f'{{"embedding": [{number}, 0]}}'] * 4)
    with embedding_server(lambda request, _: Response(200, f'{{"data": [{rows}]}}'.encode())) as server:
        config(messages, server)
        done = embed(messages)
        assert (done["embedded"], done["refused"]) == (0, 4)
    assert read(messages, count_embedded) == 0


def test_embed_with_another_model_requires_again(messages: Database) -> None:
    with embedding_server() as server:
        config(messages, server)
        embed(messages)
    with embedding_server(dimensions=8) as server:
        config(messages, server, embed_model="words-2")
        for refused in (call(messages, "state", "embed"), call(messages, "state", "search", "car", "--semantic")):
            assert refused.code == 2
            assert "words-1" in refused.err
            assert "--again" in refused.err
        assert [item["input"] for item in server.requests] == [["car"]]  # refused before any request
        assert embed(messages, "--again")["embedded"] == 4
        assert search(messages, "kitten", "--semantic")[0] == "a kitten sleeps"
    assert read(messages, find_model) == ("words-2", 8)


def test_embed_detects_changed_dimensions(messages: Database) -> None:
    with embedding_server() as server:
        config(messages, server)
        embed(messages, "--limit", "2")
    with embedding_server(dimensions=8) as server:
        config(messages, server)
        refused = call(messages, "state", "embed")
        assert (refused.code, read(messages, count_embedded)) == (2, 2)
        assert "8" in refused.err


def test_embed_again_can_be_interrupted(messages: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with embedding_server() as server:
        config(messages, server)
        embed(messages)
    messages.write(lambda conn: embeddings.clear_embeddings(conn, 0, 2))
    assert read(messages, find_model) == ("words-1", DIMENSIONS)  # the rest is still of that model
    assert (read(messages, count_embedded), read(messages, count_missing)) == (2, 2)


def test_embed_refuses_a_second_job(messages: Database) -> None:
    with embedding_server() as server, RunLock.take(lock_path(messages.path)):
        config(messages, server)
        done = call(messages, "state", "embed")
        assert (done.code, server.requests) == (Busy.exit_code, [])


# ── Killed and interrupted ───────────────────────────────────────────────


@pytest.mark.parametrize(("point", "stored"), [("embed.made:2", 2), ("embed.stored:2", 4)])
def test_killed_embed_loses_at_most_one_batch(messages: Database, point: str, stored: int) -> None:
    say(messages, "pets.main", "five", "six", "seven")
    with embedding_server() as server:
        config(messages, server)
        env = {"LIONAGI_HOME": os.path.dirname(messages.path)}
        killed = li("state", "embed", "--batch", "2", env={**env, "LIONAGI_CRASH_AT": point})
        assert killed.code == -signal.SIGKILL
        assert read(messages, count_embedded) == stored
        again = embed(messages, "--batch", "2")
        assert again["embedded"] == 7 - stored
        assert read(messages, count_missing) == 0


def test_interrupted_embed_keeps_finished_batches(messages: Database) -> None:
    say(messages, "pets.main", *(f"message {number}" for number in range(20)))
    process: Any = None

    def interrupt(request: dict[str, Any], number: int) -> Response | None:
        if number == 3:
            process.send_signal(signal.SIGINT)
        return None

    with embedding_server(interrupt) as server:
        config(messages, server)
        env = {"LIONAGI_HOME": os.path.dirname(messages.path)}
        with start_li("state", "embed", "--batch", "2", env=env) as process:
            _, errors = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "Stored embeddings are kept" in errors
        assert read(messages, count_embedded) >= 4


def test_embed_shows_progress_on_a_terminal(messages: Database) -> None:
    with embedding_server() as server:
        config(messages, server)
        seen = run_on_terminal("--home", os.path.dirname(messages.path), "state", "embed", "--batch", "1").out
        assert "Embedding" in seen
        assert "Embedded 4 messages with words-1" in seen


# ── Search ───────────────────────────────────────────────────────────────


@pytest.fixture
def embedded(messages: Database) -> Any:
    with embedding_server() as server:
        config(messages, server)
        embed(messages)
        yield messages


def test_semantic_search_finds_synonyms(embedded: Database) -> None:
    assert search(embedded, "car") == []
    assert search(embedded, "car", "--semantic")[0] == "the automobile is red"
    assert search(embedded, "blocked store", "--semantic", "--limit", "2")[0] == "sqlite waits"


def test_hybrid_search_ranks_keyword_and_meaning_first(embedded: Database) -> None:
    order = search(embedded, "database", "locked", "--hybrid")
    assert order[:2] == ["the database is locked", "sqlite waits"]
    assert len(order) == len(set(order)) == 4
    assert search(embedded, "???", "--hybrid", "--limit", "1") != []  # no word to match, still a vector


def test_semantic_hit_has_its_position(embedded: Database) -> None:
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
def test_semantic_search_filters(embedded: Database, mode: str, scope: tuple[str, ...], there: set[str]) -> None:
    assert set(search(embedded, "automobile", mode, *scope)) == there


def test_semantic_search_mentions_missing_embeddings(embedded: Database) -> None:
    say(embedded, "pets.main", "another automobile")
    done = call(embedded, "state", "search", "car", "--semantic")
    assert " state embed" in done.err
    assert "li state embed" not in call(embedded, "state", "search", "car", "--semantic", "--quiet").err


def test_semantic_search_excludes_zero_vectors(embedded: Database) -> None:
    sql(embedded, "UPDATE messages SET embedding = zeroblob(64) WHERE id = 'sqlite waits'")
    assert search(embedded, "car", "--semantic", "--limit", "1") == ["the automobile is red"]
    assert "sqlite waits" not in search(embedded, "car", "--semantic")


def test_api_semantic_search(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with embedding_server() as server, Database(str(tmp_path / "home" / "state.db")) as database:
        config(database, server)
        garage = begin(database, "garage", name="garage")
        say(database, garage.branch_id, "the automobile is red", "sqlite waits")
        with application(tmp_path) as studio:
            refused = studio.client.get("/api/search?q=car&mode=semantic", headers=AUTH)
            assert refused.status_code == 400
            assert " state embed" in refused.json()["hint"]
            embed(database)
            for mode in ("semantic", "hybrid"):
                answer = studio.get(f"/api/search?q=car&mode={mode}&limit=1")
                Hits.model_validate(answer, strict=True)
                assert [hit["snippet"] for hit in answer["hits"]] == ["the automobile is red"]
            assert studio.client.get("/api/search?q=car&mode=guess", headers=AUTH).status_code == 422
            server.fault = lambda request, _: Response(503)
            asked = len(server.requests)
            assert studio.client.get("/api/search?q=car&mode=semantic", headers=AUTH).status_code == 502
            assert len(server.requests) == asked + 1  # a user waits: no retries
            assert studio.get("/api/search?q=automobile")["hits"][0]["score"] is None


# ── Configuration ────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("settings", "words", "sentence"),
    [
        ({}, ("state", "embed"), "embed_model is not set"),
        ({}, ("state", "search", "x", "--semantic"), "embed_model is not set"),
        ({"embed_model": "m"}, ("state", "embed"), "embed_url is not set, and m is"),
        ({"embed_model": "model2vec:"}, ("state", "embed"), "needs the name"),
        ({"embed_model": "fastembed:m"}, ("state", "embed"), "pip install fastembed"),
        ({"embed_model": "m", "embed_url": "ftp://x/v1"}, ("state", "embed"), "embed_url is not a URL"),
        ({"embed_model": "m", "embed_url": "http://u:pw@127.0.0.1/v1"}, ("state", "embed"), "contains a password"),
        (
            {"embed_model": "m", "embed_url": "http://127.0.0.1:9/v1", "embed_key_variable": "NO_SUCH"},
            ("state", "embed"),
            "NO_SUCH, which is not set",
        ),
    ],
)
def test_embed_reports_missing_configuration(
    messages: Database, settings: dict[str, str], words: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    config(messages, None, **{"embed_model": None, **settings})  # type: ignore[arg-type]
    done = call(messages, *words)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert "pw" not in done.err


def test_semantic_search_without_embeddings_or_extension(messages: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with embedding_server() as server:
        config(messages, server)
        assert " state embed" in call(messages, "state", "search", "car", "--semantic").err
        monkeypatch.setitem(sys.modules, "sqlite_vec", None)
        refused = call(messages, "state", "search", "car", "--hybrid")
        assert refused.code == InvalidInput.exit_code
        assert "pip install sqlite-vec" in refused.err
        assert len(server.requests) == 1  # nothing is sent where nothing can be found


def test_search_options_exclude_each_other(messages: Database) -> None:
    assert call(messages, "state", "search", "x", "--semantic", "--hybrid").code == 2


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


def test_local_embedder_uses_a_package(messages: Database, tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "model2vec.py").write_text(PACKAGE)
    env = {"LIONAGI_HOME": os.path.dirname(messages.path), "PYTHONPATH": str(tmp_path / "packages")}
    config(messages, None, embed_model="model2vec:tiny")
    done = li("state", "embed", env=env)
    assert (done.code, done.out) == (0, "Embedded 4 messages with model2vec:tiny\n")
    hit = li("state", "search", "cat", "--semantic", "--limit", "1", env=env)
    assert "a kitten sleeps" in hit.out
    config(messages, None, embed_model="model2vec:large")
    refused = li("state", "embed", env=env)
    assert refused.code == 2
    assert "no folder large" in refused.err
    assert "Traceback" not in refused.err


# ── The endpoint ─────────────────────────────────────────────────────────


def test_http_embedder_sends_and_hides_the_key(messages: Database) -> None:
    echo = json.dumps({"error": {"message": f"bad key {KEY}"}}).encode()
    env = {"LIONAGI_HOME": os.path.dirname(messages.path), "MY_KEY": KEY}
    with embedding_server(lambda request, _: Response(401, echo)) as server:
        config(messages, server, embed_key_variable="MY_KEY")
        done = li("state", "embed", env=env)
        assert done.code == 1
        assert "bad key [key]" in done.err
        assert server.keys == [f"Bearer {KEY}"]
        assert KEY not in done.out + done.err + li("config", "--json", env=env).out
    home = Path(messages.path).parent
    messages.close()
    assert [path for path in home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []


def test_http_embedder_refuses_redirects(messages: Database) -> None:
    with embedding_server() as elsewhere:
        away = Response(307, b"", {"Location": f"{elsewhere.url}/embeddings"})
        with embedding_server(lambda request, _: away) as server:
            config(messages, server)
            done = call(messages, "state", "embed")
            assert (done.code, elsewhere.requests) == (1, [])
            assert "307" in done.err


def test_http_embedder_retries_a_busy_endpoint(messages: Database) -> None:
    def busy(request: dict[str, Any], number: int) -> Response | None:
        return Response(429, b"{}", {"Retry-After": "0"}) if number < 3 else None

    with embedding_server(busy) as server:
        config(messages, server)
        assert embed(messages)["embedded"] == 4
        assert len(server.requests) == 3


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
def test_http_embedder_refuses_invalid_responses(messages: Database, body: bytes) -> None:
    with embedding_server(lambda request, _: Response(200, body)) as server:
        config(messages, server)
        done = call(messages, "state", "embed")
        assert (done.code, read(messages, count_embedded)) == (1, 0)
        assert "Traceback" not in done.err
