"""Approving a play against its gates: list what is overridden, refuse what must not be merged, and ask."""

from __future__ import annotations

import argparse
import os
from typing import Any

from lionstudio.cli._show.decide import check_folder, find_decidable_play
from lionstudio.cli._show.held_back import check_shown
from lionstudio.cli._show.load import LoadedShow, load_show
from lionstudio.cli._show.place import place
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import Conflict
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.model.shows.agent_settings import describe_steering
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.left_out import LeftOut, describe
from lionstudio.model.shows.plan import GateKind
from lionstudio.model.shows.show import Play
from lionstudio.model.shows.show_files import VERDICT
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.git.collect_work import ProblemCode
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.system.json_read import find_object


def confirm_override(args: argparse.Namespace) -> bool:
    """Return whether the user agrees to merge a play against its gates; True when nothing is overridden."""
    settings = db_access.settings_of(args)
    loaded, folder = load_show(args), find_show_dir(settings, args.topic)
    check_folder(loaded, folder, settings)
    play = find_decidable_play(loaded, args.play, DecisionKind.APPROVE)
    check_shown(args, play)
    args.attempt, args.head = play.attempt, play.collected_head  # the decision is about what is listed below
    meta = play.metadata.get("meta")
    fields: dict[str, Any] = meta if isinstance(meta, dict) else {}
    _refuse(args, play, fields, place(settings))
    lines = overridden(loaded, folder, play, fields)
    if not lines:
        return True
    say(f"Approving {inline(args.topic)}/{inline(play.name)} overrides:")
    for line in lines:
        say(f"  {inline(line)}")
    hint = f"li show approve {args.topic} {play.name} --yes{' --force' if args.force else ''}{place(settings)}"
    consent = confirm(args, "approve overrides gates", hint=hint)
    return consent("Merge it anyway?")


def _refuse(args: argparse.Namespace, play: Play, fields: dict[str, Any], where: str) -> None:
    codes, problems = fields.get("problem_codes") or [], fields.get("problems") or [""]
    name = f"{args.topic} {play.name}"
    if ProblemCode.UNREADABLE in codes:
        raise Conflict(
            f"{play.name} cannot be merged: {problems[0]}",
            hint=f"its checkout is kept: {play.worktree}; start another attempt: li show redo {name}{where}",
        )
    if codes and not args.force:
        raise Conflict(
            f"{play.name} must not be merged: {problems[0]}",
            hint=f"li show redo {name}{where}, or merge it as it is: li show approve {name} --force{where}",
        )


def overridden(loaded: LoadedShow, folder: str, play: Play, fields: dict[str, Any]) -> list[str]:
    """List the gates of a play that did not pass, and its other problems; none for a play whose gates passed."""
    if play.status is PlayStatus.GATED:
        return []
    verdict = find_object(os.path.join(folder, play.name, VERDICT)) or {}
    checks = verdict.get("checks") if verdict.get("attempt") == play.attempt else None
    results = {check.get("title"): check for check in checks or [] if isinstance(check, dict)}
    plan, _ = parse_plan(loaded.show.topic, str(loaded.show.metadata.get("plan") or ""))
    gates = plan.gates_of(play.name) if plan is not None and play.name in plan else ()
    lines = []
    for gate in (gate for gate in gates if gate.kind is not GateKind.PERSON):
        check = results.get(gate.title)
        if check is None:
            lines.append(f"gate {gate.title}: did not run on attempt {play.attempt}")
        elif not check.get("passed"):
            lines.append(f"gate {gate.title}: {check.get('summary')}")
    lines += [str(problem) for problem in fields.get("problems") or []]
    left_out = LeftOut.parse(fields.get("left_out"))
    steering = [str(path) for path in fields.get("steering_files") or []]
    return [*lines, *([describe(left_out)] if left_out else []), *([describe_steering(steering)] if steering else [])]
