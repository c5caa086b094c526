"""A show that a director has open: its files, rows, repository, plan and environments."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.shows.plan import Plan, PlannedPlay
from lionstudio.model.shows.play_codec import Meta
from lionstudio.model.shows.show_files import ABORT
from lionstudio.settings import Settings
from lionstudio.shows.execute import attempt_command
from lionstudio.shows.git.preflight import check_repo
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import open_show_repo
from lionstudio.shows.records import play_records
from lionstudio.shows.records.recovery import recover
from lionstudio.shows.records.repair import repair
from lionstudio.state.database import Database
from lionstudio.system.json_read import find_object
from lionstudio.system.li_process import li_environment


class OpenShow:
    """Everything that the executor and the gates of one show share."""

    def __init__(
        self, show_dir: str, settings: Settings, environ: Mapping[str, str], warn: Callable[[str], None]
    ) -> None:
        self.show_dir = os.path.abspath(show_dir)
        self.topic = os.path.basename(self.show_dir)
        self.settings = settings
        self.warn = warn
        self.agent_environ = {**environ, **li_environment(settings)}
        self.agent_environ.pop("LIONAGI_SESSION_ID", None)  # an attempt is a run of its own
        self.gate_environ = attempt_command.gate_environment(environ)
        self.notify_environ = attempt_command.notify_environment(environ)
        self.database = Database(settings.db, long_lived=True)
        try:
            recovered = recover(self.show_dir, self.database)
            self.plan, self.status = recovered.plan, recovered.show.status
            self.repo = self._open_repo(recovered.show.metadata.get("base"))
        except BaseException:
            self.database.close()
            raise
        self._planned: dict[str, PlannedPlay] = {}  # includes plays that an edit removed while they were in progress
        self.use_plan(self.plan)

    def _open_repo(self, recorded_base: Any) -> Repo:
        checkouts = os.path.join(self.settings.home, "checkouts", self.topic)
        layout = find_object(os.path.join(checkouts, "director.git", "show.json")) or {}
        base = layout.get("base") or recorded_base
        if base is None:
            report = check_repo(str(self.plan.repo), self.plan.base_branch, self.topic)
            if report.problems or report.base is None:
                raise InvalidInput(f"cannot start the show: {(*report.problems, 'the base has no commit')[0]}")
            for warning in report.warnings:
                self.warn(warning)
            base = report.base
        repo = open_show_repo(str(self.plan.repo), self.topic, base, checkouts_dir=checkouts)
        play_records.save_show(self.show_dir, self.database, self.plan, base=base)
        return repo

    def use_plan(self, plan: Plan) -> None:
        self.plan = plan
        self._planned.update({play.name: play for play in plan.plays})

    def planned(self, play: str) -> PlannedPlay:
        """Return a play of the plan, or of an earlier version of it."""
        return self._planned[play]

    @property
    def aborted(self) -> bool:
        return os.path.lexists(os.path.join(self.show_dir, ABORT))

    def stop_reason(self) -> str | None:
        """Return why running commands should stop."""
        return "the show was aborted" if self.aborted else None

    def read_meta(self, play: str) -> Meta:
        """Read `_meta.json`, restored from the row where an agent corrupted it: what calls this must not fail."""
        try:
            return play_records.read_meta(self.show_dir, play) or {}
        except LionError:
            problem = repair(self.show_dir, self.database, play)
            self.warn(f"restored the files of {play} from the database: {problem}")
            return play_records.read_meta(self.show_dir, play) or {}

    def close(self) -> None:
        self.database.close()
