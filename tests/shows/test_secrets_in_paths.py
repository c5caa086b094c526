"""A folder whose name is also the value of a secret variable: paths and topics are kept, so that shows work there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.model.redaction.corpus import ALNUM, body
from tests.support.show_harness import TOPIC, ShowHarness

SECRET = "Zq" + body(14, ALNUM)(random.Random(8))


@pytest.mark.parametrize("durable", [False, True])
def test_show_runs_below_a_folder_named_like_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    monkeypatch.setenv("PROD_DB_PASSWORD", SECRET)
    harness = ShowHarness(tmp_path / f"{SECRET}-app")
    harness.write_plan({"a": f"@say {SECRET}\n@write a.txt alpha"})

    harness.direct(durable=durable)

    assert harness.statuses() == {"a": "merged"}
    harness.assert_consistent()
    with harness.database() as db:
        row = db.conn.one("SELECT show_dir FROM shows WHERE topic = :topic", {"topic": TOPIC})
    assert row == (str(harness.show_dir),)
