"""`li show clean`: remove stale checkouts, left-out files and refs of ended shows."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count, size
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import LionError
from lionstudio.files.shows.plan_fields import to_seconds
from lionstudio.model.shows.show import Show
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.show_sync.checkouts import (
    LeftOutFolder,
    StaleCheckout,
    checkout_folders,
    list_left_out,
    list_stale_checkouts,
)
from lionstudio.shows.git.cleanup import Cleaned, clean, remove_partial_checkouts
from lionstudio.shows.git.preflight import find_repo
from lionstudio.shows.git.remote.address import check_address, without_credentials
from lionstudio.shows.git.remote.ended_refs import delete_ended_refs, list_ended_refs
from lionstudio.shows.git.show_refs import ShowRef, delete_refs, disk_usage, list_show_refs
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.state.shows import get_show, list_shows
from lionstudio.system.git import Git
from lionstudio.system.safe_rmtree import safe_rmtree

DESCRIPTION = """\
Remove the checkouts of ended shows. A checkout is removed only if its work is proven to be merged, including every
file; otherwise it is kept and the reason is printed. With --abandoned, checkouts with unmerged work are removed too,
after their contents are committed under refs/shows/archive in the repository. Other leftovers are removed on request:
files that are in no commit (--left-out), archived attempts (--archives) and the branches of the show (--branches). A
ref is deleted only if another branch, tag or remote branch contains its commits, unless you add --force. The refs of a
show that workers played are on its remote, and are deleted there: pushed attempts and fences with --archives, its
branches with --branches."""
EXAMPLES = (
    ("li show clean --dry-run --all", "list all leftovers and their size"),
    ("li show clean --yes", "remove checkouts with merged work"),
    ("li show clean parser --abandoned", "also remove unmerged work, archived in git"),
    ("li show clean --archives --branches --older-than 30d", "delete merged refs of shows from your repositories"),
)
_MOST_SHOWS = 100_000


class _RefsOfShow(NamedTuple):
    """Refs of one show in one repository, those that are kept included."""

    repo: str  # its git folder, or the address of a remote
    is_remote: bool
    refs: list[ShowRef]
    bytes: int = 0  # that deleting them frees; a remote does not tell

    @property
    def topic(self) -> str:
        return self.refs[0].topic

    @property
    def deletable(self) -> list[ShowRef]:
        return [ref for ref in self.refs if ref.kept is None]


class _Leftovers(NamedTuple):
    checkouts: list[StaleCheckout]
    left_out: list[tuple[str, LeftOutFolder]]  # with the topic
    refs: list[_RefsOfShow]
    problems: list[str]  # repositories and remotes that cannot be read


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", type=utf8, nargs="?", metavar="TOPIC", help="only this show (default: all shows)")
    add("--abandoned", action="store_true", help="also remove unmerged work, after archiving it")
    add("--left-out", action="store_true", help="also delete files of plays that are in no commit")
    add("--archives", action="store_true", help="also delete archived and pushed attempts, refs/shows/…")
    add("--branches", action="store_true", help="also delete the branches show/TOPIC/…")
    add("--all", action="store_true", help="the same as --left-out --archives --branches")
    add("--older-than", type=_age, metavar="AGE", help="only refs whose commit is older (12h, 30d)")
    add("--force", action="store_true", help="delete refs whose commits are merged nowhere, too")
    add("--dry-run", action="store_true", help="list leftovers with their size and remove nothing")
    add("--yes", action="store_true", help="remove without asking for confirmation")


def _age(text: str) -> int:
    if to_seconds(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not an age; use 12h or 30d")
    return to_seconds(text)


def run(args: argparse.Namespace) -> int:
    """Exit code 1 if something was kept."""
    settings = db_access.settings_of(args)
    args.left_out, args.archives, args.branches = (
        chosen or args.all for chosen in (args.left_out, args.archives, args.branches)
    )
    with db_access.reading(settings.db) as conn:
        checkouts, shows = list(list_stale_checkouts(conn, settings)), list_shows(conn, _MOST_SHOWS)
    leftovers = _list(args, settings, checkouts, shows)
    local, remote = (
        sum(len(of.deletable) for of in leftovers.refs if of.is_remote is where) for where in (False, True)
    )
    if args.dry_run or not (leftovers.checkouts or leftovers.left_out or leftovers.refs or leftovers.problems):
        _report(args, leftovers, [])
        return 0
    parts = [
        f"up to {count(len(leftovers.checkouts), 'checkout')}" if leftovers.checkouts else "",
        f"{count(len(leftovers.left_out), 'folder')} of files in no commit" if leftovers.left_out else "",
        count(local, "ref") if local else "",
        f"{count(remote, 'ref')} of remotes" if remote else "",
    ]
    consent = confirm(args, "clean removes folders and refs")
    if not args.yes and not consent(f"Remove {', '.join(part for part in parts if part) or 'nothing'}?"):
        say("Nothing changed.")
        return 1
    topics = dict.fromkeys(item.topic for item in leftovers.checkouts)
    cleaned = [result for topic in topics for result in _clean(args, settings, topic, leftovers.checkouts)]
    for topic, folder in leftovers.left_out:
        with _director_lock(settings, topic):
            safe_rmtree(folder.path, above=2)
    leftovers = leftovers._replace(refs=[_delete(settings, of) for of in leftovers.refs])
    _report(args, leftovers, cleaned)
    kept = [ref for of in leftovers.refs for ref in of.refs if ref.kept]
    return 1 if kept or leftovers.problems or any(result.kept for result in cleaned) else 0


def _list(
    args: argparse.Namespace, settings: Settings, checkouts: list[StaleCheckout], shows: list[Show]
) -> _Leftovers:
    """List the leftovers of shows that have ended; of an active one, only left-out files, and only by its name."""
    leftovers = _Leftovers([item for item in checkouts if args.topic in (None, item.topic)], [], [], [])
    before = None if args.older_than is None else time.time() - args.older_than
    for show in (show for show in shows if args.topic in (None, show.topic)):
        active = show.status is ShowStatus.ACTIVE
        if args.left_out and (not active or args.topic is not None):
            folder = os.path.join(checkout_folders(settings), show.topic)
            leftovers.left_out.extend((show.topic, item) for item in list_left_out(folder))
        if active or not (args.archives or args.branches):
            continue
        try:
            of = _list_remote(args, settings, show, before) if show.remote else _list_local(args, show, before)
        except LionError as error:
            leftovers.problems.append(f"{show.topic}: {error.message}")
        else:
            leftovers.refs.extend([of] if of.refs else [])
    return leftovers


def _list_local(args: argparse.Namespace, show: Show, before: float | None) -> _RefsOfShow:
    if not show.repo:
        return _RefsOfShow("", False, [])
    git_dir = find_repo(show.repo).git_dir
    git = Git(git_dir=git_dir)
    refs = list_show_refs(
        git, show.topic, archives=args.archives, branches=args.branches, before=before, force=args.force
    )
    of = _RefsOfShow(git_dir, False, refs)
    return of._replace(bytes=disk_usage(git, of.deletable)) if refs else of


def _list_remote(args: argparse.Namespace, settings: Settings, show: Show, before: float | None) -> _RefsOfShow:
    """List the refs that workers have pushed; the mirror of this machine is made where it is missing."""
    remote = check_address(str(show.remote))  # any program may have written the row
    refs = list_ended_refs(
        remote, show.topic, home=settings.home, work=args.archives, branches=args.branches, force=args.force
    )
    old = [ref for ref in refs if before is None or ref.committed_at < before]
    return _RefsOfShow(without_credentials(remote), True, old)


def _delete(settings: Settings, of: _RefsOfShow) -> _RefsOfShow:
    """Delete what may be deleted; return it with the reasons of what stayed."""
    if not of.is_remote:
        with _director_lock(settings, of.topic):
            delete_refs(Git(git_dir=of.repo), of.deletable)
        return of
    with db_access.reading(settings.db) as conn:
        show = get_show(conn, of.topic)
    if show.status is ShowStatus.ACTIVE:  # no lock keeps other machines from resuming it
        return of._replace(refs=[ref._replace(kept=ref.kept or "the show was resumed meanwhile") for ref in of.refs])
    stayed = {
        ref.ref: ref for ref in delete_ended_refs(check_address(str(show.remote)), of.deletable, home=settings.home)
    }
    return of._replace(refs=[stayed.get(ref.ref, ref) for ref in of.refs])


def _clean(args: argparse.Namespace, settings: Settings, topic: str, stale: list[StaleCheckout]) -> list[Cleaned]:
    """Clean one show under its director lock, so that no director starts meanwhile."""
    with _director_lock(settings, topic):
        cleaned = [clean(item, abandoned=args.abandoned) for item in stale if item.topic == topic]
        remove_partial_checkouts(os.path.join(checkout_folders(settings), topic))
    return cleaned


@contextmanager
def _director_lock(settings: Settings, topic: str) -> Iterator[None]:
    folder = os.path.join(settings.shows, topic)
    with acquire_director_lock(folder) if os.path.isdir(folder) else nullcontext():
        yield


def _report(args: argparse.Namespace, leftovers: _Leftovers, cleaned: list[Cleaned]) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(
            {
                "leftovers": [item._asdict() for item in leftovers.checkouts] if args.dry_run else [],
                "cleaned": [result._asdict() for result in cleaned],
                "left_out": [{"topic": topic, **folder._asdict()} for topic, folder in leftovers.left_out],
                "refs": [
                    {"repo": of.repo, "is_remote": of.is_remote, **ref._asdict()}
                    for of in leftovers.refs
                    for ref in of.refs
                ],
                "ref_bytes": sum(of.bytes for of in leftovers.refs),
                "problems": leftovers.problems,
            }
        )
        return
    lines = list(_lines(args, leftovers, cleaned))
    emit_lines(lines)
    if not lines:
        emit(
            "No stale checkouts.\n" if not (args.left_out or args.archives or args.branches) else "Nothing to clean.\n"
        )
    if args.dry_run and not args.all:
        say("Other leftovers: li show clean --dry-run --all", quiet=args.quiet)
    if any(of.bytes for of in leftovers.refs) and not args.dry_run:
        say("`git gc` in the repository frees the space.", quiet=args.quiet)


def _lines(args: argparse.Namespace, leftovers: _Leftovers, cleaned: list[Cleaned]) -> Iterator[str]:
    done = "" if args.dry_run else "  removed"
    if args.dry_run:
        for item in leftovers.checkouts:
            yield f"{inline(item.topic)}/{inline(item.play)}  {inline(item.path)}  ({item.show})"
    for result in cleaned:
        outcome = f"kept: {inline(result.kept)}" if result.kept else "removed"
        yield f"{inline(result.topic)}/{inline(result.play)}  {outcome}"
    for topic, folder in leftovers.left_out:
        amount = f"{count(folder.files, 'file')}, {size(folder.bytes)}"
        yield f"{inline(topic)}/{inline(folder.play)}  {inline(folder.path)}  ({amount}, in no commit){done}"
    for of in leftovers.refs:
        for ref in of.refs:
            yield f"{inline(ref.ref)}{f'  kept: {inline(ref.kept)}' if ref.kept else done}"
        amount = (
            f"{count(len(of.refs), 'ref')} of {inline(of.repo)}"
            if of.is_remote
            else f"{size(of.bytes)} in {inline(of.repo)}"
        )
        yield f"{inline(of.topic)}: {amount}"
    for problem in leftovers.problems:
        yield inline(problem)
