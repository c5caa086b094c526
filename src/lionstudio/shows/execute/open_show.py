"""A show that a director has open: its files, rows, repository, plan and environments."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.followed_plan import digest_of, find_accepted_plan, followed_plan, save_accepted_plan
from lionstudio.model.shows.plan import Plan, PlannedPlay
from lionstudio.model.shows.plan_changes import FollowedPlan
from lionstudio.model.shows.play_codec import Meta
from lionstudio.model.shows.show_files import ABORT, ACCEPTED_PLAN, PLAN, VERDICT
from lionstudio.runs.prepare.confinement import Confinement, choose_mode, confine_command
from lionstudio.runs.prepare.resolve import PinnedAgent
from lionstudio.settings import Settings
from lionstudio.shows.attempt.attempt_files import POLL_SECONDS, AttemptWatch, Exit, Lease, attempt_folder
from lionstudio.shows.execute import attempt_command
from lionstudio.shows.gates.reviewers import Pins, has_changed, load_pin, load_pins, pin_reviewers, save_pins
from lionstudio.shows.git.merge import (
    PreparedMerge,
    find_foreign_commits,
    integration_tip,
    list_merges_by_trailer,
    tip_without,
)
from lionstudio.shows.git.preflight import check_repo
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.git.setup import open_show_repo
from lionstudio.shows.records import play_records
from lionstudio.shows.records.decisions import log_decision
from lionstudio.shows.records.recovery import recover, restore_plan
from lionstudio.shows.records.repair import repair
from lionstudio.state.backends import open_database
from lionstudio.state.database import Database
from lionstudio.system.json_read import find_object
from lionstudio.system.li_process import li_environment
from lionstudio.system.safe_read import list_folder, read_text
from lionstudio.system.sandbox.bwrap import why_not_confined
from lionstudio.system.watch_tree import FolderWatch
from lionstudio.system.watchdog import Watchdog

T = TypeVar("T")
_LOOK_SECONDS = 2.0  # a supervisor that was killed changes no file


class OpenShow:
    """Everything that the executor and the gates of one show share."""

    def __init__(
        self,
        show_dir: str,
        settings: Settings,
        environ: Mapping[str, str],
        warn: Callable[[str], None],
        *,
        accept_current: bool = False,
    ) -> None:
        """Open a show; `accept_current`: its reviewers, and a plan whose accepted copy is lost, count as they are."""
        self._use(show_dir, settings, environ, warn, open_database(settings.db, long_lived=True))
        self._open(accept_current=accept_current)

    def _use(
        self,
        show_dir: str,
        settings: Settings,
        environ: Mapping[str, str],
        warn: Callable[[str], None],
        database: Database,
    ) -> None:
        self.show_dir = os.path.abspath(show_dir)
        self.topic = os.path.basename(self.show_dir)
        self.settings = settings
        self.warn = warn
        self.agent_environ = {**environ, **li_environment(settings)}
        self.agent_environ.pop("LIONAGI_SESSION_ID", None)  # an attempt is a run of its own
        self.gate_environ = attempt_command.gate_environment(environ)
        self.notify_environ = attempt_command.notify_environment(environ)
        self.folders = FolderWatch()
        self._watchdog: Watchdog | None = None
        self._watchdog_lock = threading.Lock()
        self.database = database
        self.checked_tip: str | None = None
        self.prepared: dict[str, PreparedMerge] = {}  # by play: the merge commit that passed its gates last
        self.candidate: PreparedMerge | None = None  # the merge whose gates run again right before it
        self._planned: dict[str, PlannedPlay] = {}  # includes plays that an edit removed while they were in progress

    def _open(self, *, accept_current: bool) -> None:
        try:
            facts = restore_plan(self.show_dir, self.database)
            text = read_text(os.path.join(self.show_dir, PLAN))
            self.accepted_plan = self._load_accepted_plan(
                facts.get("accepted_plan"), text, accept_current=accept_current
            )
            self.plan = followed_plan(self.topic, self.accepted_plan, text).plan
            self._check_confinement()
            self.status = recover(self.show_dir, self.database, self.plan).show.status
            self.follow(text)
            pinned = facts.get("reviewers") or {}
            self._pins: Pins = {} if accept_current else self._load_pins(pinned)
            self.pin_reviewers(self.plan)
            for name in (
                name for name, pin in self._pins.items() if pinned.get(name, pin.to_record()) != pin.to_record()
            ):
                self.warn(f"the reviewer {name} now follows its changed definition, because the show was resumed")
            self.repo = self._open_repo(facts.get("base"))
            self.answered = facts.get("decision")  # id of the last decision about held changes that was carried out
            self.tip: str | None = facts.get("integration_tip")
            self.merges = self._load_merges(facts.get("merges"))
        except BaseException:
            self.database.close()
            raise
        self.use_plan(self.plan)

    def _load_pins(self, recorded: Mapping[str, Any]) -> Pins:
        return load_pins(recorded, self.show_dir)

    def _check_confinement(self) -> None:
        """Refuse a mode that this machine cannot keep before anything runs, or has a row that says so."""
        for play in (None, *self.plan.names):
            why_not_confined(choose_mode(self.settings.sandbox, None, self.plan.sandbox_of(play)))

    def _load_accepted_plan(self, digest: Any, text: str, *, accept_current: bool) -> str:
        """Return the plan that a person accepted last; the first one, and one that is resumed, is accepted as it is."""
        accepted = text if digest is None else find_accepted_plan(self.show_dir, digest, text)
        if accepted is None and not accept_current:
            raise InvalidInput(
                f"{PLAN} was edited, and {ACCEPTED_PLAN} is not the plan that you accepted last",
                hint=f"check {PLAN}, then run: li show resume {self.topic}",
            )
        if accepted is None:
            self.warn(f"the plan is accepted as it is, because {ACCEPTED_PLAN} was changed and the show was resumed")
        return text if accepted is None else accepted

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

    def _load_merges(self, recorded: Any) -> list[str]:
        """Return the recorded merges; without a record, of an older version, those of the plays, taken once."""
        if isinstance(recorded, list):
            return list(map(str, recorded))
        names = (*self.plan.names, *(item.name for item in list_folder(self.show_dir) if item.folder))
        shas = (self.read_meta(play).get("merge_sha") for play in dict.fromkeys(names))
        # version 0.1 moved the branch before it saved `merge_sha`, and may have been killed in between
        merges = list(dict.fromkeys((*(str(sha) for sha in shas if sha), *list_merges_by_trailer(self.repo))))
        play_records.update_show(self.show_dir, self.database, merges=merges)
        return merges

    def record_merge(self, *shas: str) -> None:
        """Record commits of the integration branch in the row, which no checkout can change."""
        self.merges = list(dict.fromkeys((*self.merges, *shas)))
        play_records.update_show(self.show_dir, self.database, merges=self.merges)

    def record_tip(self, sha: str) -> None:
        """Record the commit at which the integration branch had recorded merges only."""
        self.checked_tip = sha
        if sha != self.tip:
            self.tip = sha
            play_records.update_show(self.show_dir, self.database, integration_tip=sha)

    def forget_merges(self, dropped: Collection[str]) -> None:
        """Forget merges that are missing from the integration branch."""
        self.merges = [sha for sha in self.merges if sha not in dropped]
        play_records.update_show(self.show_dir, self.database, merges=self.merges)
        if self.tip is not None:
            self.record_tip(tip_without(self.repo, self.tip, dropped))
        self.checked_tip = None

    # ── what a person accepted ──

    def follow(self, text: str) -> FollowedPlan:
        """Return the plan of a text without what a person must accept first; all of it counts as accepted otherwise."""
        followed = followed_plan(self.topic, self.accepted_plan, text)
        if not followed.held:
            self.accepted_plan = text
        play_records.update_show(
            self.show_dir,
            self.database,
            accepted_plan=digest_of(self.accepted_plan),
            held_changes=list(followed.held) or None,
            deciders=list(followed.plan.deciders),  # those of the accepted plan: an agent could add itself
        )
        save_accepted_plan(self.show_dir, self.accepted_plan)
        return followed

    def accept_plan(self, text: str) -> None:
        """Accept a text of the plan as a whole."""
        self.accepted_plan = text
        self.follow(text)

    def record_answer(self, decision_id: str) -> None:
        """Record that a decision about held changes was carried out."""
        self.answered = decision_id
        play_records.update_show(self.show_dir, self.database, decision=decision_id)

    def pin_reviewers(self, plan: Plan) -> None:
        """Pin the reviewers of a plan that are not pinned yet; raises when one may not review."""
        self._pins = pin_reviewers(self.runnable(plan), self.settings, self._pins)
        record = save_pins(self._pins, self.show_dir)
        play_records.update_show(self.show_dir, self.database, reviewers=record or None)

    def reviewer(self, name: str) -> PinnedAgent:
        """Return a reviewer as it was pinned; report a definition that has changed since."""
        pinned = load_pin(self._pins[name].to_record(), self.show_dir)
        if has_changed(pinned, self.runnable_plan, self.settings):
            reason = f"the definition of the reviewer {name} changed; it counts after: li show resume {self.topic}"
            log_decision(self.show_dir, "reviewer changed", reviewer=name, reason=reason)
            self.warn(reason)
        return pinned

    def use_plan(self, plan: Plan) -> None:
        self.plan = plan
        self._planned.update({play.name: play for play in plan.plays})

    def planned(self, play: str) -> PlannedPlay:
        """Return a play of the plan, or of an earlier version of it."""
        return self._planned[play]

    def confine(self, play: str | None, folder: str) -> Confinement:
        """Return how the commands of a play run in a checkout."""
        return confine_command(
            self.plan.sandbox_of(play),
            self.settings,
            folder,
            readable=self.repo.object_stores,
            network=self.plan.network_of(play),
        )

    @property
    def watchdog(self) -> Watchdog:
        """The watchdog of the commands of this show: one for all of them, from the first to the end of the process."""
        with self._watchdog_lock:
            if self._watchdog is None:
                self._watchdog = Watchdog()
            return self._watchdog

    def runnable(self, plan: Plan) -> Plan:
        """Return a plan with the folder that its agents and playbooks are found from on this machine."""
        return plan

    @property
    def runnable_plan(self) -> Plan:
        return self.runnable(self.plan)

    def attempt_folder(self, play: str, attempt: int, part: int) -> str:
        return attempt_folder(self.show_dir, play, attempt, part)

    def own_meta(self, play: str, folder: str, meta: Meta) -> Meta:
        """Return the meta of a play as the attempt in a folder uses it: with the session that it records to."""
        return meta

    @property
    def fence(self) -> int | None:
        """The number under which a worker has the play; None where no other machine could have it."""
        return None

    @property
    def lease(self) -> Lease | None:
        """The lease under which a supervisor runs its agent; None where no other machine could."""
        return None

    def current_tip(self) -> str:
        """The integration branch for work that is compared with it again when it is merged."""
        return self.without_foreign(integration_tip(self.repo))

    def without_foreign(self, tip: str) -> str:
        """Return a tip, or the recorded one where it has commits of others: a person decides about those first.

        Until then no agent begins with them, whose settings they could hold.
        """
        recorded = self.tip or self.repo.base
        if tip in (recorded, self.repo.base):
            return tip
        foreign = find_foreign_commits(self.repo, tip, self)
        return recorded if foreign is not None and foreign.shas else tip

    def watch_attempt(self, folder: str, environ: Mapping[str, str]) -> AttemptWatch:
        return AttemptWatch(folder, environ)

    def check_held(self, ended: Exit) -> None:
        """Raise OrderLost for an agent that was ended because its work went to another machine."""

    def logs_folder(self, play: str, attempt: str) -> str:
        """The folder with the logs and reviews of the gates of an attempt."""
        return os.path.join(self.show_dir, play, "attempts", attempt)

    def patiently(self, work: Callable[[], T]) -> T:
        """Do work that needs the repository; another machine's may be away for a while."""
        return work()

    def checkout_of_others(self, play: str, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Return where the checkout of a play continues that other machines may have worked on."""
        return {}

    def base_of(self, checkout: Checkout) -> dict[str, Any]:
        """Return what the row of a play says about its checkout, for other machines."""
        return {}

    def record_grants(self) -> None:
        """Record the granted budget where the next director finds it; the file is enough on one machine."""

    def publish_work(self, play: str, attempt: int, head: str) -> dict[str, Any]:
        """Make collected work available to other machines; return what the row of the play says about it."""
        return {}

    def fetch_work(self, play: str, meta: Mapping[str, Any]) -> None:
        """Make work that another machine collected available here."""

    @property
    def aborted(self) -> bool:
        return os.path.lexists(os.path.join(self.show_dir, ABORT))

    def stop_reason(self) -> str | None:
        """Return why running commands should stop."""
        return "the show was aborted" if self.aborted else None

    @contextmanager
    def pauses(self, *folders: str) -> Iterator[Callable[[], None]]:
        """Yield a function that waits for a change in the folders or in that of the show, or for a moment."""
        changed = threading.Event()
        watched = [folder for folder in (self.show_dir, *folders) if self.folders.notify(folder, changed)]
        seconds = _LOOK_SECONDS if len(watched) > len(folders) else POLL_SECONDS

        def pause() -> None:
            changed.wait(seconds)
            changed.clear()

        try:
            yield pause
        finally:
            for folder in watched:
                self.folders.forget(folder, changed)

    def read_meta(self, play: str) -> Meta:
        """Read `_meta.json`, restored from the row where an agent corrupted it: what calls this must not fail."""
        try:
            return play_records.read_meta(self.show_dir, play) or {}
        except LionError:
            problem = repair(self.show_dir, self.database, play)
            self.warn(f"restored the files of {play} from the database: {problem}")
            return play_records.read_meta(self.show_dir, play) or {}

    def read_verdict(self, play: str) -> Meta | None:
        """Read the last verdict on a play, of any machine."""
        return find_object(os.path.join(self.show_dir, play, VERDICT))

    def close(self) -> None:
        self._close_watches()
        self.database.close()

    def _close_watches(self) -> None:
        self.folders.close()
        with self._watchdog_lock:
            if self._watchdog is not None:
                self._watchdog.close()
                self._watchdog = None
