"""Answer the question of a show from a terminal: the same commands, checks and records as `li show approve`."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import NoReturn

from lionstudio.errors import InvalidInput
from lionstudio.model.questions import Answer, Question
from lionstudio.show_sync.questions import decision_of
from lionstudio.state.exchange.questions import too_late
from lionstudio.studio.launch.policy import show_argv


def answer_show_question(args: argparse.Namespace, question: Question, answer: Answer) -> None:
    """Make the decision that an answer stands for, without a word; raises Conflict when another answer was first."""
    if not question.is_open:
        raise too_late(question)
    _, action, *words = show_argv(*decision_of(question, answer), question=question.id)
    command = import_module(f"lionstudio.cli.show.{action}")
    parser = _Parser(prog=f"li show {action}", add_help=False)
    command.register(parser)
    command.run(parser.parse_args(words, argparse.Namespace(**vars(args), is_answer=True)))


class _Parser(argparse.ArgumentParser):
    """Raises instead of printing the usage of another command than the user called."""

    def error(self, message: str) -> NoReturn:
        raise InvalidInput(message)
