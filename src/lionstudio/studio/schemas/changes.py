"""Files that the tool calls of a run changed."""

from __future__ import annotations

from pydantic import Field

from lionstudio.model.file_changes.change import ChangeKind, Outcome
from lionstudio.studio.schemas.shared import Read, ResponseModel


class HunkView(ResponseModel):
    """Consecutive lines of a diff."""

    lines: list[str] = Field(description="each begins with its mark: a space, +, - or \\")
    old_start: int | None = Field(description="the number of the first line; null if only the changed text is known")
    new_start: int | None
    header: str


class FileChangeView(ResponseModel):
    """A file that one call changes."""

    path: str
    kind: ChangeKind
    old_path: str | None = Field(description="the name before a renamed file was renamed")
    added: int | None = Field(description="null if the lines are not recorded")
    removed: int | None
    hunks: list[HunkView]
    omitted: int = Field(description="lines that were left out at the end")


class CallChangesView(ResponseModel):
    """A tool call that changes files, and whether it did."""

    ord: int
    call_id: str
    result_ord: int | None
    result_id: str | None
    outcome: Outcome
    files: list[FileChangeView]
    omitted_files: int


class CallChangesAnswer(Read):
    """All lines that one call changes."""

    session_id: str
    call: CallChangesView | None = Field(description="null if the call changes no file")


class RunHunkView(HunkView):
    """A hunk, and the message whose call made it."""

    ord: int
    call_id: str


class RunFileChangesView(ResponseModel):
    """A file over a run."""

    path: str = Field(description="below the folder of the run, else absolute")
    kind: ChangeKind
    old_path: str | None
    added: int
    removed: int
    is_partial: bool = Field(description="a call did not record its lines, so that the sums are too small")
    ords: list[int] = Field(description="the ords of the calls")
    hunks: list[RunHunkView] = Field(description="empty without `path`")
    omitted: int = Field(description="lines that were left out")


class RunChanges(Read):
    """The files that a run or one of its branches changed."""

    session_id: str
    branch_id: str | None
    added: int
    removed: int
    is_partial: bool
    files: list[RunFileChangesView]
    file_count: int = Field(description="all files; `files` may have fewer")
    failed_calls: int = Field(description="calls that were refused or failed, so that they changed nothing")
    pending_calls: int = Field(description="calls without a result")
    next_after: int | None = Field(description="`after` of the next part of a very long run, else null")
