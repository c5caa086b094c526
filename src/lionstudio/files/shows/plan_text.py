"""A plan as the text of `_show.md`: its head in the order in which people read it, defaults left out."""

from __future__ import annotations

import shlex
from typing import Any

from lionstudio.files.shows.plan_fields import command
from lionstudio.model.shows.plan import GATE_TIMEOUT, Command, Gate, GateKind, Notify, Plan, PlannedPlay
from lionstudio.system.atomic_write import write_text


def write_plan(path: str, plan: Plan, body: str = "") -> str:
    """Write a plan as front matter over a text; what was written."""
    text = plan_text(plan, body)
    write_text(path, text)
    return text


def plan_text(plan: Plan, body: str = "") -> str:
    """The text of a plan."""
    import yaml  # slow to load, and most commands write no YAML

    class Dumper(yaml.SafeDumper):
        """Blocks for long texts, and no anchors: our reader takes none."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, False)

    Dumper.add_representer(str, _represent_text)
    head = yaml.dump(to_fields(plan), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
    return f"---\n{head}---\n\n{body.strip() or _body(plan)}\n"


def _represent_text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text.strip("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _body(plan: Plan) -> str:
    return f"# {plan.goal or plan.topic}"


def to_fields(plan: Plan) -> dict[str, Any]:
    """The head of a plan as plain data; what is as usual is left out."""
    usual = Plan(topic=plan.topic, plays=())
    fields: dict[str, Any] = {
        "goal": plan.goal,
        "repo": plan.repo,
        "base_branch": plan.base_branch,
        "agent": plan.agent,
        "gates": [_gate(gate) for gate in plan.gates],
        "final_gates": [_gate(gate) for gate in plan.final_gates],
        "budget": _budget(plan),
        "provider_limits": dict(plan.provider_limits),
        "setup": [_command(each) for each in plan.setup],
        "teardown": [_command(each) for each in plan.teardown],
        "copy": list(plan.copy),
        "notify": _notify(plan.notify),
    }
    for name in ("concurrency", "max_attempts", "timeout"):
        if getattr(plan, name) != getattr(usual, name):
            fields[name] = getattr(plan, name)
    known = {name: value for name, value in fields.items() if value}
    return {**known, "plays": [_play(play) for play in plan.plays]}


def _play(play: PlannedPlay) -> dict[str, Any]:
    fields = {
        "name": play.name,
        "intent": play.intent,
        "playbook": play.playbook,
        "args": dict(play.args),
        "agent": play.agent,
        "effort": play.effort,
        "depends_on": list(play.depends_on),
        "prompt": play.prompt,
        "max_attempts": play.max_attempts,
        "timeout": play.timeout,
    }
    known = {name: value for name, value in fields.items() if value}
    return known if play.gates is None else {**known, "gates": [_gate(gate) for gate in play.gates]}


def _gate(gate: Gate) -> dict[str, Any]:
    fields: dict[str, Any]
    if gate.kind is GateKind.PERSON:
        fields = {"person": gate.prompt or True}
    elif gate.kind is GateKind.REVIEW:
        fields = {"review": gate.agent, **({"prompt": gate.prompt} if gate.prompt else {})}
    else:
        fields = {"command": _command(gate.command)}
    return fields if gate.timeout == GATE_TIMEOUT else {**fields, "timeout": gate.timeout}


def _command(words: Command) -> str | list[str]:
    """As one text where that means the same."""
    text = shlex.join(words)
    return text if command(text) is None and tuple(shlex.split(text)) == words else list(words)


def _budget(plan: Plan) -> dict[str, Any]:
    budget = plan.budget
    cost = None if budget.cost_microusd is None else budget.cost_microusd / 1_000_000
    fields = {"tokens": budget.tokens, "cost": cost, "time": budget.seconds}
    return {name: value for name, value in fields.items() if value is not None}


def _notify(notify: Notify) -> dict[str, Any]:
    fields = {"webhook": notify.webhook, "command": _command(notify.command) if notify.command else None}
    known: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
    return known if notify.desktop else {"desktop": False, **known}
