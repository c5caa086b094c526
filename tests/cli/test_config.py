"""Selection of the database and of the Studio port; an invalid value never selects another database."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.children import environment
from tests.support.commands import CommandResult, li, run_li, start_li


@pytest.mark.parametrize("flag", ["--home", "--db"])
@pytest.mark.parametrize("command", [("ls",), ("prune", "--yes"), ("path",)])
def test_empty_flag_is_rejected(flag: str, command: tuple[str, ...]) -> None:
    done = run_li("state", *command, f"{flag}=")

    assert (done.code, done.out) == (2, "")
    assert "must be a path" in done.err


def test_empty_variable_counts_as_unset(tmp_path: Path) -> None:
    done = li("state", "path", env={"LIONAGI_HOME": "", "LIONAGI_DB": "", "HOME": str(tmp_path)})

    assert done.out == f"{tmp_path}/.lionagi/state.db\n"


@pytest.mark.parametrize("flag", [b"--home", b"--db"])
def test_path_with_invalid_text_is_rejected(flag: bytes) -> None:
    done = li(b"state", b"ls", flag, b"/tmp/\xff\xfe")

    assert done.code == 2
    assert "UTF-8" in done.err


def test_webhook_that_is_not_http_is_rejected(tmp_path: Path) -> None:
    done = run_li("config", "set", "notify_webhook", "ftp://x", "--home", str(tmp_path))

    assert (done.code, "http or https" in done.err) == (2, True)
    assert run_li("config", "set", "notify_webhook", "https://x/y", "--home", str(tmp_path)).code == 0


def test_database_url_of_another_kind_is_rejected() -> None:
    assert run_li("state", "ls", "--db", "mysql://here/there").code == 2


def test_unusual_paths_work(tmp_path: Path) -> None:
    home = tmp_path / "a %41 ? # 'quoted' Grüße"
    home.mkdir()
    program = "from lionstudio import record\nwith record('job') as run: run.user('hi')"
    subprocess.run([sys.executable, "-c", program], env=environment(LIONAGI_HOME=str(home)), check=True)

    assert "job" in run_li("state", "ls", "--home", str(home)).out
    assert run_li("state", "doctor", "--home", str(home)).code == 0
    copy = home / "copy ?.db"
    assert run_li("state", "backup", str(copy), "--home", str(home)).code == 0
    assert "job" in run_li("state", "ls", "--db", str(copy)).out


def studio(*options: str, **env: str) -> CommandResult:
    with start_li("studio", *options, env=env) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest, err = process.communicate(timeout=30)
    return CommandResult(process.returncode, first + rest, err)


def test_studio_takes_its_port_from_the_settings() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = studio(LIONAGI_PORT=str(port))

    assert (done.code, done.out) == (0, f"address\thttp://127.0.0.1:{port}/\n")


def test_studio_json_prints_the_address() -> None:
    done = studio("--port", "0", "--json")

    assert done.code == 0
    assert json.loads(done.out)["url"].startswith("http://127.0.0.1:")


def test_studio_rejects_an_invalid_port_setting() -> None:
    done = li("studio", env={"LIONAGI_PORT": "99999"})

    assert (done.code, done.out) == (2, "")
    assert "studio_port" in done.err


def test_studio_suggests_the_closest_option() -> None:
    done = run_li("studio", "--prot", "1")

    assert (done.code, done.err) == (2, "li: studio: unknown option --prot\n  try: --port\n")
    assert run_li("studio", "--host", "0.0.0.0").code == 2


def test_home_option_selects_its_own_database(tmp_path: Path) -> None:
    elsewhere = {"LIONAGI_DB": str(tmp_path / "other.db")}
    named = str(tmp_path / "home")
    assert li("--home", named, "state", "path", env=elsewhere).out == f"{named}/state.db\n"
    both = li("--home", named, "--db", str(tmp_path / "x.db"), "state", "path", env=elsewhere)
    assert both.out == f"{tmp_path}/x.db\n"
    assert li("state", "path", env=elsewhere).out == f"{tmp_path}/other.db\n"


def test_config_set_and_unset_change_the_file_of_the_home(tmp_path: Path) -> None:
    home, file = ("--home", str(tmp_path)), tmp_path / "config.toml"

    done = run_li("config", "set", "keep_days", "90", *home)
    assert (done.code, done.err) == (0, f"Changed {file}: keep_days is 90\n")
    assert file.read_text() == "keep_days = 90\n"
    assert run_li("config", "set", "keep_days", "90", *home).err == f"No change in {file}: keep_days is 90\n"
    setting = run_li("config", "unset", "keep_days", "--json", *home).json["setting"]
    assert (setting["value"], setting["origin"]) == (30, "default")
    assert file.read_text() == ""


def test_config_set_names_the_variable_that_has_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_PORT", "9001")

    done = run_li("config", "set", "studio_port", "9000", "--home", str(tmp_path))

    assert done.err.endswith("studio_port is 9001, because the variable LIONAGI_PORT has precedence\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("set", "keep_days", "many"), "keep_days must be an integer"),
        (("set", "keep_day", "1"), "unknown setting 'keep_day'"),
        (("unset", "keep_day"), "unknown setting 'keep_day'"),
        (("set", "home", "/tmp"), "home cannot be set in a file"),
        (("set", "keep_days"), "usage: li config set KEY VALUE"),
        (("unset", "keep_days", "1"), "usage: li config unset KEY"),
        (("get", "keep_days"), "invalid value 'get'"),
    ],
)
def test_config_set_refuses_mistakes(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run_li("config", *arguments, "--home", str(tmp_path))

    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert list(tmp_path.iterdir()) == []
