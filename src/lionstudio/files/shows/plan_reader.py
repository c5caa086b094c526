"""Read `_show.md` strictly: every mistake is reported with its line, and nothing is guessed.

`show_folder.py` is the lenient reader, for folders that other tools wrote; `plan_fields.py` has the rule of each key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.files.formats.field_rules import Problem, Rule, check_fields, error, to_problem, valid_fields
from lionstudio.files.formats.frontmatter import split
from lionstudio.files.formats.strict_yaml import BadYaml, Path, as_written
from lionstudio.files.formats.suggest import did_you_mean, nearest
from lionstudio.files.shows.plan_checks import check_graph
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
    """Read a plan file; its folder is the topic. InvalidInput has `file:line` of the first mistake."""
    return load_plan(os.path.basename(os.path.dirname(os.path.abspath(path))), read_text(path), path)


def load_plan(topic: str, text: str, path: str = "_show.md") -> Plan:
    """Parse a plan; InvalidInput has `file:line` of the first mistake and the number of others."""
    plan, problems = parse_plan(topic, text)
    errors = [problem for problem in problems if problem.severity == "error"]
    if plan is None or errors:
        raise plan_error(path, errors)
    return plan


def plan_error(path: str, errors: list[Problem]) -> InvalidInput:
    """Combine the mistakes of a plan into one error."""
    first = errors[0]
    place = shown(path) if first.line is None else f"{shown(path)}:{first.line}"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidInput(f"{place}: {first.message}{more}", hint=first.hint)


def parse_plan(topic: str, text: str) -> tuple[Plan | None, list[Problem]]:
    """Parse a plan and list its problems; the plan is None when the front matter cannot be read."""
    try:
        front = split(text)
    except BadYaml as refusal:
        return None, [to_problem(refusal)]
    reader = _Reader(front.lines, front.texts)
    if (fault := fault_of_slug(topic)) is not None:
        reader.problems.append(error(None, f"the topic {topic!r:.80} {fault}", "rename the folder of the show"))
    plan = reader.plan(topic, front.fields)
    problems = [*reader.problems, *check_graph(plan)]
    return plan, sorted(problems, key=lambda problem: problem.line or 0)


class _Reader:
    """Builds the plan from its fields and collects the problems."""

    def __init__(self, lines: Mapping[Path, int], texts: Mapping[Path, str]) -> None:
        self.lines, self.texts = lines, texts
        self.problems: list[Problem] = []

    def plan(self, topic: str, fields: Mapping[str, Any]) -> Plan:
        """Build the plan; an invalid value counts as missing."""
        good = self.check(fields, PLAN_RULES, ())
        for key, hint in (("repo", "write `repo: /path/to/repository`"), ("plays", "write `plays:` and a list")):
            if fields.get(key) in (None, "", [], {}):
                self.problems.append(error(1, f"missing key {key}", hint))
        names = ("base_branch", "agent", "concurrency", "max_attempts", "permissions", "sandbox", "network", "remote")
        plain = {name: good[name] for name in names if name in good}
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
            pass_env=tuple(good.get("pass_env") or ()),
            deciders=tuple(good.get("deciders") or ()),
            needs=_names(good.get("needs")),
            notify=self.notify(good.get("notify") or {}),
            timeout=to_seconds(good["timeout"]) if "timeout" in good else PLAY_TIMEOUT,
            **plain,
        )

    def plays(self, value: Any) -> tuple[PlannedPlay, ...]:
        """Read plays from a list, or from a mapping of names."""
        if isinstance(value, dict):
            items = [
                (("plays", name), {"name": name, **(play if isinstance(play, dict) else {})}, play)
                for name, play in value.items()
            ]
        else:
            items = [(("plays", number), play, play) for number, play in enumerate(value)]
        plays: list[PlannedPlay] = []
        for path, fields, play in items[:MOST_PLAYS]:
            if not isinstance(play, dict):
                self.add_error(path, "a play must be a mapping of keys", "write `- name: parser` and its keys below")
            else:
                plays += self.play(fields, path)
        if len(items) > MOST_PLAYS:
            self.add_error(("plays",), f"more than {MOST_PLAYS} plays", "split it into several shows")
        return tuple(plays)

    def play(self, fields: Mapping[str, Any], path: Path) -> Iterator[PlannedPlay]:
        """Read one play; yield nothing when it has no valid name."""
        good = self.check(fields, PLAY_RULES, path)
        if fields.get("name") is None:
            self.add_error(path, "the play has no name", "add `name: parser`")
        task = {"prompt", "playbook"}
        misspelled = {nearest(key, PLAY_RULES) for key in fields if key not in PLAY_RULES}
        if not task & {key for key, value in fields.items() if value not in (None, "")} and not task & misspelled:
            name = f"the play {good['name']}" if "name" in good else "the play"
            self.add_error(path, f"{name} has neither a playbook nor a prompt", "add one of them")
        if fields.get("args") and not fields.get("playbook"):
            self.add_error((*path, "args"), "args need a playbook", "add `playbook: NAME`, or remove the args")
        if "name" not in good:
            return
        depends_on, plain = good.get("depends_on", []), ("name", "playbook", "prompt", "intent", "agent", "effort")
        args = as_written(good.get("args") or {}, self.texts, (*path, "args"))
        yield PlannedPlay(
            **{
                name: good[name]
                for name in (*plain, "max_attempts", "permissions", "sandbox", "network")
                if name in good
            },
            pass_env=tuple(good.get("pass_env") or ()),
            args={name: _argument(value, args[name]) for name, value in (good.get("args") or {}).items()},
            depends_on=tuple(dict.fromkeys([depends_on] if isinstance(depends_on, str) else depends_on)),
            needs=_names(good.get("needs")),
            gates=self.gates(good.get("gates"), (*path, "gates")),
            timeout=to_seconds(good["timeout"]) if "timeout" in good else None,
            line=self.lines.get((*path, "name")) or self.lines.get(path),
        )

    def gates(self, value: Any, path: Path) -> tuple[Gate, ...] | None:
        """Read the gates of a show or a play; None when the key is missing."""
        if value is None:
            return None
        items = (
            [((*path, number), item) for number, item in enumerate(value)]
            if isinstance(value, list)
            else [(path, value)]
        )
        gates = (self.gate(item, item_path) for item_path, item in items)
        return tuple(gate for gate in gates if gate is not None)

    def gate(self, item: Any, path: Path) -> Gate | None:
        """Read one gate; a plain string or list is a command, and the string `person` is a person."""
        if isinstance(item, list):
            item = {"command": item}
        if isinstance(item, str):
            item = {"person": True} if item.strip() == "person" else {"command": item}
        if not isinstance(item, dict):
            self.add_error(path, "a gate must be a command, a review or a person", "write `- command: make test`")
            return None
        good = self.check(item, GATE_RULES, path)
        kinds = [kind for kind in _GATE_KINDS if item.get(kind) not in (None, False)]
        if len(kinds) != 1:
            self.add_error(
                path, "a gate must be exactly one of command, review and person", "write `- command: make test`"
            )
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

    def budget(self, fields: Mapping[str, Any]) -> Budget:
        good = self.check(fields, BUDGET_RULES, ("budget",))
        return Budget(
            tokens=good.get("tokens"),
            cost_microusd=round(good["cost"] * 1_000_000) if "cost" in good else None,
            seconds=to_seconds(good["time"]) if "time" in good else None,
        )

    def notify(self, fields: Mapping[str, Any]) -> Notify:
        good = self.check(fields, NOTIFY_RULES, ("notify",))
        command = argv_of(good["command"]) if "command" in good else ()
        return Notify(desktop=good.get("desktop", True), webhook=good.get("webhook"), command=command)

    def check(self, fields: Mapping[str, Any], rules: Mapping[str, Rule], path: Path) -> dict[str, Any]:
        """Return the valid fields; report invalid values and unknown keys.

        Where text is meant, `no` and `0123` are text as they are written.
        """
        fields = {key: self.repaired(value, rules.get(key), (*path, key)) for key, value in fields.items()}
        for problem in check_fields(fields, rules, self.lines, path):
            self.problems.append(problem if problem.line is not None else problem._replace(line=self.line(path)))
        for key in fields:
            if key not in rules:
                self.add_error(
                    (*path, key),
                    f"unknown key {shown(key)!r:.60}",
                    did_you_mean(key, rules, f"known keys: {', '.join(rules)}"),
                )
        return valid_fields(fields, rules)

    def repaired(self, value: Any, rule: Rule | None, path: Path) -> Any:
        """Return the value, or its text as it is written when only that is valid."""
        if rule is None or value is None or rule(value) is None:
            return value
        text = as_written(value, self.texts, path)
        return text if rule(text) is None else value

    def add_error(self, path: Path, message: str, hint: str) -> None:
        self.problems.append(error(self.line(path), message, hint))

    def line(self, path: Path) -> int | None:
        """Return the line of a key, or else of its parent."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def _argument(value: Any, written: Any) -> str:
    """Return an argument of a playbook as it is written; for a switch, `yes` means true."""
    return str(value).lower() if isinstance(value, bool) else str(written)


def _names(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys([value] if isinstance(value, str) else value or ()))


def _commands(value: Any) -> tuple[Command, ...]:
    if value is None:
        return ()
    return tuple(argv_of(item) for item in (value if isinstance(value, list) else [value]))
