"""`li show log`: print the output of an attempt's agent, gates and setup, or of the director."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator
from typing import IO

from lionstudio.cli._show.load import LoadedShow, has_ended, load_show
from lionstudio.cli._show.place import place
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import local
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for
from lionstudio.errors import NotFound
from lionstudio.files.shows.decision_log import list_decisions
from lionstudio.model.shows.play_codec import gate_confinement
from lionstudio.model.shows.show import Play
from lionstudio.model.shows.show_files import DECISION_LOG, DIRECTOR_LOG, META, VERDICT
from lionstudio.model.status.statuses import PLAYS, row_of
from lionstudio.runs.callers.caller import describe_origin
from lionstudio.show_sync.checkouts import DIRECTOR
from lionstudio.shows.attempt.attempt_files import LOG, session_of
from lionstudio.shows.process.lock import has_director
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.state.transitions import user_name
from lionstudio.system.json_read import find_object
from lionstudio.system.safe_read import is_within

DESCRIPTION = """\
Print the output of a play: setup commands, the agent's process and the gates, each under its file name. Without PLAY,
print the log of the director, the decisions (who made them, from where, and refused ones) and the output of the final
gates. The messages of the agent are in its session: li logs SESSION."""
EXAMPLES = (
    ("li show log parser lexer", "the output of the last attempt"),
    ("li show log parser lexer --gate", "only its gates: why did they fail?"),
    ("li show log parser lexer --attempt 1", "the output of an earlier attempt"),
    ("li show log parser -f", "follow the director until it exits"),
    ("li show log parser --decisions", "who decided what, when and from where"),
)
_FOLLOW_SECONDS = 0.3
_READ = 65_536


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", type=utf8, metavar="TOPIC", help="name of the show")
    add("play", nargs="?", type=utf8, metavar="PLAY", help="name of the play (default: the director)")
    add("--attempt", type=integer(1), metavar="N", help="attempt (default: the last one)")
    add("--gate", action="store_true", help="only the output of gates")
    add("--decisions", action="store_true", help="only the decisions, in words (of PLAY, if given)")
    add("-f", "--follow", action="store_true", help="print new output until the play or the director ends")


class _Printer:
    """Prints files as they grow, each part under the name of its file."""

    def __init__(self, *, as_json: bool, no_color: bool) -> None:
        self._json = as_json
        self._paint = styles_for(sys.stdout, refused=no_color)
        self._positions: dict[str, int] = {}
        self._last: str | None = None
        self.printed = False

    def show(self, path: str, top: str) -> None:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            file.seek(self._positions.get(path, 0))
            self._print(file, os.path.relpath(path, top))
            self._positions[path] = file.tell()

    def _print(self, file: IO[bytes], name: str) -> None:
        while part := file.read(_READ):
            part += file.readline(_READ)  # whole lines, so that no character is cut
            text = part.decode("utf-8", "replace")
            self.printed = True
            if self._json:
                from lionstudio.cli._toolkit.json_output import to_json

                emit(to_json({"type": "output", "schema_version": 1, "file": name, "text": text}) + "\n")
                continue
            if name != self._last:
                emit(f"{self._paint(f'==> {inline(name)} <==', 'bold' if is_terminal() else '')}\n")
                self._last = name
            emit(body(text if text.endswith("\n") else f"{text}\n"))
        flush()


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    loaded, folder = load_show(args), find_show_dir(settings, args.topic)
    if args.play is not None:
        _find_play(loaded, args.play)
    if args.decisions:
        return _print_decisions(args, folder, is_for_workers=loaded.show.is_for_workers)
    printer = _Printer(as_json=args.json, no_color=args.no_color)
    while True:
        ended = not args.follow or _has_ended(args, folder)  # before the files: they are then complete
        for path in _files(args, settings.home, folder):
            printer.show(path, os.path.dirname(path) if args.play is None else os.path.join(folder, args.play))
        if ended:
            break
        time.sleep(_FOLLOW_SECONDS)
    session_id = _session_id(args, loaded, folder) if args.play is not None and not args.gate else None
    subject = f"{args.topic}/{args.play}" if args.play else args.topic
    if not printer.printed and loaded.show.is_for_workers:
        say(
            f"No output of {inline(subject)} is on this machine: its worker has the output. "
            f"Workers: li show status {args.topic}{place(settings)}",
            quiet=args.quiet,
        )
    for line in _confinement_lines(args, folder) if args.play is not None else ():
        say(inline(line), quiet=args.quiet or args.json)
    if session_id is not None:
        say(f"Messages of the agent: li logs {inline(session_id)}{place(settings)}", quiet=args.quiet or args.json)
    elif not printer.printed and not loaded.show.is_for_workers:
        say(
            f"No output of {inline(subject)} yet. State: li show status {args.topic}{place(settings)}", quiet=args.quiet
        )
    return 0


def _print_decisions(args: argparse.Namespace, folder: str, *, is_for_workers: bool) -> int:
    """Print the decision log, oldest first."""
    entries = [entry for entry in list_decisions(folder) if args.play in (None, entry.play)]
    user = user_name()
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"decisions": [{**entry._asdict(), "sentence": entry.sentence(user)} for entry in entries]})
        return 0
    for entry in entries:
        origin = f"  ({describe_origin(entry.origin)})" if entry.origin else ""
        reason = f": {entry.detail.strip().partition(chr(10))[0]}" if entry.detail else ""
        emit(f"{local(entry.at)}  {inline(entry.sentence(user))}{inline(reason)}{inline(origin)}\n")
    if not entries:
        text = f"No decisions about {inline(args.play or args.topic)} yet."
        if is_for_workers:
            text = f"No decisions on this machine; their log is on the machine of the worker that directs {args.topic}."
        say(text, quiet=args.quiet)
    return 0


def _confinement_lines(args: argparse.Namespace, folder: str) -> list[str]:
    """Say whether the agent and the gates of an attempt were confined."""
    play = os.path.join(folder, args.play)
    meta = find_object(os.path.join(play, META)) or {}
    verdict = find_object(os.path.join(play, VERDICT))
    if args.attempt is not None and args.attempt != meta.get("attempt", 1):
        archive = os.path.join(play, "attempts", str(args.attempt))
        meta = find_object(os.path.join(archive, "meta.json")) or {}
        verdict = find_object(os.path.join(archive, "verdict.json"))
    agent = [f"Agent: {meta['confinement']}"] if meta.get("confinement") and not args.gate else []
    return agent + [f"Gates: {sentence}" for sentence in gate_confinement(verdict)]


def _has_ended(args: argparse.Namespace, folder: str) -> bool:
    loaded = load_show(args)
    if args.play is None or has_ended(loaded.show.status):
        return not has_director(folder)
    play = _find_play(loaded, args.play)
    working = row_of(PLAYS, play.status).in_progress
    return not working or not has_director(folder) or (args.attempt is not None and args.attempt < play.attempt)


def _find_play(loaded: LoadedShow, name: str) -> Play:
    play = next((play for play in loaded.plays if play.name == name), None)
    if play is None:
        names = ", ".join(play.name for play in loaded.plays)
        raise NotFound(
            f"play {name!r:.80} not found in {loaded.show.topic}", hint=f"plays of {loaded.show.topic}: {names[:300]}"
        )
    return play


def _files(args: argparse.Namespace, home: str, folder: str) -> list[str]:
    """List the log files in the order in which they are written."""
    if args.play is None:
        final = os.path.join(folder, "attempts", "final")
        director = [] if args.gate else [os.path.join(folder, name) for name in (DIRECTOR_LOG, DECISION_LOG)]
        return [path for path in (*director, *_logs(final, folder)) if os.path.isfile(path)]
    attempts = os.path.join(folder, args.play, "attempts")
    attempt = args.attempt or _last_attempt(attempts)
    parts = [name for name in _names(attempts) if _number(name) == attempt]
    if args.attempt and not parts:
        raise NotFound(
            f"{args.play} has no attempt {attempt}", hint=f"attempts: {', '.join(_names(attempts)) or 'none yet'}"
        )
    checkouts = os.path.join(home, "checkouts", args.topic)
    first = _logs(os.path.join(checkouts, DIRECTOR, "plays", args.play, "logs"), checkouts) if attempt == 1 else []
    paths = [path for part in parts for path in _logs(os.path.join(attempts, part), folder)]
    agents = [path for path in paths if os.path.basename(path) == LOG]
    gates = [path for path in paths if os.path.basename(path) != LOG]
    return gates if args.gate else [*first, *agents, *gates]


def _last_attempt(attempts: str) -> int:
    return max((number for name in _names(attempts) if (number := _number(name)) is not None), default=1)


def _number(name: str) -> int | None:
    """Return the number in the name of an attempt's folder, before its part (-2) and the fence of a worker (@3)."""
    found = re.fullmatch(r"([0-9]+)(-[0-9]+)?(@[0-9]+)?", name)
    return int(found[1]) if found is not None else None


def _session_id(args: argparse.Namespace, loaded: LoadedShow, folder: str) -> str | None:
    attempts = os.path.join(folder, args.play, "attempts")
    attempt = args.attempt or _last_attempt(attempts)
    play = _find_play(loaded, args.play)
    if loaded.show.is_for_workers and args.attempt in (None, play.attempt):
        return play.session_id
    parts = [name for name in _names(attempts) if _number(name) == attempt and "-" not in name]
    return session_of(os.path.join(attempts, parts[-1])) if parts else None


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _logs(folder: str, top: str) -> Iterator[str]:
    """Yield the logs of a folder and of the reviews in it; links are not followed."""
    if not os.path.isdir(folder) or not is_within(folder, top):
        return
    for name in _names(folder):
        path = os.path.join(folder, name)
        if name.endswith(".log") and os.path.isfile(path) and not os.path.islink(path):
            yield path
        elif name.startswith("review-") and os.path.isdir(path) and not os.path.islink(path):
            yield from _logs(path, top)
