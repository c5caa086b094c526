"""Entry point of `li`: help, suggestions, exit codes, streams and start-up cost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from tests.support.builders import begin, say, write_lock
from tests.support.children import environment
from tests.support.commands import LI, li, run_li, start_li

import lionstudio
from lionstudio import cli
from lionstudio.cli._toolkit.args import load, parser_of
from lionstudio.cli.main import main
from lionstudio.cli.registry import COMMANDS, GROUPS, MODULES
from lionstudio.state.database import Database

# Modules that take longer to import than a short command takes to run.
HEAVY = {
    "asyncio",
    "dataclasses",
    "inspect",
    "pathlib",
    "tomllib",
    "importlib.resources",
    "shutil",
    "socket",
    "threading",
    "fastapi",
    "hashlib",
    "uvicorn",
    "logging",
    "subprocess",
    "lionstudio.state.database",
    "lionstudio.model.messages",
}

_OURS_OF_AN_AGENT = 166  # modules


def loaded_by(*arguments: str, home: Path) -> set[str]:
    code = "import sys; from lionstudio.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment(LIONAGI_HOME=str(home)),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("asked", [(), ("--help",), ("-h",), ("help",), ("--json",)])
def test_help_lists_exactly_the_commands(asked: tuple[str, ...]) -> None:
    done = run_li(*asked)

    found: set[str] = set()
    above = ""
    for line in done.out.partition("Options of every command")[0].splitlines():
        if line.startswith("  li "):
            above = line[5:].partition("  ")[0].strip()
            found.add(above)
        elif above in GROUPS and line.startswith(" " * 20):
            found |= {f"{above} {verb.strip()}" for verb in line.split("·")}
    assert (done.code, done.err) == (0, "")
    assert found - set(GROUPS) == set(COMMANDS)


def test_registry_lists_every_module_without_underscore() -> None:
    folder = Path(cli.__file__).parent
    parts = [path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py")]
    commands = {".".join(names) for names in parts if not any(name.startswith("_") for name in names)}

    assert commands - {"main", "registry"} == set(MODULES.values()) - {"mirror._tool"}


def test_help_imports_only_the_registry(tmp_path: Path) -> None:
    loaded = loaded_by("--help", home=tmp_path)

    assert loaded.isdisjoint(HEAVY | {"argparse", "typing", "json", "apsw", "re", "signal", "collections"})
    ours = {name for name in loaded if name.startswith("lionstudio")}
    assert ours == {
        "lionstudio",
        "lionstudio.cli",
        "lionstudio.cli.main",
        "lionstudio.cli.registry",
        "lionstudio.model",
        "lionstudio.model.transcript_tools",
        "lionstudio.cli._toolkit",
        "lionstudio.cli._toolkit.escape",
        "lionstudio.cli._toolkit.output",
        "lionstudio.errors",
        "lionstudio.version",
    }


def test_agent_of_a_play_imports_only_what_it_needs(tmp_path: Path, db: Database) -> None:
    """Each attempt starts such a process; only the first of a home creates the database."""
    begin(db)
    options = ("--quiet", "--show-topic", "topic", "--show-play-name", "play", "--cwd", str(tmp_path))
    loaded = loaded_by("agent", "script", "@say done", *options, home=Path(db.path).parent)

    assert loaded.isdisjoint({"pydantic", "fastapi", "sqlalchemy", "dbos", "yaml", "tomllib", "psycopg"})
    assert loaded.isdisjoint(
        {
            "lionstudio.runs.callers.caller",
            "lionstudio.runs.prepare.resume_point",
            "lionstudio.state.sqlite.fulltext",
            "lionstudio.state.sqlite.text_filter",
        }
    )
    assert len([name for name in loaded if name.startswith("lionstudio.")]) <= _OURS_OF_AN_AGENT


def test_process_of_li_spares_garbage_collection() -> None:
    """A program that calls `main` with arguments keeps its own settings."""
    code = (
        "import gc, sys; from lionstudio.cli.main import main\n"
        "sys.argv = ['li', 'state', 'path']; default = gc.get_threshold()\n"
        "main(['state', 'path']); assert (gc.get_threshold(), gc.get_freeze_count()) == (default, 0)\n"
        "main(); assert gc.get_threshold() > default; assert gc.get_freeze_count()"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), stdout=subprocess.DEVNULL, check=True)


@pytest.mark.parametrize("arguments", [("state", "ls"), ("state", "ls", "--status", "running"), ("state", "path")])
def test_state_ls_imports_nothing_heavy(arguments: tuple[str, ...], db: Database) -> None:
    begin(db)

    loaded = loaded_by(*arguments, home=Path(db.path).parent)

    assert loaded.isdisjoint(HEAVY)
    assert "lionstudio.cli.state.show" not in loaded


def test_state_ls_runs_few_statements(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        session = begin(db, f"session-{number}")
        say(db, session.branch_id, f"message {number}")
    ran: list[str] = []

    def trace(connection: apsw.Connection) -> None:
        connection.exec_trace = lambda _cursor, statement, _bindings: not ran.append(statement)  # type: ignore[func-returns-value]

    monkeypatch.setattr(apsw, "connection_hooks", [trace])
    done = run_li("state", "ls", "--db", db.path)

    assert len(done.out.splitlines()) == 30
    assert len(ran) <= 8, ran


@pytest.mark.parametrize("asked", [("version",), ("--version",), ("-V",)])
def test_version_prints_one_line(asked: tuple[str, ...]) -> None:
    assert run_li(*asked) == (0, f"lion-studio {lionstudio.__version__}\n", "")


def test_version_json_lists_component_versions() -> None:
    found = run_li("version", "--json").json

    assert found["schema_version"] == 1
    assert found["version"] == lionstudio.__version__
    assert set(found) >= {"python", "sqlite", "database_schema"}


@pytest.mark.parametrize("group", GROUPS)
def test_group_without_verb_prints_its_help_and_fails(group: str) -> None:
    mistake, asked = run_li(group), run_li(group, "--help")

    assert (mistake.code, mistake.out) == (2, "")
    assert (asked.code, asked.err) == (0, "")
    assert mistake.err == asked.out
    assert all(f"li {name} " in asked.out for name in COMMANDS if name.startswith(f"{group} "))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_has_examples(name: str) -> None:
    done, also = run_li(*name.split(), "--help"), run_li("help", *name.split())

    assert (done.code, done.err) == (0, "")
    assert done.out == also.out
    assert "examples:" in done.out
    for option in ("--home", "--db", "--json", "--no-color", "--quiet"):
        assert option in done.out
    assert max(map(len, done.out.splitlines())) <= 120


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_every_command_parse(name: str) -> None:
    for example, _ in load(name).EXAMPLES:
        words = example.split(f"li {name}", 1)
        assert len(words) == 2 or "li " in example, example
    assert parser_of(name).prog == f"li {name}"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (("sttae", "ls"), "li state"),
        (("state", "lst"), "li state ls"),
        (("state", "serach", "x"), "li state search"),
        (("ls",), "li state ls"),
        (("doctor",), "li state doctor"),
        (("studoi",), "li studio"),
        (("state", "ls", "--limt", "3"), "--limit"),
        (("state", "prune", "--keepdays=3"), "--keep-days"),
        (("state", "ls", "--status", "runing"), "running"),
        (("state", "checkpoint", "--mode", "trunc"), "TRUNCATE"),
        (("--hom", "x"), "li --help"),
        (("zzz",), "li --help"),
        (("state", "ls", "--zzz"), "li state ls --help"),
        (("state", "ls", "extra"), "li state ls --help"),
    ],
)
def test_parse_error_suggests_the_closest_name(given: tuple[str, ...], meant: str) -> None:
    done = run_li(*given)

    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("li: ")
    assert second == f"  try: {meant}"


def test_parse_rejects_abbreviated_options() -> None:
    assert run_li("state", "ls", "--lim", "3").code == 2


def test_global_options_work_before_the_command(path: str) -> None:
    before = run_li("--json", "--db", path, "state", "path")

    assert before == run_li("state", "path", "--json", "--db", path)
    assert before == run_li("--db=" + path, "state", "path", "--json")
    assert before.json["path"] == path


def test_error_with_json_is_one_object_on_stderr(tmp_path: Path) -> None:
    done = run_li("state", "stats", "--json", "--home", str(tmp_path))

    assert (done.code, done.out) == (3, "")
    error = json.loads(done.err)
    assert error["schema_version"] == 1
    assert set(error["error"]) == {"code", "message", "hint", "retryable"}
    assert (error["error"]["code"], error["error"]["retryable"]) == ("not_found", False)


def test_unexpected_exception_shows_its_traceback(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("lionstudio.cli.state.path.run", broken)
    with pytest.raises(ZeroDivisionError):
        main(["state", "path"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_stops_a_running_command(number: signal.Signals, code: int, db: Database) -> None:
    slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    code_text = (
        "import lionstudio.state.sqlite.maintenance as upkeep, sys\n"
        f"def endless(conn, **_): print('begun', flush=True); conn.value({slow!r})\n"
        "upkeep.stats = endless\n"
        "from lionstudio.cli.main import main\n"
        "sys.exit(main(['state', 'stats', '--db', sys.argv[1]]))"
    )
    command = [sys.executable, "-c", code_text, db.path]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment()) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        began = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=30)

    assert (process.returncode, out, err) == (code, "", "")
    assert time.monotonic() - began < 10


def test_signal_interrupts_a_wait_for_the_lock(db: Database) -> None:
    with write_lock(db.path), start_li("state", "vacuum", "--db", db.path) as process:
        assert process.stderr is not None
        result = process.stderr.readline() + process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)

    assert "Waiting for" in result
    assert f"pid {os.getpid()}" in result
    assert process.returncode == 130


def test_closed_pipe_exits_with_zero(db: Database) -> None:
    for number in range(2000):
        begin(db, f"session-{number}-{'x' * 60}")
    command = f"'{LI}' state ls --limit 2000 --db '{db.path}' | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment())

    assert done.stderr == ""
    first, code = done.stdout.splitlines()
    assert first.startswith("session-")
    assert code == "0"


def test_full_disk_for_stdout_is_an_error(path: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [LI, "config", "--db", path], stdout=full, stderr=subprocess.PIPE, text=True, env=environment()
        )

    assert done.returncode == 1
    assert done.stderr.startswith("li: cannot write the output: No space left")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_stream_does_not_fail(closed: str, path: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"'{LI}' state path --db '{path}' {closed}"], capture_output=True, env=environment()
    )

    assert done.returncode == 0


def test_limited_encoding_does_not_fail(db: Database) -> None:
    begin(db, "abcd", name="Grüße · 日本")
    done = li("state", "show", "abcd", "--db", db.path, env={"PYTHONIOENCODING": "ascii"})

    assert done.code == 0
    assert "Gr\\xfc\\xdfe" in done.out


def test_removed_working_folder_does_not_fail(tmp_path: Path, path: str) -> None:
    gone = tmp_path / "gone"
    command = f"mkdir '{gone}' && cd '{gone}' && rmdir '{gone}' && '{LI}' state path --db '{path}'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment())

    assert (done.returncode, done.stdout) == (0, f"{path}\n")


def test_config_prefers_flag_over_environment_and_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("keep_days = 7\nkeep_n = 3\n")
    done = li("config", "--home", str(home), "--json", env={"LIONAGI_KEEP_DAYS": "9"}, cwd=tmp_path)

    found = {item["name"]: item for item in done.json["settings"]}
    assert (found["keep_days"]["value"], found["keep_days"]["origin"]) == (9, "environment")
    assert (found["keep_n"]["value"], found["keep_n"]["origin"]) == (3, str(home / "config.toml"))
    assert (found["home"]["value"], found["home"]["origin"]) == (str(home), "flag")
    assert found["studio_port"]["origin"] == "default"
    assert all(item["variable"].startswith("LIONAGI_") and item["meaning"] for item in found.values())


def test_config_in_a_pipe_prints_one_setting_per_line(tmp_path: Path) -> None:
    done = run_li("config", "--home", str(tmp_path))

    assert ["home", str(tmp_path), "flag", "LIONAGI_HOME"] in [line.split("\t") for line in done.out.splitlines()]


def test_config_names_the_source_of_an_invalid_setting(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("keep_days = 'many'\n")
    done = run_li("state", "ls", "--home", str(tmp_path))

    assert done.code == 2
    assert "keep_days" in done.err
    assert str(tmp_path / "config.toml") in done.err
