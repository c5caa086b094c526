"""`li state ls`: filters, pages, the shapes it prints, and stored text that must not reach a terminal raw."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, begin, say, sql, write
from tests.support.commands import here, li, on_terminal

from lionstudio.model.status.computed_state import Proof
from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session
from lionstudio.state.upkeep import liveness
from lionstudio.system.process_identity import identify

HOSTILE = "a\x1b[31mred\x1b[0m\x9b\u202eevil\u202c\u200b\u2066\x07\x7fz"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def many(db: Database) -> Database:
    """Thirty sessions of several kinds, one a minute."""
    for number in range(30):
        begin(
            db,
            f"s{number:02}-{'x' * 20}",
            created_at=T0 + 60 * number,
            name=f"job {number}",
            project=("web", "engine")[number % 2],
            agent_name=("coder", "tester", "writer")[number % 3],
            invocation_kind=("agent", "flow")[number % 2],
            source_kind="live",
        )
        if number % 5:
            write(db, finish_session, f"s{number:02}-{'x' * 20}", "completed", at=T0 + 60 * number + 5)
    return db


def ids(text: str) -> list[str]:
    return [line.split("\t")[0][:3] for line in text.splitlines()]


def test_in_a_pipe_it_is_a_session_a_line(db: Database) -> None:
    session = begin(db, "0123456789", name="my job", project="web", model="m-1", invocation_kind="agent")
    say(db, session.branch_id, "one", "two")
    write(db, finish_session, session.session_id, "failed", at=T0 + 9)

    done = here("state", "ls", "--db", db.path)

    assert done == (0, "0123456789\tfailed\t2026-09-21T14:13:20.000Z\tagent\tmy job\t2\t\tm-1\tweb\n", "")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--limit", "2"), ["s29", "s28"]),
        (("--status", "running", "--limit", "2"), ["s25", "s20"]),
        (("--project", "web", "--limit", "2"), ["s28", "s26"]),
        (("--agent", "coder", "--limit", "2"), ["s27", "s24"]),
        (("--kind", "flow", "--limit", "2"), ["s29", "s27"]),
        (("--source", "live", "--limit", "1"), ["s29"]),
        (("--source", "imported_fs"), []),
        (("-q", "job 7"), ["s07"]),
        (("--query", "job 7", "--project", "web"), []),
        (("--since", "2099-01-01"), []),
        (("--since", "2020-01-01", "--limit", "1"), ["s29"]),
    ],
)
def test_filters(many: Database, options: tuple[str, ...], expected: list[str]) -> None:
    done = here("state", "ls", "--db", many.path, *options)

    assert (done.code, ids(done.out)) == (0, expected)


@pytest.mark.parametrize(
    ("given", "seconds"), [("90s", 90), ("30m", 1800), ("30min", 1800), ("2h", 7200), ("3w", 1814400)]
)
def test_an_age_counts_from_now(db: Database, given: str, seconds: int) -> None:
    begin(db, "before", created_at=time.time() - seconds - 60)
    begin(db, "after", created_at=time.time() - seconds + 60)

    assert ids(here("state", "ls", "--db", db.path, "--since", given).out) == ["aft"]


def test_a_moment_with_a_zone(db: Database) -> None:
    begin(db, "before", created_at=T0 - 1)
    begin(db, "after", created_at=T0)

    assert ids(here("state", "ls", "--db", db.path, "--since", "2026-09-21T14:13:20Z").out) == ["aft"]
    assert ids(here("state", "ls", "--db", db.path, "--since", "2026-09-21T16:13:20+02:00").out) == ["aft"]


@pytest.mark.parametrize(
    "options",
    [
        ("--limit", "0"),
        ("--limit", "-1"),
        ("--limit", "ten"),
        ("--limit", "²"),
        ("--limit", ""),
        ("--limit",),
        ("--limit", "9" * 30),
        ("--since", "yesterday"),
        ("--since", ""),
        ("--since", "2h3"),
        ("--since", "2026-13-01"),
        ("--status", "done"),
        ("--kind", "x"),
        ("--source", "x"),
        ("--format", "xml"),
        ("--cursor", "nonsense"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(many: Database, options: tuple[str, ...]) -> None:
    done = here("state", "ls", "--db", many.path, *options)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("li: ")
    assert "Traceback" not in done.err


def test_pages_follow_each_other_without_gap_or_double(many: Database) -> None:
    found: list[str] = []
    cursor: list[str] = []
    while True:
        page = here("state", "ls", "--db", many.path, "--json", "--limit", "7", *cursor).json
        found += [row["id"] for row in page["sessions"]]
        if page["next_cursor"] is None:
            break
        cursor = ["--cursor", page["next_cursor"]]

    assert len(found) == len(set(found)) == 30


def test_more_than_a_page_of_the_database_can_be_asked_for(db: Database) -> None:
    with db.conn.transaction():
        db.conn.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)"
            "INSERT INTO sessions (id, created_at, status) SELECT 'id' || i, i, 'completed' FROM n"
        )

    assert len(set(here("state", "ls", "--db", db.path, "--limit", "2200").out.splitlines())) == 2200
    page = here("state", "ls", "--db", db.path, "--limit", "2200", "--json").json
    assert page["next_cursor"] is not None


def test_json_has_the_columns_and_what_follows_from_them(db: Database) -> None:
    session = begin(db, "abcdef", name="job", cwd="/somewhere", reason_codes=("run.failed.usage_limit",))
    say(db, session.branch_id, "hello")
    write(db, finish_session, "abcdef", "failed", exit_code=3, reasons=["run.failed.usage_limit"], at=T0 + 2.5)

    (row,) = here("state", "ls", "--db", db.path, "--json").json["sessions"]

    assert row["id"] == "abcdef"
    assert (row["created_at"], row["created_at_iso"]) == (T0, "2026-09-21T14:13:20.000Z")
    assert (row["ended_at_iso"], row["duration_ms"]) == ("2026-09-21T14:13:22.500Z", 2500)
    assert (row["message_count"], row["branch_count"], row["exit_code"]) == (1, 1, 3)
    assert row["reason_codes"] == ["run.failed.usage_limit"]
    assert (row["state"]["label"], row["state"]["severity"], row["effective_health"]) == ("failed", "error", "ok")
    assert row["state"]["reasons"][0]["code"] == "run.failed.usage_limit"
    assert {"input_tokens", "cost_microusd", "cwd", "git_commit", "owner", "updated_at_iso"} <= set(row)


def test_ndjson_is_one_object_a_line(many: Database) -> None:
    done = here("state", "ls", "--db", many.path, "--format", "ndjson", "--limit", "3")

    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["id"][:3] for row in rows] == ["s29", "s28", "s27"]
    assert all(row["schema_version"] == 1 and "state" in row for row in rows)


def test_a_table_can_be_asked_for_in_a_pipe(many: Database) -> None:
    done = here("state", "ls", "--db", many.path, "--format", "table", "--limit", "1")

    assert done.out.split()[:4] == ["ID", "STATUS", "NAME", "STARTED"]
    assert "\x1b" not in done.out


def test_whether_a_running_one_lives_is_told_and_only_asked_of_running_ones(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    alive = identify()._asdict()
    begin(db, "alive", created_at=now, owner=alive)
    begin(db, "dead", created_at=now, owner={**alive, "pid": 2**22 + 1, "boot_id": "another"})
    begin(db, "over", created_at=now, owner={**alive, "boot_id": "another"}, status="completed")
    asked: list[str] = []
    real = liveness.proof_of

    def noted(row: dict[str, Any]) -> Proof:
        asked.append(row["id"])
        return real(row)

    monkeypatch.setattr(liveness, "proof_of", noted)

    rows = {row["id"]: row for row in here("state", "ls", "--db", db.path, "--json").json["sessions"]}

    assert sorted(asked) == ["alive", "dead"]
    assert rows["alive"]["state"]["health"] == "running"
    assert rows["dead"]["state"]["label"] == "running · process dead"
    assert rows["over"]["state"]["health"] == "ok"


@pytest.mark.parametrize("form", [(), ("--json",), ("--format", "ndjson"), ("--format", "table")])
def test_hostile_text_never_comes_out_raw(db: Database, form: tuple[str, ...]) -> None:
    begin(db, "abcdefgh", name=HOSTILE + "\nline\ttab", project=HOSTILE, agent_name=HOSTILE, model=HOSTILE)

    done = li("state", "ls", "--db", db.path, *form)

    assert done.code == 0
    assert RAW.search(done.out) is None
    assert len(done.out.splitlines()) == (2 if "table" in form else 1)
    if form and "table" not in form:
        found = done.json
        row = found["sessions"][0] if "sessions" in found else found
        assert row["name"] == HOSTILE + "\nline\ttab"


def test_what_other_tools_put_into_a_row_is_shown_and_not_fatal(db: Database) -> None:
    for number in range(6):
        begin(db, f"session-{number}", name="n")
    sql(db, "UPDATE sessions SET started_at = 'soon', ended_at = x'00ff', model = x'ff00' WHERE id = 'session-0'")
    sql(db, "UPDATE sessions SET created_at = 9e999, cost_microusd = 'much', reason_codes = '{' WHERE id = 'session-1'")
    sql(
        db,
        "UPDATE sessions SET reason_codes = '{\"a\": 1}', owner = '[1]', last_message_at = 'x' WHERE id = 'session-2'",
    )
    sql(
        db,
        "UPDATE sessions SET owner = '{\"pid\": true, \"lock_path\": 5}', message_count = 1.5 WHERE id = 'session-3'",
    )
    sql(db, "UPDATE sessions SET status = NULL, name = NULL, agent_name = NULL WHERE id = 'session-4'")
    sql(db, "UPDATE sessions SET health = 'odd', delivery = 'odd', updated_at = -1e300 WHERE id = 'session-5'")

    for form in ((), ("--json",), ("--format", "table"), ("--format", "ndjson")):
        done = here("state", "ls", "--db", db.path, *form)
        assert (done.code, done.err) == (0, "")
        assert all(f"session-{number}" in done.out for number in range(6))


@pytest.mark.parametrize("make", ["nothing", "folder", "empty file"])
def test_an_empty_home_is_an_empty_list_with_a_hint(tmp_path: Path, make: str) -> None:
    home = tmp_path / "home"
    if make != "nothing":
        home.mkdir()
    if make == "empty file":
        (home / "state.db").touch()

    plain, as_json = here("state", "ls", "--home", str(home)), here("state", "ls", "--home", str(home), "--json")

    assert (plain.code, plain.out) == (0, "")
    assert "from lionstudio import record" in plain.err
    assert str(home) in plain.err
    assert (as_json.code, as_json.json) == (0, {"schema_version": 1, "sessions": [], "next_cursor": None})
    assert here("state", "ls", "--home", str(home), "--quiet") == (0, "", "")
    assert home.exists() == (make != "nothing")


def test_the_program_in_the_hint_records_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hint = here("state", "ls", "--home", str(tmp_path)).err
    program = "\n".join(line[4:] for line in hint.splitlines() if line.startswith("    "))
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))
    exec(program, {})  # noqa: S102  (it is our own hint)

    assert "my-agent" in here("state", "ls", "--home", str(tmp_path)).out


def test_nothing_that_matches_is_said(many: Database) -> None:
    assert here("state", "ls", "--db", many.path, "-q", "nowhere") == (0, "", "No sessions match these filters.\n")


def test_the_table_fits_the_terminal_and_drops_the_least_important(many: Database) -> None:
    sql(many, "UPDATE sessions SET name = 'a rather long name for a job that goes on and on', model = 'some-model-1'")
    widths = {}
    for columns in (60, 80, 100, 140, 200):
        seen = on_terminal("state", "ls", "--db", many.path, "--limit", "5", "--no-color", columns=columns).out
        lines = seen.split("\n\n")[0].splitlines()
        widths[columns] = max(map(len, lines))
        assert widths[columns] <= columns
        assert len(lines) == 6
        assert lines[0].startswith("ID ")
    titles = on_terminal("state", "ls", "--db", many.path, columns=200, env={"NO_COLOR": "1"}).out.splitlines()[0]
    assert titles.split() == ["ID", "STATUS", "NAME", "STARTED", "DURATION", "MESSAGES", "MODEL", "PROJECT"]


def test_the_short_ids_of_a_page_are_long_enough_to_be_told_apart(db: Database) -> None:
    for number in range(5):
        begin(db, f"0190aaaa-bbbb-7ccc-8ddd-00000000000{number}")

    seen = on_terminal("state", "ls", "--db", db.path, "--no-color").out

    assert {line.split()[0][-1] for line in seen.splitlines()[1:]} == set("01234")


def test_a_terminal_is_told_how_to_see_more(many: Database) -> None:
    seen = on_terminal("state", "ls", "--db", many.path, "--limit", "3").out

    assert "--cursor" in seen
    assert "--cursor" not in on_terminal("state", "ls", "--db", many.path, "--limit", "3", "--quiet").out


def colours(path: str, *options: str, **env: str) -> bool:
    return "\x1b[" in on_terminal("state", "ls", "--db", path, *options, env=env).out


def test_colours_are_for_terminals_that_want_them(db: Database) -> None:
    begin(db)

    assert colours(db.path)
    assert not colours(db.path, "--no-color")
    assert not colours(db.path, NO_COLOR="1")
    assert colours(db.path, NO_COLOR="")
    assert not colours(db.path, NO_COLOR="1", FORCE_COLOR="1")
    assert not colours(db.path, CLICOLOR="0")
    assert not colours(db.path, TERM="dumb")
    assert colours(db.path, TERM="dumb", FORCE_COLOR="1")
    in_pipe = ("state", "ls", "--db", db.path, "--format", "table")
    assert "\x1b[" not in li(*in_pipe).out
    assert "\x1b[" in li(*in_pipe, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in li(*in_pipe, "--no-color", env={"FORCE_COLOR": "1"}).out


def test_bytes_that_are_no_text_are_looked_for_and_not_found(many: Database) -> None:
    done = li("state", "ls", "--db", many.path, "--project", b"\xff\xfe", "-q", b"\xff")

    assert (done.code, done.out) == (0, "")


def row_of(db: Database, session_id: str) -> dict[str, Any]:
    return next(
        row for row in here("state", "ls", "--db", db.path, "--json").json["sessions"] if row["id"] == session_id
    )


def test_silence_beyond_the_threshold_is_stale(db: Database) -> None:
    begin(db, "old", created_at=time.time() - 7 * 3600, updated_at=time.time() - 7 * 3600)

    assert row_of(db, "old")["effective_health"] == "stale"
