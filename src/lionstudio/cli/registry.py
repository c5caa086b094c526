"""Every command with its line in the help. A command lives in the module of its name: `state ls` in state/ls.py.

Plain data, because the help is printed from here without loading anything else.
"""

from __future__ import annotations

from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS

MIRRORED = tuple(TRANSCRIPT_TOOLS.items())
SECTIONS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Run agents",
        (
            ("agent", "run one agent, kept message by message while it works"),
            ("play", "run a playbook"),
            ("flow", "a few agents in one session, answers passed on"),
            ("fanout", "one task for several agents, one answer of theirs"),
            ("ps", "what runs now, whether it lives, and what says so"),
            ("logs", "what a run says, from any terminal, while it says it"),
            ("wait", "wait until a run has ended, with its exit code"),
            ("kill", "stop a run with everything it started"),
        ),
    ),
    (
        "Shows: many agents, one repository",
        (
            ("show plan", "write or check the plan of a show; an agent can draft it"),
            ("show run", "start a show and watch it, or attach to one that runs"),
            ("show resume", "take a show up again, from whatever is left of it"),
            ("show ls", "list shows, how far they are and what waits for you"),
            ("show status", "where every play stands, and why"),
            ("show approve", "let a play pass, accept a show, or grant it more to spend"),
            ("show reject", "do not let a play pass"),
            ("show redo", "have a play done once more, with your feedback"),
            ("show escalate", "take a play out of the director's hands"),
            ("show abort", "end a show now; what is merged stays"),
            ("show clean", "remove the checkouts that shows have left, where nothing is lost"),
            ("show graph", "draw what waits for what"),
            ("show critical-path", "the chain of plays that decides when a show ends"),
            ("demo", "watch a show of eight scripted agents; needs nothing but git"),
        ),
    ),
    (
        "See what is kept",
        (
            ("state ls", "list sessions, newest first"),
            ("state show", "show one session: its state, branches and messages"),
            ("state search", "find words in everything that was said"),
            ("state embed", "make embeddings, so that search finds by meaning too"),
            ("state export", "write one session as JSON, JSON lines or Markdown"),
            ("studio", "serve the page on this machine"),
            ("openapi", "print the HTTP interface of the Studio as OpenAPI"),
        ),
    ),
    (
        "What you write for agents",
        (
            ("agents ls", "list agents"),
            ("agents show", "show one agent"),
            ("agents validate", "check agents, with the line of each problem"),
            ("agents new", "write a new agent"),
            ("agents history", "list the versions of an agent"),
            ("agents diff", "compare two versions"),
            ("agents rollback", "make an earlier version the newest"),
            ("playbooks ls", "list playbooks"),
            ("playbooks show", "show one playbook"),
            ("playbooks validate", "check playbooks, with the line of each problem"),
            ("playbooks new", "write a new playbook"),
            ("playbooks history", "list the versions of a playbook"),
            ("playbooks diff", "compare two versions"),
            ("playbooks rollback", "make an earlier version the newest"),
            ("skills ls", "list skills, those of plugins too"),
            ("skills show", "show one skill"),
            ("skills validate", "check skills"),
            ("plugins ls", "list plugins with their skills, agents, commands and hooks"),
            ("plugins show", "show one plugin"),
            ("plugins validate", "check plugins and what is in them"),
        ),
    ),
    (
        "Agents that talk to each other",
        (
            ("team create", "make a team"),
            ("team ls", "list teams"),
            ("team show", "show a team and its messages"),
            ("team send", "write to a member, to some, or to all"),
            ("team inbox", "what others wrote to a member"),
            ("team archive", "put a team away, or take it back into use"),
            ("team export", "write a team as JSON"),
        ),
    ),
    (
        "Bring in what other tools keep",
        (
            *((f"mirror {tool}", f"import {title} transcripts, once or continuously") for tool, title in MIRRORED),
            ("mirror status", "what is mirrored, what is behind, and what will be deleted there"),
        ),
    ),
    (
        "Look after it",
        (
            ("state stats", "say how much is kept, and how"),
            ("state doctor", "find what is wrong with the file or a run, and why"),
            ("state backup", "copy the database, whoever writes meanwhile"),
            ("state prune", "delete old sessions"),
            ("state checkpoint", "fold the log back into the database"),
            ("state vacuum", "rebuild the file without its free space"),
            ("state path", "print where the database is"),
            ("state import", "bring in runs that older tools left as files"),
            ("state import-db", "bring in another state.db, of any version"),
            ("state import-shows", "bring show folders into the database, again and again"),
            ("state import-teams", "bring team files into the database, again and again"),
        ),
    ),
    (
        "Set it up",
        (
            ("config", "print every setting, its value and where it came from"),
            ("completion", "print the completion script for bash, zsh or fish"),
            ("version", "print the version"),
        ),
    ),
)
COMMANDS: dict[str, str] = {name: summary for _, commands in SECTIONS for name, summary in commands}
GROUPS: dict[str, str] = {
    "show": "many agents on one repository: planned, run, gated, merged",
    "state": "everything that is kept: see it, search it, look after it",
    "agents": "Markdown files: a system prompt and how to run it",
    "playbooks": "YAML files: a prompt template and its arguments",
    "skills": "of project, home, Claude and plugins; never run",
    "plugins": "plugins of marketplaces and caches; shown, never run",
    "mirror": "other tools' transcripts: read them in, follow them",
    "team": "teams: agents that write to each other by name",
}
# These share their modules: cli/definitions has one for each verb.
DEFINITIONS = ("agents", "playbooks", "skills", "plugins")
_FOLDERS = {
    "run": ("agent", "play", "flow", "fanout", "ps", "logs", "wait", "kill"),
    "state.upkeep": ("state backup", "state checkpoint", "state doctor", "state embed", "state prune", "state vacuum"),
    "state.imports": ("state import", "state import-db", "state import-shows", "state import-teams"),
}
_MODULES = {
    "state import": "state.imports.runs",
    "state import-db": "state.imports.db",
    "state import-shows": "state.imports.shows",
    "state import-teams": "state.imports.teams",
}


def module_of(command: str) -> str:
    """The module of a command below `lionstudio.cli`."""
    folder = next((folder for folder, commands in _FOLDERS.items() if command in commands), None)
    if folder is None:
        return command.replace(" ", ".").replace("-", "_")
    return _MODULES.get(command) or f"{folder}.{command.rpartition(' ')[2].replace('-', '_')}"


# Taken by every command, before or after its name; the second word is what a value is called.
GLOBAL_OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("--home", "DIR", "the folder of everything (LIONAGI_HOME, ~/.lionagi)"),
    ("--db", "FILE", "the database file (LIONAGI_DB, state.db in the home)"),
    ("--json", "", "print JSON; errors too, on standard error"),
    ("--no-color", "", "no colours, as NO_COLOR says for all programs"),
    ("--quiet", "", "say nothing but results and errors"),
)

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("li state ls --since 2d --status failed", "what failed these two days"),
    ("li state show 019e2f3c", "by the beginning of its id"),
    ("li state search database locked", "who ever mentioned both words"),
    ("li state ls --json | jq '.sessions[].id'", "the same for a program"),
)


def overview() -> str:
    """The help of `li` itself."""
    lines = ["Everything your agents do, kept and visible while it happens.", "", "usage: li COMMAND [options]"]
    for title, commands in SECTIONS:
        lines += ["", f"{title}:", *_aligned(_entries(commands))]
    shown = ((f"{option} {value}".rstrip(), meaning) for option, value, meaning in GLOBAL_OPTIONS)
    lines += [
        "",
        "Options of every command:",
        *_aligned([*shown, ("-h, --help", "the help of a command, with examples")]),
    ]
    lines += ["", "Examples:", *_aligned(EXAMPLES, 44)]
    return "\n".join(lines) + "\n"


def _entries(commands: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """A line a command; a group that stands here whole is one line, and one for its verbs."""
    found: dict[str, str] = {}
    for name, summary in commands:
        group = name.partition(" ")[0]
        whole = [command for command in COMMANDS if command.startswith(f"{group} ")]
        if whole and all(command in dict(commands) for command in whole):
            found[f"li {group}"] = GROUPS[group]
            found[f"   {group}"] = "  " + " · ".join(command.partition(" ")[2] for command in whole)
        else:
            found[f"li {name}"] = summary
    return [("" if left.startswith(" ") else left, right) for left, right in found.items()]


def group_overview(group: str) -> str:
    """The help of a group such as `li state`."""
    inside = [(f"li {name}", summary) for name, summary in COMMANDS.items() if name.startswith(f"{group} ")]
    lines = [
        f"{GROUPS[group][0].upper()}{GROUPS[group][1:]}.",
        "",
        f"usage: li {group} COMMAND [options]",
        "",
        "Commands:",
        *_aligned(inside),
    ]
    lines += ["", f"`li {group} COMMAND --help` has the options of a command, and examples."]
    return "\n".join(lines) + "\n"


def _aligned(rows: object, width: int = 24) -> list[str]:
    return [f"  {left:<{width}}{right}" for left, right in rows]  # type: ignore[attr-defined]
