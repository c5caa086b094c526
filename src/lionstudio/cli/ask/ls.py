"""`li ask ls`: list what waits for a person."""

from __future__ import annotations

import argparse
import math
import sys
import time

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import distinct_length, iso, span
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit_lines, flush
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for, width_of
from lionstudio.cli.ask._load import names_of, record_shown
from lionstudio.cli.ask._render import question_json
from lionstudio.errors import NotFound
from lionstudio.model.questions import Question
from lionstudio.state.backends import open_tail
from lionstudio.state.exchange import questions
from lionstudio.state.runs.reference import resolve_session

DESCRIPTION = """\
List what waits for a person: permissions, questions of agents, and decisions of shows, oldest first. In a pipe, each
question is one line of tab-separated fields: id, status, time, kind, run or play, session id, title and options. A list
on a terminal counts as shown.

Exit codes: 0, with --wait 124 when nothing was asked in this time."""
EXAMPLES = (
    ("li ask ls", "what waits for you"),
    ("li ask ls --all --session last", "every question of the newest run, answered ones too"),
    ("li ask ls --wait 600 --json | jq -r '.questions[].id'", "wait for a question for up to ten minutes"),
)
_COLUMNS = (
    Column("ID"),
    Column("AGE", right=True),
    Column("KIND"),
    Column("STATUS", rank=3),
    Column("RUN", narrowest=12, rank=1),
    Column("TITLE", narrowest=20),
    Column("OPTIONS", narrowest=10, rank=2),
)
_TIMED_OUT = 124


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--all", action="store_true", help="also questions that are answered or withdrawn, newest first")
    add("--session", type=utf8, metavar="SESSION", help="only the questions of this session")
    add("--show", type=utf8, metavar="TOPIC", help="only the questions of this show")
    add("--limit", type=integer(1), default=1000, metavar="N", help="maximum number of questions (default %(default)s)")
    add(
        "--wait",
        type=integer(1),
        nargs="?",
        const=math.inf,
        metavar="SECONDS",
        help="wait until there is one, for at most this time (default: no limit)",
    )


def run(args: argparse.Namespace) -> int:
    db = db_access.settings_of(args).db
    deadline = time.monotonic() + (args.wait or 0)
    try:
        with open_tail(db) as tail:
            listed, names, total = _list(db, args)
            while not listed and time.monotonic() < deadline:
                tail.wait(min(5.0, deadline - time.monotonic()))
                listed, names, total = _list(db, args)
    except NotFound:
        if args.session is not None or args.wait is not None:
            raise
        listed, names, total = [], {}, 0  # no database yet, so nothing waits
    _print(listed, names, total, args)
    flush()
    if is_terminal() and not args.json:
        record_shown(db, listed)
    return _TIMED_OUT if args.wait is not None and not listed else 0


def _list(db: str, args: argparse.Namespace) -> tuple[list[Question], dict[str, str], int]:
    with db_access.reading(db) as conn:
        session_id = None if args.session is None else resolve_session(conn, args.session)
        if args.all:
            listed = questions.list_questions(conn, session_id=session_id, topic=args.show, limit=args.limit)
        else:
            listed = questions.list_open_questions(conn, args.limit, session_id=session_id, topic=args.show)
        return listed, names_of(conn, listed), questions.count_open_questions(conn)


def _print(listed: list[Question], names: dict[str, str], total: int, args: argparse.Namespace) -> None:
    if args.json:
        print_json({"questions": [question_json(question, names[question.id]) for question in listed], "open": total})
        return
    if not listed:
        say("Nothing waits for you.", quiet=args.quiet)
    elif not is_terminal():
        emit_lines("\t".join(_plain_cells(question, names[question.id])) for question in listed)
    else:
        paint, now = styles_for(sys.stdout, refused=args.no_color), time.time()
        length = distinct_length([question.id for question in listed])
        rows = [_cells(question, names[question.id], length, now) for question in listed]
        emit_lines(render(_COLUMNS, rows, width_of(sys.stdout), paint))
        say("Answer: li ask answer ID", quiet=args.quiet)


def _plain_cells(question: Question, name: str) -> list[str]:
    options = ",".join(option.id for option in question.options)
    facts = (question.id, question.status, iso(question.created_at), question.kind, name, question.session_id)
    return [inline(str(fact or "")) for fact in (*facts, question.title, options)]


def _cells(question: Question, name: str, length: int, now: float) -> list[Cell]:
    words = ["words"] if question.takes_text and not question.options else []
    options = " | ".join([*(option.label for option in question.options), *words])
    return [
        Cell(inline(question.id[:length])),
        Cell(span(now - question.created_at)),
        Cell(str(question.kind), "yellow" if question.is_open else "dim"),
        Cell("" if question.is_open else str(question.status)),
        Cell(inline(name)),
        Cell(inline(question.title)),
        Cell(inline(options)),
    ]
