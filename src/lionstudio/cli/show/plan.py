"""`li show plan`: the plan of a show from a file, by an agent or from a pattern, and what is wrong with it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from lionstudio.cli._show.template import unwritten
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import words
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
Write the plan of a show, `_show.md` in its folder: from a file, drafted by an agent, or as a pattern to edit. It is
checked first, and every mistake is told with its line; nothing is written then. Without --from and --agent a plan
that exists is only checked. A plan may be edited at any time: a running director takes the edit up at its next
step."""
EXAMPLES = (
    ("li show plan parser --goal 'a faster parser'", "a pattern for the repository you are in"),
    ("li show plan parser --from plan.md", "a plan that you have written elsewhere"),
    ("li show plan parser --agent claude --goal 'split the lexer from the parser'", "an agent drafts the DAG"),
    ("li show plan parser", "check the plan that is there"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li show plan`."""
    add = parser.add_argument
    add("topic", type=words, metavar="TOPIC", help="what the show is called: its folder, its branches, its sessions")
    add("--from", dest="source", metavar="FILE", help="a file with the plan; - reads standard input")
    add("--agent", type=words, metavar="AGENT", help="have the plan drafted by this agent; needs --goal")
    add("--repo", metavar="DIR", help="the repository (the one you are in)")
    add("--base", type=words, metavar="BRANCH", help="the branch to start from (the one that is checked out)")
    add("--goal", type=words, metavar="TEXT", help="what is to be reached")
    add("--force", action="store_true", help="replace a plan that is there")


def run(args: argparse.Namespace) -> int:
    """Write the plan, or say what is wrong with it."""
    settings = db_access.settings_of(args)
    folder = find_show_dir(settings, args.topic)
    path = os.path.join(folder, PLAN)
    exists = os.path.lexists(path)
    if exists and not (args.source or args.agent) and not args.force:
        text = with_fields(read_text(path), _given(args))
        return _finish(args, settings, folder, text, written=text != read_text(path))
    if exists and not args.force:
        raise Conflict(f"{args.topic} has a plan already: {path}", hint="edit it, or replace it with --force")
    text = _read(args) if args.source else _draft(args, settings) if args.agent else _pattern(args)
    return _finish(args, settings, folder, text, written=True)


def _given(args: argparse.Namespace) -> dict[str, str]:
    repo = os.path.abspath(args.repo) if args.repo else None
    given = {"goal": args.goal, "repo": repo, "base_branch": args.base}
    return {name: value for name, value in given.items() if value}


def _read(args: argparse.Namespace) -> str:
    source = sys.stdin.buffer.read().decode("utf-8", "replace") if args.source == "-" else read_text(args.source)
    fields = _given(args)
    if "repo" not in fields and not _says_repo(args.topic, source):
        fields["repo"] = _look(args).path
    return with_fields(source, fields)


def _says_repo(topic: str, text: str) -> bool:
    plan, _ = parse_plan(topic, text)
    return plan is None or plan.repo is not None


def _draft(args: argparse.Namespace, settings: Settings) -> str:
    if not args.goal:
        raise InvalidInput("an agent needs to know the goal", hint="add --goal 'what is to be reached'")
    from lionstudio.cli._show.draft import draft

    found = _look(args)
    fields = {"goal": args.goal, "repo": found.path, **({"base_branch": args.base} if args.base else {})}
    return draft(args, settings, found.path, fields)


def _pattern(args: argparse.Namespace) -> str:
    found = _look(args)
    fields = {"goal": args.goal or "What is to be reached, in one line", "repo": found.path}
    if found.base_branch or args.base:
        fields["base_branch"] = args.base or str(found.base_branch)
    return with_fields(PATTERN, fields)


def _look(args: argparse.Namespace) -> RepoReport:
    from lionstudio.shows.git.preflight import check_repo

    return check_repo(os.path.abspath(args.repo or os.getcwd()), args.base, args.topic)


def _finish(args: argparse.Namespace, settings: Settings, folder: str, text: str, *, written: bool) -> int:
    """Check the text; write it with its row when nothing is wrong."""
    plan, found = parse_plan(args.topic, text)
    if plan is not None:
        found = [*found, *problems_here(plan, settings)]
    wrong = any(problem.severity == "error" for problem in found)
    if plan is not None and not wrong:
        _record(settings, folder, plan, text, written=written)
    _print(args, os.path.join(folder, PLAN), plan, found, written=written and not wrong)
    return InvalidInput.exit_code if wrong else 0


def problems_here(plan: Plan, settings: Settings) -> list[Problem]:
    """What this machine does not have, and what stands in the way in the repository."""
    from lionstudio.files.definitions.agents import PROVIDERS
    from lionstudio.files.definitions.catalog import list_definitions
    from lionstudio.shows.git.preflight import check_repo

    where = plan.repo or os.getcwd()
    names = {
        kind: [each.name for each in list_definitions(kind, settings.home, where) if each.error is None]
        for kind in ("agent", "playbook")
    }
    found = check_plan(plan, names["playbook"], [*names["agent"], *PROVIDERS])
    if plan.repo is None:
        return found
    try:
        seen = check_repo(plan.repo, plan.base_branch, plan.topic)
    except LionError as refused:
        return [*found, error(None, refused.message, refused.hint)]
    return [*found, *(error(None, each) for each in seen.problems), *(warning(None, each) for each in seen.warnings)]


def _record(settings: Settings, folder: str, plan: Plan, text: str, *, written: bool) -> None:
    from lionstudio.shows.process.lock import has_director
    from lionstudio.shows.records.play_records import save_show
    from lionstudio.system.atomic_write import write_text

    if has_director(folder):  # its director alone writes the rest, and takes the plan up by itself
        if written:
            write_text(os.path.join(folder, PLAN), text)
        return
    with db_access.database(settings.db, create=True) as database:
        save_show(folder, database, plan, text)


def _print(args: argparse.Namespace, path: str, plan: Plan | None, found: list[Problem], *, written: bool) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        names = list(plan.names) if plan is not None else []
        told = [problem._asdict() for problem in found]
        print_json({"topic": args.topic, "path": path, "plays": names, "problems": told, "written": written})
        return
    for problem in found:
        place = f"{path}:{problem.line}" if problem.line is not None else path
        hint = f" ({problem.hint})" if problem.hint else ""
        say(inline(f"{place}: {problem.severity}: {problem.message}{hint}"))
    if plan is None or any(problem.severity == "error" for problem in found):
        say("Nothing was written." if args.source or args.agent else "The plan cannot be run like this.")
        return
    emit(f"{path}\n")
    say(f"{count(len(plan.plays), 'play')}: {', '.join(plan.names)}", quiet=args.quiet)
    if names := unwritten(plan):
        say(f"Edit it first ({', '.join(names)}: what the agent is to do): {path}", quiet=args.quiet)
    say(f"{'Then run' if names else 'Run'} it: li show run {args.topic}", quiet=args.quiet)
