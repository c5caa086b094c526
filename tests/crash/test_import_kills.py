"""An import that is killed and run again gives the same rows as one that was not."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.crash.conftest import Figures
from tests.support.archives import plant_bad_runs, rows_of, write_external_db, write_home
from tests.support.children import environment
from tests.support.commands import LI, li
from tests.support.invariants import assert_whole

pytestmark = pytest.mark.crash

POINTS = (
    "import.messages",
    "import.placed",
    "import.session",
    "import.merged",
    "import.item",
    "write.before_commit",
    "write.committed",
)
KILLS = 60 if os.environ.get("LIONAGI_CRASH_LENGTH") == "full" else 5


def write_shows(root: Path) -> None:
    """Five shows of three plays."""
    for n in range(5):
        folder = root / f"topic{n}"
        folder.mkdir(parents=True)
        (folder / "_show.md").write_text("## Goal\nship\n")
        for play in "abc":
            (folder / play).mkdir()
            (folder / play / "_meta.json").write_text(json.dumps({"status": "merged", "attempt": n + 1}))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with all kinds of data to import."""
    folder = tmp_path_factory.mktemp("archive")
    write_home(folder, runs=12, rounds=4)
    plant_bad_runs(folder)
    write_shows(folder / "shows")
    write_external_db(folder / "other.db", sessions=12, rounds=4)
    return folder


def command(work: str, archive: Path) -> list[str]:
    given = {
        "import": ["--root", str(archive)],
        "import-shows": ["--root", str(archive / "shows")],
        "import-db": [str(archive / "other.db")],
    }
    return ["state", work, *given[work], "--no-index", "--json"]


def env(home: Path, **more: str) -> dict[str, str]:
    return {"LIONAGI_HOME": str(home), **more}


@cache
def done_once(work: str, archive: Path) -> dict[str, Any]:
    """The database after an undisturbed import."""
    home = archive.parent / f"undisturbed-{work}"
    assert li(*command(work, archive), env=env(home)).code == 0
    return rows_of(home / "state.db")


def finish(work: str, archive: Path, home: Path) -> None:
    """Run it again; the outcome must be the same as if it had never been killed."""
    if (home / "state.db").exists():
        assert_whole_but_for_the_test(home / "state.db", archive)
    again = li(*command(work, archive), env=env(home))
    assert (again.code, again.err) == (0, "" if work != "import-db" else again.err)
    assert rows_of(home / "state.db") == done_once(work, archive)


def assert_whole_but_for_the_test(path: Path, archive: Path) -> None:
    """The invariants, on a copy: the check itself appends a message."""
    copy = path.parent / "copy" / "state.db"
    copy.parent.mkdir()
    for name in path.parent.glob("state.db*"):
        (copy.parent / name.name).write_bytes(name.read_bytes())
    assert_whole(copy, [])


CASES = [
    pytest.param(work, point, passes, id=f"{work}-{point}-{passes}")
    for work in ("import", "import-db", "import-shows")
    for point in POINTS
    for passes in (1, 4)
    # a show is rows alone: it passes none of the points of a whole session
    if work != "import-shows" or point in ("import.item", "write.before_commit", "write.committed")
]


@pytest.mark.parametrize(("work", "point", "passes"), CASES)
def test_import_killed_at_point(work: str, point: str, passes: int, archive: Path, tmp_path: Path) -> None:
    killed = li(*command(work, archive), env=env(tmp_path, LIONAGI_CRASH_AT=f"{point}:{passes}"))

    assert killed.code == -signal.SIGKILL, killed
    finish(work, archive, tmp_path)


@pytest.mark.parametrize("work", ["import", "import-db", "import-shows"])
def test_import_killed_at_random(work: str, archive: Path, tmp_path: Path, figures: Figures) -> None:
    began = time.monotonic()
    done_once(work, archive)
    length = max(0.2, time.monotonic() - began)
    chance = random.Random(work)
    landed = 0
    for number in range(KILLS):
        home = tmp_path / str(number)
        process = subprocess.Popen(
            [LI, *command(work, archive)],
            env=environment(**env(home)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.05, length))
        process.kill()
        landed += process.wait() == -signal.SIGKILL
        finish(work, archive, home)
    figures(f"{landed} of {KILLS} kills hit `li state {work}` while it worked; all ended alike")


def test_import_ctrl_c_reports_progress_and_hint(archive: Path, tmp_path: Path) -> None:
    write_external_db(tmp_path / "large.db", sessions=300, rounds=20)
    home = tmp_path / "home"
    given = ["state", "import-db", str(tmp_path / "large.db"), "--no-index", "--json"]
    pipe = subprocess.PIPE
    process = subprocess.Popen([LI, *given], env=environment(**env(home)), stdout=pipe, stderr=pipe, text=True)
    while not (home / "state.db-wal").exists() or (home / "state.db-wal").stat().st_size < 2_000_000:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    said = json.loads(out)
    assert process.returncode == 130, err
    assert "run the command again to continue" in err
    assert (said["interrupted"], 0 < said["imported"] < 300) == (True, True)
    again = li(*given, env=env(home))
    assert (again.code, again.json["interrupted"]) == (0, False)
    # a session may be committed in the instant before it would have been counted
    assert again.json["unchanged"] - said["imported"] in (0, 1)
    assert rows_of(home / "state.db")["sessions"]
