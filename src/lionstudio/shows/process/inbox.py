"""The director's inbox: results of commands, decisions, edits of the plan, an abort, the end of a pause.

People only write files, so polling a few file names is enough, and nothing is missed while no director runs.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping

from lionstudio.errors import LionError
from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.show_files import CONCURRENCY, DECISION, GRANTED_BUDGET, PLAN
from lionstudio.shows.director import events
from lionstudio.shows.director.commands import Command
from lionstudio.shows.execute import attempt_command, budget
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process import codec
from lionstudio.shows.records import decisions, play_records
from lionstudio.shows.records.decisions import Decision, find_decision
from lionstudio.system.safe_read import read_text

POLL_SECONDS = 0.2
_GATHER_SECONDS = 0.03  # results that arrive together are handled together: a round costs more than this pause
Signature = tuple[int, int, int] | None
PlanVersion = tuple[str, Mapping[str, int]]  # text of the plan, grants beyond it


class Detached(BaseException):
    """The director process exits and leaves the show running; handlers of errors must not catch it."""


class Inbox:
    """Collects events for one director process and runs its commands."""

    def __init__(self, executor: Executor) -> None:
        self._executor, self._show = executor, executor.show
        self._wakeup = threading.Condition()
        self._results: dict[str, codec.Json] = {}  # of finished jobs
        self._started: set[str] = set()
        self._signatures: dict[str, Signature] = {}
        self._delivered: dict[str, str] = {}  # the last decision about each play that the director got
        self._detaching = False
        self.resting = threading.Event()  # nothing continues without a person

    def _start(self, jobs: Mapping[str, Command]) -> None:
        """Start the jobs that this process does not run yet: new ones, and those of a killed director."""
        for job, command in jobs.items():
            if job not in self._started:
                self._started.add(job)
                name = type(command).__name__
                threading.Thread(target=self._run, args=(job, command), daemon=True, name=name).start()

    def _run(self, job: str, command: Command) -> None:
        result = codec.event_to_json(self._executor.execute(command))
        with self._wakeup:
            self._results[job] = result
            self._wakeup.notify_all()

    def detach(self) -> None:
        """Make the director exit in the middle of its show."""
        with self._wakeup:
            self._detaching = True
            self._wakeup.notify_all()

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
        self._start(jobs)
        while not self._detaching:
            records = self._poll(jobs, known_plan, aborting=aborting)
            if wake_at is not None and time.time() >= wake_at:
                records.append(codec.event_to_json(self._executor.tick()))
            if records:
                self.resting.clear()
                if all("job" in record for record in records):  # decisions and aborts are delivered at once
                    time.sleep(_GATHER_SECONDS)
                    records += self._take_results(jobs)
                # usage comes with every event, because it decides what may start
                return [codec.event_to_json(self._executor.tick()), *records]
            if resting:
                self.resting.set()
            with self._wakeup:
                if not self._results.keys() & set(jobs) and not self._detaching:
                    self._wakeup.wait(POLL_SECONDS)
        raise Detached

    def _poll(self, jobs: Mapping[str, Command], known_plan: PlanVersion, *, aborting: bool) -> list[codec.Json]:
        records = self._take_results(jobs)
        if not aborting and self._show.aborted:
            records.append(codec.event_to_json(events.AbortRequested()))
        decided = self._poll_decisions()  # before the edits: a decision may grant budget
        return [*records, *self._poll_edits(known_plan), *decided]

    def _take_results(self, jobs: Mapping[str, Command]) -> list[codec.Json]:
        with self._wakeup:
            return [{**self._results.pop(job), "job": job} for job in jobs if job in self._results]

    # ── the plan ──

    def _poll_edits(self, known_plan: PlanVersion) -> list[codec.Json]:
        paths = [os.path.join(self._show.show_dir, name) for name in (PLAN, GRANTED_BUDGET, CONCURRENCY)]
        changed = [self._has_changed(path) for path in paths]
        if not any(changed):
            return []
        grants = budget.read_grants(self._show.show_dir)
        text = self._read_edited_plan(paths[0], known_plan[0])
        if (text, grants) == known_plan:
            return []
        providers = attempt_command.providers_of(self._show.plan, self._show.settings)
        return [codec.plan_edited_to_json(text, grants, providers)]

    def _read_edited_plan(self, path: str, known_text: str) -> str:
        """Return the text of the plan, or the text before when the new one has an error."""
        try:
            text = read_text(path)
            if text == known_text:
                return known_text
            plan = load_plan(self._show.topic, text)
        except LionError as error:
            decisions.log_decision(self._show.show_dir, "plan refused", reason=error.message)
            self._show.warn(f"the edited plan is ignored: {error.message}")
            return known_text
        decisions.log_decision(self._show.show_dir, "plan edited", plays=list(plan.names))
        play_records.save_show(self._show.show_dir, self._show.database, plan, text)
        self._show.use_plan(plan)
        return text

    # ── decisions ──

    def _poll_decisions(self) -> list[codec.Json]:
        records = []
        for play in self._show.plan.names:
            if self._has_changed(os.path.join(self._show.show_dir, play, DECISION)):
                records += self._about_play(play, find_decision(self._show.show_dir, play))
        if self._has_changed(os.path.join(self._show.show_dir, DECISION)):
            records += self._about_show(find_decision(self._show.show_dir, None))
        return records

    def _about_play(self, play: str, decision: Decision | None) -> list[codec.Json]:
        if decision is None or decision.attempt is None or self._delivered.get(play) == decision.id:
            return []
        if self._show.read_meta(play).get("decision") == decision.id:
            return []  # carried out before
        self._delivered[play] = decision.id
        event = events.DecisionMade(play, decision.kind, decision.attempt, decision.feedback, decision.id)
        return [codec.event_to_json(event)]

    def _about_show(self, decision: Decision | None) -> list[codec.Json]:
        if decision is None:
            return []
        if decision.budget:
            budget.grant(self._show.show_dir, decision.id, decision.budget)
            return []  # delivered as an edit
        if decision.kind is DecisionKind.APPROVE:
            return [codec.event_to_json(events.ShowAccepted())]
        return [codec.event_to_json(events.ShowRejected())] if decision.kind is DecisionKind.REJECT else []

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
