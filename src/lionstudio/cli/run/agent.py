"""`li agent`: run one agent, kept message by message while it works."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, words
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PROVIDER_USAGE

DESCRIPTION = f"""\
Run one agent and keep everything it says and does while it happens. AGENT is a definition (`li agents ls`) or a
provider with an optional model: {PROVIDER_USAGE}. The script provider needs nothing
installed: it does what the prompt's lines say (@say, @think, @run, @write, @tool, @error, @agent … @end, @sleep,
@usage, @wait, @limit, @fail, @hang); their forms are in docs/agents.md, "The scripted agent"."""
# what follows `--` is the command of the provider `command`
TAKES_REST = True
EXAMPLES = (
    ('li agent script "@say hello"', "a first run that needs no program and no network"),
    ('li agent claude "fix the failing test"', "Claude Code in this folder"),
    ('li agent codex "explain this repository" --timeout 600', "Codex, for ten minutes at most"),
    ('li agent openai/llama3 "summarise README.md"', "a local model behind an OpenAI-compatible address"),
    ("li agent reviewer - < question.md", "an agent of your own, the prompt from a file"),
    ('li agent claude --resume 019e2f3c "and now the docs"', "continue a conversation"),
    ('li agent claude --fork 019e2f3c:12 "try it the other way"', "branch off after message 12"),
    ('li agent command "hello" -- ./my-agent --ask "{prompt}"', "any program"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li agent`."""
    add = parser.add_argument
    add("target", type=words, metavar="AGENT", help="an agent's name, or provider[/model]")
    add("prompt", nargs="?", metavar="PROMPT", help="what it is asked; - or nothing reads standard input")
    add_run_options(parser)
    add("--resume", type=words, metavar="SESSION", help="continue a session's conversation")
    add("--fork", type=words, metavar="SESSION[:ORD]", help="branch off a session, after message ORD of it")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options that every command which runs agents has."""
    add = parser.add_argument
    add("--name", type=words, metavar="NAME", help="the session's name")
    add("--model", type=words, metavar="MODEL", help="the model, instead of the definition's")
    add("--effort", type=words, metavar="E", help="how hard it should think, as the provider spells it")
    add("--permissions", choices=("ask", "edit", "all"), help="what it may do without asking")
    add("--system", type=words, metavar="TEXT", help="a system prompt, instead of the definition's")
    add("--timeout", type=integer(1, 30 * 86400), metavar="SECONDS", help="stop it after so many seconds")
    add("--cwd", metavar="DIR", help="the folder it works in (this one)")
    add("--pass-env", action="append", default=[], metavar="NAME", help="one more variable it may see; repeatable")
    add("--show-topic", type=words, metavar="TOPIC", help="the show this run belongs to")
    add("--show-play-name", type=words, metavar="PLAY", help="the play of that show")
    add("--team-mode", type=words, metavar="TEAM", help="it gets its inbox of this team, and how to write to it")
    add("--stream-persist", action="store_true", help="also keep the stream itself in runs/, for debugging")
    add("--background", action="store_true", help="go on without this terminal; prints the session's id")
    add("--session-id", type=words, help=argparse.SUPPRESS)
    # a show looks definitions and the project up in the user's repository: an agent may have changed those in its own
    # checkout, which is called like its play
    add("--definitions", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Run it; the exit code is the agent's."""
    if "" in (args.resume, args.fork, args.session_id, args.name, args.cwd):
        raise InvalidInput("an option was given without a value", hint="perhaps a variable is empty")
    if args.resume and args.fork:
        raise InvalidInput("--resume and --fork exclude each other", hint="--fork SESSION branches off its end")
    from lionstudio.cli.run import _execute, _start
    from lionstudio.runs.prepare import resolve
    from lionstudio.runs.prepare.build import prepare_agent

    place = _start.place_of(args)
    prompt = _execute.read_prompt(args.prompt, quiet=args.quiet)
    if not prompt.strip():
        raise InvalidInput("there is no prompt", hint='li agent AGENT "what to do"')
    who = _start.chosen_who(args, place, args.target)
    origin = None
    if args.resume or args.fork:
        with db_access.reading(place.settings.db) as conn:
            origin = resolve.find_resume_point(conn, resume=args.resume, fork=args.fork)
    team = _start.team_of(args, place)
    prepared = prepare_agent(
        place, _start.link_of(args), who, prompt, origin=origin, same_conversation=bool(args.resume), team=team
    )
    return _start.launch(args, place, prepared, prompt, args.timeout or who.timeout, team)
