"""`li ask show`: show a question in full."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit_lines, flush
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for
from lionstudio.cli.ask._load import names_of, record_shown
from lionstudio.cli.ask._render import lifecycle_lines, question_json, question_lines
from lionstudio.state.exchange.questions import resolve_question

DESCRIPTION = """\
Show a question in full: the arguments and the diff of the tool, the agent's words, the options with what to type, when
it was asked, shown, answered and taken, and who answered from where."""
EXAMPLES = (
    ("li ask show 019e2f3c", "a question by the start of its id"),
    ("li ask show 019e2f3c --json | jq .question.evidence.arguments", "the arguments, for a program"),
)
QUESTION_HELP = "question id, or its start (at least four characters)"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", type=utf8, metavar="QUESTION", help=QUESTION_HELP)


def run(args: argparse.Namespace) -> int:
    db = db_access.settings_of(args).db
    with db_access.reading(db) as conn:
        question = resolve_question(conn, args.question)
        name = names_of(conn, [question])[question.id]
    if args.json:
        print_json({"question": question_json(question, name)})
        return 0
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit_lines(question_lines(question, name, paint))
    emit_lines(["", *lifecycle_lines(question, paint)])
    flush()
    if question.is_open:
        say(f"Answer: li ask answer {question.id} OPTION", quiet=args.quiet)
        if is_terminal():
            record_shown(db, [question])
    return 0
