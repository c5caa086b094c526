"""File changes of tool calls, in every shape that our providers and importers store."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.model.file_changes.change import ChangeKind, FileChange, Hunk, Outcome, shortened, unified
from lionstudio.model.file_changes.patches import find_apply_patch, parse_apply_patch, structured_hunks, unified_hunks
from lionstudio.model.file_changes.tool_calls import CHANGING_TOOLS, SHELL_TOOLS, changes_of_call, relative_path

PATCH = """*** Begin Patch
*** Add File: new.txt
+hello
+world
*** Update File: src/a.py
*** Move to: src/b.py
@@ def main():
 one
-two
+three

*** Delete File: old.txt
*** End Patch
"""
OK = {"output": "done"}


def files_of(
    function: str, arguments: Any, result: dict[str, Any] | None = None, notes: dict[str, Any] | None = None
) -> tuple[FileChange, ...]:
    call = {"function": function, "arguments": arguments}
    changes = changes_of_call(call, OK if result is None else result, notes)
    return changes.files if changes else ()


def test_edit_uses_the_patch_that_claude_computed() -> None:
    hunk = {"oldStart": 41, "oldLines": 2, "newStart": 41, "newLines": 2, "lines": [" one", "-two", "+three"]}
    arguments = {"file_path": "/w/a.py", "old_string": "two", "new_string": "three"}
    (change,) = files_of("Edit", arguments, notes={"patch": [hunk]})

    assert change == FileChange("/w/a.py", ChangeKind.EDITED, 1, 1, (Hunk((" one", "-two", "+three"), 41, 41),))


@pytest.mark.parametrize("patch", [[1], [{"oldStart": "1", "newStart": 1, "lines": ["+a"]}], [{"lines": [1]}], "x", {}])
def test_edit_computes_its_hunks_if_the_patch_is_damaged(patch: Any) -> None:
    arguments = {"file_path": "/w/a.py", "old_string": "one\ntwo", "new_string": "one\nthree"}
    (change,) = files_of("Edit", arguments, notes={"patch": patch})

    assert change.hunks == (Hunk((" one", "-two", "+three")),)


def test_edit_without_old_text_creates_the_file() -> None:
    (change,) = files_of("Edit", {"file_path": "a", "old_string": "", "new_string": "x\n"})
    assert (change.kind, change.hunks) == (ChangeKind.CREATED, (Hunk(("+x",), 0, 1),))


def test_multi_edit_has_a_hunk_for_every_edit() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "", "replace_all": True}]
    (change,) = files_of("MultiEdit", {"file_path": "a.py", "edits": edits})

    assert change.hunks == (Hunk(("-a", "+b")), Hunk(("-c",), header="every occurrence"))
    assert (change.added, change.removed) == (1, 2)


def test_write_of_a_new_file_has_numbers() -> None:
    (change,) = files_of("Write", {"file_path": "a", "content": "x\ny\n"}, notes={"result": {"type": "create"}})
    assert change == FileChange("a", ChangeKind.CREATED, 2, 0, (Hunk(("+x", "+y"), 0, 1),))


def test_write_over_a_file_does_not_know_the_old_lines() -> None:
    (change,) = files_of("Write", {"file_path": "a", "content": "x\n"}, notes={"result": {"type": "update"}})
    assert (change.kind, change.added, change.removed) == (ChangeKind.EDITED, 1, None)


def test_write_without_its_content_does_not_know_the_lines() -> None:
    assert files_of("write", {"path": "a"}) == (FileChange("a", ChangeKind.CREATED),)


def test_notebook_edit_names_the_cell() -> None:
    arguments = {"notebook_path": "a.ipynb", "cell_id": "c1", "new_source": "x = 1\ny = 2"}
    (change,) = files_of("NotebookEdit", arguments)

    assert change == FileChange("a.ipynb", ChangeKind.EDITED, 2, None, (Hunk(("+x = 1", "+y = 2"), header="cell c1"),))


PATCHED = (
    FileChange("new.txt", ChangeKind.CREATED, 2, 0, (Hunk(("+hello", "+world"), 0, 1),)),
    FileChange(
        "src/b.py", ChangeKind.RENAMED, 1, 1, (Hunk((" one", "-two", "+three", " "), header="def main():"),), "src/a.py"
    ),
    FileChange("old.txt", ChangeKind.DELETED, 0, None),
)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", {"patch": PATCH}),
        ("apply_patch", PATCH),
        ("functions.apply_patch", {"input": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"]}),
        ("exec_command", {"cmd": f"apply_patch <<'PATCH'\n{PATCH}PATCH"}),
        ("shell_command", {"command": f"/bin/bash -lc \"apply_patch <<'EOF'\n{PATCH}EOF\""}),
    ],
)
def test_apply_patch_reads_every_form(function: str, arguments: Any) -> None:
    assert files_of(function, arguments) == PATCHED


def test_apply_patch_follows_cd() -> None:
    first, *_ = files_of("shell", {"command": f"cd 'sub dir' && apply_patch <<'EOF'\n{PATCH}EOF"})
    assert first.path == "sub dir/new.txt"


def test_apply_patch_of_the_app_server_has_diffs() -> None:
    changes = [
        {"path": "/w/new", "kind": "add", "diff": "a\nb\n"},
        {"path": "/w/gone", "kind": {"type": "delete"}, "diff": "a\n"},
        {
            "path": "/w/old",
            "kind": "update",
            "diff": "@@ -3,2 +3,2 @@ def f():\n one\n-two\n+three\n\n\nMoved to: /w/name",
        },
    ]
    assert files_of("apply_patch", {"changes": changes}) == (
        FileChange("/w/new", ChangeKind.CREATED, 2, 0, (Hunk(("+a", "+b"), 0, 1),)),
        FileChange("/w/gone", ChangeKind.DELETED, 0, 1, (Hunk(("-a",), 1, 0),)),
        FileChange(
            "/w/name", ChangeKind.RENAMED, 1, 1, (Hunk((" one", "-two", "+three"), 3, 3, "def f():"),), "/w/old"
        ),
    )


def test_apply_patch_of_codex_exec_knows_paths_only() -> None:
    assert files_of("apply_patch", {"changes": [{"path": "/p/new.txt", "kind": "add"}]}) == (
        FileChange("/p/new.txt", ChangeKind.CREATED),
    )


def test_acp_diffs_of_the_result_win() -> None:
    diffs = [{"path": "/w/b.txt", "old": "one\ntwo", "new": "one\nthree"}, {"path": "c", "old": None, "new": "x\n"}]
    arguments = {"file_path": "/w/b.txt", "old_string": "two", "new_string": "three"}
    edited, created = files_of("Edit", arguments, {"output": "", "diffs": diffs})

    assert edited.hunks == (Hunk((" one", "-two", "+three")),)
    assert (created.kind, created.hunks) == (ChangeKind.CREATED, (Hunk(("+x",), 0, 1),))


def test_acp_diffs_of_whole_files_have_numbers() -> None:
    old = "".join(f"{number}\n" for number in range(20))
    diffs = [{"path": "b.txt", "old": old, "new": old.replace("\n9\n", "\nnine\n")}]
    (change,) = files_of("replace", {"diffs": diffs})

    assert change.hunks[0].old_start == 7


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (None, Outcome.PENDING),
        ({"output": "updated"}, Outcome.APPLIED),
        ({"error": "The user doesn't want to proceed"}, Outcome.FAILED),
        ({"output": "apply_patch verification failed: Failed to find expected lines"}, Outcome.FAILED),
    ],
)
def test_changes_of_call_says_whether_they_were_made(result: dict[str, Any] | None, outcome: Outcome) -> None:
    call = {"function": "Write", "arguments": {"file_path": "a", "content": "x"}}
    changes = changes_of_call(call, result)

    assert changes is not None
    assert changes.outcome is outcome


@pytest.mark.parametrize("function", ["Read", "Bash", "shell", "mcp__x__write_file", ""])
def test_changes_of_call_is_none_for_calls_that_change_no_file(function: str) -> None:
    assert changes_of_call({"function": function, "arguments": {"file_path": "a", "command": "ls"}}, OK) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from([PATCH, "@@ -1,9 +1 @@\n-x"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "path",
                    "file_path",
                    "content",
                    "edits",
                    "old_string",
                    "new_string",
                    "changes",
                    "kind",
                    "diff",
                    "input",
                    "command",
                    "diffs",
                    "old",
                    "new",
                    "patch",
                    "oldStart",
                    "lines",
                    "type",
                    "result",
                    "arguments",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@given(st.sampled_from([*CHANGING_TOOLS, *SHELL_TOOLS]), JSON, st.dictionaries(st.just("diffs"), JSON), JSON)
def test_changes_of_call_takes_anything(function: str, arguments: Any, result: dict[str, Any], patch: Any) -> None:
    changes = changes_of_call({"function": function, "arguments": arguments}, result, {"patch": patch, "result": patch})
    for change in changes.files if changes else ():
        assert isinstance(change.path, str)
        assert all(line[:1] in (" ", "+", "-", "\\") for hunk in change.hunks for line in hunk.lines)
        assert list(unified(change))


def test_unified_can_be_read_again() -> None:
    (change,) = files_of("Edit", {"file_path": "/w/a", "old_string": "", "new_string": "x\n--- y\n"})
    lines = list(unified(change))

    assert lines == ["--- /dev/null", "+++ /w/a", "@@ -0,0 +1,2 @@", "+x", "+--- y"]
    assert unified_hunks("\n".join(lines)) == change.hunks


def test_unified_hunks_keeps_lines_that_look_like_headers() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n\\ No newline at end of file\n"
    (hunk,) = unified_hunks(patch)

    assert hunk.lines == ("--- old", "+++ new", " same", "\\ No newline at end of file")


def test_shortened_counts_what_it_leaves_out() -> None:
    change = FileChange.of("a", ChangeKind.EDITED, [Hunk(("+a", "+b")), Hunk(("+c" * 50, "+d"))])
    short = shortened(change, 3, 10)

    assert [len(hunk.lines) for hunk in short.hunks] == [2, 1]
    assert short.hunks[1].lines == ("+c+c+c+c+c… (90 more characters)",)
    assert (short.omitted, short.added) == (1, 4)


def test_structured_hunks_refuses_unmarked_lines() -> None:
    assert structured_hunks([{"oldStart": 1, "newStart": 1, "lines": ["x"]}]) == ()


@pytest.mark.parametrize("place", [-1, 10**30])
def test_structured_hunks_refuses_impossible_places(place: int) -> None:
    assert structured_hunks([{"oldStart": place, "newStart": 1, "lines": ["+a"]}]) == ()
    assert structured_hunks([{"oldStart": 1, "newStart": place, "lines": ["+a"]}]) == ()


def test_structured_hunks_refuses_lines_in_a_line() -> None:
    """They would show a file or lines that the sums do not count."""
    assert structured_hunks([{"oldStart": 1, "newStart": 1, "lines": ["+a\n--- a/x\n+++ b/x"]}]) == ()


def test_find_apply_patch_needs_the_program() -> None:
    assert find_apply_patch(f"cat <<EOF\n{PATCH}EOF") is None


def test_parse_apply_patch_of_many_lines_is_linear() -> None:
    lines = "\n".join("+x" for _ in range(200_000))
    (change,) = parse_apply_patch(f"*** Begin Patch\n*** Add File: a\n{lines}\n*** End Patch")
    assert change.added == 200_000


@pytest.mark.parametrize(
    ("path", "folder", "shown"),
    [
        ("/w/src/a.py", "/w", "src/a.py"),
        ("/w/src/../a.py", "/w/", "a.py"),
        ("/other/a.py", "/w", "/other/a.py"),
        ("/wide/a.py", "/w", "/wide/a.py"),
        ("./a.py", "/w", "a.py"),
        ("a.py", None, "a.py"),
        ("/w/a.py", "/", "/w/a.py"),
    ],
)
def test_relative_path_is_below_the_folder(path: str, folder: str | None, shown: str) -> None:
    assert relative_path(path, folder) == shown
