"""`li ask answer`: answer a question."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit, emit_lines, flush
from lionstudio.cli._toolkit.terminal import say, styles_for, write_stderr
from lionstudio.cli.ask._answer import answer, choose, receipt, takes_words_alone, typed_answer, wait_until_taken
from lionstudio.cli.ask._load import names_of, record_shown
from lionstudio.cli.ask._render import question_json, question_lines
from lionstudio.cli.ask.show import QUESTION_HELP
from lionstudio.errors import Conflict, InvalidInput
from lionstudio.model.questions import Answer, Effect, Question
from lionstudio.state.exchange.questions import count_open_questions, list_open_questions, resolve_question, too_late
from lionstudio.system.safe_read import read_text

DESCRIPTION = """\
Answer a question of an agent. OPTION is `allow`, `deny`, `always`, or the number, id or label (or its start) of an
option; --text adds words, which the agent reads. Without OPTION, a terminal shows the question and asks; without ID, it
asks one open question after another. The first answer wins, on any surface. Only a person answers: an agent is refused.

Exit codes: 0 answered; 1 another answer was first, or the question is gone; 2 wrong arguments; 3 not found."""
EXAMPLES = (
    ("li ask answer", "answer all open questions, one after another"),
    ("li ask answer 019e2f3c allow", "allow what an agent asks for"),
    ('li ask answer 019e2f3c deny --text "use the test database"', "deny it, and say why"),
    ('li ask answer 019e2f3c --text "SQLite is enough"', "answer in words"),
    ('li ask answer 019e2f3c allow --arguments \'{"command": "make test"}\'', "allow it with other arguments"),
)
_MOST_ARGUMENTS = 20_000_000  # bytes of a file


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("question", nargs="?", type=utf8, metavar="QUESTION", help=f"{QUESTION_HELP}; omit it to answer all open ones")
    add(
        "option", nargs="?", type=utf8, metavar="OPTION", help="allow, deny, always, or an option's number, id or label"
    )
    add("--text", type=utf8, metavar="WORDS", help="words for the agent: a reply, or the reason of a denial")
    add("--arguments", metavar="JSON", help="run the tool with these arguments instead: a JSON object, or @FILE")


def run(args: argparse.Namespace) -> int:
    db = db_access.settings_of(args).db
    if args.question is None:
        return _answer_all(db, args)
    with db_access.reading(db) as conn:
        question = resolve_question(conn, args.question)
        name = names_of(conn, [question])[question.id]
    if not question.is_open:
        raise too_late(question)
    given_answer = _answer_of(question, args)
    if given_answer is None:
        if not _is_interactive():
            raise InvalidInput("missing argument: OPTION", hint=f"li ask show {question.id}")
        answered = _ask(db, question, name, args)
        return 0 if answered else 1
    _finish(db, answer(args, question, given_answer), name, args)
    return 0


def _answer_of(question: Question, args: argparse.Namespace) -> Answer | None:
    """The answer on the command line; None when there is none."""
    arguments = None if args.arguments is None else _arguments(args.arguments)
    if arguments is not None and not question.takes_arguments:
        raise InvalidInput("this question takes no arguments", hint=f"li ask show {question.id}")
    if args.option is not None:
        try:
            return Answer(choose(question, args.option).id, args.text, arguments)
        except InvalidInput as error:
            if takes_words_alone(question):
                error.hint = f"li ask answer {question.id} --text {shlex.quote(args.option)}"
            raise
    if arguments is not None:
        allowing = [option for option in question.options if option.effect is Effect.ALLOW]
        return Answer(allowing[0].id if allowing else None, args.text, arguments)
    if args.text is None:
        return None
    if not takes_words_alone(question):
        raise InvalidInput("missing argument: OPTION", hint=f"li ask answer {question.id} deny --text WORDS")
    return Answer(text=args.text)


def _arguments(text: str) -> dict[str, Any]:
    if text.startswith("@"):
        text = read_text(text[1:], most=_MOST_ARGUMENTS)
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"--arguments is not JSON: {error}", hint='--arguments \'{"name": "value"}\'') from None
    if not isinstance(arguments, dict):
        raise InvalidInput("--arguments must be a JSON object", hint='--arguments \'{"name": "value"}\'')
    return arguments


def _is_interactive() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _answer_all(db: str, args: argparse.Namespace) -> int:
    """Ask one open question after the other; those that are skipped stay open."""
    if not _is_interactive():
        with db_access.reading(db) as conn:
            if count_open_questions(conn):
                raise InvalidInput("missing argument: QUESTION", hint="li ask ls")
    seen: set[str] = set()
    while True:
        with db_access.reading(db) as conn:
            question = next((item for item in list_open_questions(conn) if item.id not in seen), None)
            if question is None:
                break
            question = resolve_question(conn, question.id)  # with all of its evidence
            name = names_of(conn, [question])[question.id]
        seen.add(question.id)
        _ask(db, question, name, args)
    with db_access.reading(db) as conn:
        waiting = count_open_questions(conn)
    still = f"{count(waiting, 'question')} still {'waits' if waiting == 1 else 'wait'}: li ask answer"
    say(still if waiting else "Nothing else waits for you." if seen else "Nothing waits for you.", quiet=args.quiet)
    return 0


def _ask(db: str, question: Question, name: str, args: argparse.Namespace) -> bool:
    """Show a question and ask for the answer; False when it was skipped, or another answer was first."""
    emit_lines(["", *question_lines(question, name, styles_for(sys.stdout, refused=args.no_color))])
    flush()
    record_shown(db, [question])
    while True:
        write_stderr("Answer (Enter skips): ")
        line = sys.stdin.readline()
        if not line.strip():
            write_stderr("" if line else "\n")
            return False
        try:
            answered = answer(args, question, typed_answer(question, line), surface="terminal")
        except InvalidInput as error:
            say(f"{inline(error.message)}: {inline(error.hint or '')}")
        except Conflict as error:
            say(f"Too late: {inline(error.message)}")
            return False
        else:
            _finish(db, answered, name, args)
            return True


def _finish(db: str, question: Question, name: str, args: argparse.Namespace) -> None:
    """Wait for the agent to take the answer, and print the receipt."""
    question = wait_until_taken(db, question.id)
    if args.json:
        print_json({"question": question_json(question, name)})
    else:
        emit(receipt(db, question) + "\n")
        flush()
