"""Facts from the folder of a play and the repository of its show: intent, verdicts, attempts and diffs."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from lionstudio.errors import LionError
from lionstudio.files.shows import branch_diff
from lionstudio.files.shows.show_folder import MOST_BYTES
from lionstudio.model.shows.play_codec import gate_confinement
from lionstudio.model.shows.show_files import FINAL_VERDICT, META, VERDICT
from lionstudio.studio.views.shows import read_text_or_error
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import list_folder

ATTEMPTS = "attempts"
_MOST_ATTEMPTS = 100
_MOST_PLAYS = 200  # whose changes are counted


def read_play_folder(show: dict[str, Any], play: dict[str, Any]) -> dict[str, Any]:
    """The texts and JSON files of a play."""
    if show["error"]:
        return {"intent": None, "prompt": None, "raw_meta": None, "raw_verdict": None, "errors": [show["error"]]}
    show_dir, errors = show["path"], list[str]()
    folder = os.path.join(show_dir, play["name"])
    intent, prompt = (_text(os.path.join(folder, file), show_dir, errors) for file in ("_intent.md", "_prompt.md"))
    return {
        "intent": intent,
        "prompt": prompt,
        "raw_meta": _meta(show, play, errors),
        "raw_verdict": _verdict(show, play, errors),
        "errors": errors,
    }


def _meta(show: dict[str, Any], play: dict[str, Any], errors: list[str]) -> dict[str, Any] | None:
    """The facts of a play; of one that a worker plays those of the row, because a folder here is an older copy."""
    if show.get("by_workers"):
        return dict(play["meta"])
    return _object(os.path.join(show["path"], play["name"], META), show["path"], errors)


def _verdict(show: dict[str, Any], play: dict[str, Any], errors: list[str]) -> dict[str, Any] | None:
    """The last verdict on a play, from the same place."""
    if show.get("by_workers"):
        has_one = play["verdict"]["gate_passed"] is not None
        return {**play["verdict"], "attempt": play["meta"].get("attempt")} if has_one else None
    return _object(os.path.join(show["path"], play["name"], VERDICT), show["path"], errors)


def final_verdict(show_dir: str) -> dict[str, Any] | None:
    """The verdict of the final gates, None before it exists or when it cannot be read."""
    return _object(os.path.join(show_dir, FINAL_VERDICT), show_dir, [])


def list_attempts(show: dict[str, Any], play: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Every attempt: earlier ones from `attempts/N`, the current one from the files of the play."""
    if show["error"]:
        return [], [show["error"]]
    show_dir, errors = show["path"], list[str]()
    folder = os.path.join(show_dir, play["name"])
    attempts = _archived(folder, show_dir, errors)
    meta = _meta(show, play, errors) or dict(play["meta"])
    verdict = _verdict(show, play, errors)
    number = meta.get("attempt")
    current = number if isinstance(number, int) and number > 0 else 1
    is_current = verdict is not None and verdict.get("attempt", current) == current
    newest = _attempt(current, meta, verdict if is_current else attempts.get(current, {}).get("verdict"), current=True)
    attempts[current] = newest | {"session_id": newest["session_id"] or play.get("session_id")}
    return [attempts[number] for number in sorted(attempts)], errors


def _archived(folder: str, root: str, errors: list[str]) -> dict[int, dict[str, Any]]:
    archived: dict[int, dict[str, Any]] = {}
    try:
        items = list_folder(os.path.join(folder, ATTEMPTS))
    except LionError as error:
        errors.append(error.message)
        return archived
    numbered = [item for item in items if item.folder and item.name.isdecimal() and len(item.name) < 6]
    for item in sorted(numbered, key=lambda item: int(item.name))[-_MOST_ATTEMPTS:]:
        meta = _object(os.path.join(item.path, "meta.json"), root, errors)
        verdict = _object(os.path.join(item.path, "verdict.json"), root, errors)
        archived[int(item.name)] = _attempt(int(item.name), meta, verdict)
    return archived


def _attempt(
    number: int, meta: dict[str, Any] | None, verdict: dict[str, Any] | None, *, current: bool = False
) -> dict[str, Any]:
    session, confinement = (meta or {}).get("session_id"), (meta or {}).get("confinement")
    return {
        "attempt": number,
        "current": current,
        "session_id": session if isinstance(session, str) else None,
        "meta": meta,
        "verdict": verdict,
        "confinement": confinement if isinstance(confinement, str) else None,
        "gate_confinement": gate_confinement(verdict),
    }


def diff_json(show: dict[str, Any], play: dict[str, Any], attempt: int | None, against: int | None) -> dict[str, Any]:
    """The diff of a play, or the reason why there is none."""
    try:
        diff = _diff(show, play, attempt, against)
    except LionError as error:
        diff = error.message
    if isinstance(diff, str):
        return {"base": None, "head": None, "files": [], "patch": "", "whole": True, "why": diff}
    return {**diff._asdict(), "files": [file._asdict() for file in diff.files], "why": None}


def _diff(
    show: dict[str, Any], play: dict[str, Any], attempt: int | None, against: int | None
) -> branch_diff.Diff | str:
    repo = show.get("repo")
    if not isinstance(repo, str) or not repo:
        return "the show does not name a repository"
    repo = os.path.expanduser(repo)
    archive = f"refs/shows/archive/{show['topic']}/{play['name']}"
    merged = play["meta"].get("merge_sha")
    if attempt is None and isinstance(merged, str) and merged:
        head, base = branch_diff.find_commit(repo, merged), branch_diff.find_commit(repo, f"{merged}^1")
        return branch_diff.diff(repo, base, head) if base and head else "the merge commit is not in the repository"
    branch = str(play["meta"].get("branch") or f"show/{show['topic']}/{play['name']}")
    head = branch_diff.find_commit(repo, f"refs/heads/{branch}" if attempt is None else f"{archive}/{attempt}")
    if head is None:
        return (
            "the play has no commits in the repository yet" if attempt is None else f"attempt {attempt} has no commits"
        )
    if against is not None:
        base = branch_diff.find_commit(repo, f"{archive}/{against}")
        return branch_diff.diff(repo, base, head) if base else f"attempt {against} has no commits"
    base = _branch_point(repo, show, head)
    return branch_diff.diff(repo, base, head) if base else "the start commit of the play is not in the repository"


def count_changes(show: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The sums of changed files and lines of each play with commits; a play that git cannot compare is left out."""
    repo = show.get("repo")
    if not isinstance(repo, str) or not repo or show["error"]:
        return {}
    sums = {}
    for play in show["plays"][:_MOST_PLAYS]:
        merged, head = play["meta"].get("merge_sha"), _collected_head(play)
        if not merged and head is None:
            continue
        tip = show.get("commit") or show.get("base_branch") or ""
        changed = _count(os.path.expanduser(repo), str(merged) if merged else None, head, str(tip))
        if changed is not None:
            sums[play["name"]] = changed
    return sums


def _collected_head(play: dict[str, Any]) -> str | None:
    subjects = [deed["subject"].get("head") for deed in play["deeds"]]
    return next((head for head in subjects if isinstance(head, str)), None)


@lru_cache(maxsize=2_000)  # commits do not change, and a page asks again whenever its show does
def _count(repo: str, merged: str | None, head: str | None, tip: str) -> dict[str, int] | None:
    try:
        if merged is not None:
            base, head = branch_diff.find_commit(repo, f"{merged}^1"), branch_diff.find_commit(repo, merged)
        else:
            start = branch_diff.find_commit(repo, tip)
            base = branch_diff.merge_base(repo, start, head) if start and head else None
        files = branch_diff.changed_files(repo, base, head) if base and head else None
    except LionError:
        return None
    if files is None:
        return None
    added, removed = (sum(count or 0 for count in counts) for counts in _columns(files))
    return {"files": len(files), "additions": added, "deletions": removed}


def _columns(files: list[branch_diff.ChangedFile]) -> tuple[list[int | None], list[int | None]]:
    return [file.additions for file in files], [file.deletions for file in files]


def _branch_point(repo: str, show: dict[str, Any], head: str) -> str | None:
    """The merge base with the integration branch, or with the base branch where there is none."""
    integration = show.get("integration_branch") or f"show/{show['topic']}/integration"
    for name in (integration, show.get("base_branch")):
        tip = branch_diff.find_commit(repo, f"refs/heads/{name}") if isinstance(name, str) and name else None
        if tip is not None:
            return branch_diff.merge_base(repo, tip, head)
    return None


def _text(path: str, root: str, errors: list[str]) -> str | None:
    text, error = read_text_or_error(path, root)
    errors += [error] if error else []
    return text


def _object(path: str, root: str, errors: list[str]) -> dict[str, Any] | None:
    if not os.path.lexists(path):
        return None
    try:
        return read_object(path, most=MOST_BYTES, root=root)
    except LionError as error:
        errors.append(error.message)
        return None
