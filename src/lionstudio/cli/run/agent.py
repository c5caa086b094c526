"""`li agent`: run one agent and record every message."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PERMISSIONS, PROVIDER_USAGE
from lionstudio.settings import SANDBOX_MODES

if TYPE_CHECKING:
    from lionstudio.model.questions import AnsweredQuestion

DESCRIPTION = f"""\
Run one agent and record every message as it arrives. AGENT is a definition (`li agents ls`) or a provider with an
optional model: {PROVIDER_USAGE}. The script provider needs no other program: it
executes the lines of the prompt (@say, @think, @run, @write, @tool, @error, @agent … @end, @sleep, @usage, @ask,
@wait, @allow, @limit, @fail, @hang); see "The scripted agent" in docs/reference/agents.md."""
# the arguments after `--` are the command line of the providers `acp` and `command`
TAKES_REST = True
EXAMPLES = (
    ('li agent script "@say hello"', "a first run, without any other program or network"),
    ('li agent claude "fix the failing test"', "Claude Code in this folder"),
    ('li agent codex "explain this repository" --timeout 600', "Codex, stopped after ten minutes"),
    ('li agent openai/llama3 "summarise README.md"', "a local model with an OpenAI-compatible API"),
    ("li agent reviewer - < question.md", "your own agent, with the prompt from a file"),
    ('li agent claude --resume 019e2f3c "and now the docs"', "continue a conversation"),
    ('li agent claude --fork 019e2f3c:12 "try it the other way"', "fork after message 12"),
    ('li agent claude "review the parser" --team-mode review --as critic', "as a member of a team"),
    ("li agent codex --show-env", "the environment variables that the agent gets"),
    ('li agent acp "add a test" --permissions edit -- gemini --acp', "an agent that speaks ACP"),
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
    add("--answered", action="append", default=[], help=argparse.SUPPRESS)  # questions of the session that died
    add("--as", dest="member", type=utf8, metavar="MEMBER", help="member that the agent is in --team-mode TEAM")
    add("--review-by", metavar="FILE", help=argparse.SUPPRESS)  # review as this pinned agent
    add("--show-env", action="store_true", help="list the environment variables that the agent gets, and run nothing")


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
    add("--permissions", choices=PERMISSIONS, help="actions allowed without asking (default: from the definition)")
    add("--system", type=utf8, metavar="TEXT", help="system prompt (default: from the definition)")
    add(
        "--timeout",
        type=integer(1, 30 * 86400),
        metavar="SECONDS",
        help="stop the run after this time, not counting time it waits for you (default: no limit)",
    )
    add("--cwd", metavar="DIR", help="working directory (default: the current folder)")
    add(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="pass this environment variable to the agent too; repeatable (`li agent AGENT --show-env` lists all)",
    )
    add(
        "--sandbox",
        choices=SANDBOX_MODES,
        help="confine the agent to its folder: where possible, always or never (default: only in shows)",
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
    add("--retries", type=utf8, help=argparse.SUPPRESS)  # the session of the attempt before, of a play
    # a show resolves definitions and the project in the user's repository: an agent may have changed them in its own
    # checkout, which is named after its play
    add("--definitions", help=argparse.SUPPRESS)
    add("--readable", action="append", default=[], help=argparse.SUPPRESS)  # more folders for a confined play


def run(args: argparse.Namespace) -> int:
    """Run the agent; the exit code is the agent's."""
    if "" in (args.resume, args.fork, args.session_id, args.name, args.cwd):
        raise InvalidInput("an option has an empty value", hint="check for an empty shell variable")
    if args.resume and args.fork:
        raise InvalidInput("--resume and --fork exclude each other", hint="use --fork SESSION to fork at the end")
    from lionstudio.cli.run import _execute, _start
    from lionstudio.runs.prepare.build import prepare_agent
    from lionstudio.runs.talk.continue_answered import load_answered, request_of

    context = _start.context_of(args)
    if args.show_env:
        from lionstudio.cli.run._show_env import show_env

        return show_env(args, context, _start.agent_of(args, context, args.target))
    answered: tuple[AnsweredQuestion, ...] = ()
    prompt = ""
    if args.answered:
        from lionstudio.agents.continuation import continuation_text

        with db_access.reading(context.settings.db) as conn:
            answered = load_answered(conn, args.answered, args.resume)
        prompt = continuation_text(answered) if answered else ""
    prompt = prompt or _execute.read_prompt(args.prompt, quiet=args.quiet)
    if not prompt.strip():
        raise InvalidInput("the prompt is empty", hint='li agent AGENT "your prompt"')
    agent = _start.agent_of(args, context, args.target)
    origin = None
    if args.resume or args.fork:
        from lionstudio.runs.prepare.resume_point import find_resume_point

        with db_access.reading(context.settings.db) as conn:
            origin = find_resume_point(conn, resume=args.resume, fork=args.fork)
    team = _start.team_of(args, context)
    prepared = prepare_agent(
        context,
        _start.link_of(args),
        agent,
        prompt,
        origin=origin,
        same_conversation=bool(args.resume),
        team=team,
        target=args.target,
        request=request_of(args.target, vars(args), _names_to_keep((*args.pass_env, *agent.pass_env)), args.rest or ()),
        answered=answered,
    )
    return _start.launch(args, context, prepared, prompt, args.timeout or agent.timeout, team)


def _names_to_keep(names: Sequence[str]) -> list[str]:
    """The variables for a run that continues this one; it has them from a person, so an agent must not choose them."""
    if not names:
        return []
    from lionstudio.runs.callers.caller import this_process

    return list(dict.fromkeys(names)) if this_process().agent is None else []
