"""The director against any sequence of events: its invariants always hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.plan import Budget, Gate, GateKind, Plan, PlannedPlay
from lionstudio.model.status.statuses import PLAY_TRANSITIONS, PlayStatus, ShowStatus
from lionstudio.shows.director import commands, events
from lionstudio.shows.director.commands import Command
from lionstudio.shows.director.events import AttemptOutcome, Event, MergeResult, Spent
from lionstudio.shows.director.machine import Director
from lionstudio.shows.director.state import PlayState

PICK = st.integers(0, 10_000)  # which of those that exist, modulo their number
MOST_STEPS_TO_END = 400
BEGUN = {PlayStatus.PENDING, PlayStatus.PREPARED, PlayStatus.REDOING}
STUCK = {PlayStatus.ESCALATED, PlayStatus.BLOCKED, PlayStatus.ABORTED_AFTER_FINISH}
Work = commands.PrepareCheckout | commands.RunAttempt | commands.RunGates | commands.MergePlay


def play(number: int, needs: list[int], *, person: bool) -> PlannedPlay:
    gates = (Gate(kind=GateKind.PERSON),) if person else ()
    return PlannedPlay(name=f"p{number}", prompt="x", depends_on=tuple(f"p{other}" for other in needs), gates=gates)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(1, 7))
    plays = [
        play(
            number,
            draw(st.lists(st.integers(0, number - 1), max_size=3, unique=True)) if number else [],
            person=draw(st.integers(0, 3)) == 0,
        )
        for number in range(count)
    ]
    return Plan(
        topic="t",
        plays=tuple(draw(st.permutations(plays))),
        concurrency=draw(st.integers(1, 3)),
        max_attempts=draw(st.integers(1, 3)),
        provider_limits=draw(st.sampled_from([{}, {"claude": 1}])),
        budget=Budget(tokens=1_000),
        final_gates=draw(st.sampled_from([(), (Gate(kind=GateKind.PERSON),)])),
    )


class Show(RuleBasedStateMachine):
    """State machine that sends any event, and tracks the expected state itself."""

    @initialize(plan=plans())
    def begin(self, plan: Plan) -> None:
        self.written: dict[str, PlayState] = {name: PlayState() for name in plan.names}
        self.plan = self.edited = plan
        self.providers = dict.fromkeys(plan.names[::2], "claude")
        self.merges: dict[str, int] = {}
        self.running: dict[str, Work] = {}
        self.judging_show = False
        self.stopped: set[str] = set()
        self.aborted = self.accepted = self.rests = False
        self.ended: ShowStatus | None = None
        self.now, self.spent = 0.0, Spent()
        self.take_up()

    def take_up(self) -> None:
        """Rebuild the director from the saved state, as after a kill; commands in progress have no answer."""
        self.running.clear()
        self.stopped.clear()
        self.judging_show = self.rests = False
        self.plan = self.edited  # who takes it up reads the plan as it is now
        self.director = Director(self.plan, self.written, providers=self.providers, aborted=self.aborted)
        self.tell(events.ClockTicked(self.now, self.spent))
        if self.accepted:
            self.tell(events.ShowAccepted())
        self.tell(events.ShowStarted())

    def tell(self, event: Event) -> None:
        if not isinstance(event, events.ClockTicked):
            self.rests = False
        issued = self.director.handle(event)
        self.plan = self.director.plan  # an edit may wait for what is at work
        for command in issued:
            self.carry_out(command)

    def carry_out(self, command: Command) -> None:
        assert self.ended is None, "an order after the end"
        match command:
            case commands.SaveTransition():
                self.write(command)
            case commands.PrepareCheckout() | commands.RunAttempt() | commands.RunGates() | commands.MergePlay():
                self.start(command)
            case commands.StopAttempt():
                self.stop(command)
            case commands.RunFinalGates():
                assert not self.running
                assert not self.judging_show
                self.judging_show = True
            case commands.EndShow():
                self.end(command.status)
            case commands.AwaitPerson():
                assert not self.running
                self.rests = True
            case commands.AskPerson():
                assert command.play is None or command.play in self.plan.names

    def write(self, command: commands.SaveTransition) -> None:
        before, after = self.written[command.play], command.transition
        assert after.status is before.status or after.status in PLAY_TRANSITIONS[before.status], "an illegal move"
        assert before.attempt <= after.attempt <= before.attempt + 1
        assert before.status is not PlayStatus.MERGED, "a finished play was touched"
        if after.attempt > before.attempt:
            assert after.attempt <= max(after.allowed or before.allowed or 0, self.plan.max_attempts), "too often"
        if after.status is PlayStatus.MERGED:
            assert self.merges[command.play] == 1
        self.written[command.play] = replace(
            before,
            status=after.status,
            attempt=after.attempt,
            approved=after.approved,
            anyway=after.anyway,
            allowed=after.allowed or before.allowed,
            parked_until=after.parked_until,
            blocked_by=after.blocked_by,
        )

    def start(self, command: Work) -> None:
        name, play_state = command.play, self.written[command.play]
        assert name not in self.running, "two works for one play"
        assert name not in self.merges, "a merged play was started"
        assert command.attempt == play_state.attempt
        for need in self.plan.play(name).depends_on:
            assert self.written[need].status is PlayStatus.MERGED, "started before its dependencies"
        expected = {
            commands.PrepareCheckout: BEGUN,
            commands.RunAttempt: {PlayStatus.RUNNING},
            commands.MergePlay: {PlayStatus.GATED},
            commands.RunGates: {PlayStatus.RUNNING_COMPLETE, PlayStatus.GATED},
        }
        assert play_state.status in expected[type(command)]
        if isinstance(command, commands.PrepareCheckout):
            assert len(self.running) < self.plan.concurrency, "too many at a time"
            assert (play_state.parked_until or 0.0) <= self.now, "started while parked"
            assert not self.aborted
            assert self.spent.tokens < 1_000, "started without money"
            busy = sum(self.providers.get(other) == "claude" for other in self.running)
            assert self.providers.get(name) != "claude" or busy < self.plan.provider_limits.get("claude", 99)
        if isinstance(command, commands.MergePlay):
            assert not any(isinstance(other, commands.MergePlay) for other in self.running.values())
            person = any(gate.kind is GateKind.PERSON for gate in self.plan.gates_of(name))
            assert play_state.approved or not person, "merged without the person"
        self.running[name] = command

    def stop(self, command: commands.StopAttempt) -> None:
        fired = isinstance(self.running.get(command.play), commands.RunAttempt)
        assert fired or (self.aborted and command.play not in self.running)
        self.running[command.play] = commands.RunAttempt(command.play, self.written[command.play].attempt)
        self.stopped.add(command.play)

    def end(self, status: ShowStatus) -> None:
        assert not self.running
        merged = all(
            other.status is PlayStatus.MERGED for name, other in self.written.items() if name in self.plan.names
        )
        assert status is ShowStatus.ABORTED or merged or self.accepted
        self.ended = status

    # ── what happens ──

    def pick(self, which: int) -> Work:
        names = sorted(self.running)
        return self.running.pop(names[which % len(names)])

    @precondition(lambda self: self.ended is None and self.running)
    @rule(which=PICK, luck=st.integers(0, 5), later=st.floats(0, 100))
    def something_is_answered(self, which: int, luck: int, later: float) -> None:
        command = self.pick(which)
        match command:
            case commands.PrepareCheckout():
                self.tell(events.CheckoutPrepared(command.play, "the disk is full" if luck == 5 else None))
            case commands.RunAttempt():
                self.exits(command.play, luck, later)
            case commands.RunGates():
                self.tell(events.GatesEvaluated(command.play, luck < 4, "a test failed"))
            case commands.MergePlay():
                result = [
                    MergeResult.MERGED,
                    MergeResult.MERGED,
                    MergeResult.ALREADY,
                    MergeResult.CONFLICT,
                    MergeResult.MOVED,
                    MergeResult.MERGED,
                ][luck]
                self.merge(command, MergeResult.MERGED if command.anyway and result is MergeResult.MOVED else result)

    def exits(self, name: str, luck: int, later: float) -> None:
        stopped = name in self.stopped and luck < 5  # one may end by itself just before it is stopped
        self.stopped.discard(name)
        outcome = AttemptOutcome.STOPPED if stopped else [*AttemptOutcome, AttemptOutcome.COMPLETED][luck]
        self.tell(events.AttemptEnded(name, outcome, resets_at=self.now + later if luck % 2 else None))

    def merge(self, command: commands.MergePlay, result: MergeResult) -> None:
        if result in (MergeResult.MERGED, MergeResult.ALREADY):
            self.merges[command.play] = self.merges.get(command.play, 0) + 1
        self.tell(events.MergeTried(command.play, result, ("a.py",)))

    @precondition(lambda self: self.ended is None and self.judging_show)
    @rule(passed=st.booleans())
    def final_gates_evaluated(self, passed: bool) -> None:
        self.judging_show = False
        self.tell(events.FinalGatesEvaluated(passed))

    @precondition(lambda self: self.ended is None)
    @rule(which=PICK, decision=st.sampled_from(list(DecisionKind)), late=st.integers(0, 4))
    def decision_made(self, which: int, decision: DecisionKind, late: int) -> None:
        name = self.plan.names[which % len(self.plan.names)]
        self.tell(events.DecisionMade(name, decision, self.written[name].attempt - (late == 0)))

    @precondition(lambda self: self.ended is None)
    @rule(seconds=st.floats(0, 2_000), tokens=st.sampled_from([0, 500, 1_000]))
    def time_goes_by(self, seconds: float, tokens: int) -> None:
        self.now, self.spent = self.now + seconds, Spent(tokens=tokens)
        self.tell(events.ClockTicked(self.now, self.spent))

    @precondition(lambda self: self.ended is None)
    @rule()
    def director_killed(self) -> None:
        # a merge that was done and not told is found in git by the next one
        self.take_up()

    @precondition(lambda self: self.ended is None)
    @rule(needs=st.lists(PICK, max_size=2), gone=PICK)
    def plan_edited(self, needs: list[int], gone: int) -> None:
        fresh = PlannedPlay(
            name=f"p{len(self.written)}",
            prompt="y",
            depends_on=tuple({self.edited.names[other % len(self.edited.names)] for other in needs}),
        )
        plays = [*self.edited.plays, fresh]
        victim = plays[gone % len(plays)].name
        needed = {need for other in plays for need in other.depends_on}
        if victim not in needed and victim not in self.merges and len(plays) > 1:
            plays = [other for other in plays if other.name != victim]
        self.written.setdefault(fresh.name, PlayState())
        self.edited = replace(self.edited, plays=tuple(plays))
        self.tell(events.PlanEdited(self.edited, self.providers))

    @precondition(lambda self: self.ended is None)
    @rule(
        really=st.integers(0, 9),
        decision=st.sampled_from([events.AbortRequested, events.ShowAccepted, events.ShowRejected]),
    )
    def show_ended_by_a_person(
        self, really: int, decision: type[events.AbortRequested | events.ShowAccepted | events.ShowRejected]
    ) -> None:
        if really:
            return
        self.aborted = self.aborted or decision is events.AbortRequested
        self.accepted = self.accepted or decision is events.ShowAccepted
        self.tell(decision())

    @precondition(lambda self: self.ended is None)
    @rule(
        which=PICK,
        kind=st.sampled_from([events.CheckoutPrepared, events.AttemptEnded, events.GatesEvaluated, events.MergeTried]),
    )
    def unexpected_answer(self, which: int, kind: type[Event]) -> None:
        name = self.plan.names[which % len(self.plan.names)]
        answers: dict[type[Event], tuple[type[Work], Event]] = {
            events.CheckoutPrepared: (commands.PrepareCheckout, events.CheckoutPrepared(name)),
            events.AttemptEnded: (commands.RunAttempt, events.AttemptEnded(name, AttemptOutcome.COMPLETED)),
            events.GatesEvaluated: (commands.RunGates, events.GatesEvaluated(name, True)),
            events.MergeTried: (commands.MergePlay, events.MergeTried(name, MergeResult.MERGED)),
        }
        work, answer = answers[kind]
        if not isinstance(self.running.get(name), work):
            before = dict(self.written)
            self.tell(answer)
            assert before == self.written

    @precondition(lambda self: self.ended is not None)
    @rule()
    def nothing_follows_the_end(self) -> None:
        assert self.director.handle(events.ShowStarted()) == []

    # ── what holds ──

    @invariant()
    def both_agree(self) -> None:
        if not hasattr(self, "director"):
            return
        assert {name: self.written[name] for name in self.plan.names} == self.director.plays
        assert set(self.director.in_progress) == set(self.running)

    @invariant()
    def nothing_is_merged_twice(self) -> None:
        assert all(count == 1 for count in getattr(self, "merges", {}).values())

    @invariant()
    def dependents_of_stuck_plays_are_blocked(self) -> None:
        if not hasattr(self, "director") or self.ended is not None or self.aborted:
            return
        for other in self.plan.plays:
            stuck = {need for need in other.depends_on if self.written[need].status in STUCK}
            if stuck and self.written[other.name].status in (PlayStatus.PENDING, PlayStatus.BLOCKED):
                assert stuck <= set(self.written[other.name].blocked_by)

    @invariant()
    def director_never_stalls(self) -> None:
        if not hasattr(self, "director") or self.ended is not None:
            return
        parked = any(other.parked_until is not None for other in self.written.values())
        assert self.running or self.judging_show or self.rests or parked

    def teardown(self) -> None:
        """When commands succeed and a person answers, every show ends."""
        if not hasattr(self, "director"):
            return
        for _ in range(MOST_STEPS_TO_END):
            if self.ended is not None:
                return
            self.help_it_on()
        raise AssertionError(f"it does not end: {self.written}")

    def help_it_on(self) -> None:
        if self.running:
            command = self.pick(0)
            match command:
                case commands.PrepareCheckout():
                    self.tell(events.CheckoutPrepared(command.play))
                case commands.RunAttempt():
                    outcome = AttemptOutcome.STOPPED if command.play in self.stopped else AttemptOutcome.COMPLETED
                    self.stopped.discard(command.play)
                    self.tell(events.AttemptEnded(command.play, outcome))
                case commands.RunGates():
                    self.tell(events.GatesEvaluated(command.play, True))
                case commands.MergePlay():
                    self.merge(command, MergeResult.MERGED)
        elif self.judging_show:
            self.final_gates_evaluated(True)
        else:
            self.answer()

    def answer(self) -> None:
        self.now, self.spent = self.now + 10_000.0, Spent()
        self.tell(events.ClockTicked(self.now, self.spent))
        for name in self.plan.names:
            play_state = self.written[name]
            if play_state.status is PlayStatus.GATED and name not in self.running:
                self.tell(events.DecisionMade(name, DecisionKind.APPROVE, play_state.attempt))
            elif play_state.status in (PlayStatus.ESCALATED, PlayStatus.ABORTED_AFTER_FINISH):
                self.tell(events.DecisionMade(name, DecisionKind.REDO, play_state.attempt))
        if self.rests and not self.running:
            self.accepted = True
            self.tell(events.ShowAccepted())


@pytest.mark.slow
def test_director_state_machine() -> None:
    run_state_machine_as_test(Show, settings=settings(max_examples=100, stateful_step_count=50, deadline=None))
