"""The director: events in, commands out. It does nothing itself.

It holds the state of every play and the commands in progress, and after each event issues the commands that are
missing. So it needs no memory of its own: a director that was killed is rebuilt from the files or the rows, handles
`ShowStarted`, and issues the rest. The rules are in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lionstudio.model.shows.decisions import ShowQuestionKind
from lionstudio.model.shows.plan import GateKind, Plan, awaits_approval
from lionstudio.model.status.statuses import (
    PLAY_TRANSITIONS,
    PLAYS,
    PLAYS_IN_PROGRESS,
    PLAYS_TO_RESUME,
    PlayStatus,
    ShowStatus,
    check_transition,
)
from lionstudio.shows.director import commands, events, rules
from lionstudio.shows.director.commands import AskPerson, Command
from lionstudio.shows.director.events import Event, Spent
from lionstudio.shows.director.state import PlayState, Transition

P = PlayStatus


class Director:
    """State machine of one show."""

    def __init__(
        self,
        plan: Plan,
        plays: Mapping[str, PlayState],
        *,
        providers: Mapping[str, str] | None = None,
        aborted: bool = False,
        held: tuple[str, ...] = (),
    ) -> None:
        self.plan = plan
        self._held = held  # changes of the plan that wait for a person
        self._foreign: str | None = None  # commits on the integration branch that wait for a person
        self._edit: events.PlanEdited | None = None  # waits for plays in progress that it removes
        self.plays = {name: plays.get(name, PlayState()) for name in plan.names}
        self.providers = dict(providers or {})
        self.outcome: ShowStatus | None = None
        self._in_progress: dict[str, type[Command]] = {}
        self._ready: set[str] = set()  # plays with a checkout, as far as this director knows
        self._decisions: dict[str, events.DecisionMade] = {}  # made while a command of the play was in progress
        self._asked: set[tuple[AskPerson, int]] = set()  # with the attempt
        self._aborting, self._resting = aborted, False
        self._accepted = self._final_approved = False  # a person accepts the merged work; after the final gates ran
        self._final_passed: bool | None = None  # None until the final gates ran
        self._final_gates_running = False
        self._now, self._spent = 0.0, Spent()

    @property
    def statuses(self) -> dict[str, PlayStatus]:
        return {name: state.status for name, state in self.plays.items()}

    @property
    def in_progress(self) -> dict[str, type[Command]]:
        """Return the command in progress for each play that has one."""
        return dict(self._in_progress)

    def handle(self, event: Event) -> list[Command]:
        """Apply an event and return the commands that follow from it."""
        if self.outcome is not None:
            return []
        issued = self._apply(event)
        self._apply_edit()
        if self._aborting:
            return [*issued, *self._abort()]
        while more := [*self._apply_decisions(), *self._block()]:
            issued += more
        issued += self._continue()
        issued += self._start()
        issued += self._ask()
        return issued + self._finish(changed=bool(issued) or not isinstance(event, events.ClockTicked))

    def _apply(self, event: Event) -> list[Command]:
        match event:
            case events.ShowStarted():
                return []
            case events.CheckoutPrepared():
                return self._on_checkout_prepared(event)
            case events.AttemptEnded():
                return self._on_attempt_ended(event)
            case events.GatesEvaluated():
                return self._on_gates_evaluated(event)
            case events.MergeTried():
                return self._on_merge_tried(event)
            case events.DecisionMade():
                return self._on_decision_made(event)
            case events.PlanEdited():
                self._edit, self._held = event, event.held
                return []
            case events.ClockTicked():
                self._now, self._spent = event.now, event.spent
                return []
            case events.AbortRequested():
                self._aborting = True
                return []
            case events.ShowAccepted():
                # before the final gates ran, it does not approve what they pass
                self._accepted, self._final_approved = True, self._final_passed is True
                return []
            case events.ShowRejected():
                return self._end(ShowStatus.ABORTED) if self._final_passed else []
            case events.FinalGatesEvaluated():
                self._final_gates_running, self._foreign = False, event.foreign
                self._final_passed = event.passed if event.foreign is None else None
                return []
            case events.CommitsDecided():
                self._foreign = None
                return []
        assert_never(event)

    # ── results of commands ──

    def _on_checkout_prepared(self, event: events.CheckoutPrepared) -> list[Command]:
        if not self._take_result(event.play, commands.PrepareCheckout):
            return []
        state = self.plays[event.play]
        if event.problem is not None:
            escalation = Transition(status=P.ESCALATED, attempt=state.attempt, reason=event.problem)
            return self._transition(event.play, escalation)
        self._ready.add(event.play)
        return [] if state.status is P.PREPARED else self._move(event.play, P.PREPARED)

    def _on_attempt_ended(self, event: events.AttemptEnded) -> list[Command]:
        if not self._take_result(event.play, commands.RunAttempt, commands.StopAttempt):
            return []
        decision = self._decisions.pop(event.play, None)
        if decision is not None and not self._aborting:
            return self._transition(event.play, self._after_decision(decision))
        transition = rules.after_attempt(
            event.outcome,
            self.plays[event.play].attempt,
            self._allowed(event.play),
            reason=event.reason,
            now=self._now,
            resets_at=event.resets_at,
            aborting=self._aborting,
        )
        return self._transition(event.play, transition)

    def _on_gates_evaluated(self, event: events.GatesEvaluated) -> list[Command]:
        if not self._take_result(event.play, commands.RunGates):
            return []
        state = self.plays[event.play]
        transitions = rules.after_gates(
            event.passed,
            state.status,
            state.attempt,
            self._allowed(event.play),
            reason=event.reason,
            needs_person=event.needs_person,
        )
        return [command for transition in transitions for command in self._transition(event.play, transition)]

    def _on_merge_tried(self, event: events.MergeTried) -> list[Command]:
        if not self._take_result(event.play, commands.MergePlay):
            return []
        attempt = self.plays[event.play].attempt
        if event.result is events.MergeResult.FOREIGN:
            self._foreign = event.reason
            return []  # the play stays gated
        transition = rules.after_merge(
            event.result, attempt, self._allowed(event.play), files=event.files, reason=event.reason
        )
        if transition is not None:
            return self._transition(event.play, transition)
        return self._issue(event.play, commands.RunGates(event.play, attempt))

    def _on_decision_made(self, event: events.DecisionMade) -> list[Command]:
        if not self._applies(event):
            return []
        self._decisions[event.play] = event
        running = self._in_progress.get(event.play) is commands.RunAttempt
        return [commands.StopAttempt(event.play)] if running else []

    # ── edits of the plan ──

    def _apply_edit(self) -> None:
        """Switch to an edited plan; one that removes a play in progress waits for it."""
        if self._edit is None or any(self._is_removed(name) for name in self._in_progress):
            return
        self.plan, self.providers, self._edit = self._edit.plan, dict(self._edit.providers), None
        self.plays = {name: self.plays.get(name, PlayState()) for name in self.plan.names}
        self._decisions = {name: decision for name, decision in self._decisions.items() if name in self.plays}

    def _is_removed(self, name: str) -> bool:
        return self._edit is not None and name not in self._edit.plan

    # ── next commands ──

    def _apply_decisions(self) -> list[Command]:
        issued: list[Command] = []
        for name in [name for name in self._decisions if name not in self._in_progress]:
            decision = self._decisions.pop(name)
            if self._applies(decision):
                issued += self._transition(name, self._after_decision(decision))
        return issued

    def _applies(self, decision: events.DecisionMade) -> bool:
        state = self.plays.get(decision.play)
        if state is None or state.attempt != decision.attempt:
            return False
        return state.status in rules.DECIDABLE[decision.kind]

    def _after_decision(self, decision: events.DecisionMade) -> Transition:
        state = self.plays[decision.play]
        transition = rules.after_decision(
            decision.kind,
            state.status,
            state.attempt,
            self._allowed(decision.play),
            feedback=decision.feedback,
            play=decision.play,
        )
        return replace(transition, decision_id=decision.decision_id, force=decision.force)

    def _block(self) -> list[Command]:
        issued: list[Command] = []
        for name, blockers in rules.blocked_plays(self.plan, self.statuses).items():
            state = self.plays[name]
            if name in self._in_progress or (state.status is P.BLOCKED and blockers == state.blocked_by):
                continue
            if blockers:
                reason = f"blocked by {', '.join(blockers)}"
                transition = Transition(status=P.BLOCKED, attempt=state.attempt, reason=reason, blocked_by=blockers)
            else:
                transition = Transition(status=P.PENDING, attempt=state.attempt)
            issued += self._transition(name, transition)
        return issued

    def _continue(self) -> list[Command]:
        """Issue the next command of each play that has started; they keep their slots before new plays get one."""
        issued: list[Command] = []
        for status in PLAYS_TO_RESUME:
            for name in self.plan.names:
                if self.plays[name].status is status and self._is_idle(name):
                    issued += self._continue_play(name, self.plays[name])
        for name in self.plan.names:
            state = self.plays[name]
            if state.status is P.GATE_FAILED and self._is_idle(name):  # killed between two transitions
                retry = rules.retry_or_escalate(state.attempt, self._allowed(name), "a gate failed")
                issued += self._transition(name, retry)
        return issued

    def _is_idle(self, name: str) -> bool:
        """Return whether the play may get a command; one that an edit removes gets none, or the edit waits forever."""
        return name not in self._in_progress and not self._is_removed(name)

    def _continue_play(self, name: str, state: PlayState) -> list[Command]:
        if state.status is P.RUNNING:
            return self._issue(name, commands.RunAttempt(name, state.attempt))
        if state.status is P.RUNNING_COMPLETE:
            return self._issue(name, commands.RunGates(name, state.attempt))
        if (
            awaits_approval(self.plan, name, approved=state.approved)
            or commands.MergePlay in self._in_progress.values()
        ):
            return []
        if self._foreign is not None:
            return []
        if not rules.has_merged_dependencies(self.plan.play(name), self.statuses):
            return []  # escalated and approved out of order
        return self._issue(name, commands.MergePlay(name, state.attempt, state.anyway, state.force))

    def _start(self) -> list[Command]:
        issued: list[Command] = []
        parked = {name: play.parked_until for name, play in self.plays.items() if play.parked_until is not None}
        for name in rules.startable_plays(
            self.plan,
            self.statuses,
            self._in_progress,
            self._spent,
            providers=self.providers,
            parked=parked,
            now=self._now,
        ):
            attempt = self.plays[name].attempt
            if self._is_removed(name):
                continue
            if self.plays[name].status is P.PREPARED and name in self._ready:
                issued += self._move(name, P.RUNNING)
                issued += self._issue(name, commands.RunAttempt(name, attempt))
            else:
                issued += self._issue(name, commands.PrepareCheckout(name, attempt))
        return issued

    def _ask(self) -> list[Command]:
        questions = [
            (AskPerson(name, reason), self.plays[name].attempt)
            for name, reason in rules.needs_person(self.plan, self.plays).items()
        ]
        if (part := rules.exhausted_budget(self.plan.budget, self._spent)) is not None:
            reason = f"{part.exhausted}: grant more, or edit the plan"
            questions.append((AskPerson(None, reason, ShowQuestionKind.BUDGET, part), 0))
        if self._held:
            changes = "; ".join(self._held)
            reason = f"the edited plan weakens the show, and is not followed until you approve or reject it: {changes}"
            questions.append((AskPerson(None, reason, ShowQuestionKind.PLAN), 0))
        if self._foreign is not None:
            reason = f"{self._foreign}; nothing is merged until you approve it, or repair the branch and reject"
            questions.append((AskPerson(None, reason, ShowQuestionKind.COMMITS), 0))
        if self._awaits_final_approval():
            reason = "the final gates passed and your approval is required: approve or reject the show"
            questions.append((AskPerson(None, reason, ShowQuestionKind.FINAL), 0))
        new = [question for question, attempt in questions if (question, attempt) not in self._asked]
        self._asked = set(questions)  # an answered question may be asked again
        return list(new)

    @property
    def asked_about_show(self) -> tuple[AskPerson, ...]:
        """Return the questions about the whole show that wait for a person."""
        return tuple(question for question, _ in sorted(self._asked, key=str) if question.play is None)

    def _finish(self, *, changed: bool) -> list[Command]:
        over = rules.show_outcome(self.plan, self.statuses, accepted=self._accepted) is not None
        if self._final_passed is not None and (self._in_progress or not over):
            # a play was started again: neither the final gates nor a person has seen its result
            self._final_passed, self._accepted, self._final_approved = None, False, False
        if self._in_progress or self._final_gates_running:
            self._resting = False
            return []
        if over:
            return self._finish_show()
        if self._resting and not changed:
            return []
        # a parked play continues by itself
        self._resting = not any(
            PLAYS[play.status].dependencies_merged and play.parked_until for play in self.plays.values()
        )
        return [commands.AwaitPerson()] if self._resting else []

    def _finish_show(self) -> list[Command]:
        if self._held or self._foreign is not None:
            return [commands.AwaitPerson()]
        if self._final_passed is None:
            self._final_gates_running = True
            return [commands.RunFinalGates()]
        if self._awaits_final_approval():
            return [commands.AwaitPerson()]
        return self._end(rules.after_final_gates(self._final_passed))

    def _awaits_final_approval(self) -> bool:
        person = any(gate.kind is GateKind.PERSON for gate in self.plan.final_gates)
        return person and self._final_passed is True and not self._final_approved

    def _abort(self) -> list[Command]:
        issued: list[Command] = []
        for name, state in self.plays.items():
            if state.status is P.RUNNING and self._in_progress.get(name) in (None, commands.RunAttempt):
                issued += self._issue(name, commands.StopAttempt(name))
        if self._in_progress or self._final_gates_running:
            return issued
        for name, state in self.plays.items():
            if state.status in PLAYS_IN_PROGRESS:
                issued += self._transition(name, rules.aborted(state.attempt))
        return issued + self._end(ShowStatus.ABORTED)

    # ── bookkeeping ──

    def _allowed(self, name: str) -> int:
        """Return the attempts before a person is asked: by the plan, or more when a person requested another."""
        return max(self.plays[name].allowed or 0, self.plan.max_attempts_of(name))

    def _take_result(self, name: str, *kinds: type[Command]) -> bool:
        """End the command in progress and return True; a result that was not expected changes nothing."""
        if self._in_progress.get(name) not in kinds:
            return False
        del self._in_progress[name]
        return True

    def _issue(self, name: str, command: Command) -> list[Command]:
        self._in_progress[name] = type(command)
        return [command]

    def _move(self, name: str, status: PlayStatus) -> list[Command]:
        state = self.plays[name]
        return self._transition(name, Transition(status=status, attempt=state.attempt, approved=state.approved))

    def _transition(self, name: str, transition: Transition) -> list[Command]:
        state = self.plays[name]
        if transition.status is not state.status:
            check_transition(PLAY_TRANSITIONS, state.status, transition.status, f"play {name}")
        if transition.status is P.REDOING:
            self._ready.discard(name)  # its checkout gets the reason of the failure
        self.plays[name] = PlayState(
            status=transition.status,
            attempt=transition.attempt,
            approved=transition.approved,
            anyway=transition.anyway,
            force=transition.force,
            allowed=transition.allowed or state.allowed,
            parked_until=transition.parked_until,
            blocked_by=transition.blocked_by,
        )
        return [commands.SaveTransition(name, transition)]

    def _end(self, status: ShowStatus) -> list[Command]:
        self.outcome = status
        return [commands.EndShow(status)]
