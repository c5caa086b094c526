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
PERMISSIONS = ("ask", "edit", "all")  # of an agent, without asking a person
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
    permissions: str | None = None  # ask | edit | all; else the show's, else the agent's
    pass_env: tuple[str, ...] = ()  # variables for its agent, besides the show's
    sandbox: str | None = None  # auto | require | off; else the show's
    network: bool | None = None  # of its gates and commands; else the show's
    needs: tuple[str, ...] = ()  # labels of the workers that may play it, besides the show's
    waits: bool = False  # it does not start before a person accepts it
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
    permissions: str | None = None  # of every agent; None: the agent's own, else `edit`
    pass_env: tuple[str, ...] = ()  # variables that every agent gets
    sandbox: str | None = None  # auto | require | off, of agents and commands; None: the agent's or the setting
    network: bool = False  # whether confined commands reach the network; agents always do
    deciders: tuple[str, ...] = ()  # agents that may decide about plays that are not their own
    remote: str | None = None  # that workers fetch from and push to; `origin`: that of the repository
    needs: tuple[str, ...] = ()  # labels that a worker must have to play any of it
    # a director looks at every play after every event, so none of these looks may read them all
    _by_name: dict[str, PlannedPlay] = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name: dict[str, PlannedPlay] = {}
        for play in self.plays:
            by_name.setdefault(play.name, play)
        object.__setattr__(self, "_by_name", by_name)
        object.__setattr__(self, "names", tuple(play.name for play in self.plays))

    def __contains__(self, name: object) -> bool:
        """Return whether the plan has a play of this name."""
        return name in self._by_name

    def play(self, name: str) -> PlannedPlay:
        """Return a play by name; KeyError when the plan does not have it."""
        return self._by_name[name]

    def _find(self, name: str | None) -> PlannedPlay | None:
        return None if name is None else self._by_name.get(name)

    def gates_of(self, name: str) -> tuple[Gate, ...]:
        """Return the gates of a play in the order in which they run: commands, reviews, a person."""
        own = self.play(name).gates
        return in_order(self.gates if own is None else own)

    def max_attempts_of(self, name: str) -> int:
        """Return the attempts of a play before a person is asked."""
        return self.play(name).max_attempts or self.max_attempts

    def permissions_of(self, name: str) -> str | None:
        """Return what the agent of a play may do without asking; None when the plan does not say."""
        return self.play(name).permissions or self.permissions

    def pass_env_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the variables that the agent of a play gets."""
        return tuple(dict.fromkeys((*self.pass_env, *self.play(name).pass_env)))

    def sandbox_of(self, name: str | None) -> str | None:
        """Return the sandbox mode of a play, or of the show for no play; None when the plan does not say."""
        play = self._find(name)
        return (play.sandbox if play is not None else None) or self.sandbox

    def network_of(self, name: str | None) -> bool:
        """Return whether the commands of a play reach the network."""
        play = self._find(name)
        return self.network if play is None or play.network is None else play.network

    def needs_of(self, name: str | None) -> tuple[str, ...]:
        """Return the labels that a worker of a play must have, or one that works on the show for no play."""
        play = self._find(name)
        return tuple(dict.fromkeys((*self.needs, *(play.needs if play is not None else ()))))

    def timeout_of(self, name: str) -> int:
        """Return the time limit of one attempt in seconds."""
        return self.play(name).timeout or self.timeout


def in_order(gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """Sort gates, cheap ones first: a person is not asked about work that fails its tests."""
    order = list(GateKind)
    return tuple(sorted(gates, key=lambda gate: order.index(gate.kind)))


def person_gate(plan: Plan, name: str) -> Gate | None:
    """Return the gate of a play that a person decides."""
    gates = plan.gates_of(name) if name in plan else ()
    return next((gate for gate in gates if gate.kind is GateKind.PERSON), None)


def awaits_approval(plan: Plan, name: str, *, approved: bool) -> bool:
    """Return whether a person's gate holds a play whose other gates passed."""
    return not approved and person_gate(plan, name) is not None


def integration_branch(topic: str) -> str:
    """Return the branch that collects the work of a show."""
    return f"show/{topic}/integration"


def play_branch(topic: str, play: str) -> str:
    """Return the branch of one play."""
    return f"show/{topic}/{play}"
