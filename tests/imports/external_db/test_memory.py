"""`li state import-db` of a large database: memory stays bounded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.archives import ExternalDbBuilder, message
from tests.support.children import ROOT, environment

IMPORT_AND_MEASURE = """
import sys
from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import Report
from lionstudio.state.sqlite.maintenance import tune_for_import
from lionstudio.state.database import Database

report = Report()
with Database(sys.argv[2]) as db:
    tune_for_import(db.conn)
    import_database(db, sys.argv[2], sys.argv[1], report)
# only this process: ru_maxrss also counts the memory of the parent at the fork
with open("/proc/self/status") as status:
    print(report.messages, next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.slow
def test_import_database_uses_bounded_memory(tmp_path: Path) -> None:
    other_path = tmp_path / "other.db"
    other = ExternalDbBuilder(other_path)
    large = [message(f"l{n}", {"instruction": "x" * 40_000}, "instruction.Instruction", "user") for n in range(4500)]
    other.session("large", large)
    for n in range(100):
        other.session(
            f"s{n}",
            [message(f"{n}.{m}", {"instruction": "y" * 400}, "instruction.Instruction", "user") for m in range(500)],
        )
    del large
    other.close()
    assert other_path.stat().st_size > 200_000_000

    done = subprocess.run(
        [sys.executable, "-c", IMPORT_AND_MEASURE, str(other_path), str(tmp_path / "target.db")],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    messages, kilobytes = map(int, done.stdout.split())
    assert messages == 54_500
    assert kilobytes < 200_000, f"{kilobytes / 1000:.0f} MB"
