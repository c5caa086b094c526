"""What a director orders, done: checkouts, agents, gates, merges, and both halves written at every step.

Every method may be called again after a crash at any point in it: it looks at the files and at git, does what is
missing, and gives the same answer. Nothing that an agent or a repository can cause escapes as an error.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.show_folder import ABORT, PLAN, VERDICT
from lionstudio.model.ids import new_id
from lionstudio.model.shows.plan import Plan, PlannedPlay
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.director import events
from lionstudio.shows.director.events import Command, Event, Transition
from lionstudio.shows.execute import attempt_command, budget, outcomes
from lionstudio.shows.execute.gate_and_merge import FINAL_GATES, GateAndMerge
from lionstudio.shows.execute.notify import notify
from lionstudio.shows.git.checkout import CheckoutTarget, prepare
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.merge import integration_tip
from lionstudio.shows.git.preflight import check_repo
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import open_show_repo
from lionstudio.shows.process import codec
from lionstudio.shows.records import decisions, play_records
from lionstudio.shows.records.recovery import recover
from lionstudio.shows.records.repair import repair
from lionstudio.state.database import Database
from lionstudio.system.atomic_write import write_text
from lionstudio.system.json_read import find_object
from lionstudio.system.li_process import li_environment
from lionstudio.system.safe_read import read_text

Warn = Callable[[str], None]
Noted = tuple[
    str, Transition, str | None
]  # a play, what follows for it, and the word of a person that is taken up by it
P = PlayStatus


class Executor:
    """One show with everything it works on: files, rows, the repository."""

    def __init__(self, show_dir: str, settings: Settings, environ: Mapping[str, str], warn: Warn) -> None:
        self.show_dir = os.path.abspath(show_dir)
        self.topic = os.path.basename(self.show_dir)
        self.settings = settings
        self.warn = warn
        self.environ = {**environ, **li_environment(settings)}
        self.environ.pop("LIONAGI_SESSION_ID", None)  # an attempt is a run of its own
        self.gate_environ = attempt_command.gate_environment(environ)
        self._desk_environ = attempt_command.notify_environment(environ)
        self.database = Database(settings.db, long_lived=True)
        try:
            joined = recover(self.show_dir, self.database)
            self.plan, self.status = joined.plan, joined.show.status
            self.repo = self._open_repo(joined.show.metadata.get("base"))
        except BaseException:
            self.database.close()
            raise
        self._known: dict[str, PlannedPlay] = {}  # also those that have left the plan while they were at work
        self.use(self.plan)

    def _open_repo(self, known: Any) -> Repo:
        room = os.path.join(self.settings.home, "checkouts", self.topic)
        remembered = find_object(os.path.join(room, "director.git", "show.json")) or {}
        base = remembered.get("base") or known
        if base is None:
            found = check_repo(str(self.plan.repo), self.plan.base_branch, self.topic)
            if found.problems or found.base is None:
                raise InvalidInput(f"the show cannot start: {(*found.problems, 'there is no commit')[0]}")
            for warning in found.warnings:
                self.warn(warning)
            base = found.base
        repo = open_show_repo(str(self.plan.repo), self.topic, base, checkouts_dir=room)
        play_records.save_show(self.show_dir, self.database, self.plan, base=base)
        return repo

    def use(self, plan: Plan) -> None:
        """Go on by this plan."""
        self.plan = plan
        self._known.update({play.name: play for play in plan.plays})

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    @property
    def aborted(self) -> bool:
        """Whether somebody wants the show to end."""
        return os.path.lexists(os.path.join(self.show_dir, ABORT))

    def why_stop(self) -> str | None:
        """Why nothing should go on."""
        return "the show was aborted" if self.aborted else None

    # ── the show ──

    def take_up(self) -> codec.Json:
        """Everything that the director begins with."""
        found = recover(self.show_dir, self.database)
        self.use(found.plan)
        return {
            "text": read_text(os.path.join(self.show_dir, PLAN)),
            "granted": budget.extended_budget(self.show_dir),
            "plays": {name: codec.standing_to_json(standing) for name, standing in found.plays.items()},
            "providers": attempt_command.providers_of(found.plan, self.settings),
            "aborted": self.aborted,
            "tick": self.tick(),
        }

    def meta(self, play: str) -> play_records.Meta:
        """What its file says, or its row where the file was spoilt: for what must go on whatever an agent did."""
        try:
            return play_records.read_meta(self.show_dir, play) or {}
        except LionError:
            why = repair(self.show_dir, self.database, play)
            self.warn(f"the files of {play} were written again: {why}")
            return play_records.read_meta(self.show_dir, play) or {}

    def tick(self) -> codec.Json:
        """What time it is and what was spent."""
        return codec.to_json(events.ClockTicked(time.time(), budget.spent(self.database, self.topic)))

    def note(self, noted: Sequence[Noted]) -> None:
        """Both halves of some plays as the director decided, in its order.

        A crash between two of them repeats the first: it goes through the same statuses again, and a play that is
        further already stays where it is.
        """
        for number, (play, following, word_id) in enumerate(noted):
            later = [again for other, again, _ in noted[number + 1 :] if other == play]
            if not self._is_past(play, later):
                self._note(play, following, word_id)

    def _is_past(self, play: str, later: Sequence[Transition]) -> bool:
        """Whether a play stands where this list leads later on: then it was written before a crash."""
        meta = self.meta(play) if later else {}
        return any((meta.get("status"), meta.get("attempt", 1)) == (each.status, each.attempt) for each in later)

    def _note(self, play: str, following: Transition, word_id: str | None) -> None:
        before = self.meta(play)
        changes: dict[str, Any] = {"decision": word_id} if word_id is not None else {}
        if before.get("status") != following.status:
            changes |= self._entering(before, following)
        play_records.save_transition(self.show_dir, self.database, play, following, **changes)

    def _entering(self, before: play_records.Meta, following: Transition) -> dict[str, Any]:
        """What else changes when a play comes into a status; a step that is repeated finds it there already."""
        if following.status is P.RUNNING:
            return {"session_id": new_id(), "started_at": time.time(), "ended_at": None, "exit_code": None}
        if following.status is P.PREPARED and following.parked_until is not None:
            return {"part": int(before.get("part") or 0) + 1, "resume": before.get("session_id")}
        if following.status is P.REDOING:
            # the reason is kept beyond the next status: it is what the agent will be told
            return {"part": None, "resume": None, "gated_tip": None, "collected": None, "redo": following.reason}
        return {}

    def ask(self, play: str | None, reason: str) -> None:
        """Tell a person that they are needed."""
        meta = self.meta(play) if play is not None else {}
        about = f"{self.topic}/{play}" if play is not None else self.topic
        why = f"{reason} ({meta['reason']})" if meta.get("reason") else reason
        decisions.log(self.show_dir, "asked", play=play, reason=why)
        self.warn(f"a person is needed for {about}: {why}")
        told = {
            "title": f"Lion Studio: {about} needs you",
            "text": why,
            "show": self.topic,
            "play": play,
            "session_id": meta.get("session_id"),
            "attempt": meta.get("attempt"),
            "command": f"li show status {self.topic}",
        }
        notify(self.plan.notify, told, self._desk_environ, self.warn)
        point("show.asked")

    def stop(self, play: str) -> None:
        """Have the agent of a play ended."""
        folder = self._folder(play, self.meta(play))
        if os.path.isdir(folder):
            attempt_files.ask_to_stop(folder, self.why_stop() or "a person wants something else")

    def end(self, status: ShowStatus) -> str:
        """Write how the show ended."""
        gates = os.path.join(self.show_dir, FINAL_GATES)
        found = find_object(gates)
        final = (
            play_records.read_final(self.show_dir)
            if found is None
            else {**found, "show_passed": status is ShowStatus.COMPLETED}
        )
        play_records.save_final_verdict(self.show_dir, self.database, final, status)
        with suppress(FileNotFoundError):
            os.unlink(gates)
        return str(status)

    # ── the works ──

    def execute(self, given: codec.Json) -> codec.Json:
        """Carry out one order; the answer is an event, whatever happens."""
        work = codec.to_work(given)
        try:
            return codec.to_json(self._do(work))
        except LionError as error:
            problem = error.message if error.hint is None else f"{error.message} ({error.hint})"
        except Exception as error:
            self.warn(traceback.format_exc())
            problem = f"the director failed: {type(error).__name__}: {error}"
        return codec.to_json(self._failed(work, problem))

    def _do(self, work: Command) -> Event:
        match work:
            case events.PrepareCheckout(play=play):
                return self.prepare(play)
            case events.RunAttempt(play=play):
                return self.fire(play)
            case events.StopAttempt(play=play):
                return self.halt(play)
            case events.RunGates(play=play):
                return GateAndMerge(self, play).judge()
            case events.MergePlay(play=play, anyway=anyway):
                return GateAndMerge(self, play).merge(anyway=anyway)
            case events.RunFinalGates():
                return GateAndMerge(self, None).judge_show()
        raise TypeError(work)

    def _failed(self, work: Command, problem: str) -> Event:
        """The event that says what went wrong, so that the play stands truthfully and the rest goes on."""
        match work:
            case events.PrepareCheckout(play=play):
                return events.CheckoutPrepared(play, problem)
            case events.RunAttempt(play=play) | events.StopAttempt(play=play):
                return events.AttemptEnded(play, events.AttemptOutcome.STOPPED, problem)
            case events.RunGates(play=play):
                return events.GatesEvaluated(play, False, problem)
            case events.MergePlay(play=play):
                return events.MergeTried(play, events.MergeResult.FAILED, reason=problem)
        self.warn(problem)
        return events.FinalGatesEvaluated(False)

    def planned(self, play: str) -> PlannedPlay:
        """What the plan says, or said, of a play."""
        return self._known[play]

    def prepare(self, play: str) -> Event:
        """Its checkout, and after a conflict the merge that it is to finish."""
        meta = play_records.read_meta(self.show_dir, play) or {}
        place = CheckoutTarget(
            repo=self.repo, play=play, copy=self.plan.copy, setup=self.plan.setup, env=self.gate_environ
        )
        checkout = prepare(place)
        if (conflict := attempt_command.conflict_of(meta)) is not None and not meta.get("resume"):
            files = hand_back_conflict(checkout, str(conflict["head"]), integration_tip(self.repo))
            conflict = {**conflict, "files": list(files) or conflict["files"]}
        point("show.checkout_ready")
        play_records.save_play(self.show_dir, self.database, play, worktree=checkout.path, conflict=conflict)
        return events.CheckoutPrepared(play)

    def fire(self, play: str) -> Event:
        """Run the attempt, or adopt who runs it, to its end."""
        meta = play_records.read_meta(self.show_dir, play) or {}
        folder, session_id = self._folder(play, meta), str(meta["session_id"])
        play_records.inside(self.show_dir, os.path.relpath(folder, self.show_dir))
        if not os.path.exists(os.path.join(folder, attempt_files.ORDER)):
            order = attempt_files.AttemptSpec(
                attempt_command.attempt_argv(self.plan, self.planned(play), meta, self.settings),
                str(meta["worktree"]),
                session_id,
                self.settings.db,
                float(self.plan.timeout_of(play)),
                attempt_command.SILENCE,
            )
            attempt_files.write_spec(folder, order, self._prompt(play, meta), self.environ)
        point("show.ordered")
        ended = attempt_files.Watch(folder, self.environ).wait(self.why_stop)
        point("show.exited")
        session = outcomes.settle_session(self.database, session_id)
        code = session.exit_code if session is not None and session.exit_code is not None else ended.code
        play_records.save_play(
            self.show_dir, self.database, play, session_id=session_id, exit_code=code, ended_at=ended.ended_at
        )
        return outcomes.patient(outcomes.exited(play, folder, ended, session), int(meta.get("part") or 0))

    def halt(self, play: str) -> Event:
        """The end of an attempt that an aborted show left running; one that never started is not started for it."""
        folder = self._folder(play, self.meta(play))
        self.stop(play)  # first: a supervisor that comes late finds it, and ends what it starts
        if os.path.exists(os.path.join(folder, attempt_files.STARTED)) or attempt_files.is_held(folder):
            return self.fire(play)
        return events.AttemptEnded(play, events.AttemptOutcome.STOPPED, self.why_stop())

    def _prompt(self, play: str, meta: play_records.Meta) -> str:
        verdict = find_object(os.path.join(self.show_dir, play, VERDICT))
        prompt = attempt_command.attempt_prompt(self.planned(play), meta, verdict)
        write_text(play_records.inside(self.show_dir, play, "_prompt.md"), prompt)
        return prompt

    def _folder(self, play: str, meta: Mapping[str, Any]) -> str:
        return attempt_files.folder_of(self.show_dir, play, int(meta.get("attempt", 1)), int(meta.get("part") or 0))
