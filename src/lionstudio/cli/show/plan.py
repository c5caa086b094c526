"""`li show plan`: write the plan of a show from a file, an agent or a template, or check it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from lionstudio.cli._show.place import place
from lionstudio.cli._show.template import placeholder_plays
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import Conflict, InvalidInput, LionError
from lionstudio.files.formats.field_rules import Problem, error, warning
from lionstudio.files.shows.plan_checks import check_plan
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.files.shows.plan_template import PATTERN, with_fields
from lionstudio.model.shows.show_files import PLAN
from lionstudio.settings import Settings
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.system.safe_read import read_text

if TYPE_CHECKING:
    from lionstudio.model.shows.plan import Plan
    from lionstudio.shows.git.preflight import RepoReport

DESCRIPTION = """\
Write the plan of a show, `_show.md` in its folder: from a file, drafted by an agent, or from a template. The plan is
checked first; errors are printed with their line and nothing is written. Without --from and --agent, an existing plan
is only checked. You may edit a plan at any time: a running director reads the change at its next step."""
EXAMPLES = (
    ("li show plan parser --goal 'a faster parser'", "a template for the current repository"),
    ("li show plan parser --from plan.md", "a plan from a file"),
    ("li show plan parser --agent claude --goal 'split the lexer from the parser'", "a plan drafted by an agent"),
    ("li show plan parser", "check the existing plan"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", type=utf8, metavar="TOPIC", help="name of the show; its folder, branches and sessions use it")
    add("--from", dest="source", metavar="FILE", help="read the plan from FILE; - reads stdin")
    add("--agent", type=utf8, metavar="AGENT", help="agent that drafts the plan; needs --goal")
    add("--repo", metavar="DIR", help="repository (default: the current one)")
    add("--base", type=utf8, metavar="BRANCH", help="branch to start from (default: the checked-out one)")
    add("--goal", type=utf8, metavar="TEXT", help="goal of the show")
    add("--force", action="store_true", help="replace an existing plan")


def run(args: argparse.Namespace) -> int:
    """Exit code 2 if the plan is invalid."""
    settings = db_access.settings_of(args)
    folder = find_show_dir(settings, args.topic)
    path = os.path.join(folder, PLAN)
    exists = os.path.lexists(path)
    if exists and not (args.source or args.agent) and not args.force:
        text = with_fields(read_text(path), _fields(args))
        return _finish(args, settings, folder, text, written=text != read_text(path))
    if exists and not args.force:
        raise Conflict(f"{args.topic} already has a plan: {path}", hint="edit it, or replace it with --force")
    text = _read(args) if args.source else _draft(args, settings) if args.agent else _template(args)
    return _finish(args, settings, folder, text, written=True)


def _fields(args: argparse.Namespace) -> dict[str, str]:
    repo = os.path.abspath(args.repo) if args.repo else None
    fields = {"goal": args.goal, "repo": repo, "base_branch": args.base}
    return {name: value for name, value in fields.items() if value}


def _read(args: argparse.Namespace) -> str:
    source = sys.stdin.buffer.read().decode("utf-8", "replace") if args.source == "-" else read_text(args.source)
    fields = _fields(args)
    if "repo" not in fields and not _names_repo(args.topic, source):
        fields["repo"] = _check_repo(args).path
    return with_fields(source, fields)


def _names_repo(topic: str, text: str) -> bool:
    plan, _ = parse_plan(topic, text)
    return plan is None or plan.repo is not None


def _draft(args: argparse.Namespace, settings: Settings) -> str:
    if not args.goal:
        raise InvalidInput("--agent needs a goal", hint="add --goal 'the goal of the show'")
    from lionstudio.cli._show.draft import draft

    repo = _check_repo(args)
    fields = {"goal": args.goal, "repo": repo.path, **({"base_branch": args.base} if args.base else {})}
    return draft(args, settings, repo.path, fields)


def _template(args: argparse.Namespace) -> str:
    repo = _check_repo(args)
    fields = {"goal": args.goal or "The goal of the show, in one line", "repo": repo.path}
    if repo.base_branch or args.base:
        fields["base_branch"] = args.base or str(repo.base_branch)
    return with_fields(PATTERN, fields)


def _check_repo(args: argparse.Namespace) -> RepoReport:
    from lionstudio.shows.git.preflight import check_repo

    return check_repo(os.path.abspath(args.repo or os.getcwd()), args.base, args.topic)


def _finish(args: argparse.Namespace, settings: Settings, folder: str, text: str, *, written: bool) -> int:
    """Check the text; write it and its row if it is valid."""
    plan, problems = parse_plan(args.topic, text)
    if plan is not None:
        problems = [*problems, *environment_problems(plan, settings)]
    invalid = any(problem.severity == "error" for problem in problems)
    if plan is not None and not invalid:
        _record(settings, folder, plan, text, written=written)
    _print(args, settings, os.path.join(folder, PLAN), plan, problems, written=written and not invalid)
    return InvalidInput.exit_code if invalid else 0


def environment_problems(plan: Plan, settings: Settings) -> list[Problem]:
    """Missing agents and playbooks, and problems of the repository."""
    from lionstudio.files.definitions.catalog import list_definitions
    from lionstudio.model.providers import PROVIDER_NAMES
    from lionstudio.shows.git.preflight import check_repo
    from lionstudio.state.backends import is_server

    folder = plan.repo or os.getcwd()
    names = {
        kind: [item.name for item in list_definitions(kind, settings.home, folder) if item.error is None]
        for kind in ("agent", "playbook")
    }
    problems = check_plan(plan, names["playbook"], [*names["agent"], *PROVIDER_NAMES])
    problems += [] if problems else _reviewer_problems(plan, settings)
    is_played_here = plan.remote is None or not is_server(settings.db)  # a worker passes the values of its machine
    wanted = dict.fromkeys(name for play in plan.names for name in plan.pass_env_of(play) if is_played_here)
    problems += [
        warning(None, f"pass_env names {name}, which is not set here", f"export {name}=… before li show run")
        for name in wanted
        if name not in os.environ
    ]
    if plan.repo is None:
        return problems
    try:
        repo = check_repo(plan.repo, plan.base_branch, plan.topic)
    except LionError as plan_error:
        return [*problems, error(None, plan_error.message, plan_error.hint)]
    problems += [error(None, message) for message in repo.problems]
    return [*problems, *(warning(None, message) for message in repo.warnings)]


def _reviewer_problems(plan: Plan, settings: Settings) -> list[Problem]:
    from lionstudio.shows.gates.reviewers import pin_reviewer, reviewers_of

    problems = []
    for name in reviewers_of(plan):
        try:
            pin_reviewer(name, plan, settings)
        except LionError as refusal:
            problems.append(error(None, refusal.message, refusal.hint))
    return problems


def _record(settings: Settings, folder: str, plan: Plan, text: str, *, written: bool) -> None:
    from lionstudio.shows.process.lock import has_director
    from lionstudio.shows.records.play_records import save_show
    from lionstudio.system.atomic_write import write_text

    if has_director(folder):  # only its director writes the rest; it reads the new plan itself
        if written:
            write_text(os.path.join(folder, PLAN), text)
        return
    with db_access.database(settings.db, create=True) as database:
        save_show(folder, database, plan, text)


def _print(
    args: argparse.Namespace,
    settings: Settings,
    path: str,
    plan: Plan | None,
    problems: list[Problem],
    *,
    written: bool,
) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        names = list(plan.names) if plan is not None else []
        wire = [problem._asdict() for problem in problems]
        print_json({"topic": args.topic, "path": path, "plays": names, "problems": wire, "written": written})
        return
    for problem in problems:
        line = f"{path}:{problem.line}" if problem.line is not None else path
        hint = f" ({problem.hint})" if problem.hint else ""
        say(inline(f"{line}: {problem.severity}: {problem.message}{hint}"))
    if plan is None or any(problem.severity == "error" for problem in problems):
        say("Invalid plan; nothing written." if args.source or args.agent else "The plan is invalid and cannot run.")
        return
    emit(f"{path}\n")
    say(f"{count(len(plan.plays), 'play')}: {', '.join(plan.names)}", quiet=args.quiet)
    if names := placeholder_plays(plan):
        say(f"Replace the placeholder prompts of {', '.join(names)} in {path}", quiet=args.quiet)
    say(f"{'Then run' if names else 'Run'} it: li show run {args.topic}{place(settings)}", quiet=args.quiet)
