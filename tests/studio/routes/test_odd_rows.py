"""Invalid values of other tools and hostile messages of agents become valid JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.builders import begin, say, sql, write
from tests.support.studio import AUTH, InProcess, application

from lionstudio.model.messages import create_message
from lionstudio.state.messages.append import append
from lionstudio.studio.schemas import runs

NOW = time.time()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


@pytest.mark.sqlite
def test_routes_show_invalid_values_of_other_tools(studio: InProcess) -> None:
    db = studio.services.db.database()
    odd = begin(db, "s-odd", created_at=NOW - 10 * 86400, status="running")
    say(db, odd.branch_id, "odd one")
    sql(db, "UPDATE sessions SET started_at = 'noon', reason_codes = '{', owner = '[1' WHERE id = 's-odd'")
    sql(db, "UPDATE messages SET content = 'no json', node_metadata = x'00ff' WHERE id = 'odd one'")

    assert studio.get("/api/runs?status=running")["runs"][-1]["id"] == "s-odd"
    assert studio.get("/api/runs/s-odd")["session"]["started_at"] == "noon"
    message = studio.get("/api/sessions/s-odd/messages")["messages"][0]
    assert message["content"] == {"unreadable": "no json"}
    studio.get("/api/attention")
    sql(db, "DELETE FROM sessions WHERE id = 's-odd'")


def test_message_content_never_breaks_json(studio: InProcess) -> None:
    db = studio.services.db.database()
    strange = begin(db, "s-strange", created_at=NOW - 11 * 86400)
    texts = ["\ud800 lone", "line\u2028sep", "</script>", "\x00", '"quoted"', "€" * 10]
    for number, text in enumerate(texts):
        message = create_message({"instruction": text}, id=f"t{number}", created_at=NOW)
        write(db, append, strange.branch_id, message)
    raw = studio.client.get("/api/sessions/s-strange/messages", headers=AUTH).content
    sql(db, "DELETE FROM sessions WHERE id = 's-strange'")

    result = [message["content"]["instruction"] for message in json.loads(raw)["messages"]]
    assert result == texts


def test_session_lists_its_artifacts(studio: InProcess) -> None:
    db = studio.services.db.database()
    report = {"id": "report", "path": "report.md", "required": True, "state": "delivered", "size": 5, "sha256": "ab"}
    odd = [3, {"id": 1, "path": "x", "state": "delivered"}, {"id": "a", "path": "b", "state": "eaten"}]
    begin(db, "s-artifacts", metadata={"artifacts": [report, *odd, {**report, "size": "big", "state": "missing"}]})
    begin(db, "s-text", metadata={"artifacts": "none"})
    detail = studio.get("/api/sessions/s-artifacts")

    runs.SessionDetail.model_validate(detail, strict=True)
    complete = report | {"description": None, "unchanged": False, "problem": None}
    assert detail["artifacts"] == [complete, complete | {"size": None, "state": "missing"}]
    assert studio.get("/api/sessions/s-text")["artifacts"] == []
