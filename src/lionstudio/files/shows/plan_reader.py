"""The strict reader of `_show.md`: every mistake is told with its line, and nothing is guessed.

`files/shows/show_folder.py` is the lenient one, for folders that other tools wrote; `plan_fields.py`
has what each key may hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.files.formats.field_rules import Problem, Rule, check_fields, error, to_problem, valid_fields
from lionstudio.files.formats.frontmatter import split
from lionstudio.files.formats.strict_yaml import BadYaml, Path
from lionstudio.files.shows.plan_checks import check_graph, nearest
from lionstudio.files.shows.plan_fields import (
    BUDGET_RULES,
    GATE_RULES,
    NOTIFY_RULES,
    PLAN_RULES,
    PLAY_RULES,
    argv_of,
    fault_of_slug,
    to_seconds,
)
from lionstudio.model.shows.plan import (
    GATE_TIMEOUT,
    PLAY_TIMEOUT,
    Budget,
    Command,
    Gate,
    GateKind,
    Notify,
    Plan,
    PlannedPlay,
    integration_branch,
)
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import read_text

MOST_PLAYS = 1000
_GATE_KINDS = ("command", "review", "person")


def read_plan(path: str) -> Plan:
    """The plan of a file whose folder is the topic; InvalidInput says `file:line` for the first mistake."""
    return load_plan(os.path.basename(os.path.dirname(os.path.abspath(path))), read_text(path), path)


def load_plan(topic: str, text: str, path: str = "_show.md") -> Plan:
    """The plan of a text; InvalidInput says `file:line` for the first mistake, and how many more there are."""
    plan, found = parse_plan(topic, text)
    wrong = [problem for problem in found if problem.severity == "error"]
    if plan is None or wrong:
        raise plan_error(path, wrong)
    return plan


def plan_error(path: str, wrong: list[Problem]) -> InvalidInput:
    """The mistakes of a plan as one sentence."""
    first = wrong[0]
    place = shown(path) if first.line is None else f"{shown(path)}:{first.line}"
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return InvalidInput(f"{place}: {first.message}{more}", hint=first.hint)


def parse_plan(topic: str, text: str) -> tuple[Plan | None, list[Problem]]:
    """The plan of a text with everything that is wrong with it; None when nothing can be read."""
    try:
        head = split(text)
    except BadYaml as refused:
        return None, [to_problem(refused)]
    reader = _Reader(head.lines)
    if (wrong := fault_of_slug(topic)) is not None:
        reader.problems.append(error(None, f"the topic {topic!r:.80} {wrong}", "rename the folder of the show"))
    plan = reader.plan(topic, head.fields)
    found = [*reader.problems, *check_graph(plan)]
    return plan, sorted(found, key=lambda problem: problem.line or 0)


class _Reader:
    """Fields in, the plan out; what is wrong is collected on the way."""

    def __init__(self, lines: Mapping[Path, int]) -> None:
        self.lines = lines
        self.problems: list[Problem] = []

    def plan(self, topic: str, fields: Mapping[str, Any]) -> Plan:
        """The whole plan; wrong values count as left out."""
        good = self.check(fields, PLAN_RULES, ())
        for needed, hint in (("repo", "write `repo: /path/to/repository`"), ("plays", "write `plays:` and a list")):
            if fields.get(needed) in (None, "", [], {}):
                self.problems.append(error(1, f"there is no {needed}", hint))
        known = {name: good[name] for name in ("base_branch", "agent", "concurrency", "max_attempts") if name in good}
        return Plan(
            topic=topic,
            plays=self.plays(good.get("plays") or []),
            goal=good["goal"].strip() if "goal" in good else None,
            repo=os.path.normpath(os.path.expanduser(good["repo"])) if "repo" in good else None,
            integration_branch=good.get("integration_branch") or integration_branch(topic),
            gates=self.gates(good.get("gates"), ("gates",)) or (),
            final_gates=self.gates(good.get("final_gates"), ("final_gates",)) or (),
            budget=self.budget(good.get("budget") or {}),
            provider_limits=dict(good.get("provider_limits") or {}),
            setup=_commands(good.get("setup")),
            teardown=_commands(good.get("teardown")),
            copy=tuple(good.get("copy") or ()),
            notify=self.notify(good.get("notify") or {}),
            timeout=to_seconds(good["timeout"]) if "timeout" in good else PLAY_TIMEOUT,
            **known,
        )

    def plays(self, given: Any) -> tuple[PlannedPlay, ...]:
        """The plays of a list, or of names with keys."""
        if isinstance(given, dict):
            items = [
                (("plays", name), {"name": name, **(play if isinstance(play, dict) else {})}, play)
                for name, play in given.items()
            ]
        else:
            items = [(("plays", number), play, play) for number, play in enumerate(given)]
        found: list[PlannedPlay] = []
        for path, fields, said in items[:MOST_PLAYS]:
            if not isinstance(said, dict):
                self.add_error(path, "a play must have keys of its own", "write `- name: parser` and its keys below")
            else:
                found += self.play(fields, path)
        if len(items) > MOST_PLAYS:
            self.add_error(("plays",), f"there are more than {MOST_PLAYS} plays", "make several shows of it")
        return tuple(found)

    def play(self, fields: Mapping[str, Any], path: Path) -> Iterator[PlannedPlay]:
        """One play; none when it has no name to speak of it by."""
        good = self.check(fields, PLAY_RULES, path)
        if fields.get("name") is None:
            self.add_error(path, "the play has no name", "write `name: parser`")
        if not fields.get("playbook") and not fields.get("prompt"):
            self.add_error(
                path, f"the play {good.get('name', '')} has neither a playbook nor a prompt", "write one of them"
            )
        if fields.get("args") and not fields.get("playbook"):
            self.add_error((*path, "args"), "only a playbook takes args", "add `playbook: NAME`, or remove them")
        if "name" not in good:
            return
        needs, plain = good.get("depends_on", []), ("name", "playbook", "prompt", "intent", "agent", "effort")
        yield PlannedPlay(
            **{name: good[name] for name in (*plain, "max_attempts") if name in good},
            args={name: _spelled(value) for name, value in (good.get("args") or {}).items()},
            depends_on=tuple(dict.fromkeys([needs] if isinstance(needs, str) else needs)),
            gates=self.gates(good.get("gates"), (*path, "gates")),
            timeout=to_seconds(good["timeout"]) if "timeout" in good else None,
            line=self.lines.get((*path, "name")) or self.lines.get(path),
        )

    def gates(self, given: Any, path: Path) -> tuple[Gate, ...] | None:
        """The gates of a show or of a play; None when nothing is said about them."""
        if given is None:
            return None
        listed = given if isinstance(given, list) else [given]
        paths = [(*path, number) for number in range(len(listed))] if isinstance(given, list) else [path]
        found = (self.gate(each, where) for each, where in zip(listed, paths, strict=True))
        return tuple(gate for gate in found if gate is not None)

    def gate(self, given: Any, path: Path) -> Gate | None:
        """One gate; a command may stand alone, and `person` is a person."""
        if isinstance(given, list):
            given = {"command": given}
        if isinstance(given, str):
            given = {"person": True} if given.strip() == "person" else {"command": given}
        if not isinstance(given, dict):
            self.add_error(path, "a gate must be a command, a review or a person", "write `- command: make test`")
            return None
        good = self.check(given, GATE_RULES, path)
        kinds = [kind for kind in _GATE_KINDS if given.get(kind) not in (None, False)]
        if len(kinds) != 1:
            self.add_error(path, "a gate is one of command, review and person", "write `- command: make test`")
            return None
        if kinds[0] not in good:
            return None
        value, limit = good[kinds[0]], to_seconds(good["timeout"]) if "timeout" in good else GATE_TIMEOUT
        return Gate(
            kind=GateKind(kinds[0]),
            command=argv_of(value) if kinds[0] == "command" else (),
            agent=value if kinds[0] == "review" else None,
            prompt=value if kinds[0] == "person" and isinstance(value, str) else good.get("prompt"),
            timeout=limit,
            line=self.lines.get(path),
        )

    def budget(self, given: Mapping[str, Any]) -> Budget:
        """What may be spent."""
        good = self.check(given, BUDGET_RULES, ("budget",))
        return Budget(
            tokens=good.get("tokens"),
            cost_microusd=round(good["cost"] * 1_000_000) if "cost" in good else None,
            seconds=to_seconds(good["time"]) if "time" in good else None,
        )

    def notify(self, given: Mapping[str, Any]) -> Notify:
        """How a person is told."""
        good = self.check(given, NOTIFY_RULES, ("notify",))
        called = argv_of(good["command"]) if "command" in good else ()
        return Notify(desktop=good.get("desktop", True), webhook=good.get("webhook"), command=called)

    def check(self, given: Mapping[str, Any], rules: Mapping[str, Rule], path: Path) -> dict[str, Any]:
        """The values that their rules allow; every other key is told, with the one that was probably meant."""
        for problem in check_fields(given, rules, self.lines, path):
            self.problems.append(problem if problem.line is not None else problem._replace(line=self.line(path)))
        for key in given:
            if key not in rules:
                self.add_error(
                    (*path, key),
                    f"the key {shown(key)!r:.60} is not known here",
                    nearest(key, rules, f"it has: {', '.join(rules)}"),
                )
        return valid_fields(given, rules)

    def add_error(self, path: Path, message: str, hint: str) -> None:
        """Take down a mistake."""
        self.problems.append(error(self.line(path), message, hint))

    def line(self, path: Path) -> int | None:
        """Where something stands, or else what it belongs to."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _commands(given: Any) -> tuple[Command, ...]:
    if given is None:
        return ()
    return tuple(argv_of(each) for each in (given if isinstance(given, list) else [given]))
