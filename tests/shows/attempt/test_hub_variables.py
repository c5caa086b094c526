"""Variables of the hub: the supervisor and the recorder of an attempt connect with them, its agent never gets them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.support.leases import LeaseHarness
from tests.support.postgres_server import PASSWORD

from lionstudio.model.ids import new_id
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.settings import server_environment
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.attempt.attempt_files import AttemptSpec, Lease
from lionstudio.shows.execute.attempt_command import attempt_environment
from lionstudio.state.sessions import find_session
from lionstudio.system import watchdog
from lionstudio.system.git import users_environment
from lionstudio.system.li_process import li_argv

pytestmark = pytest.mark.postgres

# its own environment, and that of every process above it
ATTACK = """
env
pid=$$
while [ "$pid" -gt 1 ]; do
  echo "level $pid"
  tr '\\0' '\\n' < /proc/$pid/environ
  pid=$(awk '/^PPid/ {print $2}' /proc/$pid/status)
done
"""
# root without its rights is a user like others
UNPRIVILEGED = "setpriv --bounding-set=-all --inh-caps=-all " if os.getuid() == 0 else ""


@pytest.mark.skipif(bool(UNPRIVILEGED) and not shutil.which("setpriv"), reason="root needs setpriv")
@pytest.mark.parametrize("variable", ["PGPASSWORD", "PGPASSFILE"])
def test_agent_does_not_get_the_password_that_its_recorder_uses(hub: LeaseHarness, variable: str) -> None:
    passfile = hub.root / "pass"
    passfile.write_text(f"*:*:*:*:{PASSWORD}\n")
    passfile.chmod(0o600)
    attack, seen = hub.root / "attack.sh", hub.root / "seen"
    attack.write_text(ATTACK)
    environ = {**hub.env, "LIONAGI_DB": hub.db, "PGSSLMODE": "prefer", "PGAPPNAME": "of-the-hub"}
    environ[variable] = PASSWORD if variable == "PGPASSWORD" else str(passfile)
    passed = attempt_environment(environ) | {"PATH": os.environ["PATH"]}
    session = new_id()
    hub.sessions.append(session)
    argv = li_argv("agent", "script", "-", "--session-id", session, "--cwd", str(hub.root), "--sandbox", "off")
    lease = Lease(hub.db, "calc/1", hub.take().fence, hub.lock_path)
    folder = attempt_files.attempt_folder(str(hub.root), "play", 1)
    prompt = f"@run {UNPRIVILEGED}sh -c 'sh {attack} > {seen} 2>&1'\n@say done\n"
    attempt_files.write_spec(
        folder, AttemptSpec(tuple(argv), str(hub.root), session, hub.db, lease=lease), prompt, passed
    )
    hub.watches.append(attempt_files.AttemptWatch(folder, passed))
    ended = hub.watches[-1].wait(lambda: None)

    assert (ended.how, ended.code) == ("exited", 0), attempt_files.log_tail(folder)
    recorded = hub.database.read(lambda conn: find_session(conn, session))
    assert recorded is not None
    assert recorded.status is SessionStatus.COMPLETED  # on the hub
    text = seen.read_text()
    assert "LIONAGI_SESSION_ID=" in text
    assert text.count("level ") > 3
    assert not [line for line in text.splitlines() if line.startswith("PG")]
    assert PASSWORD not in text
    assert PASSWORD not in Path(folder, attempt_files.SPEC).read_text()


def test_git_and_watchdogs_get_no_variable_of_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of the same user can read the environment of git."""
    monkeypatch.setenv("LIONAGI_DB", "postgresql://lion:secret@db.example.org/lion")
    monkeypatch.setenv("PGPASSWORD", "secret")
    for environment in (users_environment(), watchdog._environment()):
        assert "secret" not in str(environment)
    assert server_environment("postgresql://lion@db.example.org/lion")["PGPASSWORD"] == "secret"
