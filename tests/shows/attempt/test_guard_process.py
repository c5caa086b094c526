"""The guard of a lease: nothing of an attempt goes on, whichever of its processes is killed or stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from tests.support.hostile_folders import NOBODY
from tests.support.leases import BEAT, FREEZE, MARGIN, LeaseHarness, boot_time
from tests.support.process_trees import still_alive
from tests.support.waiting import wait_until

from lionstudio.model.ids import new_id
from lionstudio.shows.attempt import attempt_files, guard_process

pytestmark = pytest.mark.postgres


@pytest.mark.crash
@pytest.mark.parametrize(
    ("freezer", "agent", "frozen"),
    [("signals", "runaway", False), ("signals", "family", True), ("cgroup", "family", False)],
)
def test_killed_supervisor_ends_the_agent_at_once(hub: LeaseHarness, freezer: str, agent: str, frozen: bool) -> None:
    watch = hub.begin(hub.take().fence, agent)
    if frozen:
        hub.freeze(watch)
    else:
        time.sleep(2 * guard_process._WALK_SECONDS)  # the guard has seen all of them
    tree, guard = hub.tree(watch), hub.guard(watch)
    moment = boot_time()
    os.kill(hub.supervisor(watch), signal.SIGKILL)
    wait_until(lambda: not still_alive(tree | {guard}), what="something goes on")
    last = boot_time()

    assert hub.between(moment + (0 if frozen else MARGIN), last) == []
    hub.cutter.set("pass")
    ended = hub.end(watch)  # by the next supervisor
    assert (ended.how, ended.detail) == ("killed", "the supervisor was killed")
    assert hub.between(last, boot_time()) == []
    assert hub.order().fence == 1


@pytest.mark.crash
def test_stopped_supervisor_freezes_the_agent(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    for is_ours in (True, False):
        stopped = boot_time()
        os.kill(hub.supervisor(watch), signal.SIGSTOP)
        hub.sleep_until(stopped + FREEZE + MARGIN + BEAT / 2)
        back = boot_time()
        if not is_ours:
            hub.give_away()
            hub.take("second")
        os.kill(hub.supervisor(watch), signal.SIGCONT)
        if is_ours:
            hub.until_stamped_after(back)
            wait_until(lambda: hub.frozen_since(watch) is None)
        else:
            assert hub.end(watch).how == "given_away"
            assert hub.between(back, boot_time()) == []
        assert hub.between(stopped + FREEZE + MARGIN, back) == []
    state = attempt_files.read_lease_state(watch._folder)
    assert state is not None
    assert state.freezes > 0


@pytest.mark.crash
def test_guard_that_is_killed_or_stopped_is_replaced(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    first = hub.guard(watch)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not still_alive({first}), what="the killed guard was not replaced")
    second = hub.guard(watch)
    frozen = hub.freeze(watch)
    os.kill(second, signal.SIGSTOP)
    wait_until(lambda: not still_alive({second}), what="the stopped guard was not replaced")
    assert hub.guard(watch) not in (first, second)
    hub.thaw(frozen)

    assert hub.stop(watch).how == "stopped"


@pytest.mark.crash
def test_killed_supervisor_and_guard_let_nothing_go_on(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "plain")
    os.kill(hub.guard(watch), signal.SIGKILL)
    os.kill(hub.supervisor(watch), signal.SIGKILL)
    killed = boot_time()
    time.sleep(MARGIN)
    assert hub.between(killed + MARGIN, boot_time()) == []

    assert hub.end(watch).how == "killed"


@pytest.mark.crash
@pytest.mark.parametrize("freezer", ["signals", "cgroup"])
def test_frozen_agent_of_a_killed_supervisor_and_guard_never_wakes(hub: LeaseHarness, freezer: str) -> None:
    watch = hub.begin(hub.take().fence, "family")
    frozen = hub.freeze(watch)
    tree = hub.tree(watch)
    os.kill(hub.guard(watch), signal.SIGKILL)
    os.kill(hub.supervisor(watch), signal.SIGKILL)
    time.sleep(BEAT)
    hub.cutter.set("pass")

    assert hub.end(watch).how == "killed"  # by the next supervisor
    assert hub.between(frozen, boot_time()) == []
    # one that has cleared its environment stays stopped where no cgroup finds it
    left = still_alive(tree)
    assert all(guard_process._stat(pid)[0] == b"T" for pid in left)
    assert not left or freezer == "signals"
    for pid in left:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.crash
@pytest.mark.parametrize("freezer", ["signals"])
def test_agent_that_wakes_itself_while_it_is_frozen_is_ended(hub: LeaseHarness, freezer: str) -> None:
    watch = hub.begin(hub.take().fence, "waker")
    hub.cutter.set("cut")
    tree = hub.tree(watch)
    wait_until(lambda: not still_alive(tree), what="it woke again and again")
    ended = boot_time()
    time.sleep(BEAT)

    assert hub.between(ended, boot_time()) == []
    hub.cutter.set("pass")
    assert hub.end(watch).code == 128 + signal.SIGKILL


@pytest.mark.crash
def test_machine_that_was_stopped_freezes_before_it_asks(hub: LeaseHarness) -> None:
    """The agent wakes first, which is the worst order."""
    watch = hub.begin(hub.take().fence, "family")
    every = [hub.supervisor(watch), hub.guard(watch), *hub.tree(watch)]
    frozen = boot_time()
    for is_ours in (True, False):
        hub.cutter.set("cut")  # nobody can ask: what freezes it is the clock alone
        for pid in every:
            os.kill(pid, signal.SIGSTOP)
        hub.sleep_until(boot_time() + FREEZE + BEAT / 2)
        if not is_ours:
            hub.give_away()
            hub.take("second")
        woken = boot_time()
        for pid in reversed(every):
            os.kill(pid, signal.SIGCONT)
        hub.until_frozen(watch)
        frozen = boot_time()
        assert hub.between(woken + MARGIN, frozen) == []
        if is_ours:
            hub.thaw(frozen)
            wait_until(lambda: hub.frozen_since(watch) is None)
    hub.cutter.set("pass")

    assert hub.end(watch).how == "given_away"
    assert hub.between(frozen, boot_time()) == []


@pytest.mark.parametrize("freezer", ["cgroup"])
def test_agent_in_a_cgroup_of_the_same_name_is_frozen(hub: LeaseHarness, freezer: str) -> None:
    watch = hub.begin(hub.take().fence, "namesake")
    places = list(Path("/sys/fs/cgroup").glob(f"**/fence1-{hub.supervisor(watch)}"))
    assert places, "the agent did not move"
    hub.thaw(hub.freeze(watch))
    wait_until(lambda: hub.frozen_since(watch) is None)
    frozen = hub.freeze(watch)
    hub.give_away()
    hub.cutter.set("pass")

    assert hub.end(watch).how == "given_away"
    assert hub.between(frozen, boot_time()) == []
    for place in places:
        guard_process.Cgroup(str(place)).remove()


def test_agent_in_a_pid_namespace_is_frozen(hub: LeaseHarness) -> None:
    options = ["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc", "--clearenv", "--"]
    argv = (str(shutil.which("bwrap")), *options)
    if shutil.which("bwrap") is None or subprocess.run([*argv, "true"], capture_output=True).returncode != 0:
        pytest.skip("no pid namespaces here")
    watch = hub.begin(hub.take().fence, "family", argv)
    hub.thaw(hub.freeze(watch))
    wait_until(lambda: hub.frozen_since(watch) is None)
    frozen = hub.freeze(watch)
    tree = hub.tree(watch)
    hub.give_away()
    hub.cutter.set("pass")

    assert hub.end(watch).how == "given_away"
    assert hub.between(frozen, boot_time()) == []
    assert still_alive(tree) == set()


def test_tree_of_a_dead_supervisor_is_never_that_of_whoever_adopted_us() -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    parent = guard_process.find_process(os.getppid())
    for supervisor in (None, (gone.pid, 1), (1, 1), (parent[0], parent[1] + 1), (os.getpid(), 1)):
        tree = guard_process.Tree(supervisor, new_id(), None)
        assert tree.processes() == {}
        assert tree.is_orphaned


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to act as another user")
def test_tree_of_a_dead_supervisor_has_no_process_of_another_user() -> None:
    """Whoever reads the session in our arguments can name it too, and would hold up the end of its processes."""
    session_id = new_id()
    argv = ["sh", "-c", "read line", "sh", "--session-id", session_id]
    begin = partial(subprocess.Popen, argv, env={}, stdin=subprocess.PIPE)
    with begin() as ours, begin(user=NOBODY) as other:
        try:
            tree = guard_process.Tree(None, session_id, None)
            wait_until(lambda: ours.pid in tree.processes())
            assert tree.kill()
            assert (ours.wait(), other.poll()) == (-signal.SIGKILL, None)
        finally:
            ours.kill()
            other.kill()


@pytest.mark.skipif(os.getpid() == 1, reason="the first process of a namespace is never a supervisor")
def test_tree_holds_descendants_only() -> None:
    before = guard_process.children_of(os.getpid())
    with subprocess.Popen(["sh", "-c", "sleep 300 & wait"]) as ours, subprocess.Popen(["sleep", "300"]) as other:
        try:
            us = guard_process.find_process(os.getpid())
            tree = guard_process.Tree(us, new_id(), None, {*before, other.pid})
            wait_until(lambda: len(tree.processes()) == 2)
            assert set(tree.processes()) == {ours.pid, *guard_process.children_of(ours.pid)}
            guard_process.send((other.pid, 1), signal.SIGKILL)  # another process than the one that was meant
            assert other.poll() is None
            tree.kill()
            assert tree.processes() == {}
        finally:
            ours.kill()
            other.kill()


def test_by_age_follows_pids_over_their_largest() -> None:
    assert guard_process.by_age({300, 302, 5_000, 32_700}, last=302) == [302, 300, 32_700, 5_000]
    assert guard_process.by_age({300, 302, 5_000, 32_700}, last=32_701) == [32_700, 5_000, 302, 300]
