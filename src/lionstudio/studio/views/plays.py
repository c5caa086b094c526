"""What the folder of a play and the repository of its show tell: intent, verdicts, attempts, and what was changed."""

from __future__ import annotations

import os
from typing import Any

from lionstudio.errors import LionError
from lionstudio.files.shows import branch_diff
from lionstudio.files.shows.show_folder import MOST_BYTES
from lionstudio.model.shows.show_files import FINAL_VERDICT, META, VERDICT
from lionstudio.studio.views.shows import text_in
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import list_folder

ATTEMPTS = "attempts"
_MOST_ATTEMPTS = 100


def folder_of_play(show: dict[str, Any], name: str) -> dict[str, Any]:
    """Everything that a person reads about a play."""
    if show["error"]:
        return {"intent": None, "prompt": None, "raw_meta": None, "raw_verdict": None, "errors": [show["error"]]}
    show_dir, errors = show["path"], list[str]()
    folder = os.path.join(show_dir, name)
    intent, prompt = (_text(os.path.join(folder, file), show_dir, errors) for file in ("_intent.md", "_prompt.md"))
    return {
        "intent": intent,
        "prompt": prompt,
        "raw_meta": _object(os.path.join(folder, META), show_dir, errors),
        "raw_verdict": _object(os.path.join(folder, VERDICT), show_dir, errors),
        "errors": errors,
    }


def final_verdict(show_dir: str) -> dict[str, Any] | None:
    """What the last gate of a show said, None while it has not spoken or cannot be read."""
    return _object(os.path.join(show_dir, FINAL_VERDICT), show_dir, [])


def attempts(show: dict[str, Any], play: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Every attempt: the past ones as they were kept in `attempts/N`, the present one as its files are."""
    if show["error"]:
        return [], [show["error"]]
    show_dir, errors = show["path"], list[str]()
    folder = os.path.join(show_dir, play["name"])
    kept = _kept(folder, show_dir, errors)
    meta = _object(os.path.join(folder, META), show_dir, errors) or dict(play["meta"])
    verdict = _object(os.path.join(folder, VERDICT), show_dir, errors)
    number = meta.get("attempt")
    current = number if isinstance(number, int) and number > 0 else 1
    about = verdict is not None and verdict.get("attempt", current) == current
    now = _attempt(current, meta, verdict if about else kept.get(current, {}).get("verdict"), current=True)
    kept[current] = now | {"session_id": now["session_id"] or play.get("session_id")}
    return [kept[each] for each in sorted(kept)], errors


def _kept(folder: str, root: str, errors: list[str]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    try:
        items = list_folder(os.path.join(folder, ATTEMPTS))
    except LionError as error:
        errors.append(error.message)
        return found
    numbered = [item for item in items if item.folder and item.name.isdecimal() and len(item.name) < 6]
    for item in sorted(numbered, key=lambda item: int(item.name))[-_MOST_ATTEMPTS:]:
        meta = _object(os.path.join(item.path, "meta.json"), root, errors)
        verdict = _object(os.path.join(item.path, "verdict.json"), root, errors)
        found[int(item.name)] = _attempt(int(item.name), meta, verdict)
    return found


def _attempt(
    number: int, meta: dict[str, Any] | None, verdict: dict[str, Any] | None, *, current: bool = False
) -> dict[str, Any]:
    session = (meta or {}).get("session_id")
    return {
        "attempt": number,
        "current": current,
        "session_id": session if isinstance(session, str) else None,
        "meta": meta,
        "verdict": verdict,
    }


def difference(show: dict[str, Any], play: dict[str, Any], attempt: int | None, against: int | None) -> dict[str, Any]:
    """What a play changed, or why that cannot be shown."""
    try:
        found = _compared(show, play, attempt, against)
    except LionError as error:
        found = error.message
    if isinstance(found, str):
        return {"base": None, "head": None, "files": [], "patch": "", "whole": True, "why": found}
    return {**found._asdict(), "files": [file._asdict() for file in found.files], "why": None}


def _compared(
    show: dict[str, Any], play: dict[str, Any], attempt: int | None, against: int | None
) -> branch_diff.Diff | str:
    repo = show.get("repo")
    if not isinstance(repo, str) or not repo:
        return "the show names no repository"
    repo = os.path.expanduser(repo)
    archive = f"refs/shows/archive/{show['topic']}/{play['name']}"
    merged = play["meta"].get("merge_sha")
    if attempt is None and isinstance(merged, str) and merged:
        head, base = branch_diff.find_commit(repo, merged), branch_diff.find_commit(repo, f"{merged}^1")
        return branch_diff.diff(repo, base, head) if base and head else "the merge is not in the repository any more"
    branch = str(play["meta"].get("branch") or f"show/{show['topic']}/{play['name']}")
    head = branch_diff.find_commit(repo, f"refs/heads/{branch}" if attempt is None else f"{archive}/{attempt}")
    if head is None:
        return "it has no commits in the repository yet" if attempt is None else f"attempt {attempt} left no commits"
    if against is not None:
        base = branch_diff.find_commit(repo, f"{archive}/{against}")
        return branch_diff.diff(repo, base, head) if base else f"attempt {against} left no commits"
    base = _start_of(repo, show, head)
    return branch_diff.diff(repo, base, head) if base else "where the play began is not in the repository any more"


def _start_of(repo: str, show: dict[str, Any], head: str) -> str | None:
    """Where a branch left the others: the integration branch, or the base where there is none."""
    integration = show.get("integration_branch") or f"show/{show['topic']}/integration"
    for name in (integration, show.get("base_branch")):
        tip = branch_diff.find_commit(repo, f"refs/heads/{name}") if isinstance(name, str) and name else None
        if tip is not None:
            return branch_diff.merge_base(repo, tip, head)
    return None


def _text(path: str, root: str, errors: list[str]) -> str | None:
    found, wrong = text_in(path, root)
    errors += [wrong] if wrong else []
    return found


def _object(path: str, root: str, errors: list[str]) -> dict[str, Any] | None:
    if not os.path.lexists(path):
        return None
    try:
        return read_object(path, most=MOST_BYTES, root=root)
    except LionError as error:
        errors.append(error.message)
        return None
