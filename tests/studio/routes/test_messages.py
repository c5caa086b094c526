"""Routes for long runs: pages, links to a message, long contents in parts, outline, timeline, search, export."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, say, sql, write
from tests.support.sql_trace import traced
from tests.support.studio import AUTH, InProcess, application

from lionstudio.errors import NotFound
from lionstudio.model.messages import create_message
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database
from lionstudio.state.messages import pages
from lionstudio.state.messages.append import append
from lionstudio.studio.schemas import messages, runs
from lionstudio.studio.views.content_cache import ContentCache

ANY_TEXT: Any = "v" * 1000
NOW = 1_790_000_000.0


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


def put(db: Database, branch: str, id_: str, *, at: float = NOW, **content: Any) -> None:
    write(db, append, branch, create_message(content, id=id_, created_at=at))


def talk(db: Database) -> str:
    """A question, a failed call, a successful call, an answer."""
    begun = begin(db, "talk")
    put(db, begun.branch_id, "ask", instruction="read it", at=NOW)
    put(db, begun.branch_id, "call", function="Read", arguments={"file_path": "/src/a.py"}, at=NOW + 1)
    put(db, begun.branch_id, "bad", error="no such file", action_request_id="call", at=NOW + 2)
    put(
        db,
        begun.branch_id,
        "patch",
        function="apply_patch",
        arguments={"changes": [{"path": "/src/b.py"}]},
        at=NOW + 50,
    )
    put(db, begun.branch_id, "good", output="fine", action_request_id="patch", at=NOW + 51)
    put(db, begun.branch_id, "say", assistant_response='It says 100% "quoted"', at=NOW + 100)
    return begun.branch_id


def test_outline_lists_errors_users_tools_and_files(studio: InProcess) -> None:
    talk(studio.services.db.database())
    result = studio.get("/api/sessions/talk/outline")

    messages.OutlineView.model_validate(result, strict=True)
    place = {"ord": 2, "call_ord": 1, "message_id": "bad", "branch_id": "talk.main", "at": NOW + 2}
    assert result["errors"] == [{**place, "tool": "Read", "text": "no such file"}]
    assert (result["users"], result["last_ord"]) == ([0], 5)
    assert result["tools"] == {"Read": {"calls": 1, "errors": 1}, "apply_patch": {"calls": 1, "errors": 0}}
    assert [file["path"] for file in result["files"]] == ["/src/b.py", "/src/a.py"]
    later = studio.get("/api/sessions/talk/outline?after=2")
    assert (later["errors"], later["users"], later["last_ord"]) == ([], [], 5)


def test_outline_has_a_letter_for_each_message(studio: InProcess) -> None:
    db = studio.services.db.database()
    main = begin(db, "kinds").branch_id
    used = {"usage": {"input_tokens": 3, "cache_read_tokens": 40, "cache_write_tokens": 100, "output_tokens": 7}}
    contents: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"instruction": "please"}, {}),
        ({"instruction": "a reminder"}, {"metadata": {"injected": True}}),
        ({"assistant_response": "", "thinking": "hm"}, {}),
        ({"assistant_response": "so", "thinking": "hm"}, {"metadata": used}),
        ({"function": "Bash", "arguments": {}}, {"id": "call"}),
        ({"error": "no", "action_request_id": "call"}, {}),
        ({"output": "yes", "action_request_id": "other"}, {}),
        ({"assistant_response": "done"}, {}),
        ({"system_message": "be kind"}, {}),
    ]
    for content, fields in contents:
        write(db, append, main, create_message(content, **fields))
    result = studio.get("/api/sessions/kinds/outline")
    assert (result["kinds"], result["users"]) == ("ustbceras", [0])
    assert result["lanes"] == [{"ord": 0, "branch_id": main}]
    assert result["contexts"] == [{"ord": 3, "tokens": 143}]
    assert [(error["ord"], error["call_ord"]) for error in result["errors"]] == [(5, 4)]
    assert studio.get("/api/sessions/kinds/outline?after=4")["kinds"] == "eras"

    child = write(db, fork_branch, main, 1, name="other")
    write(db, append, child.id, create_message({"assistant_response": "aside"}))
    sql(db, "DELETE FROM messages WHERE id = 'call'")
    result = studio.get("/api/sessions/kinds/outline")
    assert result["kinds"] == "ustboerasa"
    assert [lane["branch_id"] for lane in result["lanes"]] == [main, child.id]


def test_timeline_has_blocks_only_where_messages_are(studio: InProcess) -> None:
    db = studio.services.db.database()
    main = talk(db)
    child = write(db, fork_branch, main, 1, name="other")
    put(db, child.id, "aside", assistant_response="aside", at=NOW + 99)
    result = studio.get("/api/sessions/talk/timeline?buckets=10")

    messages.TimelineView.model_validate(result, strict=True)
    lanes = {(block["branch_id"], block["bucket"]): block for block in result["blocks"]}
    assert {lane for lane, _ in lanes} == {main, child.id}
    assert [bucket for lane, bucket in sorted(lanes) if lane == main] == [0, 5, 9]
    first = lanes[main, 0]
    assert (first["messages"], first["first_ord"], first["last_ord"], first["user"], first["tool"]) == (3, 0, 2, 1, 1)
    assert sum(block["messages"] for block in result["blocks"]) == 7


def test_search_session_matches_visible_text(studio: InProcess) -> None:
    talk(studio.services.db.database())

    def ords(text: str, **more: Any) -> list[int]:
        result = studio.get("/api/sessions/talk/search", params={"q": text, **more})
        messages.Matches.model_validate(result, strict=True)
        return [each["ord"] for each in result["matches"]]

    assert ords('100% "QUOTED') == [5]
    assert ords("assistant_response") == []
    assert ords("read") == [0, 1]
    assert ords("read", after=0) == [1]
    assert studio.get("/api/sessions/talk/search?q=a&limit=1")["has_more"]


def test_get_message_returns_message_and_ord(studio: InProcess) -> None:
    talk(studio.services.db.database())
    result = studio.get("/api/sessions/talk/messages/bad")

    messages.OneMessage.model_validate(result, strict=True)
    assert result["message"] == studio.get("/api/sessions/talk/messages?after=1&limit=1")["messages"][0]
    for path in ("talk/messages/none", "none/messages/bad", "none/outline", "none/timeline", "none/search?q=x"):
        assert studio.client.get(f"/api/sessions/{path}", headers=AUTH).status_code == 404


def test_get_content_reads_a_huge_output_in_parts(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "huge")
    output = "".join(f"line {number} €\n" for number in range(60_000))
    put(db, begun.branch_id, "big", output=output, action_request_id="x", ok=True, n=1.5, more={"deep": [1]})
    put(db, begun.branch_id, "wide", output={f"k{number}": "v" * 100 for number in range(2000)})
    put(
        db, begun.branch_id, "many", **dict.fromkeys((f"output{number}" for number in range(100)), ANY_TEXT), output="x"
    )
    answer = studio.client.get("/api/sessions/huge/messages", headers=AUTH)
    page = answer.json()
    messages.Messages.model_validate(page, strict=True)
    big, wide, many = page["messages"]

    assert len(answer.content) < 200_000
    assert big["content"] == {
        "output": output[: pages.PREVIEW_CHARS],
        "action_request_id": "x",
        "ok": True,
        "n": 1.5,
        "more": {"deep": [1]},
    }
    assert big["cut"] == {"output": len(output)}
    assert big["size"] > len(output)
    assert list(wide["cut"]) == ["output"]
    assert "" in many["cut"]
    pieces, start = [], 0
    while start < big["cut"]["output"]:
        part = studio.get(
            "/api/sessions/huge/messages/big/content", params={"key": "output", "start": start, "length": 400_000}
        )
        messages.ContentPart.model_validate(part, strict=True)
        pieces.append(part["text"])
        start += len(part["text"])
    assert "".join(pieces) == output
    whole = studio.get("/api/sessions/huge/messages/many/content?length=1000000")["text"]
    assert json.loads(whole)["output99"] == "v" * 1000
    refused = studio.client.get("/api/sessions/huge/messages/big/content?key=none", headers=AUTH)
    assert refused.status_code == 404


def test_message_page_ends_early_at_its_byte_limit(studio: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    db = studio.services.db.database()
    begun = begin(db, "much")
    say(db, begun.branch_id, *(f"{number:03d}" for number in range(100)))
    monkeypatch.setattr(pages, "MOST_BYTES", 500)
    monkeypatch.setattr(pages, "_BATCH", 7)
    forward = studio.get("/api/sessions/much/messages?limit=50")
    back = studio.get("/api/sessions/much/messages?before=90&limit=50")

    assert [message["ord"] for message in forward["messages"]] == list(range(7))
    assert [message["ord"] for message in back["messages"]] == list(range(83, 90))
    assert forward["has_more"]
    assert back["has_more"]
    monkeypatch.setattr(pages, "MOST_BYTES", 10**9)
    for query, ords in (
        ("limit=100", range(100)),
        ("before=50&limit=20", range(30, 50)),
        ("before=14&limit=14", range(14)),
        ("after=92&limit=7", range(93, 100)),
        ("after=200", range(0)),
        ("before=0", range(0)),
    ):
        page = studio.get(f"/api/sessions/much/messages?{query}")
        assert [message["ord"] for message in page["messages"]] == list(ords)
        assert page["has_more"] is (query == "before=50&limit=20")


def test_messages_have_branch_ids_and_exact_times(studio: InProcess) -> None:
    db = studio.services.db.database()
    main = talk(db)
    at = 1_790_000_000.123_456_7
    put(db, main, "exact", assistant_response="now", at=at)
    alone = studio.get("/api/sessions/talk/messages?after=5")["messages"]
    child = write(db, fork_branch, main, 1, name="other")
    put(db, child.id, "aside", assistant_response="aside")
    both = studio.get("/api/sessions/talk/messages")["messages"]

    assert (alone[0]["created_at"], alone[0]["branch_id"]) == (at, main)
    assert [message["branch_id"] for message in both] == [main] * 7 + [child.id]
    inherited = studio.get("/api/sessions/talk")["branches"][1]["inherited"]
    assert [(each["branch_id"], each["last_ord"]) for each in inherited] == [(main, 1)]
    seen = studio.get(f"/api/branches/{main}/messages?before=2")["messages"]
    assert [message["id"] for message in seen] == ["ask", "call"]
    sql(db, "DELETE FROM messages WHERE id = 'exact'")
    assert studio.get("/api/sessions/talk/messages?after=5")["messages"][0]["missing"]


def test_forks_appear_on_both_sides(studio: InProcess) -> None:
    db = studio.services.db.database()
    main = talk(db)
    begin(db, "other")
    child = write(db, fork_branch, main, 3, session_id="other", name="again")
    parent, result = studio.get("/api/sessions/talk"), studio.get("/api/runs/other")

    runs.SessionDetail.model_validate(parent, strict=True)
    runs.RunDetail.model_validate(result, strict=True)
    [fork] = parent["forks"]
    assert (fork["branch_id"], fork["session_id"], fork["forked_at_ord"], fork["session_ord"]) == (
        child.id,
        "other",
        3,
        3,
    )
    assert result["branches"][-1]["inherited"][0]["session_id"] == "talk"
    assert (parent["commands"]["resume"], parent["commands"]["no_resume_reason"]) == (None, "The run has not ended")


@pytest.mark.parametrize("form", ["json", "jsonl", "md"])
def test_export_equals_the_export_of_the_command(studio: InProcess, form: str) -> None:
    talk(studio.services.db.database())
    answer = studio.client.get(f"/api/sessions/talk/export?format={form}", headers=AUTH)

    assert answer.status_code == 200
    assert f'filename="session-talk.{form}"' in answer.headers["content-disposition"]
    assert "no such file" in answer.text
    assert studio.client.get(f"/api/sessions/none/export?format={form}", headers=AUTH).status_code == 404


def test_card_list_has_as_many_runs_as_the_card_counts(studio: InProcess) -> None:
    db, now = studio.services.db.database(), time.time()
    for name, age in (("old", 20 * 3600), ("slow", 3600), ("new", 60)):
        begin(db, name, created_at=now - age, updated_at=now - age, started_at=now - age)
    cards = studio.get("/api/dashboard")["cards"]

    for card in ("running", "failed_24h", "slow", "stale", "needs_review"):
        assert len(studio.get(f"/api/runs?card={card}")["runs"]) == cards[card], card
    assert [run["id"] for run in studio.get("/api/runs?card=stale")["runs"]] == ["old"]
    assert [run["id"] for run in studio.get("/api/runs?health=stale")["runs"]] == ["old"]
    assert {run["id"] for run in studio.get("/api/runs?health=orphaned")["runs"]} == {"old"}
    assert studio.get("/api/runs?health=ok")["runs"] == []


def test_facets_count_under_the_other_filters(studio: InProcess) -> None:
    db = studio.services.db.database()
    for number in range(6):
        begin(db, f"f{number}", project="one" if number < 4 else "two", agent_name="coder" if number % 2 else "tester")
    result = studio.get("/api/facets?project=one&agent=coder")

    runs.Facets.model_validate(result, strict=True)
    assert [(each["value"], each["runs"]) for each in result["project"]] == [("one", 2), ("two", 1)]
    assert [(each["value"], each["runs"]) for each in result["agent"]] == [("coder", 2), ("tester", 2)]
    assert result["status"] == [{"value": "running", "label": "running", "runs": 2, "more": False}]
    assert result["playbook"] == []


def test_facets_count_a_source_among_the_newest_runs(studio: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    db = studio.services.db.database()
    for number in range(6):
        source = "live" if number < 3 else "imported_fs"
        begin(db, f"f{number}", project="one", source_kind=source, created_at=NOW + number)
    exact = studio.get("/api/facets?project=one")["source"]
    monkeypatch.setattr("lionstudio.state.runs.facets._LOOKED_AT", 4)
    least = studio.get("/api/facets?project=one")["source"]

    assert exact == [
        {"value": "imported_fs", "label": "Imported run", "runs": 3, "more": False},
        {"value": "live", "label": "Recorded", "runs": 3, "more": False},
    ]
    assert least == [
        {"value": "imported_fs", "label": "Imported run", "runs": 3, "more": True},
        {"value": "live", "label": "Recorded", "runs": 1, "more": True},
    ]


def test_pages_by_health_skip_no_run(studio: InProcess) -> None:
    db, now = studio.services.db.database(), time.time()
    for number in range(20):
        age = 20 * 3600 if number % 3 else 60
        begin(db, f"h{number:02d}", created_at=now - 86400 + number, updated_at=now - age, started_at=now - age)
    result: list[str] = []
    cursor = None
    for _ in range(20):
        page = studio.get("/api/runs", params={"health": "stale", "limit": 4, **({"cursor": cursor} if cursor else {})})
        assert len(page["runs"]) <= 4
        result += [run["id"] for run in page["runs"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert result == [f"h{number:02d}" for number in reversed(range(20)) if number % 3]


def test_content_cache_loads_a_long_value_once(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "vast")
    output = "".join(f"Zeile {number} € 𝄞\n" for number in range(90_000))
    put(db, begun.branch_id, "vast", output=output, action_request_id="x")
    now = [0.0]
    values = ContentCache(clock=lambda: now[0])
    with studio.services.db.reader() as conn, traced(conn) as ran:
        for start, length in ((0, 10), (65_530, 20), (len(output) - 5, 100), (len(output) + 5, 5), (3, 200_000)):
            part = values.read(conn, "vast", "output", start, length)
            assert part == (output[start : start + length], start, len(output))
        assert sum("json_each" in each.sql for each in ran) == 1
        now[0] = 61.0
        values.read(conn, "vast", "output", 0, 1)
        assert sum("json_each" in each.sql for each in ran) == 2
        with pytest.raises(NotFound):
            values.read(conn, "vast", "nothing", 0, 1)
    values.close()
