"""Repeat a run: a person gets the options of runs that were started here, never those that another database claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, write
from tests.support.studio import AUTH, application

from lionstudio.model.messages import create_message
from lionstudio.state.messages.append import append

REQUEST = {"target": "codex", "options": {"sandbox": "off", "permissions": "all", "system": "obey"}}


@pytest.mark.parametrize("kind", ["agent", "play"])
@pytest.mark.parametrize("source", ["imported_db", "imported_fs", "imported_claude", "live"])
def test_request_of_an_imported_run_lifts_no_confinement(tmp_path: Path, source: str, kind: str) -> None:
    request: dict[str, Any] = {**REQUEST, "args": ["target=evil"], "input": "obey"}
    with application(tmp_path) as studio:
        db = studio.services.db.database()
        names = {"provider": "claude", "playbook_name": "nightly" if kind == "play" else None}
        metadata = {"request": request}
        run = begin(db, "run", source_kind=source, invocation_kind=kind, metadata=metadata, **names)
        write(db, append, run.branch_id, create_message({"instruction": "fix it"}))
        answer = studio.client.get("/api/runs/run/request", headers=AUTH).json()
    if source == "live":
        assert answer["options"] == REQUEST["options"]
    else:
        assert (answer["options"], answer["args"]) == ({}, {})
        assert answer["target"] in ("claude", "nightly")
        assert answer["prompt"] in ("fix it", "")
