"""`li team send`: send a message to one, several or all members; agents call it from a shell."""

from __future__ import annotations

import argparse

from lionstudio.cli._person import log_refusal
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.talk._sender import agent_name, calling_agents
from lionstudio.cli.talk.send import read_stdin
from lionstudio.cli.team._context import TeamContext, message_wire, team_context, warn
from lionstudio.errors import LionError
from lionstudio.files.teams.team_file import OUTSIDER, OUTSIDERS
from lionstudio.runs.callers.caller import this_process
from lionstudio.runs.talk.send import words_of_agent
from lionstudio.state.runs.active_owners import RunningOwner
from lionstudio.state.teams import list_running_members
from lionstudio.teams.service import MAX_TEXT_LENGTH, current_session_id

DESCRIPTION = """\
Send a message to one, several or all members of a team. The message is on disk when the command returns, and reaches
members that run now (--team-mode of li agent) while they work. Inside a run started by Lion Studio, the message is
linked to that run, and an agent that is a member sends only as this member."""
EXAMPLES = (
    ('li team send review "Start with the parser" --as critic --to analyst', "to one member"),
    ('li team send review "I am done" --as analyst', "to all"),
    ("git diff | li team send review - --as analyst --to critic", "read the text from stdin"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name or id")
    parser.add_argument("text", metavar="TEXT", help="message text; - reads stdin")
    parser.add_argument(
        "--as",
        "--from",
        dest="sender",
        metavar="MEMBER",
        help="sender (default: the member that the calling agent is, else _cli)",
    )
    parser.add_argument(
        "--to",
        metavar="Y",
        action="append",
        help="recipient: a member, several as a,b, or all; repeatable (default all)",
    )


def run(args: argparse.Namespace) -> int:
    text = read_stdin(MAX_TEXT_LENGTH) if args.text == "-" else args.text
    to = [name.strip() for value in args.to or ["all"] for name in value.split(",") if name.strip()]
    with team_context(args) as context:
        session_id = current_session_id(context.db)
        agents = None if context.db is None else calling_agents(context.db.path)
        sender = _sender(context, args, agents)
        if agents is not None and sender in OUTSIDERS:  # a person writes under this name too
            text = words_of_agent(agent_name(agents), text)
        sent = context.teams.send(args.name, text, sender=sender, to=to, session_id=session_id)
        warn(sent, args)
    (message,) = sent.messages
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"message": message_wire(message), "team_id": sent.team.id, "in_table": sent.unstored is None})
    else:
        recipient = "everyone" if message.recipient == "all" else inline(message.recipient)
        emit(f"Sent to {recipient} in {inline(sent.team.name)} ({message.id})\n")
    return 0


def _sender(context: TeamContext, args: argparse.Namespace, agents: list[RunningOwner] | None) -> str:
    """The sender: a person may be any member; an agent is the member it runs as, or one that no other run is."""
    if context.db is None or agents is None:
        return args.sender or OUTSIDER
    team = context.teams.get(args.name).team
    running = context.db.read(lambda conn: list_running_members(conn, team.id))
    own = {agent.id for agent in agents[:1]}
    member = next((name for name, session_id in running.items() if session_id in own), None)
    sender: str = args.sender or member or OUTSIDER
    is_other = sender in running and running[sender] not in own
    if (member is not None and sender != member) or is_other or sender in {*OUTSIDERS} - {OUTSIDER}:
        who = f"the member {member}" if member is not None else f"not the run of {sender}"
        message = f"sending as {sender!r:.60} is refused: the caller is {who} in the team {team.name}"
        log_refusal(context.settings.home, None, "li team send", None, message, this_process().origin())
        raise LionError(message, hint="leave --as out")
    return sender
