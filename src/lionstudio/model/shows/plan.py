"""The plan of a show as its director uses it: `_show.md` with every default filled in (docs/reference/shows.md).

Pure and frozen; `files/shows/plan_reader.py` reads it, `shows/director/machine.py` follows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

MAX_ATTEMPTS = 3  # of a play, before a person is asked
CONCURRENCY = 4  # plays running at once
GATE_TIMEOUT = 600  # seconds for one command or one review
PLAY_TIMEOUT = 7200  # seconds for one attempt of an agent

Command = tuple[str, ...]  # argv; it runs without a shell


class GateKind(StrEnum):
    """Kind of a gate; gates run in this order."""

    COMMAND = "command"
    REVIEW = "review"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One check of the merge result of a play: a command, a reviewing agent, or a person."""

    kind: GateKind
    command: Command = ()
    agent: str | None = None
    prompt: str | None = None  # instructions for the reviewer or the person
    timeout: int = GATE_TIMEOUT
    line: int | None = field(default=None, compare=False)

    @property
    def title(self) -> str:
        if self.kind is GateKind.COMMAND:
            return " ".join(self.command)
        return f"review by {self.agent}" if self.kind is GateKind.REVIEW else "a person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Usage of a show before its director asks; None for no limit."""

    tokens: int | None = None
    cost_microusd: int | None = None
    seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """Channels that notify a person."""

    desktop: bool = True
    webhook: str | None = None
    command: Command = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPlay:
    """One node of the DAG. The prompt is the input of the playbook, or without one the prompt of the agent."""

    name: str
    playbook: str | None = None
    prompt: str | None = None
    intent: str | None = None  # its purpose, for people; becomes `_intent.md`
    agent: str | None = None  # else the playbook's, else the show's
    args: Mapping[str, str] = field(default_factory=dict)  # of the playbook
    effort: str | None = None
    depends_on: tuple[str, ...] = ()
    gates: tuple[Gate, ...] | None = None  # instead of the show's; () for none at all
    max_attempts: int | None = None
    timeout: int | None = None
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The plan of a whole show; line numbers do not count for equality."""

    topic: str
    plays: tuple[PlannedPlay, ...]
    goal: str | None = None
    repo: str | None = None
    base_branch: str | None = None  # None: the branch of HEAD
    integration_branch: str = ""
    gates: tuple[Gate, ...] = ()
    final_gates: tuple[Gate, ...] = ()
    budget: Budget = Budget()
    concurrency: int = CONCURRENCY
    provider_limits: Mapping[str, int] = field(default_factory=dict)
    max_attempts: int = MAX_ATTEMPTS
    timeout: int = PLAY_TIMEOUT
    setup: tuple[Command, ...] = ()
    teardown: tuple[Command, ...] = ()
    copy: tuple[str, ...] = ()  # ignored paths that plays need, such as .env
    notify: Notify = Notify()
    agent: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(play.name for play in self.plays)

    def play(self, name: str) -> PlannedPlay:
        """Return a play by name; KeyError when the plan does not have it."""
        for play in self.plays:
            if play.name == name:
                return play
        raise KeyError(name)

    def gates_of(self, name: str) -> tuple[Gate, ...]:
        """Return the gates of a play in the order in which they run: commands, reviews, a person."""
        own = self.play(name).gates
        return in_order(self.gates if own is None else own)

    def max_attempts_of(self, name: str) -> int:
        """Return the attempts of a play before a person is asked."""
        return self.play(name).max_attempts or self.max_attempts

    def timeout_of(self, name: str) -> int:
        """Return the time limit of one attempt in seconds."""
        return self.play(name).timeout or self.timeout


def in_order(gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """Sort gates, cheap ones first: a person is not asked about work that fails its tests."""
    order = list(GateKind)
    return tuple(sorted(gates, key=lambda gate: order.index(gate.kind)))


def integration_branch(topic: str) -> str:
    """Return the branch that collects the work of a show."""
    return f"show/{topic}/integration"


def play_branch(topic: str, play: str) -> str:
    """Return the branch of one play."""
    return f"show/{topic}/{play}"
