"""Exports: the same session in every format, with its forks and with missing messages."""

from __future__ import annotations

import json
import re
import time
import tracemalloc
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from markdown_it import MarkdownIt
from tests.support.builders import T0, begin, read, said, say, sql, write
from tests.support.hostile import nested

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.branches import Branch
from lionstudio.model.json_codec import MAX_DEPTH
from lionstudio.model.messages import Message, create_message
from lionstudio.state.branches import create_branch, fork_branch, get_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.export import FORMATS, export
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sessions import finish_session, get_session


def exported(db: Database, form: str, session_id: str = "s") -> str:
    return "".join(db.read(lambda conn: list(export(conn, session_id, form))))


@pytest.fixture
def world(db: Database) -> Database:
    """A session with two branches, a fork, a tool call, a shared message and a missing message."""
    begun = begin(db, name="My *run*", project="p", invocation_kind="agent", model="m", metadata={"k": [1]})
    used = {"input_tokens": 10, "output_tokens": 4, "cost_microusd": 1500}
    write(db, append, begun.branch_id, create_message({"system_message": "Be brief."}, id="sys", created_at=T0))
    write(db, append, begun.branch_id, said("Line one\nline `two`", id="ask"))
    call = {"function": "grep", "arguments": {"pattern": "```"}}
    write(db, append, begun.branch_id, create_message(call, id="call", created_at=T0, metadata={"usage": used}))
    write(db, append, begun.branch_id, create_message({"output": "x", "action_request_id": "call"}, id="back"))
    child = write(db, fork_branch, begun.branch_id, 1, name="other")
    say(db, child.id, "fork says")
    write(db, create_branch, Branch(id="empty", session_id="s", name=None, created_at=T0 + 5))
    say(db, begun.branch_id, "gone")
    sql(db, "UPDATE sessions SET last_msg_id = NULL")
    sql(db, "DELETE FROM messages WHERE id = 'gone'")
    return db


def test_export_json_has_the_whole_session(world: Database) -> None:
    whole = json.loads(exported(world, "json"))

    branches = whole.pop("branches")
    assert whole.pop("tags") == []
    assert [change["status"] for change in whole.pop("transitions")] == ["running"]
    assert whole == {"schema_version": 1, **read(world, get_session, "s").to_dict("json")}
    by_name = {branch["name"]: branch for branch in branches}
    main = read(world, get_branch, "s.main")
    messages = by_name["main"].pop("messages")
    assert by_name["main"] == {
        **main.to_dict("json"),
        "usage": {
            "input_tokens": 10,
            "output_tokens": 4,
            "cache_read_tokens": 0,
            "cache_write_tokens": 0,
            "cost_microusd": 1500,
        },
    }
    assert messages == [
        {"branch_id": "s.main", "ord": ord_, **read(world, get_message, id_).to_dict("json")}
        for ord_, id_ in enumerate(("sys", "ask", "call", "back"))
    ] + [{"branch_id": "s.main", "ord": 4, "id": "gone", "missing": True}]


def test_export_names_the_origin_of_a_fork(world: Database) -> None:
    branches = {branch["name"]: branch for branch in json.loads(exported(world, "json"))["branches"]}

    assert set(branches) == {"main", "other", None}
    metadata = branches["other"]["metadata"]
    assert (metadata["parent_branch_id"], metadata["forked_at_ord"]) == ("s.main", 1)
    assert [message["id"] for message in branches["other"]["messages"]] == ["fork says"]
    assert branches[None]["messages"] == []


def test_export_jsonl_has_the_same_content(world: Database) -> None:
    whole = json.loads(exported(world, "json"))
    lines = [json.loads(line) for line in exported(world, "jsonl").split("\n")[:-1]]

    flat = [{"type": "session", **{key: value for key, value in whole.items() if key != "branches"}}]
    for branch in whole["branches"]:
        messages = branch.pop("messages")
        flat += [{"type": "branch", **branch}, *({"type": "message", **message} for message in messages)]
    assert lines == flat


def test_export_markdown(world: Database) -> None:
    text = exported(world, "md")

    assert text.startswith("# My *run*\n\n- Session: s\n- Status: running\n- Kind: agent\n")
    assert "- Cost: $0.0015\n" in text
    assert "\n## Branch main\n" in text
    assert "\n### 0 · system · 2026-09-21 14:13:20 UTC\n\nBe brief.\n" in text
    assert "\n\nLine one\nline `two`\n" in text
    assert "\n### 2 · tool · grep ``` · 2026-09-21 14:13:20 UTC\n\n```\nx\n```\n" in text
    assert "\n### 4 · missing\n\n*This message was deleted.*\n" in text
    assert "\n## Branch other\n\nForked from branch s.main after message 1.\n" in text
    assert "\n## Branch empty\n" in text
    assert '{"' not in text  # for people


def test_export_for_people_has_diffs_thoughts_and_errors(db: Database) -> None:
    begun = begin(db, cwd="/w")
    hunk = {"oldStart": 7, "newStart": 7, "lines": [" one", "-two", "+three"]}
    edit = {"file_path": "/w/a.py", "old_string": "two", "new_string": "three"}
    contents: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
        ("think", {"assistant_response": "Done", "thinking": "hm"}, {}),
        ("edit", {"function": "Edit", "arguments": edit}, {}),
        ("ok", {"output": "updated", "action_request_id": "edit"}, {"patch": [hunk]}),
        ("run", {"function": "Bash", "arguments": {"command": "make", "timeout": 5}}, {}),
        ("bad", {"error": "exit code 2", "action_request_id": "run"}, {}),
        ("open", {"function": "Write", "arguments": {"file_path": "/w/b", "content": "x"}}, {}),
    )
    for id_, content, metadata in contents:
        write(db, append, begun.branch_id, create_message(content, id=id_, created_at=T0, metadata=metadata))
    text, page = exported(db, "md"), exported(db, "html")

    assert "<details><summary>Thoughts</summary>\n\nhm\n\n</details>\n\nDone" in text
    assert "Edit a.py (+1 −1)" in text
    assert "```diff\n--- a/a.py\n+++ b/a.py\n@@ -7,2 +7,2 @@\n one\n-two\n+three\n```" in text
    assert "Bash make" in text
    assert "```\ntimeout: 5\n```\n\nError:\n\n```\nexit code 2\n```" in text
    assert "*No result.*" in text
    assert "updated" not in text
    assert "<span class=del>-two\n</span><span class=add>+three\n</span>" in page
    assert '<article id="m1"' in page
    assert '<pre tabindex="0" class=error>exit code 2</pre>' in page
    assert "Bash make · failed · " in text
    assert (text.count(" · failed · "), page.count("<b class=failed>failed</b>")) == (1, 1)


@pytest.mark.parametrize(
    ("metadata", "words"), [({"exit_code": 2}, "Failed without output, exit code 2."), ({}, "Failed without output.")]
)
def test_export_says_that_a_call_failed_without_output(db: Database, metadata: dict[str, Any], words: str) -> None:
    begun = begin(db)
    call = {"function": "sh", "arguments": {"command": "exit 2"}}
    write(db, append, begun.branch_id, create_message(call, id="call", created_at=T0))
    result = {"error": "", "action_request_id": "call"}
    write(db, append, begun.branch_id, create_message(result, id="back", metadata=metadata))

    assert f"*{words}*" in exported(db, "md")
    assert f'<div class="note">{words}</div>' in exported(db, "html")


@pytest.mark.parametrize("form", ["md", "html"])
def test_export_says_why_a_run_failed(db: Database, form: str) -> None:
    begin(db, started_at=T0)
    reasons = ["run.failed.provider_error"]
    write(db, finish_session, "s", "failed", at=T0 + 1607.7, exit_code=3, reasons=reasons, detail="529 overloaded")
    sql(
        db,
        "UPDATE sessions SET input_tokens = 1, output_tokens = 20, cache_read_tokens = 300, cache_write_tokens = 4000",
    )

    text = exported(db, form).replace("</dt><dd>", ": ")

    assert "Reason: The provider returned an error. 529 overloaded" in text
    assert "Exit code: 3" in text
    assert "Duration: 26 min 47 s" in text
    assert "Tokens: 1 in, 20 out, 300 cache read, 4,000 cache write, 4,321 total" in text


@pytest.mark.parametrize("form", ["md", "html"])
def test_export_of_a_fork_names_the_run_of_the_inherited_messages(db: Database, form: str) -> None:
    parent = begin(db, name="origin")
    say(db, parent.branch_id, "first")
    say(db, parent.branch_id, "second")
    begin(db, "t", name="fork", forked_from="s")
    write(db, fork_branch, parent.branch_id, 1, session_id="t", name="other")

    text = exported(db, form, "t").replace("</dt><dd>", ": ")

    assert "Forked from: origin (s)" in text
    assert "Messages 0 to 1 are in origin." in text
    assert "s.main" not in text


def test_export_of_an_empty_session(db: Database) -> None:
    begin(db)
    sql(db, "DELETE FROM branches")
    write(db, finish_session, "s", "completed", at=T0)

    assert json.loads(exported(db, "json"))["branches"] == []
    assert exported(db, "jsonl").count("\n") == 1
    assert exported(db, "md").startswith("# s\n")


TRAPS: dict[str, Any] = {
    "half a character": "\ud800",
    "NUL": "a\0b",
    "line separators": "a\u2028b\x85c\r\n",
    "as deep as allowed": nested(MAX_DEPTH - 1),
    "huge number": 2**200,
    "back ticks": "`" * 50,
    "control bytes": "\x1b[2J",
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("what", TRAPS)
def test_export_accepts_any_stored_content(db: Database, what: str, form: str) -> None:
    begun = begin(db, name=str(TRAPS[what])[:100])
    message = Message(id="m", created_at=T0, content={"instruction": TRAPS[what]}, metadata={"a": TRAPS[what]})
    write(db, append, begun.branch_id, message)

    text = exported(db, form)

    text.encode()
    if form == "json":
        [found] = json.loads(text)["branches"][0]["messages"]
        assert (found["content"], found["metadata"]) == (message.content, message.metadata)
    if form == "jsonl":
        assert json.loads(text.split("\n")[2])["content"] == message.content


def test_export_markdown_fence_is_longer_than_any_in_the_text(db: Database) -> None:
    begun = begin(db)
    write(db, append, begun.branch_id, Message(content={"output": "`" * 7}))

    assert "\n" + "`" * 8 + "\n" in exported(db, "md")


ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><style>*{display:none}</style>",
    "</pre></article></main><script src=//evil></script>",
    "<!-- ",
    "]]><svg/onload=alert(1)>",
    "&lt;script&gt;",
    "\u202egnp.exe\u2066",
    "```\n<script>alert(1)</script>",
    "~~~html\n</details><script>",
    "- a\n\n  ```\n<script>alert(1)</script>",
    " ```\n<script>alert(1)</script>",
    "   ~~~\n<script>alert(1)</script>",
    "~~~ `\n<script>alert(1)</script>",
    "- - -\n  ```\n<script>alert(1)</script>",
    "- a\n\nb\n  ```\n<script>alert(1)</script>",
    "b\n7. a\n   ```\n<script>alert(1)</script>",
    "- a\n- b\n\n ```\n<script>alert(1)</script>",
    "10. a\n7) b\n   ```\n<script>alert(1)</script>",
    "10. a\n\n   ```\n<script>alert(1)</script>",
    "- a\n\n  ```\n  ```\n   ```\n<script>alert(1)</script>",
    "`\n`<script>alert(1)</script>`",
    "\\\\` ` <script>alert(1)</script> `",
    "`a|b` <script>alert(1)</script> `",
    "| `a | <script>alert(1)</script>` |\n|---|---|",
    "\x00\x1b[2J\r<iframe>",
)


class Tags(HTMLParser):
    """The tags of a document with their attributes, and its text."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def attacked(db: Database, attack: str) -> None:
    """A run that has the attack in every place that an export shows."""
    begun = begin(db, name=attack, project=attack, cwd="/w", agent_name=attack, note=attack)
    calls: tuple[dict[str, Any], ...] = (
        {"instruction": attack},
        {"assistant_response": attack, "thinking": attack},
        {"function": attack, "arguments": {attack: attack, "command": attack}},
        {"function": "Write", "arguments": {"file_path": attack, "content": f"{attack}\n{attack}"}},
        {"output": attack, "action_request_id": "m3"},
        {"error": attack},
        {"assistant_response": attack, attack: [attack]},
    )
    for number, content in enumerate(calls):
        message = create_message(content, id=f"m{number}", created_at=T0, role=attack if number == 6 else None)
        write(db, append, begun.branch_id, message)


@pytest.mark.parametrize("attack", ATTACKS)
def test_export_html_shows_hostile_text_as_text(db: Database, attack: str) -> None:
    attacked(db, attack)
    page = exported(db, "html")
    parsed = Tags(page)

    assert parsed.tags <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "header",
            "main",
            "footer",
            "h1",
            "h2",
            "h3",
            "dl",
            "dt",
            "dd",
        ),
        *("article", "div", "a", "time", "span", "pre", "details", "summary", "b", "i", "p"),
    }
    assert parsed.attributes <= {
        *("lang", "charset", "http-equiv", "content", "name", "id", "class", "href", "tabindex")
    }
    assert page.count("<style>") == page.count("</style>") == 1
    assert page.rstrip().endswith("</html>")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", page)


@pytest.mark.parametrize("attack", ATTACKS)
def test_export_markdown_keeps_hostile_text_in_its_place(db: Database, attack: str) -> None:
    """A renderer that allows HTML finds only our own tags, and every heading of ours."""
    attacked(db, attack)
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(exported(db, "md"))
    parsed = Tags(rendered)

    assert not parsed.tags & {"script", "img", "svg", "iframe", "style", "html"}
    assert "Error:" in rendered
    assert rendered.count("<h3>") == 6  # a call and its result are one


def test_export_markdown_of_many_backticks_is_linear(db: Database) -> None:
    """Each text between two code spans was compared with all that follow."""
    begun = begin(db)
    write(db, append, begun.branch_id, said("".join(f"{number}`" for number in range(100_000))))
    started = time.perf_counter()
    assert "99999`" in exported(db, "md")
    assert time.perf_counter() - started < 10  # it took minutes


def test_export_markdown_keeps_code_in_lists(db: Database) -> None:
    begun = begin(db)
    write(db, append, begun.branch_id, said("1. Run:\n\n   ```sh\n   make\n   ```\n2. Done"))
    assert '<code class="language-sh">make\n</code>' in MarkdownIt().render(exported(db, "md"))


def test_export_html_policy_allows_only_its_own_style(db: Database) -> None:
    begin(db)
    page = exported(db, "html")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    style = re.search(r"<style>(.*)</style>", page, re.DOTALL)

    assert policy
    assert style
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert policy[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@pytest.mark.parametrize("form", ["pdf", "", "JSON"])
def test_export_rejects_an_unknown_format(db: Database, form: str) -> None:
    begin(db)

    with pytest.raises(InvalidInput):
        exported(db, form)


@pytest.mark.parametrize("form", FORMATS)
def test_export_of_a_missing_session_raises_not_found(db: Database, form: str) -> None:
    with pytest.raises(NotFound):
        exported(db, form, "missing")


def test_export_keeps_the_lines_of_a_program(db: Database) -> None:
    begun = begin(db)
    output = create_message({"assistant_response": "# one\n  two\n* three"}, metadata={"lines": 3}, created_at=T0)
    write(db, append, begun.branch_id, output)

    assert "```\n# one\n  two\n* three\n```" in exported(db, "md", "s")
    assert "># one\n  two\n* three</pre>" in exported(db, "html", "s")


@pytest.mark.parametrize("form", FORMATS)
def test_export_streams_a_long_session(db: Database, form: str) -> None:
    begun = begin(db)
    db.write(lambda conn: [append(conn, begun.branch_id, said("x" * 10_000)) for _ in range(600)])

    with db.reader() as conn:
        tracemalloc.start()
        total = sum(len(piece) for piece in export(conn, "s", form))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert total > 6_000_000
    assert peak < 1_000_000
