"""`li agent`: run one agent and record every message."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PROVIDER_USAGE

DESCRIPTION = f"""\
Run one agent and record every message as it arrives. AGENT is a definition (`li agents ls`) or a provider with an
optional model: {PROVIDER_USAGE}. The script provider needs no other program: it
executes the lines of the prompt (@say, @think, @run, @write, @tool, @error, @agent … @end, @sleep, @usage, @wait,
@limit, @fail, @hang); see "The scripted agent" in docs/reference/agents.md."""
# the arguments after `--` are the command line of the provider `command`
TAKES_REST = True
EXAMPLES = (
    ('li agent script "@say hello"', "a first run, without any other program or network"),
    ('li agent claude "fix the failing test"', "Claude Code in this folder"),
    ('li agent codex "explain this repository" --timeout 600', "Codex, stopped after ten minutes"),
    ('li agent openai/llama3 "summarise README.md"', "a local model with an OpenAI-compatible API"),
    ("li agent reviewer - < question.md", "your own agent, with the prompt from a file"),
    ('li agent claude --resume 019e2f3c "and now the docs"', "continue a conversation"),
    ('li agent claude --fork 019e2f3c:12 "try it the other way"', "fork after message 12"),
    ('li agent command "hello" -- ./my-agent --ask "{prompt}"', "any program"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", type=utf8, metavar="AGENT", help="agent name, or provider[/model]")
    add("prompt", nargs="?", metavar="PROMPT", help="the prompt; omit it or pass - to read stdin")
    add_run_options(parser)
    add("--resume", type=utf8, metavar="SESSION", help="continue the conversation of a session")
    add(
        "--fork",
        type=utf8,
        metavar="SESSION[:ORD]",
        help="fork a session after message ORD (default: its last message)",
    )


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Options shared by all commands that run agents."""
    add = parser.add_argument
    add("--name", type=utf8, metavar="NAME", help="name of the session")
    add("--model", type=utf8, metavar="MODEL", help="model (default: from the definition)")
    add(
        "--effort",
        type=utf8,
        metavar="E",
        help="reasoning effort, in the provider's terms (default: from the definition)",
    )
    add(
        "--permissions",
        choices=("ask", "edit", "all"),
        help="actions allowed without asking (default: from the definition)",
    )
    add("--system", type=utf8, metavar="TEXT", help="system prompt (default: from the definition)")
    add(
        "--timeout",
        type=integer(1, 30 * 86400),
        metavar="SECONDS",
        help="stop the run after this time (default: no limit)",
    )
    add("--cwd", metavar="DIR", help="working directory (default: the current folder)")
    add(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="pass this environment variable to the agent; repeatable",
    )
    add("--show-topic", type=utf8, metavar="TOPIC", help="show that the run belongs to")
    add("--show-play-name", type=utf8, metavar="PLAY", help="play of that show")
    add(
        "--team-mode",
        type=utf8,
        metavar="TEAM",
        help="join this team: add its inbox and reply instructions to the prompt",
    )
    add("--stream-persist", action="store_true", help="also write the raw stream to runs/ in the home, for debugging")
    add("--background", action="store_true", help="run detached from the terminal and print the session id")
    add("--session-id", type=utf8, help=argparse.SUPPRESS)
    # a show resolves definitions and the project in the user's repository: an agent may have changed them in its own
    # checkout, which is named after its play
    add("--definitions", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Run the agent; the exit code is the agent's."""
    if "" in (args.resume, args.fork, args.session_id, args.name, args.cwd):
        raise InvalidInput("an option has an empty value", hint="check for an empty shell variable")
    if args.resume and args.fork:
        raise InvalidInput("--resume and --fork exclude each other", hint="use --fork SESSION to fork at the end")
    from lionstudio.cli.run import _execute, _start
    from lionstudio.runs.prepare import resolve
    from lionstudio.runs.prepare.build import prepare_agent

    context = _start.context_of(args)
    prompt = _execute.read_prompt(args.prompt, quiet=args.quiet)
    if not prompt.strip():
        raise InvalidInput("the prompt is empty", hint='li agent AGENT "your prompt"')
    agent = _start.agent_of(args, context, args.target)
    origin = None
    if args.resume or args.fork:
        with db_access.reading(context.settings.db) as conn:
            origin = resolve.find_resume_point(conn, resume=args.resume, fork=args.fork)
    team = _start.team_of(args, context)
    prepared = prepare_agent(
        context, _start.link_of(args), agent, prompt, origin=origin, same_conversation=bool(args.resume), team=team
    )
    return _start.launch(args, context, prepared, prompt, args.timeout or agent.timeout, team)
