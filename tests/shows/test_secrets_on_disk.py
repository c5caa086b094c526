"""Secrets in every text that reaches us, then a search for them in every file below the home and the shows."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from contextlib import suppress
from pathlib import Path

import pytest
from tests.model.redaction.corpus import ALNUM, body
from tests.support.archives import ExternalDbBuilder, conversation
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.transcripts import mirror

from lionstudio import record
from lionstudio.definitions.versions import Target, rollback, save
from lionstudio.errors import Conflict
from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import Report
from lionstudio.state.database import Database
from lionstudio.state.definitions import list_versions

_SOURCE = random.Random(21)
TOKEN = "ghp_" + body(36)(_SOURCE)
BEARER = body(40)(_SOURCE)
PASSWORD = f"{body(6)(_SOURCE)}!{body(5)(_SOURCE)}"
KEY_LINE = b64encode(body(45)(_SOURCE).encode()).decode()
OURS = "Zq" + body(14, ALNUM)(_SOURCE)  # only a variable of our own environment, of no shape
SECRETS = (TOKEN, BEARER, PASSWORD, KEY_LINE, OURS)
ENVIRONMENT = {"PROD_DB_PASSWORD": OURS}
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINE}\n-----END RSA PRIVATE KEY-----"
LINE = f"{TOKEN} Authorization: Bearer {BEARER} db_password={PASSWORD} {OURS}"
TEXT = f"{LINE}\n{PEM}\n"


def find_leaks(*folders: Path) -> list[tuple[str, str]]:
    """(file, secret) of every secret that a file has in clear; the log of the database counts too."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    contents = {str(path): path.read_bytes() for path in files}
    assert any(path.endswith("state.db") for path in contents)
    return [(path, s) for path, content in contents.items() for s in SECRETS if s.encode() in content]


@pytest.fixture
def harness(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path / "show")


@pytest.fixture
def material(tmp_path: Path) -> Path:
    """A file outside of our folders that agents and gates print."""
    path = tmp_path / "material.txt"
    path.write_text(TEXT)
    return path


def test_runs_leave_no_secret_on_disk(harness: ShowHarness, material: Path) -> None:
    script = "\n".join(
        [
            f"@run cat {material}",
            f"@say {LINE}",
            f"@think {LINE}",
            f"@tool Read {LINE}",
            f"@error Read {LINE}",
            f"@agent helper-{TOKEN}",
            f"@say {LINE}",
            "@end",
            f"@fail 3 {LINE}",
        ]
    )
    harness.li("agent", "script", script, "--stream-persist", "--name", f"name {LINE}", **ENVIRONMENT)
    run = harness.li("state", "ls", "--json").json["sessions"][0]["id"]
    for words in (["note", run, TEXT], ["tag", run, TOKEN], ["rename", run, f"again {LINE}"]):
        answer = harness.li("state", *words, **ENVIRONMENT)
        assert answer.code in (0, 2), answer.err
    harness.li("team", "create", "review", "a", "b")
    harness.li("team", "send", "review", LINE, "--from", "a", **ENVIRONMENT)
    harness.li("state", "index")

    assert find_leaks(harness.home) == []


def test_gates_leave_no_secret_on_disk(harness: ShowHarness, material: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*next(iter(ENVIRONMENT.items())))
    play = {"prompt": f"@run cat {material}\n@write a.txt alpha", "max_attempts": 2}
    gate = {"command": ["sh", "-c", f"cat {material}; exit 1"]}
    harness.write_plan({"a": play}, gates=[gate], setup=[["cat", str(material)]])

    harness.direct(durable=True)
    harness.li("show", "redo", TOPIC, "a", "--feedback", LINE, **ENVIRONMENT)

    logs = list(harness.show_dir.rglob("gate-1.log"))
    assert logs
    assert all("[REDACTED:" in path.read_text() for path in logs)
    assert find_leaks(harness.home, harness.shows) == []


def test_record_leaves_no_secret_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv(*next(iter(ENVIRONMENT.items())))
    path = str(home / "state.db")
    with suppress(RuntimeError), record(f"run {LINE}", metadata={"password": PASSWORD, "x": [TEXT]}, path=path) as run:
        run.system(TEXT)
        run.user(f"{'x' * 60} {LINE}")  # the title is cut in the middle of a secret
        run.assistant(TEXT, note=LINE)
        run.tool(f"tool-{TOKEN}", {"api_key": BEARER, "env": {"PASSWORD": PASSWORD}}, {"output": TEXT})
        run.branch(f"branch {LINE}").assistant(LINE)
        raise RuntimeError(LINE)

    assert find_leaks(home) == []


def test_imports_leave_no_secret_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database of another tool, one that claims to be ours, and a transcript."""
    monkeypatch.setenv(*next(iter(ENVIRONMENT.items())))
    home = tmp_path / "home"
    rows = conversation("leak")
    rows[1]["content"] = {"instruction": TEXT}
    ExternalDbBuilder(tmp_path / "other.db").session("one", rows)
    claims = str(tmp_path / "claims" / "state.db")
    with Database(claims) as forged:
        forged.conn.raw.execute(
            "INSERT INTO messages (id, created_at, content, lion_class) VALUES ('m', 1, ?, 2)",
            (json.dumps({"assistant_response": TEXT}),),
        )
        forged.conn.raw.execute("INSERT INTO progression_heads (id, created_at) VALUES ('p', 1)")
        forged.conn.raw.execute("INSERT INTO progression_items (prog, ord, message_id) VALUES (1, 0, 'm')")
        session = "INSERT INTO sessions (id, created_at, updated_at, name, progression_id) VALUES ('s', 1, 1, ?, 'p')"
        forged.conn.raw.execute(session, (LINE,))
    project = tmp_path / "claude" / "projects" / "-work"
    project.mkdir(parents=True)
    record_ = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "c1",
        "timestamp": "2026-01-01T10:00:00.000Z",
        "cwd": "/work",
        "message": {"role": "user", "content": LINE},
    }
    (project / "c1.jsonl").write_text(
        json.dumps(record_) + "\n" + json.dumps({"type": "summary", "summary": LINE}) + "\n"
    )

    with Database(str(home / "state.db")) as db:
        for path in (str(tmp_path / "other.db"), claims):
            report = Report()
            import_database(db, db.path, path, report)
            assert report.items
        mirror(db, tmp_path / "claude")
        assert db.read(lambda conn: conn.value("SELECT count(*) FROM mirror_files")) == 1
        assert db.read(lambda conn: conn.value("SELECT count(*) FROM sessions")) == 3

    assert find_leaks(home) == []


def test_versions_of_definitions_hold_no_secret(tmp_path: Path) -> None:
    """The authored file keeps its text; a version without the secret cannot replace it."""
    home = tmp_path / "home"
    target = Target("agent", "a", str(home / "agents" / "a.md"))
    with Database(str(home / "state.db")) as db:
        save(db, str(home), target, f"---\nprovider: script\n---\nUse {TOKEN}.\n")
        save(db, str(home), target, "---\nprovider: script\n---\nUse nothing.\n")
        assert [version.version for version in db.read(lambda conn: list_versions(conn, "agent", "a"))] == [2, 1]
        with pytest.raises(Conflict, match="held a secret"):
            rollback(db, str(home), target, 1)

    assert find_leaks(home) == []
