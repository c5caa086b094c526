"""`li trust`: allow the definitions of a repository."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count, iso
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import NotFound
from lionstudio.files.definitions import trust
from lionstudio.files.definitions.trust import FOLDER, FolderContent

DESCRIPTION = """\
Trust the folder .lionagi of a repository. Its agents, playbooks and skills are used only after that, because they name
programs, servers and permissions: read them first. Trust ends when a file in the folder changes; `li trust` then asks
again. It asks on a terminal and is refused without one, and for agents."""
EXAMPLES = (
    ("li trust", "trust .lionagi of this folder, or of the nearest parent that has one"),
    ("li trust ~/src/parser", "trust another repository"),
    ("li trust --ls", "list trusted folders, and those that have changed"),
    ("li trust --undo", "stop trusting it"),
)
_MOST_LISTED = 30


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", nargs="?", type=utf8, metavar="DIR", help="folder of the repository (default: the current folder)")
    add("--ls", action="store_true", help="list trusted folders")
    add("--undo", action="store_true", help="stop trusting the folder")


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    if args.ls:
        return _list(args, settings.home)
    folder = _find_folder(args.folder, settings.home, undo=args.undo)
    if args.undo:
        undone = trust.revoke(settings.home, folder)
        _report(args, folder, f"{inline(folder)} {'is no longer' if undone else 'was not'} trusted", trusted=False)
        return 0
    refusal = trust.find_refusal(settings.home, folder)
    if refusal is None:
        _report(args, folder, f"{inline(folder)} is trusted already", trusted=True)
        return 0
    content = trust.read_content(folder)
    if not _ask(args, folder, content, refusal):
        say("Nothing changed.")
        return 1
    trust.trust(settings.home, folder, content.digest)
    _report(args, folder, f"{inline(folder)} is trusted until one of its files changes", trusted=True)
    return 0


def _ask(args: argparse.Namespace, folder: str, content: FolderContent, refusal: str) -> bool:
    from lionstudio.cli._person import require_person
    from lionstudio.cli._toolkit.confirm import confirm

    command = trust.trust_command(folder)
    require_person(args, command)
    consent = confirm(
        argparse.Namespace(yes=False), "trusting a repository", hint=f"in a terminal of your own: {command}"
    )
    if refusal == trust.CHANGED:
        say("It has changed since you trusted it.")
    say(f"{inline(folder)} has {count(len(content.files), 'file')}:")
    for name in content.files[:_MOST_LISTED]:
        note = "  (a link out of the folder; it is not followed)" if name in content.links_out else ""
        say(f"  {inline(name)}{note}")
    if len(content.files) > _MOST_LISTED:
        say(f"  and {len(content.files) - _MOST_LISTED} more")
    say("Its agents and playbooks name programs, servers and permissions that li then uses with your rights.")
    return consent("Trust them?")


def _find_folder(folder: str | None, home: str, *, undo: bool) -> str:
    """The `.lionagi` of a folder; without one, that of the nearest parent."""
    from lionstudio.files.definitions.search_paths import project_paths

    start = os.path.abspath(folder or os.getcwd())
    own = os.path.join(start, FOLDER)
    if undo and folder is not None:
        return own  # it may be gone
    paths = [place.path for place in project_paths(home, start)]
    if not paths or (folder is not None and paths[0] != own):
        raise NotFound(f"{start} has no folder {FOLDER}", hint="name the folder of the repository: li trust DIR")
    return paths[0]


def _list(args: argparse.Namespace, home: str) -> int:
    rows = [(entry, trust.find_refusal(home, entry.path)) for entry in trust.list_trusted(home)]
    if args.json:
        print_json({"trusted": [{**entry._asdict(), "refused": refusal} for entry, refusal in rows]})
        return 0
    for entry, refusal in rows:
        emit(f"{inline(entry.path)}\t{iso(entry.at)}\t{inline(refusal or 'trusted')}\n")
    if not rows:
        say("No folder is trusted. Trust one: li trust DIR", quiet=args.quiet)
    return 0


def _report(args: argparse.Namespace, folder: str, text: str, *, trusted: bool) -> None:
    if args.json:
        print_json({"folder": folder, "trusted": trusted})
    else:
        say(text, quiet=args.quiet)
