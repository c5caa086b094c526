"""The DAG of a show against brute force, and forks against copies, on small inputs."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from tests.support.builders import T0, said, trial

from lionstudio.model.branches import Branch
from lionstudio.model.sessions import Session
from lionstudio.model.shows.play_graph import blocked_by, critical_path
from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.state.branches import branch_length, create_branch, fork_branch, history
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session

NAMES = "abcdef"
NOW = 1000.0


@st.composite
def shows(draw: st.DrawFn) -> list[Play]:
    """Generate up to six plays with any dependencies: cycles, themselves, and missing plays."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    started = st.none() | st.integers(0, 900).map(float)
    return [
        Play(
            show_id="show",
            name=name,
            status=draw(st.sampled_from(PlayStatus)),
            depends_on=tuple(draw(st.lists(st.sampled_from(NAMES + "?"), max_size=3))),
            started_at=draw(started),
            ended_at=draw(st.none() | st.integers(0, 1100).map(float)),
        )
        for name in names
    ]


def chains(plays: Sequence[Play]) -> list[tuple[str, ...]]:
    """Return every chain of dependencies that starts at a play without any and meets no cycle."""
    known = {play.name: play for play in plays}
    needs = {name: {need for need in play.depends_on if need in known} for name, play in known.items()}

    def reachable(name: str, seen: frozenset[str]) -> bool:
        """Return whether the dependencies of a play contain a cycle."""
        return name in seen or any(reachable(need, seen | {name}) for need in needs[name])

    def ending_at(name: str) -> list[tuple[str, ...]]:
        before = [chain for need in needs[name] for chain in ending_at(need)]
        return [(*chain, name) for chain in before] or [(name,)]

    return [chain for name in known if not reachable(name, frozenset()) for chain in ending_at(name)]


def weight(play: Play) -> float:
    if play.started_at is None:
        return 1.0
    return max(1.0, (NOW if play.ended_at is None else play.ended_at) - play.started_at)


@given(plays=shows())
def test_critical_path_is_the_heaviest_chain(plays: list[Play]) -> None:
    known = {play.name: play for play in plays}
    weights = {chain: sum(weight(known[name]) for name in chain) for chain in chains(plays)}
    found = critical_path(plays, NOW)

    assert found in weights if weights else found == ()
    assert not weights or weights[found] == max(weights.values())


@given(plays=shows())
def test_blocked_by_lists_plays_that_can_never_start(plays: list[Play]) -> None:
    stuck = {PlayStatus.ESCALATED, PlayStatus.BLOCKED, PlayStatus.ABORTED_AFTER_FINISH}
    waiting = {PlayStatus.PENDING, PlayStatus.PREPARED, PlayStatus.BLOCKED}
    known = {play.name: play for play in plays}
    # optimism: everything that is not stuck gets merged as soon as what it needs is
    merged = {play.name for play in plays if play.status not in waiting | stuck}
    while (
        ready := {play.name for play in plays if play.status in waiting - stuck and set(play.depends_on) <= merged}
        - merged
    ):
        merged |= ready
    held = {
        play.name: {need for need in play.depends_on if need not in merged}
        for play in plays
        if play.status in waiting and not set(play.depends_on) <= merged
    }
    done = {play.name for play in plays if play.status is PlayStatus.MERGED}
    # one that is marked blocked and may hope again waits for what is not merged yet
    held |= {
        play.name: held.get(play.name) or {need for need in play.depends_on if need not in done}
        for play in plays
        if play.status is PlayStatus.BLOCKED
    }

    found = blocked_by(plays)

    assert {name: set(by) for name, by in found.items()} == held
    assert all(len(by) == len(set(by)) and name in known for name, by in found.items())


@st.composite
def forkings(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Generate steps: the branch, its number of messages, and where the next forks off (-1: at its start)."""
    return draw(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(0, 20)), max_size=8))


@given(steps=forkings())
def test_fork_reads_like_a_copy(conn: Connection, steps: list[tuple[int, int, int]]) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        branches = [create_branch(conn, Branch(id="root", session_id="s", created_at=T0)).id]
        copies: list[list[str]] = [[]]  # what each would hold if a fork copied
        own: list[int] = [0]
        for number, (pick, said_, at) in enumerate(steps):
            which = pick % len(branches)
            for count in range(said_):
                append(conn, branches[which], said(id=f"{number}.{count}"))
                copies[which].append(f"{number}.{count}")
            own[which] += said_
            assert branch_length(conn, branches[which]) == own[which]
            cut = at % (own[which] + 1) - 1
            branches.append(fork_branch(conn, branches[which], cut).id)
            copies.append(copies[which][: len(copies[which]) - own[which] + cut + 1])
            own.append(0)

        seen = [[entry.message_id for entry in history(conn, branch)] for branch in branches]

        assert seen == copies
