"""What a director waits for: works that end, words of people, edits of the plan, an abort, the end of a pause.

People write files and nothing else, so a look at a few names is all it takes; whoever was not there misses nothing.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping

from lionstudio.errors import LionError
from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.files.shows.show_folder import PLAN
from lionstudio.shows.director import events
from lionstudio.shows.director.events import DecisionKind
from lionstudio.shows.execute import attempt_command, budget
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process import codec
from lionstudio.shows.records import decisions, play_records
from lionstudio.shows.records.decisions import DECISION, Decision, find_decision
from lionstudio.system.safe_read import read_text

LOOK_SECONDS = 0.2
_GATHER_SECONDS = 0.03  # works that end together are told together: a round of the director costs more than this pause
Signature = tuple[int, int, int] | None
Known = tuple[str, Mapping[str, int]]  # the plan that the director has, and what was granted beyond it


class Detached(BaseException):
    """The director leaves; no error, and nothing to be handled on the way."""


class Inbox:
    """The eyes of one director process."""

    def __init__(self, stage: Executor) -> None:
        self._stage = stage
        self._news = threading.Condition()
        self._answers: dict[str, codec.Json] = {}  # works that have ended
        self._begun: set[str] = set()
        self._seen: dict[str, Signature] = {}
        self._handed: dict[str, str] = {}  # the last word about each play that the director was told
        self._leaving = False
        self.resting = threading.Event()  # nothing goes on without a person

    def _begin(self, works: Mapping[str, codec.Json]) -> None:
        """Works that this process does not do yet: new ones, and those that a killed director had begun."""
        for work_id, given in works.items():
            if work_id not in self._begun:
                self._begun.add(work_id)
                threading.Thread(target=self._work, args=(work_id, given), daemon=True, name=given["cue"]).start()

    def _work(self, work_id: str, given: codec.Json) -> None:
        answer = self._stage.execute(given)
        with self._news:
            self._answers[work_id] = answer
            self._news.notify_all()

    def leave(self) -> None:
        """Have the director leave in the middle of its show."""
        with self._news:
            self._leaving = True
            self._news.notify_all()

    def wait(
        self, works: Mapping[str, codec.Json], known: Known, *, aborting: bool, resting: bool, wake_at: float | None
    ) -> list[codec.Json]:
        """Do these works; the next events, at least one. A work that ended is named by its id."""
        self._begin(works)
        while not self._leaving:
            found = self._look(works, known, aborting=aborting)
            if wake_at is not None and time.time() >= wake_at:
                found.append(self._stage.tick())
            if found:
                self.resting.clear()
                if all("work" in event for event in found):  # a word or an abort is told as it was found
                    time.sleep(_GATHER_SECONDS)
                    found += self._works(works)
                # what was spent is told with whatever happened, because it decides what may start
                return [self._stage.tick(), *found]
            if resting:
                self.resting.set()
            with self._news:
                if not self._answers.keys() & set(works) and not self._leaving:
                    self._news.wait(LOOK_SECONDS)
        raise Detached

    def _look(self, works: Mapping[str, codec.Json], known: Known, *, aborting: bool) -> list[codec.Json]:
        news = self._works(works)
        if not aborting and self._stage.aborted:
            news.append(codec.to_json(events.AbortRequested()))
        words = self._words()  # before the edits: a word may grant something
        return [*news, *self._edits(known), *words]

    def _works(self, works: Mapping[str, codec.Json]) -> list[codec.Json]:
        with self._news:
            found = {work: self._answers.pop(work) for work in works if work in self._answers}
        return [{**answer, "work": work} for work, answer in found.items()]

    # ── the plan ──

    def _edits(self, known: Known) -> list[codec.Json]:
        paths = [os.path.join(self._stage.show_dir, name) for name in (PLAN, budget.GRANTED, budget.CONCURRENCY)]
        news = [self._is_new(path) for path in paths]
        if not any(news):
            return []
        granted = budget.extended_budget(self._stage.show_dir)
        text = self._edited_text(paths[0], known[0])
        if (text, granted) == known:
            return []
        return [codec.edited(text, granted, attempt_command.providers_of(self._stage.plan, self._stage.settings))]

    def _edited_text(self, path: str, known: str) -> str:
        """The plan as it is now; the one before where the new one has a mistake."""
        try:
            text = read_text(path)
            if text == known:
                return known
            plan = load_plan(self._stage.topic, text)
        except LionError as error:
            decisions.log(self._stage.show_dir, "plan refused", reason=error.message)
            self._stage.warn(f"the edited plan is not taken up: {error.message}")
            return known
        decisions.log(self._stage.show_dir, "plan edited", plays=list(plan.names))
        play_records.save_show(self._stage.show_dir, self._stage.database, plan, text)
        self._stage.use(plan)
        return text

    # ── people ──

    def _words(self) -> list[codec.Json]:
        news = []
        for play in self._stage.plan.names:
            if self._is_new(os.path.join(self._stage.show_dir, play, DECISION)):
                news += self._said(play, find_decision(self._stage.show_dir, play))
        if self._is_new(os.path.join(self._stage.show_dir, DECISION)):
            news += self._about_the_show(find_decision(self._stage.show_dir, None))
        return news

    def _said(self, play: str, decision: Decision | None) -> list[codec.Json]:
        if decision is None or decision.attempt is None or self._handed.get(play) == decision.id:
            return []
        if self._stage.meta(play).get("decision") == decision.id:
            return []  # taken up before
        self._handed[play] = decision.id
        return [
            codec.to_json(events.DecisionMade(play, decision.word, decision.attempt, decision.feedback, decision.id))
        ]

    def _about_the_show(self, decision: Decision | None) -> list[codec.Json]:
        if decision is None:
            return []
        if decision.budget:
            budget.grant(self._stage.show_dir, decision.id, decision.budget)
            return []  # found as an edit
        if decision.word is DecisionKind.APPROVE:
            return [codec.to_json(events.ShowAccepted())]
        return [codec.to_json(events.ShowRejected())] if decision.word is DecisionKind.REJECT else []

    def _is_new(self, path: str) -> bool:
        """Whether a file is another one than at the last look; the first look counts."""
        try:
            found = os.stat(path, follow_symlinks=False)
        except OSError:
            signature: Signature = None
        else:
            signature = (found.st_mtime_ns, found.st_ino, found.st_size)
        if self._seen.get(path, None) == signature:
            return False
        self._seen[path] = signature
        return signature is not None
