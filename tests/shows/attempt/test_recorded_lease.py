"""The lease of a recorded run: `li agent` and its watchdog are between the supervisor and the program."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from tests.support.leases import FREEZE, MARGIN, STAMP, LeaseHarness, boot_time
from tests.support.process_trees import still_alive
from tests.support.waiting import wait_until

from lionstudio.model.ids import new_id
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.settle import settle_run
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.attempt.attempt_files import AttemptSpec, AttemptWatch, Lease
from lionstudio.state.database import Database
from lionstudio.system.li_process import li_argv

pytestmark = pytest.mark.postgres


def begin(hub: LeaseHarness, rounds: int, *options: str) -> AttemptWatch:
    program = hub.root / "program.py"
    program.write_text(
        f"{STAMP}\nfor _ in range({rounds}):\n"
        "    os.write(file, f'{name} {time.clock_gettime(time.CLOCK_BOOTTIME)!r}\\n'.encode())\n"
        "    time.sleep(0.02)\n"
    )
    folder = attempt_files.attempt_folder(str(hub.root), "play", 1)
    session = new_id()
    hub.sessions.append(session)
    common = ("--session-id", session, "--cwd", str(hub.root), "--sandbox", "off", *options)
    argv = li_argv("--db", str(hub.root / "state.db"), "agent", "script", "-", *common)
    lease = Lease(hub.db, "calc/1", hub.take().fence, hub.lock_path)
    spec = AttemptSpec(tuple(argv), str(hub.root), session, str(hub.root / "state.db"), lease=lease)
    prompt = f"@run {sys.executable} -I -S {program} {hub.stamps} fence1\n@say done\n"
    attempt_files.write_spec(folder, spec, prompt, hub.env)
    watch = hub.watch(folder)
    assert watch.poll() is None
    wait_until(hub.moments, what=f"no stamp: {attempt_files.log_tail(folder)}")
    return watch


def recorded(hub: LeaseHarness) -> Session:
    with Database(str(hub.root / "state.db")) as state:
        session = settle_run(state, hub.sessions[-1], wait=15)
    assert session is not None
    return session


def test_frozen_run_completes(hub: LeaseHarness) -> None:
    """It is frozen for as long as its time limit, which does not count."""
    limit, rounds = 5, 100  # two seconds: longer than until the freeze
    watch = begin(hub, rounds, "--timeout", str(limit))
    cut = boot_time()
    frozen = hub.freeze(watch)
    hub.sleep_until(frozen + limit)
    back = boot_time()
    hub.cutter.set("pass")
    ended = hub.end(watch)

    assert (ended.how, ended.code) == ("exited", 0), attempt_files.log_tail(watch._folder)
    assert hub.between(cut + FREEZE + MARGIN, back) == []
    assert len(hub.moments()) == rounds
    assert recorded(hub).status is SessionStatus.COMPLETED


def test_order_given_away_ends_the_run_without_waking_it(hub: LeaseHarness) -> None:
    watch = begin(hub, 10_000)
    frozen = hub.freeze(watch)
    tree = hub.tree(watch)
    hub.give_away()
    hub.cutter.set("pass")

    assert hub.end(watch).how == "given_away"
    assert still_alive(tree) == set()
    assert hub.between(frozen, boot_time()) == []
    assert recorded(hub).status is SessionStatus.FAILED


@pytest.mark.crash
@pytest.mark.parametrize("with_guard", [False, True])
def test_killed_supervisor_ends_the_run(hub: LeaseHarness, with_guard: bool) -> None:
    watch = begin(hub, 10_000)
    tree, guard, moment = hub.tree(watch), hub.guard(watch), boot_time()
    if with_guard:
        os.kill(hub.supervisor(watch), signal.SIGSTOP)  # it cannot start another
        os.kill(guard, signal.SIGKILL)
    os.kill(hub.supervisor(watch), signal.SIGKILL)
    wait_until(lambda: not still_alive(tree), what="something goes on")

    assert with_guard or hub.between(moment + MARGIN, boot_time()) == []
    assert hub.end(watch).how == "killed"
    assert recorded(hub).status is SessionStatus.FAILED
