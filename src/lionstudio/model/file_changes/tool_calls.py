"""The files that a tool call changes, from its arguments and its result, for every provider and import format.

Agents control both, so that no shape is trusted. A result may have `diffs` (ACP: path, old, new) and the metadata of a
result a `patch` (the hunks that Claude Code or our own tool computed on the file itself).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping

from lionstudio.model.coerce import Record, dict_of, list_of, text_or_none
from lionstudio.model.file_changes.change import CallChanges, ChangeKind, FileChange, Hunk, Outcome
from lionstudio.model.file_changes.line_diff import DiffBudget, diff_texts
from lionstudio.model.file_changes.patches import find_apply_patch, parse_apply_patch, structured_hunks, unified_hunks

SHELL_TOOLS = ("shell", "exec_command", "shell_command", "local_shell", "exec")
ACP_KINDS = ("edit", "delete", "move")  # of a call, in its metadata
_PATHS = ("file_path", "path", "filePath", "filepath", "notebook_path", "file")
_WHOLE_FILES = ("write_file", "replace")  # Gemini CLI: its diffs are of whole files
# `apply_patch` reports these as output, not as an error
_REFUSED = ("apply_patch verification failed", "patch rejected", "Failed to apply", "failed to apply", "Invalid patch")
_MOVED = "\n\nMoved to: "


def changes_of_call(
    call: Record, result: Record | None, notes: Record | None = None, budget: DiffBudget | None = None
) -> CallChanges | None:
    """The changes of a call (its content), with the content and the metadata of its result; None if it changes none.

    The comparisons of a caller that reads many calls share a budget.
    """
    changes = _changes(call, result or {}, notes or {}, budget or DiffBudget())
    files = tuple(change for change in changes if change.path)
    return CallChanges(_outcome(result), files) if files else None


def _outcome(result: Record | None) -> Outcome:
    if result is None:
        return Outcome.PENDING
    output = result.get("output")
    is_refused = isinstance(output, str) and output.lstrip().startswith(_REFUSED)
    return Outcome.FAILED if result.get("error") is not None or is_refused else Outcome.APPLIED


def _changes(call: Record, result: Record, notes: Record, budget: DiffBudget) -> Iterator[FileChange]:
    function = str(call.get("function") or "").rpartition(".")[2]
    arguments = result.get("arguments", call.get("arguments"))  # of an ACP agent that told them late
    values = dict_of(arguments)
    diffs = list_of(result.get("diffs")) or list_of(values.get("diffs"))
    patch = structured_hunks(notes.get("patch"))
    if patch:
        yield _noted(values, patch, notes)
    elif diffs:
        yield from (_acp(dict_of(diff), budget, whole=function in _WHOLE_FILES) for diff in diffs)
    elif function in SHELL_TOOLS:
        yield from _shell(values)
    elif function in _TOOLS:
        yield from _TOOLS[function](values if values else {"input": arguments}, notes, budget)


def _noted(values: Record, patch: tuple[Hunk, ...], notes: Record) -> FileChange:
    is_new = dict_of(notes.get("result")).get("type") == "create"
    return FileChange.of(_path(values), ChangeKind.CREATED if is_new else ChangeKind.EDITED, patch)


def _acp(diff: Record, budget: DiffBudget, *, whole: bool) -> FileChange:
    path, old, new = _path(diff), text_or_none(diff.get("old")), diff.get("new")
    if old is None:
        return _created(path, new)
    if not isinstance(new, str) or (not new and whole):
        return FileChange.of(path, ChangeKind.DELETED, diff_texts(old, "", whole=whole))
    return FileChange.of(path, ChangeKind.EDITED, diff_texts(old, new, whole=whole, budget=budget))


def _created(path: str, text: object) -> FileChange:
    return FileChange.of(path, ChangeKind.CREATED, diff_texts("", text if isinstance(text, str) else ""))


def _path(values: Record) -> str:
    return next((values[name] for name in _PATHS if isinstance(values.get(name), str)), "")


# ── the tools ────────────────────────────────────────────────────────────


def _edit(values: Record, notes: Record, budget: DiffBudget) -> Iterator[FileChange]:
    """One replacement, or several in `edits`."""
    path, edits = _path(values), list_of(values.get("edits")) or [values]
    hunks: list[Hunk] = []
    is_new = len(edits) == 1 and not _strings(dict_of(edits[0]))[0]
    for edit in map(dict_of, edits):
        old, new = _strings(edit)
        header = "every occurrence" if edit.get("replace_all") or edit.get("replaceAll") else ""
        hunks += (hunk._replace(header=header) for hunk in diff_texts(old, new, whole=is_new, budget=budget))
    yield FileChange.of(path, ChangeKind.CREATED if is_new else ChangeKind.EDITED, hunks)


def _strings(edit: Record) -> tuple[str, str]:
    old = (
        text_or_none(edit.get("old_string")) or text_or_none(edit.get("oldString")) or text_or_none(edit.get("old_str"))
    )
    new = (
        text_or_none(edit.get("new_string")) or text_or_none(edit.get("newString")) or text_or_none(edit.get("new_str"))
    )
    return old or "", new or ""


def _write(values: Record, notes: Record, budget: DiffBudget) -> Iterator[FileChange]:
    """A whole file; if it existed, its old lines are not known, and nor are the new ones of a call without content."""
    content = values.get("content", values.get("file_text"))
    change = (
        _created(_path(values), content) if isinstance(content, str) else FileChange(_path(values), ChangeKind.CREATED)
    )
    is_update = dict_of(notes.get("result")).get("type") == "update"
    yield change._replace(kind=ChangeKind.EDITED, removed=None) if is_update else change


def _notebook(values: Record, notes: Record, budget: DiffBudget) -> Iterator[FileChange]:
    """A cell; the old text of one that is replaced or deleted is not recorded."""
    mode, source = values.get("edit_mode"), values.get("new_source")
    cell = f"cell {values.get('cell_id') or values.get('cell_number') or ''}".strip()
    lines = source.split("\n") if isinstance(source, str) and mode != "delete" else []
    hunks = (Hunk(tuple(f"+{line}" for line in lines), header=cell),) if lines else ()
    yield FileChange(_path(values), ChangeKind.EDITED, len(lines), 0 if mode == "insert" else None, hunks)


def _apply_patch(values: Record, notes: Record, budget: DiffBudget) -> Iterator[FileChange]:
    """A patch as text, or the list of files that Codex reports with or without their diffs."""
    changes = values.get("changes")
    if isinstance(changes, Mapping):
        changes = [{"path": path, **dict_of(change)} for path, change in changes.items()]
    if isinstance(changes, list):
        yield from map(_codex_change, map(dict_of, changes))
        return
    texts = (values.get(name) for name in ("input", "patch"))
    yield from parse_apply_patch(next((text for text in texts if isinstance(text, str)), ""))


def _codex_change(change: Record) -> FileChange:
    """`kind` is a text or a record; a new or deleted file has its content in place of a diff."""
    kind = dict_of(change.get("kind")) or {"type": change.get("kind") or change.get("type")}
    path, name = _path(change), kind.get("type")
    diff = next((change[key] for key in ("diff", "unified_diff", "content") if isinstance(change.get(key), str)), None)
    move = text_or_none(kind.get("move_path")) or text_or_none(change.get("move_path"))
    known = {"add": ChangeKind.CREATED, "delete": ChangeKind.DELETED}.get(str(name), ChangeKind.EDITED)
    if diff is None:
        return FileChange(path, known)
    if known is ChangeKind.CREATED:
        return _created(path, diff)
    if known is ChangeKind.DELETED:
        return FileChange.of(path, known, diff_texts(diff, ""))
    diff, _, moved = diff.partition(_MOVED)
    target = move or moved.strip()
    return FileChange.of(
        target or path, ChangeKind.RENAMED if target else known, unified_hunks(diff), path if target else None
    )


def _shell(values: Record) -> Iterator[FileChange]:
    """`apply_patch` with a here document, or as a program of its own."""
    command = values.get("command", values.get("cmd", values.get("input")))
    text = "\n".join(map(str, command)) if isinstance(command, list) else command
    patch = find_apply_patch(text) if isinstance(text, str) else None
    if patch is None:
        return
    script, folder = patch
    for change in parse_apply_patch(script):
        old = change.old_path and posixpath.join(folder, change.old_path)
        yield change._replace(path=posixpath.join(folder, change.path), old_path=old)


_TOOLS: Mapping[str, Callable[[Record, Record, DiffBudget], Iterator[FileChange]]] = {
    "Edit": _edit,
    "MultiEdit": _edit,
    "Write": _write,
    "NotebookEdit": _notebook,
    "apply_patch": _apply_patch,
    "applypatch": _apply_patch,
    # ACP agents that report no diffs, and the endpoint of openai
    "edit": _edit,
    "replace": _edit,
    "write": _write,
    "write_file": _write,
}
CHANGING_TOOLS = tuple(_TOOLS)


def relative_path(path: str, folder: str | None) -> str:
    """The path below a folder, else as it is: an agent names the same file both ways."""
    if not folder or not path.startswith("/"):
        return posixpath.normpath(path) if path and "./" in path else path
    below = posixpath.normpath(path)
    root = posixpath.normpath(folder)
    return below[len(root) + 1 :] if root != "/" and below.startswith(f"{root}/") else below
