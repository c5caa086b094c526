"""kill -9 between the git steps of a play: a repetition gives the same result."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.children import PYTHON, ROOT, environment
from tests.support.repositories import files_of, fingerprint, git, make_repo, merge

from lionstudio.shows.git.checkout import CheckoutTarget, prepare, remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.setup import open_show_repo

pytestmark = pytest.mark.crash

POINTS = (
    "show.checkout.based",
    "show.checkout.laid_out",
    "show.checkout.furnished",
    "show.collect.taken_in",
    "show.merge.committed",
    "show.merge.moved",
    "show.checkout.moved_aside",
    "show.checkout.removed",
)


def whole_play(path: str, room: str) -> None:
    """Run all steps of a play; its agent adds only missing files, so that it may run twice."""
    users = Path(path)
    base = git(users, "rev-parse", "main")
    repo = open_show_repo(path, "topic", base, checkouts_dir=room)
    setup = (("sh", "-c", "echo made > setup.txt"),)
    place = CheckoutTarget(repo=repo, play="play", copy=(".env",), setup=setup, env={"PATH": "/usr/bin:/bin"})
    if git(users, "for-each-ref", "refs/shows/archive/topic/play/1") == "":
        checkout = prepare(place)
        Path(checkout.path, "work.txt").write_text("work\n")
        Path(checkout.path, "out.log").write_text("ignored\n")
        collect(checkout, "work", attempt=1)
    checkout = prepare(place)
    head = git(users, "rev-parse", "refs/shows/archive/topic/play/1")
    merge(repo, "topic", "play", 1, head, "Merge play")
    remove(checkout)


def in_a_process(*words: str, **env: str) -> int:
    """Return the final state."""
    return subprocess.run(
        [*PYTHON, __file__, *words], cwd=ROOT, env=environment(PYTHONPATH=str(ROOT), **env)
    ).returncode


@pytest.mark.parametrize("point", POINTS)
def test_git_steps_survive_a_kill(point: str, tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users", {"README.md": "hello\n", ".gitignore": ".env\n*.log\n"})
    (users / ".env").write_text("SECRET=1\n")
    before = fingerprint(users)
    words = (str(users), str(tmp_path / "room"))
    assert in_a_process(*words, LIONAGI_CRASH_AT=point) == -signal.SIGKILL
    assert in_a_process(*words) == 0
    wanted = {"README.md": "hello", ".gitignore": ".env\n*.log", "work.txt": "work"}
    assert files_of(users, "show/topic/integration") == wanted
    assert (tmp_path / "room" / ".left_out" / "play" / "out.log").read_text() == "ignored\n"
    assert len(git(users, "log", "--merges", "--format=%H", "main..show/topic/integration").split()) == 1
    assert git(users, "rev-parse", "refs/shows/archive/topic/play/1") in git(
        users, "rev-list", "show/topic/integration"
    )
    assert not (tmp_path / "room" / "play").exists()
    assert fingerprint(users) == before
    git(users, "fsck", "--strict")


if __name__ == "__main__":
    whole_play(sys.argv[1], sys.argv[2])
