"""What only the folder of a show has: its plan, its last verdict, what its director asks.

The path comes from a row that anybody may have written, so it must lead into one of our own folders.
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
from lionstudio.studio.views.shows import plan_text
from lionstudio.system.filenames import shown
from lionstudio.system.process_identity import lock_state
from lionstudio.system.safe_read import is_within


def fault_of_folder(settings: Settings, show_dir: str) -> str | None:
    """Why a folder is not read, None when it is one of ours."""
    ours = (settings.shows, os.path.join(settings.home, "shows"))
    if os.path.isabs(show_dir) and "\0" not in show_dir and any(is_within(show_dir, root) for root in ours):
        return None
    return f"its folder {shown(show_dir)} is not below {shown(settings.shows)}, so nothing in it is read"


def question_of(settings: Settings, show_dir: str) -> Question | None:
    """What its director asks about the show itself."""
    return None if fault_of_folder(settings, show_dir) else find_open_question(show_dir)


def director_of(settings: Settings, show_dir: str) -> str:
    """What the lock of its director says: held, free when it died, absent when it left or never came, untold."""
    return "untold" if fault_of_folder(settings, show_dir) else lock_state(os.path.join(show_dir, DIRECTOR_LOCK))


def with_folder(found: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """A show of the database with what its folder adds, or with why that is not read."""
    path = found["path"]
    fault = fault_of_folder(settings, path)
    asked = None if fault else find_open_question(path)
    began = has_begun([play["meta"]["status"] for play in found["plays"]])
    actions = show_actions(found["status"], asked=asked, began=began)
    return {
        **found,
        "error": fault,
        "directed": director_of(settings, path) == "held",
        "show_md": None if fault else plan_text(path, path),
        "final_verdict": None if fault else final_verdict(path),
        "actions": actions,
        "deeds": describe_show_actions(found["topic"], actions, asked),
    }
