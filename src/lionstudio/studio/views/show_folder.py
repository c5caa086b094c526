"""Facts that only the folder of a show has: its plan, its final verdict, the question of its director.

The path comes from a row that any program may have written, so it must be inside one of our own folders.
"""

from __future__ import annotations

import os
from typing import Any

from lionstudio.files.shows.decision_log import find_open_question
from lionstudio.model.shows.decisions import Question
from lionstudio.model.shows.show_files import DIRECTOR_LOCK
from lionstudio.settings import Settings
from lionstudio.studio.views.plays import final_verdict
from lionstudio.studio.views.show_actions import describe_show_actions, has_begun, show_actions
from lionstudio.studio.views.shows import read_plan_text
from lionstudio.system.filelock import lock_state
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import is_within


def folder_error(settings: Settings, show_dir: str) -> str | None:
    """The reason why a folder is not read, None when it is inside one of our folders."""
    roots = (settings.shows, os.path.join(settings.home, "shows"))
    if os.path.isabs(show_dir) and "\0" not in show_dir and any(is_within(show_dir, root) for root in roots):
        return None
    return f"the folder {shown(show_dir)} is not below {shown(settings.shows)}, so it is not read"


def find_question(settings: Settings, show_dir: str) -> Question | None:
    """The open question of the director about the show."""
    return None if folder_error(settings, show_dir) else find_open_question(show_dir)


def director_state(settings: Settings, show_dir: str) -> str:
    """The lock of the director: held, free when it died, absent when it exited or never started, untold if not read."""
    return "untold" if folder_error(settings, show_dir) else lock_state(os.path.join(show_dir, DIRECTOR_LOCK))


def add_folder_facts(show: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """A show of the database with the facts of its folder, or the reason why that is not read."""
    path = show["path"]
    error = folder_error(settings, path)
    asked = None if error else find_open_question(path)
    began = has_begun([play["meta"]["status"] for play in show["plays"]])
    actions = show_actions(show["status"], asked=asked, began=began)
    return {
        **show,
        "error": error,
        "directed": director_state(settings, path) == "held",
        "show_md": None if error else read_plan_text(path, path),
        "final_verdict": None if error else final_verdict(path),
        "actions": actions,
        "deeds": describe_show_actions(show["topic"], actions, asked),
    }
