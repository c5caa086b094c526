"""`li demo`: run a complete show in a temporary home, with Studio opened on it."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import Conflict
from lionstudio.settings import CONFIG, Settings, load_settings

if TYPE_CHECKING:
    from subprocess import Popen

DESCRIPTION = """\
Run a demo show: eight scripted agents write a little book in a temporary repository. One fails its gate and is redone,
one conflicts and resolves the conflict, one is escalated to you. Needs only git: no network, no agent program. Studio
keeps running until Ctrl-C, so that you can look around and decide; with --no-studio the demo accepts the show and
exits."""
EXAMPLES = (
    ("li demo", "watch in the terminal and the browser"),
    ("li demo --no-open", "print the address instead of opening a browser"),
    ("li demo --no-studio --home /tmp/demo", "unattended; keep all files"),
    ("li demo --no-studio --json", "one JSON object per change"),
    ("li demo --here", "in your own home, beside your runs"),
)
_STOP_SECONDS = 30.0


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--home", metavar="DIR", help="empty folder for all files, kept afterwards (default: a temporary one)")
    add("--no-open", action="store_true", help="do not open a browser")
    add("--here", action="store_true", help="start the show in your own home, in the background, and exit")
    add("--no-studio", action="store_true", help="run without Studio and exit when the show ends")


def run(args: argparse.Namespace) -> int:
    if args.here:
        return _start_here(args)
    with _home(args) as home, _environment(home), _exit_on_sigterm():
        settings = load_settings({"home": home})
        show_dir = _prepare(settings)
        if args.no_studio:
            return _unattended(args, settings, show_dir)
        from lionstudio.cli._demo.studio import studio

        with studio(settings, open_browser=not args.no_open) as server:
            return _attended(args, settings, show_dir, server)


def _start_here(args: argparse.Namespace) -> int:
    """Start the show in the home of the user; a second time it is there already."""
    from lionstudio.cli._show.place import place
    from lionstudio.model.ids import new_id
    from lionstudio.shows.demo import TOPIC

    settings = db_access.settings_of(args)
    show_dir = os.path.join(settings.shows, TOPIC)
    if os.path.lexists(show_dir):
        raise Conflict(f"the show {TOPIC} exists already", hint=f"li show status {TOPIC}{place(settings)}")
    repo = os.path.join(settings.home, "demo", new_id()[-8:])  # one that an earlier demo left is not touched
    _save(settings, show_dir, repo)
    _start(settings, show_dir)
    say(f"The show {TOPIC} is running on the repository {repo}.", quiet=args.quiet)
    return 0


@contextmanager
def _home(args: argparse.Namespace) -> Iterator[str]:
    """The home of the demo; a temporary one is removed at the end."""
    if args.home is not None:
        home = os.path.abspath(os.path.expanduser(args.home))
        if os.path.isdir(home) and os.listdir(home):
            raise Conflict(f"{home} is not empty", hint="pass an empty or a new folder with --home")
        os.makedirs(home, mode=0o700, exist_ok=True)
        yield home
        say(f"All files are in {home}. Open it again: li studio --no-follow --home {quote(home)}", quiet=args.quiet)
        return
    home = tempfile.mkdtemp(prefix="lion-demo-")
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
        say(f"Removed {home}.", quiet=args.quiet)


@contextmanager
def _environment(home: str) -> Iterator[None]:
    """Point all child processes at the home of the demo, whatever the user's settings are."""
    before = dict(os.environ)
    os.environ.update({"LIONAGI_HOME": home, "LIONAGI_SHOWS": os.path.join(home, "shows")})
    os.environ.pop("LIONAGI_DB", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into an exception, so that the demo stops its processes first."""
    import signal

    def exit_process(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, exit_process)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _prepare(settings: Settings) -> str:
    import json

    from lionstudio.shows.demo import TOPIC
    from lionstudio.system.atomic_write import write_text

    show_dir = os.path.join(settings.shows, TOPIC)
    # so that --home is enough for commands in another terminal
    write_text(os.path.join(settings.home, CONFIG), f"shows = {json.dumps(settings.shows, ensure_ascii=False)}\n")
    _save(settings, show_dir, os.path.join(settings.home, "repository"))
    return show_dir


def _save(settings: Settings, show_dir: str, repo: str) -> None:
    from lionstudio.files.shows.plan_reader import load_plan
    from lionstudio.shows.demo import TOPIC, demo_text, make_repository
    from lionstudio.shows.records.play_records import save_show

    make_repository(repo)
    text = demo_text(repo)
    with db_access.database(settings.db, create=True) as database:
        save_show(show_dir, database, load_plan(TOPIC, text), text)


def _unattended(args: argparse.Namespace, settings: Settings, show_dir: str) -> int:
    """Watch the show, accept it when it needs a person, and check the expected result."""
    from lionstudio.cli._demo.watch import report, watch
    from lionstudio.shows.demo import ENDS_AS

    try:
        _start(settings, show_dir)
        snapshot = watch(args, settings, show_dir, lambda: _accept(show_dir))
    finally:
        _stop(show_dir)
    report(args, snapshot)
    say("Play machine needed a person; the unattended demo accepted the show as it was.", quiet=args.quiet)
    ended = {play.name: play.status for play in snapshot.plays}
    differences = [
        f"{name} is {ended.get(name)}, not {status}" for name, status in ENDS_AS.items() if ended.get(name) != status
    ]
    for difference in differences:
        say(f"Unexpected result: {difference}")
    if not differences:
        say("As expected: six plays merged, one escalated, one blocked by it.", quiet=args.quiet)
    return 1 if differences else 0


def _attended(args: argparse.Namespace, settings: Settings, show_dir: str, server: Popen[bytes]) -> int:
    """Watch the show to its end, then keep Studio running until Ctrl-C."""
    from lionstudio.cli._demo.watch import report, watch

    try:
        _start(settings, show_dir)
        report(args, watch(args, settings, show_dir))
        say("Studio keeps running. Press Ctrl-C to stop.", quiet=args.quiet)
        server.wait()
    except KeyboardInterrupt:
        say("", quiet=args.quiet)  # after the ^C of the terminal
    finally:
        _stop(show_dir)
    return 0


def _start(settings: Settings, show_dir: str) -> None:
    from lionstudio.cli._show.decide import environment
    from lionstudio.shows.process.lock import start_director

    start_director(show_dir, [], environment(settings))


def _accept(show_dir: str) -> None:
    from lionstudio.model.ids import new_id
    from lionstudio.model.shows.decisions import DecisionKind
    from lionstudio.shows.records.decisions import Decision, save_decision

    save_decision(
        show_dir, None, Decision(id=new_id(), kind=DecisionKind.APPROVE, by="li demo", feedback="accepted by the demo")
    )


def _stop(show_dir: str) -> None:
    """Stop everything: a running director aborts the show and exits."""
    import time

    from lionstudio.model.shows.show_files import ABORT
    from lionstudio.shows.process.lock import has_director
    from lionstudio.system.atomic_write import write_text

    if not has_director(show_dir):
        return
    write_text(os.path.join(show_dir, ABORT), "the demo ended\n")
    deadline = time.monotonic() + _STOP_SECONDS
    while has_director(show_dir) and time.monotonic() < deadline:
        time.sleep(0.1)
