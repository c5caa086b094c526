"""kill -9 at every named point of the source: nothing acknowledged is lost, nothing is left half."""

from __future__ import annotations

import ast
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.support.children import ROOT, Done, run
from tests.support.invariants import Checked, assert_whole
from tests.support.old_files import add_old_sessions, make_v1, make_v3

from lionstudio.state.upkeep import prune

pytestmark = pytest.mark.crash

# Names that the source puts together, with what they can become.
PUT_TOGETHER = {"prune.{what}": [f"prune.{what}" for what in prune.Pruned._fields]}
APPENDS = ("synchronous", "grouped", "recorded")
# Which works pass a point, and the passes at which they are killed there.
WORKS: Mapping[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "create.filled": (("opening",), (1,)),
    "migrate.backed_up": (("migrating", "migrating our own"), (1,)),
    "migrate.copied": (("migrating",), (1,)),
    "migrate.filled": (("migrating", "migrating our own"), (1,)),
    "session.created": (("sessions", "recorded"), (1,)),
    "session.finished": (("sessions", "recorded"), (1,)),
    "append.inserted": (APPENDS, (1, 7)),
    "append.placed": (APPENDS, (1, 7)),
    "append.done": (APPENDS, (1, 7)),
    "fork.inserted": (("forking",), (1, 3)),
    "write.before_commit": ((*APPENDS, "forking", "sessions"), (1, 4)),
    "write.committed": ((*APPENDS, "forking", "sessions"), (1, 4)),
    "import.messages": (("importing",), (1, 4)),
    "import.placed": (("importing",), (1, 4)),
    "import.session": (("importing",), (1, 4)),
    "import.merged": (("importing",), (1, 4)),
    "prune.sessions": (("pruning",), (1, 2)),
    "prune.positions": (("pruning",), (1, 2)),
    "prune.progressions": (("pruning",), (1, 2)),
    "prune.messages": (("pruning",), (1, 2)),
}
# Points whose work needs files of its own, with the test that kills there.
ELSEWHERE: Mapping[str, str] = {
    "file.temporary_written": "tests/system/test_safe_files.py",
    "show.mirror.written": "tests/shows/git/remote/test_mirrors.py",
    "show.remote.begun": "tests/shows/git/remote/test_mirrors.py",
    "show.remote.pushed": "tests/shows/git/remote/test_remote_merge.py",
    "show.work.published": "tests/shows/git/remote/test_published_work.py",
    "show.checkout.outdated": "tests/shows/git/remote/test_published_work.py",
    "worker.taken": "tests/shows/workers/test_fleet.py",
    "worker.done": "tests/shows/workers/test_fleet.py",
    "worker.directed": "tests/shows/workers/test_fleet.py",
    "definition.row_written": "tests/definitions/test_versions.py",
    "definition.file_written": "tests/definitions/test_versions.py",
    "team.file_written": "tests/teams/test_concurrent_writers.py",
    "team.message_taken": "tests/teams/test_delivery.py",
    "decision.saved": "tests/shows/test_questions.py",
    "show.asked_in_file": "tests/shows/test_questions.py",
    "team.imported": "tests/teams/test_concurrent_writers.py",
    "embed.made": "tests/embeddings/test_job.py",
    "embed.stored": "tests/embeddings/test_job.py",
    "import.item": "tests/crash/test_import_kills.py",
    "mirror.placed": "tests/crash/test_mirror_kills.py",
    "mirror.committed": "tests/crash/test_mirror_kills.py",
    "complete.inserted": "tests/crash/test_double_kills.py",
    "complete.placed": "tests/crash/test_double_kills.py",
    "doubles.detached": "tests/crash/test_double_kills.py",
    "doubles.replaced": "tests/crash/test_double_kills.py",
    "recorder.kept": "tests/runs/test_faults.py",
    "spool.written": "tests/runs/test_faults.py",
    "spool.taken_in": "tests/runs/test_faults.py",
    "show.plan_written": "tests/crash/test_show_kills.py",
    "show.play_written": "tests/crash/test_show_kills.py",
    "show.verdict_written": "tests/crash/test_show_kills.py",
    "show.final_written": "tests/crash/test_show_kills.py",
    "show.reopened": "tests/crash/test_show_kills.py",
    "show.checkout_ready": "tests/crash/test_show_kills.py",
    "show.ordered": "tests/crash/test_show_kills.py",
    "show.exited": "tests/crash/test_show_kills.py",
    "show.collected": "tests/crash/test_show_kills.py",
    "show.judged": "tests/crash/test_show_kills.py",
    "show.merged": "tests/crash/test_show_kills.py",
    "show.asked": "tests/crash/test_show_kills.py",
    "attempt.intended": "tests/shows/attempt/test_supervisor.py",
    "attempt.started": "tests/shows/attempt/test_supervisor.py",
    "attempt.ended": "tests/shows/attempt/test_supervisor.py",
    "show.checkout.based": "tests/crash/test_show_git_kills.py",
    "show.checkout.laid_out": "tests/crash/test_show_git_kills.py",
    "show.checkout.furnished": "tests/crash/test_show_git_kills.py",
    "show.checkout.moved_aside": "tests/crash/test_show_git_kills.py",
    "show.checkout.removed": "tests/crash/test_show_git_kills.py",
    "show.collect.taken_in": "tests/crash/test_show_git_kills.py",
    "show.merge.committed": "tests/crash/test_show_git_kills.py",
    "show.merge.moved": "tests/crash/test_show_git_kills.py",
    **dict.fromkeys(
        ("push.ahead", "push.batch", "push.copied", "push.messages", "push.placed"), "tests/crash/test_push_kills.py"
    ),
}
CASES = [
    pytest.param(point, work, time, id=f"{point}-{work}-{time}")
    for point, (works, times) in WORKS.items()
    for work in works
    for time in times
]
SIZES = {"pruning": 1, "opening": 1, "sessions": 4, "forking": 4}
UPKEEP = ("opening", "pruning")  # what was cut short must come to its end when it is done again


def points_in_source() -> Iterator[str]:
    """Every name that is given to `point` anywhere in the package."""
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("point", "crash.point"):
                name = ast.unparse(node.args[0]).removeprefix("f").strip("'\"")
                yield from PUT_TOGETHER.get(name, [name])


def test_no_point_is_forgotten() -> None:
    assert set(points_in_source()) == {*WORKS, *ELSEWHERE}, "say in WORKS what passes a new point"
    assert [point for point, test in ELSEWHERE.items() if point not in (ROOT / test).read_text()] == []


def prepare(work: str, path: Path) -> str:
    """The file that a work needs, and the name of the program that does it."""
    if work == "migrating":
        make_v1(path)
        return "opening"
    if work == "migrating our own":
        make_v3(path)
        return "opening"
    if work == "pruning":
        add_old_sessions(path, sessions=2 * prune._MOST_ROWS, messages=1)
    return work


@pytest.mark.parametrize(("point", "work", "time"), CASES)
def test_nothing_is_lost_at(point: str, work: str, time: int, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    program = prepare(work, path)
    killed = run(program, path, SIZES.get(program, 10), env={"LIONAGI_CRASH_AT": f"{point}:{time}"})
    assert killed.code == -signal.SIGKILL, f"the work never passed {point}: {killed}"
    seen = assert_whole(path, killed.events, loose=work == "pruning")
    what_was_under_way(point, work, killed, seen)
    if program in UPKEEP:
        again = run(program, path)
        assert (again.code, again.errors) == (0, "")
        assert_whole(path, [*killed.events, *again.events])
    leftovers(path, work)


def what_was_under_way(point: str, work: str, killed: Done, seen: Checked) -> None:
    """A message that nobody was told about is there if its commit was done, and only then."""
    if work == "synchronous":
        kept = 1 if point == "write.committed" and killed.events else 0
        assert seen.messages == seen.acknowledged + kept
    if work == "migrating":
        assert (seen.messages, seen.sessions) == (200, 5)
    if work == "migrating our own":
        assert (seen.messages, seen.sessions) == (2999, 6)


def leftovers(path: Path, work: str) -> None:
    """Beside the database lies what belongs there and nothing half."""
    extra = {name.name for name in path.parent.iterdir()} - {path.name, "run"}
    backups = {name for name in extra if name.endswith(".bak")}
    assert extra == backups, "half-written files stay behind"
    assert bool(backups) == work.startswith("migrating")
