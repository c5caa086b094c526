"""`li state ls`: filters, pages, formats and escaping of stored text."""

from __future__ import annotations

import json
import re
import time
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, begin, say, sql, write
from tests.support.commands import li, run_li, run_on_terminal

from lionstudio.model.status.computed_state import Proof
from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session
from lionstudio.state.upkeep import liveness
from lionstudio.system.process_identity import identify

HOSTILE = "a\x1b[31mred\x1b[0m\x9b\u202eevil\u202c\u200b\u2066\x07\x7fz"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def many(db: Database) -> Database:
    """Thirty sessions of several kinds, one per minute."""
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


def test_ls_in_a_pipe_prints_one_session_per_line(db: Database) -> None:
    session = begin(db, "0123456789", name="my job", project="web", model="m-1", invocation_kind="agent")
    say(db, session.branch_id, "one", "two")
    write(db, finish_session, session.session_id, "failed", at=T0 + 9)

    done = run_li("state", "ls", "--db", db.path)

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
def test_ls_filters(many: Database, options: tuple[str, ...], expected: list[str]) -> None:
    done = run_li("state", "ls", "--db", many.path, *options)

    assert (done.code, ids(done.out)) == (0, expected)


@pytest.mark.parametrize(
    ("given", "seconds"), [("90s", 90), ("30m", 1800), ("30min", 1800), ("2h", 7200), ("3w", 1814400)]
)
def test_ls_since_accepts_an_age(db: Database, given: str, seconds: int) -> None:
    begin(db, "before", created_at=time.time() - seconds - 60)
    begin(db, "after", created_at=time.time() - seconds + 60)

    assert ids(run_li("state", "ls", "--db", db.path, "--since", given).out) == ["aft"]


def test_ls_since_accepts_a_date_with_zone(db: Database) -> None:
    begin(db, "before", created_at=T0 - 1)
    begin(db, "after", created_at=T0)

    assert ids(run_li("state", "ls", "--db", db.path, "--since", "2026-09-21T14:13:20Z").out) == ["aft"]
    assert ids(run_li("state", "ls", "--db", db.path, "--since", "2026-09-21T16:13:20+02:00").out) == ["aft"]


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
        ("--since", "tomorrow"),
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
def test_ls_rejects_invalid_values(many: Database, options: tuple[str, ...]) -> None:
    done = run_li("state", "ls", "--db", many.path, *options)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("li: ")
    assert "Traceback" not in done.err


def test_ls_cursor_pages_without_gaps_or_duplicates(many: Database) -> None:
    found: list[str] = []
    cursor: list[str] = []
    while True:
        page = run_li("state", "ls", "--db", many.path, "--json", "--limit", "7", *cursor).json
        found += [row["id"] for row in page["sessions"]]
        if page["next_cursor"] is None:
            break
        cursor = ["--cursor", page["next_cursor"]]

    assert len(found) == len(set(found)) == 30


def test_ls_limit_spans_several_queries(db: Database) -> None:
    with db.conn.transaction():
        db.conn.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)"
            "INSERT INTO sessions (id, created_at, status) SELECT 'id' || i, i, 'completed' FROM n"
        )

    assert len(set(run_li("state", "ls", "--db", db.path, "--limit", "2200").out.splitlines())) == 2200
    page = run_li("state", "ls", "--db", db.path, "--limit", "2200", "--json").json
    assert page["next_cursor"] is not None


def test_ls_json_has_columns_and_computed_fields(db: Database) -> None:
    session = begin(db, "abcdef", name="job", cwd="/somewhere", reason_codes=("run.failed.usage_limit",))
    say(db, session.branch_id, "hello")
    write(db, finish_session, "abcdef", "failed", exit_code=3, reasons=["run.failed.usage_limit"], at=T0 + 2.5)

    (row,) = run_li("state", "ls", "--db", db.path, "--json").json["sessions"]

    assert row["id"] == "abcdef"
    assert (row["created_at"], row["created_at_iso"]) == (T0, "2026-09-21T14:13:20.000Z")
    assert (row["ended_at_iso"], row["duration_ms"]) == ("2026-09-21T14:13:22.500Z", 2500)
    assert (row["message_count"], row["branch_count"], row["exit_code"]) == (1, 1, 3)
    assert row["reason_codes"] == ["run.failed.usage_limit"]
    assert (row["state"]["label"], row["state"]["severity"], row["effective_health"]) == ("failed", "critical", "ok")
    assert row["state"]["reasons"][0]["code"] == "run.failed.usage_limit"
    assert {"input_tokens", "cost_microusd", "cwd", "git_commit", "owner", "updated_at_iso"} <= set(row)


def test_ls_ndjson_prints_one_object_per_line(many: Database) -> None:
    done = run_li("state", "ls", "--db", many.path, "--format", "ndjson", "--limit", "3")

    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [row["id"][:3] for row in rows] == ["s29", "s28", "s27"]
    assert all(row["schema_version"] == 1 and "state" in row for row in rows)


def test_ls_format_table_works_in_a_pipe(many: Database) -> None:
    done = run_li("state", "ls", "--db", many.path, "--format", "table", "--limit", "1")

    assert done.out.split()[:4] == ["ID", "STATUS", "NAME", "STARTED"]
    assert "\x1b" not in done.out


def test_ls_checks_liveness_only_of_running_sessions(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
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

    rows = {row["id"]: row for row in run_li("state", "ls", "--db", db.path, "--json").json["sessions"]}

    assert sorted(asked) == ["alive", "dead"]
    assert rows["alive"]["state"]["health"] == "running"
    assert rows["dead"]["state"]["label"] == "running · process dead"
    assert rows["over"]["state"]["health"] == "ok"


@pytest.mark.parametrize("form", [(), ("--json",), ("--format", "ndjson"), ("--format", "table")])
def test_ls_escapes_hostile_text(db: Database, form: tuple[str, ...]) -> None:
    begin(db, "abcdefgh", name=HOSTILE + "\nline\ttab", project=HOSTILE, agent_name=HOSTILE, model=HOSTILE)

    done = li("state", "ls", "--db", db.path, *form)

    assert done.code == 0
    assert RAW.search(done.out) is None
    assert len(done.out.splitlines()) == (2 if "table" in form else 1)
    if form and "table" not in form:
        found = done.json
        row = found["sessions"][0] if "sessions" in found else found
        assert row["name"] == HOSTILE + "\nline\ttab"


def test_ls_shows_invalid_values_of_other_tools(db: Database) -> None:
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
        done = run_li("state", "ls", "--db", db.path, *form)
        assert (done.code, done.err) == (0, "")
        assert all(f"session-{number}" in done.out for number in range(6))


@pytest.mark.parametrize("make", ["nothing", "folder", "empty file"])
def test_ls_of_an_empty_home_prints_a_hint(tmp_path: Path, make: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("LIONAGI_HOME", str(home))
    if make != "nothing":
        home.mkdir()
    if make == "empty file":
        (home / "state.db").touch()

    plain, as_json = run_li("state", "ls"), run_li("state", "ls", "--json")

    assert (plain.code, plain.out) == (0, "")
    for command in ('li agent script "@say hi"', "li mirror claude", "li demo"):
        assert f"    {command}  " in plain.err
    assert str(home) in plain.err
    assert (as_json.code, as_json.json) == (0, {"schema_version": 1, "sessions": [], "next_cursor": None})
    assert run_li("state", "ls", "--quiet") == (0, "", "")
    assert home.exists() == (make != "nothing")


@pytest.mark.parametrize(
    "command", ["state ls", "ps", "state stats", "show ls", "team ls", "agents ls", "mirror status"]
)
def test_commands_refuse_a_mistyped_home_or_database(tmp_path: Path, command: str) -> None:
    missing = tmp_path / "typo"

    assert run_li(*command.split(), "--home", str(missing)) == (
        3,
        "",
        f"li: the folder {missing} does not exist (--home)\n  try: check the path\n",
    )
    refused = run_li(*command.split(), "--db", str(missing))
    assert (refused.code, refused.err.splitlines()[0]) == (3, f"li: the file {missing} does not exist (--db)")
    refused = run_li(*command.split(), "--home", "/dev/null")
    assert (refused.code, refused.err.splitlines()[0]) == (2, "li: --home /dev/null is not a folder")
    assert not missing.exists()


def test_ls_since_today_and_yesterday_are_days(db: Database) -> None:
    midnight = datetime.combine(date.today(), datetime.min.time()).timestamp()
    for id_, at in (("today", midnight + 1), ("yesterday", midnight - 1), ("before", midnight - 2 * 86400)):
        begin(db, id_, created_at=at)

    listed = {day: run_li("state", "ls", "--since", day, "--db", db.path).out for day in ("today", "yesterday")}
    assert {day: [line.split("\t")[0] for line in text.splitlines()] for day, text in listed.items()} == {
        "today": ["today"],
        "yesterday": ["today", "yesterday"],
    }


def test_ls_on_a_terminal_ends_with_a_total(db: Database) -> None:
    for number in range(2):
        begin(db, f"session-{number}", project="site")
    sql(db, "UPDATE sessions SET input_tokens = 1000, output_tokens = 500, cost_microusd = 1500000")

    lines = run_on_terminal("state", "ls", "--db", db.path, "--no-color", columns=80).out.splitlines()

    assert lines[-1] == "2 sessions · 3.0k total tokens · $3.00"
    assert lines[0].endswith("PROJECT")
    assert "tokens" not in run_on_terminal("state", "ls", "--db", db.path, "--quiet").out


def test_ls_without_matches_prints_a_notice(many: Database) -> None:
    assert run_li("state", "ls", "--db", many.path, "-q", "nowhere") == (0, "", "No sessions match these filters.\n")


def test_ls_table_drops_the_least_important_columns(many: Database) -> None:
    sql(many, "UPDATE sessions SET name = 'a rather long name for a job that goes on and on', model = 'some-model-1'")
    widths = {}
    for columns in (60, 80, 100, 140, 200):
        output = run_on_terminal("state", "ls", "--db", many.path, "--limit", "5", "--no-color", columns=columns).out
        lines = output.split("\n\n")[0].splitlines()
        widths[columns] = max(map(len, lines))
        assert widths[columns] <= columns
        assert len(lines) == 6
        assert lines[0].startswith("ID ")
    titles = run_on_terminal("state", "ls", "--db", many.path, columns=200, env={"NO_COLOR": "1"}).out.splitlines()[0]
    assert titles.split() == ["ID", "STATUS", "NAME", "STARTED", "DURATION", "MESSAGES", "MODEL", "PROJECT"]


def test_ls_short_ids_are_unique_on_a_page(db: Database) -> None:
    for number in range(5):
        begin(db, f"0190aaaa-bbbb-7ccc-8ddd-00000000000{number}")

    output = run_on_terminal("state", "ls", "--db", db.path, "--no-color").out

    assert {line.split()[0][-1] for line in output.splitlines()[1:6]} == set("01234")


def test_ls_on_a_terminal_hints_at_more_sessions(many: Database) -> None:
    output = run_on_terminal("state", "ls", "--db", many.path, "--limit", "3").out

    assert "--cursor" in output
    assert "--cursor" not in run_on_terminal("state", "ls", "--db", many.path, "--limit", "3", "--quiet").out


def colours(path: str, *options: str, **env: str) -> bool:
    return "\x1b[" in run_on_terminal("state", "ls", "--db", path, *options, env=env).out


def test_ls_uses_colours_only_where_allowed(db: Database) -> None:
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


def test_ls_accepts_invalid_bytes_in_filters(many: Database) -> None:
    done = li("state", "ls", "--db", many.path, "--project", b"\xff\xfe", "-q", b"\xff")

    assert (done.code, done.out) == (0, "")


def row_of(db: Database, session_id: str) -> dict[str, Any]:
    return next(
        row for row in run_li("state", "ls", "--db", db.path, "--json").json["sessions"] if row["id"] == session_id
    )


def test_ls_marks_silent_runs_stale(db: Database) -> None:
    begin(db, "old", created_at=time.time() - 7 * 3600, updated_at=time.time() - 7 * 3600)

    assert row_of(db, "old")["effective_health"] == "stale"


def test_ls_shows_why_runs_failed(db: Database) -> None:
    begin(db, name="calc")
    write(db, finish_session, "s", "failed", exit_code=1, detail="no such model: opus-9\nmore")

    table = run_on_terminal("state", "ls", "--db", db.path, "--no-color", columns=80).out
    [session] = json.loads(li("state", "ls", "--db", db.path, "--status", "failed", "--json").out)["sessions"]

    assert "REASON" in table
    assert "no such model: o" in table
    assert session["state"]["summary"] == "no such model: opus-9"
    assert "metadata" not in session
