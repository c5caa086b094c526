"""`li demo`: a show from beginning to end in a throw-away home, with the Studio opened on it."""

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
See a show run: eight scripted agents write a little book in a throw-away repository. One fails its gate and is
redone, one conflicts and resolves it, one is escalated to you. Needs git and nothing else: no network, no agent
program. With the Studio it stays until Ctrl-C, so that you can look around and decide; with --no-studio it ends the
show itself and exits."""
EXAMPLES = (
    ("li demo", "watch it here and in the browser"),
    ("li demo --no-open", "without opening a browser; the address is printed"),
    ("li demo --no-studio --home /tmp/demo", "unattended, and keep what it made"),
    ("li demo --no-studio --json", "one line of JSON for each change"),
)
_END_SECONDS = 30.0


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li demo`."""
    add = parser.add_argument
    add("--home", metavar="DIR", help="an empty folder for everything, kept afterwards (a temporary one)")
    add("--no-open", action="store_true", help="do not open the browser")
    add("--no-studio", action="store_true", help="no Studio; exit when the show has ended")


def run(args: argparse.Namespace) -> int:
    """Make the repository and the plan, run the show, clean up."""
    with _home(args) as home, _environment(home), _told_to_go():
        settings = load_settings({"home": home})
        show_dir = _prepare(settings)
        if args.no_studio:
            return _unattended(args, settings, show_dir)
        from lionstudio.cli._demo.studio import studio

        with studio(settings, open_browser=not args.no_open) as server:
            return _attended(args, settings, show_dir, server)


@contextmanager
def _home(args: argparse.Namespace) -> Iterator[str]:
    """The folder of everything: a given one stays, a temporary one goes when nothing runs in it any more."""
    if args.home is not None:
        home = os.path.abspath(os.path.expanduser(args.home))
        if os.path.isdir(home) and os.listdir(home):
            raise Conflict(f"{home} is not empty", hint="give --home a folder that is empty or not there yet")
        os.makedirs(home, mode=0o700, exist_ok=True)
        yield home
        say(f"Everything is in {home}. Look again: li studio --home {quote(home)}", quiet=args.quiet)
        return
    home = tempfile.mkdtemp(prefix="lion-demo-")
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
        say(f"Everything that it made was in {home}, and is removed.", quiet=args.quiet)


@contextmanager
def _environment(home: str) -> Iterator[None]:
    """Everything that we start uses the demo's files, whatever the person's own settings are."""
    before = dict(os.environ)
    os.environ.update({"LIONAGI_HOME": home, "LIONAGI_SHOWS": os.path.join(home, "shows")})
    os.environ.pop("LIONAGI_DB", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _told_to_go() -> Iterator[None]:
    """Who is told to end ends what it has started first."""
    import signal

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _prepare(settings: Settings) -> str:
    import json

    from lionstudio.files.shows.plan_reader import load_plan
    from lionstudio.shows.demo import TOPIC, demo_text, make_repository
    from lionstudio.shows.records.play_records import save_show
    from lionstudio.system.atomic_write import write_text

    repo, show_dir = os.path.join(settings.home, "repository"), os.path.join(settings.shows, TOPIC)
    make_repository(repo)
    # so that --home alone leads a command of another terminal to everything
    write_text(os.path.join(settings.home, CONFIG), f"shows = {json.dumps(settings.shows, ensure_ascii=False)}\n")
    text = demo_text(repo)
    with db_access.database(settings.db, create=True) as database:
        save_show(show_dir, database, load_plan(TOPIC, text), text)
    return show_dir


def _unattended(args: argparse.Namespace, settings: Settings, show_dir: str) -> int:
    """Watch it, take it as it is when only a person could go on, and say whether it ended as written."""
    from lionstudio.cli._demo.watch import report, watch
    from lionstudio.shows.demo import ENDS_AS

    def accept() -> None:
        say("machine needs a person. There is none, so the show is accepted as it is.", quiet=args.quiet)
        _accept(show_dir)

    try:
        _start(settings, show_dir)
        found = watch(args, settings, show_dir, accept)
    finally:
        _end(show_dir)
    report(args, found)
    ended = {play.name: play.status for play in found.plays}
    wrong = [
        f"{name} is {ended.get(name)}, not {status}" for name, status in ENDS_AS.items() if ended.get(name) != status
    ]
    for sentence in wrong:
        say(f"Not as written: {sentence}")
    if not wrong:
        say("That is as written: six plays merged, one escalated, one blocked by it.", quiet=args.quiet)
    return 1 if wrong else 0


def _attended(args: argparse.Namespace, settings: Settings, show_dir: str, server: Popen[str]) -> int:
    """Watch it to its end, whoever decides where; then the Studio stays until the person has seen enough."""
    from lionstudio.cli._demo.watch import report, watch

    try:
        _start(settings, show_dir)
        report(args, watch(args, settings, show_dir))
        say("The Studio stays until Ctrl-C.", quiet=args.quiet)
        server.wait()
    except KeyboardInterrupt:
        say("", quiet=args.quiet)  # after the ^C of the terminal
    finally:
        _end(show_dir)
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
        show_dir, None, Decision(id=new_id(), kind=DecisionKind.APPROVE, by="li demo", feedback="taken as it is")
    )


def _end(show_dir: str) -> None:
    """Leave nothing running: a director that is still there aborts the show and goes."""
    import time

    from lionstudio.model.shows.show_files import ABORT
    from lionstudio.shows.process.lock import has_director
    from lionstudio.system.atomic_write import write_text

    if not has_director(show_dir):
        return
    write_text(os.path.join(show_dir, ABORT), "the demo was left\n")
    deadline = time.monotonic() + _END_SECONDS
    while has_director(show_dir) and time.monotonic() < deadline:
        time.sleep(0.1)
