"""The director's inbox: results of commands, decisions, edits of the plan, an abort, the end of a pause.

People only write files, so looking at a few file names is enough, and nothing is missed while no director runs. A
change in their folders wakes the director; it also looks now and then.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.shows.followed_plan import digest_of
from lionstudio.files.shows.granted_budget import read_grants
from lionstudio.model.shows.decisions import DecisionKind, ShowQuestionKind
from lionstudio.model.shows.show_files import CONCURRENCY, DECISION, GRANTED_BUDGET, PLAN, REJECTED_PLAN
from lionstudio.shows.director import events
from lionstudio.shows.director.commands import Command
from lionstudio.shows.execute import attempt_command, budget
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process import codec
from lionstudio.shows.process.engine import Engine
from lionstudio.shows.process.rest_mark import clear_resting, mark_resting
from lionstudio.shows.records import decisions, play_records
from lionstudio.shows.records.answers import take_decision
from lionstudio.shows.records.decisions import Decision, find_decision
from lionstudio.system.atomic_write import write_text
from lionstudio.system.safe_read import read_text

POLL_SECONDS = 0.2  # where folders cannot be watched
_LOOK_SECONDS = 2.0
_GATHER_SECONDS = 0.03  # results that arrive together are handled together: a round costs more than this pause
Signature = tuple[int, int, int] | None


class PlanVersion(NamedTuple):
    """The plan that the director has."""

    text: str
    accepted: str  # the text that a person accepted
    grants: Mapping[str, int]  # beyond it


class Detached(BaseException):
    """The director process exits and leaves the show running; handlers of errors must not catch it."""


class Inbox:
    """Collects events for one director process and runs its commands."""

    def __init__(self, executor: Executor, on_rest: Callable[[], None] = lambda: None) -> None:
        self._executor, self._show, self._on_rest = executor, executor.show, on_rest
        self.engine: Engine | None = None
        self._lock = threading.Lock()
        self._wakeup = threading.Event()
        self._watched: dict[str, tuple[int, int]] = {}
        self._results: dict[str, codec.Json] = {}  # of finished jobs
        self._started: set[str] = set()
        self._signatures: dict[str, Signature] = {}
        self._read: dict[str | None, str] = {}  # the last decision about each play, and about the show
        self._delivered: dict[str, str] = {}  # the last decision about each play that the director got
        self._answered: Decision | None = None  # the last decision about changes, delivered and not recorded yet
        self._plan_error: str | None = ""  # unknown: a director before may have saved one
        self._detaching = False
        self.resting = threading.Event()  # nothing continues without a person

    def _start(self, jobs: Mapping[str, Command]) -> None:
        """Start the jobs that this process does not run yet: new ones, and those of a killed director."""
        for job, command in jobs.items():
            if job not in self._started:
                assert self.engine is not None
                self._started.add(job)
                self.engine.order(job, command, self._carry_out, self._take_answer)

    def _carry_out(self, command: Command) -> codec.Json:
        return codec.event_to_json(self._executor.execute(command))

    def _take_answer(self, job: str, result: codec.Json) -> None:
        with self._lock:
            self._results[job] = result
        self._wakeup.set()

    def wake(self) -> None:
        """Look for news now."""
        self._wakeup.set()

    def detach(self) -> None:
        """Make the director exit in the middle of its show."""
        self._detaching = True
        self._wakeup.set()

    def wait(
        self,
        jobs: Mapping[str, Command],
        known_plan: PlanVersion,
        *,
        aborting: bool,
        resting: bool,
        wake_at: float | None,
    ) -> list[codec.Json]:
        """Run the jobs and return the next events, at least one; the result of a job has its id under `job`."""
        self._record_answer()  # the engine has what was delivered
        while not self._detaching:
            self._wakeup.clear()  # before the look: what comes later sets it again
            seconds = _LOOK_SECONDS if self._watch_folders() else POLL_SECONDS
            records = self._poll(jobs, known_plan, aborting=aborting)
            self._start(jobs)  # after the decisions: one may accept what a job would ask about
            if wake_at is not None and time.time() >= wake_at:
                records.append(codec.event_to_json(self._executor.tick()))
            if records:
                self._end_rest()
                if all("job" in record for record in records):  # decisions and aborts are delivered at once
                    time.sleep(_GATHER_SECONDS)
                    records += self._take_results(jobs)
                # usage comes with every event, because it decides what may start
                return [codec.event_to_json(self._executor.tick()), *records]
            if resting and not self.resting.is_set():
                mark_resting(self._show.show_dir, self._read.values())
                self.resting.set()
                self._on_rest()
            self._wakeup.wait(seconds if wake_at is None else max(0.0, min(seconds, wake_at - time.time())))
        raise Detached

    def _watch_folders(self) -> bool:
        """Wake up when a decision, the plan or an abort is written; return whether every folder is watched."""
        show_dir = self._show.show_dir
        for folder in (show_dir, *(os.path.join(show_dir, play) for play in self._show.plan.names)):
            identity = _folder_identity(folder)
            if identity is not None and self._watched.get(folder) != identity:
                if not self._show.folders.notify(folder, self._wakeup):
                    return False
                self._watched[folder] = identity
        return True

    def _end_rest(self) -> None:
        if self.resting.is_set():
            clear_resting(self._show.show_dir)
            self.resting.clear()

    def _poll(self, jobs: Mapping[str, Command], known_plan: PlanVersion, *, aborting: bool) -> list[codec.Json]:
        records = self._take_results(jobs)
        if not aborting and self._show.aborted:
            records.append(codec.event_to_json(events.AbortRequested()))
        decided = self._poll_decisions()  # before the edits: a decision may grant budget
        return [*records, *self._poll_edits(known_plan), *decided]

    def _take_results(self, jobs: Mapping[str, Command]) -> list[codec.Json]:
        with self._lock:
            return [{**self._results.pop(job), "job": job} for job in jobs if job in self._results]

    # ── the plan ──

    def _poll_edits(self, known_plan: PlanVersion) -> list[codec.Json]:
        paths = [os.path.join(self._show.show_dir, name) for name in (PLAN, GRANTED_BUDGET, CONCURRENCY)]
        changed = [self._has_changed(path) for path in paths]
        accepted = self._show.accepted_plan
        if not any(changed) and accepted == known_plan.accepted:
            return []
        grants = read_grants(self._show.show_dir)
        text = self._read_edited_plan(paths[0], known_plan)
        if (text, accepted, grants) == known_plan:
            return []
        providers = attempt_command.providers_of(self._show.runnable_plan, self._show.settings)
        return [codec.plan_edited_to_json(text, accepted, grants, providers)]

    def _read_edited_plan(self, path: str, known_plan: PlanVersion) -> str:
        """Return the text of the plan, or the text before when the new one has an error."""
        try:
            text = read_text(path)
            if (text, self._show.accepted_plan) == known_plan[:2]:
                self._save_plan_error(None)
                return text
            plan, held = self._show.follow(text)
            self._show.pin_reviewers(plan)
        except LionError as error:
            message = f"{error.message} ({error.hint})" if error.hint else error.message
            decisions.log_decision(self._show.show_dir, "plan refused", reason=message)
            self._show.warn(f"the edited plan is ignored: {message}")
            self._save_plan_error(message)
            return known_plan.text
        facts = {"held": list(held)} if held else {}
        decisions.log_decision(self._show.show_dir, "plan edited", plays=list(plan.names), **facts)
        play_records.save_show(self._show.show_dir, self._show.database, plan, text, plan_error=None)
        self._show.use_plan(plan)
        self._plan_error = None
        return text

    def _save_plan_error(self, message: str | None) -> None:
        """Save why an edit was refused in the row of the show, where commands and pages see it."""
        if message != self._plan_error:
            self._plan_error = message
            play_records.save_show(self._show.show_dir, self._show.database, self._show.plan, plan_error=message)

    # ── decisions ──

    def _poll_decisions(self) -> list[codec.Json]:
        records = []
        for play in self._show.plan.names:
            if self._has_changed(os.path.join(self._show.show_dir, play, DECISION)):
                records += self._about_play(play, self._read_decision(play))
        if self._has_changed(os.path.join(self._show.show_dir, DECISION)):
            records += self._about_show(self._read_decision(None))
        return records

    def _read_decision(self, play: str | None) -> Decision | None:
        decision = find_decision(self._show.show_dir, play)
        if decision is not None:
            self._read[play] = decision.id
            self._end_rest()  # marked again with this decision, also when it changes nothing
        return decision

    def _about_play(self, play: str, decision: Decision | None) -> list[codec.Json]:
        if decision is None or decision.attempt is None or self._delivered.get(play) == decision.id:
            return []
        if self._show.read_meta(play).get("decision") == decision.id:
            return []  # carried out before
        self._delivered[play] = decision.id
        event = events.DecisionMade(
            play, decision.kind, decision.attempt, decision.feedback, decision.id, bool(decision.force)
        )
        return [codec.event_to_json(event)]

    def _about_show(self, decision: Decision | None) -> list[codec.Json]:
        if decision is None:
            return []
        if decision.budget:
            budget.grant(self._show.show_dir, decision.id, decision.budget)
            self._show.record_grants()
            self._take(decision)
            return []  # delivered as an edit
        if (decision.plan, decision.commits, decision.dropped) != (None, None, None):
            if self._show.answered == decision.id:
                return []  # carried out before: the same edit, made again, needs another decision
            records, self._answered = self._about_held(decision), decision
            if not records:
                self._record_answer()
            return records
        self._take(decision)
        if decision.kind is DecisionKind.APPROVE:
            return [codec.event_to_json(events.ShowAccepted())]
        return [codec.event_to_json(events.ShowRejected())] if decision.kind is DecisionKind.REJECT else []

    def _about_held(self, decision: Decision) -> list[codec.Json]:
        """Carry out a decision about an edit of the plan, or about commits of others; both are safe to repeat."""
        show, approved = self._show, decision.kind is DecisionKind.APPROVE
        path = os.path.join(show.show_dir, PLAN)
        text = read_text(path)
        if decision.plan == digest_of(text) and text != show.accepted_plan:
            if approved:
                show.accept_plan(text)  # delivered as an edit
            else:
                write_text(os.path.join(show.show_dir, REJECTED_PLAN), text)
                write_text(path, show.accepted_plan)
            self._log_answer(ShowQuestionKind.PLAN, decision)
        elif decision.plan is not None and text != show.accepted_plan:
            show.warn("the plan was edited again after the decision about it; the last edit needs a decision too")
        if decision.commits is None and decision.dropped is None:
            return []
        if approved:
            show.record_merge(*(decision.commits or ()))
            show.forget_merges(decision.dropped or ())
        play_records.update_show(show.show_dir, show.database, foreign_commits=None, dropped_merges=None)
        self._log_answer(ShowQuestionKind.COMMITS, decision)
        return [codec.event_to_json(events.CommitsDecided())]

    def _record_answer(self) -> None:
        if self._answered is not None:
            self._show.record_answer(self._answered.id)
            self._take(self._answered)
            self._answered = None

    def _take(self, decision: Decision) -> None:
        """Record in the row of the question about the show that its answer is carried out."""
        show = self._show
        show.database.write(lambda conn: take_decision(conn, show.show_dir, None, decision.id))

    def _log_answer(self, kind: ShowQuestionKind, decision: Decision) -> None:
        """Log that a question is answered: a director that was started meanwhile may have asked it again."""
        decisions.log_decision(self._show.show_dir, "answered", kind=kind, id=decision.id, by=decision.by)

    def _has_changed(self, path: str) -> bool:
        """Return whether a file changed since the last poll; at the first poll, whether it exists."""
        try:
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            signature: Signature = None
        else:
            signature = (status.st_mtime_ns, status.st_ino, status.st_size)
        if self._signatures.get(path) == signature:
            return False
        self._signatures[path] = signature
        return signature is not None


def _folder_identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None  # the folder of a play that has not started
    return status.st_dev, status.st_ino
