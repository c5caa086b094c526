"""`li hub` as processes: what is printed, three homes that push through an outage, passwords."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.builders import begin, say
from tests.support.children import environment
from tests.support.commands import li, start_li
from tests.support.hubs import contents, full_session
from tests.support.waiting import wait_until

from lionstudio.state.database import Database

PASSWORD = "correct-horse"


@pytest.fixture
def hub(blank: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "hub"
    folder.mkdir()
    return Path(shutil.copy(blank, folder / "state.db"))


@pytest.fixture
def home(blank: Path, tmp_path: Path) -> Path:
    return new_home(blank, tmp_path / "home")


def new_home(blank: Path, folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    shutil.copy(blank, folder / "state.db")
    return folder


def variables(hub: Path, machine: str = "m") -> dict[str, str]:
    return {"LIONAGI_HUB": str(hub), "LIONAGI_MACHINE_ID": machine}


def test_push_and_status(home: Path, hub: Path) -> None:
    with Database(str(home / "state.db")) as db:
        full_session(db, "one")
    env = variables(hub)

    before = li("hub", "status", "--json", "--home", str(home), env=env).json
    first = li("hub", "push", "--json", "--home", str(home), env=env).json
    again = li("hub", "push", "--home", str(home), env=env)
    after = li("hub", "status", "--json", "--home", str(home), env=env).json

    assert (before["never_pushed"], before["pending_sessions"], before["machines"]) == (True, 1, [])
    assert (first["sessions"], first["messages"], first["refused"]) == (1, 5, [])
    assert again.out == f"Everything is on {hub} already.\n"
    assert (after["never_pushed"], after["pending_sessions"], after["sessions"], after["messages"]) == (False, 0, 1, 5)
    assert [(one["id"], one["sessions"], one["messages"]) for one in after["machines"]] == [("m", 1, 5)]


def test_push_says_what_was_refused(home: Path, hub: Path) -> None:
    for path in (home / "state.db", hub):
        with Database(str(path)) as db:
            begin(db, "one")

    result = li("hub", "push", "--home", str(home), env=variables(hub))

    assert result.code == 0
    assert "Not pushed: 1 session recorded by the hub itself." in result.err


def test_status_of_a_hub_that_is_away(home: Path, tmp_path: Path) -> None:
    result = li("hub", "status", "--home", str(home), env=variables(tmp_path / "none.db"))

    assert result.code == 1
    assert "reachable\tfalse" in result.out
    assert "\nsessions\t\n" in result.out


def test_push_of_a_machine_without_a_run_says_how_to_begin(hub: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir(mode=0o700)
    done = li("hub", "push", "--home", str(tmp_path / "new"), env=variables(hub))

    assert (done.code, "this machine has nothing to push" in done.err) == (3, True)
    assert "mirror all" in done.err


def test_push_without_a_hub(home: Path) -> None:
    result = li("hub", "push", "--home", str(home))

    assert result.code == 2
    assert "no hub is set" in result.err


def test_push_to_its_own_database(home: Path) -> None:
    assert li("hub", "push", "--home", str(home), env=variables(home / "state.db")).code == 2


@pytest.mark.parametrize("command", [("hub", "push"), ("hub", "status"), ("config",), ("hub", "push", "--service")])
def test_password_is_never_printed(home: Path, command: tuple[str, ...]) -> None:
    env = {"LIONAGI_HUB": f"postgresql://me:{PASSWORD}@127.0.0.1:1/lion", "LIONAGI_MACHINE_ID": "m"}

    for options in ((), ("--json",)):
        result = li(*command, "--home", str(home), *options, env=env)
        assert PASSWORD not in result.out + result.err


def test_service_prints_a_unit_for_this_home(home: Path, hub: Path) -> None:
    result = li("hub", "push", "--service", "--project", "my $app", "--home", str(home), env=variables(hub))

    [command] = [line for line in result.out.splitlines() if line.startswith("ExecStart=")]
    assert f'--home {home} --db {home / "state.db"} hub push --follow --project "my $$app"' in command
    assert not list(home.glob("*.service"))


def test_service_has_the_variables_of_a_push_and_no_password(home: Path, hub: Path) -> None:
    env = {**variables(hub, "50 % of $me"), "PGSSLMODE": "verify-full", "PGPASSWORD": PASSWORD}

    result = li("hub", "push", "--service", "--home", str(home), env=env)

    assert 'Environment="LIONAGI_MACHINE_ID=50 %% of $me"\nEnvironment=PGSSLMODE=verify-full\n' in result.out
    assert PASSWORD not in result.out
    assert "li --home" in result.err
    assert "config set hub ADDRESS" in result.err


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_service_is_a_valid_unit(home: Path, hub: Path, tmp_path: Path) -> None:
    unit = tmp_path / "lion-studio-push.service"
    unit.write_text(li("hub", "push", "--service", "--home", str(home), env=variables(hub)).out)

    checked = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit)],
        capture_output=True,
        text=True,
        env=environment(XDG_RUNTIME_DIR=str(tmp_path)),
    )

    assert (checked.returncode, unit.name in checked.stderr) == (0, False), checked.stderr


def test_service_without_a_hub_is_refused(home: Path) -> None:
    assert li("hub", "push", "--service", "--home", str(home)).code == 2


def test_follow_of_three_homes_through_an_outage(blank: Path, hub: Path, tmp_path: Path) -> None:
    homes = [new_home(blank, tmp_path / f"home{number}") for number in range(3)]
    with ExitStack() as stack:
        databases = [stack.enter_context(Database(str(home / "state.db"))) for home in homes]
        followers = [
            stack.enter_context(
                start_li("hub", "push", "--follow", "--json", "--home", str(home), env=variables(hub, f"m{number}"))
            )
            for number, home in enumerate(homes)
        ]
        runs = [begin(db, f"run{number}") for number, db in enumerate(databases)]
        say(databases[0], runs[0].branch_id, "first")
        wait_until(lambda: {row[0] for row in contents(hub)["sessions"]} == {"run0", "run1", "run2"})

        hub.parent.rename(tmp_path / "away")
        time.sleep(0.3)  # each of them has looked for it
        for number, (db, run) in enumerate(zip(databases, runs, strict=True)):
            say(db, run.branch_id, *(f"{number}.{each}" for each in range(667)))
            say(db, run.branch_id, f"{number}.last")
        time.sleep(1.0)
        (tmp_path / "away").rename(hub.parent)

        wait_until(lambda: all(_is_pushed(home, hub, number) for number, home in enumerate(homes)), seconds=40)
        for follower in followers:
            follower.send_signal(signal.SIGINT)
        outputs = [follower.communicate(timeout=30) for follower in followers]
    assert [follower.returncode for follower in followers] == [0, 0, 0]
    for out, err in outputs:
        assert (err.count("cannot be reached"), err.count("The hub is back.")) == (1, 1)
        assert all(json.loads(line)["hub"] == str(hub) for line in out.splitlines())
    assert len(contents(hub)["messages"]) == 3 * 668 + 1


def _is_pushed(home: Path, hub: Path, number: int) -> bool:
    like = f"run{number}"
    return contents(home / "state.db", like) == contents(hub, like)
