"""The executor of the director's commands: checkouts, agents, gates, merges; it writes file and row at every step.

Every method may be called again after a crash at any point in it: it looks at the files and at git, does what is
missing, and returns the same answer. No error that an agent or a repository can cause escapes.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

from lionstudio.crash import point
from lionstudio.errors import LionError
from lionstudio.files.shows.branch_diff import changed_files, merge_base
from lionstudio.files.shows.granted_budget import extend_budget, read_grants
from lionstudio.files.shows.held_back import find_held_back
from lionstudio.model.ids import new_id
from lionstudio.model.questions import QuestionStatus
from lionstudio.model.shows.decisions import ShowQuestion, ShowQuestionKind
from lionstudio.model.shows.play_codec import Meta
from lionstudio.model.shows.show import Play
from lionstudio.model.shows.show_files import PLAN, PROMPT
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.runs.notifications.send import notify_later
from lionstudio.runs.settle import SETTLE_SECONDS, settle_run
from lionstudio.show_sync import questions
from lionstudio.show_sync.questions import HELD, play_question, show_question
from lionstudio.shows.attempt import attempt_files
from lionstudio.shows.director import commands, events
from lionstudio.shows.director.commands import AskPerson, Command, SaveTransition
from lionstudio.shows.director.events import Event
from lionstudio.shows.director.state import PlayState, Transition
from lionstudio.shows.execute import attempt_command, budget, outcomes
from lionstudio.shows.execute.gate_and_merge import GateAndMerge
from lionstudio.shows.execute.notify import notify
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.git.checkout import CheckoutTarget, prepare
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.merge import integration_tip
from lionstudio.shows.git.remote.errors import StaleFence
from lionstudio.shows.records import decisions, play_records
from lionstudio.shows.records.recovery import recover
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import close_question, list_unsettled
from lionstudio.state.shows import get_show, list_plays
from lionstudio.state.workers.orders import OrderLost
from lionstudio.system.atomic_write import write_text
from lionstudio.system.safe_read import read_text
from lionstudio.system.sandbox.bwrap import tried_environment

P = PlayStatus
_MOST_FILES = 500  # in the evidence of a question


def _reason_of(question: AskPerson) -> str:
    """Return the reason of the row of a question about the show."""
    if question.part is not None:
        return str(question.part)
    return HELD if question.kind in (ShowQuestionKind.PLAN, ShowQuestionKind.COMMITS) else str(question.kind)


class LoadedState(NamedTuple):
    """State of a show that a director starts from."""

    text: str
    accepted: str  # the text of the plan that a person accepted
    grants: dict[str, int]
    plays: dict[str, PlayState]
    providers: dict[str, str]
    aborted: bool


class Executor:
    """Carries out the commands of one show."""

    def __init__(self, show: OpenShow) -> None:
        self.show = show

    # ── the show ──

    def load_state(self) -> LoadedState:
        show = self.show
        text = read_text(os.path.join(show.show_dir, PLAN))
        accepted = show.accepted_plan
        followed = show.follow(text)
        show.use_plan(followed.plan)
        recovered = recover(show.show_dir, show.database, followed.plan)
        return LoadedState(
            text=text,
            accepted=accepted,
            grants=read_grants(show.show_dir),
            plays=recovered.plays,
            providers=attempt_command.providers_of(show.runnable_plan, show.settings),
            aborted=show.aborted,
        )

    def tick(self) -> events.ClockTicked:
        return events.ClockTicked(time.time(), budget.usage_so_far(self.show.database, self.show.topic))

    def save_transitions(self, saves: Sequence[SaveTransition]) -> None:
        """Write file and row of each transition in order.

        After a crash between two of them the whole list is repeated: a play goes through the same statuses again, and
        one that already has a later status of the list keeps it.
        """
        for number, save in enumerate(saves):
            later = [other.transition for other in saves[number + 1 :] if other.play == save.play]
            if not self._has_reached(save.play, later):
                self._save_transition(save.play, save.transition)

    def _has_reached(self, play: str, transitions: Sequence[Transition]) -> bool:
        meta = self.show.read_meta(play) if transitions else {}
        current = (meta.get("status"), meta.get("attempt", 1))
        return any(current == (transition.status, transition.attempt) for transition in transitions)

    def _save_transition(self, play: str, transition: Transition) -> None:
        before = self.show.read_meta(play)
        changes: dict[str, Any] = {}
        if transition.decision_id is not None:
            changes["decision"] = transition.decision_id
        if before.get("status") != transition.status:
            changes |= self._changes_on_entry(before, transition)
        play_records.save_transition(self.show.show_dir, self.show.database, play, transition, **changes)

    def _changes_on_entry(self, before: Meta, transition: Transition) -> dict[str, Any]:
        """Return what else changes with a new status; a repeated step does not come here again."""
        if transition.status is P.RUNNING:
            gone = dict.fromkeys(("ended_at", "exit_code", "confinement"))
            return {**gone, "session_id": new_id(), "started_at": time.time()}
        if transition.status is P.PREPARED and transition.parked_until is not None:
            return {"part": int(before.get("part") or 0) + 1, "resume": before.get("session_id")}
        if transition.status is P.REDOING:
            # `redo` outlives the next status: the prompt of the next attempt quotes it
            gone = dict.fromkeys(
                ("part", "resume", "gated_tip", "gated_tree", "collected", "left_out", "steering_files")
            )
            return {**gone, "redo": transition.reason, "retries": before.get("session_id")}
        return {}

    def ask_person(self, question: AskPerson) -> None:
        """Log a question and notify a person."""
        show, play = self.show, question.play
        meta = show.read_meta(play) if play is not None else {}
        subject = f"{show.topic}/{play}" if play is not None else show.topic
        reason = f"{question.reason} ({meta['reason']})" if meta.get("reason") else question.reason
        entry = {"play": play, "reason": reason, "kind": question.kind, "part": question.part}
        decisions.log_decision(show.show_dir, "asked", **entry)
        point("show.asked_in_file")
        self._ask([question])
        show.warn(f"{subject} needs a decision: {reason}")
        notification = {
            "title": f"Lion Studio: {subject} needs you",
            "text": reason,
            "show": show.topic,
            "play": play,
            "session_id": meta.get("session_id"),
            "attempt": meta.get("attempt"),
            "command": f"li show status {show.topic}",
        }
        notify(show.plan.notify, notification, show.notify_environ, show.warn)
        point("show.asked")

    def keep_questions(self, asked: Sequence[AskPerson]) -> None:
        """Withdraw the questions about the whole show that the show stopped asking, and ask those that have no row."""
        topic, kept = self.show.topic, {_reason_of(question) for question in asked}

        def work(conn: Connection) -> None:
            for question in list_unsettled(conn, topic):
                if question.play_name is None and question.is_open and question.reason not in kept:
                    close_question(conn, question.id, QuestionStatus.WITHDRAWN, "the show stopped asking")

        self.show.database.write(work)
        self._ask(asked)

    def _ask(self, asked: Sequence[AskPerson]) -> None:
        """Store the rows of questions that have none; the text of the plan decides what they are about."""
        show = self.show
        text = show.accepted_plan
        with suppress(LionError):  # an agent may have removed the file
            text = read_text(os.path.join(show.show_dir, PLAN))
        row = show.database.read(lambda conn: get_show(conn, show.topic))
        plays = {play.name: play for play in show.database.read(lambda conn: list_plays(conn, row.id))}
        for question in asked:
            if question.play is None:
                held = find_held_back(show.topic, show.show_dir, text, row.metadata)
                about = ShowQuestion(question.reason, time.time(), question.kind, question.part)
                wanted = show_question(row, about, held, self._budget_facts(question))
            elif (play := plays.get(question.play)) is not None:
                wanted = play_question(row, show.plan, play, self._diff_facts(play))
            else:
                wanted = None
            if wanted is not None and show.database.write(partial(questions.ask, question=wanted)) is not None:
                notify_later(show.database, show.settings, wanted.id, show.warn)

    def _budget_facts(self, question: AskPerson) -> dict[str, Any]:
        limits = asdict(extend_budget(self.show.plan.budget, read_grants(self.show.show_dir)))
        if question.part is None:
            return {}
        return {"used": asdict(budget.usage_so_far(self.show.database, self.show.topic)), "limit": limits}

    def _diff_facts(self, play: Play) -> dict[str, Any]:
        """Return the files that the play changed, and its commit."""
        head, repo = play.collected_head, self.show.repo
        with suppress(LionError):
            base = merge_base(repo.path, integration_tip(repo), head) if head is not None else None
            if base is not None and head is not None:
                files = changed_files(repo.path, base, head)[:_MOST_FILES]
                return {"head": head, "base": base, "files": [file._asdict() for file in files]}
        return {"head": head}

    def request_stop(self, play: str) -> None:
        """Make the supervisor of a play's attempt end its agent."""
        folder = self._attempt_folder(play, self.show.read_meta(play))
        if os.path.isdir(folder):
            attempt_files.request_stop(folder, self.show.stop_reason() or "a person made a decision about the play")

    def end_show(self, status: ShowStatus) -> str:
        """Write the final verdict and status of the show."""
        show_dir, database = self.show.show_dir, self.show.database
        gates = play_records.find_final_gates(show_dir, database)
        if gates is None:
            final = play_records.read_final_verdict(show_dir)
        else:
            final = {**gates, "show_passed": status is ShowStatus.COMPLETED}
        play_records.save_final_verdict(show_dir, database, final, status)
        play_records.forget_final_gates(show_dir, database)
        return str(status)

    # ── commands that take time ──

    def execute(self, command: Command) -> Event:
        """Carry out a command; the answer is always an event, also on failure."""
        answer: list[Event] = []
        problem = self.try_to(lambda: answer.append(self._execute(command)))
        return answer[0] if problem is None else self.failed(command, problem)

    def try_to(self, work: Callable[[], object]) -> str | None:
        """Do something; return the problem, where there is one."""
        try:
            self.show.patiently(work)
            return None
        except OrderLost:
            raise  # another worker carries it out
        except LionError as error:
            if isinstance(error, StaleFence):
                # the hub decides who has the order: where it is ours, another program raised the fence on the remote
                self.show.database.write(lambda conn: None)
            return error.message if error.hint is None else f"{error.message} ({error.hint})"
        except Exception as error:
            self.show.warn(traceback.format_exc())
            return f"the director failed: {type(error).__name__}: {error}"

    def _execute(self, command: Command) -> Event:
        match command:
            case commands.PrepareCheckout(play=play):
                return self._prepare_checkout(play)
            case commands.RunAttempt(play=play):
                return self._run_attempt(play)
            case commands.StopAttempt(play=play):
                return self._end_attempt(play)
            case commands.RunGates(play=play):
                return GateAndMerge(self.show, play).run_gates()
            case commands.MergePlay(play=play, anyway=anyway, force=force):
                return GateAndMerge(self.show, play).merge(anyway=anyway, force=force)
            case commands.RunFinalGates():
                return GateAndMerge(self.show, None).run_final_gates()
        raise TypeError(command)

    def failed(self, command: Command, problem: str) -> Event:
        """Return the event for a failed command; one without a play is reported."""
        if getattr(command, "play", None) is None:
            self.show.warn(problem)
        return failure_of(command, problem)

    def _prepare_checkout(self, play: str) -> Event:
        """Create the checkout, and after a conflict start the merge that the agent is to finish."""
        show = self.show
        meta = show.read_meta(play)
        target = CheckoutTarget(
            repo=show.repo,
            play=play,
            copy=show.plan.copy,
            setup=show.plan.setup,
            env=show.gate_environ,
            confine=lambda path: show.confine(play, path).sandbox,
            find_tip=lambda _repo: show.current_tip(),
            **show.checkout_of_others(play, meta),
        )
        checkout = prepare(target)
        if (conflict := attempt_command.conflict_of(meta)) is not None and not meta.get("resume"):
            files = hand_back_conflict(checkout, str(conflict["head"]), show.current_tip())
            conflict = {**conflict, "files": list(files) or conflict["files"]}
        point("show.checkout_ready")
        play_records.save_play(
            show.show_dir, show.database, play, worktree=checkout.path, conflict=conflict, **show.base_of(checkout)
        )
        return events.CheckoutPrepared(play)

    def _run_attempt(self, play: str) -> Event:
        """Run the attempt to its end, or adopt the supervisor that runs it."""
        show = self.show
        meta = show.read_meta(play)
        folder = self._attempt_folder(play, meta)
        meta = show.own_meta(play, folder, meta)
        session_id = str(meta["session_id"])
        play_records.path_inside(show.show_dir, os.path.relpath(folder, show.show_dir))
        variables = attempt_command.variables_of(show.runnable_plan, show.planned(play), show.settings)
        environ = attempt_command.attempt_environment(show.agent_environ, variables) | tried_environment()
        if not os.path.exists(os.path.join(folder, attempt_files.SPEC)):
            spec = attempt_files.AttemptSpec(
                attempt_command.attempt_argv(
                    show.runnable_plan, show.planned(play), meta, show.settings, show.repo.object_stores
                ),
                str(meta["worktree"]),
                session_id,
                show.settings.db,
                float(show.plan.timeout_of(play)),
                attempt_command.SILENCE_SECONDS,
                lease=show.lease,
            )
            attempt_files.write_spec(folder, spec, self._write_prompt(play, meta), environ)
        point("show.ordered")
        with show.pauses(folder) as pause:
            ended = show.watch_attempt(folder, environ).wait(show.stop_reason, pause)
        show.check_held(ended)
        point("show.exited")
        session = settle_run(show.database, session_id, wait=SETTLE_SECONDS)
        code = session.exit_code if session is not None and session.exit_code is not None else ended.code
        play_records.save_play(
            show.show_dir,
            show.database,
            play,
            session_id=session_id,
            exit_code=code,
            ended_at=ended.ended_at,
            confinement=session.metadata.get("confinement") if session is not None else None,
        )
        return outcomes.back_off(outcomes.attempt_ended(play, folder, ended, session), int(meta.get("part") or 0))

    def _end_attempt(self, play: str) -> Event:
        """End an attempt that an aborted show left running; one that never started is not started for it."""
        folder = self._attempt_folder(play, self.show.read_meta(play))
        self.request_stop(play)  # first: a supervisor that starts late sees it and ends its agent
        if os.path.exists(os.path.join(folder, attempt_files.STARTED)) or attempt_files.is_held(folder):
            return self._run_attempt(play)
        return events.AttemptEnded(play, events.AttemptOutcome.STOPPED, self.show.stop_reason())

    def _write_prompt(self, play: str, meta: Meta) -> str:
        show_dir = self.show.show_dir
        verdict = self.show.read_verdict(play)
        prompt = attempt_command.attempt_prompt(self.show.planned(play), meta, verdict)
        write_text(play_records.path_inside(show_dir, play, PROMPT), prompt)
        return prompt

    def _attempt_folder(self, play: str, meta: Mapping[str, Any]) -> str:
        return self.show.attempt_folder(play, int(meta.get("attempt", 1)), int(meta.get("part") or 0))


def failure_of(command: Command, problem: str) -> Event:
    """Return the event for a failed command, so that only its play is affected."""
    match command:
        case commands.PrepareCheckout(play=play):
            return events.CheckoutPrepared(play, problem)
        case commands.RunAttempt(play=play) | commands.StopAttempt(play=play):
            return events.AttemptEnded(play, events.AttemptOutcome.STOPPED, problem)
        case commands.RunGates(play=play):
            return events.GatesEvaluated(play, False, problem)
        case commands.MergePlay(play=play):
            return events.MergeTried(play, events.MergeResult.FAILED, reason=problem)
    return events.FinalGatesEvaluated(False)
