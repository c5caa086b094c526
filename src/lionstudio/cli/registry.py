"""Every command: its name, its module below `lionstudio.cli`, and its line in the help.

Plain data: `li --help` prints it without importing a command.
"""

from __future__ import annotations

from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS

SECTIONS: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "Run agents",
        (
            ("agent", "run.agent", "run one agent and record every message"),
            ("play", "run.play", "run a playbook"),
            ("flow", "run.flow", "run several agents in one session and pass answers on"),
            ("fanout", "run.fanout", "give one task to several agents and combine their answers"),
            ("ps", "run.ps", "list active runs, their health and the evidence"),
            ("logs", "run.logs", "print or follow a run's messages"),
            ("wait", "run.wait", "wait until runs end and return their exit code"),
            ("kill", "run.kill", "stop a run and every process it started"),
        ),
    ),
    (
        "Answer and talk to running agents",
        (
            ("ask ls", "ask.ls", "list what waits for you"),
            ("ask show", "ask.show", "show a question in full"),
            ("ask answer", "ask.answer", "answer a question"),
            ("send", "talk.send", "write to a running agent"),
            ("attach", "talk.attach", "follow a run, answer its questions and write to it"),
        ),
    ),
    (
        "Run shows (many agents, one repository)",
        (
            ("show plan", "show.plan", "write, draft or check the plan of a show"),
            ("show run", "show.run", "start a show and watch it, or attach to a running one"),
            ("show resume", "show.resume", "continue a show after a crash, a reboot or a decision"),
            ("show ls", "show.ls", "list shows, their progress and the plays that need you"),
            ("show status", "show.status", "show the state of every play, with the reason"),
            ("show log", "show.log", "print or follow the output of a play's agent and gates"),
            ("show approve", "show.approve", "approve a play, accept a show, or raise its budget"),
            ("show reject", "show.reject", "reject a play"),
            ("show redo", "show.redo", "queue a play for another attempt, with your feedback"),
            ("show escalate", "show.escalate", "stop a play and hand it to a person"),
            ("show abort", "show.abort", "stop a show now; merged work stays merged"),
            ("show clean", "show.clean", "remove checkouts, files and refs that ended shows no longer need"),
            ("show graph", "show.graph", "draw the dependency graph of the plays"),
            ("show critical-path", "show.critical_path", "print the chain of plays that decides the end time"),
            ("demo", "demo", "watch a show of eight scripted agents; needs only git"),
        ),
    ),
    (
        "Inspect sessions",
        (
            ("state ls", "state.ls", "list sessions, newest first"),
            ("state show", "state.show", "show one session: its state, branches and messages"),
            ("state rename", "state.rename", "give a session a name"),
            ("state tag", "state.tag", "print, add or remove the tags of a session"),
            ("state note", "state.note", "print or set the note of a session"),
            ("state search", "state.search", "search the text of all messages"),
            ("state embed", "state.upkeep.embed", "compute the embeddings that semantic search needs"),
            ("state changes", "state.changes", "print the files that a session changed, as a diff"),
            ("state export", "state.export", "export one session as HTML, Markdown, JSON or JSON Lines"),
            ("usage", "usage", "sum tokens, money and runs by day, model, project, …"),
            ("studio", "studio", "serve the web UI on this machine"),
            ("openapi", "openapi", "print the OpenAPI description of the HTTP API"),
        ),
    ),
    (
        "Define agents",
        (
            ("agents ls", "definitions.ls", "list agents"),
            ("agents show", "definitions.show", "show one agent"),
            ("agents validate", "definitions.validate", "check agents and print problems with their line"),
            ("agents new", "definitions.new", "create an agent"),
            ("agents history", "definitions.history", "list the versions of an agent"),
            ("agents diff", "definitions.diff", "compare two versions of an agent"),
            ("agents rollback", "definitions.rollback", "restore an earlier version of an agent"),
            ("playbooks ls", "definitions.ls", "list playbooks"),
            ("playbooks show", "definitions.show", "show one playbook"),
            ("playbooks validate", "definitions.validate", "check playbooks and print problems with their line"),
            ("playbooks new", "definitions.new", "create a playbook"),
            ("playbooks history", "definitions.history", "list the versions of a playbook"),
            ("playbooks diff", "definitions.diff", "compare two versions of a playbook"),
            ("playbooks rollback", "definitions.rollback", "restore an earlier version of a playbook"),
            ("skills ls", "definitions.ls", "list skills, including those of plugins"),
            ("skills show", "definitions.show", "show one skill"),
            ("skills validate", "definitions.validate", "check skills"),
            ("plugins ls", "definitions.ls", "list plugins with their skills, agents, commands and hooks"),
            ("plugins show", "definitions.show", "show one plugin"),
            ("plugins validate", "definitions.validate", "check plugins and their components"),
        ),
    ),
    (
        "Exchange messages in teams",
        (
            ("team create", "team.create", "create a team"),
            ("team add", "team.add", "add members to a team"),
            ("team ls", "team.ls", "list teams"),
            ("team show", "team.show", "show a team and its messages"),
            ("team send", "team.send", "send a message to one, several or all members"),
            ("team inbox", "team.inbox", "print the messages addressed to a member"),
            ("team archive", "team.archive", "archive a team, or reactivate it"),
            ("team export", "team.export", "export a team as JSON"),
        ),
    ),
    (
        "Import transcripts of other tools",
        (
            *(
                (f"mirror {tool}", "mirror._tool", f"import {title} transcripts, and follow them")
                for tool, (title, _) in TRANSCRIPT_TOOLS.items()
            ),
            ("mirror all", "mirror._tool", "import the transcripts of every known tool, and follow them"),
            ("mirror status", "mirror.status", "show imported and pending transcripts, and those about to expire"),
        ),
    ),
    (
        "Maintain the database",
        (
            ("state stats", "state.stats", "print the size, contents and settings of the database"),
            ("state doctor", "state.upkeep.doctor", "check the database and its runs, with evidence"),
            ("state rm", "state.rm", "delete single sessions with their messages and files"),
            ("state upgrade", "state.upgrade", "upgrade the database file to the current schema"),
            ("state backup", "state.upkeep.backup", "back up the database, safely while in use"),
            ("state prune", "state.upkeep.prune", "delete old sessions"),
            ("state checkpoint", "state.upkeep.checkpoint", "checkpoint the write-ahead log"),
            ("state vacuum", "state.upkeep.vacuum", "rebuild the database file without its free space"),
            ("state path", "state.path", "print the path of the database"),
            ("state import", "state.imports.runs", "import run folders of older tools"),
            ("state import-db", "state.imports.db", "import another state.db of any version"),
            (
                "state import-home",
                "state.imports.home",
                "import a whole home: database, runs, teams, shows, definitions",
            ),
            ("state import-shows", "state.imports.shows", "sync show folders into the database (safe to repeat)"),
            ("state import-teams", "state.imports.teams", "sync team files into the database (safe to repeat)"),
        ),
    ),
    (
        "Share a database with a team",
        (
            ("hub init", "hub.init", "create or upgrade the tables of a hub, and report what its server lacks"),
            ("hub push", "hub.push", "copy the sessions of this machine to the hub, once or continuously"),
            ("hub status", "hub.status", "show the hub, its machines, and what is not pushed yet"),
            ("worker", "worker", "play the shows of a hub on this machine"),
            ("workers ls", "workers.ls", "list the workers of the hub, their load and what waits for them"),
            ("workers drain", "workers.drain", "let a worker finish what it has and take nothing new"),
            ("workers rm", "workers.rm", "remove a worker that is gone from the list"),
        ),
    ),
    (
        "Set up",
        (
            ("connect", "connect", "connect Claude Code or Codex in your own terminals to Studio"),
            ("mcp", "mcp", "serve your history to agents over MCP, on standard input and output"),
            ("trust", "trust", "allow the agents, playbooks and skills of a repository"),
            ("config", "config", "print every setting and its source, or change one"),
            ("completion", "completion", "print the completion script for bash, zsh or fish"),
            ("version", "version", "print the version"),
        ),
    ),
)
MODULES: dict[str, str] = {name: module for _, commands in SECTIONS for name, module, _ in commands}
COMMANDS: dict[str, str] = {name: summary for _, commands in SECTIONS for name, _, summary in commands}
GROUPS: dict[str, str] = {
    "ask": "answer the questions of agents and shows",
    "show": "plan, run and merge the work of many agents on one repository",
    "state": "inspect, search and maintain recorded sessions",
    "agents": "manage agents (Markdown files with a system prompt)",
    "playbooks": "manage playbooks (YAML files with a prompt template)",
    "skills": "list and check skills of the project, the home, Claude and plugins",
    "plugins": "list and check plugins of marketplaces and caches",
    "hub": "share one database with a team, on a PostgreSQL server",
    "workers": "see and drain the machines that play the shows of a hub",
    "mirror": "import the transcripts of other tools, once or continuously",
    "team": "send messages between the agents of a team",
}
# Commands that work without a home, or create it; the others refuse a --home or --db that does not exist.
CREATING: tuple[str, ...] = (
    *("agent", "play", "flow", "fanout", "demo", "studio", "openapi", "trust", "config", "completion", "version"),
    *("connect", "mcp", "hub init", "worker"),
    *("show plan", "show run", "team create", "agents new", "playbooks new", "state path"),
    *(name for name in COMMANDS if name.startswith(("mirror ", "state import")) and name != "mirror status"),
)
# Commands that run for long, beside agents of the same user: their memory, with the environment, is kept private.
LASTING: tuple[str, ...] = (
    *(
        "agent",
        "play",
        "flow",
        "fanout",
        "logs",
        "wait",
        "attach",
        "demo",
        "studio",
        "show run",
        "show resume",
        "show log",
        "hub push",
        "worker",
    ),
    *(name for name in COMMANDS if name.startswith("mirror ") and name != "mirror status"),
)
# Every command takes these, before or after its name: option, metavar ("" for a flag), meaning.
GLOBAL_OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("--home", "DIR", "data folder (default: LIONAGI_HOME, ~/.lionagi)"),
    ("--db", "FILE", "database file, or address of a hub (default: LIONAGI_DB, state.db in the home)"),
    ("--json", "", "print JSON, including errors on stderr"),
    ("--no-color", "", "print without colours (like NO_COLOR)"),
    ("--quiet", "", "print only results and errors"),
)

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("li state ls --since 2d --status failed", "runs that failed in the last two days"),
    ("li state show 019e2f3c", "a session by the start of its id"),
    ("li state search database locked", "messages with both words"),
    ("li state ls --json | jq '.sessions[].id'", "session ids for a script"),
)


def overview() -> str:
    lines = ["Everything your agents do, recorded and visible live.", "", "usage: li COMMAND [options]"]
    for title, commands in SECTIONS:
        lines += ["", f"{title}:", *_aligned(_entries(tuple(name for name, _, _ in commands)))]
    options = [(f"{option} {value}".rstrip(), meaning) for option, value, meaning in GLOBAL_OPTIONS]
    lines += ["", "Options of every command:", *_aligned([*options, ("-h, --help", "print the help of a command")])]
    lines += ["", "Examples:", *_aligned(EXAMPLES, 44)]
    return "\n".join(lines) + "\n"


def _entries(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """A line per command; a group that a section has in full is one line, with a second one for its verbs."""
    entries: list[tuple[str, str]] = []
    for name in names:
        group = name.partition(" ")[0]
        members = [command for command in COMMANDS if command.startswith(f"{group} ")]
        if not members or not set(members).issubset(names):
            entries.append((f"li {name}", COMMANDS[name]))
        elif name == members[0]:
            entries.append((f"li {group}", GROUPS[group]))
            entries.append(("", "  " + " · ".join(command.partition(" ")[2] for command in members)))
    return entries


def group_overview(group: str) -> str:
    commands = [(f"li {name}", summary) for name, summary in COMMANDS.items() if name.startswith(f"{group} ")]
    summary = GROUPS[group]
    lines = [f"{summary[0].upper()}{summary[1:]}.", "", f"usage: li {group} COMMAND [options]", "", "Commands:"]
    lines += [*_aligned(commands), "", f"`li {group} COMMAND --help` prints the options of a command, with examples."]
    return "\n".join(lines) + "\n"


def _aligned(rows: list[tuple[str, str]] | tuple[tuple[str, str], ...], width: int = 24) -> list[str]:
    return [f"  {left:<{width}}{right}" for left, right in rows]
