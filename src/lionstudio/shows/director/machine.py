"""The director: events in, commands out, nothing done here.

It holds where every play stands and what is under way, and after each event orders what is missing. So it needs no
memory of its own: one that was killed is made again from the files or the rows, hears `Begun`, and orders the rest.
The rules themselves are in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lionstudio.model.shows.plan import GateKind, Plan
from lionstudio.model.status.statuses import (
    PLAY_TRANSITIONS,
    PLAYS,
    PLAYS_IN_PROGRESS,
    PLAYS_TO_RESUME,
    PlayStatus,
    ShowStatus,
    check_transition,
)
from lionstudio.shows.director import events, rules
from lionstudio.shows.director.events import Command, Event, PlayState, Spent, Transition

P = PlayStatus


class Director:
    """The rules of one show with where its plays stand."""

    def __init__(
        self,
        plan: Plan,
        plays: Mapping[str, PlayState],
        *,
        providers: Mapping[str, str] | None = None,
        aborted: bool = False,
    ) -> None:
        self.plan = plan
        self._edited: events.PlanEdited | None = None  # waits for plays at work that it does not have any more
        self.plays = {name: plays.get(name, PlayState()) for name in plan.names}
        self.providers = dict(providers or {})
        self.ended: ShowStatus | None = None
        self._at_work: dict[str, type[Command]] = {}
        self._ready: set[str] = set()  # has a checkout, as far as this director knows
        self._words: dict[str, events.DecisionMade] = {}  # said while the play was at work
        self._asked: set[tuple[str | None, int, str]] = set()
        self._aborting, self._resting = aborted, False
        self._accepted = self._has_last_word = False  # a person takes what is merged; and has seen the final gates
        self._final: bool | None = None  # what the final gates said; None while they have not looked
        self._judging_show = False
        self._now, self._spent = 0.0, Spent()

    @property
    def statuses(self) -> dict[str, PlayStatus]:
        """Where every play stands."""
        return {name: standing.status for name, standing in self.plays.items()}

    @property
    def at_work(self) -> dict[str, type[Command]]:
        """The plays that something is being done for, and what."""
        return dict(self._at_work)

    def on(self, event: Event) -> list[Command]:
        """What to do now that this has happened."""
        if self.ended is not None:
            return []
        orders = self._hear(event)
        self._take_up_edit()
        if self._aborting:
            return [*orders, *self._abort()]
        while more := [*self._take_words(), *self._block()]:
            orders += more
        orders += self._continue()
        orders += self._start()
        orders += self._ask()
        return orders + self._finish(moved=bool(orders) or not isinstance(event, events.ClockTicked))

    def _hear(self, event: Event) -> list[Command]:
        match event:
            case events.ShowStarted():
                return []
            case events.CheckoutPrepared():
                return self._on_prepared(event)
            case events.AttemptEnded():
                return self._on_exited(event)
            case events.GatesEvaluated():
                return self._on_judged(event)
            case events.MergeTried():
                return self._on_merge_tried(event)
            case events.DecisionMade():
                return self._on_said(event)
            case events.PlanEdited():
                self._edited = event
                return []
            case events.ClockTicked():
                self._now, self._spent = event.now, event.spent
                return []
            case events.AbortRequested():
                self._aborting = True
                return []
            case events.ShowAccepted():
                # said before the final gates have looked, it is no word about what they let pass
                self._accepted, self._has_last_word = True, self._final is True
                return []
            case events.ShowRejected():
                return self._end(ShowStatus.ABORTED) if self._final else []
            case events.FinalGatesEvaluated():
                self._judging_show, self._final = False, event.passed
                return []
        assert_never(event)

    # ── answers ──

    def _on_prepared(self, event: events.CheckoutPrepared) -> list[Command]:
        if not self._leave(event.play, events.PrepareCheckout):
            return []
        standing = self.plays[event.play]
        if event.problem is not None:
            return self._note(
                event.play, Transition(status=P.ESCALATED, attempt=standing.attempt, reason=event.problem)
            )
        self._ready.add(event.play)
        return [] if standing.status is P.PREPARED else self._move(event.play, P.PREPARED)

    def _on_exited(self, event: events.AttemptEnded) -> list[Command]:
        if not self._leave(event.play, events.RunAttempt, events.StopAttempt):
            return []
        standing, word = self.plays[event.play], self._words.pop(event.play, None)
        if word is not None and not self._aborting:
            return self._note(event.play, self._following(word))
        following = rules.after_exit(
            event.outcome,
            standing.attempt,
            self._allowed(event.play),
            reason=event.reason,
            now=self._now,
            resets_at=event.resets_at,
            aborting=self._aborting,
        )
        return self._note(event.play, following)

    def _on_judged(self, event: events.GatesEvaluated) -> list[Command]:
        if not self._leave(event.play, events.RunGates):
            return []
        standing = self.plays[event.play]
        steps = rules.after_verdict(
            event.passed, standing.status, standing.attempt, self._allowed(event.play), reason=event.reason
        )
        return [order for step in steps for order in self._note(event.play, step)]

    def _on_merge_tried(self, event: events.MergeTried) -> list[Command]:
        if not self._leave(event.play, events.MergePlay):
            return []
        following = rules.after_merge(
            event.result,
            self.plays[event.play].attempt,
            self._allowed(event.play),
            files=event.files,
            reason=event.reason,
        )
        if following is not None:
            return self._note(event.play, following)
        return self._order(event.play, events.RunGates(event.play, self.plays[event.play].attempt))

    def _on_said(self, event: events.DecisionMade) -> list[Command]:
        standing = self.plays.get(event.play)
        if standing is None or event.attempt != standing.attempt or standing.status not in rules.DECIDABLE[event.word]:
            return []
        self._words[event.play] = event
        return [events.StopAttempt(event.play)] if self._at_work.get(event.play) is events.RunAttempt else []

    # ── edits ──

    def _take_up_edit(self) -> None:
        """A play that is at work cannot leave the plan; the edit is taken up after it."""
        if self._edited is None or any(self._is_leaving(name) for name in self._at_work):
            return
        self.plan, self.providers, self._edited = self._edited.plan, dict(self._edited.providers), None
        self.plays = {name: self.plays.get(name, PlayState()) for name in self.plan.names}
        self._words = {name: word for name, word in self._words.items() if name in self.plays}

    def _is_leaving(self, name: str) -> bool:
        return self._edited is not None and name not in self._edited.plan.names

    # ── orders ──

    def _take_words(self) -> list[Command]:
        orders: list[Command] = []
        for name in [name for name in self._words if name not in self._at_work]:
            word = self._words.pop(name)
            if self.plays[name].attempt == word.attempt and self.plays[name].status in rules.DECIDABLE[word.word]:
                orders += self._note(name, self._following(word))
        return orders

    def _following(self, word: events.DecisionMade) -> Transition:
        standing = self.plays[word.play]
        following = rules.after_word(
            word.word,
            standing.status,
            standing.attempt,
            self._allowed(word.play),
            feedback=word.feedback,
            play=word.play,
        )
        return replace(following, word_id=word.word_id)

    def _block(self) -> list[Command]:
        orders: list[Command] = []
        for name, holders in rules.blocked(self.plan, self.statuses).items():
            standing = self.plays[name]
            if name in self._at_work or (standing.status is P.BLOCKED and holders == standing.blocked_by):
                continue
            if holders:
                reason = f"it waits for {', '.join(holders)}, which cannot go on"
                following = Transition(status=P.BLOCKED, attempt=standing.attempt, reason=reason, blocked_by=holders)
            else:
                following = Transition(status=P.PENDING, attempt=standing.attempt)
            orders += self._note(name, following)
        return orders

    def _continue(self) -> list[Command]:
        """What is missing for plays that have begun: they keep their place before new ones get one."""
        orders: list[Command] = []
        for status in PLAYS_TO_RESUME:
            for name in self.plan.names:
                if self.plays[name].status is status and self._is_idle(name):
                    orders += self._go_on(name, self.plays[name])
        for name in self.plan.names:
            if self.plays[name].status is P.GATE_FAILED and self._is_idle(name):  # killed between two steps
                standing = self.plays[name]
                orders += self._note(name, rules.again(standing.attempt, self._allowed(name), "a gate failed"))
        return orders

    def _is_idle(self, name: str) -> bool:
        """Whether something may be ordered for it; nothing is for one that leaves, or the edit would wait for ever."""
        return name not in self._at_work and not self._is_leaving(name)

    def _go_on(self, name: str, standing: PlayState) -> list[Command]:
        if standing.status is P.RUNNING:
            return self._order(name, events.RunAttempt(name, standing.attempt))
        if standing.status is P.RUNNING_COMPLETE:
            return self._order(name, events.RunGates(name, standing.attempt))
        if rules.waits_for_person(self.plan, name, standing) or events.MergePlay in self._at_work.values():
            return []
        if not rules.is_due(self.plan, self.statuses, name):  # taken over and approved before its turn
            return []
        return self._order(name, events.MergePlay(name, standing.attempt, standing.anyway))

    def _start(self) -> list[Command]:
        orders: list[Command] = []
        parked = {name: play.parked_until for name, play in self.plays.items() if play.parked_until is not None}
        for name in rules.startable(
            self.plan, self.statuses, self._at_work, self._spent, providers=self.providers, parked=parked, now=self._now
        ):
            attempt = self.plays[name].attempt
            if self._is_leaving(name):
                continue
            if self.plays[name].status is P.PREPARED and name in self._ready:
                orders += self._move(name, P.RUNNING)
                orders += self._order(name, events.RunAttempt(name, attempt))
            else:
                orders += self._order(name, events.PrepareCheckout(name, attempt))
        return orders

    def _ask(self) -> list[Command]:
        wanted: list[tuple[str | None, int, str]] = [
            (name, self.plays[name].attempt, why) for name, why in rules.needs_person(self.plan, self.plays).items()
        ]
        if (why := rules.over_budget(self.plan.budget, self._spent)) is not None:
            wanted.append((None, 0, f"{why}: approve more, or edit the plan"))
        if self._waits_for_last_word():
            wanted.append((None, 0, "the final gates passed and a person has to look: approve or reject the show"))
        new = [each for each in wanted if each not in self._asked]
        self._asked = set(wanted)  # what was answered may be asked again
        return [events.AskPerson(play, reason) for play, _, reason in new]

    def _finish(self, *, moved: bool) -> list[Command]:
        over = rules.ending(self.plan, self.statuses, accepted=self._accepted) is not None
        if self._final is not None and (self._at_work or not over):
            # something was taken up again: neither the final gates nor a person has seen what it will be
            self._final, self._accepted, self._has_last_word = None, False, False
        if self._at_work or self._judging_show:
            self._resting = False
            return []
        if over:
            return self._last_gate()
        if self._resting and not moved:
            return []
        # a parked play goes on by itself
        self._resting = not any(
            PLAYS[play.status].dependencies_merged and play.parked_until for play in self.plays.values()
        )
        return [events.AwaitPerson()] if self._resting else []

    def _last_gate(self) -> list[Command]:
        if self._final is None:
            self._judging_show = True
            return [events.RunFinalGates()]
        if self._waits_for_last_word():
            return [events.AwaitPerson()]
        return self._end(rules.after_final(self._final))

    def _waits_for_last_word(self) -> bool:
        person = any(gate.kind is GateKind.PERSON for gate in self.plan.final_gates)
        return person and self._final is True and not self._has_last_word

    def _abort(self) -> list[Command]:
        orders: list[Command] = []
        for name, standing in self.plays.items():
            if standing.status is P.RUNNING and self._at_work.get(name) in (None, events.RunAttempt):
                self._at_work[name] = events.StopAttempt
                orders.append(events.StopAttempt(name))
        if self._at_work or self._judging_show:
            return orders
        for name, standing in self.plays.items():
            if standing.status in PLAYS_IN_PROGRESS:
                ended = Transition(status=P.ABORTED_AFTER_FINISH, attempt=standing.attempt, reason=events.ABORTED)
                orders += self._note(name, ended)
        return orders + self._end(ShowStatus.ABORTED)

    # ── bookkeeping ──

    def _allowed(self, name: str) -> int:
        """Attempts before a person is asked: by the plan, or more when a person asked for another."""
        return max(self.plays[name].allowed or 0, self.plan.max_attempts_of(name))

    def _leave(self, name: str, *kinds: type[Command]) -> bool:
        """Whether that was under way; an answer that nobody waits for changes nothing."""
        if self._at_work.get(name) not in kinds:
            return False
        del self._at_work[name]
        return True

    def _order(self, name: str, command: Command) -> list[Command]:
        self._at_work[name] = type(command)
        return [command]

    def _move(self, name: str, status: PlayStatus) -> list[Command]:
        standing = self.plays[name]
        return self._note(name, Transition(status=status, attempt=standing.attempt, approved=standing.approved))

    def _note(self, name: str, following: Transition) -> list[Command]:
        standing = self.plays[name]
        if following.status is not standing.status:
            check_transition(PLAY_TRANSITIONS, standing.status, following.status, f"play {name}")
        if following.status is P.REDOING:
            self._ready.discard(name)  # its checkout gets what went wrong
        self.plays[name] = replace(
            standing,
            status=following.status,
            attempt=following.attempt,
            approved=following.approved,
            anyway=following.anyway,
            allowed=following.allowed or standing.allowed,
            parked_until=following.parked_until,
            blocked_by=following.blocked_by,
        )
        return [events.SaveTransition(name, following)]

    def _end(self, status: ShowStatus) -> list[Command]:
        self.ended = status
        return [events.EndShow(status)]
